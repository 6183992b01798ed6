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

# An event system counts if it has so many events.
SYSTEM_EVENTS=5
# Each change is made so often, and has to be right each time.
TIMES=3
# Others may send some while a module is loaded or removed: the fewest of so many times count,
# or the first time that is few enough.
MODULE_TIMES=12
# The instance in which IPIs are counted.
COUNTER=
INSTANCE=
VERBOSE_FILE=/sys/module/dynamic_debug/parameters/verbose
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
	unload trace_custom_sched
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

# What makes changed code known to the other CPUs, how often for as many sites as the kernel
# changes together, whether it always does, and how many sites that is.
find_sync()
{
	SYNC=
	ALWAYS=1
	QUEUE=1000000000
	case "$(uname -m)" in
	x86_64 | i?86)
		SYNC=do_sync_core
		SYNCS=3
		QUEUE=4096
		! zcat /proc/config.gz 2> /dev/null | grep -q '^CONFIG_BASE_SMALL=y' || QUEUE=256 ;;
	aarch64)
		SYNC=do_nothing
		SYNCS=1 ;;
	riscv*)
		# The firmware does it, if it can.
		SYNC=ipi_remote_fence_i
		SYNCS=1
		ALWAYS=0 ;;
	esac
}

# "ipis_of COMMAND...": how many such IPIs there are meanwhile, in IPIS; those of this shell
# alone, if COMMAND is "put".
ipis_of()
{
	put "" "$COUNTER/trace" && put 1 "$COUNTER/tracing_on" && "$@" &&
		put 0 "$COUNTER/tracing_on" || return
	who=
	[ "$1" != put ] || who="-$$ "
	grep -e "$who.*csd_queue_cpu:" "$COUNTER/trace" > "$TMP/ipis"
	IPIS=$(grep -cw "func=$SYNC" "$TMP/ipis") || [ "$IPIS" = 0 ]
}

# "key_states FILE": each static key, whether it is enabled, and how many sites it has.
KEYS_FILE=/sys/kernel/debug/static_keys/keys
key_states()
{
	awk '!/^#/ && $2 != "init" { print $1 $6 $7, $2, $5 }' $KEYS_FILE > "$TMP/$1"
}

