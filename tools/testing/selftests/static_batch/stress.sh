#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# For 20 seconds, or as many as the argument says, events, messages and modules
# with both are enabled, disabled, loaded and removed in all ways at once, while
# CPUs run through their sites, and one of them comes and goes. Nothing may be
# lost or left of it.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/lib.sh

SECONDS_TO_GO="${1:-20}"
# A job each; the last of them sees whether anything is lost.
KINDS="all killed single system pattern instance keys sample rust refused debug function kprobe
       bpf nmi hotplug check"

goes_on()
{
	[ ! -e "$TMP/stop" ]
}

# "again KIND": for the count of rounds.
again()
{
	echo >> "$TMP/$1"
	goes_on
}

# Jobs sleep between writes: who takes a lock again at once gets it before those who wait.
job_all()
{
	while again all; do
		echo 1 > "$TRACING/events/enable"
		sleep 0.05
		echo 0 > "$TRACING/events/enable"
	done
}

job_killed()
{
	while again killed; do
		kill_writer 0.1
	done
}

job_single()
{
	while again single; do
		for event in sched/sched_switch sched/sched_wakeup timer/timer_start \
			     raw_syscalls/sys_enter syscalls/sys_enter_write kmem/kmalloc; do
			[ -d "$TRACING/events/$event" ] || continue
			echo 1 > "$TRACING/events/$event/enable"
			echo 0 > "$TRACING/events/$event/enable"
			sleep 0.02
		done
	done
}

