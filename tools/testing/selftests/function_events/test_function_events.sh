#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Function events: every type and form of the language on functions whose arguments
# are known, what is refused and how, and whatever else reads or controls events.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh
. "$DIR"/../kselftest/event_helpers.sh

MODULE=test_func_event
# There are none when the test starts: all that are there are its own.
FE=function_events
PROTOTYPE=function_prototype
SYSTEM=functions
INSTANCE=instances/function_events_test
RUNNING=

clean_up()
{
	cd "$TRACING" || return
	[ ! -d events/functions ] || echo 0 > events/functions/enable
	for instance in "$INSTANCE" "$INSTANCE"[0-9]*; do
		[ ! -d "$instance" ] || rmdir "$instance"
	done
	echo > $FE
	unload $MODULE
	cd /
	rm -rf "$TMP"
	unmount
}

#
# Helpers
#

# "records EVENT": the records in the trace, without what comes before the arguments
# and without times.
records()
{
	sed -n -e "s/.*: $1: [^ ]*\( \[[a-z_]*\]\)\?->/->/p" trace |
		sed -e 's/ ([0-9]* ns)$/ (ns)/'
}

# The string in user space is this one, too.
call()
{
	printf '%s\0' "$1" > $FIRE
}

# Calls the functions of the module, with the events of the system "functions" on.
fire()
{
	echo > trace
	echo 1 > events/functions/enable &&
	call 1 &&
	echo 0 > events/functions/enable
}

# "shows DEFINITION PATTERN": PATTERN is what all records come to, separated by "; ".
shows()
{
	define "$1" || { complain "refused: $(cat "$TMP/said")"; undefine; return 1; }
	event="$(sed -e 's/ *(.*//' -e 's/ *->.*//' -e 's/;.*//' -e 's/.*[ *:]//' $FE | tail -n 1)"
	fire
	found="$(records "$event" | sed -e "s/^->$event//" | tr '\n' ';' |
		 sed -e 's/;$//' -e 's/;/; /g')"
	undefine
	case $found in
	$2) ;;
	*)
		echo "# found: $found"
		echo "# instead of: $2"
		return 1 ;;
	esac
}

#
# The language
#

types()
{
	n=test_func_narrow
	check "small integers" shows "$n(s8 a, u8 b, s16 c, u16 d, char e, bool f)" \
		"(a=-8, b=200, c=-16000, d=60000, e=120, f=1)"
	check "small integers, hexadecimal" shows "$n(x8 a, x8 b, x16 c, x16 d, x8 e, x8 f)" \
		"(a=0xf8, b=0xc8, c=0xc180, d=0xea60, e=0x78, f=0x1)"
	check "small integers of C" \
		shows "$n(signed char a, unsigned char b, short int c, unsigned short d, char e)" \
		"(a=-8, b=200, c=-16000, d=60000, e=120)"
	n=test_func_wide
	check "integers of C" shows "$n(int a, unsigned int b, long c, u64 d)" \
		"(a=-32, b=4000000000, c=-64, d=18364758544493064720)"
	check "integers of C in many words" \
		shows "$n(signed a, unsigned b, long long int c, unsigned long long d)" \
		"(a=-32, b=4000000000, c=-64, d=18364758544493064720)"
	check "large integers" shows "$n(s32 a, u32 b, s64 c, x64 d)" \
		"(a=-32, b=4000000000, c=-64, d=0xfedcba9876543210)"
	check "names for integers" shows "$n(pid_t a, gfp_t b, ssize_t c, size_t d)" \
		"(a=-32, b=0xee6b2800, c=-64, d=18364758544493064720)"
	check "qualifiers and enumerations" \
		shows "$n(const enum what a, volatile unsigned int b)" "(a=-32, b=4000000000)"
	check "integers of C without names" \
		shows "$n(signed, unsigned, long) -> unsigned" \
		"(arg1=-32, arg2=4000000000, arg3=-64) -> ret=3589934592 (ns)"
	check "pointers" shows "test_func_item(const struct test_func_item *item, union x **)" \
		"(item=0x[0-9a-f]*[0-9a-f], arg2=0x[0-9a-f]*[0-9a-f])"
	check "strings" shows "test_func_string(string kernel, string user, int nr)" \
		'(kernel="in the kernel", user="1", nr=1)'
	check "strings as the source has them" \
		shows "test_func_string(const char *kernel, char const __user *user) -> char *" \
		'(kernel="in the kernel", user="1") -> ret="one" (ns)'
	check "addresses of characters" shows \
		"test_func_string(char *kernel, const unsigned char *user) -> const char **" \
		"(kernel=0x[0-9a-f]*[0-9a-f], user=0x[0-9a-f]*[0-9a-f]) -> ret=0x[0-9a-f]* (ns)"
	check "strings behind pointers of C" shows \
		"test_func_item(NULL, const char *array[0] | const char *next+0[1])" \
		'(array="zero", next="one")'
	check "strings of user space" shows "test_func_string(NULL, ustring user)" '(user="1")'
	check "strings of user space that are the kernel's" \
		shows "test_func_string(ustring kernel)" '(kernel="(fault)")'
	check "empty strings of user space" empty_string
	check "strings of user space with a tag in their address" tagged_string
	check "memory of system calls that is not present" absent_memory
	check "memory of system calls that is not present, at the return" \
		absent_memory "-> long"
	check "strings that are not present" absent_strings
	check "memory of user space, in a kernel thread" no_user_space
	check "functions" shows "test_func_pointer(NULL, symbol callback)" \
		"(callback=test_func_none+0x0/0x* *)*"
}

# What is copied from the source, or from what other files of tracefs take.
pasted()
{
	w=test_func_wide
	check "the return type in front" shows "s64 $w(int a)" "(a=-32)"
	check "a star that is not the name's" shows "struct x* $w(int a)" "(a=-32)"
	check "static, attributes, and a semicolon" \
		shows "static const struct x *__init $w(int a);" "(a=-32)"
	check "the return type in front is that of the return value" \
		shows "extern char $w(int a) -> value;" "(a=-32) -> value=[0-9-]* (ns)"
	check "a string in front is that of the return value" \
		shows "const char *test_func_string(NULL) ->" '() -> ret="one" (ns)'
	check "void in front has no value" \
		shows "void $w(int a) ->;" "(a=-32) -> (ns)"
	check "a pointer to a function" \
		shows "test_func_pointer(NULL, void (*callback)(int, int (*)(void)))" \
		"(callback=0x[0-9a-f]*[0-9a-f])"
	check "a pointer to a function without a name" \
		shows "$w(NULL, NULL, int (*const *)(void), ...)" "(arg3=0x[0-9a-f]*[0-9a-f])"
	for probe in "f:name ^$w a" "f:group^/name $w" "p:name ^$w" "^p $w" "^r8 $w" \
			"$w ^\$arg1" "$w(^%di)" "$w^%return" "$w^+4" "$w a^=\$arg1:u64"; do
		check "refuses a probe event: $probe" in_dynamic_events "$probe"
	done
	check "refuses a pointer to a function without arguments" \
		refused "$no" "$w(int (*a)^)"
	check "refuses a pointer to a function without an end" refused "$no" "$w(int (*a)(void)^"
	check "refuses a name for no value" refused "$no" "void $w(int a) -> ^value"
}

patterns()
{
	check "a pattern makes an event for each function" pattern
	check "a pattern of a module" pattern test_func_event:
	check "a pattern leaves out what cannot have an event" pattern_leaves_out
	check "refuses a pattern that no function matches" refused "$none" "^no_such_*(int a)"
	check "refuses a pattern of functions that are not traced" \
		refused "$none" "^test_func_notrac?()"
	check "refuses a pattern of too many functions" refused "$big" "^*(NULL)"
	check "refuses a pattern for the name of a module" refused "$no" "^test_*:test_func_none()"
	check "refuses to remove a pattern of a module" removes_all_modules
	check "refuses a name for a pattern" refused "$no" "c:^name test_func_*()"
}

# "pattern [MODULE:]"
pattern()
{
	sed -n -e 's/^\(test_func_[a-z_]*\) .*/functions:\1/p' available_filter_functions |
		sort -u > "$TMP/functions"
	[ "$(wc -l < "$TMP/functions")" -gt 5 ] && define "$1test_func_*(NULL)" || return
	grep '^functions:' available_events | sort > "$TMP/found"
	cmp "$TMP/functions" "$TMP/found" || return
	cp $FE "$TMP/lines"
	echo "!test_func_n*" >> $FE
	grep -v test_func_n "$TMP/lines" | cmp - $FE || return
	echo "!*" >> $FE
	! grep . $FE
}

pattern_leaves_out()
{
	accepted "test_func_narrow(s8 a)" && define "test_func_n*(NULL)" || return
	said="$(dmesg | grep 'function_events: test_func_n' | tail -n 1)"
	lines="$(wc -l < $FE)"
	case $said in
	*"test_func_n*: $((lines - 1)) events; 1 left out, the first test_func_narrow: "*) ;;
	*) complain "$said" || return ;;
	esac
	undefine && accepted "test_func_wide(int a)" || return
	! define "test_func_wid?(int a)" && grep -q "File exists" "$TMP/said" &&
		grep -q "function_events: test_func_wide: error: Event exists already" error_log
}

removes_all_modules()
{
	accepted "test_func_wide(int a)" && ! define "!no_such_module:*" &&
		grep -q "$no" "$TMP/said" && grep -q test_func_wide $FE
}

in_dynamic_events()
{
	refused "$no" "$1" || return
	tail -n 3 error_log | grep -q "in dynamic_events$" || complain "$(tail -n 3 error_log)"
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

# "is_traced FUNCTION": ftrace has it; may be a regular expression.
is_traced()
{
	grep -qx "$1" available_filter_functions || skip "$1 is not traced"
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

#
# Text that does not fit, or cannot be printed
#

# "write_text TEXT": calls test_func_text() with it.
write_text()
{
	printf '%s\0' "$1" > "$FILES/text"
}

# "letters N": so many of them.
letters()
{
	printf "%$1s" "" | tr ' ' x
}

# "texts ARGUMENTS LENGTH...": what a record shows of texts of these lengths: the length
# of each that is shown, and what is behind the quotation marks, in $TMP/texts.
texts()
{
	accepted "test_func_text$1" || return
	shift
	echo > trace
	echo 1 > events/functions/enable
	for length in "$@"; do
		write_text "$(letters "$length")"
	done
	echo 0 > events/functions/enable
	records test_func_text | awk '{
		while (match($0, /xx+/))
			$0 = substr($0, 1, RSTART - 1) RLENGTH substr($0, RSTART + RLENGTH)
		sub(/^[^(]*/, "")
		print
	}' | tr '\n' ' ' | sed -e 's/ $//' > "$TMP/texts"
	undefine
}

# "cuts ARGUMENTS PATTERN LENGTH...": PATTERN is what texts says.
cuts()
{
	arguments="$1"
	wanted="$2"
	shift 2
	texts "$arguments" "$@" || return
	case $(cat "$TMP/texts") in
	$wanted) ;;
	*) complain "$(cat "$TMP/texts")" ;;
	esac
}

