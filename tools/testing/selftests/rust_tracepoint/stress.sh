#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Load and unload the module test_rust_tracepoint again and again, 100 times or as
# often as the argument says, while its events are switched on and off, called and
# read. Nothing may be left of it: no complaint of the kernel, no memory.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/lib.sh

ROUNDS="${1:-100}"
# Rounds before memory is looked at for the first time.
WARM_UP=10

live()
{
	read -r state < /sys/module/$MODULE/initstate && [ "$state" = live ]
}

# The module goes while these run: most of what they do may fail. The check of
# itself that it makes on load wants its events left alone, hence "live". The
# short sleeps leave time for loading: without them it takes ten times as long.
switch()
{
	while :; do
		live && echo 1 > "$1/events/$SYSTEM/enable" && echo >> "$TMP/switches"
		sleep 0.02
		live && echo 0 > "$1/events/$SYSTEM/enable"
		live && echo "$SYSTEM:*" > "$1/set_event"
		live && echo "!$SYSTEM:*" >> "$1/set_event"
		sleep 0.01
	done
}

call()
{
	while :; do
		live && echo 100 > $FIRE && echo >> "$TMP/calls"
		sleep 0.01
	done
}

read_all()
{
	while :; do
		cat "$1/events/$SYSTEM"/*/format
		grep -q ": test_" "$1/trace" && echo >> "$TMP/traces"
		for event in "$1/events/$SYSTEM"/*/; do
			echo "common_pid != 0" > "$event/filter"
			echo 0 > "$event/filter"
		done
		sleep 0.02
	done
}

start()
{
	INSTANCE="$TRACING/instances/rust_tracepoint_$$"
	mkdir "$INSTANCE" || return
	switch "$INSTANCE" >/dev/null 2>&1 &
	JOBS="$JOBS $!"
	call >/dev/null 2>&1 &
	JOBS="$JOBS $!"
	read_all "$INSTANCE" >/dev/null 2>&1 &
	JOBS="$JOBS $!"
}

stop()
{
	for job in $JOBS; do
		kill "$job" 2>/dev/null
		wait "$job" 2>/dev/null
	done
	JOBS=
	[ -n "$INSTANCE" ] || return 0
	# What the jobs have started may still have files of it open.
	for try in 1 2 3 4 5 6 7 8 9 10; do
		[ -d "$INSTANCE" ] || return 0
		rmdir "$INSTANCE" 2>/dev/null || sleep 0.5
	done
	ktap_print_msg "the instance cannot be removed"
	return 1
}

clean_up()
{
	stop
	put_back
}

# Until the others have switched an event and called it since the module was loaded.
wait_for_others()
{
	for try in $(seq 500); do
		[ "$(wc -l < "$TMP/switches")" -gt "$1" ] &&
			[ "$(wc -l < "$TMP/calls")" -gt "$2" ] && return
		sleep 0.02
	done
	ktap_print_msg "nobody switches and calls the events"
	return 1
}

# The load fails if an event is on already, or called by others.
load()
{
	for try in 1 2 3 4 5 6 7 8 9 10; do
		modprobe -q $MODULE 2>/dev/null && return
		LOST=$((LOST + 1))
	done
	return 1
}

round()
{
	load || {
		ktap_print_msg "round $1: the module does not load"
		return 1
	}
	# Now and then the module stays long enough for all of them.
	if [ $(($1 % 4)) -eq 0 ]; then
		wait_for_others "$(wc -l < "$TMP/switches")" "$(wc -l < "$TMP/calls")" || return
		TOUCHED=$((TOUCHED + 1))
	fi
	for try in 1 2 3 4 5 6 7 8 9 10; do
		unload $MODULE 2>/dev/null && return
		sleep 0.1
	done
	ktap_print_msg "round $1: the module cannot be unloaded"
	return 1
}

