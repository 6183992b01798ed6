#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Function events of system calls: their names and arguments, what the events of the
# syscalls subsystem show, and the memory of the program that calls.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

arguments()
{
	check "system calls: the same values as syscalls:*" same_as_syscalls
	check "system calls: return values" syscall_returns
	check "system calls by all their names" syscall_names
	check "system calls without a prototype" bare_syscalls
	check "system calls without a prototype, at the return" bare_syscall_returns
	check "refuses too many fields with those of a system call" too_many_with_metadata
}

# The arguments of $1, a line for each call. Theirs has types in front of the names, which
# have attributes if clang has compiled the kernel, and the string behind its address with
# options/verbose, and numbers below 10 without 0x.
numbers()
{
	sed -n -e "s/.*$1(\(.*dfd.*\))\$/\1/p" trace |
		sed -e 's/__attribute__(([^)]*)))//g' -e 's/ "[^"]*"//' \
			-e 's/[a-z_ *]*\(: \|=\)//g' \
			-e 's/0x\([0-9]\)\>/\1/g' -e 's/^0xf*9c/-100/'
}

# AT_FDCWD is -100, of which programs set 32 bits or all.
same_as_syscalls()
{
	[ -d events/syscalls/sys_enter_openat ] || { skip "no system call events"; return; }
	accepted "SyS_openat(x64 dfd, x64 where, x32 flags, x16 mode)" &&
	accepted "c:functions/path SyS_openat(NULL, string path)" || return
	# The local clocks of two CPUs may show what they do in another order.
	clock="$(sed 's/.*\[\(.*\)\].*/\1/' trace_clock)"
	echo counter > trace_clock
	echo > trace
	echo 1 > events/syscalls/sys_enter_openat/enable
	echo 1 > events/functions/enable
	cat "$TMP/no such file" /proc/version > "$TMP/written" 2>/dev/null
	echo 0 > events/enable
	paths="$(records path)"
	echo 1 > options/verbose
	numbers SyS_openat > "$TMP/ours"
	# One of them was enabled first.
	numbers sys_openat | tail -n "$(grep -c . "$TMP/ours")" > "$TMP/theirs"
	echo 0 > options/verbose
	echo "$clock" > trace_clock
	undefine
	[ "$(grep -c . "$TMP/ours")" -ge 3 ] && cmp "$TMP/ours" "$TMP/theirs" || {
		sed -e 's/^/# ours: /' "$TMP/ours"
		sed -e 's/^/# theirs: /' "$TMP/theirs"
		return 1
	}
	case $paths in
	*"path=\"$TMP/no such file\")"*'path="/proc/version")'*) ;;
	*) complain "$paths" ;;
	esac
}

# The file descriptor, and ENOENT.
syscall_returns()
{
	accepted "SyS_openat(NULL, string path) -> int fd" || return
	echo 1 > events/functions/enable
	cat "$TMP/no such file" /proc/version > /dev/null 2>&1
	echo 0 > events/functions/enable
	found="$(records SyS_openat | grep "such\|version" | tr '\n' ' ')"
	undefine
	# The runner of kselftest leaves 3 and 4 open.
	case $found in
	*"no such file\") -> fd=-2 (ns) "*"path=\"/proc/version\") -> fd="[3-9]" (ns) ") ;;
	*) complain "$found" ;;
	esac
}

syscall_names()
{
	wrapper="$(sed -n 's/^\(__[a-z0-9]*_sys_\)openat\( .*\)\?$/\1/p' \
		available_filter_functions | grep -v ia32 | head -n 1)"
	for prefix in SyS_ sys_ __se_sys_ __do_sys_ $wrapper; do
		accepted "${prefix}openat(int dfd, string path)" || return
	done
	echo > trace
	echo 1 > events/functions/enable
	cat /proc/version > /dev/null
	echo 0 > events/enable
	for event in $(cut -d '(' -f 1 $FE); do
		records "$event" | grep -q "^->$event(dfd=-100, path=\"/proc/version\")" || {
			complain "$event"
			undefine
			return 1
		}
	done
	undefine
}

# "field_names EVENT": those of the arguments, in order.
field_names()
{
	sed -n 's/^\tfield:.*[ *]\([a-z_0-9]*\);\toffset.*/\1/p' events/"$1"/format |
		grep -v '^\(common_\|__\)'
}

# As the events of system calls have them. Text is shown as such, a buffer is not.
bare_syscalls()
{
	[ -d events/syscalls/sys_enter_openat ] || { skip "no system call events"; return; }
	for name in openat read write lseek futex execve mount statx ppoll rt_sigaction getpid \
		    clock_nanosleep init_module; do
		[ -d events/syscalls/sys_enter_$name ] || continue
		accepted "sys_$name" || return
		field_names functions/sys_$name > "$TMP/ours"
		field_names syscalls/sys_enter_$name > "$TMP/theirs"
		cmp "$TMP/ours" "$TMP/theirs" || complain "$(cat "$TMP/ours")" || return
	done
	grep -q "__data_loc char\[\] filename;" events/functions/sys_openat/format &&
		lacks -q __data_loc events/functions/sys_write/format || return
	echo > trace
	echo 1 > events/functions/sys_openat/enable
	cat /proc/version > /dev/null
	echo 0 > events/enable
	pattern='dfd=-100, filename="/proc/version", flags=[0-9]*, mode=0x[0-9a-f]*'
	found="$(records sys_openat)"
	undefine
	echo "$found" | grep -q "^->sys_openat($pattern)$" || complain "$found"
}