text()
{
	check "strings that just fit, and longer ones" cuts "(string k)" \
		'(k="1022") (k="1023") (k="1023"...) (k="1023"...)' 1022 1023 1024 3000
	check "strings of user space that just fit, and longer ones" \
		cuts "(NULL, ustring u)" '(u="1023") (u="1023"...)' 1023 1024
	check "two strings, and numbers beside them" \
		cuts "(string k, NULL, string s | u64 n)" \
		'(k="1023", s="1023", n=*) (k="1023"..., s="1023"..., n=*)' 1023 1024
	check "strings that share the room of a record" \
		cuts "(string k, NULL, string s, string t, string b)" \
		"$(four_strings 986 '') $(four_strings 986 ...)" 986 987
	check "more than is made on the stack" large
	check "the return: a string that just fits, and longer ones" \
		cuts "(string k) -> void" \
		'(k="198") -> (ns) (k="198"...) -> (ns) (k="198"...) -> (ns)' 198 199 2000
	check "the return: two strings" cuts "(string k, NULL, string s) -> void" \
		'(k="94", s="94") -> (ns) (k="94"..., s="94"...) -> (ns)' 94 95
	check "the return: three strings" cuts "(string k, NULL, string s, string t) -> void" \
		"$(three_strings 62 '') $(three_strings 62 ...)" 62 63
	check "the return: what is returned" cuts "() -> string r" \
		'() -> r="1023" (ns) () -> r="1023"... (ns)' 1023 1024
	check "the return: strings at the entry and what is returned" \
		cuts "(string k) -> string r" '(k="194"...) -> r="1023"... (ns)' 1024
	check "the return: strings of user space are read again" \
		cuts "(NULL, ustring u) -> void" \
		'(u="199") -> (ns) (u="200") -> (ns) (u="1023") -> (ns) (u="1023"...) -> (ns)' \
		199 200 1023 1024
	check "the return: strings of the kernel and of user space" \
		cuts "(string k, ustring u) -> string r" \
		'(k="92"..., u="1000") -> r="1000" (ns)' 1000
	check "the return: several events of a function" share
	check "the return: more events than there is room for" share_of_five
	check "the return: a name that a program has left" left_by_program
	check "filters: strings that are cut" cut_filter
	check "the format file: strings that are cut" cut_format
	check "bytes that cannot be printed" escaped
	check "bytes that cannot be printed, in a record" kept_bytes
	check "bytes that cannot be printed, in an array" shows \
		"test_func_item(char[6] mac+6)" '(mac="\\020 0@P`")'
	check "long text that cannot be printed" long_escaped
	check "text that a system call writes" filled
	check "text that a system call writes, in part" filled_in_part
}

four_strings()
{
	printf '(k="%s"%s, s="%s"%s, t="%s"%s, b="%s"%s)' "$1" "$2" "$1" "$2" "$1" "$2" "$1" "$2"
}

three_strings()
{
	printf '(k="%s"%s, s="%s"%s, t="%s"%s) -> (ns)' "$1" "$2" "$1" "$2" "$1" "$2"
}

# A name of /proc/version that is so long, an odd number.
version_name()
{
	printf '/proc/'
	printf "%$((($1 - 13) / 2))s" "" | sed -e 's: :./:g'
	printf version
}

# None is lost: each has a part, and what is of user space is read again.
share()
{
	accepted "c:functions/one test_func_text(string k) -> void" &&
	accepted "c:functions/two test_func_text(string k, ustring u) -> void" || return
	echo 1 > events/functions/enable
	write_text "$(letters 40)"
	write_text "$(letters 500)"
	echo 0 > events/functions/enable
	found="$(for event in one two; do
			records $event | sed -e 's/^[^(]*//'
		done | awk '{
		while (match($0, /xx+/))
			$0 = substr($0, 1, RSTART - 1) RLENGTH substr($0, RSTART + RLENGTH)
		print
	}' | tr '\n' ';')"
	missed="$(grep -c missed $FE)"
	undefine
	one='(k="40") -> (ns);(k="78"...) -> (ns);'
	two='(k="40", u="40") -> (ns);(k="34"..., u="500") -> (ns);'
	case "$found $missed" in
	"$one$two 0") ;;
	*) complain "$found $missed" ;;
	esac
}

# One of them does not fit, and says so.
share_of_five()
{
	for event in one two three four five; do
		accepted "c:functions/$event test_func_text(NULL, ustring u) -> u64" || return
	done
	echo 1 > events/functions/enable
	write_text "$(letters 500)"
	echo 0 > events/functions/enable
	found="$(for event in one two three four five; do
			records $event | grep -c '(u="x\{500\}")'
		done | tr '\n' ' ')"
	missed="$(grep -c '# missed 1$' $FE)"
	undefine
	# Which of them it is depends on the order in which they are enabled.
	case "$found$missed" in
	'0 1 1 1 1 1' | '1 0 1 1 1 1' | '1 1 0 1 1 1' | '1 1 1 0 1 1' | '1 1 1 1 0 1') ;;
	*) complain "$found$missed" ;;
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

large()
{
	accepted "test_func_text(char[300] all | string k)" || return
	echo 1 > events/functions/enable
	write_text "$(letters 500)"
	echo 0 > events/functions/enable
	found="$(records test_func_text)"
	undefine
	case $found in
	*"(all=\"$(letters 300)\", k=\"$(letters 500)\")") ;;
	*) complain "$found" ;;
	esac
}

cut_filter()
{
	accepted "test_func_text(string k, NULL, char[4] four | string s)" || return
	found=
	for filter in '__cut != 0' '!(__cut & 1)' '__cut & 2' '__cut == 3' '__cut == 0'; do
		echo "$filter" > events/functions/test_func_text/filter || return
		echo > trace
		echo 1 > events/functions/enable
		write_text "$(letters 20)"
		write_text "$(letters 2000)"
		echo 0 > events/functions/enable
		found="$found$(records test_func_text | grep -c '(k="x\{20\}", four')"
		found="$found$(records test_func_text | grep -c '(k="x\{1023\}"\.\.\., four') "
	done
	undefine
	[ "$found" = "01 10 01 01 10 " ] || complain "$found"
}

cut_format()
{
	accepted "test_func_text(string k, u8 u[0]) -> string r" || return
	format=events/functions/test_func_text/format
	fields="$(sed -n -e 's/^\tfield:\(.*\);\toffset.*/\1/p' $format | grep ' __[cf]')"
	print="$(sed -n 's/^print fmt: //p' $format)"
	undefine
	[ "$fields" = "u32 __fault
u32 __cut" ] || complain "$fields" || return
	case $print in
	*'k=\"%s\"%s, u=%u%s) -> r=\"%s\"%s ('*'(REC->__cut & 0x1) ? "..." : ""'*) ;;
	*) complain "$print" || return ;;
	esac
	case $print in
	*'__get_str(r), (REC->__cut & 0x2) ? "..." : ""'*) ;;
	*) complain "$print" ;;
	esac
}

# A line feed, escape, bell, quotation mark, backslash, an e with an accent, and DEL.
BYTES="$(printf 'one\ntwo\033[2K\007 "quoted\\" \303\251\177.')"
ESCAPED='one\ntwo\e[2K\a \"quoted\\\" \303\251\177.'

# In trace, and in trace_pipe.
escaped()
{
	accepted "test_func_text(string k, ustring u) -> string r" || return
	echo > trace
	echo 1 > events/functions/enable
	write_text "$BYTES"
	echo 0 > events/functions/enable
	found="$(records test_func_text)"
	lines="$(grep -c -v '^#' trace)"
	cat trace_pipe > "$TMP/pipe" &
	reader=$!
	for time in 1 2 3 4 5 6 7 8 9 10; do
		[ -s "$TMP/pipe" ] && break
		sleep 0.2
	done
	kill $reader
	wait $reader 2> /dev/null
	undefine
	wanted="->test_func_text(k=\"$ESCAPED\", u=\"$ESCAPED\") -> r=\"$ESCAPED\" (ns)"
	piped="$(sed -e 's/.*: test_func_text: [^ ]*\( \[[a-z_]*\]\)\?->/->/' \
		-e 's/ ([0-9]* ns)$/ (ns)/' "$TMP/pipe")"
	[ "$found" = "$wanted" ] && [ "$lines" -eq 1 ] || complain "$found" || return
	[ "$piped" = "$wanted" ] || complain "trace_pipe: $piped"
}

# As they are: a filter finds them, and so does who reads the records.
kept_bytes()
{
	accepted "test_func_text(string k)" || return
	echo 'k ~ "one?two?*2K?*quoted*"' > events/functions/test_func_text/filter || return
	echo > trace
	echo 1 > events/functions/enable
	write_text "$BYTES"
	write_text 'one\ntwo\e[2K'
	echo 0 > events/functions/enable
	found="$(records test_func_text | grep -c .)"
	readers=
	for cpu in per_cpu/cpu*; do
		dd if="$cpu"/trace_pipe_raw of="$TMP/raw_${cpu##*/}" bs=65536 count=1 2> /dev/null &
		readers="$readers $!"
	done
	sleep 0.5
	kill $readers 2> /dev/null
	wait $readers 2> /dev/null
	bytes="$(printf '%s' "$BYTES" | tr '\n' '+')"
	kept="$(cat "$TMP"/raw_* | tr '\n' '+' | tr '\0' '\n' | grep -c -F -e "$bytes")"
	undefine
	[ "$found $kept" = "1 1" ] || complain "$found, $kept"
}

# What fills the buffer would hide the record in trace_pipe.
long_escaped()
{
	accepted "test_func_text(string k, NULL, string s, string t | u64 after)" || return
	echo > trace
	echo 1 > events/functions/enable
	write_text "$(letters 1000 | tr x '\001')"
	echo 0 > events/functions/enable
	found="$(records test_func_text | sed -e 's/\(\\001\)\{442\}/442/g')"
	undefine
	case $found in
	'->test_func_text(k="442"..., s="442"..., t="442"..., after='[0-9]*')') ;;
	*) complain "$found" ;;
	esac
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

