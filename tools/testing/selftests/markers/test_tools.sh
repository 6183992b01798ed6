#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What reads or controls events does so with those of markers: filters, triggers, instances,
# BPF programs, trace-cmd and perf.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "filters" filter
	check "triggers and histograms" histogram
	check "the place of a marker" place
	check "instances" instance
	check "set_event" with_set_event
	check "stack traces" stack_trace
	check "no bytes that are no field" padding
	check "BPF" bpf
	check "trace-cmd" trace_cmd
	check "perf" perf_record
	check "no complaint in the log" clean_log
}

filter()
{
	accepted test_marker_unrolled || return
	echo "i == 3 && nr > 0" > events/markers/test_marker_unrolled/filter
	fire 3
	[ "$(records test_marker_unrolled | tr '\n' ';')" = "nr 1 i 3;nr 2 i 3;" ] ||
		complain "$(records test_marker_unrolled)"
}

histogram()
{
	[ -e events/sched/sched_switch/hist ] || { skip "no histograms"; return; }
	accepted test_marker_inlined || return
	hist=events/markers/test_marker_inlined
	echo "hist:keys=file:vals=nr" > $hist/trigger && fire 4
	found="$(sed -n -e 's/  */ /g' -e 's/^{ file: //p' $hist/hist | sort | tr '\n' ';')"
	echo "!hist:keys=file:vals=nr" > $hist/trigger
	[ "$found" = "1 } hitcount: 4 nr: 6;2 } hitcount: 4 nr: 6;3 } hitcount: 4 nr: 6;" ] ||
		complain "$found"
}

# Of which copy a hit is.
place()
{
	[ -e events/sched/sched_switch/hist ] || { skip "no histograms"; return; }
	accepted test_marker_inlined || return
	hist=events/markers/test_marker_inlined
	echo "hist:keys=__ip.sym" > $hist/trigger && fire 2
	found="$(grep -o 'test_marker_[a-z]*_file\|fire_once[^ ]*\|fire_write' $hist/hist |
		 sort -u | wc -l)"
	echo "!hist:keys=__ip.sym" > $hist/trigger
	[ "$found" -eq 3 ] || complain "$found"
}

instance()
{
	mkdir $INSTANCE && accepted test_marker_ten || return
	echo 1 > $INSTANCE/events/markers/test_marker_ten/enable
	echo > trace
	echo 2 > $FIRE
	found="$(grep -c ': test_marker_ten: 1 2 3' $INSTANCE/trace) $(records test_marker_ten)"
	echo 0 > $INSTANCE/events/enable
	rmdir $INSTANCE
	[ "$found" = "2 " ] || complain "$found"
}

with_set_event()
{
	accepted test_marker_ten && echo markers:test_marker_ten > set_event &&
		grep -qx markers:test_marker_ten set_event || return
	echo > trace
	echo 1 > $FIRE
	echo > set_event
	[ "$(records test_marker_ten | wc -l)" -eq 1 ]
}

# They begin in the function that has the marker.
stack_trace()
{
	accepted test_marker_int && accepted test_marker_ten || return
	echo 1 > options/stacktrace
	fire 2
	echo 0 > options/stacktrace
	sed -n -e '/<stack trace>/{n;s/^ *=> *//;s/ .*//;h;n;s/^ *=> *//;s/ .*//;H;g;s/\n/ /g;p}' \
		trace | uniq -c > "$TMP/stacks"
	grep -q '^ *4 fire_numbers fire_\(once\|write\)$' "$TMP/stacks" || {
		sed -e 's/^/# /' "$TMP/stacks"
		return 1
	}
}

# Behind a char that was passed as an int, what is left of the int.
padding()
{
	have_program "$DIR"/../rust_tracepoint/perf_raw || return
	accepted "test_marker_narrow(a, NULL, NULL, NULL, e)" || return
	"$DIR"/../rust_tracepoint/perf_raw $FIRE 2 \
		"$(cat events/markers/test_marker_narrow/id)" > "$TMP/raw"
	[ "$(grep -c '^1 .\{32\}fd00\(dcfe\|fedc\)' "$TMP/raw")" -eq 2 ] || {
		sed -e 's/^/# /' "$TMP/raw"
		return 1
	}
}

# Prints how often the program ran, and the last value of the field at an offset.
bpf()
{
	have_program "$DIR"/../function_events/bpf_field || return
	accepted test_marker_long_long || return
	offset="$(sed -n 's/.* llx;\toffset:\([0-9]*\);.*/\1/p' \
		events/markers/test_marker_long_long/format)"
	found="$("$DIR"/../function_events/bpf_field \
		"$(cat events/markers/test_marker_long_long/id)" "$offset" $FIRE 3)"
	case $found in
	*": error 38") skip "no BPF"; return ;;
	esac
	[ "$found" = "3 81985529216486895" ] || complain "$found"
}

# What vsprintf() can print and tools cannot is left out: errors, flags. They show numbers
# for characters, and know no plus sign.
trace_cmd()
{
	command -v trace-cmd > /dev/null || { skip "no trace-cmd"; return; }
	events="int narrow long long_long width string limited bad_string quotes address"
	for event in $events; do
		accepted "test_marker_$event" || return
	done
	fire 1
	for event in $events; do
		records test_marker_"$event" | sed -e "s/c='m'/c='109'/" -e 's/+42/42/'
	done > "$TMP/ours"
	trace-cmd record -q -e markers -o "$TMP/trace.dat" \
		sh -c "echo 1 > $FIRE; sleep 0.5" > "$TMP/said" 2>&1
	trace-cmd report -i "$TMP/trace.dat" > "$TMP/report" 2>> "$TMP/said"
	for event in $events; do
		sed -n -e "s/.*: test_marker_$event: *//p" "$TMP/report"
	done > "$TMP/theirs"
	cmp "$TMP/ours" "$TMP/theirs" || {
		sed -e 's/^/# ours: /' "$TMP/ours"
		sed -e 's/^/# theirs: /' "$TMP/theirs"
		return 1
	}
}

perf_record()
{
	command -v perf > /dev/null || { skip "no perf"; return; }
	accepted test_marker_string || return
	perf record -q -e markers:test_marker_string -o "$TMP/perf.data" \
		sh -c "echo 5 > $FIRE" > "$TMP/said" 2>&1
	perf script -i "$TMP/perf.data" > "$TMP/script" 2>> "$TMP/said"
	[ "$(grep -c "test_marker_string: name first text 'it' padded" "$TMP/script")" -eq 5 ] || {
		sed -e 's/^/# /' "$TMP/said" "$TMP/script"
		return 1
	}
}

run_tests
