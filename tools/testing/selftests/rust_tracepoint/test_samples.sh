#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Samples in Rust, among them one with the events of samples in C, which must record and print
# the same, and a driver.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/events.sh

# "loaded MODULE FILTER": what a sample records while it is loaded, in $TMP/seen, with the
# events that FILTER names enabled when it comes.
loaded()
{
	echo "$2:mod:$1" > "$TRACING/set_event" || return
	echo > "$TRACING/trace"
	modprobe -q "$1"
	status=$?
	sed -n 's/.*: \(rust_sample_[a-z]*: .*\)/\1/p' "$TRACING/trace" > "$TMP/seen"
	echo 0 > "$TRACING/events/rust_sample/enable"
	rmmod "$1"
	cat > "$TMP/wanted"
	[ $status -eq 0 ] && cmp -s "$TMP/wanted" "$TMP/seen" ||
		complain "status $status, $(head -n 3 "$TMP/seen")"
}

# Code that is written for declare_trace!() of the base, and that the series does not
# change: the sample, whose event is enabled when the module comes.
sample()
{
	present rust_print || { skip "module rust_print is not found"; return; }
	echo "rust_sample_loaded: magic=42" | loaded rust_print rust_sample:rust_sample_loaded
}

# The sample with events that are defined in Rust.
defined_sample()
{
	present rust_trace_event || { skip "module rust_trace_event is not found"; return; }
	loaded rust_trace_event "" <<- END
		rust_sample_begin: id=0 len=0
		rust_sample_request: id=1 name=sample flags=READ data=01
		rust_sample_begin: id=1 len=1
		rust_sample_end: id=1 len=1
		rust_sample_request: id=2 name=sample flags=WRITE data=01 02
		rust_sample_begin: id=2 len=2
		rust_sample_end: id=2 len=2
		rust_sample_request: id=3 name=sample flags=READ|WRITE data=01 02 03
		rust_sample_begin: id=3 len=3
		rust_sample_end: id=3 len=3
	END
}

#
# The events of samples of C, which a sample in Rust has once more
#

SAMPLES="trace_events_sample sample_trace_array rust_trace_events_sample"
# Those that the others are compared by come last.
SAMPLE_EVENTS="foo_bar foo_bar_with_cond foo_bar_with_fn foo_rel_loc foo_timer_fn
	foo_with_template_cond foo_with_template_print sample_event
	foo_with_template_fn foo_with_template_simple"

# "sample_pair C": the event in C, its system, and the one in Rust.
sample_pair()
{
	EVENTS="$1 rust_$1"
	C_SYSTEM=sample-trace
	[ "$1" != sample_event ] || C_SYSTEM=sample-subsystem
}

# The directory of $EVENT of a sample below a tracing directory.
sample_dir()
{
	case "$EVENT" in
	rust_*) D="$1/events/rust-sample-trace/$EVENT" ;;
	*) D="$1/events/$C_SYSTEM/$EVENT" ;;
	esac
	[ -d "$D" ] || complain "event $EVENT is missing"
}

have_samples()
{
	for module in $SAMPLES; do
		present "$module" || { skip "module $module is not found"; return; }
		loadable "$module" || { skip "$module is built in"; return; }
	done
}

unload_samples()
{
	have_samples || return
	for module in $SAMPLES; do
		unload "$module" || complain "$module cannot be unloaded" || return
	done
}

# Each event of the header of C is there in Rust, and no others are.
same_sample_events()
{
	have_samples || return
	for module in $SAMPLES; do
		modprobe -q "$module" || complain "$module cannot be loaded" || return
	done
	for EVENT in $SAMPLE_EVENTS; do
		echo "$EVENT"
	done | sort > "$TMP/listed"
	for D in "$TRACING/events/sample-trace" "$TRACING/events/sample-subsystem"; do
		(cd "$D" && ls -d */)
	done | sed 's/\/$//' | sort > "$TMP/1"
	(cd "$TRACING/events/rust-sample-trace" && ls -d */) |
		sed 's/^rust_\(.*\)\/$/\1/' | sort > "$TMP/2"
	same "$TMP/1" "$TMP/2" && same "$TMP/1" "$TMP/listed"
}