forms()
{
	check "no arguments" shows "test_func_none()" "()"
	check "void" shows "test_func_none(void)" "()"
	check "arguments without names" shows "test_func_wide(int, unsigned int)" \
		"(arg1=-32, arg2=4000000000)"
	check "arguments left out" shows "test_func_wide(NULL, _, long c)" "(c=-64)"
	check "as many arguments as registers" shows "test_func_nine($IN_REGISTERS)" "($VALUES)"
	check "arguments on the stack" shows "test_func_nine($IN_REGISTERS, $ON_STACK)" \
		"($VALUES, $STACK_VALUES)"
	check "other types on the stack" shows \
		"test_func_stack($EIGHT, s8 small, string text, u32 item[0], u16 half)" \
		'(small=-9, text="ten", item=1, half=65000)'
	check "arguments on the stack at the return" shows \
		"test_func_stack($EIGHT, s8 small, string text) -> int" \
		'(small=-9, text="ten") -> ret=64992 (ns)'
	check "white space" shows "  test_func_wide (  int  a ,unsigned  b)  " \
		"(a=-32, b=4000000000)"
	check "elements" shows "test_func_item(u32 first[0] | x32 next+0[1], string array+0[2])" \
		'(first=1, next=0x2010ffff, array="two")'
	check "offsets" \
		shows "test_func_item(s16 small+4[0] | s64 last+56[0] | s64 same+48[1])" \
		"(small=-1, last=-111111111111, same=-111111111111)"
	check "bool behind a pointer" shows "test_func_item(bool yes+52[0])" "(yes=1)"
	check "negative offsets" shows "test_func_item(NULL, string array+0[1] | string a+16[-1])" \
		'(array="one", a="one")'
	check "arrays" shows "test_func_item(x8[6] mac+6 | u32[2] n[0] | char[16] text+32)" \
		'(mac={0x10,0x20,0x30,0x40,0x50,0x60}, n={0x1,0x2010ffff}, text="text of first")'
	check "strings behind pointers" \
		shows "test_func_item(string name+16[0] | string text+32, string a[0])" \
		'(name="first", text="text of first", a="zero")'
	data=test_func_event_data
	text=test_func_event_text
	check "symbols" shows "test_func_none(x64 d = $data, string t = $text)" \
		'(d=0x1122334455667788, t="text by its name")'
	check "symbols with offsets" \
		shows "test_func_none(string t = $text+5, char[2] u = $text)" \
		'(t="by its name", u="te")'
	check "addresses" address
	check "pointers that cannot be read" shows "test_func_pointer(u32 where[0])" \
		"(where=1); (where=0(fault)); (where=0(fault))"
	check "arrays that cannot be read" shows "test_func_pointer(x8[2] where)" \
		"(where={0x1,0x0}); (where={0x0,0x0}(fault)); (where={0x0,0x0}(fault))"
	check "strings that cannot be read" shows "test_func_pointer(string where)" \
		'(where="*"); (where="(fault)"); (where="(fault)")'
	check "32 fields" shows "test_func_wide($(fields 32))" "(f1=-32, f2=-32, *f32=-32)"
}

# "fields N": so many fields of one argument.
fields()
{
	seq -s ' ' "$1" | sed -e 's/\([0-9]*\) */int f\1 | /g' -e 's/ | $//'
}

# Four arguments, the return value, 27, and one more.
too_many_with_metadata()
{
	[ -d events/syscalls/sys_enter_openat ] || { skip "no system call events"; return; }
	refused "$big" "sys_openat -> int ret | $(fields 27) | ^int f28"
}

address()
{
	found="0x$(awk '$3 == "test_func_event_data" { print $1 }' /proc/kallsyms)"
	shows "test_func_none(x32 half = $found[1], x16 part = $found+2[0])" \
		"(half=0x11223344, part=0x5566)"
}

returns()
{
	check "a return value" shows "test_func_wide() -> s64 ret" "() -> ret=-5000000000 (ns)"
	check "a return value without name" shows "test_func_wide() -> x64" \
		"() -> ret=0xfffffffed5fa0e00 (ns)"
	check "no return value" shows "test_func_none() -> void" "() -> (ns)"
	check "arguments and a return value" \
		shows "test_func_narrow(s8 a, u8 b, s16 c) -> int sum" \
		"(a=-8, b=200, c=-16000) -> sum=44313 (ns)"
	check "a return value that is a pointer" shows "test_func_string() -> void *" \
		"() -> ret=0x[0-9a-f]*[0-9a-f] (ns)"
	check "a return value that points to a structure" \
		shows "test_func_item() -> struct test_func_item *next" \
		"() -> next=0x[0-9a-f]*[0-9a-f] (ns)"
	check "part of a return value" shows "test_func_narrow() -> u8 low | bool same" \
		"() -> low=25, same=* (ns)"
	check "strings at entry and return" \
		shows "test_func_string(string kernel) -> string name" \
		'(kernel="in the kernel") -> name="one" (ns)'
	check "memory at return" \
		shows "test_func_item() -> u32 number[0] | string name+16[0] | x8[6] mac+6" \
		'() -> number=2, name="second", mac={0x1,0x2,0x3,0x4,0x5,0x6} (ns)'
	check "memory at entry and return" \
		shows "test_func_item(u32 number[0]) -> u32 next[0]" "(number=1) -> next=2 (ns)"
	check "memory that the function fills" shows \
		"test_func_fill(string text, u64 n[0]) -> int | string after = text | u64 now = n" \
		'(text="before", n=1) -> ret=6, after="filled", now=2 (ns)'
	check "memory that the function fills, alone" shows \
		"test_func_fill(void *text, void *nr) -> char[6] after = text | u32 now = nr+0[0]" \
		'(text=*, nr=*) -> after="filled", now=2 (ns)'
	check "memory of system calls that the function fills" syscall_fills
	check "recursion" shows "test_func_recurse(u32 d) -> u32 ret" "$(for n in 1 2 3 4 5; do
			printf '(d=%u) -> ret=%u (ns)%s' $n $n "$([ $n = 5 ] || echo '; ')"
		done)"
	check "a function that does not return" no_return
	check "deep recursion is counted, and loses nothing else" deep
	check "several events of a function" several
	check "two that call at the same time" at_the_same_time
	check "time spent" time_spent
}

# What it leaves on the shadow stack is in nobody's way, and goes with its thread.
no_return()
{
	accepted "test_func_no_return(int nr) -> void" &&
	accepted "c:functions/called test_func_no_return(int nr)" || return
	for time in 1 2 3; do
		shows "test_func_none() -> void" "() -> (ns)" || return
		accepted "test_func_no_return(int nr) -> void" &&
		accepted "c:functions/called test_func_no_return(int nr)" &&
		fire || return
		[ "$(records called)" = "->test_func_no_return(nr=7)" ] &&
		[ -z "$(records test_func_no_return)" ] || return
	done
	undefine
}

# Each frame takes much, so that there is no room for a hundred. With 30 fields there is always
# room for the return address where there is none for the fields, so that all are counted; with
# other sizes it may be the other way around, and ftrace does not ask the event.
deep()
{
	deep_with 30 && [ $((nr + missed)) -eq 100 ] || complain "$nr and $missed of 100" || return
	for size in 2 7 12 20; do
		deep_with $size && [ $((nr + missed)) -le 100 ] ||
			complain "$nr and $missed of 100 with $size fields" || return
	done
}

# "deep_with SIZE": as many fields; in nr, how many are shown, in missed, how many are counted.
# What is shown are the outermost calls.
deep_with()
{
	accepted "test_func_recurse(u32 depth | $(fields "$1" | sed 's/int/u32/g')) -> u32 ret" &&
	accepted "test_func_none() -> void" || return
	echo 100 > /sys/module/$MODULE/parameters/depth
	fire
	echo 5 > /sys/module/$MODULE/parameters/depth
	nr=$(records test_func_recurse | grep -c .)
	missed="$(sed -n 's/.*# missed //p' $FE)"
	missed=${missed:-0}
	outer="$(records test_func_recurse | sed -n -e 's/.*(depth=\([0-9]*\),.*/\1/p' | sort -n |
		head -n 1)"
	others="$(records test_func_none)"
	undefine
	echo "# $1 fields: $nr shown, $missed missed"
	[ "$nr" -gt 4 ] && [ "$outer" -eq $((101 - nr)) ] &&
	[ "$others" = "->test_func_none() -> (ns)" ]
}

several()
{
	accepted "c:functions/one test_func_wide(int a)" &&
	accepted "c:functions/two test_func_wide(NULL, u32 b)" &&
	accepted "c:functions/three test_func_wide() -> s64 ret" &&
	accepted "c:functions/four test_func_wide(NULL, NULL, long c) -> s64 ret" &&
	fire || return
	found="$(records one) $(records two) $(records three) $(records four)"
	undefine
	set -- "->test_func_wide(a=-32) ->test_func_wide(b=4000000000)" \
		"->test_func_wide() -> ret=-5000000000 (ns)" \
		"->test_func_wide(c=-64) -> ret=-5000000000 (ns)"
	[ "$found" = "$*" ] || complain "$found"
}

# What one of them has called does not end, nor hold up, what the other has.
at_the_same_time()
{
	accepted "test_func_none()" || return
	echo > trace
	echo 1 > events/functions/enable
	call 300 & one=$!
	call 300 & two=$!
	for time in $(seq 300); do
		kill -0 $one 2> /dev/null || kill -0 $two 2> /dev/null || break
		sleep 0.2
	done
	! kill -0 $one 2> /dev/null && ! kill -0 $two 2> /dev/null || {
		complain "they have not ended"
		return
	}
	wait $one $two
	echo 0 > events/functions/enable
	found=$(records test_func_none | grep -c .)
	undefine
	[ "$found" -eq 600 ] || complain "$found calls"
}

# Of a function that sleeps as long as it is told, and of one that calls others.
time_spent()
{
	accepted "c:functions/slept hrtimer_nanosleep(s64 time) -> long" &&
	accepted "test_func_recurse(u32 depth) -> u32 ret" || return
	echo 1 > events/functions/enable
	sleep 0.2
	call 1
	echo 0 > events/functions/enable
	slept="$(sed -n 's/.* slept: .*(\([0-9]*\) ns)$/\1/p' trace | sort -n | tail -n 1)"
	times="$(sed -n 's/.*test_func_recurse: .*(\([0-9]*\) ns)$/\1/p' trace)"
	undefine
	# The clock of the trace is not that of the timer.
	[ "${slept:-0}" -ge 150000000 ] && [ "$slept" -lt 20000000000 ] || {
		complain "slept: $slept"
		return
	}
	[ "$times" = "$(echo "$times" | sort -n)" ] || complain "$times"
}

#
# Types, names and members from BTF
#

