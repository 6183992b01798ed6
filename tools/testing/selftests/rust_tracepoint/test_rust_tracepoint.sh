#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Trace events that are defined in Rust: what user space sees of one must be what
# it sees of its twin in C. The events are those of the module
# test_rust_tracepoint, which calls them all when a number is written to its
# parameter "fire". Nearly everything happens in an instance of the tracing
# directory.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/lib.sh

# Other events can be compared; different ones must fail.
C_TWIN="${C_TWIN:-test_c_twin}"
RUST_TWIN="${RUST_TWIN:-test_rust_twin}"
RUST_FIRST="${RUST_FIRST:-test_rust_first}"
RUST_SECOND="${RUST_SECOND:-test_rust_second}"
RUST_CONDITION="${RUST_CONDITION:-test_rust_condition}"
RUST_EMPTY="${RUST_EMPTY:-test_rust_empty}"
RUST_FIELDS="${RUST_FIELDS:-test_rust_fields}"
RUST_REL="${RUST_REL:-test_rust_rel}"
RUST_PRINT="${RUST_PRINT:-test_rust_print}"
RUST_FN="${RUST_FN:-test_rust_fn}"
RUST_CONSTANTS="${RUST_CONSTANTS:-test_rust_constants}"
# A module with an event of the same name and system as RUST_CONDITION.
DUPLICATE="${DUPLICATE:-test_rust_tracepoint_duplicate}"

# How often events are called: all that the largest records has to fit on a page.
ROUNDS=18

#
# Tools
#

put()
{
	printf '%s\n' "$1" > "$2"
}

lines()
{
	wc -l < "$1"
}

# Also where the output is redirected.
complain()
{
	ktap_print_msg "$@" >&3
	return 1
}

complain_of()
{
	head -n 20 "$1" | sed 's/^/# /' >&3
	return 1
}

same()
{
	diff -U 0 "$1" "$2" > "$TMP/diff" && return
	# Without the names of the files.
	sed -i '1,2d' "$TMP/diff"
	complain_of "$TMP/diff"
}

# For a test that cannot be done without a file: "need FILE REASON || return".
need()
{
	[ -e "$1" ] || skip "$2"
}

# The directory of $EVENT in the instance.
find_event()
{
	D="$I/events/$SYSTEM/$EVENT"
	[ -d "$D" ] || complain "event $EVENT is missing"
}

# An instance with empty buffers and logs.
fresh()
{
	I="$INSTANCE"
	[ ! -d "$I" ] || rmdir "$I" || return
	mkdir "$I" && find_event
}

# By a builtin of this shell, so that the PID in all records is the same.
fire()
{
	echo "${1:-$ROUNDS}" > $FIRE
}

fire_on()
{
	put 1 "$D/enable" && fire && put 0 "$D/enable"
}

# What the trace says of an event, without task, CPU and time.
text()
{
	sed -n "s/^.*: ${1:-$EVENT}:/EVENT:/p" "$I/trace"
}

unnamed()
{
	sed -e "s/^$EVENT\$/EVENT/" -e "s/\\([^[:alnum:]_]\\)$EVENT\$/\\1EVENT/" \
	    -e "s/^$EVENT\\([^[:alnum:]_]\\)/EVENT\\1/" \
	    -e "s/\\([^[:alnum:]_]\\)$EVENT\\([^[:alnum:]_]\\)/\\1EVENT\\2/g"
}

# Writes what must be refused; prints the error, and what the log says.
refused()
{
	if message="$(printf '%s\n' "$1" | LC_ALL=C cat 2>&1 > "$2")"; then
		complain "'$1' is taken"
		return
	fi
	echo "${message##*: }"
	sed 's/^\[[ .0-9]*\] *//' "$I/error_log" | unnamed
}

# "pair C RUST COUNT FUNCTION...": FUNCTION is called for each of the events, in
# a fresh instance; what it prints must be the same, and COUNT lines or, if COUNT
# is "-", any number but 0.
pair()
{
	events="$1 $2"
	count="$3"
	shift 3

	number=0
	for EVENT in $events; do
		number=$((number + 1))
		out="$TMP/$number"
		fresh || return
		"$@" > "$out"
		status=$?
		if [ $status -ne 0 ]; then
			[ $status -eq "$KSFT_SKIP" ] || complain "$EVENT: '$*' fails" ||
				complain_of "$out"
			return $status
		fi
		if [ "$count" = - ] && ! [ -s "$out" ]; then
			complain "$EVENT: nothing to compare"
			return
		fi
		if [ "$count" != - ] && [ "$(lines "$out")" -ne "$count" ]; then
			complain "$EVENT: $(lines "$out") lines, not $count"
			return
		fi
	done
	same "$TMP/1" "$TMP/2"
}