# The same of all pages of the instance, which has no records then. Each page is in the
# file before the next one is asked for: a reader that waits for more would have to be
# killed, and could then lose the page that it has read and not yet written.
all_pages()
{
	for cpu in "$I"/per_cpu/cpu*; do
		: > "$TMP/pages"
		until grep -qx "entries: 0" "$cpu/stats"; do
			dd if="$cpu/trace_pipe_raw" bs="$PAGE_SIZE" count=1 2>/dev/null \
				>> "$TMP/pages" || return
		done
		od -An -v -tx1 "$TMP/pages" | tr -s ' ' '\n' | sed '/^$/d'
	done
}

# The lines of a file whose first word is that of a line of another one.
with_key_of()
{
	awk 'NR == FNR { keys[$1] = 1; next } $1 in keys' "$1" "$2"
}

# The counts with which an event was called that is called each time, in C and in Rust;
# without the first and the last one, at which others may have been off.
counts_of()
{
	for prefix in "" rust_; do
		sed -n "s/^.*: $prefix$1: .* \\([0-9]*\\)\$/\\1/p" "$TMP/sample_text" \
			> "$TMP/counts$prefix"
	done
	with_key_of "$TMP/counts" "$TMP/countsrust_" | sort -n | sed -e 1d -e '$d'
}

# Whether the events of each second have at least five counts in common, and those of each
# eighth and each tenth second one. The module in Rust is loaded seconds after those in C on
# a slow machine.
enough_samples()
{
	[ "$(counts_of foo_with_template_fn | wc -l)" -ge 5 ] || return
	counts_of foo_with_template_simple | awk '
		!($1 % 8) { eighth = 1 }
		!($1 % 10) { tenth = 1 }
		END { exit !(NR >= 5 && eighth && tenth) }'
}

# A thread of each module counts the seconds since it was loaded. Conditions let every
# eighth or tenth count pass. All events begin and end at the same time: on a slow machine,
# to enable or disable them one by one takes longer than a second.
record_samples()
{
	unload_samples || return
	I="$INSTANCE"
	[ ! -d "$I" ] || rmdir "$I" || return
	mkdir "$I" || return
	for module in $SAMPLES; do
		modprobe -q "$module" || complain "$module cannot be loaded" || return
	done
	put 0 "$I/tracing_on" || return
	for event in $SAMPLE_EVENTS; do
		sample_pair "$event"
		for EVENT in $EVENTS; do
			sample_dir "$I" && put 1 "$D/enable" || return
		done
	done
	put 1 "$I/tracing_on" || return
	for try in $(seq 40); do
		sleep 1
		cp "$I/trace" "$TMP/sample_text" && enough_samples && break
	done
	put 0 "$I/tracing_on" || return
	for event in $SAMPLE_EVENTS; do
		sample_pair "$event"
		for EVENT in $EVENTS; do
			sample_dir "$I" && put 0 "$D/enable" || return
		done
	done
	cp "$I/trace" "$TMP/sample_text" && all_pages > "$TMP/page" &&
		split_page < "$TMP/page" > "$TMP/sample_records"
}

recorded_samples()
{
	have_samples || return
	[ -s "$TMP/sample_records" ] || complain "nothing is recorded"
}

# The timers have a counter for each CPU, so that the same count can come again.
in_order()
{
	case $EVENT in
	*foo_timer_fn) sort -u ;;
	*) sort ;;
	esac
}

# "same_counts BY FEWEST": what both events have said for the counts of BY or, if BY is
# empty, for those that both have.
same_counts()
{
	if [ -n "$1" ]; then
		counts_of "$1"
	else
		with_key_of "$TMP/keyed1" "$TMP/keyed2"
	fi > "$TMP/common"
	for number in 1 2; do
		with_key_of "$TMP/common" "$TMP/keyed$number" > "$TMP/$number"
	done
	[ "$(lines "$TMP/1")" -ge "$2" ] || complain "$(lines "$TMP/1") records of C" || return
	same "$TMP/1" "$TMP/2"
}