job_system()
{
	while goes_on; do
		for system in "$TRACING/events"/*/; do
			again system || return
			echo 1 > "${system}enable"
			echo 0 > "${system}enable"
			sleep 0.02
		done
	done
}

job_pattern()
{
	while again pattern; do
		echo "sched:*" > "$TRACING/set_event"
		echo "raw_syscalls:*" >> "$TRACING/set_event"
		sleep 0.02
		echo "!sched:*" >> "$TRACING/set_event"
		echo > "$TRACING/set_event"
	done
}

# Making and removing an instance takes minutes beside the other jobs on a debug kernel, with
# locks that they wait for. So the first one is there already, and each is used for long.
job_instance()
{
	instance="$TRACING/instances/stress_$$"
	while again instance; do
		end=$(($(date +%s) + 10 * TOOK))
		while :; do
			echo 1 > "$instance/events/enable"
			sleep 0.02
			# It goes with its events on.
			[ "$(date +%s)" -lt $end ] && goes_on || break
			echo 0 > "$instance/events/enable"
			sleep 0.02
		done
		rmdir "$instance"
		begin=$(date +%s)
		mkdir "$instance" || return
		TOOK=$(($(date +%s) - begin))
		echo 0 > "$instance/tracing_on"
	done
}

job_keys()
{
	present test_static_keys || return
	while again keys; do
		# It does not load if a key goes wrong.
		if ! modprobe test_static_key_base || ! modprobe test_static_keys; then
			echo >> "$TMP/keys_wrong"
		fi
		modprobe -r test_static_keys
		modprobe -r test_static_key_base
	done
}

job_sample()
{
	present trace-events-sample || return
	while again sample; do
		modprobe trace-events-sample
		echo 1 > "$TRACING/events/sample-trace/enable"
		sleep 0.1
		modprobe -r trace-events-sample
	done
}

job_rust()
{
	present test_rust_tracepoint || return
	while again rust; do
		# It does not load if others enable its events.
		modprobe test_rust_tracepoint
		echo 10 > /sys/module/test_rust_tracepoint/parameters/fire
		modprobe -r test_rust_tracepoint
	done
}

# A parameter of it is wrong, which is seen after the notifiers of tracepoints and static
# keys have let it in, and others queue its keys.
job_refused()
{
	present test_marker_probe || return
	while again refused; do
		! modprobe test_marker_probe leave=x || echo >> "$TMP/let_in"
	done
}

job_debug()
{
	[ -n "$DDEBUG" ] || return
	while again debug; do
		echo "module * +p" > $DDEBUG
		sleep 0.02
		echo "module * -p" > $DDEBUG
		sleep 0.5
	done
}

# Others that queue instructions, and that patch the same function: all functions, which are
# more than the queue has room for. Where that makes all other jobs too slow, as on a debug
# kernel, many that are seldom called.
job_function()
{
	grep -qw function "$TRACING/available_tracers" || return
	instance="$TRACING/instances/stress_function_$$"
	[ "$TOOK" -lt 4 ] || for name in '*_show' '*_store' 'acpi_*' 'pci_*' 'tcp_*' 'bpf_*'; do
		echo "$name" >> "$instance/set_ftrace_filter"
	done
	while again function; do
		echo function > "$instance/current_tracer"
		sleep 0.02
		echo nop > "$instance/current_tracer"
	done
}

job_kprobe()
{
	[ -e "$TRACING/kprobe_events" ] || return
	while again kprobe; do
		# At the entry, where ftrace is, and behind it, where a jump takes its place.
		echo "p:stress_$$/entry vfs_read" >> "$TRACING/kprobe_events" &&
			echo "p:stress_$$/inside vfs_read+5" >> "$TRACING/kprobe_events"
		echo 1 > "$TRACING/events/stress_$$/enable"
		sleep 0.02
		echo 0 > "$TRACING/events/stress_$$/enable"
		for event in entry inside; do
			[ ! -d "$TRACING/events/stress_$$/$event" ] ||
				echo "-:stress_$$/$event" >> "$TRACING/kprobe_events"
		done
	done
}

# A probe that no event has, at tracepoints that others switch.
job_bpf()
{
	[ -e /proc/sys/kernel/unprivileged_bpf_disabled ] || return
	while again bpf; do
		"$DIR"/bpf_tracepoint 10 sched_switch sched_wakeup sys_enter kmalloc ||
			echo >> "$TMP/bpf_wrong"
	done
}

# NMIs run through the site of an event that others switch. Its tasks leave a CPU little.
job_nmi()
{
	present ring_buffer_nesting || return
	while again nmi; do
		modprobe ring_buffer_nesting
		echo 1 > /sys/kernel/debug/ring_buffer_nesting/run
		sleep 0.1
		modprobe -r ring_buffer_nesting
		sleep 0.5
	done
}

# The last CPU is not there for some of the writes, or comes back amid one.
job_hotplug()
{
	[ -n "$LAST_CPU" ] || return
	while again hotplug; do
		echo 0 > "$LAST_CPU"
		echo 1 > "$LAST_CPU"
		sleep 0.5
	done
}

# The file that takes the last CPU offline and brings it back, or nothing.
find_last_cpu()
{
	LAST_CPU=
	for online in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ ! -w "$online" ] || LAST_CPU="$online"
	done
}

# What is enabled in an instance of its own concerns nobody else.
job_check()
{
	while again check; do
		echo 1 > "$INSTANCE/events/sched/sched_switch/enable"
		echo > "$INSTANCE/trace"
		sleep 0.05
		grep -q ": sched_switch:" "$INSTANCE/trace" || echo on >> "$TMP/lost"
		echo 0 > "$INSTANCE/events/sched/sched_switch/enable"
		echo > "$INSTANCE/trace"
		sleep 0.05
		grep -q ": sched_switch:" "$INSTANCE/trace" && echo off >> "$TMP/lost"
	done
}

# System calls and switches, to keep the sites warm.
hot()
{
	while goes_on; do
		dd if=/dev/zero of=/dev/null bs=16 count=500
		sleep 0.05
	done
}

start()
{
	# Probes are called, but that they write takes most of the time.
	echo 0 > "$TRACING/tracing_on"
	begin=$(date +%s)
	mkdir "$TRACING/instances/stress_$$" "$TRACING/instances/stress_function_$$"
	TOOK=$(($(date +%s) - begin))
	echo 0 > "$TRACING/instances/stress_$$/tracing_on"
	for kind in $KINDS; do
		: > "$TMP/$kind"
		"job_$kind" > /dev/null 2>&1 &
		JOBS="$JOBS $!"
	done
	for i in 1 2; do
		hot > /dev/null 2>&1 &
		JOBS="$JOBS $!"
	done
}

# They end by themselves, when they are through with a round.
stop()
{
	touch "$TMP/stop"
	for job in $JOBS; do
		wait "$job"
	done
	JOBS=
}

clean_up()
{
	stop
	all_off
	echo "$TRACING_ON" > "$TRACING/tracing_on"
	for dir in "$TRACING/instances/stress_$$" "$TRACING/instances/stress_function_$$" \
		   "$INSTANCE"; do
		[ ! -d "$dir" ] || rmdir "$dir"
	done
	for module in test_static_keys test_static_key_base trace_events_sample \
		      test_rust_tracepoint test_marker ring_buffer_nesting; do
		unload $module
	done
	put_back
}

run()
{
	start
	begin=$(date +%s)
	while [ $(($(date +%s) - begin)) -lt "$SECONDS_TO_GO" ]; do
		sleep 2
		clean_log || break
	done
	stop
	for kind in $KINDS; do
		# The last of them was not made.
		rounds=$(($(wc -l < "$TMP/$kind") - 1))
		ktap_print_msg "$kind: $rounds rounds"
	done
	clean_log
}

# Each job that can be done was; the others have not even begun.
all_done()
{
	for kind in $KINDS; do
		[ "$(wc -l < "$TMP/$kind")" -ne 1 ] || complain "no round of $kind" || return
	done
	[ -s "$TMP/check" ]
}

nothing_lost()
{
	[ ! -e "$TMP/keys_wrong" ] || complain "test_static_keys did not load" || return
	[ ! -e "$TMP/let_in" ] || complain "test_marker_probe was not refused" || return
	[ ! -e "$TMP/bpf_wrong" ] || complain "a BPF program could not be attached" || return
	[ ! -e "$TMP/lost" ] || complain "lost: $(wc -l < "$TMP/lost") times"
}

is_off()
{
	all_off || return
	for file in "$TRACING/events/enable" "$INSTANCE/events/enable"; do
		read -r state < "$file"
		[ "$state" = 0 ] || complain "$file: $state" || return
	done
	[ -z "$DDEBUG" ] || lacks -q '=p' $DDEBUG || complain "messages are left on" || return
	echo > "$TRACING/trace"
	echo 1 > "$TRACING/tracing_on"
	sleep 0.2
	lacks -v '^#' "$TRACING/trace" > "$TMP/left" || complain "$(head -n 5 "$TMP/left")"
}

ktap_print_header
set_up clean_up
find_last_cpu
INSTANCE="$TRACING/instances/stress_check_$$"
read -r TRACING_ON < "$TRACING/tracing_on"
mkdir "$INSTANCE" || skip_all "no instances"
all_off
ktap_set_plan 5

ktap_test_result "$SECONDS_TO_GO s of stress" run
ktap_test_result "every job had its turn" all_done
ktap_test_result "nothing is lost meanwhile" nothing_lost
ktap_test_result "everything is off in the end" is_off
if [ -r $CONSISTENT ]; then
	ktap_test_result "all sites are as their keys" consistent
else
	ktap_test_skip "all sites are as their keys (no $CONSISTENT)"
fi
clean_up
ktap_finished
