#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# nesting.sh [SECONDS [TEST...]]
#
# Writers in tasks, soft interrupts, hard interrupts and NMIs on all CPUs, beside
# readers, snapshots and changes of the size, of filters and of triggers: for 10 seconds,
# or SECONDS, in all. Every record must be there once, whole and in the order of its time,
# or be counted as lost.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh

SECONDS_TO_GO="${1:-10}"
MODULE=ring_buffer_nesting
EVENT=events/ring_buffer_nesting/ring_buffer_nesting
FILES=/sys/kernel/debug/$MODULE
TRACING=/sys/kernel/tracing
INSTANCE="$TRACING"/instances/nesting
TMP="$(mktemp -d)" || exit "$KSFT_FAIL"
READERS=

# What one CPU has recorded, as text: how many records there are, how many are missing
# between them, how many the kernel says are lost, and how many are torn (or no line of
# a record), come twice or before their time. From the middle of a sequence, nothing is
# missing before its begin.
# The time is compared as a string of one length: busybox rounds.
cat > "$TMP/count.awk" <<'EOF'
/^#/ || /^cpus=/ || !NF {
	next
}
/LOST [0-9]+ EVENTS/ {
	sub(/.*LOST /, "")
	lost += $1
	next
}
(begin = index($0, ": ring_buffer_nesting: ")) {
	fields = split(substr($0, 1, begin - 1), head, " ")
	time = sprintf("%20s", head[fields])
	split(substr($0, begin + 23), part, " ")
	context = part[1]
	seq = substr(part[2], 5) + 0

	# "copies={0xf,0xf}" from the kernel, "copies=15 15" from trace-cmd.
	sub(/.*copies=/, "")
	gsub(/[{},]/, " ")
	hex = sprintf("0x%x", seq)
	copies = split($0, copy, " ")
	wrong = copies != seq % 13
	for (i = 1; i <= copies; i++)
		wrong = wrong || copy[i] != hex && copy[i] != seq ""
	torn += wrong
	if (time "" < before "")
		back++
	before = time
	if (context in last || !middle) {
		if (seq <= last[context])
			twice++
		else
			missing += seq - last[context] - 1
	}
	last[context] = seq
	records++
	next
}
{
	torn++
}
END {
	print records + 0, missing + 0, lost + 0, torn + 0, twice + 0, back + 0
}
EOF

complain()
{
	ktap_print_msg "$@"
	return 1
}

# "count CPU": of the text on standard input, which begins in the middle of a sequence.
count()
{
	awk -v middle=1 -f "$TMP/count.awk" > "$TMP/counted.$1"
}

# "sound CPU": sets RECORDS; if there are any, none is wrong.
sound()
{
	read -r RECORDS _ _ torn twice back < "$TMP/counted.$1"
	[ "$torn $twice $back" = "0 0 0" ] ||
		complain "CPU $1: of $RECORDS records, $torn are torn, $twice twice, $back too late"
}

# "intact CPU": sets RECORDS, MISSING and LOST; there are records, and none is wrong.
intact()
{
	read -r RECORDS MISSING LOST _ < "$TMP/counted.$1" ||
		complain "CPU $1: nothing was read" || return
	ktap_print_msg "CPU $1: $RECORDS records, $LOST lost"
	sound "$1" || return
	[ "$RECORDS" -gt 0 ] || complain "CPU $1: there are no records"
}

# "whole CPU": intact, and what is missing is lost. More may be: a context need not write
# again after its last events were lost, as NMIs do not once their senders have stopped.
whole()
{
	intact "$1" || return
	[ "$MISSING" -le "$LOST" ] ||
		complain "CPU $1: $MISSING of $RECORDS records are missing, $LOST are lost"
}

# "written CPU": how many events it has written, in all contexts.
written()
{
	awk -v cpu="$1" '$1 == cpu { print $2 + $3 + $4 + $5 }' "$FILES/written"
}

# "accounted CPU OPERATOR": what was read and lost, compared with what was written.
accounted()
{
	[ $((RECORDS + LOST)) "$2" "$(written "$1")" ] ||
		complain "CPU $1: $(written "$1") written, $RECORDS read, $LOST lost"
}

cpus()
{
	cut -d ' ' -f 1 "$FILES/written"
}

now()
{
	cut -d . -f 1 /proc/uptime
}

