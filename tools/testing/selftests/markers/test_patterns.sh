#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Patterns that make an event for each marker that matches.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "a pattern makes an event for each marker" pattern test_marker_
	check "a pattern makes an event for each marker of a module" \
		pattern test_marker:test_marker_
	check "refuses a pattern that no marker matches" refused "$none" "^no_such_*"
	check "refuses a pattern that no marker of a module matches" \
		refused "$none" "missing:^test_marker_*"
	check "refuses a pattern of which no marker has the fields" \
		refused "$big" "test_marker_non?(^a)"
	check "refuses to remove a pattern of a module" removes_all_modules
	check "refuses a name for a pattern" refused "$no" "m:name ^test_*"
	check "refuses a pattern with a fallback" refused "$no" "^test_*|test_marker_ten"
	check "definitions for which there is no memory" each_allocation_fails \
		"test_marker_string(a, b, c)" "m:markers/m test_marker_address|test_marker_ten" \
		test_marker_ten "test_marker_s*"
	check "no complaint in the log" clean_log
}

# "pattern [MODULE:]PREFIX": some markers of the module can have no event.
pattern()
{
	names="$(awk '$2 ~ /^test_marker_/ { print $2 }' available_markers | sort -u | wc -l)"
	accepted "+$1*" || return
	made="$(wc -l < $FE)"
	said="$(dmesg | grep 'marker_events: test_marker_\*: ' | tail -n 1)"
	case $said in
	*"$made events; $((names - made)) left out, the first test_marker_"*": "*) ;;
	*) complain "$names markers, $made lines: $said" || return ;;
	esac
	[ "$made" -gt 5 ] && [ "$(cat events/markers/enable)" = 1 ] ||
		complain "not enabled" || return
	echo 0 > events/markers/enable
	define "!test_marker_t*" && lacks "test_marker_t" $FE && grep -q test_marker_int $FE &&
		define "!*" && lacks . $FE
}

removes_all_modules()
{
	accepted test_marker_ten && ! define "!no_such_module:*" && grep -q "$no" "$TMP/said" &&
		grep -q test_marker_ten $FE
}

run_tests
