#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Batches of changes to static keys: the KUnit suite, what enabling and disabling
# many events or messages costs the other CPUs, and that it has an effect.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/lib.sh

# IPIs that each other CPU may get for a change, however many sites there are.
LIMIT=4
# An event system counts if it has so many events.
SYSTEM_EVENTS=5
# Others send IPIs as well, now and then: the fewest of so many times count, or the first time
# that is few enough.
TIMES=12
# For how long writers are killed.
KILL_SECONDS=10
# The instance in which they are counted, and what the scheduler sends them for: the longer
# something takes, the more.
COUNTER=
SCHEDULER="func=(sched_ttwu_pending|nohz_csd_func|__hrtick_start) "
INSTANCE=
IGNORE=
SAMPLE=trace-events-sample
SAMPLE_DIR=trace_events_sample
# What the suite makes fail are its own allocations, but only where this is N.
FAILSLAB=/sys/kernel/debug/failslab

clean_up()
{
	all_off
	[ -z "$INSTANCE" ] || rmdir "$INSTANCE"
	[ -z "$COUNTER" ] || rmdir "$COUNTER"
	unload $SAMPLE_DIR
	unload test_static_keys
	unload test_static_key_base
	unload $TEST
	put_back
}

#
# The KUnit suite
#

kunit_results()
{
	if [ -e /sys/kernel/debug/kunit/static_batch/results ]; then
		cat /sys/kernel/debug/kunit/static_batch/results
	else
		dmesg | sed -e 's/^\[[ .0-9]*\] //' -e "1,/$MARK/d"
	fi
}

# Those that fail come with all they have to say.
kunit()
{
	while read -r word rest; do
		case $word in
		ok)
			rest="${rest#* }"
			case $rest in
			*" # SKIP"*) ktap_test_skip "${rest%% # SKIP*} (${rest##* # SKIP })" ;;
			*) ktap_test_pass "$rest" ;;
			esac ;;
		not)
			rest="${rest#ok * }"
			grep -B 40 "not ok [0-9]* $rest\$" "$TMP/kunit" | sed 's/^/# /'
			ktap_test_fail "$rest" ;;
		esac
	done < "$TMP/cases"
}

#
# IPIs
#

# Without the names of commands: the events that these are known by would be enabled already when
# a test enables all.
start_counting()
{
	read -r names < "$TRACING/options/record-cmd"
	COUNTER="$TRACING/instances/static_batch_ipis_$$"
	put 0 "$TRACING/options/record-cmd"
	mkdir "$COUNTER"
	put "$names" "$TRACING/options/record-cmd"
	[ -d "$COUNTER" ] && put 0 "$COUNTER/tracing_on" &&
		put 1 "$COUNTER/events/csd/csd_queue_cpu/enable" && return
	[ ! -d "$COUNTER" ] || rmdir "$COUNTER"
	COUNTER=
}

# "ipis_of COMMAND...": fewest IPIs so far in FEWEST.
ipis_of()
{
	put "" "$COUNTER/trace" && put 1 "$COUNTER/tracing_on" && "$@" &&
		put 0 "$COUNTER/tracing_on" || return
	ipis=$(grep "csd_queue_cpu:" "$COUNTER/trace" | grep -cvE "$SCHEDULER")
	[ -n "$FEWEST" ] && [ "$FEWEST" -le $ipis ] || FEWEST=$ipis
}

put()
{
	echo "$1" > "$2"
}

append()
{
	echo "$1" >> "$2"
}

# "few_enough LIMIT": whether FEWEST is within LIMIT for each of the other CPUs.
few_enough()
{
	[ "$FEWEST" -le $(($1 * (CPUS - 1))) ]
}

# "few_ipis LIMIT WHAT": the same, and says what FEWEST is of.
few_ipis()
{
	# Not by ktap_print_msg(), which takes a * for a pattern.
	echo "# $2: $FEWEST IPIs with $CPUS CPUs"
	few_enough "$1"
}

# "toggle LIMIT FILE ON OFF": write ON and OFF, each with few IPIs.
toggle()
{
	most=
	for value in "$3" "$4"; do
		FEWEST=
		for time in $(seq $TIMES); do
			# Back to where it is from.
			if [ "$value" = "$3" ]; then
				put "$4" "$2" || return
			else
				put "$3" "$2" || return
			fi
			sleep 0.1
			ipis_of put "$value" "$2" || return
			! few_enough "$1" || break
		done
		few_ipis "$1" "${2#"$TRACING/"}: '$value'" || {
			# Else whoever reads the trace later does not come to an end.
			put "$4" "$2"
			return 1
		}
	done
}

