#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Trace all functions of Rust code for 30 seconds, or as many as the argument says,
# with tracers that are switched, while modules of Rust come and go, their functions
# and events are hit, and the trace is read with both kinds of names. The kernel must
# not complain.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh

RUN_FOR="${1:-30}"
# Calls of functions, and modules that come and go; those of samples if they are there.
MODULE=test_rust_functions
OTHERS="test_rust_tracepoint rust_trace_event rust_minimal rust_print"

stop()
{
	# The tasks may have ended by themselves.
	[ -z "$TASKS" ] || kill $TASKS 2> /dev/null
	wait
	TASKS=
}

clean_up()
{
	stop
	cd "$TRACING" || return
	echo 0 > events/enable
	echo nop > current_tracer
	echo > set_ftrace_filter
	echo 0 > options/rust-names
	echo > trace
	for module in $OTHERS $MODULE; do
		unload $module
	done
	cd /
	rm -rf "$TMP"
	unmount
}

switch()
{
	while :; do
		for tracer in function function_graph nop; do
			grep -qw $tracer available_tracers || continue
			echo $tracer > current_tracer && echo >> "$TMP/switches"
			sleep 0.2
		done
	done
}

call()
{
	while :; do
		echo 1 > "$FIRE" && echo >> "$TMP/calls"
	done
}

come_and_go()
{
	while :; do
		for module in $OTHERS; do
			present $module || continue
			modprobe -q $module
			# Those of the module with events, all of them.
			echo 1 > events/test_rust_tracepoint/enable
			echo 10 > /sys/module/test_rust_tracepoint/parameters/fire
			unload $module
			echo >> "$TMP/loads"
		done
	done 2> /dev/null
}

read_trace()
{
	while :; do
		for names in 1 0; do
			echo $names > options/rust-names
			head -n 2000 trace | grep -q "$MODULE" && echo >> "$TMP/reads"
		done
		# A filter for all of them has to be made again for each module that came.
		echo '_R*' > set_ftrace_filter
	done
}

count()
{
	wc -l < "$TMP/$1" 2> /dev/null || echo 0
}

begin $MODULE
FIRE="$FILES/fire"

trap clean_up EXIT
trap 'exit $KSFT_FAIL' INT TERM
ktap_set_plan 2
modprobe $MODULE || exit "$KSFT_FAIL"
mark_log
echo '_R*' > set_ftrace_filter
TASKS=
for task in switch call come_and_go call read_trace; do
	$task &
	TASKS="$TASKS $!"
done
sleep "$RUN_FOR"
stop
description="functions traced for $RUN_FOR s"
ktap_print_msg "$(count switches) tracers, $(count calls) calls, $(count loads) modules," \
	"$(count reads) reads"
if [ "$(count switches)" -gt 0 ] && [ "$(count calls)" -gt 0 ] &&
   [ "$(count loads)" -gt 0 ] && [ "$(count reads)" -gt 0 ]; then
	ktap_test_pass "$description"
else
	ktap_test_fail "$description"
fi
if clean_log; then
	ktap_test_pass "the kernel did not complain"
else
	ktap_test_fail "the kernel did not complain"
fi
ktap_finished