start()
{
	echo "$1" > "$INSTANCE/buffer_size_kb" && echo > "$INSTANCE/trace" &&
		echo 1 > "$INSTANCE/tracing_on" && echo 1 > "$INSTANCE/$EVENT/enable" &&
		echo 1 > "$FILES/run"
}

# What follows is what was written; a reader of trace_pipe comes to an end.
stop()
{
	echo 0 > "$FILES/run"
	echo 0 > "$INSTANCE/tracing_on"
}

stats()
{
	sed -n "s/^$2: //p" "$INSTANCE/per_cpu/cpu$1/stats"
}

# All contexts have written, those that the machine has: a CPU sends NMIs to others.
all_contexts()
{
	columns=4
	if [ "$(uname -m)" = x86_64 ] && [ "$(cpus | wc -l)" -gt 1 ]; then
		columns=5
	fi
	awk -v n=$columns '{ for (i = 2; i <= n; i++) if (!$i) exit 1 }' "$FILES/written" ||
		complain "not all contexts have written: $(cat "$FILES/written")"
}

start_readers()
{
	READERS=
	for cpu in $(cpus); do
		awk -f "$TMP/count.awk" < "$INSTANCE/per_cpu/cpu$cpu/trace_pipe" \
			> "$TMP/counted.$cpu" &
		READERS="$READERS $!"
	done
}

# A reader that has not read anything waits on: that is a failure of intact. Nothing may
# hold on to the standard output of this script, or the runner waits for the sleep.
wait_for_readers()
{
	{ sleep 60; kill $READERS; } > /dev/null 2>&1 &
	wait $READERS
	kill $! 2> /dev/null
	READERS=
}

# Readers beside the writers, of a buffer that wraps.
test_readers()
{
	start 64 || return
	start_readers
	sleep "$PART"
	stop
	wait_for_readers
	all_contexts || return
	for cpu in $(cpus); do
		whole "$cpu" && accounted "$cpu" -eq || return
	done
}

# Nobody reads before the writers have ended: the counters tell what became of all.
counters()
{
	echo "$1" > "$INSTANCE/options/overwrite" && start 64 || return
	sleep "$PART"
	stop
	all_contexts || return
	for cpu in $(cpus); do
		entries="$(stats "$cpu" entries)"
		gone="$(stats "$cpu" "$2")"
		[ $((entries + gone)) -eq "$(written "$cpu")" ] && [ "$gone" -gt 0 ] &&
			[ "$(stats "$cpu" "commit overrun")" -eq 0 ] ||
			complain "CPU $cpu: $(written "$cpu") written, but:" \
				 "$(tr '\n' ' ' < "$INSTANCE/per_cpu/cpu$cpu/stats")" || return
		count "$cpu" < "$INSTANCE/per_cpu/cpu$cpu/trace"
		whole "$cpu" || return
		[ "$RECORDS" -eq "$entries" ] ||
			complain "CPU $cpu: $entries entries, $RECORDS records" || return
	done
}

test_overwrite()
{
	counters 1 overrun
}

test_no_overwrite()
{
	counters 0 "dropped events"
	result=$?
	echo 1 > "$INSTANCE/options/overwrite"
	return $result
}

test_snapshots()
{
	[ -e "$INSTANCE/snapshot" ] || { REASON="no snapshots"; return "$KSFT_SKIP"; }
	start 64 || return
	end=$(($(now) + PART))
	rounds=0
	while [ "$(now)" -lt "$end" ] || [ $rounds -lt 3 ]; do
		echo 1 > "$INSTANCE/snapshot" || return
		for cpu in $(cpus); do
			count "$cpu" < "$INSTANCE/per_cpu/cpu$cpu/snapshot"
			whole "$cpu" || return
		done
		# What is swapped in next time is empty.
		echo 2 > "$INSTANCE/snapshot" || return
		rounds=$((rounds + 1))
	done
	stop
	echo 0 > "$INSTANCE/snapshot"
}

# "pid_filter INSTANCE TOP WHAT": whether the events look for lists of pids.
pid_filter()
{
	[ "$(tr '\n' ' ' < "$FILES/pid_filter")" = "$1 $2 " ] ||
		complain "$3: events look for lists of pids:" \
			 "$(tr '\n' ' ' < "$FILES/pid_filter")(instance, top level)"
}