# White space and sizeof() mean the same in any form. The name is that of the event.
same_sample_format()
{
	recorded_samples && sample_pair "$1" || return
	number=0
	for EVENT in $EVENTS; do
		number=$((number + 1))
		sample_dir "$TRACING" || return
		sed -e '/^name: /d' -e '/^ID: /d' -e 's/sizeof(int)/4/g' -e 's/ )/)/g' \
			"$D/format" > "$TMP/$number"
		grep -q "^print fmt: " "$TMP/$number" || return
	done
	same "$TMP/1" "$TMP/2"
}

# "same_sample_bytes EVENT BY FEWEST KEY HIDDEN TEXT", see masked. Each module has threads
# of its own, so the PID differs.
same_sample_bytes()
{
	recorded_samples && sample_pair "$1" || return
	number=0
	for EVENT in $EVENTS; do
		number=$((number + 1))
		sample_dir "$TRACING" || return
		id="$(cat "$D/id")"
		id="$(printf '%02x %02x' $((id % 256)) $((id / 256)))"
		[ "$LITTLE" -eq 1 ] || id="${id#* } ${id% *}"
		grep "^${id% *}${id#* }" "$TMP/sample_records" |
			masked fields "$4" "common_pid${5:+|$5}" "$6" |
			in_order > "$TMP/keyed$number"
	done
	same_counts "$2" "$3"
}

# "same_sample_text EVENT BY FEWEST PATTERN": the group of PATTERN is the count.
same_sample_text()
{
	recorded_samples && sample_pair "$1" || return
	number=0
	for EVENT in $EVENTS; do
		number=$((number + 1))
		sed -n -e "/: $EVENT: /!d" -e "s/^.*: $EVENT: //" \
			-e 's/jiffies=[0-9]*/jiffies=/' -e "s/^$4\$/\\1 &/p" \
			"$TMP/sample_text" | in_order > "$TMP/keyed$number"
	done
	same_counts "$2" "$3"
}

# "threads NAME NUMBER"
threads()
{
	[ "$(cat /proc/[0-9]*/comm 2>/dev/null | grep -cx "$1")" -eq "$2" ] ||
		complain "not $2 threads $1"
}

# The events with functions have a thread while one of them is enabled.
sample_thread()
{
	recorded_samples || return
	for prefix in sample-trace/ rust-sample-trace/rust_; do
		name=event-sample-fn
		[ $prefix = sample-trace/ ] || name=rust-sample-fn
		first="$TRACING/events/${prefix}foo_bar_with_fn/enable"
		second="$TRACING/events/${prefix}foo_with_template_fn/enable"
		threads $name 0 && put 1 "$first" && threads $name 1 &&
			put 1 "$second" && threads $name 1 &&
			put 0 "$first" && threads $name 1 &&
			put 0 "$second" && threads $name 0 || return
	done
}

# With the events on; the timer and the threads are gone then, too.
unload_sample()
{
	recorded_samples || return
	put 1 "$TRACING/events/rust-sample-trace/enable" && threads rust-sample-fn 1 &&
		unload rust_trace_events_sample && threads rust-sample-fn 0 &&
		threads rust-sample 0 && ! [ -d "$TRACING/events/rust-sample-trace" ] &&
		modprobe -q rust_trace_events_sample && threads rust-sample 1 &&
		[ "$(cat "$TRACING/events/rust-sample-trace/enable")" = 0 ]
}

# "sample_tests EVENT BY FEWEST KEY PATTERN HIDDEN TEXT"
sample_tests()
{
	check "rust_$1: same format as in C" same_sample_format "$1"
	check "rust_$1: same bytes as in C" same_sample_bytes "$1" "$2" "$3" "$4" "$6" "$7"
	check "rust_$1: same text as in C" same_sample_text "$1" "$2" "$3" "$5"
}