alike()
{
	pair "$C_TWIN" "$RUST_TWIN" "$@"
}

#
# Records in binary
#

# The bytes of the only page with records, one in hexadecimal a line.
page()
{
	cpu="$(grep -lx "entries: $1" "$I"/per_cpu/cpu*/stats)" || return
	dd if="${cpu%/stats}/trace_pipe_raw" bs="$PAGE_SIZE" count=1 2>/dev/null |
		od -An -v -tx1 | tr -s ' ' '\n' | sed '/^$/d'
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

# From the bytes of pages, each record as a line of hexadecimal digits.
split_page()
{
	awk -v little="$LITTLE" -v commit="$COMMIT" -v data="$DATA" -v page="$PAGE_SIZE" '
	function number(at, size,   i, value) {
		value = 0
		for (i = 0; i < size; i++)
			value = value * 256 + byte(little ? at + size - 1 - i : at + i)
		return value
	}
	function byte(at) {
		return 16 * digit(substr(bytes[at], 1, 1)) + digit(substr(bytes[at], 2, 1))
	}
	function digit(c) {
		return index("0123456789abcdef", c) - 1
	}
	{ bytes[count++] = $1 }
	END {
		for (base = 0; base + data < count; base += page)
			split_at(base)
	}
	function split_at(base,   at, end, size, word, type, from, line, i) {
		# The upper bits are flags.
		end = base + data + number(base + commit, data - commit) % 1048576
		for (at = base + data; at < end; at += 4 + size) {
			word = number(at, 4)
			type = little ? word % 32 : int(word / 134217728)
			from = at + 4
			size = 4 * type
			if (type == 30 || type == 31) {
				size = 4
				continue
			}
			if (type == 0 || type == 29) {
				size = number(at + 4, 4)
				from += 4
			}
			if (type == 29)
				continue
			line = ""
			for (i = from; i < at + 4 + size; i++)
				line = line bytes[i]
			print line
		}
	}'
}

# Hides the ID of the event in records, the bits of the flags that the scheduler
# sets, and, for "fields", the bytes that are in no field. For "between" only those
# are shown: of the part with the fields, and of what the compiler has behind it,
# which comes behind the arrays in a record.
#
# "masked fields KEY HIDDEN TEXT": each record after the value of its field KEY; the
# fields HIDDEN, with "|" between them, are hidden, and what the array TEXT has behind
# its NUL.
masked()
{
	awk -v little="$LITTLE" -v only="$1" -v format="$D/format" -v key="$2" -v hide="$3" \
	    -v text="$4" '
	function digit(c) {
		return index("0123456789abcdef", c) - 1
	}
	function byte(at) {
		return 16 * digit(substr($0, 2 * at + 1, 1)) + digit(substr($0, 2 * at + 2, 1))
	}
	function number(at, size,   i, value) {
		value = 0
		for (i = 0; i < size; i++)
			value = value * 256 + byte(little ? at + size - 1 - i : at + i)
		return value
	}
	function attribute(name) {
		match(line, name ":[0-9]+")
		return substr(line, RSTART + length(name) + 1, RLENGTH - length(name) - 1) + 0
	}
	BEGIN {
		key_size = text_offset = text_end = 0
		while ((getline line < format) > 0) {
			if (line !~ /field:/)
				continue
			offset = attribute("offset")
			size = attribute("size")
			for (i = offset; i < offset + size; i++)
				field[i] = 1
			if (offset + size > last)
				last = offset + size
			if (line ~ /common_type;/ || hide != "" && line ~ (" (" hide ");"))
				for (i = offset; i < offset + size; i++)
					hidden[i] = 1
			if (key != "" && line ~ (" " key ";")) {
				key_offset = offset
				key_size = size
			}
			if (text != "" && line ~ (" " text "\\[[0-9]+\\];")) {
				text_offset = offset
				text_end = offset + size
			}
			if (line ~ /common_flags;/)
				flags = offset
			if (line ~ /__(data|rel)_loc/)
				locations[offset] = size
			# Counted from the end of the field.
			if (line ~ /__rel_loc/)
				behind_field[offset] = offset + size
		}
	}
	{
		split("", dynamic)
		end = last
		for (i in locations) {
			place = number(i, locations[i])
			offset = place % 65536 + behind_field[i]
			size = int(place / 65536)
			for (j = offset; j < offset + size; j++)
				dynamic[j] = 1
			if (offset + size > end)
				end = offset + size
		}
		# A field of 8 bytes makes the size a multiple of 8.
		behind = end + (8 - last % 8) % 8
		line = key_size ? number(key_offset, key_size) " " : ""
		for (i = text_offset; i < text_end && byte(i) != 0; i++)
			;
		text_nul = i
		for (i = 0; 2 * i < length($0); i++) {
			value = substr($0, 2 * i + 1, 2)
			if (i == flags) {
				value = byte(i)
				# need-resched in its three forms
				value -= int(value / 2) % 2 * 2 + int(value / 4) % 2 * 4
				value -= int(value / 32) % 2 * 32
				value = sprintf("%02x", value)
			}
			data = i in field || i in dynamic
			if (i in hidden || only == "fields" && !data)
				value = ".."
			if (i > text_nul && i < text_end)
				value = ".."
			if (only == "between" && (data || i >= last && i < end || i >= behind))
				value = ".."
			line = line value
		}
		print line
	}'
}

# Writes "x" all over the pages of the buffers, which are as new in an instance.
dirty()
{
	put 8 "$I/buffer_size_kb" || return
	for cpu in "$I"/per_cpu/cpu*; do
		number="${cpu##*/cpu}"
		[ -d /sys/devices/system/cpu/cpu"$number" ] || continue
		! grep -qsx 0 /sys/devices/system/cpu/cpu"$number"/online || continue
		# 500 bytes at a time, 12 pages.
		taskset "$(printf %x $((1 << number)))" sh -c 'i=0
			while [ $i -lt "$3" ]; do
				printf %s "$1" > "$2" || exit
				i=$((i + 1))
			done' sh "$(printf %500s | tr " " x)" "$I/trace_marker" \
			$((PAGE_SIZE / 40)) || return
		lacks -qx "overrun: 0" "$cpu/stats" || complain "the buffer is not full" || return
	done
	: > "$I/trace"
}

# "records fields|all|between [FILTER [COUNT]]". The shell may move to another CPU
# between two records, though it seldom does.
records()
{
	for try in 1 2 3 4 5; do
		fresh || return
		[ "$1" != between ] || dirty || return
		[ -z "$2" ] || put "$2" "$D/filter" || return
		fire_on
		page "${3:-$ROUNDS}" > "$TMP/page" && break
	done
	split_page < "$TMP/page" | masked "$1"
}

#
# What user space sees of an event: functions for pair
#

files()
{
	for file in enable filter trigger id format; do
		[ -e "$D/$file" ] || complain "no $file" || return
	done
	ls "$D"
}

format()
{
	sed '/^ID: /d' "$D/format" | unnamed
}

printed()
{
	fire_on && text
}

printed_at_top()
{
	I="$TRACING"
	find_event || return
	recording="$(cat "$I/tracing_on")"
	enabled="$(cat "$D/enable")"
	put 1 "$I/tracing_on" && fire_on && text | tail -n $ROUNDS
	status=$?
	put "$recording" "$I/tracing_on"
	put "${enabled%\*}" "$D/enable"
	return $status
}

printed_by_field()
{
	need "$I/options/fields" "no such option" || return
	put 1 "$I/options/fields" && printed
}

printed_for_pid()
{
	put "$1" "$I/set_event_pid" && printed
}

injected()
{
	need "$D/inject" "no CONFIG_TRACE_EVENT_INJECT" || return
	put "$1" "$D/inject" && text
}

# Of a bool, any byte can be injected; C would be as free to print what it likes.
injected_bool()
{
	EVENT="$RUST_TWIN"
	fresh || return
	need "$D/inject" "no CONFIG_TRACE_EVENT_INJECT" || return
	put "id=7 odd=$1" "$D/inject" && text | grep " id=7 .* odd=$1 "
}

wrongly_injected()
{
	need "$D/inject" "no CONFIG_TRACE_EVENT_INJECT" || return
	! (put "$1" "$D/inject") 2>/dev/null && text
}

selected()
{
	name="$(echo "$1" | sed "s/%/$EVENT/")"

	put "$name" "$I/set_event" && fire && put "!$name" "$I/set_event" && fire || return
	lacks . "$I/set_event" && text
}

listed_as_set()
{
	put "$EVENT" "$I/set_event" && unnamed < "$I/set_event"
}

filtered()
{
	put "$1" "$D/filter" && [ "$(cat "$D/filter")" = "$1" ] && printed
}

filtered_in_system()
{
	put "$1" "$I/events/$SYSTEM/filter" && printed
}

misfiltered()
{
	refused "$1" "$D/filter" && unnamed < "$D/filter" && fire_on && text | wc -l
}

misfiltered_as_invalid()
{
	refused "$1" "$D/filter" && [ "$message" != "${message%: Invalid argument}" ]
}

traceoff()
{
	put "traceoff:1 if id == 3" "$D/trigger" && fire_on || return
	[ "$(cat "$I/tracing_on")" -eq 0 ] || complain "still recording" || return
	text
}

shown_trigger()
{
	put "$1" "$D/trigger" && unnamed < "$D/trigger" && put "!$1" "$D/trigger" || return
	grep -q "^# Available triggers" "$D/trigger" || complain "there is still a trigger"
}

# Of a trace in C and one in Rust, only what is below the call is the same.
stacktrace()
{
	put "stacktrace:2" "$D/trigger" && fire_on || return
	awk '/<stack trace>/ { stacks++ } / => param_attr_store/ { print "stack", stacks }' \
		"$I/trace"
}

# The next round is the first with the other event on.
enable_event()
{
	put "enable_event:$SYSTEM:test_c_first if id == 5" "$D/trigger" && fire || return
	text test_c_first
}

snapshot()
{
	need "$I/snapshot" "no CONFIG_TRACER_SNAPSHOT" || return
	put "snapshot:1 if id == 7" "$D/trigger" && fire_on || return
	sed -n "s/^.*: $EVENT:/EVENT:/p" "$I/snapshot"
}

bad_trigger()
{
	refused "$1" "$D/trigger" && unnamed < "$D/trigger"
}

histogram()
{
	need "$D/hist" "no CONFIG_HIST_TRIGGERS" || return
	put "hist:$1" "$D/trigger" && fire_on && unnamed < "$D/hist" > "$TMP/hist" || return
	grep -q "Hits: $ROUNDS\$" "$TMP/hist" || complain "not every hit counts" || return
	cat "$TMP/hist"
}

bad_histogram()
{
	need "$D/hist" "no CONFIG_HIST_TRIGGERS" || return
	bad_trigger "hist:$1"
}

raw_tracepoint()
{
	have_program "$DIR/raw_tp" || return
	need /proc/sys/kernel/unprivileged_bpf_disabled "no CONFIG_BPF_SYSCALL" || return
	"$DIR/raw_tp" "$EVENT" "$1" $FIRE $ROUNDS
}

# A program that looks at more arguments than there are.
bad_raw_tracepoint()
{
	raw_tracepoint "$1" > "$TMP/error"
	status=$?
	[ $status -ne "$KSFT_SKIP" ] || return $status
	cat "$TMP/error"
	grep -qx "attach: error 22" "$TMP/error"
}

# What a program of the kind tp_btf sees, with the types from the BTF of the module.
typed_tracepoint()
{
	have_program "$DIR/raw_tp" || return
	[ -e /sys/kernel/btf/$MODULE ] || { skip "no BTF of the module"; return; }
	"$DIR/raw_tp" -b $MODULE "$EVENT" "$1" $FIRE $ROUNDS
}

# A program that reads eight bytes of the struct, which has four.
bad_typed_tracepoint()
{
	EVENT="$RUST_CONDITION"
	typed_tracepoint 8 > "$TMP/error"
	status=$?
	[ $status -ne "$KSFT_SKIP" ] || return $status
	cat "$TMP/error"
	grep -qx "BPF program: error 13" "$TMP/error"
}

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

#
# Tests of one event, or of both at a time
#

available()
{
	grep -qx "$SYSTEM:$1" "$TRACING/available_events" || complain "event $1 is missing"
}

# Of the class of test_rust_first; rustc would leave out its functions in any case.
left_out()
{
	available test_rust_first && lacks ":test_rust_left_out\$" "$TRACING/available_events"
}

# Name and ID in the format are those of the event and of no other.
named()
{
	EVENT="$1"
	fresh || return
	id="$(cat "$D/id")"
	[ "$(sed -n 's/^name: //p' "$D/format")" = "$EVENT" ] &&
		[ "$(sed -n 's/^ID: //p' "$D/format")" = "$id" ] &&
		[ "$(cat "$I"/events/*/*/id | grep -cx "$id")" -eq 1 ]
}

# Records of either event, with only that one on.
apart()
{
	for EVENT in "$C_TWIN" "$RUST_TWIN"; do
		fresh && fire_on && text > "$TMP/on" && fire && text > "$TMP/off" || return
		[ "$(lines "$TMP/on")" -eq $ROUNDS ] || complain "$EVENT is not recorded" || return
		[ "$(lines "$TMP/off")" -eq $ROUNDS ] || complain "$EVENT is never off" || return
		[ "$(grep -c ": test_" "$I/trace")" -eq $ROUNDS ] ||
			complain "$EVENT is not alone" || return
	done
}

instances_apart()
{
	EVENT="$RUST_TWIN"
	fresh || return
	mkdir "$INSTANCE-other" && fire_on &&
		lacks -q ": $EVENT:" "$INSTANCE-other/trace" &&
		I="$INSTANCE-other" && find_event && put 1 "$D/enable" &&
		[ "$(cat "$INSTANCE/events/$SYSTEM/$EVENT/enable")" = 0 ] && fire 1
	status=$?
	I="$INSTANCE"
	[ "$(text | wc -l)" -eq $ROUNDS ] &&
		[ "$(grep -c ": $EVENT:" "$INSTANCE-other/trace")" -eq 1 ] || status=1
	rmdir "$INSTANCE-other" && return $status
}

# Every event of the system, the values of all "enable" files.
system_switch()
{
	EVENT="$RUST_TWIN"
	fresh || return
	all="$I/events/$SYSTEM/enable"
	put 1 "$all" && [ "$(cat "$I/events/$SYSTEM"/*/enable | sort -u)" = 1 ] &&
		[ "$(cat "$all")" = 1 ] && fire || return
	for event in "$C_TWIN" "$RUST_TWIN"; do
		[ "$(text "$event" | wc -l)" -eq $ROUNDS ] ||
			complain "$event is not recorded" || return
	done
	put 0 "$D/enable" && [ "$(cat "$all")" = X ] &&
		put 0 "$all" && [ "$(cat "$all")" = 0 ] || return
	before="$(lines "$I/trace")"
	fire && [ "$(lines "$I/trace")" -eq "$before" ]
}

# How many records the buffers of the instance hold.
recorded()
{
	awk '/^entries:/ { n += $2 } END { print n + 0 }' "$I"/per_cpu/cpu*/stats
}

# An event is switched all the time: what is recorded is complete, and nothing
# is recorded in the end. A guest that shares its CPUs with compilers may need
# more than 3 s to be seen with the event on while it is called.
toggled()
{
	EVENT="$1"
	fresh && put 1 "$D/enable" && fire 100 && put 0 "$D/enable" || return
	text > "$TMP/valid"
	while put 1 "$D/enable" && put 0 "$D/enable"; do :; done &
	BACKGROUND=$!
	began=$(date +%s)
	while fire 100 && past=$(($(date +%s) - began)) && [ $past -lt 60 ]; do
		[ $past -lt 3 ] || [ "$(recorded)" -le 100 ] || break
	done
	kill $BACKGROUND
	wait $BACKGROUND 2>/dev/null
	BACKGROUND=
	put 0 "$D/enable"
	text > "$TMP/seen"
	ktap_print_msg "$(lines "$TMP/seen") records"
	[ "$(lines "$TMP/seen")" -gt 100 ] ||
		complain "on for $(lines "$TMP/seen") calls in $past s" || return
	if grep -vxFf "$TMP/valid" "$TMP/seen" > "$TMP/wrong"; then
		complain_of "$TMP/wrong"
		return
	fi
	fire && [ "$(text | wc -l)" -eq "$(lines "$TMP/seen")" ]
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

#
# The module
#

# The init function of the module fails, and so does modprobe, if a check does.
loads()
{
	loadable $MODULE || {
		skip "built in"
		return
	}
	unload $MODULE && modprobe $MODULE
}

must_be_loadable()
{
	loadable $MODULE || skip "built in"
}

# With its events on, in an instance and elsewhere.
unloads()
{
	must_be_loadable || return
	EVENT="$RUST_TWIN"
	fresh || return
	put 1 "$I/events/$SYSTEM/enable" && fire && text | grep -q . || return
	unload $MODULE || complain "the module cannot be unloaded" || return
	lacks "^$SYSTEM:" "$TRACING/available_events" &&
		! [ -d "$I/events/$SYSTEM" ] && ! [ -d "$TRACING/events/$SYSTEM" ] &&
		lacks ": test_" "$I/trace" && modprobe $MODULE &&
		fresh && [ "$(cat "$D/enable")" = 0 ] && fire_on && text | grep -q .
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

# The log says which event of a module exists already; those that existed must not notice.
duplicate()
{
	present "$DUPLICATE" || {
		skip "module $DUPLICATE is not found"
		return
	}
	must_be_loadable || return
	said="$DUPLICATE: event $SYSTEM:$RUST_CONDITION exists already"
	before=$(dmesg | grep -c "$said")
	# Alone, its event is new.
	unload $MODULE && modprobe -q "$DUPLICATE" && unload "$DUPLICATE" &&
		modprobe -q $MODULE || return
	EVENT="$RUST_TWIN"
	fresh || return
	modprobe -q "$DUPLICATE" || complain "$DUPLICATE does not load beside $MODULE" || return
	alike $ROUNDS printed
	status=$?
	unload "$DUPLICATE" || return
	[ "$(dmesg | grep -c "$said")" -eq $((before + 1)) ] ||
		complain "the log does not say which event exists" || return
	[ $status -eq 0 ] && alike $ROUNDS printed
}

#
# All tests, in order
#

twin_tests()
{
	check "twins: same files" alike - files
	check "twins: same format" alike - format
	check "twins: name and ID of the C event" named "$C_TWIN"
	check "twins: name and ID of the Rust event" named "$RUST_TWIN"

	check "twins: same text" alike $ROUNDS printed
	check "twins: same text at the top" alike $ROUNDS printed_at_top
	check "twins: same text by field" alike $ROUNDS printed_by_field
	check "twins: same bytes in all fields" alike $ROUNDS records fields
	check "twins: same bytes when filtered" alike $ROUNDS records fields "last == -1"
	check "twins: recorded only when on" apart
	check "twins: same text when injected" \
		alike 1 injected 'id=7 flags=3 negative=-2 name="injected" label="lbl"'
	check "twins: a bool is the byte that is injected" injected_bool 7
	check "twins: no injection of a field that is not there" \
		alike 0 wrongly_injected 'other=7'
	check "twins: own task traced" alike $ROUNDS printed_for_pid $$
	check "twins: other task not traced" alike 0 printed_for_pid 1

	check "set_event: name" alike $ROUNDS selected "%"
	check "set_event: system and name" alike $ROUNDS selected "$SYSTEM:%"
	check "set_event: listed" alike 1 listed_as_set
	check "enable: the whole system" system_switch
	check "enable: instances are apart" instances_apart
	check "enable: toggled while called, C" toggled "$C_TWIN"
	check "enable: toggled while called, Rust" toggled "$RUST_TWIN"
}

filter_tests()
{
	while read -r count expression; do
		check "filter: $expression" alike "$count" filtered "$expression"
	done <<-'END'
		1 id == 5
		4 low < 4
		7 negative < -10
		8 flags & 4
		9 odd == 1
		2 wide >= 0x1000
		18 last == -1
		18 task != 0
		18 name == "twin"
		0 name == "other"
		0 name != "twin"
		18 name ~ "*wi*"
		18 label == "label"
		0 label ~ "*x"
		8 id > 3 && (name == "twin" && flags == 2 || odd == 0)
		17 !(id == 4)
	END
	check "filter: process" alike $ROUNDS filtered "common_pid == $$"
	check "filter: system" alike 1 filtered_in_system "id == 3"
	check "bad filter: a wrong field is an invalid argument" \
		alike - misfiltered_as_invalid "other == 1"
	while read -r expression; do
		check "bad filter: $expression" alike - misfiltered "$expression"
	done <<-'END'
		other == 1
		id ==
		id == "five"
		id ~ "5*"
		name == twin
		name > "twin"
		(id == 1
		id == 1)
		id == 1 &&
	END
}

trigger_tests()
{
	check "trigger: traceoff" alike 4 traceoff
	check "trigger: stacktrace" alike 2 stacktrace
	check "trigger: enable_event with a filter" alike 12 enable_event
	check "trigger: snapshot with a filter" alike 8 snapshot
	while read -r trigger; do
		check "trigger: $trigger is shown" alike 1 shown_trigger "$trigger"
	done <<-'END'
		traceon:3
		traceoff if name == "twin"
		stacktrace:5 if flags & 4
	END
	while read -r trigger; do
		check "bad trigger: $trigger" alike - bad_trigger "$trigger"
	done <<-'END'
		nonsense
		traceoff if other == 1
		traceoff:many
	END
	while read -r keys; do
		check "hist: $keys" alike - histogram "$keys"
	done <<-'END'
		keys=flags:vals=low:sort=flags
		keys=flags,odd:vals=hitcount,id,wide:sort=flags,odd
		keys=name:vals=id
		keys=label
		keys=negative:sort=negative.descending
		keys=id.log2:sort=id
		keys=id.buckets=4:sort=id
		keys=last.hex
		keys=common_pid if id > 2 || odd == 0 || odd == 1
	END
	while read -r keys; do
		check "bad hist: $keys" alike - bad_histogram "$keys"
	done <<-'END'
		keys=other
		vals=id
		keys=id:sort=other
	END
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

# "value_for_bpf PROGRAM SIZE": in C "value" is the argument; in Rust the argument points
# to a struct with the values of all fields, of which "value" has SIZE bytes. PROGRAM
# loads a program that prints it.
value_for_bpf()
{
	case $EVENT in
	"$C_EVENT") "$1" v ;;
	*) "$1" "$2" ;;
	esac
}

# "small_tests C RUST COUNT HIGH SIZE": of an event with the one field "value" of SIZE
# bytes, that is recorded COUNT times, HIGH of them with a value above 9.
small_tests()
{
	check "$2: same format" pair "$1" "$2" - format
	check "$2: same text" pair "$1" "$2" "$3" printed
	check "$2: same bytes" pair "$1" "$2" "$3" records all "" "$3"
	check "$2: same text when filtered" pair "$1" "$2" "$4" filtered "value > 9"
	C_EVENT="$1"
	check "$2: same value for BPF" pair "$1" "$2" 2 value_for_bpf raw_tracepoint "$5"
	check "$2: same value for BPF with types" \
		pair "$1" "$2" 2 value_for_bpf typed_tracepoint "$5"
	check "$2: no argument too many for BPF" pair "$1" "$2" 1 bad_raw_tracepoint vv
}

# Records of up to a page each: few rounds, read one at a time.
in_rounds()
{
	for round in 1 3 6 7; do
		fresh && put "nr == $round" "$D/filter" && fire_on && "$@" $round || return
	done
}

# With the lines that follow the first one of a hex dump.
text_of_round()
{
	sed -e '/^#/d' -e "s/^.*: $EVENT:/EVENT:/" "$I/trace"
}

bytes_of_round()
{
	page 1 > "$TMP/page" && split_page < "$TMP/page" | masked fields
}

# "kind_tests C RUST": events with fields of many kinds, one of them "nr".
kind_tests()
{
	check "$2: same format" pair "$1" "$2" - format
	check "$2: same text" pair "$1" "$2" - printed
	check "$2: same text by field" pair "$1" "$2" - printed_by_field
	check "$2: same text by round" pair "$1" "$2" - in_rounds text_of_round
	check "$2: same bytes" pair "$1" "$2" 4 in_rounds bytes_of_round
}

# What is printed of constants has their types; the text behind them is the name.
constants()
{
	EVENT="$RUST_CONSTANTS"
	fresh && fire_on && text > "$TMP/found" || return
	for value in $(seq 0 $((ROUNDS - 1))); do
		echo "EVENT: page=12345000 small=4096 negative=-1 shifted=1099511627776" \
			"parts=1,$value name=constants"
	done > "$TMP/wanted"
	same "$TMP/wanted" "$TMP/found"
}

# The compiler alone parses formats, but for the examples in its documentation.
no_parser()
{
	lacks -q ' rust_doctest_' /proc/kallsyms || skip "the examples are in the kernel" ||
		return
	grep -q ' _R[^ ]*6kernel' /proc/kallsyms || complain "no symbol of the kernel crate" ||
		return
	lacks -q -e ' _R[^ ]*6kernel6printf' -e ' _R[^ ]*11trace_event3key' /proc/kallsyms
}

# There is no such event in C; a record has the common fields alone.
empty()
{
	EVENT="$RUST_EMPTY"
	fresh || return
	! sed '/common_/d' "$D/format" | grep field: && fire_on || return
	[ "$(text | wc -l)" -eq $ROUNDS ]
}

# The ring buffer makes a record that small longer, by bytes of no field.
empty_record()
{
	EVENT="$RUST_EMPTY"
	records fields > "$TMP/empty" && [ "$(lines "$TMP/empty")" -eq $ROUNDS ] &&
		[ "$(sed 's/\(.\{16\}\)\.*$/\1/' "$TMP/empty" | sort -u | wc -c)" -eq 17 ]
}

# All records or none: there is nothing but the common fields to select them by.
empty_filtered()
{
	EVENT="$RUST_EMPTY"
	fresh && put "common_pid == $$" "$D/filter" && fire_on &&
		[ "$(text | wc -l)" -eq $ROUNDS ] || return
	put "common_pid != $$" "$D/filter" && fire_on && [ "$(text | wc -l)" -eq $ROUNDS ]
}

# A program that looks at no argument, on this event and on one of C.
empty_raw_tracepoint()
{
	pair test_c_first "$RUST_EMPTY" 1 raw_tracepoint "" &&
		[ "$(cat "$TMP/2")" = "hits $ROUNDS" ]
}

empty_bad_raw_tracepoint()
{
	EVENT="$RUST_EMPTY"
	bad_raw_tracepoint vv
}

empty_tests()
{
	check "$RUST_EMPTY: no fields" empty
	check "$RUST_EMPTY: no bytes" empty_record
	check "$RUST_EMPTY: filter" empty_filtered
	check "$RUST_EMPTY: called for BPF" empty_raw_tracepoint
	check "$RUST_EMPTY: one argument for BPF, a pointer to nothing" empty_bad_raw_tracepoint
}

tests()
{
	check "the module finds no error in itself" loads
	for event in "$C_TWIN" "$RUST_TWIN" "$RUST_CONDITION" "$RUST_FIRST" "$RUST_SECOND" \
		     "$RUST_EMPTY" "$RUST_FIELDS" "$RUST_REL" "$RUST_PRINT" "$RUST_FN" \
		     "$RUST_CONSTANTS"; do
		check "$event is available" available "$event"
	done
	check "an event that #[cfg] leaves out is not available" left_out
	twin_tests
	filter_tests
	trigger_tests
	tool_tests
	small_tests test_c_condition "$RUST_CONDITION" $((ROUNDS - 1)) 8 4
	small_tests test_c_first "$RUST_FIRST" $ROUNDS 8 8
	small_tests test_c_second "$RUST_SECOND" $((ROUNDS / 2)) 4 8
	kind_tests test_c_fields "$RUST_FIELDS"
	kind_tests test_c_rel "$RUST_REL"
	kind_tests test_c_print "$RUST_PRINT"
	check "$RUST_FN: same format" pair test_c_fn "$RUST_FN" - format
	check "$RUST_FN: same text" pair test_c_fn "$RUST_FN" $ROUNDS printed
	check "$RUST_CONDITION: no byte too many for BPF with types" bad_typed_tracepoint
	empty_tests
	check "$RUST_CONSTANTS: same values as in Rust" constants
	check "the parser of formats is not in the kernel" no_parser
	check "the module unloads while its events are on" unloads
	check "a second event of the same name" duplicate
	check "a tprobe on an event in Rust" tprobe
	check "tracepoints of the sample of Rust" sample
	check "events of the sample of Rust" defined_sample
	check "probes of a vendor on a hook in Rust" vendor_sample
	check "tracepoints of the binder driver" binder
	c_sample_tests
}

clean_up()
{
	[ -z "$BACKGROUND" ] || kill "$BACKGROUND" 2>/dev/null
	for module in $SAMPLES; do
		unload "$module"
	done
	for module in $LOADED_SAMPLES; do
		modprobe -q "$module"
	done
	for instance in "$INSTANCE" "$INSTANCE-other" \
			"$TRACING/instances/rust_tracepoint_cmd_$$"; do
		[ ! -d "$instance" ] || rmdir "$instance"
	done
	put_back
}

exec 3>&1
ktap_print_header
LOADED_SAMPLES=
for module in $SAMPLES; do
	[ ! -d "/sys/module/$module" ] || LOADED_SAMPLES="$LOADED_SAMPLES $module"
done
set_up clean_up
INSTANCE="$TRACING/instances/rust_tracepoint_$$"
[ -d "$TRACING/instances" ] || skip_all "no instances of the tracing directory"
[ -d /sys/module/$MODULE ] || modprobe -q $MODULE

# From "field: TYPE NAME; offset:N; size:N;"
COMMIT="$(sed -n 's/.* commit;.*offset:\([0-9]*\);.*/\1/p' "$TRACING/events/header_page")"
DATA="$(sed -n 's/.* data;.*offset:\([0-9]*\);.*/\1/p' "$TRACING/events/header_page")"
PAGE_SIZE="$(sed -n 's/.* data;.*size:\([0-9]*\);.*/\1/p' "$TRACING/events/header_page")"
PAGE_SIZE=$((DATA + PAGE_SIZE))
LITTLE=0
[ "$(printf '\1\0' | od -An -tu2 | tr -d ' ')" -ne 1 ] || LITTLE=1

tests
ktap_set_plan "$KSFT_NUM_TESTS"
RUNNING=y
tests
clean_up
ktap_finished