type_information()
{
	n=test_func_wide
	values="a=-32, b=4000000000, c=-64, d=18364758544493064720"
	check "BTF: all arguments" btf shows "$n" "($values)"
	check "BTF: all arguments and what is returned" btf shows "$n ->" \
		"($values) -> ret=-5000000000 (ns)"
	check "BTF: what is returned, with a name" btf shows "$n() -> sum" \
		"() -> sum=-5000000000 (ns)"
	check "BTF: small integers" btf shows "test_func_narrow ->" \
		"(a=-8, b=200, c=-16000, d=60000, e=120, f=1) -> ret=44313 (ns)"
	check "BTF: strings" btf shows "test_func_string ->" \
		'(kernel="in the kernel", user="1", nr=1) -> ret="one" (ns)'
	check "BTF: pointers" btf shows "test_func_item ->" \
		"(item=0x*, array=0x*, size=3) -> ret=0x* (ns)"
	check "BTF: no arguments, and nothing returned" btf shows "test_func_none -> void" \
		"() -> (ns)"
	check "BTF: unsigned char, unsigned enumerations and ..." btf shows "test_func_various" \
		'(bytes=0x*, large=4026531840, format="%d")'
	check "BTF: a function that the kernel has as well" btf shows \
		"$MODULE:chroot_fs_refs" "(small=-7)"
	check "BTF: arguments by their names" btf shows "$n(c, b)" "(c=-64, b=4000000000)"
	i="test_func_item"
	check "BTF: members" btf shows "$i(item->number, item->last, item->yes, item->small)" \
		"(item_number=1, item_last=-111111111111, item_yes=1, item_small=-1)"
	check "BTF: members that are text" btf shows "$i(item->name, item->text)" \
		'(item_name="first", item_text="text of first")'
	check "BTF: members that are bytes, and text" btf shows "$i(item->bytes, item->label)" \
		'(item_bytes=0x*, item_label="of first")'
	check "BTF: members that are arrays" btf shows "$i(item->mac)" \
		'(item_mac={0x10,0x20,0x30,0x40,0x50,0x60})'
	check "BTF: members of what a member points to" \
		btf shows "$i(item->next->number, item->next->name, item->next->next)" \
		'(item_next_number=2, item_next_name="second", item_next_next=0x0)'
	check "BTF: white space in a path" btf shows \
		"$i($(printf 'item\r->\tnext -> number'))" "(item_next_number=2)"
	check "BTF: pointers that cannot be followed" \
		btf shows "$i(item->next->next->number, item->next->next->name)" \
		'(item_next_next_number=0(fault), item_next_next_name="(fault)")'
	check "BTF: a bit field that cannot be read" \
		btf shows "$i(item->next->next->middle)" "(item_next_next_middle=0(fault))"
	check "BTF: bit fields" \
		btf shows "$i(item->low, item->middle, item->high, item->next->middle)" \
		"(item_low=5, item_middle=33, item_high=1111111, item_next_middle=-2)"
	check "BTF: the same bit fields in probe events" btf probe_bit_fields
	check "BTF: probe events of a named module keep their names and types" btf probe_names
	check "BTF: members with other types and names" \
		btf shows "$i(x32 n = item->next->number, string s = item->text)" \
		'(n=0x2, s="text of first")'
	check "BTF: bit fields with other types" btf shows \
		"$i(x32 n = item->high, u8 low = item->low, s16 middle = item->middle)" \
		"(n=0x10f447, low=5, middle=33)"
	check "BTF: members beside arguments" \
		btf shows "$i(item->number, NULL, string array[0], size_t size)" \
		'(item_number=1, array="zero", size=3)'
	check "BTF: members of structures without names" btf path_of_file
	check "BTF: arguments on the stack" btf shows "test_func_stack(item->number, half)" \
		"(item_number=1, half=65000)"
	check "BTF: structures that are passed by value, and what is behind them" btf by_value
	check "BTF: refuses what comes behind a hidden argument" btf hidden_argument
	check "BTF: refuses an unknown argument" btf refused "$none" "$n(^e)"
	check "BTF: refuses a pattern of which no function has a member" \
		btf refused "$none" "test_func_ite?(item->^nothing)"
	check "BTF: refuses an unknown member" btf refused "$none" "$i(item->^nothing)"
	check "BTF: refuses members of what is not a pointer" btf refused "$no" "$n(a->^b)"
	check "BTF: refuses members of what is not a structure" btf refused "$no" "$i(array->^b)"
	check "BTF: refuses . where -> is needed" btf refused "$no" "$i(item->next.^number)"
	check "BTF: refuses -> where . is needed" \
		btf refused "$no" "vfs_read(file->f_path->^dentry)"
	check "BTF: bit fields of a packed structure" btf shows \
		"$i(item->odd.four, u64 thirty = item->odd.thirty)" \
		"(item_odd_four=9, thirty=987654321)"
	check "BTF: refuses a type that is too small for a bit field" \
		btf refused "$no" "$i(s8 n = item->^middle)"
	check "BTF: refuses a bit field that reaches beyond its type" \
		btf refused "$no" "$i(item->odd.^thirty)"
	check "BTF: refuses a whole structure" btf refused "$no" "vfs_read(file->^f_path)"
	check "BTF: refuses too many pointers" btf refused "$no" \
		"$i(item->next->next->next->next->next->next->next->next->^next)"
	check "BTF: members that the function fills" btf shows \
		"test_func_fill(u32 n = item->number) -> r | item->number | item->next->number" \
		"(n=1) -> r=6, item_number=2, item_next_number=2 (ns)"
	check "BTF: refuses arguments at the return" btf refused "$no" "$i() -> x64 a | ^item"
	check "BTF: refuses to show what is not returned" \
		btf refused "$no" "test_func_none() -> ^ret"
	check "BTF: refuses a function that it does not have" \
		btf refused "$none" "SyS_openat(^filename->text)"
	check "the prototype of a function" btf answers "$i" \
		"struct test_func_item *$i(const struct test_func_item *item, \
const char **array, size_t size)"
	check "the prototype of a function of a named module" btf answers \
		"$MODULE:test_func_none()" "void test_func_none(void)"
	check "the prototype of a system call" syscall_prototype
	check "the members of an argument" btf answers "$i(item)" "u32 item->number
s16 item->small
u8 item->mac[6]
const char *item->name
struct test_func_item *item->next
char item->text[16]
unsigned int item->low : 3
int item->middle : 7
unsigned int item->high : 22
bool item->yes
s64 item->last
unsigned char *item->bytes
const unsigned char *item->label
struct {...} item->odd"
	check "the members of a member" btf answers "$i(item->next->odd)" \
		"u32 item->next->odd.four : 4
u32 item->next->odd.thirty : 30"
	check "the members of several arguments, one after the other" btf answers_again
	check "the members of a structure without a name" btf answers_unnamed
	check "no answer for a function that is not there" btf no_answer "$none" "$MODULE:^no"
	check "no answer for an argument that is not there" btf no_answer "$none" "$n(^e)"
	check "no answer for what has no members" btf no_answer "$no" "$n(^a)"
	check "no answer for a type" btf no_answer "$none" "$n(^int a)"
	check "no answer for what cannot be read as a definition" btf no_answer "$no" "$n(a^"
	check "no answer for a line that is too long" btf no_answer "$big" long_query
	check "a file that nothing was written to" btf answers_nothing
}

# "answers LINE ANSWER": what function_prototype says about LINE.
answers()
{
	exec 4<>$PROTOTYPE
	echo "$1" >&4
	cat <&4 > "$TMP/found"
	exec 4>&-
	echo "$2" | cmp -s - "$TMP/found" || complain "$(cat "$TMP/found")"
}

answers_again()
{
	exec 4<>$PROTOTYPE
	echo "test_func_item(item->odd)" >&4
	cat <&4 > "$TMP/found"
	echo "test_func_none" >&4
	cat <&4 >> "$TMP/found"
	exec 4>&-
	echo "u32 item->odd.four : 4
u32 item->odd.thirty : 30
void test_func_none(void)" | cmp -s - "$TMP/found" || complain "$(cat "$TMP/found")"
}

# As in path_of_file().
answers_unnamed()
{
	exec 4<>$PROTOTYPE
	echo "vfs_read(file->f_path.dentry->d_name)" >&4
	cat <&4 > "$TMP/found"
	exec 4>&-
	grep -qx 'u32 file->f_path.dentry->d_name.len' "$TMP/found" &&
		grep -qx 'const unsigned char \*file->f_path.dentry->d_name.name' "$TMP/found" ||
		complain "$(cat "$TMP/found")"
}

# "no_answer ERROR LINE": the answer is an error, with the caret at ^.
no_answer()
{
	before="${2%%^*}"
	line="$before${2#*^}"
	[ "$2" != long_query ] || line="$(long 2048)"
	echo > error_log
	exec 4<>$PROTOTYPE
	{ echo "$line" >&4 && cat <&4; } > "$TMP/found" 2> "$TMP/said"
	exec 4>&-
	! grep -q . "$TMP/found" && grep -q "$1" "$TMP/said" ||
		{ complain "$(cat "$TMP/found" "$TMP/said")"; return 1; }
	[ "$2" != long_query ] || return 0
	grep -q '\] function_prototype: error: ' error_log &&
		caret="$(sed -n '/^  Command: /{n;p}' error_log)" &&
		[ ${#caret} -eq $((${#before} + 12)) ] || complain "$(cat error_log)"
}

answers_nothing()
{
	grep -q '^# Write a function' $PROTOTYPE || complain "$(cat $PROTOTYPE)"
}

syscall_prototype()
{
	[ -e events/syscalls ] || { skip "no metadata"; return; }
	answers sys_openat \
		"long sys_openat(int dfd, const char *filename, int flags, umode_t mode)"
}

btf()
{
	[ -e /sys/kernel/btf/$MODULE ] || { skip "no type information"; return; }
	"$@"
}

probe_bit_fields()
{
	grep -qF '<argname>[->field' README || { skip "no members in probe events"; return; }
	echo "f:bits/item test_func_item low=item->low middle=item->middle high=item->high \
next=item->next->middle" >> dynamic_events || return
	echo > trace
	echo 1 > events/bits/enable
	call 1
	echo 0 > events/bits/enable
	found="$(sed -n 's/.* item: ([^)]*) //p' trace)"
	echo '-:bits/item' >> dynamic_events
	[ "$found" = "low=5 middle=33 high=1111111 next=-2" ] || complain "found: $found"
}

# "probe_fields DEFINITION": the fields of a probe event, and "refused" if there is none.
probe_fields()
{
	echo "$1" >> dynamic_events || { echo refused; return; }
	sed -n 's/^\tfield:\(.*\);\toffset.*/\1/p' events/names/event/format |
		grep -v '__probe\| common_' | tr '\n' ';'
	echo '-:names/event' >> dynamic_events
} 2> /dev/null

# What was accepted when the prototype was not found. With the new forms it is.
probe_names()
{
	grep -qF '<argname>[->field' README || { skip "no members in probe events"; return; }
	wide=$MODULE:test_func_wide
	found="$(probe_fields "p:names/event $wide \$arg1 \$arg2") \
$(probe_fields "r:names/event $wide \$retval") \
$(probe_fields "r:names/event $MODULE:test_func_none \$retval") \
$(probe_fields "p:names/event $wide a d") $(probe_fields "p:names/event $wide \$arg*")"
	set -- "u64 arg1;u64 arg2; u64 arg1; u64 arg1; s32 a;u64 d;" \
		"s32 a;u32 b;s64 c;u64 d;"
	[ "$found" = "$*" ] || complain "$found"
}

# A function that returns a structure is told by its first register where to put it. Some
# versions of pahole have no type information about such a function.
hidden_argument()
{
	s=test_func_structure
	if refused "$none" "$s(^a)" > "$TMP/found"; then
		return
	elif [ "$(uname -m)" = aarch64 ]; then
		shows "$s" "(a=-3, item=0x*)" && shows "$s(item->number, a)" "(item_number=1, a=-3)"
	else
		refused "$no" "^$s" && refused "$no" "$s(^a)" &&
			refused "$no" "$s(^item->number)" && shows "$s(NULL, long a)" "(a=-3)"
	fi
}

# Some versions of pahole leave such functions out, too. On x86, six registers are not enough for
# the second pair, which is on the stack then.
by_value()
{
	s=test_func_by_value
	! refused "$none" "$s(^a)" > "$TMP/found" ||
		{ skip "no type information about the function"; return; }
	shows "$s(a, c, name)" '(a=-1, c=-4, name="behind")' &&
		shows "$s(c) -> ret" "(c=-4) -> ret=76 (ns)" || return
	case $(uname -m) in
	x86_64)
		refused "$no" "$s(c, ^last)" ;;
	aarch64 | riscv64 | loongarch64)
		shows "$s(c, last)" "(c=-4, last=77)" ;;
	esac || return
	shows "$s(small.one, small.two, pair.kernel, pair.where->number)" \
		"(small_one=2, small_two=3, pair_kernel=1, pair_where_number=1)" &&
		refused "$no" "$s(^pair)" && refused "$no" "$s(u64 x = small.^two)" &&
		refused "$no" "^$s"
}

