#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What perf, trace-cmd, BPF programs and tprobes see of events in Rust.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/events.sh

perf_report()
{
	command -v perf >/dev/null || {
		skip "no perf"
		return
	}
	perf record -q -e "$SYSTEM:$EVENT" -o "$TMP/perf" sh -c "echo $ROUNDS > $FIRE" \
		> "$TMP/error" 2>&1 &&
		perf script -i "$TMP/perf" -F event,trace > "$TMP/script" 2>> "$TMP/error" || {
		cat "$TMP/error"
		return 1
	}
	# perf shows the fields if it cannot make sense of the format.
	sed -e "s/^ *$SYSTEM:$EVENT:/EVENT:/" -e 's/task=0x[0-9a-f]*/task=/' "$TMP/script"
}

trace_cmd_report()
{
	command -v trace-cmd >/dev/null || {
		skip "no trace-cmd"
		return
	}
	# With the command, it ends its readers, one for each CPU; those that have not
	# started yet write nothing.
	trace-cmd record -B "rust_tracepoint_cmd_$$" -e "$SYSTEM:$EVENT" -o "$TMP/dat" \
		sh -c "echo $ROUNDS > $FIRE; sleep 0.5" > "$TMP/error" 2>&1 &&
		trace-cmd report -i "$TMP/dat" $1 > "$TMP/report" 2>> "$TMP/error" || {
		cat "$TMP/error"
		return 1
	}
	# The column is as wide as the longest name needs.
	sed -n -e 's/task=0x[0-9a-f]*/task=/' -e "s/^.*: $EVENT: */EVENT:/p" "$TMP/report"
}

# One call for both, so that the task is the same.
perf_samples()
{
	have_program "$DIR/perf_raw" || return
	need /proc/sys/kernel/perf_event_paranoid "no CONFIG_PERF_EVENTS" || return
	EVENT="$C_TWIN"
	fresh || return
	id="$(cat "$D/id")"
	EVENT="$RUST_TWIN"
	find_event || return
	"$DIR/perf_raw" $FIRE $ROUNDS "$id" "$(cat "$D/id")" > "$TMP/samples" ||
		complain "$(cat "$TMP/samples")" || return
	number=0
	for EVENT in "$C_TWIN" "$RUST_TWIN"; do
		number=$((number + 1))
		find_event
		sed -n "s/^$number //p" "$TMP/samples" | masked fields > "$TMP/$number"
		[ "$(lines "$TMP/$number")" -eq $ROUNDS ] ||
			complain "$(lines "$TMP/$number") samples of $EVENT" || return
	done
	same "$TMP/1" "$TMP/2"
}

references()
{
	cat /sys/module/$MODULE/refcnt
}

# "held WORD...": as long as this command waits for a fifo, unloading fails.
held()
{
	mkfifo "$TMP/fifo" || return
	before="$(references)"
	"$@" > /dev/null &
	BACKGROUND=$!
	status=0
	for try in 1 2 3 4 5 6 7 8 9 10; do
		if [ "$(references)" -gt "$before" ]; then
			unload $MODULE 2>/dev/null
			status=$?
			cat "$TMP/fifo" > /dev/null
			break
		fi
		sleep 0.5
	done
	kill $BACKGROUND 2>/dev/null
	wait $BACKGROUND
	BACKGROUND=
	rm "$TMP/fifo"
	[ $status -ne 0 ] && [ "$(references)" -eq "$before" ]
}

held_by_perf()
{
	must_be_loadable && have_program "$DIR/perf_raw" || return
	need /proc/sys/kernel/perf_event_paranoid "no CONFIG_PERF_EVENTS" || return
	EVENT="$RUST_TWIN"
	fresh && held "$DIR/perf_raw" "$TMP/fifo" 1 "$(cat "$D/id")"
}

held_by_bpf()
{
	must_be_loadable && have_program "$DIR/raw_tp" || return
	need /proc/sys/kernel/unprivileged_bpf_disabled "no CONFIG_BPF_SYSCALL" || return
	EVENT="$RUST_TWIN"
	fresh && held "$DIR/raw_tp" "$RUST_TWIN" v "$TMP/fifo" 1
}

# A tprobe sees the struct, with the BTF of the module its fields. It can be defined before the
# module is there, then without fields.
tprobe()
{
	dynamic="$TRACING/dynamic_events"
	grep -qs 't\[:' "$TRACING/README" || { skip "no probes on tracepoints"; return; }
	must_be_loadable || return
	for when in after before; do
		probe="t:test_tprobe/rust $RUST_CONDITION"
		wanted="rust: rust: "
		if [ $when = before ]; then
			unload $MODULE || return
		elif [ -e /sys/kernel/btf/$MODULE ]; then
			probe="$probe value=args->value"
			wanted="rust: value=1 rust: value=2 "
		fi
		echo "$probe" >> "$dynamic" || return
		[ $when = after ] || modprobe -q $MODULE || return
		echo > "$TRACING/trace"
		echo 1 > "$TRACING/events/test_tprobe/enable"
		echo 3 > "$FIRE"
		echo 0 > "$TRACING/events/test_tprobe/enable"
		seen="$(sed -n 's/.*: rust: ([^)]*) */rust: /p' "$TRACING/trace" | tr '\n' ' ')"
		echo '-:test_tprobe/rust' >> "$dynamic" || return
		[ "$(echo $seen)" = "$(echo $wanted)" ] ||
			complain "tprobe $when the module: '$seen'" || return
	done
}

tool_tests()
{
	check "perf events: same raw samples" perf_samples
	check "perf events: the module is held" held_by_perf
	check "BPF: the module is held" held_by_bpf
	check "perf: same report" alike $ROUNDS perf_report
	check "perf: same report of the class" \
		pair test_c_second "$RUST_SECOND" $((ROUNDS / 2)) perf_report
	check "trace-cmd: same report" alike $ROUNDS trace_cmd_report
	check "trace-cmd: same raw report" alike $ROUNDS trace_cmd_report -R
}

tests()
{
	tool_tests
	check "a tprobe on an event in Rust" tprobe
}

run_tests
