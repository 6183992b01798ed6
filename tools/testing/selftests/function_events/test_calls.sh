#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# How function events are called: by which way, and in interrupts, in NMIs, within another
# event, and on a CPU that goes offline.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "nothing is between a function and its event" trampoline
	check "a function without events is not called" settles
	check "hard interrupts and NMIs" contexts
	check "an event within another, on one CPU" nested
	check "a CPU that goes down" cpu_down
	check "what was interrupted" context
	check "two that call at the same time" at_the_same_time
	check "no memory for each CPU" no_percpu_memory
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

run_tests