# The length and the hash of a name have no names of their own in struct qstr.
path_of_file()
{
	name="file->f_path.dentry->d_name"
	accepted "vfs_read($name.name, $name.len)" || return
	echo 1 > events/functions/enable
	read -r line < /proc/version
	echo 0 > events/functions/enable
	records vfs_read > "$TMP/found"
	undefine
	grep -q 'd_name_name="version", .*d_name_len=7)' "$TMP/found" ||
		complain "$(head -n 3 "$TMP/found")"
}

#
# Bad input
#

refusals()
{
	w=test_func_wide
	check "refuses an unknown function" refused "$none" "^no_such_function(int a)"
	check "names the copy of a function that is only a copy" only_copy
	check "refuses a function that is not traced" refused "$no" "^test_func_notrace()"
	check "refuses an ambiguous name" ambiguous
	check "refuses an unknown type" refused "$no" "$w(^foo_t a)"
	check "refuses a structure" refused "$no" "$w(^struct foo a)"
	check "refuses impossible integers" refused "$no" "$w(^unsigned signed a)"
	check "refuses a missing type" refused "$no" "$w(int a, ^)"
	check "refuses a missing parenthesis" refused "$no" "$w(int a^"
	check "refuses a second parenthesis" refused "$no" "$w(int a)^)"
	check "refuses a missing bracket" refused "$no" "$w(int a[0^)"
	check "refuses an array without a bound" refused "$no" "$w(x8[^] a)"
	check "refuses an array of nothing" refused "$no" "$w(x8[^0] a)"
	check "refuses an array of strings" refused "$no" "$w(string^[2] a)"
	check "refuses a bad index" refused "$no" "$w(int a[^x])"
	check "refuses a number that is too large" refused "$no" "$w(int a[^99999999999])"
	check "refuses an array of C" refused "$no" "test_func_item(NULL, int fds^[2])"
	check "refuses an array of characters of C" refused "$no" "test_func_item(char text^[16])"
	check "refuses an array of C with a pointer" \
		refused "$no" "test_func_item(struct page *pages^[0x4], u32 b[0])"
	check "refuses an array of C as the return value" refused "$no" "$w() -> s64 ret^[1]"
	check "refuses an offset that reads nothing" refused "$no" "$w(int a^+8)"
	check "refuses a bad name" refused "$no" "$w(int ^7a)"
	check "refuses a reserved name" refused "$no" "$w(int ^common_pid)"
	check "refuses a name of return events" refused "$no" "$w(int ^duration) -> s64"
	check "refuses a name that is used twice" refused "$no" "$w(int a, int ^a)"
	check "refuses what comes behind" refused "$no" "$w(int a) ^more"
	check "refuses a bad type of return" refused "$no" "$w() -> ^foo_t a"
	check "refuses a bad group" refused "$no" "c:^1x/y $w()"
	check "refuses a bad event" refused "$no" "c:x/y^. $w()"
	check "refuses no function" refused "$no" "^(int a)"
	check "refuses an unknown symbol" refused "$none" "$w(int a = ^no_such_symbol)"
	check "refuses a symbol whose memory was freed after boot" freed_symbol
	check "refuses no source" refused "$no" "$w(int a = ^)"
	check "refuses too many arguments" refused "$big" \
		"test_func_nine($EIGHT, $EIGHT, ^long i)"
	check "refuses too many fields" refused "$big" "$w($(fields 32) | ^int f33)"
	check "refuses too many fields with those of a system call" too_many_with_metadata
	check "refuses a record larger than a sub-buffer" refused "$big" \
		"test_func_item(^x64[512] a)"
	check "refuses more than can be kept" refused "$big" "^test_func_item(x64[40] a) -> void"
	check "refuses a long text" long_text
	check "refuses a long group" refused "$no" "c:^$(long 70)/x $w()"
	check "refuses an event that exists" twice
	check "refuses a path without type information" without_btf
	check "refuses to remove what is not there" not_there
	check "refuses to remove what is no definition" bad_removal
	check "refuses to remove what is enabled" busy
	check "undoes what there is no memory for" without_memory
}

# As GCC makes them: its arguments are not those of the source.
only_copy()
{
	awk '{ print $3 }' /proc/kallsyms > "$TMP/symbols"
	sed -e 's/ .*//' available_filter_functions | grep '^[a-z_]*\.\(isra\|constprop\)\.0$' |
		while read -r copy; do
			grep -qx "${copy%%.*}" "$TMP/symbols" || { echo "$copy"; break; }
		done > "$TMP/copy"
	copy="$(cat "$TMP/copy")"
	[ -n "$copy" ] || { skip "the compiler has made no such copy"; return; }
	refused "$none" "^${copy%%.*}()" || return
	grep -q "function_events: ${copy%%.*}\\.[a-z.0-9]*: error: .*only this copy" error_log ||
		complain "$(cat error_log)" || return
	accepted "$copy()" && undefine && accepted "$copy(NULL)"
}

# A name that two functions share that can be traced.
ambiguous()
{
	sed -e 's/ .*//' available_filter_functions | grep '^[a-z_]*$' | sort |
		uniq -d > "$TMP/twice"
	# Some that are in there twice have their name from the symbol before them.
	name="$(sed -n 's/^[0-9a-f]* [tT] \([a-z_]*\)$/\1/p' /proc/kallsyms | sort | uniq -d |
		grep -xFf "$TMP/twice" | head -n 1)"
	[ -n "$name" ] || { skip "no two functions with the same name"; return; }
	refused "Cannot assign" "^$name()"
}

long()
{
	printf "%$1s" "" | tr ' ' a
}

long_text()
{
	refused "$big" "$w(int $(long 2028)^a)" &&
	refused "$big" "$w(int $(long 2028)^$(long 4000))"
}

twice()
{
	accepted "$w(int a)" || return
	refused "File exists" "^$w(int b)"
}

without_btf()
{
	[ ! -e /sys/kernel/btf/vmlinux ] || { skip "there is type information"; return; }
	refused "not supported" "$w(^a)" && refused "not supported" "$w(^a->b)" &&
	refused "not supported" "^$w"
}

not_there()
{
	for command in '!nothing' '-:nothing' '-:functions/nothing'; do
		! define "$command" || return
		grep -q "$none" "$TMP/said" || return
	done
}

# Its first word is the name of two events.
bad_removal()
{
	accepted "$w(int a)" && accepted "c:mine/$w $w(u32 a)" || return
	cp $FE "$TMP/two"
	for line in "$w (foo_t a)" "$w() extra" "mine/$w(int a)" "$w(struct foo a)"; do
		! define "!$line" && grep -q "$no" "$TMP/said" && cmp $FE "$TMP/two" ||
			complain "$line: $(cat "$TMP/said")" || return
	done
	grep -q 'error: Structures have to be pointers$' error_log || complain "no caret" || return
	# Space is no part of a name.
	define "!mine/$w " && [ "$(cat $FE)" = "$w(int a)" ] || complain "$(cat "$TMP/said" $FE)"
}

freed_symbol()
{
	grep -q ' boot_command_line$' /proc/kallsyms || { skip "not in kallsyms"; return; }
	refused "$none" "$w(string line = ^boot_command_line)"
}

busy()
{
	accepted "$w(int a)" && echo 1 > events/functions/$w/enable || return
	! define "!$w" && grep -q "busy" "$TMP/said" || return
	! echo > $FE || return
	grep -q $w $FE || return
	undefine
	lacks -q . $FE
} 2>/dev/null

without_memory()
{
	set -- "$w(int a, u32 first[0] | x8[2] b) -> s64 ret" "SyS_openat(int dfd, string path)" \
		"$MODULE:$w(x64 a = test_func_event_data) -> void" "test_func_n[ao]*(NULL)"
	[ ! -e /sys/kernel/btf/$MODULE ] || set -- "$@" "$w ->" "test_func_item(item->next->name)"
	each_allocation_fails "$@"
}

#
# The files
#

files()
{
	check "what is read can be written again" read_back
	check "names of groups and events" names
	check "adding and removing" add_and_remove
	check "adding what is enabled at once" add_enabled
	check "dynamic_events" dynamic
	check "the format file" format
	check "comments and empty lines" comments
	check "a module that goes takes its events along" module_goes
	check "a module that is not loaded yet" module_comes
	check "a module that comes back at another place" module_moves
	check "a module that comes back without what an event needs" module_changes
	check "many are disabled and removed at once" many
	check "a function without events is not called" settles
}

LINES='test_func_wide(int a, x64 b) -> s64 ret
c:mine/other test_func_wide(NULL, u32 b)
static void test_func_event:test_func_none();
test_func_item(x8[6] mac+6 | string name+16[0], string array+0[1])'

read_back()
{
	define "$LINES" || return
	cp $FE "$TMP/first"
	undefine
	[ "$(cat "$TMP/first")" = "$LINES" ] || complain "$(cat "$TMP/first")" || return
	cat "$TMP/first" >> $FE
	cmp $FE "$TMP/first"
}

add_enabled()
{
	accepted "+ test_func_wide(int a)" && accepted "+test_func_n*(NULL)" || return
	[ "$(cat events/functions/enable)" = 1 ] || complain "not all are enabled"
	! define "+test_func_wide(int a)" || return
	echo 0 > events/functions/enable
	echo '!+test_func_wide(int a)' >> $FE && echo '!test_func_n*' >> $FE && ! grep . $FE
}

names()
{
	accepted "c:mine/event test_func_wide(int a)" && [ -d events/mine/event ] &&
	accepted "c:event test_func_wide(int a)" && [ -d events/functions/event ] &&
	accepted "c:mine/ test_func_wide(int a)" && [ -d events/mine/test_func_wide ] &&
	accepted "c test_func_wide(int a)" && [ -d events/functions/test_func_wide ] || return
	undefine
	[ ! -d events/mine ] && [ ! -d events/functions ]
}

add_and_remove()
{
	accepted "test_func_none()" && accepted "test_func_wide()" && accepted "test_func_item()" &&
	[ "$(grep -c . $FE)" -eq 3 ] &&
	define '!test_func_wide' && [ "$(grep -c . $FE)" -eq 2 ] &&
	define '-:functions/test_func_none' && [ "$(cat $FE)" = "test_func_item()" ] &&
	define "!$(cat $FE)" && [ -z "$(cat $FE)" ] &&
	accepted "test_func_none()" && echo "test_func_wide()" > $FE &&
	[ "$(cat $FE)" = "test_func_wide()" ] || return
	echo > $FE
	[ -z "$(cat $FE)" ]
}

dynamic()
{
	echo 'c:functions/x test_func_wide(int a)' >> dynamic_events &&
	grep -q '^c:functions/x test_func_wide(int a)$' dynamic_events &&
	grep -q '^c:functions/x test_func_wide(int a)$' $FE &&
	echo '-:functions/x' >> dynamic_events && lacks -q . $FE
}

