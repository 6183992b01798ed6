#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Definitions of marker events: how they are made and removed, and which are refused, and how.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

definitions()
{
	m=test_marker_string
	check "names of fields" names
	check "arguments left out" shows "$m(NULL, text)" "name ... text 'it' padded \[...\]"
	check "no argument at all" shows "$m()" "name ... text '...' padded \[...\]"
	check "group and event" group
	check "white space" shows "  $m ( a , b , c )  " "name first text 'it' padded \[it    \]"
	check "several events of a marker" several
	check "what is read can be written" again
	check "removal" removal
	check "dynamic_events" dynamic
}

names()
{
	accepted "test_marker_string(a, _, c)" || return
	grep -q "field:__data_loc char\[\] a;" events/markers/test_marker_string/format &&
		lacks -q " text;" events/markers/test_marker_string/format &&
		echo 'a == "first"' > events/markers/test_marker_string/filter
}

group()
{
	accepted "m:my-group/mine test_marker_ten" && [ -d events/my-group/mine ] &&
	accepted "m:other test_marker_ten" && [ -d events/markers/other ] &&
	accepted "m test_marker_ten" && [ -d events/markers/test_marker_ten ]
}

several()
{
	accepted "test_marker_ten(a)" && accepted "m:second test_marker_ten(NULL, b)" || return
	fire 1
	[ "$(records test_marker_ten)" = "1 ... ... ... ... ... ... ... ... ..." ] &&
	[ "$(records second)" = "... 2 ... ... ... ... ... ... ... ..." ] || complain "$(cat trace)"
}

again()
{
	cat > "$TMP/lines" <<- END
	test_marker_ten
	m:my/name test_marker_string(a, NULL, c)
	test_marker:test_marker_int|test_marker_none
	missing:no_such_marker
	END
	while read -r line; do
		accepted "$line" || return
	done < "$TMP/lines"
	cat $FE > "$TMP/read"
	sed -e 's/\t#.*//' "$TMP/read" | cmp - "$TMP/lines" || complain "$(cat "$TMP/read")" ||
		return
	undefine
	lacks . $FE && cat "$TMP/read" > $FE && cmp $FE "$TMP/read"
}

removal()
{
	for line in test_marker_ten "m:my/name test_marker_string(a)" "test_marker_int(a, b)" \
		    missing:no_such_marker test_marker_long; do
		accepted "$line" || return
	done
	define "!my/name" && define "-:test_marker_ten" && define "!test_marker_int(a, b)" &&
		define "!missing:no_such_marker" && [ "$(cat $FE)" = test_marker_long ] ||
		complain "$(cat "$TMP/said" $FE)" || return
	! define "!test_marker_ten" && grep -q "No such file" "$TMP/said" || return
	echo 1 > events/markers/test_marker_long/enable
	! define "!test_marker_long" && grep -q "busy" "$TMP/said" || return
	echo 0 > events/markers/enable
	echo > $FE
	lacks . $FE && [ ! -d events/markers ]
}

dynamic()
{
	echo "m:markers/mine test_marker_ten" >> dynamic_events || return
	grep -qx "m:markers/mine test_marker_ten" dynamic_events || return
	echo "-:markers/mine" >> dynamic_events && lacks . $FE
}

refusals()
{
	check "refuses an unknown marker" refused "$none" "^no_such_marker"
	check "refuses no marker" refused "$no" "m:name ^(a)"
	check "refuses a name with other characters" refused "$no" "test^-marker"
	check "refuses a bad group" refused "$no" "m:^9/name test_marker_ten"
	check "refuses a bad event" refused "$no" "m:my/name^- test_marker_ten"
	check "refuses too many fields" refused "$big" "test_marker_none(^a)"
	check "refuses a reserved name" refused "$no" "test_marker_ten(a, ^common_pid)"
	check "refuses a name twice" refused "$no" "test_marker_ten(a, b, ^a)"
	check "refuses no name" refused "$no" "test_marker_ten(a, ^)"
	check "refuses no parenthesis" refused "$no" "test_marker_ten(a, b^"
	check "refuses to remove what is no definition" bad_removal
	check "refuses what follows" refused "$no" "test_marker_ten(a) ^b"
	check "refuses a pointer that leads further" refused "not supported" "^test_marker_dentry"
	check "refuses a width from an argument" refused "not supported" "^test_marker_star"
	check "refuses a definition twice" twice
	check "refuses a long definition" long_definition
	check "refuses too many markers" refused "$big" "a|b|c|d|e|f|g|h|^i"
}

bad_removal()
{
	accepted test_marker_ten && ! define "!test_marker_ten (a" && grep -q "$no" "$TMP/said" &&
		grep -qx test_marker_ten $FE
}

twice()
{
	accepted test_marker_ten && refused "File exists" "^test_marker_ten" &&
	refused "File exists" "m:^test_marker_ten test_marker_int" &&
	accepted missing:no_such_marker &&
	refused "File exists" "^missing:no_such_marker" &&
	refused "File exists" "^missing:no_such_marker  " &&
	refused "File exists" "^missing:no_such_marker	# once more"
}

long_definition()
{
	refused "$big" "$(printf '%1023s' | tr ' ' x)^x" &&
		refused "$big" "^$(printf '%200s' | tr ' ' x)"
}

all()
{
	definitions
	refusals
	check "no complaint in the log" clean_log
}

run_tests
