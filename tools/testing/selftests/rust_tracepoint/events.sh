# SPDX-License-Identifier: GPL-2.0
#
# What the tests of events in Rust share: what user space sees of an event that is defined in
# Rust must be what it sees of its twin in C. The events are those of the module
# test_rust_tracepoint, which calls them all when a number is written to its parameter "fire".
# Nearly everything happens in an instance of the tracing directory.
#
# Copyright (C) 2026 The static-key tracepoints developers

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
# Those that a program loads and unloads.
SAMPLES=

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

must_be_loadable()
{
	loadable $MODULE || skip "built in"
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

format()
{
	sed '/^ID: /d' "$D/format" | unnamed
}

printed()
{
	fire_on && text
}

printed_by_field()
{
	need "$I/options/fields" "no such option" || return
	put 1 "$I/options/fields" && printed
}

filtered()
{
	put "$1" "$D/filter" && [ "$(cat "$D/filter")" = "$1" ] && printed
}

#
# Main
#

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

# Runs the tests of a program, which its function tests has.
run_tests()
{
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
}
