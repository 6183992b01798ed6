#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Trace events that are defined in Rust beside those that are defined in C: files, formats,
# records, and where they are enabled.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/events.sh

files()
{
	for file in enable filter trigger id format; do
		[ -e "$D/$file" ] || complain "no $file" || return
	done
	ls "$D"
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

# The init function of the module fails, and so does modprobe, if a check does.
loads()
{
	loadable $MODULE || {
		skip "built in"
		return
	}
	unload $MODULE && modprobe $MODULE
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
	check "the module unloads while its events are on" unloads
	check "a second event of the same name" duplicate
}

run_tests