# Events look for lists of pids while there is one, in this instance, and no longer.
test_pid_filter()
{
	pid_filter 0 0 "without a list" || return
	for list in set_event_pid set_event_notrace_pid; do
		echo 1 > "$INSTANCE/$list" && pid_filter 1 0 "with a $list" || return
		echo > "$INSTANCE/$list" && pid_filter 0 0 "behind a $list" || return
		echo 1 > "$TRACING/$list" && pid_filter 0 1 "with a $list" || return
		echo > "$TRACING/$list" && pid_filter 0 0 "behind a $list" || return
	done
	echo 1 > "$INSTANCE/set_event_pid" && echo 1 > "$INSTANCE/set_event_notrace_pid" &&
		echo > "$INSTANCE/set_event_pid" && pid_filter 1 0 "with one of two lists" &&
		echo > "$INSTANCE/set_event_notrace_pid" && pid_filter 0 0 "behind two lists"
}

# What is written while a page goes is not recorded, and not counted. What was recorded
# has been read by the end, or was on a page that went: no page may be lost.
test_resize()
{
	start 64 || return
	start_readers
	end=$(($(now) + PART))
	while [ "$(now)" -lt "$end" ]; do
		for size in 128 40 256 64; do
			echo $size > "$INSTANCE/buffer_size_kb" || return
			sleep 0.1
		done
	done
	stop
	wait_for_readers
	for cpu in $(cpus); do
		intact "$cpu" && accounted "$cpu" -le || return
		[ "$(stats "$cpu" entries)" -eq 0 ] ||
			complain "CPU $cpu: all is read, and there are" \
				 "$(stats "$cpu" entries) entries" || return
	done
}