format()
{
	accepted "test_func_string(string kernel, ustring user, x8[2] nr) -> char[4] ret" || return
	number='\([0-9]*\);'
	field="field:\([^;]*\);\toffset:$number\tsize:$number\tsigned:$number"
	sed -n -e "s/^\t$field/\1 \2 \3 \4/p" events/functions/test_func_string/format |
		grep -v common_ > "$TMP/format"
	undefine
	cat > "$TMP/wanted" <<-END
		unsigned long __parent_ip 8 8 0
		u32 __fault 16 4 0
		u32 __cut 20 4 0
		__data_loc char[] kernel 24 4 1
		__data_loc char[] user 28 4 1
		u8 nr[2] 32 2 0
		u64 duration 40 8 0
		char ret[4] 48 4 0
	END
	cmp "$TMP/format" "$TMP/wanted" || { sed -e 's/^/# /' "$TMP/format"; return 1; }
}

comments()
{
	printf '# a comment\n\ntest_func_none()\t# and another\n\n' >> $FE &&
	[ "$(cat $FE)" = "test_func_none()" ]
}

module_goes()
{
	accepted "test_func_wide(int a)" && accepted "$MODULE:test_func_none()" &&
	accepted "vfs_open()" || return
	echo 1 > events/functions/enable
	unload $MODULE
	modprobe $MODULE
	[ ! -d events/functions/test_func_wide ] && [ -d events/functions/test_func_none ] || return
	echo > trace
	call 1
	found="$(records test_func_none)"
	undefine
	[ "$found" = "->test_func_none()" ] || complain "found: $found"
}

module_comes()
{
	unload $MODULE
	accepted "$MODULE:test_func_wide(int a) -> s64" &&
	accepted "$MODULE:no_such_function()" || { modprobe $MODULE; return 1; }
	waits="$(grep -c '# waits for module test_func_event$' $FE)"
	echo 1 > events/functions/enable
	modprobe $MODULE
	call 1
	found="$(records test_func_wide)"
	still="$(grep -c '# waits' $FE) $(grep -c "no_such_.*# does not fit module $MODULE\$" $FE)"
	unload $MODULE
	gone="$(grep -c '# waits' $FE)"
	modprobe $MODULE
	undefine
	[ "$found" = "->test_func_wide(a=-32) -> ret=-5000000000 (ns)" ] || {
		complain "found: $found"
		return
	}
	[ "$waits, $still, $gone" = "2, 0 1, 2" ] || complain "waits: $waits, $still, $gone"
}

# What the module has at an address is something else when it is gone.
module_moves()
{
	data=test_func_event_data
	value=0x1122334455667788
	accepted "$MODULE:test_func_none(x64 d = $data)" &&
	accepted "c:functions/file vfs_open(x64 d = $data)" || return
	# Without type information, there is nothing to find again.
	wanted=
	if btf accepted "$MODULE:test_func_item(item->number)"; then
		wanted="->test_func_item(item_number=1)"
	elif [ -e /sys/kernel/btf/$MODULE ]; then
		return 1
	fi
	echo 1 > events/functions/enable
	unload $MODULE
	echo > trace
	cat /proc/version > /dev/null
	without="$(records file | sort -u)"
	# Something else takes its place, if there is something.
	modprobe -q test_marker
	modprobe $MODULE
	unload test_marker
	echo > trace
	call 1
	none="$(records test_func_none)"
	item="$(records test_func_item)"
	file="$(records file | sort -u)"
	undefine
	case "$without" in
	*"->vfs_open(d=0x0(fault))") ;;
	*) complain "without: $without"; return ;;
	esac
	[ "$none" = "->test_func_none(d=$value)" ] &&
	[ -z "$(echo "$file" | grep -v "d=$value)$")" ] && [ -n "$file" ] || {
		complain "$none $file"
		return
	}
	[ "$item" = "$wanted" ] || complain "$item instead of $wanted"
}

# The symbol is one of another module. What is said about it is said once.
module_changes()
{
	modprobe -q test_marker || { skip "there is no test_marker"; return; }
	accepted "$MODULE:test_func_none(x8 first = fire_numbers)"
	status=$?
	echo 1 > events/functions/enable
	call 1
	before="$(records test_func_none)"
	unload $MODULE
	unload test_marker
	waits="$(cat $FE)"
	echo "changes $$" > /dev/kmsg
	modprobe $MODULE
	changed="$(cat $FE)"
	said="$(dmesg | sed -n "/changes $$/,\$p" | grep -c 'function_events: .*not as it was')"
	echo > trace
	call 1
	between="$(records test_func_none)"
	unload $MODULE
	gone="$(cat $FE)"
	modprobe test_marker
	modprobe $MODULE
	call 1
	after="$(records test_func_none)"
	now="$(cat $FE)"
	undefine
	unload test_marker
	line="$MODULE:test_func_none(x8 first = fire_numbers)"
	[ $status -eq 0 ] && [ "$now" = "$line" ] &&
	[ "$waits" = "$line	# waits for module $MODULE" ] && [ "$gone" = "$waits" ] &&
	[ "$changed" = "$line	# does not fit module $MODULE" ] && [ "$said" -eq 1 ] ||
		complain "said $said times; $waits; $changed; $gone; $now" || return
	[ -n "$before" ] && [ -z "$between" ] && [ "$after" = "$before" ] ||
		complain "$before; $between; $after"
}

# How many functions of $TMP/many call something.
many_enabled()
{
	sed -e 's/ .*//' enabled_functions | grep -cxFf "$TMP/many"
}

# A hundred, half of them at the return. Waiting for one at a time takes half a minute.
many()
{
	nr=0
	: > "$TMP/many"
	for name in $(sed -e 's/ .*//' available_filter_functions | sort | uniq -u |
			grep '^\(tty\|proc\|kernfs\|sysfs\|pid\|uart\)_[a-z_]*$'); do
		arrow="$([ $((nr % 2)) = 0 ] || echo ' -> void')"
		echo "$name()$arrow" >> $FE || continue
		echo "$name" >> "$TMP/many"
		nr=$((nr + 1))
		[ $nr -lt 100 ] || break
	done 2> /dev/null
	[ $nr -eq 100 ] || { skip "no hundred functions"; return; }
	echo > trace
	from=$(now)
	echo 1 > events/functions/enable || return
	on=$(now)
	enabled=$(many_enabled)
	# Of proc, and of sysfs and kernfs.
	cat /proc/self/maps /proc/tty/drivers /sys/kernel/mm/*/enabled > /dev/null 2>&1
	ls -l /sys/kernel > /dev/null
	begin=$(now)
	echo 0 > events/functions/enable
	off=$(now)
	hit=$(sed -n 's/^[^#].*: \([a-z_]*\): [^ ]*->\1().*/\1/p' trace | sort -u |
		grep -cxFf "$TMP/many")
	echo > trace
	cat /proc/self/maps > /dev/null
	later=$(grep -c '()' trace)
	removed=$(now)
	echo > $FE
	end=$(now)
	echo "# enabled in $((on - from))0 ms, disabled in $((off - begin))0 ms," \
		"removed in $((end - removed))0 ms, $hit were hit"
	lacks . $FE || return
	checks_itself || [ $((off - begin + end - removed)) -lt 300 ] || return
	[ $enabled -eq 100 ] && [ $hit -ge 10 ] && [ $later -eq 0 ] &&
		[ "$(many_enabled)" -eq 0 ] ||
		complain "$enabled enabled, $hit hit, $later later, $(many_enabled) left"
}

# Nobody else may trace it.
settles()
{
	accepted "test_func_none()" && accepted "test_func_wide() -> s64" || return
	echo 1 > events/functions/enable
	on=$(grep -c '^test_func_.* (1)' enabled_functions)
	echo 0 > events/functions/test_func_none/enable
	sleep 1
	less=$(grep -c '^test_func_.* (1)' enabled_functions)
	echo 0 > events/functions/enable
	echo 1 > events/functions/enable
	call 1
	shown="$(records test_func_wide)"
	echo 0 > events/functions/enable
	echo > $FE
	off=$(grep -c '^test_func_' enabled_functions)
	[ "$on $less $off" = "2 1 0" ] || complain "$on $less $off" || return
	[ "$shown" = "->test_func_wide() -> ret=-5000000000 (ns)" ] || complain "$shown"
}

#
# Others who use events
#

users()
{
	check "system calls: the same values as syscalls:*" same_as_syscalls
	check "system calls: return values" syscall_returns
	check "system calls by all their names" syscall_names
	check "system calls without a prototype" bare_syscalls
	check "system calls without a prototype, at the return" bare_syscall_returns
	check "nothing is between a function and its event" trampoline
	check "hard interrupts and NMIs" contexts
	check "an event within another, on one CPU" nested
	check "a CPU that goes down" cpu_down
	check "returns beside the function graph tracer" graph_tracer
	check "returns of functions with data of another tracer" foreign_data
	check "the return from a call whose event is gone" gone_event
	check "more tracers of returns than there can be" too_many_tracers
	check "what was interrupted" context
	check "filters" filters
	check "histograms" histogram
	check "stack traces" stack_trace
	check "triggers" trigger
	check "snapshots by a trigger" snapshots
	check "set_event_pid" pids
	check "instances" instance
	check "set_event" set_event
	check "perf samples" perf_samples
	check "no bytes that are no field" padding
	check "no memory for each CPU" no_percpu_memory
	check "BPF programs" bpf
	check "trace-cmd" trace_cmd
	check "trace-cmd: strings that are cut" trace_cmd_cut
	check "perf record and script" perf_record
	check "places and call chains of perf" perf_places
	check "20 functions of the kernel at once" script load.sh 2 20
	check "definitions with errors leave nothing behind" script fuzz.sh 300
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

# No registers but those of arguments are saved (no "R"), one hook is called for both
# functions ("(1)"), and the code of a function goes to it, not to a list of such hooks.
trampoline()
{
	case $(uname -m) in
	x86_64) way="tramp: .*fprobe_ftrace_entry" ;;
	aarch64) way="ops: .*fprobe_ftrace_entry" ;;
	*) way= ;;
	esac
	accepted "test_func_wide(int a)" && accepted "test_func_none()" || return
	echo 1 > events/functions/enable
	lines="$(grep '^test_func_' enabled_functions)"
	undefine
	! echo "$lines" | grep ' R ' &&
	[ "$(echo "$lines" | grep -c "^test_func_\(wide\|none\) .*(1).*$way")" -eq 2 ] ||
		complain "$lines"
}

# Each is called once in a round.
contexts()
{
	accepted "test_func_irq(x64 first[0])" &&
		accepted "c:functions/irq test_func_irq() -> void" || return
	wanted="50 50 "
	if grep -q ' test_func_nmi' /proc/kallsyms; then
		accepted "test_func_nmi(x64 first[0])" &&
			accepted "c:functions/nmi test_func_nmi() -> void" || return
		wanted="50 50 50"
	fi
	echo > trace
	echo 1 > events/functions/enable
	call 50
	echo 0 > events/functions/enable
	found="$(records test_func_irq | grep -c .) $(records irq | grep -c .)"
	found="$found $(records nmi | grep -c . | grep -vx 0)"
	others="$(sed -n -e 's/.* \[[0-9]*\] \(.....\) .*: test_func_\(irq\|nmi\): .*/\2\1/p' \
			trace | sort -u | grep -v '^irq..h\|^nmi..[zZ]')"
	undefine
	[ "$found" = "$wanted" ] && [ -z "$others" ] || complain "$found, $others"
}