rounds()
{
	for file in switches calls traces; do
		: > "$TMP/$file"
	done
	start || return
	TOUCHED=0
	done=0
	while [ $done -lt "$1" ] && round $done; do
		done=$((done + 1))
		[ $((done % 25)) -ne 0 ] || clean_log || break
	done
	stop || done=-1
	ktap_print_msg "switched $(wc -l < "$TMP/switches") times, called" \
		"$(wc -l < "$TMP/calls") times, seen $(wc -l < "$TMP/traces") times"
	clean_log && [ $done -eq "$1" ]
}

# The rounds would prove little if nobody had touched the events. How often the
# others get their turn in the rounds that do not wait is up to the scheduler.
touched()
{
	[ $TOUCHED -ge $((ROUNDS / 4)) ] && [ "$(wc -l < "$TMP/switches")" -ge $TOUCHED ] &&
		[ "$(wc -l < "$TMP/calls")" -ge $TOUCHED ]
}

# Each cache with its active objects and those of a slab, when nothing is on its
# way back any more: kfree_rcu() takes five seconds, and more when the guest gets
# little of the machine, so as long as fewer are active each time.
caches()
{
	least=
	while :; do
		sleep 6
		for shrink in /sys/kernel/slab/*/shrink; do
			[ -e "$shrink" ] && echo 1 > "$shrink"
		done
		awk '/^(ftrace_event_field|trace_event_file|kmalloc-)/ { print $1, $2, $5 }' \
			/proc/slabinfo > "$TMP/slabs"
		active="$(awk '{ sum += $2 } END { print sum }' "$TMP/slabs")"
		[ -z "$least" ] || [ "$active" -lt "$least" ] || break
		least="$active"
	done
	cat "$TMP/slabs"
}

# What is lost in each round counts as often as there were rounds. The objects of
# one slab for each CPU may count as active though they are not.
grown()
{
	cpus="$(ls -d /sys/devices/system/cpu/cpu[0-9]* | wc -l)"
	awk -v rounds="$ROUNDS" -v cpus="$cpus" '
	NR == FNR { before[$1] = $2; next }
	{
		# A loss of an object in each round would not be noticed.
		if ($3 * cpus >= rounds)
			deaf++
		more = $2 - before[$1]
		sum += more
		if (more > rounds / 2 && more > $3 * cpus) {
			print "# " $1 ": " more " objects more"
			leak = 1
		}
	}
	END {
		print "# " sum " objects more in " FNR " caches"
		if (deaf)
			print "# not sensitive to " deaf " caches: more rounds would be"
		exit leak
	}' "$TMP/before" "$TMP/after"
}

# On a busy machine, objects may come back after others have been taken.
bounded()
{
	for try in 1 2 3 4 5; do
		caches > "$TMP/after"
		grown > "$TMP/grown" || continue
		cat "$TMP/grown"
		return
	done
	cat "$TMP/grown"
	return 1
}

gone()
{
	! [ -d /sys/module/$MODULE ] && lacks "^$SYSTEM:" "$TRACING/available_events"
}

ktap_print_header
set_up clean_up
loadable $MODULE || skip_all "module $MODULE is built in"
unload $MODULE || skip_all "module $MODULE is in use"
mark_log
ktap_set_plan 6

LOST=0
ktap_test_result "warm up" rounds $WARM_UP
[ ! -e $LEAKS ] || echo clear > $LEAKS
[ ! -r /proc/slabinfo ] || caches > "$TMP/before"

begin=$(date +%s)
ktap_test_result "load and unload $ROUNDS times" rounds "$ROUNDS"
ktap_print_msg "$(($(date +%s) - begin)) s; the check on load was disturbed $LOST times"

ktap_test_result "the events were switched and called meanwhile" touched
ktap_test_result "nothing is left of the module" gone
if [ -r /proc/slabinfo ]; then
	ktap_test_result "the caches do not grow" bounded
else
	ktap_test_skip "the caches do not grow (no /proc/slabinfo)"
fi
if [ -e $LEAKS ]; then
	ktap_test_result "no leaks are found" no_leaks
else
	ktap_test_skip "no leaks are found (no kmemleak)"
fi
clean_up
ktap_finished