# Prints the hits and the dropped events of the histogram with one key.
counted()
{
	awk '/^# trigger info/ { ours = /hist:keys=context:/ }
	     ours && /^[{].*hitcount:/ { sub(/.*hitcount: */, ""); sum += $1 }
	     ours && /Dropped:/ { sum += $2 }
	     END { print sum + 0 }' "$INSTANCE/$EVENT/hist"
}

# "take_snapshots": of each CPU, and reads them; sets SNAPSHOTS to how many had records.
take_snapshots()
{
	for cpu in $(cpus); do
		snapshot="$INSTANCE/per_cpu/cpu$cpu/snapshot"
		# What is swapped in is empty.
		echo 2 > "$snapshot" && echo 1 > "$snapshot" ||
			complain "no snapshot of CPU $cpu" || return
		count "$cpu" < "$snapshot"
		sound "$cpu" || return
		[ "$RECORDS" -eq 0 ] || SNAPSHOTS=$((SNAPSHOTS + 1))
	done
}

# "change_triggers PREFIX FILTER": sets two triggers, or removes them if PREFIX is "!".
change_triggers()
{
	for trigger in "hist:keys=context,seq if $2" 'traceoff if seq == 0'; do
		echo "$1$trigger" >> "$INSTANCE/$EVENT/trigger" ||
			complain "refused: $1$trigger" || return
	done
}

# "change_filters SECONDS TRIGGERS": changes filters, triggers if there are, and snapshots
# of single CPUs, at least once each.
change_filters()
{
	end=$(($(now) + $1))
	triggers=$2
	while :; do
		for filter in 'context == 1' 'seq & 1' 'seq > 0' 'context < 2 && seq > 5' \
			      'seq == 0' 'common_pid == 0 || context == 3' 'seq > 1'; do
			[ ! "$triggers" ] || change_triggers "" "$filter" || return
			echo "$filter" > "$INSTANCE/$EVENT/filter" ||
				complain "refused: $filter" || return
			[ ! "$PER_CPU" ] || take_snapshots || return
			[ ! "$triggers" ] || change_triggers "!" "$filter" || return
			echo 0 > "$INSTANCE/$EVENT/filter" ||
				complain "refused: no filter" || return
		done
		[ "$(now)" -lt "$end" ] || return 0
	done
}

# Filters, triggers and snapshots of single CPUs that change meanwhile. A histogram without
# a filter counts all events, whatever the filter of the event is. The second half has none:
# an event with a trigger takes another way than one with a filter alone.
test_filters()
{
	histograms=
	[ ! -e "$INSTANCE/$EVENT/hist" ] || histograms=y
	PER_CPU=
	SNAPSHOTS=0
	{ echo 1 > "$INSTANCE/per_cpu/cpu0/snapshot"; } 2> /dev/null && PER_CPU=y

	for half in "$histograms" ''; do
		[ ! "$half" ] || echo hist:keys=context > "$INSTANCE/$EVENT/trigger" || return
		start 64 && change_filters $((PART / 2 + 1)) "$half"
		result=$?
		stop
		[ $result -eq 0 ] && all_contexts || return
		all=0
		for cpu in $(cpus); do
			count "$cpu" < "$INSTANCE/per_cpu/cpu$cpu/trace"
			sound "$cpu" || return
			all=$((all + $(written "$cpu")))
		done
		[ "$half" ] || continue
		hits="$(counted)"
		echo '!hist:keys=context' > "$INSTANCE/$EVENT/trigger" && [ "$hits" -eq "$all" ] ||
			complain "$all events were written, the histogram has $hits" || return
	done
	[ ! "$PER_CPU" ] || [ "$SNAPSHOTS" -gt 0 ] ||
		complain "no snapshot of a CPU has records" || return
	[ ! -e "$INSTANCE/snapshot" ] || echo 0 > "$INSTANCE/snapshot" || return

	# And what comes after the last change.
	echo 'context == 1' > "$INSTANCE/$EVENT/filter" && start 64 || return
	sleep 0.3
	stop
	echo 0 > "$INSTANCE/$EVENT/filter"
	grep ': ring_buffer_nesting: ' "$INSTANCE/trace" > "$TMP/filtered"
	grep -q 'context=1 ' "$TMP/filtered" ||
		complain "no records that the filter passes" || return
	! grep -v 'context=1 ' "$TMP/filtered" | grep -q . ||
		complain "$(grep -vc 'context=1 ' "$TMP/filtered") records that the filter refuses"
}

# As trace-cmd reads: pages, by splice(), of the buffer that is there anyway. That short
# a time gives enough lines.
test_pages()
{
	command -v trace-cmd > /dev/null || { REASON="no trace-cmd"; return "$KSFT_SKIP"; }
	on="$(cat "$TRACING/tracing_on")"
	echo 1 > "$FILES/run"
	trace-cmd record -q -e ring_buffer_nesting -o "$TMP/trace.dat" \
		sleep 0.3 > "$TMP/said" 2>&1
	result=$?
	stop
	echo "$on" > "$TRACING/tracing_on"
	[ $result -eq 0 ] || complain "trace-cmd: $(cat "$TMP/said")" || return
	for cpu in $(cpus); do
		trace-cmd report -q --cpu "$cpu" "$TMP/trace.dat" 2> /dev/null |
			sed 's/\[\([0-9]*\) EVENTS DROPPED\]/LOST \1 EVENTS/' | count "$cpu"
		whole "$cpu" || return
	done
	rm -f "$TMP/trace.dat"
}

# Whatever ends this script.
cleanup()
{
	[ ! -e "$FILES/run" ] || echo 0 > "$FILES/run"
	[ -z "$READERS" ] || kill $READERS 2> /dev/null
	if [ -d "$INSTANCE" ]; then
		echo 0 > "$INSTANCE/$EVENT/enable"
		wait
		rmdir "$INSTANCE"
	fi
	modprobe -r $MODULE 2> /dev/null
	rm -rf "$TMP"
}

[ $# -eq 0 ] || shift
TESTS="${*:-pid_filter readers overwrite no_overwrite snapshots resize filters pages}"
PART=$((SECONDS_TO_GO / $(echo "$TESTS" | wc -w) + 1))

ktap_print_header
trap cleanup EXIT
trap 'exit 1' INT TERM
if [ "$(id -u)" -ne 0 ]; then
	ktap_skip_all "must be run as root"
	exit "$KSFT_SKIP"
fi
if ! modprobe $MODULE 2> /dev/null || ! [ -e $FILES ]; then
	ktap_skip_all "there is no module $MODULE, or no debugfs"
	exit "$KSFT_SKIP"
fi
if ! mkdir "$INSTANCE"; then
	ktap_print_msg "no instance of tracing can be made"
	exit "$KSFT_FAIL"
fi
ktap_set_plan "$(echo "$TESTS" | wc -w)"
for name in $TESTS; do
	test_"$name"
	case $? in
	0) ktap_test_pass "$name" ;;
	"$KSFT_SKIP") ktap_test_skip "$name ($REASON)" ;;
	*) ktap_test_fail "$name" ;;
	esac
	stop
done
ktap_finished