# Reading the second string calls a function with an event, when the record of the first event
# is half made.
nested()
{
	name=strncpy_from_user_nofault
	is_traced $name || return
	accepted "test_func_string(string kernel | x64 again, string user, int nr)" &&
	accepted "$name(x64 to | x64 from | x64 more, string user, long count)" || return
	fire
	outer="$(records test_func_string)"
	inner="$(records $name | grep -c 'user="1", count=')"
	# To read its own string, the inner event calls the function once more.
	missed="$(sed -n "s/^$name(.*# missed //p" $FE)"
	undefine
	case $outer in
	'->test_func_string(kernel="in the kernel", again=0xffff'*', user="1", nr=1)') ;;
	*) complain "$outer" ; return ;;
	esac
	[ "$inner" -ge 1 ] && [ "${missed:-0}" -ge 1 ] ||
		complain "$inner within it, ${missed:-none} missed"
}

# What a CPU still calls when RCU does not wait for it any more: the function tracer sees it.
cpu_down()
{
	online=/sys/devices/system/cpu/cpu1/online
	[ -w $online ] || { skip "no CPU that can go down"; return; }
	name=cpuhp_report_idle_dead
	is_traced $name || return
	define "arch_cpu_idle_dead()"
	accepted "$name()" || return
	echo > trace
	sed -e 's/(.*//' $FE > set_ftrace_filter
	echo function > current_tracer
	echo 1 > events/functions/enable
	echo 0 > $online
	status=$?
	echo 1 > $online
	echo 0 > events/functions/enable
	called=$(grep -c '\[001\].*: \(cpuhp_report\|arch_cpu\)_idle_dead <-' trace)
	shown=$(records $name | grep -c .)
	echo nop > current_tracer
	echo > set_ftrace_filter
	undefine
	[ $status -eq 0 ] || { skip "cannot take a CPU down"; return; }
	[ "$called" -ge 1 ] && [ "$shown" -eq 0 ] || complain "called $called, shown $shown"
}

# A second tracer of returns comes and goes in a batch, while the first one calls directly.
graph_tracer()
{
	grep -qw function_graph available_tracers || { skip "no function graph tracer"; return; }
	accepted "test_func_wide(int a) -> s64" || return
	echo > trace
	# What the kernel does in between; all functions would take an emulated one minutes.
	echo 'mutex_*lock*' > set_ftrace_filter
	echo function_graph > current_tracer
	echo 1 > events/functions/enable
	call 1
	echo 0 > events/functions/enable
	echo 1 > events/enable
	echo 0 > events/enable
	echo nop > current_tracer
	echo > set_ftrace_filter
	# The tracer shows events as comments, which end with it.
	echo > trace
	echo 1 > events/functions/enable
	call 1
	found="$(records test_func_wide)"
	undefine
	[ "$found" = "->test_func_wide(a=-32) -> ret=-5000000000 (ns)" ] ||
		complain "found: $found"
}

# Each tracer of returns gets the next of 16 indices. Those that sleep here have data of the
# function graph tracer, which one of the events then finds by its own index.
foreign_data()
{
	grep -qw function_graph available_tracers || { skip "no function graph tracer"; return; }
	is_traced hrtimer_nanosleep || return
	echo > trace
	echo hrtimer_nanosleep > set_ftrace_filter
	echo function_graph > current_tracer
	sleepers=
	for time in $(seq 20); do
		sleep 1000 &
		sleepers="$sleepers $!"
	done
	for time in $(seq 100); do
		nr=$(grep -c ' hrtimer_nanosleep(.*{' trace)
		[ "$nr" -lt 20 ] || break
		sleep 0.2
	done
	echo nop > current_tracer
	echo > set_ftrace_filter
	for sleeper in $sleepers; do
		accepted "hrtimer_nanosleep(s64 time) -> long" &&
			echo 1 > events/functions/enable
		kill "$sleeper"
		wait "$sleeper"
		undefine
	done 2> /dev/null
	[ "$nr" -ge 20 ] || complain "$nr of 20 were traced" || return
	shows "test_func_wide(int a) -> s64" "(a=-32) -> ret=-5000000000 (ns)"
}

# The memory of an event is that of the next one, which must not take what the first one has
# kept for its own, whether it is at the entry or at the return.
gone_event()
{
	is_traced hrtimer_nanosleep || return
	accepted "test_func_none() -> void" &&
	accepted "c:functions/old hrtimer_nanosleep(s64 time) -> long" || return
	echo > trace
	echo 1 > events/functions/enable
	sleepers=
	for time in $(seq 8); do
		sleep 1000 &
		sleepers="$sleepers $!"
	done
	sleep 1
	echo 0 > events/functions/old/enable
	echo '-:functions/old' >> $FE
	for sleeper in $sleepers; do
		accepted "c:functions/new hrtimer_nanosleep(s64 time)" || return
		[ $((sleeper % 2)) -eq 0 ] || {
			echo '-:functions/new' >> $FE
			accepted "c:functions/new hrtimer_nanosleep($(fields 12)) -> long" ||
				return
		}
		echo 1 > events/functions/enable
		kill "$sleeper"
		wait "$sleeper"
		echo 0 > events/functions/enable
		echo '-:functions/new' >> $FE
	done 2> /dev/null
	found="$(records new)"
	undefine
	[ -z "$found" ] || complain "$found"
}

# Tracers of instances take what indices there are.
too_many_tracers()
{
	grep -qw function_graph available_tracers || { skip "no function graph tracer"; return; }
	accepted "test_func_wide(int a) -> s64" || return
	nr=0
	mkdir $INSTANCE$nr
	while [ $nr -lt 20 ] &&
	      echo test_func_none > $INSTANCE$nr/set_ftrace_filter &&
	      echo function_graph > $INSTANCE$nr/current_tracer; do
		nr=$((nr + 1))
		mkdir $INSTANCE$nr
	done 2> /dev/null
	on="$(LC_ALL=C; { echo 1 > events/functions/test_func_wide/enable; } 2>&1)"
	state="$(cat events/functions/test_func_wide/enable)"
	call 1
	shown="$(records test_func_wide)"
	for instance in "$INSTANCE"[0-9]*; do
		echo nop > "$instance"/current_tracer
		rmdir "$instance"
	done
	fire
	later="$(records test_func_wide)"
	undefine
	[ $nr -ge 10 ] && [ $nr -lt 20 ] || { complain "$nr tracers"; return; }
	[ -n "$on" ] && [ "$state" = 0 ] && [ -z "$shown" ] || complain "$on; $state; $shown" ||
		return
	[ "$later" = "->test_func_wide(a=-32) -> ret=-5000000000 (ns)" ] || complain "$later"
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

# The depth of disabled preemption is that of the caller: none, by whatever way a record
# comes to the buffer.
context()
{
	accepted "test_func_none()" && accepted "c:functions/ret test_func_none() -> void" &&
	accepted "c:functions/memory test_func_item() -> u32 n[0]" &&
	accepted "c:functions/filtered test_func_wide(int a)" &&
	accepted "c:functions/filtered_ret test_func_wide(int a) -> s64" || return
	echo 'a == -32' > events/functions/filtered/filter &&
	echo 'a == -32' > events/functions/filtered_ret/filter || return
	fire
	depths="$(sed -n 's/.* \[[0-9]*\] ...\(.\). .*: [a-z_]*: .*test_func_.*/\1/p' trace |
		tr -d '\n')"
	undefine
	[ "$depths" = "....." ] || complain "$depths"
}

filters()
{
	accepted "test_func_recurse(u32 depth)" &&
	accepted "test_func_string(string kernel, ustring user)" || return
	echo 'depth > 2 && depth != 4' > events/functions/test_func_recurse/filter &&
	echo 'kernel ~ "in*kernel"' > events/functions/test_func_string/filter || return
	fire
	found="$(records test_func_recurse | tr '\n' ' ')$(records test_func_string | grep -c .)"
	echo 'kernel == "other"' > events/functions/test_func_string/filter
	fire
	found="$found $(records test_func_string | grep -c .)"
	undefine
	[ "$found" = "->test_func_recurse(depth=5) ->test_func_recurse(depth=3) 1 0" ] ||
		complain "$found"
}

histogram()
{
	[ -e events/sched/sched_switch/hist ] || { skip "no histograms"; return; }
	accepted "test_func_recurse(u32 depth) -> u32 ret" || return
	echo 'hist:keys=depth:vals=ret:sort=depth' > events/functions/test_func_recurse/trigger &&
	call 2
	number=' *\([0-9]*\)'
	hist="$(sed -n "s/^{ depth:$number } hitcount:$number *ret:$number/\1:\2:\3/p" \
		events/functions/test_func_recurse/hist | tr '\n' ' ')"
	echo '!hist:keys=depth:vals=ret:sort=depth' > events/functions/test_func_recurse/trigger
	undefine
	[ "$hist" = "1:2:2 2:2:4 3:2:6 4:2:8 5:2:10 " ] || complain "$hist"
}

stack_trace()
{
	accepted "test_func_pointer(u64 where)" && accepted "fire_pointers() -> void" || return
	echo 1 > options/stacktrace
	fire
	echo 0 > options/stacktrace
	cat trace > "$TMP/stack"
	undefine
	# The first function, as the name of the event and that, and the one that has called it.
	sed -n -e '/: \(test_func_pointer\|fire_pointers\): /{s/.*: \([a-z_]*\): .*/\1/;h}' \
		-e '/<stack trace>/{n;s/^ *=> *//;s/ .*//;H;n;s/^ *=> *//;s/ .*//;H;g;s/\n/ /g;p}' \
		"$TMP/stack" | sort -u > "$TMP/places"
	# An unwinder that goes by frames leaves out who calls a function that has none yet;
	# on arm64, ftrace makes one.
	caller="fire_[a-z]*"
	[ "$(uname -m)" != aarch64 ] || caller=fire_pointers
	grep -qx "test_func_pointer test_func_pointer $caller" "$TMP/places" &&
	grep -qx "fire_pointers fire_\(once\|write\) [a-z_]*" "$TMP/places" &&
	lacks -v "^\(test_func_pointer test_func_pointer\|fire_pointers\) fire_" \
		"$TMP/places" && lacks -q 'return_to_handler' "$TMP/stack" || {
		sed -e 's/^/# /' "$TMP/places"
		head -n 40 "$TMP/stack" | sed -e 's/^/# /'
		return 1
	}
}

