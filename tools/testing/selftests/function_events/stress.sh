#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# For 20 seconds, or as many as the argument says, functions are called on all CPUs while
# events on them are defined, enabled and removed, in several instances and by perf, while
# their module comes and goes, and while other tracers trace their returns, up to all that
# can do so at the same time.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh
. "$DIR"/../kselftest/stress_helpers.sh

SECONDS_TO_GO="${1:-20}"
MODULE=test_func_event
FE=function_events
KINDS="call call enable define instance fprobe graph indices reload perf sleep read"
# Each function has an event at the entry and one at the return. kernel/* are not of the
# module, module_ret stays when that goes, and is made anew while its records are read.
EVENTS="c:stress/text test_func_text(string k, ustring u)
c:stress/text_ret test_func_text(string k, ustring u) -> string r
c:stress/text_both test_func_text(string k) -> u64 r
c:stress/recurse test_func_recurse(u32 depth)
c:stress/recurse_gap test_func_recurse(u8 depth | u16 low)
c:stress/recurse_ret test_func_recurse(u32 depth) -> u32 r
c:stress/irq test_func_irq(x64 first[0])
c:stress/irq_ret test_func_irq() -> void
c:stress/nmi_ret test_func_nmi() -> void
c:stress/module_ret test_func_event:test_func_recurse(u32 depth) -> u32 r
c:kernel/openat do_sys_openat2(int dfd, ustring name)
c:kernel/openat_ret do_sys_openat2(int dfd, ustring name) -> long r
c:kernel/sleep_ret hrtimer_nanosleep(s64 time) -> long r"

# The module may be gone, or going.
job_call()
{
	while goes_on; do
		printf '20\0' > $FIRE && done_once call
		# The module cannot go while its file is open.
		sleep 0.02
	done 2> /dev/null
}

job_enable()
{
	while goes_on; do
		echo 1 > events/stress/enable && echo 1 > events/kernel/enable &&
			done_once enable
		sleep 0.05
		echo 0 > events/stress/text_ret/enable
		echo 0 > events/kernel/openat/enable
		sleep 0.05
		echo 0 > events/stress/enable
		echo 0 > events/kernel/enable
	done 2> /dev/null
}

job_define()
{
	while goes_on; do
		echo "$EVENTS" | while read -r line; do
			name="${line%% *}"
			echo "$line" >> $FE && done_once define
			sleep 0.01
			echo "-:${name#c:}" >> $FE
			echo "$line" >> $FE
		done
	done 2> /dev/null
}

job_instance()
{
	while goes_on; do
		mkdir instances/stress &&
			echo 1 > instances/stress/events/stress/enable && done_once instance
		echo 'depth > 2' > instances/stress/events/stress/recurse/filter
		echo stacktrace > instances/stress/events/stress/text_ret/trigger
		sleep 0.1
		rmdir instances/stress
	done 2> /dev/null
}

# They share the shadow stack with the events at the return.
job_fprobe()
{
	while goes_on; do
		echo 'f:stressf/text test_func_text%return r=$retval' >> dynamic_events
		echo 'f:stressf/recurse test_func_recurse%return r=$retval' >> dynamic_events
		echo 'f:stressf/entry test_func_recurse' >> dynamic_events
		echo 1 > events/stressf/enable && done_once fprobe
		sleep 0.05
		echo 0 > events/stressf/enable
		echo '-:stressf/entry' >> dynamic_events
		echo '-:stressf/recurse' >> dynamic_events
		echo '-:stressf/text' >> dynamic_events
	done 2> /dev/null
}

job_graph()
{
	while goes_on; do
		echo 'test_func_*' > set_ftrace_filter
		echo do_sys_openat2 >> set_ftrace_filter
		for tracer in function_graph function nop; do
			echo $tracer > current_tracer && done_once graph
			sleep 0.1
		done
		echo > set_ftrace_filter
	done 2> /dev/null
}

# Who traces returns has one of 16 indices, and leaves data under it.
job_indices()
{
	while goes_on; do
		for nr in $(seq 20); do
			mkdir instances/stress$nr &&
				echo hrtimer_nanosleep > instances/stress$nr/set_ftrace_filter &&
				echo function_graph > instances/stress$nr/current_tracer
		done
		done_once indices
		sleep 0.1
		rmdir instances/stress[0-9]*
	done 2> /dev/null
}

job_reload()
{
	while goes_on; do
		modprobe $MODULE && sleep 0.3
		# It stays as long as job_call() has its file open.
		until modprobe -r $MODULE; do
			goes_on || return
		done
		done_once reload
	done 2> /dev/null
}

job_perf()
{
	perf_records -g -e 'stress:*'
}

# In a function with an event at the return, while that, or another tracer, comes and goes.
job_sleep()
{
	while goes_on; do
		for time in 0.01 0.05 0.2 0.5; do
			sleep $time &
		done
		wait
		done_once sleep
	done
}

job_read()
{
	while goes_on; do
		cat $FE dynamic_events enabled_functions trace > /dev/null && done_once read
	done 2> /dev/null
}

clean_up()
{
	echo > "$TMP/stop"
	wait
	echo nop > current_tracer
	echo > set_ftrace_filter
	echo 0 > events/enable
	for instance in instances/stress*; do
		[ ! -d "$instance" ] || rmdir "$instance"
	done
	echo > dynamic_events
	[ ! -d /sys/module/$MODULE ] || unload $MODULE
}

# What is left can be used as before.
works()
{
	modprobe $MODULE && echo 'test_func_recurse(u32 depth) -> u32 ret' > $FE &&
		echo 1 > events/functions/enable && echo > trace && printf '1\0' > $FIRE &&
		[ "$(grep -c ': test_func_recurse: .*(depth=[1-5]) -> ret=' trace)" -eq 5 ]
	status=$?
	echo 0 > events/functions/enable
	echo > $FE
	unload $MODULE
	return $status
}

nothing_left()
{
	lacks 'test_func_\|fprobe' enabled_functions
}

all()
{
	check "all have run" rounds
	check "no function is traced" nothing_left
	check "it works as before" works
	check "no complaint in the log" clean_log
}

begin $MODULE
FIRE="$FILES/fire"
[ -e $FE ] || skip_all "there are no function events"
stress "$SECONDS_TO_GO" $MODULE
