#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Patterns that make a function event for each function that matches.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "a pattern makes an event for each function" pattern
	check "a pattern of a module" pattern test_func_event:
	check "a pattern leaves out what cannot have an event" pattern_leaves_out
	check "refuses a pattern that no function matches" refused "$none" "^no_such_*(int a)"
	check "refuses a pattern of functions that are not traced" \
		refused "$none" "^test_func_notrac?()"
	check "refuses a pattern of too many functions" refused "$big" "^*(NULL)"
	check "refuses a pattern for the name of a module" refused "$no" "^test_*:test_func_none()"
	check "refuses to remove a pattern of a module" removes_all_modules
	check "refuses a name for a pattern" refused "$no" "c:^name test_func_*()"
	check "BTF: refuses a pattern of which no function has a member" \
		btf refused "$none" "test_func_ite?(item->^nothing)"
	check "adding what is enabled at once" add_enabled
}

# "pattern [MODULE:]"
pattern()
{
	sed -n -e 's/^\(test_func_[a-z_]*\) .*/functions:\1/p' available_filter_functions |
		sort -u > "$TMP/functions"
	[ "$(wc -l < "$TMP/functions")" -gt 5 ] && define "$1test_func_*(NULL)" || return
	grep '^functions:' available_events | sort > "$TMP/found"
	cmp "$TMP/functions" "$TMP/found" || return
	cp $FE "$TMP/lines"
	echo "!test_func_n*" >> $FE
	grep -v test_func_n "$TMP/lines" | cmp - $FE || return
	echo "!*" >> $FE
	! grep . $FE
}

pattern_leaves_out()
{
	accepted "test_func_narrow(s8 a)" && define "test_func_n*(NULL)" || return
	said="$(dmesg | grep 'function_events: test_func_n' | tail -n 1)"
	lines="$(wc -l < $FE)"
	case $said in
	*"test_func_n*: $((lines - 1)) events; 1 left out, the first test_func_narrow: "*) ;;
	*) complain "$said" || return ;;
	esac
	undefine && accepted "test_func_wide(int a)" || return
	! define "test_func_wid?(int a)" && grep -q "File exists" "$TMP/said" &&
		grep -q "function_events: test_func_wide: error: Event exists already" error_log
}

removes_all_modules()
{
	accepted "test_func_wide(int a)" && ! define "!no_such_module:*" &&
		grep -q "$no" "$TMP/said" && grep -q test_func_wide $FE
}

add_enabled()
{
	accepted "+ test_func_wide(int a)" && accepted "+test_func_n*(NULL)" || return
	[ "$(cat events/functions/enable)" = 1 ] || complain "not all are enabled"
	! define "+test_func_wide(int a)" || return
	echo 0 > events/functions/enable
	echo '!+test_func_wide(int a)' >> $FE && echo '!test_func_n*' >> $FE && ! grep . $FE
}

run_tests