# Where perf finds itself, and what it takes for the way there.
perf_places()
{
	command -v perf > /dev/null || { skip "no perf"; return; }
	accepted "vfs_open(NULL)" && accepted "c:functions/ret vfs_open() -> int" || return
	perf record -q -g --kernel-callchains -e functions:vfs_open,functions:ret \
		-o "$TMP/perf.data" cat /proc/version > "$TMP/said" 2>&1
	undefine
	perf script -i "$TMP/perf.data" -F event,ip,sym 2>> "$TMP/said" |
		sed -n -e '/functions:[a-z_]*: *$/{s/: *$//;s/.*://;h}' \
		-e '/^[\t ]/{s/^[\t ]*[0-9a-f]* //;s/[+ ].*//;H}' \
		-e '/^$/{g;s/\n/ /g;p}' | cut -d ' ' -f 1-3 | sort -u > "$TMP/places"
	grep -q "^vfs_open vfs_open \(do_open\|path_openat\)$" "$TMP/places" &&
	grep -q "^ret \(do_open\|path_openat\) " "$TMP/places" &&
	[ "$(grep -c '^vfs_open ' "$TMP/places")" -eq 1 ] || {
		sed -e 's/^/# /' "$TMP/said" "$TMP/places"
		perf script -i "$TMP/perf.data" | grep -A 5 ret: | head -n 20 | sed -e 's/^/# /'
		return 1
	}
}

# What is between fields is not from other records, nor from the stacks of the kernel.
padding()
{
	have_program "$DIR"/../rust_tracepoint/perf_raw || return
	accepted "test_func_narrow(s8 a | x64 all)" &&
	accepted "c:functions/ret test_func_narrow() -> u8 low | x64 all" &&
	accepted "test_func_wide(NULL, NULL, NULL, u64 d | u64 e | u64 f)" &&
	accepted "c:functions/kept $(head -n 3 $FE | tail -n 1) -> u64" || return
	for name in test_func_narrow ret test_func_wide kept; do
		cat events/functions/$name/id
	done > "$TMP/ids"
	# The words are meant to be split. A round leaves its records for the next one.
	"$DIR"/../rust_tracepoint/perf_raw $FIRE 3 $(cat "$TMP/ids") > "$TMP/raw"
	undefine
	# After common fields and __parent_ip; that of the return has the duration first.
	[ "$(grep -c '^1 .\{32\}f800000000000000' "$TMP/raw")" -eq 3 ] &&
	[ "$(grep -c '^2 .\{48\}..00000000000000' "$TMP/raw")" -eq 3 ] || {
		grep '^[12]' "$TMP/raw" | sed -e 's/^/# /'
		return 1
	}
}

# Of all CPUs, in KiB.
percpu()
{
	sed -n 's/^Percpu: *\([0-9]*\) kB$/\1/p' /proc/meminfo
}

# An event takes as much as an fprobe event, none; a few pages may be for something else.
no_percpu_memory()
{
	before="$(percpu)"
	accepted "test_func_text(string k, ustring u)" &&
	accepted "c:functions/ret test_func_text(string k, ustring u) -> u64" || return
	echo 1 > events/functions/enable
	write_text "$(letters 500)"
	after="$(percpu)"
	undefine
	[ $((after - before)) -lt 32 ] || complain "$before and then $after KiB"
}

# An event with a trigger cannot be removed, like other dynamic events.
trigger()
{
	accepted "test_func_wide(int a)" && accepted "test_func_none()" || return
	echo 'traceoff if a == -32' > events/functions/test_func_wide/trigger || return
	call 1
	on="$(cat tracing_on)"
	echo 1 > tracing_on
	! define '!test_func_wide' || return
	echo '!traceoff' > events/functions/test_func_wide/trigger
	undefine
	[ "$on" = 0 ] && [ ! -d events/functions ]
}

# The function of the trigger is called after the other one.
snapshots()
{
	[ -e snapshot ] || { skip "no snapshots"; return; }
	accepted "test_func_wide(int a)" && accepted "test_func_none()" &&
		echo 'snapshot:1' > events/functions/test_func_none/trigger || return
	fire
	taken="$(sed -n 's/.*: test_func_wide: .*->//p' snapshot)"
	left="$(records test_func_wide)"
	echo '!snapshot:1' > events/functions/test_func_none/trigger
	echo 0 > snapshot
	undefine
	[ "$taken" = "test_func_wide(a=-32)" ] && [ -z "$left" ] || complain "$taken; $left"
}

# This shell, and one that is another task.
pids()
{
	accepted "test_func_wide(int a)" && accepted "test_func_none() -> void" || return
	echo > trace
	echo $$ > set_event_pid
	echo 1 > events/functions/enable
	call 1
	sh -c "echo 1 > $FIRE"
	found="$(records test_func_wide | grep -c .) $(records test_func_none | grep -c .)"
	echo > set_event_pid
	sh -c "echo 1 > $FIRE"
	found="$found, $(records test_func_wide | grep -c .) $(records test_func_none | grep -c .)"
	echo 0 > events/functions/enable
	undefine
	[ "$found" = "1 1, 2 2" ] || complain "$found"
}

instance()
{
	mkdir $INSTANCE && accepted "test_func_wide(int a)" || return
	echo > trace
	echo 1 > $INSTANCE/events/functions/test_func_wide/enable
	call 1
	there=$(grep -c 'test_func_wide(a=-32)' $INSTANCE/trace)
	echo 1 > events/functions/test_func_wide/enable
	call 1
	both=$(grep -c 'test_func_wide(a=-32)' $INSTANCE/trace)
	here=$(grep -c 'test_func_wide(a=-32)' trace)
	rmdir $INSTANCE
	undefine
	[ "$there $both $here" = "1 2 1" ] || complain "$there $both $here"
}

set_event()
{
	accepted "test_func_wide(int a)" && echo 'functions:test_func_wide' >> set_event &&
	[ "$(cat events/functions/test_func_wide/enable)" = 1 ] &&
	echo '!functions:*' >> set_event &&
	[ "$(cat events/functions/test_func_wide/enable)" = 0 ]
}

# The bytes of the last field of a record: a u64 on its own.
perf_samples()
{
	have_program "$DIR"/../rust_tracepoint/perf_raw || return
	accepted "test_func_wide(NULL, NULL, NULL, u64 d)" &&
	accepted "test_func_string(string kernel) -> string name" || return
	"$DIR"/../rust_tracepoint/perf_raw $FIRE 1 "$(cat events/functions/test_func_wide/id)" \
		"$(cat events/functions/test_func_string/id)" > "$TMP/raw"
	undefine
	grep -q '^1 .*\(1032547698badcfe\|fedcba9876543210\)' "$TMP/raw" || {
		sed -e 's/^/# /' "$TMP/raw"
		return 1
	}
	# "in the kernel" and "one", each with its null byte.
	grep -q '^2 .*696e20746865206b65726e656c006f6e6500' "$TMP/raw"
}

# Prints how often the program ran, and the last value of the field at an offset.
bpf()
{
	have_program "$DIR"/bpf_field || return
	accepted "test_func_recurse(u64 depth)" || return
	offset="$(sed -n 's/.* depth;\toffset:\([0-9]*\);.*/\1/p' \
		events/functions/test_func_recurse/format)"
	found="$("$DIR"/bpf_field "$(cat events/functions/test_func_recurse/id)" "$offset" $FIRE 1)"
	undefine
	case $found in
	*": error 38") skip "no BPF"; return ;;
	esac
	[ "$found" = "5 1" ] || complain "$found"
}

trace_cmd()
{
	command -v trace-cmd > /dev/null || { skip "no trace-cmd"; return; }
	accepted "test_func_narrow(s8 a, x8 b, s16 c, u16 d, char e, bool f) -> int sum" &&
	accepted "test_func_item(s16 small+4[0] | char[16] text+32, string array+0[1])" &&
	accepted "test_func_pointer(u32 where[0])" || return
	fire
	for event in test_func_narrow test_func_item test_func_pointer; do
		records $event
	done > "$TMP/ours"
	trace-cmd record -q -e functions -o "$TMP/trace.dat" \
		sh -c "echo 1 > $FIRE; sleep 0.5" > "$TMP/said" 2>&1
	trace-cmd report -i "$TMP/trace.dat" > "$TMP/report" 2>>"$TMP/said"
	for event in test_func_narrow test_func_item test_func_pointer; do
		sed -n -e "s/.*$event: *[^ ]*->/->/p" "$TMP/report" |
			sed -e 's/ ([0-9]* ns)$/ (ns)/'
	done > "$TMP/theirs"
	undefine
	cmp "$TMP/ours" "$TMP/theirs" || {
		sed -e 's/^/# ours: /' "$TMP/ours"
		sed -e 's/^/# theirs: /' "$TMP/theirs"
		return 1
	}
}

trace_cmd_cut()
{
	command -v trace-cmd > /dev/null || { skip "no trace-cmd"; return; }
	accepted "test_func_text(string k, NULL, string s) -> string r" || return
	letters 1500 > "$TMP/long"
	trace-cmd record -q -e functions -o "$TMP/trace.dat" \
		sh -c "cat '$TMP/long' > '$FILES/text'; sleep 0.5" > "$TMP/said" 2>&1
	trace-cmd report -i "$TMP/trace.dat" > "$TMP/report" 2>> "$TMP/said"
	undefine
	cut='"\.\.\.'
	grep -q "(k=\"x\\{92\\}$cut, s=\"x\\{92\\}$cut) -> r=\"x\\{1023\\}$cut (" "$TMP/report" || {
		sed -e 's/^/# /' "$TMP/said" "$TMP/report"
		return 1
	}
}

perf_record()
{
	command -v perf > /dev/null || { skip "no perf"; return; }
	accepted "test_func_recurse(u32 depth, NULL) -> u32 ret" || return
	perf record -q -e functions:test_func_recurse -o "$TMP/perf.data" \
		sh -c "echo 1 > $FIRE" > "$TMP/said" 2>&1
	perf script -i "$TMP/perf.data" > "$TMP/script" 2>>"$TMP/said"
	undefine
	[ "$(grep -c 'test_func_recurse(depth=[1-5]) -> ret=[1-5] (' "$TMP/script")" -eq 5 ] || {
		sed -e 's/^/# /' "$TMP/said" "$TMP/script"
		return 1
	}
}

all()
{
	types
	pasted
	patterns
	text
	forms
	returns
	type_information
	refusals
	files
	users
}

#
# Main
#

begin $MODULE
FIRE="$FILES/fire"
[ -e $FE ] || skip_all "there are no function events"
! grep -q . $FE || skip_all "there are function events already"

trap clean_up EXIT
modprobe $MODULE || exit "$KSFT_FAIL"
no="Invalid argument"
big="Argument list too long"
none="No such file"
case $(uname -m) in
x86_64)
	IN_REGISTERS="long a, long b, long c, long d, long e, long f"
	VALUES="a=1, b=2, c=3, d=4, e=5, f=6"
	ON_STACK="long g, long h, long i"
	STACK_VALUES="g=7, h=8, i=9" ;;
*)
	IN_REGISTERS="long a, long b, long c, long d, long e, long f, long g, long h"
	VALUES="a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8"
	ON_STACK="long i"
	STACK_VALUES="i=9" ;;
esac
EIGHT="NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"
KSFT_NUM_TESTS=0
all
ktap_set_plan "$KSFT_NUM_TESTS"
RUNNING=y
all
ktap_finished
