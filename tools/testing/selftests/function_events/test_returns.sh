#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Function events at the return of a function, by themselves and beside other tracers of
# returns.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

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
	check "recursion" shows "test_func_recurse(u32 d) -> u32 ret" "$(for n in 1 2 3 4 5; do
			printf '(d=%u) -> ret=%u (ns)%s' $n $n "$([ $n = 5 ] || echo '; ')"
		done)"
	check "a function that does not return" no_return
	check "deep recursion is counted, and loses nothing else" deep
	check "several events of a function" several
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

tracers()
{
	check "returns beside the function graph tracer" graph_tracer
	check "returns of functions with data of another tracer" foreign_data
	check "the return from a call whose event is gone" gone_event
	check "more tracers of returns than there can be" too_many_tracers
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
	group="$(LC_ALL=C; { echo 1 > events/functions/enable; } 2>&1)"
	state="$state$(cat events/functions/enable)"
	# It is not theirs to say so.
	others="$({ echo 1 > events/printk/enable && echo 0 > events/printk/enable; } 2>&1)"
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
	[ -n "$on" ] && [ -n "$group" ] && [ "$state" = 00 ] && [ -z "$shown$others" ] ||
		complain "$on; $group; $state; $shown; $others" || return
	[ "$later" = "->test_func_wide(a=-32) -> ret=-5000000000 (ns)" ] || complain "$later"
}

all()
{
	returns
	tracers
}

run_tests
