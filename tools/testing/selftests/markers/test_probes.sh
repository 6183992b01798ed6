#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Probes of a module that come before and after the markers, and that it leaves behind.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "probes for markers that are there" probes_later
	check "probes before the module with markers" probes_before
	check "probes and an event on one marker" probes_and_event
	check "probes that a module leaves behind" probes_left
	check "probes of a module that fails to load" probes_failed
	check "probes left before the module with markers" probes_left_early
	check "the samples" samples
	check "no complaint in the log" clean_log
}

probe_counts()
{
	for name in typed plain wrong; do
		cat /sys/module/test_marker_probe/parameters/$name
	done | tr '\n' ' '
}

probes_later()
{
	modprobe test_marker_probe && echo 3 > $FIRE
	counts="$(probe_counts)"
	unload test_marker_probe
	echo 1 > $FIRE
	[ "$counts" = "3 3 0 " ] && grep -q '^off test_marker_narrow ' available_markers ||
		complain "$counts"
}

probes_before()
{
	unload $MODULE
	echo "probes $$" > /dev/kmsg
	modprobe test_marker_probe && modprobe $MODULE && echo 2 > $FIRE
	counts="$(probe_counts)"
	unload $MODULE
	modprobe $MODULE && echo 2 > $FIRE
	again="$(probe_counts)"
	unload test_marker_probe
	[ "$counts" = "2 2 0 " ] && [ "$again" = "4 4 0 " ] || complain "$counts $again" || return
	# Of the probe that wants another format.
	said_since "probes $$" |
		grep -q 'test_marker_narrow: format is .*, not "hhd=%d" as of a probe' ||
		complain "nothing was said"
}

probes_and_event()
{
	accepted test_marker_narrow && modprobe test_marker_probe && fire 4
	counts="$(probe_counts)"
	found="$(records test_marker_narrow | wc -l)"
	undefine
	echo 1 > $FIRE
	after="$(probe_counts)"
	unload test_marker_probe
	[ "$counts" = "4 4 0 " ] && [ "$found" -eq 4 ] && [ "$after" = "5 5 0 " ] ||
		complain "$counts $found $after"
}

# "dropped TEXT MARKER...": what was said since TEXT is that each MARKER had such a probe.
dropped()
{
	said_since "$1" > "$TMP/log"
	shift
	for marker in "$@"; do
		line="marker: module test_marker_probe goes with a probe for $marker still"
		grep -q "$line registered" "$TMP/log" || complain "nothing was said of $marker" ||
			return
	done
	lacks '^on test_marker_\(narrow\|long_long\) ' available_markers ||
		complain "a marker is on"
}

# Nothing of the module is called when it is gone, an event of the marker stays, and the
# module can be loaded again.
probes_left()
{
	accepted +test_marker_narrow && echo "left $$" > /dev/kmsg &&
		modprobe test_marker_probe leave=1 && echo 2 > $FIRE || return
	counts="$(probe_counts)"
	unload test_marker_probe
	[ ! -d /sys/module/test_marker_probe ] || complain "it is still there" || return
	grep -q '^on test_marker_narrow ' available_markers &&
		grep -q '^off test_marker_long_long ' available_markers ||
		complain "$(grep '_narrow\|_long_long' available_markers)" || return
	echo > trace
	echo 3 > $FIRE
	[ "$(records test_marker_narrow | wc -l)" -eq 3 ] || complain "$(cat trace)" || return
	undefine
	dropped "left $$" test_marker_narrow test_marker_long_long || return
	modprobe test_marker_probe && echo 2 > $FIRE
	again="$(probe_counts)"
	unload test_marker_probe
	[ "$counts" = "2 2 0 " ] && [ "$again" = "2 2 0 " ] || complain "$counts $again"
}

probes_failed()
{
	echo "failed $$" > /dev/kmsg
	! modprobe test_marker_probe leave=1 fail=1 2> /dev/null || {
		unload test_marker_probe
		complain "it was loaded"
		return
	}
	echo 3 > $FIRE
	dropped "failed $$" test_marker_narrow test_marker_long_long
}

# With the probe that wants another format.
probes_left_early()
{
	unload $MODULE
	echo "early $$" > /dev/kmsg
	modprobe test_marker_probe leave=1
	unload test_marker_probe
	modprobe $MODULE && echo 3 > $FIRE
	dropped "early $$" test_marker_narrow test_marker_long_long || return
	[ "$(grep -c "test_marker_narrow still" "$TMP/log")" -eq 2 ] || complain "$(cat "$TMP/log")"
}

# The two modules that came with the markers of 2006, in today's form.
samples()
{
	present marker_example && present marker_probe_example ||
		{ skip "there are no samples"; return; }
	echo "samples $$" > /dev/kmsg
	modprobe marker_probe_example && modprobe marker_example && accepted "subsys_mark3" ||
		return
	echo > trace
	echo 1 > events/markers/enable
	! cat /proc/marker_example 2> /dev/null || complain "it can be opened"
	echo 0 > events/markers/enable
	found="$(records subsys_mark3)"
	unload marker_example
	unload marker_probe_example
	said_since "samples $$" > "$TMP/log"
	grep -q "value is 1" "$TMP/log" && grep -q "subsys_mark2: number 2 text blah2" "$TMP/log" ||
		complain "nothing was said" || return
	[ "$found" = "number 7 text blah3" ] || complain "$found"
}

run_tests
