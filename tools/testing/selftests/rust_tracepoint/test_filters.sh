#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Filters, triggers and histograms of events in Rust, and the errors of those that are wrong.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/events.sh

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

tests()
{
	filter_tests
	trigger_tests
}

run_tests