c_sample_tests()
{
	count='\([0-9]*\)'
	simple=foo_with_template_simple
	with_fn=foo_with_template_fn

	check "samples of C: the same events in Rust" same_sample_events
	check "samples of C: recorded with those in Rust" record_samples
	# strscpy() leaves what is behind the NUL in the record as it was.
	sample_tests foo_bar $simple 5 bar "foo hello $count .*" "" foo
	sample_tests foo_bar_with_cond $simple 1 bar "foo Some times print $count"
	sample_tests foo_bar_with_fn $with_fn 5 bar "foo Look at me $count"
	sample_tests foo_with_template_simple $simple 5 bar "foo HELLO $count"
	sample_tests foo_with_template_cond $simple 1 bar "foo prints other times $count"
	sample_tests foo_with_template_fn $with_fn 5 bar "foo Look at me too $count"
	sample_tests foo_with_template_print $simple 5 bar "bar I have to be different $count"
	sample_tests foo_rel_loc $simple 5 bar "foo_rel_loc Hello __rel_loc, $count, .*"
	# It interrupts whatever runs, and in C disables preemption.
	sample_tests foo_timer_fn "" 1 count "name=sample_timer_counter count=$count" \
		"common_flags|common_preempt_count"
	# The threads do not run in the same moment.
	sample_tests sample_event "" 5 count "count value=$count at jiffies=" time
	check "samples of C: a thread while an event with functions is on" sample_thread
	check "samples of C: the one in Rust unloads while its events are on" unload_sample
	check "samples of C: unloaded" unload_samples
}

# "opens yes|no...": whether the device of the sample can be opened, as often as there are words.
opens()
{
	seen=
	for word in "$@"; do
		if (: < /dev/rust-vendor-hook) 2>/dev/null; then
			seen="$seen yes"
		else
			seen="$seen no"
		fi
	done
	[ "${seen# }" = "$*" ] || complain "opened:$seen, not $*"
}

# The probe of one module changes what the other does, and holds it.
vendor_sample()
{
	present rust_vendor_probe || { skip "module rust_vendor_probe is not found"; return; }
	modprobe -q rust_vendor_probe || return
	need /dev/rust-vendor-hook "no devtmpfs" && opens yes no yes no &&
		! rmmod rust_vendor_hook 2>/dev/null
	status=$?
	rmmod rust_vendor_probe || return
	# Without a probe, nothing refuses it.
	[ $status -ne 0 ] || { opens yes && opens yes && opens yes; } || status=1
	rmmod rust_vendor_hook && return $status
}

# And a driver.
binder()
{
	have_program "$DIR/binder_version" || return
	binder_events="$TRACING/events/rust_binder"
	need "$binder_events" "no CONFIG_ANDROID_BINDER_IPC_RUST" || return
	mkdir -p "$TMP/binder" && mount -t binder none "$TMP/binder" || return
	echo > "$TRACING/trace"
	echo 1 > "$binder_events/enable"
	said="$("$DIR/binder_version" "$TMP/binder/binder")"
	status=$?
	echo 0 > "$binder_events/enable"
	umount "$TMP/binder"
	[ $status -eq 0 ] || complain "$said" || return
	seen="$(sed -n 's/.*: \(binder_ioctl[a-z_]*: [a-z]*=[0-9a-fx]*\).*/\1/p' "$TRACING/trace" |
		tr '\n' ' ')"
	[ "$seen" = "binder_ioctl: ${said%% *} binder_ioctl_done: ret=0 " ] ||
		complain "'$seen', not that of $said"
}

tests()
{
	check "tracepoints of the sample of Rust" sample
	check "events of the sample of Rust" defined_sample
	check "probes of a vendor on a hook in Rust" vendor_sample
	check "tracepoints of the binder driver" binder
	c_sample_tests
}

run_tests
