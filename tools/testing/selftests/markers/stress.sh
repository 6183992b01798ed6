#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# For 20 seconds, or as many as the argument says, markers are hit on all CPUs while
# events and probes are connected and removed, and modules with markers and modules with
# probes are loaded and unloaded.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh

SECONDS_TO_GO="${1:-20}"
FIRE=/sys/kernel/debug/test_marker/fire
KINDS="fire fire connect remove probe clash both perf read"

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

# The module may be gone, or going.
job_fire()
{
	while again fire; do
		echo 50 > $FIRE
	done 2> /dev/null
}

job_connect()
{
	while again connect; do
		for name in ten string inlined unrolled irq nmi address narrow; do
			echo "test_marker:test_marker_$name" >> marker_events
			echo "m:stress/$name test_marker:test_marker_$name" >> marker_events
		done
		echo 1 > events/markers/enable
		echo 1 > events/stress/enable
		sleep 0.1
		echo 0 > events/markers/enable
		echo 0 > events/stress/enable
	done 2> /dev/null
}

job_remove()
{
	while again remove; do
		for name in ten string inlined unrolled; do
			echo "!test_marker:test_marker_$name" >> marker_events
			echo "-:markers/test_marker_$name" >> marker_events
			echo "-:stress/$name" >> marker_events
			sleep 0.01
		done
	done 2> /dev/null
}

# Its probes are on a marker that the events have, too.
job_probe()
{
	while again probe; do
		modprobe test_marker_probe && sleep 0.05
		grep -qvx 0 /sys/module/test_marker_probe/parameters/wrong && echo >> "$TMP/wrong"
		modprobe -r test_marker_probe
	done 2> /dev/null
}

# One of them is refused.
job_clash()
{
	while again clash; do
		modprobe test_marker_clash
		modprobe -r test_marker_clash
		modprobe test_marker
		sleep 0.1
	done 2> /dev/null
}

job_both()
{
	while again both; do
		modprobe -r test_marker
		modprobe test_marker
		modprobe test_marker_fallback
		echo "m:stress/either test_marker_inlined|test_marker_fallback" >> marker_events
		sleep 0.2
		modprobe -r test_marker_fallback
	done 2> /dev/null
}

job_perf()
{
	command -v perf > /dev/null || return
	while again perf; do
		perf record -q -a -e 'markers:*' -o "$TMP/perf.data" sleep 0.1
	done > /dev/null 2>&1
}

job_read()
{
	while again read; do
		cat available_markers marker_events dynamic_events trace > /dev/null
		[ ! -e /sys/kernel/debug/static_keys/check ] ||
			tail -n 1 /sys/kernel/debug/static_keys/check |
			grep -q ' 0 mismatches' || echo >> "$TMP/mismatch"
	done 2> /dev/null
}

clean_up()
{
	echo > "$TMP/stop"
	wait
	echo 0 > events/enable
	echo > marker_events
	for module in test_marker_probe test_marker_clash test_marker_fallback test_marker; do
		[ ! -d /sys/module/$module ] || unload $module
	done
}

# All that ran did something.
rounds()
{
	for kind in $(echo "$KINDS" | tr ' ' '\n' | sort -u); do
		[ "$kind" = perf ] && ! command -v perf > /dev/null && continue
		[ "$(wc -l < "$TMP/$kind")" -gt 1 ] || complain "$kind: too few rounds"  || return
		echo "# $kind: $(wc -l < "$TMP/$kind") rounds"
	done
}

# What is left can be used as before.
works()
{
	modprobe test_marker && echo test_marker_ten > marker_events &&
		echo 1 > events/markers/enable && echo > trace && echo 10 > $FIRE &&
		[ "$(grep -c ': test_marker_ten: 1 2 3' trace)" -eq 10 ]
	status=$?
	echo 0 > events/markers/enable
	echo > marker_events
	return $status
}

nothing_wrong()
{
	! [ -e "$TMP/wrong" ] || complain "probes got something else" || return
	! [ -e "$TMP/mismatch" ] || complain "a site has another state than its key"
}

all()
{
	check "all have run" rounds
	check "no wrong call, no wrong site" nothing_wrong
	check "it works as before" works
	check "no complaint in the log" clean_log
}

ktap_print_header
[ "$(id -u)" -eq 0 ] || skip_all "must be run as root"
present test_marker || skip_all "there is no module test_marker"
find_mount debugfs /sys/kernel/debug || skip_all "there is no debugfs"
find_tracing || skip_all "there is no tracefs"
cd "$TRACING" || exit "$KSFT_FAIL"
[ -e marker_events ] || skip_all "there are no markers"
TMP="$(mktemp -d)" || exit "$KSFT_FAIL"
RUNNING=
all
ktap_set_plan "$KSFT_NUM_TESTS"
RUNNING=y
mark_log
modprobe -q test_marker
trap 'clean_up; exit "$KSFT_FAIL"' INT TERM
for kind in $KINDS; do
	job_"$kind" &
done
sleep "$SECONDS_TO_GO"
clean_up
all
[ "$(pwd)" = / ] || cd /
rm -rf "$TMP"
unmount
ktap_finished