bare_syscall_returns()
{
	[ -d events/syscalls/sys_enter_openat ] || { skip "no system call events"; return; }
	accepted "SyS_openat -> fd" || return
	echo 1 > events/functions/enable
	cat "$TMP/no such file" > /dev/null 2>&1
	echo 0 > events/functions/enable
	found="$(records SyS_openat)"
	undefine
	case $found in
	*"such file\", flags="*") -> fd=-2 (ns)"*) ;;
	*) complain "$found" ;;
	esac
}

# Four arguments, the return value, 27, and one more.
too_many_with_metadata()
{
	[ -d events/syscalls/sys_enter_openat ] || { skip "no system call events"; return; }
	refused "$big" "sys_openat -> int ret | $(fields 27) | ^int f28"
}

memory()
{
	check "empty strings of user space" empty_string
	check "strings of user space with a tag in their address" tagged_string
	check "memory of system calls that is not present" absent_memory
	check "memory of system calls that is not present, at the return" \
		absent_memory "-> long"
	check "strings that are not present" absent_strings
	check "memory of user space, in a kernel thread" no_user_space
	check "memory of system calls that the function fills" syscall_fills
	check "text that a system call writes" filled
	check "text that a system call writes, in part" filled_in_part
	check "the return: a name that a program has left" left_by_program
}

# There is no such file.
empty_string()
{
	accepted "SyS_openat(NULL, string path)" &&
	accepted "c:functions/user SyS_openat(NULL, ustring path)" || return
	echo > trace
	echo 1 > events/functions/enable
	cat "" 2> /dev/null
	echo 0 > events/functions/enable
	found="$(records SyS_openat | grep -c '(path="")')"
	found="$found $(records user | grep -c '(path="")')"
	undefine
	[ "$found" = "1 1" ] || complain "$found"
}

# As programs on arm64 have them that check their own memory.
tagged_string()
{
	have_program "$DIR"/open_tagged || return
	[ "$(uname -m)" = aarch64 ] || { skip "no tags in addresses"; return; }
	accepted "SyS_openat(NULL, string path)" &&
	accepted "c:functions/user SyS_openat(NULL, ustring path)" &&
	accepted "c:functions/bytes SyS_openat(NULL, char[6] path)" || return
	echo > trace
	echo 1 > events/functions/enable
	"$DIR"/open_tagged /proc/version
	status=$?
	echo 0 > events/functions/enable
	found="$(records SyS_openat | grep -c '(path="/proc/version")')"
	found="$found $(records user | grep -c '(path="/proc/version")')"
	found="$found $(records bytes | grep -c '(path="/proc/")')"
	undefine
	[ $status -eq 0 ] && [ "$found" = "1 1 1" ] || complain "status $status: $found"
}

# Calls the program that gives system calls memory which is not present.
call_absent()
{
	echo > trace
	echo 1 > events/functions/enable
	"$DIR"/absent > "$TMP/said"
	status=$?
	echo 0 > events/functions/enable
	[ $status -eq 0 ] || complain "status $status: $(cat "$TMP/said")"
}

# "counted EVENT TEXT": how many records have the text.
counted()
{
	records "$1" | grep -c -F -e "$2"
}

# "absent_memory [RETURN]": events at the entry, or at the return.
absent_memory()
{
	have_program "$DIR"/absent && is_traced '__.*_sys_openat' || return
	[ -d events/syscalls/sys_enter_openat ] || { skip "no system call events"; return; }
	accepted "c:functions/name SyS_openat(NULL, string path) $1" &&
	accepted "c:functions/user SyS_openat(NULL, ustring path) $1" &&
	accepted "c:functions/bytes SyS_openat(NULL, char[6] path) $1" &&
	accepted "c:functions/vector SyS_writev(NULL, string text[0] | u64 size+8[0]) $1" &&
	call_absent || { undefine; return 1; }
	found="$(counted name '(path="/proc/version")') $(counted name '(path="(fault)")')"
	found="$found $(counted user '(path="/proc/version")')"
	found="$found $(counted user '(path="(fault)")')"
	found="$found $(counted bytes '(path="/proc/")')"
	found="$found $(counted vector '(text="/proc/version", size=14)')"
	undefine
	[ "$found" = "1 1 1 1 1 1" ] || complain "$found"
}

# The function reads the name, so that it is present for the event at the return.
absent_strings()
{
	have_program "$DIR"/absent && is_traced do_sys_openat2 || return
	accepted "c:functions/entry do_sys_openat2(NULL, ustring name)" &&
	accepted "c:functions/both do_sys_openat2(NULL, ustring name) -> int" &&
	call_absent || { undefine; return 1; }
	found="$(counted entry '(name="/proc/version")')"
	found="$found $(counted both '(name="/proc/version") -> ret=')"
	found="$found $(counted both '(name="(fault)") -> ret=-14 (ns)')"
	undefine
	[ "$found" = "0 1 1" ] || complain "$found"
}

