#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Trace all functions of Rust code for 30 seconds, or as many as the argument says,
# with tracers that are switched, while modules of Rust come and go, their functions
# and events are hit, a driver in Rust has requests, the examples of the kernel crate run
# as tests, and the trace is read with both kinds of names. The kernel must not complain.
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
DRIVER=rnull_mod
DOCTESTS=kunit/rust_doctests_kernel/run

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
	[ -z "$CONFIG" ] || [ ! -d "$CONFIG/rnull/stress" ] || rmdir "$CONFIG/rnull/stress"
	for module in $OTHERS $DRIVER $MODULE; do
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

# A disk that comes with the driver, and goes with it, with its events on.
request()
{
	while :; do
		modprobe -q $DRIVER
		echo 1 > events/rnull/enable
		mkdir "$CONFIG/rnull/stress"
		echo 1 > "$CONFIG/rnull/stress/irqmode"
		echo 1 > "$CONFIG/rnull/stress/power"
		dd if=/dev/zero of=/dev/stress bs=64k count=64 oflag=direct &&
			dd if=/dev/stress of=/dev/null bs=64k count=64 &&
			echo >> "$TMP/requests"
		rmdir "$CONFIG/rnull/stress"
		unload $DRIVER
	done 2> /dev/null
}

doctests()
{
	while :; do
		echo 1 > "$DEBUG/$DOCTESTS" && echo >> "$TMP/doctests"
		sleep 1
	done
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
JOBS="switch call come_and_go call read_trace"
WANTED="switches calls loads reads"
CONFIG=
if present $DRIVER && find_mount configfs /sys/kernel/config; then
	CONFIG="$FOUND"
	JOBS="$JOBS request"
	WANTED="$WANTED requests"
fi
if find_mount debugfs /sys/kernel/debug && [ -e "$FOUND/$DOCTESTS" ]; then
	DEBUG="$FOUND"
	JOBS="$JOBS doctests"
	WANTED="$WANTED doctests"
fi

trap clean_up EXIT
trap 'exit $KSFT_FAIL' INT TERM
ktap_set_plan 2
modprobe $MODULE || exit "$KSFT_FAIL"
mark_log
echo '_R*' > set_ftrace_filter
TASKS=
for task in $JOBS; do
	$task &
	TASKS="$TASKS $!"
done
sleep "$RUN_FOR"
stop
description="functions traced for $RUN_FOR s"
idle=
for what in $WANTED; do
	ktap_print_msg "$what: $(count "$what")"
	[ "$(count "$what")" -gt 0 ] || idle="$idle $what"
done
if [ -z "$idle" ]; then
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
