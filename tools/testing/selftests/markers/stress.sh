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
. "$DIR"/../kselftest/stress_helpers.sh

SECONDS_TO_GO="${1:-20}"
FIRE=/sys/kernel/debug/test_marker/fire
KINDS="fire fire connect remove probe clash both perf read"

# The module may be gone, or going.
job_fire()
{
	while goes_on; do
		echo 50 > $FIRE && done_once fire
	done 2> /dev/null
}

job_connect()
{
	while goes_on; do
		for name in ten string inlined unrolled irq nmi address narrow; do
			echo "test_marker:test_marker_$name" >> marker_events
			echo "m:stress/$name test_marker:test_marker_$name" >> marker_events
		done
		echo 1 > events/markers/enable && echo 1 > events/stress/enable &&
			done_once connect
		sleep 0.1
		echo 0 > events/markers/enable
		echo 0 > events/stress/enable
	done 2> /dev/null
}

job_remove()
{
	while goes_on; do
		for name in ten string inlined unrolled; do
			for line in "!test_marker:test_marker_$name" \
				    "-:markers/test_marker_$name" "-:stress/$name"; do
				echo "$line" >> marker_events && done_once remove
			done
			sleep 0.01
		done
	done 2> /dev/null
}

# Its probes are on a marker that the events have, too. Every second time, it leaves them.
job_probe()
{
	leave=0
	while goes_on; do
		leave=$((1 - leave))
		modprobe test_marker_probe leave=$leave && sleep 0.05 && done_once probe
		grep -qvx 0 /sys/module/test_marker_probe/parameters/wrong && echo >> "$TMP/wrong"
		modprobe -r test_marker_probe
	done 2> /dev/null
}

# Whichever comes first has the marker.
job_clash()
{
	while goes_on; do
		modprobe test_marker_clash && modprobe -r test_marker_clash && done_once clash
		modprobe test_marker
		sleep 0.1
	done 2> /dev/null
}

job_both()
{
	while goes_on; do
		modprobe -r test_marker
		modprobe test_marker
		modprobe test_marker_fallback && done_once both
		echo "m:stress/either test_marker_inlined|test_marker_fallback" >> marker_events
		sleep 0.2
		modprobe -r test_marker_fallback
	done 2> /dev/null
}

job_perf()
{
	perf_records -e 'markers:*'
}

job_read()
{
	while goes_on; do
		cat available_markers marker_* dynamic_events trace > /dev/null &&
			done_once read
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
	for module in test_marker_probe test_marker_clash test_marker_fallback \
		      test_marker; do
		[ ! -d /sys/module/$module ] || unload $module
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

begin test_marker
[ -e marker_events ] || skip_all "there are no markers"
stress "$SECONDS_TO_GO" test_marker
