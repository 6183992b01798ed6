#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Definitions of function events that are copied from the source of a function, or from what
# other files of tracefs take.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	w=test_func_wide
	check "the return type in front" shows "s64 $w(int a)" "(a=-32)"
	check "a star that is not the name's" shows "struct x* $w(int a)" "(a=-32)"
	check "static, attributes, and a semicolon" \
		shows "static const struct x *__init $w(int a);" "(a=-32)"
	check "the return type in front is that of the return value" \
		shows "extern char $w(int a) -> value;" "(a=-32) -> value=[0-9-]* (ns)"
	check "a string in front is that of the return value" \
		shows "const char *test_func_string(NULL) ->" '() -> ret="one" (ns)'
	check "void in front has no value" \
		shows "void $w(int a) ->;" "(a=-32) -> (ns)"
	check "a pointer to a function" \
		shows "test_func_pointer(NULL, void (*callback)(int, int (*)(void)))" \
		"(callback=0x[0-9a-f]*[0-9a-f])"
	check "a pointer to a function without a name" \
		shows "$w(NULL, NULL, int (*const *)(void), ...)" "(arg3=0x[0-9a-f]*[0-9a-f])"
	for probe in "f:name ^$w a" "f:group^/name $w" "p:name ^$w" "^p $w" "^r8 $w" \
			"$w ^\$arg1" "$w(^%di)" "$w^%return" "$w^+4" "$w a^=\$arg1:u64"; do
		check "refuses a probe event: $probe" in_dynamic_events "$probe"
	done
	check "refuses a pointer to a function without arguments" \
		refused "$no" "$w(int (*a)^)"
	check "refuses a pointer to a function without an end" refused "$no" "$w(int (*a)(void)^"
	check "refuses a name for no value" refused "$no" "void $w(int a) -> ^value"
	check "names the copy of a function that is only a copy" only_copy
	check "what is read can be written again" read_back
}

in_dynamic_events()
{
	refused "$no" "$1" || return
	tail -n 3 error_log | grep -q "in dynamic_events$" || complain "$(tail -n 3 error_log)"
}

# As GCC makes them: its arguments are not those of the source.
only_copy()
{
	awk '{ print $3 }' /proc/kallsyms > "$TMP/symbols"
	sed -e 's/ .*//' available_filter_functions | grep '^[a-z_]*\.\(isra\|constprop\)\.0$' |
		while read -r copy; do
			grep -qx "${copy%%.*}" "$TMP/symbols" || { echo "$copy"; break; }
		done > "$TMP/copy"
	copy="$(cat "$TMP/copy")"
	[ -n "$copy" ] || { skip "the compiler has made no such copy"; return; }
	refused "$none" "^${copy%%.*}()" || return
	grep -q "function_events: ${copy%%.*}\\.[a-z.0-9]*: error: .*only this copy" error_log ||
		complain "$(cat error_log)" || return
	accepted "$copy()" && undefine && accepted "$copy(NULL)"
}

LINES='test_func_wide(int a, x64 b) -> s64 ret
c:mine/other test_func_wide(NULL, u32 b)
static void test_func_event:test_func_none();
test_func_item(x8[6] mac+6 | string name+16[0], string array+0[1])'

read_back()
{
	define "$LINES" || return
	cp $FE "$TMP/first"
	undefine
	[ "$(cat "$TMP/first")" = "$LINES" ] || complain "$(cat "$TMP/first")" || return
	cat "$TMP/first" >> $FE
	cmp $FE "$TMP/first"
}

run_tests