# The kernel thread that runs when this shell waits for it still has the shell's memory
# mapped, but it is not its own. The address is that of the head of an ELF file.
no_user_space()
{
	is_traced 'sys_openat\|__.*_sys_openat' && is_traced refresh_vm_stats || return
	[ -e /proc/sys/vm/stat_refresh ] || { skip "no kernel thread to wait for"; return; }
	found="0x$(sed -n -e '1s/-.*//p' /proc/$$/maps)"
	accepted "c:functions/task SyS_openat(string head = $found)" &&
	accepted "c:functions/thread refresh_vm_stats(string head = $found)" || return
	echo > trace
	echo 1 > events/functions/enable
	echo 1 > /proc/sys/vm/stat_refresh
	echo 0 > events/functions/enable
	task="$(records task)"
	thread="$(records thread)"
	undefine
	case $task in
	*ELF*) ;;
	*) complain "the shell: $task" || return ;;
	esac
	case $thread in
	*ELF*) complain "kernel threads: $thread" ;;
	*'(head="(fault)")'*) ;;
	*) complain "no kernel thread: $thread" ;;
	esac
}

# What uname() fills is read when it returns: the system's name, and the one behind it.
syscall_fills()
{
	is_traced '__.*_sys_newuname' || return
	accepted "SyS_newuname(void *name) -> int | string system = name | string node = name+65" ||
		return
	echo 1 > events/functions/enable
	wanted="system=\"$(uname -s)\", node=\"$(uname -n)\""
	echo 0 > events/functions/enable
	found="$(records SyS_newuname | grep -c -F -e "-> ret=0, $wanted (")"
	undefine
	[ "$found" -ge 1 ] || complain "$wanted: $found"
}

# The second block is shorter, and the first one is still behind it.
filled()
{
	is_traced 'sys_read\|__.*_sys_read' || return
	[ -d events/syscalls/sys_enter_read ] || { skip "no system call events"; return; }
	{ letters 100; printf 'the second block'; } > "$TMP/blocks"
	accepted "SyS_read(NULL, string text, size_t size) -> ssize_t" || return
	echo > trace
	echo 1 > events/functions/enable
	dd if="$TMP/blocks" of=/dev/null bs=100 2> /dev/null
	echo 0 > events/functions/enable
	found="$(records SyS_read | grep 'size=100)' | sed -e 's/x\{100\}/100/' | tr '\n' ';')"
	undefine
	# Nothing is written at the end.
	first='->SyS_read(text="100", size=100) -> ret=100 (ns);'
	second='->SyS_read(text="the second block", size=100) -> ret=16 (ns);'
	case $found in
	"$first$second"'->SyS_read(text="the second block'*'", size=100) -> ret=0 (ns);') ;;
	*) complain "$found" ;;
	esac
}

# What is constant is read at the entry, and so is everything for an event there.
filled_in_part()
{
	[ -d events/syscalls/sys_enter_readlink ] || { skip "no system call events"; return; }
	ln -s "the target" "$TMP/link"
	accepted "SyS_readlink(string path, string target) -> int" &&
	accepted "c:functions/entry SyS_readlink(NULL, string target)" || return
	echo > trace
	echo 1 > events/functions/enable
	readlink "$TMP/link" > /dev/null
	echo 0 > events/functions/enable
	found="$(records SyS_readlink | grep -F "$TMP/link")"
	entry="$(records entry | grep -c 'target="the target')"
	undefine
	case $found in
	'') skip "readlink uses another system call" ;;
	"->SyS_readlink(path=\"$TMP/link\", target=\"the target\") -> ret=10 (ns)")
		[ "$entry" -eq 0 ] || complain "at the entry: $entry" ;;
	*) complain "$found" ;;
	esac
}

# execve() ends with another program, in whose memory there is something else.
left_by_program()
{
	is_traced '__.*_sys_execve' || return
	# "cat" may be a part of the shell.
	for place in /bin /usr/bin; do
		[ -x $place/cat ] && break
	done
	[ -x $place/cat ] || { skip "no program cat"; return; }
	name="$place/$(printf '%150s' "" | sed -e 's: :./:g')cat"
	accepted "SyS_execve(string path) -> long" || return
	echo > trace
	echo 1 > events/functions/enable
	"$name" /proc/version > /dev/null
	echo 0 > events/functions/enable
	found="$(records SyS_execve | grep -F '/././')"
	undefine
	shown="${found#*\"}"
	shown="${shown%%\"*}"
	[ ${#shown} -gt 150 ] && [ "${name#"$shown"}" != "$name" ] || complain "$found" || return
	case $found in
	*'/."...) -> ret=0 (ns)' | *'/"...) -> ret=0 (ns)') ;;
	*) complain "$found" ;;
	esac
}

all()
{
	arguments
	memory
}

run_tests
