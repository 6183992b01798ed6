#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Events of markers with strings, and with other memory that an argument points to.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	UUID="uuid 20010db8-0405-0607-0809-0a0b0c0d0e0f"
	m=test_marker
	check "strings" shows ${m}_string "name first text 'it' padded \[it    \]"
	check "strings with a limit" shows ${m}_limited "four abcd three abc more it"
	check "no byte behind a fault" shows ${m}_edge "edge '(fault)'"
	check "a string of which nothing is read" shows ${m}_none_of "none ''"
	check "strings that cannot be read" shows ${m}_bad_string \
		"null (null) bad (fault) empty ''"
	check "filters on strings that cannot be read" filter_ends
	check "quotation marks and backslashes" shows ${m}_quotes 'say="it" back\\slash'
	check "bytes that cannot be printed" shows ${m}_escaped \
		'any "a\\n\\e\\"\\\\\\303\\251" wide \[           \\nb|\\nb           ] char \\n'
	check "strings that are cut say so" cut_strings
	check "strings that are cut, in tools" cut_format
	check "addresses of networks" shows ${m}_address \
		"mac 20:01:0d:b8:04:05 v4 32.1.13.184 v6 2001:db8:405:607:809:a0b:c0d:e0f $UUID"
	check "bytes, and numbers behind pointers" shows ${m}_bytes \
		"bytes 20 01 0d b8 04 05 phys 0x12345678 gfp GFP_KERNEL"
	many="20 01$(printf ' %.0s00' $(seq 61)) b8"
	check "more than is made on the stack" shows ${m}_large \
		"$many $many $many $many nr 7 name large"
	check "pointers that cannot be read" shows ${m}_bad_pointer \
		"mac 00:00:00:00:00:00(fault)"
	string="__data_loc char[]"
	check "fields of strings" format ${m}_string \
		"u32 __cut; $string name; $string text; $string padded"
	check "fields with faults" format ${m}_address \
		"u32 __fault; u8 mac[6]; u8 v4[4]; u8 v6[16]; u8 uuid[16]"
	check "no complaint in the log" clean_log
}

# By their ends, which a filter finds by the length that the record has for them.
filter_ends()
{
	accepted test_marker_bad_string || return
	for filter in 'null ~ "*null)"' 'bad ~ "*fault)"' 'null == "(null)" && bad == "(fault)"'; do
		echo "$filter" > events/markers/test_marker_bad_string/filter
		fire 2
		[ "$(records test_marker_bad_string | grep -c .)" -eq 2 ] || complain "$filter" ||
			return
	done
}

# "x_numbers": each run of x as its length.
x_numbers()
{
	awk '{
		while (match($0, /xx+/))
			$0 = substr($0, 1, RSTART - 1) RLENGTH substr($0, RSTART + RLENGTH)
		print
	}'
}

# Behind the quotation mark, if there is one; and the bits.
cut_strings()
{
	for event in long_string room room_limited room_edge; do
		accepted test_marker_$event || return
	done
	echo '__cut == 2' > events/markers/test_marker_room/filter &&
	echo '__cut == 6' > events/markers/test_marker_room_limited/filter && fire 1 || return
	found="$(for event in long_string room room_limited room_edge; do
			records test_marker_$event
		done | x_numbers | tr '\n' ';')"
	echo '__cut & 1' > events/markers/test_marker_room/filter
	fire 1
	other="$(records test_marker_room)"
	undefine
	set -- "1023...;" "nr 7 fits '1023' cut '1023'... name end;" \
		"fits 1023 cut 1023... cut 1023...;" "edge 1023...;"
	[ "$found" = "$1$2$3$4" ] && [ -z "$other" ] || complain "$found $other"
}

cut_format()
{
	accepted test_marker_room || return
	found="$(sed -n 's/^print fmt: //p' events/markers/test_marker_room/format)"
	undefine
	case $found in
	'"nr %d fits '"'%s'%s cut '%s'%s name %s%s"*', (REC->__cut & 0x2) ? "..." : ""'*) ;;
	*) complain "$found" ;;
	esac
}

run_tests