# "changed BEFORE AFTER": sets SITES and KEYS to how many of them changed in between.
changed()
{
	set -- $(awk 'NR == FNR { state[$1] = $2; next }
		      $1 in state && state[$1] != $2 { keys++; sites += $3 }
		      END { print keys + 0, sites + 0 }' "$TMP/$1" "$TMP/$2")
	KEYS=$1
	SITES=$2
}

# "rounds SITES": as many sites as that are changed in so many rounds.
rounds()
{
	echo $((($1 + QUEUE - 1) / QUEUE))
}

# "right_ipis WHAT [LEAST MOST]": whether IPIS is what SITES take. On x86, the calls of the
# tracepoints may have to be changed as well: one at most for each site, and the trampoline.
right_ipis()
{
	least="${2:-$(rounds $SITES)}"
	most="${3:-$(rounds $((2 * SITES + KEYS)))}"
	[ $ALWAYS = 1 ] || least=0
	each=$((SYNCS * (CPUS - 1)))
	# Not by ktap_print_msg(), which takes a * for a pattern.
	echo "# $1: $IPIS IPIs with $CPUS CPUs for $KEYS keys with $SITES sites"
	[ $((IPIS % each)) = 0 ] && [ $((IPIS / each)) -ge "$least" ] &&
		[ $((IPIS / each)) -le "$most" ] ||
		complain "not $each for each of $least to $most rounds"
}

put()
{
	echo "$1" > "$2"
}

append()
{
	echo "$1" >> "$2"
}

# "toggle FILE ON OFF": write ON and OFF, and look how many IPIs each takes.
toggle()
{
	key_states before
	KEYS=
	for time in $(seq $TIMES); do
		for value in "$2" "$3"; do
			ipis_of put "$value" "$1" || return
			if [ -z "$KEYS" ]; then
				key_states after
				changed before after
			fi
			right_ipis "${1#"$TRACING/"}: '$value'" || {
				# Else whoever reads the trace later does not come to an end.
				put "$3" "$1"
				return 1
			}
		done
	done
}

toggle_systems()
{
	for dir in "$1/events"/*/; do
		set -- "$1" "$dir"*/
		[ $(($# - 1)) -ge $SYSTEM_EVENTS ] && [ -e "$2/enable" ] || continue
		toggle "${dir}enable" 1 0 || return
	done
}

toggle_all()
{
	toggle "$TRACING/events/enable" 1 0 && [ "$SITES" -gt 0 ]
}

toggle_pattern()
{
	toggle "$TRACING/set_event" "syscalls:*" "" &&
		toggle "$TRACING/set_event" "sched:*" "!sched:*"
}

# No key changes, as each event has a probe already: on x86, its call goes to the iterator.
toggle_second()
{
	put 1 "$TRACING/events/enable" || return
	most=$(rounds $((2 * SITES + KEYS)))
	KEYS=0
	SITES=0
	[ $SYNCS -gt 1 ] || most=0
	few=0
	for value in 1 0 1 0; do
		ipis_of put $value "$INSTANCE/events/enable" &&
			right_ipis "the same with all events enabled: '$value'" \
				   $((most > 0)) "$most" || few=1
	done
	put 0 "$TRACING/events/enable"
	return $few
}

toggle_instance()
{
	INSTANCE="$TRACING/instances/static_batch_$$"
	mkdir "$INSTANCE" && toggle "$INSTANCE/events/enable" 1 0 || return
	keys=$KEYS
	sites=$SITES
	toggle_second || return
	KEYS=$keys
	SITES=$sites
	for time in $(seq $TIMES); do
		put 1 "$INSTANCE/events/enable" && ipis_of rmdir "$INSTANCE" &&
			mkdir "$INSTANCE" && right_ipis "rmdir of the instance" || return
	done
	rmdir "$INSTANCE"
	INSTANCE=
}

toggle_ddebug()
{
	toggle $DDEBUG "module * +p" "module * -p" && [ "$SITES" -gt 0 ]
}

# A change that is printed is made with no locks held meanwhile, and so alone.
toggle_printed()
{
	key_states before
	read -r verbose < $VERBOSE_FILE
	put 4 $VERBOSE_FILE || return
	ipis_of put "module * +p" $DDEBUG
	put "$verbose" $VERBOSE_FILE
	key_states after
	changed before after
	# Some keys have sites in init code only, for which nothing is changed.
	right_ipis "module * +p, printed" $((KEYS / 2)) $KEYS
	right=$?
	put "module * -p" $DDEBUG
	return $right
}

# Each record of perf takes long, so that fewer sites wait for the others: so many.
RECORDS=256
perf_records()
{
	key_states before
	put 1 "$TRACING/events/enable" || return
	key_states after
	put 0 "$TRACING/events/enable"
	changed before after
	ipis_of "$DIR/perf_text_poke" "$TRACING/events/enable" > "$TMP/perf" || {
		sed 's/^/# /' "$TMP/perf"
		return 1
	}
	# Static calls as well, which are as many as sites at most.
	read -r records what < "$TMP/perf"
	ktap_print_msg "$records $what"
	[ "$records" -ge $((2 * SITES)) ] || complain "for $SITES sites, twice" || return
	[ "$CPUS" -gt 1 ] || return 0
	# The keys of perf itself may be changed before and after it.
	QUEUE=$RECORDS
	right_ipis "all events, on and off, with perf" $((2 * $(rounds $SITES))) \
		   $((2 * $(rounds $((2 * SITES + KEYS))) + 4))
	right=$?
	find_sync
	return $right
}

# "load_sample CHOSEN FEWEST": a module is loaded, with events that are chosen, or none.
load_sample()
{
	FEWEST=$2
	[ "$1" = 0 ] || append ":mod:$SAMPLE_DIR" "$TRACING/set_event" || return
	ipis_of modprobe $SAMPLE || return
	fewest
	grep -q "[1X]" "$TRACING/events/sample-trace/enable" && on=1 || on=0
	put "" "$TRACING/set_event" && modprobe -r $SAMPLE || return
	[ $on = "$1" ] || complain "events on: $on"
}

# "remove_sample ENABLED FEWEST": the removal of a module, with its events on or off.
remove_sample()
{
	FEWEST=$2
	modprobe $SAMPLE && put "$1" "$TRACING/events/sample-trace/enable" &&
		ipis_of modprobe -r $SAMPLE && fewest
}

fewest()
{
	[ -n "$FEWEST" ] && [ "$FEWEST" -le "$IPIS" ] || FEWEST=$IPIS
}

# "beside_none SAMPLE WHAT": one round more than it takes without events; in turns, as the
# host may get busier.
beside_none()
{
	bare=
	with=
	most=$((SYNCS * (CPUS - 1)))
	for time in $(seq $MODULE_TIMES); do
		$1 0 "$bare" || return
		bare=$FEWEST
		$1 1 "$with" || return
		with=$FEWEST
		[ "$time" -lt 2 ] || [ $((with - bare)) -gt $most ] || break
	done
	ktap_print_msg "$2: $with IPIs with $CPUS CPUs, $bare without events"
	[ $((with - bare)) -le $most ]
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
	elif [ -z "$SYNC" ] || [ ! -r $KEYS_FILE ]; then
		ktap_test_skip "$name (what is changed or sent is not known)"
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

# Every site is as its key, when all events are on, and when they are off.
all_sites()
{
	for value in 1 0; do
		put $value "$TRACING/events/enable" && consistent || return
		read -r state < "$TRACING/events/enable"
		[ "$state" = $value ] || complain "$state, not $value" || return
	done
}

# A process is told that its event is on, and off, however that is done; from then on, what
# it writes is taken.
user_event()
{
	for file in user_events/static_batch_user user_events ""; do
		said="$("$DIR/user_event" "$TRACING/user_events_data" "static_batch_user u32 a" \
			"$TRACING/events/$file/enable")"
		[ "$said" = "0 1 0" ] || complain "$said, not 0 1 0, with events/$file/enable" ||
			return
	done
}

# The events of a module go while their probes, at tracepoints of others, are running: nothing
# that these use may be freed before. KASAN notices if it is.
custom_event()
{
	for time in $(seq $TIMES); do
		modprobe trace_custom_sched &&
			put 1 "$TRACING/events/custom/sched_switch/enable" || return
		put "" "$TRACING/trace"
		work
		grep -q "sched_switch: prev_prio=" "$TRACING/trace" || complain "no event" || return
		modprobe -r trace_custom_sched || return
		[ ! -e "$TRACING/events/custom" ] || complain "events/custom is left" || return
	done
}

# Others hold the lock of the kernel's page tables for long, as whoever reads this file does.
PAGE_TABLES=/sys/kernel/debug/page_tables/kernel
page_tables()
{
	while [ ! -e "$TMP/stop" ]; do
		cat $PAGE_TABLES > /dev/null
	done &
	reader=$!
	failed=
	for time in $(seq $TIMES); do
		modprobe $SAMPLE && put 1 "$TRACING/events/enable" &&
			put 0 "$TRACING/events/enable" && modprobe -r $SAMPLE || failed=1
	done
	touch "$TMP/stop"
	wait $reader
	[ -z "$failed" ] && { [ ! -r $CONSISTENT ] || consistent; }
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
find_sync
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
ktap_set_plan $(($(wc -l < "$TMP/cases") + 17))

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
if [ -n "$DDEBUG" ] && [ -w $VERBOSE_FILE ]; then
	ipi_test "dynamic debug, printed" toggle_printed
else
	ktap_test_skip "few IPIs: dynamic debug, printed (not there)"
fi
if [ ! -x "$DIR/perf_text_poke" ] || [ "$SYNC" != do_sync_core ]; then
	ktap_test_skip "perf records all changes (no perf_text_poke, or not x86)"
elif [ ! -r $KEYS_FILE ] || [ -z "$COUNTER" ]; then
	ktap_test_skip "perf records all changes (not counted)"
else
	ktap_test_result "perf records all changes" perf_records
fi
if present $SAMPLE && loadable $SAMPLE_DIR; then
	ipi_test "a module is loaded" beside_none load_sample "loading of a module with events"
	ipi_test "a module is removed" beside_none remove_sample "removal of a module with events"
else
	ktap_test_skip "few IPIs: a module is loaded (no $SAMPLE)"
	ktap_test_skip "few IPIs: a module is removed (no $SAMPLE)"
fi
ktap_test_result "events fire when enabled, and only then" fire
if [ -r $CONSISTENT ]; then
	ktap_test_result "all sites are as their keys" all_sites
else
	ktap_test_skip "all sites are as their keys (no $CONSISTENT)"
fi
if present trace_custom_sched && loadable trace_custom_sched; then
	ktap_test_result "a module with events at others' tracepoints goes" custom_event
else
	ktap_test_skip "a module with events at others' tracepoints goes (no trace_custom_sched)"
fi
if [ -r $PAGE_TABLES ] && present $SAMPLE && loadable $SAMPLE_DIR; then
	ktap_test_result "events of modules while page tables are read" page_tables
else
	ktap_test_skip "events of modules while page tables are read (no $PAGE_TABLES or $SAMPLE)"
fi
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