toggle_systems()
{
	for dir in "$1/events"/*/; do
		set -- "$1" "$dir"*/
		[ $(($# - 1)) -ge $SYSTEM_EVENTS ] && [ -e "$2/enable" ] || continue
		toggle $LIMIT "${dir}enable" 1 0 || return
	done
}

toggle_all()
{
	toggle $LIMIT "$TRACING/events/enable" 1 0
}

toggle_pattern()
{
	toggle $LIMIT "$TRACING/set_event" "syscalls:*" "" &&
		toggle $LIMIT "$TRACING/set_event" "sched:*" "!sched:*"
}

toggle_instance()
{
	INSTANCE="$TRACING/instances/static_batch_$$"
	mkdir "$INSTANCE" && toggle $LIMIT "$INSTANCE/events/enable" 1 0 || return
	# The same where each event has a probe already, so that its call goes to the iterator.
	put 1 "$TRACING/events/enable" && toggle $LIMIT "$INSTANCE/events/enable" 1 0
	few=$?
	put 0 "$TRACING/events/enable"
	[ $few = 0 ] || return
	FEWEST=
	for time in $(seq $TIMES); do
		put 1 "$INSTANCE/events/enable" && sleep 0.1 && ipis_of rmdir "$INSTANCE" &&
			mkdir "$INSTANCE" || return
		! few_enough $LIMIT || break
	done
	rmdir "$INSTANCE"
	INSTANCE=
	few_ipis $LIMIT "rmdir of the instance"
}

toggle_ddebug()
{
	toggle $LIMIT $DDEBUG "module * +p" "module * -p"
}

# "load_sample CHOSEN FEWEST": a module is loaded, with events that are chosen, or none.
load_sample()
{
	FEWEST=$2
	[ "$1" = 0 ] || append ":mod:$SAMPLE_DIR" "$TRACING/set_event" || return
	sleep 0.2
	ipis_of modprobe $SAMPLE || return
	grep -q "[1X]" "$TRACING/events/sample-trace/enable" && on=1 || on=0
	put "" "$TRACING/set_event" && modprobe -r $SAMPLE || return
	[ $on = "$1" ] || complain "events on: $on"
}

# "remove_sample ENABLED FEWEST": the removal of a module, with its events on or off.
remove_sample()
{
	FEWEST=$2
	modprobe $SAMPLE && put "$1" "$TRACING/events/sample-trace/enable" &&
		sleep 0.2 && ipis_of modprobe -r $SAMPLE
}

# "beside_none SAMPLE WHAT": beside what it takes without events; in turns, as the host may get
# busier. The fewest of four at least, so that one that was disturbed does not raise the limit.
beside_none()
{
	bare=
	with=
	for time in $(seq $TIMES); do
		$1 0 "$bare" || return
		bare=$FEWEST
		$1 1 "$with" || return
		with=$FEWEST
		limit=$((LIMIT + bare / (CPUS - 1)))
		[ "$time" -lt 4 ] || ! few_enough $limit || break
	done
	ktap_print_msg "$bare IPIs without events"
	few_ipis $limit "$2"
}

ipi_test()
{
	name="few IPIs: $1"
	shift
	if [ "$CPUS" -lt 2 ]; then
		ktap_test_skip "$name (one CPU)"
	elif [ -z "$COUNTER" ]; then
		ktap_test_skip "$name (not counted)"
	elif checks_itself; then
		ktap_test_skip "$name (the kernel has some of its own)"
	elif ! grep -qw static_key_slow_inc /proc/kallsyms; then
		ktap_test_skip "$name (not counted without jump labels)"
	else
		ktap_test_result "$name" "$@"
	fi
}

#
# Effects
#

work()
{
	for i in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.01
		cat /proc/self/stat > /dev/null
	done
}

# "fires NAME FILE": an event is in the trace if 1 has been written to the file, and
# is not if 0 has. Recording stops before the events do: lockdep has events for the
# locks that disabling takes, enough of them to push all others out of the buffer.
fires()
{
	put 1 "$TRACING/events/$2/enable" && put "" "$TRACING/trace" || return
	work
	put 0 "$TRACING/tracing_on" && put 0 "$TRACING/events/$2/enable" &&
		put 1 "$TRACING/tracing_on" || return
	grep -q ": $1[:(]" "$TRACING/trace" || complain "no $1 with $2 enabled" || return
	put "" "$TRACING/trace"
	work
	lacks -q ": $1[:(]" "$TRACING/trace" || complain "$1 with $2 disabled"
}

# Events that are sure to occur.
SURE="sched/sched_switch sched/sched_waking sched/sched_process_exit timer/hrtimer_start
      raw_syscalls/sys_enter raw_syscalls/sys_exit syscalls/sys_enter_read"

fire()
{
	n=0
	for event in $SURE; do
		[ -d "$TRACING/events/$event" ] || continue
		n=$((n + 1))
		name="${event#*/}"
		[ "${event%/*}" != syscalls ] || name="sys_${name#sys_enter_}"
		fires "$name" "$event" && fires "$name" "${event%/*}" && fires "$name" "" ||
			return
	done
	[ $n -gt 0 ]
}

# Whoever is killed in the middle of a write ends the batch: the next writes are not held up,
# have their effect, and every site is as its key. Most of a write is patching; so many are
# killed that some have not got there.
killed()
{
	end=$(($(date +%s) + KILL_SECONDS))
	while [ "$(date +%s)" -lt $end ]; do
		kill_writer 0.01
	done
	for value in 1 0; do
		put $value "$TRACING/events/enable" || return
		read -r state < "$TRACING/events/enable"
		[ "$state" = $value ] || complain "$state, not $value" || return
		[ ! -r $CONSISTENT ] || consistent || return
	done
}

# A process is told that its event is on, and off, however that is done.
user_event()
{
	for file in user_events/static_batch_user user_events ""; do
		said="$("$DIR/user_event" "$TRACING/user_events_data" "static_batch_user u32 a" \
			"$TRACING/events/$file/enable")"
		[ "$said" = "0 1 0" ] || complain "$said, not 0 1 0, with events/$file/enable" ||
			return
	done
}

# A line of the log for each call of a function with a message, and none.
messages()
{
	dmesg > "$TMP/dmesg"
	grep -c "kobject: " "$TMP/dmesg"
}

ddebug_works()
{
	put "module kobject +p" $DDEBUG || return
	grep -q "kobject.*=p" $DDEBUG || return
	before=$(messages)
	modprobe test_static_key_base && unload test_static_key_base || return
	after=$(messages)
	put "module kobject -p" $DDEBUG
	[ "$after" -gt "$before" ] || complain "no message" || return
	modprobe test_static_key_base && unload test_static_key_base || return
	[ "$(messages)" -eq "$after" ] || complain "messages when off"
}

ktap_print_header
set_up clean_up
CPUS="$(grep -c '^processor' /proc/cpuinfo)"
all_off

# The number of cases is known when they have run.
: > "$TMP/cases"
if present $TEST; then
	unload $TEST
	if [ -e $FAILSLAB/ignore-gfp-wait ]; then
		read -r IGNORE < $FAILSLAB/ignore-gfp-wait
		read -r VERBOSE < $FAILSLAB/verbose
		echo N > $FAILSLAB/ignore-gfp-wait
		echo 0 > $FAILSLAB/verbose
	fi
	modprobe $TEST
	if [ -n "$IGNORE" ]; then
		echo "$IGNORE" > $FAILSLAB/ignore-gfp-wait
		echo "$VERBOSE" > $FAILSLAB/verbose
	fi
	kunit_results > "$TMP/kunit"
	grep -E '^ {4}(not )?ok [0-9]+ ' "$TMP/kunit" > "$TMP/cases"
fi
ktap_set_plan $(($(wc -l < "$TMP/cases") + 13))

if [ -s "$TMP/cases" ]; then
	ktap_test_pass "the KUnit suite runs"
elif ! present $TEST; then
	ktap_test_skip "the KUnit suite runs (no module)"
elif dmesg | sed "1,/$MARK/d" | grep -q 'kunit: disabled'; then
	ktap_test_skip "the KUnit suite runs (no kunit.enable=1)"
else
	ktap_test_fail "the KUnit suite runs"
fi
kunit
[ ! -e "$TRACING/events/csd" ] || start_counting
ipi_test "all events" toggle_all
ipi_test "event systems" toggle_systems "$TRACING"
ipi_test "set_event" toggle_pattern
ipi_test "events of an instance" toggle_instance
if [ -n "$DDEBUG" ]; then
	ipi_test "dynamic debug" toggle_ddebug
else
	ktap_test_skip "few IPIs: dynamic debug (not there)"
fi
if present $SAMPLE && loadable $SAMPLE_DIR; then
	ipi_test "a module is loaded" beside_none load_sample "loading of a module with events"
	ipi_test "a module is removed" beside_none remove_sample "removal of a module with events"
else
	ktap_test_skip "few IPIs: a module is loaded (no $SAMPLE)"
	ktap_test_skip "few IPIs: a module is removed (no $SAMPLE)"
fi
ktap_test_result "events fire when enabled, and only then" fire
ktap_test_result "a writer is killed in the middle" killed
if [ -e "$TRACING/user_events_data" ] && [ -x "$DIR/user_event" ]; then
	ktap_test_result "processes are told of their events" user_event
else
	ktap_test_skip "processes are told of their events (no user events)"
fi
if [ -n "$DDEBUG" ] && grep -q kobject $DDEBUG; then
	ktap_test_result "messages appear when enabled, and only then" ddebug_works
else
	ktap_test_skip "messages appear when enabled, and only then (none of kobjects)"
fi
ktap_test_result "the kernel does not complain" clean_log
clean_up
ktap_finished
