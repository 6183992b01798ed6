#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Definitions of function events: how they are added, shown and removed, and which are
# refused, and how.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

files()
{
	check "names of groups and events" names
	check "adding and removing" add_and_remove
	check "dynamic_events" dynamic
	check "the format file" format
	check "comments and empty lines" comments
}

names()
{
	accepted "c:mine/event test_func_wide(int a)" && [ -d events/mine/event ] &&
	accepted "c:event test_func_wide(int a)" && [ -d events/functions/event ] &&
	accepted "c:mine/ test_func_wide(int a)" && [ -d events/mine/test_func_wide ] &&
	accepted "c test_func_wide(int a)" && [ -d events/functions/test_func_wide ] || return
	undefine
	[ ! -d events/mine ] && [ ! -d events/functions ]
}

add_and_remove()
{
	accepted "test_func_none()" && accepted "test_func_wide()" && accepted "test_func_item()" &&
	[ "$(grep -c . $FE)" -eq 3 ] &&
	define '!test_func_wide' && [ "$(grep -c . $FE)" -eq 2 ] &&
	define '-:functions/test_func_none' && [ "$(cat $FE)" = "test_func_item()" ] &&
	define "!$(cat $FE)" && [ -z "$(cat $FE)" ] &&
	accepted "test_func_none()" && echo "test_func_wide()" > $FE &&
	[ "$(cat $FE)" = "test_func_wide()" ] || return
	echo > $FE
	[ -z "$(cat $FE)" ]
}

dynamic()
{
	echo 'c:functions/x test_func_wide(int a)' >> dynamic_events &&
	grep -q '^c:functions/x test_func_wide(int a)$' dynamic_events &&
	grep -q '^c:functions/x test_func_wide(int a)$' $FE &&
	echo '-:functions/x' >> dynamic_events && lacks -q . $FE
}

format()
{
	accepted "test_func_string(string kernel, ustring user, x8[2] nr) -> char[4] ret" || return
	number='\([0-9]*\);'
	field="field:\([^;]*\);\toffset:$number\tsize:$number\tsigned:$number"
	sed -n -e "s/^\t$field/\1 \2 \3 \4/p" events/functions/test_func_string/format |
		grep -v common_ > "$TMP/format"
	undefine
	cat > "$TMP/wanted" <<-END
		unsigned long __parent_ip 8 8 0
		u32 __fault 16 4 0
		u32 __cut 20 4 0
		__data_loc char[] kernel 24 4 1
		__data_loc char[] user 28 4 1
		u8 nr[2] 32 2 0
		u64 duration 40 8 0
		char ret[4] 48 4 0
	END
	cmp "$TMP/format" "$TMP/wanted" || { sed -e 's/^/# /' "$TMP/format"; return 1; }
}

comments()
{
	printf '# a comment\n\ntest_func_none()\t# and another\n\n' >> $FE &&
	[ "$(cat $FE)" = "test_func_none()" ]
}

refusals()
{
	w=test_func_wide
	check "refuses an unknown function" refused "$none" "^no_such_function(int a)"
	check "refuses a function that is not traced" refused "$no" "^test_func_notrace()"
	check "refuses an ambiguous name" ambiguous
	check "refuses an unknown type" refused "$no" "$w(^foo_t a)"
	check "refuses a structure" refused "$no" "$w(^struct foo a)"
	check "refuses impossible integers" refused "$no" "$w(^unsigned signed a)"
	check "refuses a missing type" refused "$no" "$w(int a, ^)"
	check "refuses a missing parenthesis" refused "$no" "$w(int a^"
	check "refuses a second parenthesis" refused "$no" "$w(int a)^)"
	check "refuses a missing bracket" refused "$no" "$w(int a[0^)"
	check "refuses an array without a bound" refused "$no" "$w(x8[^] a)"
	check "refuses an array of nothing" refused "$no" "$w(x8[^0] a)"
	check "refuses an array of strings" refused "$no" "$w(string^[2] a)"
	check "refuses a bad index" refused "$no" "$w(int a[^x])"
	check "refuses a number that is too large" refused "$no" "$w(int a[^99999999999])"
	check "refuses an array of C" refused "$no" "test_func_item(NULL, int fds^[2])"
	check "refuses an array of characters of C" refused "$no" "test_func_item(char text^[16])"
	check "refuses an array of C with a pointer" \
		refused "$no" "test_func_item(struct page *pages^[0x4], u32 b[0])"
	check "refuses an array of C as the return value" refused "$no" "$w() -> s64 ret^[1]"
	check "refuses an offset that reads nothing" refused "$no" "$w(int a^+8)"
	check "refuses a bad name" refused "$no" "$w(int ^7a)"
	check "refuses a reserved name" refused "$no" "$w(int ^common_pid)"
	check "refuses a name of return events" refused "$no" "$w(int ^duration) -> s64"
	check "refuses a name that is used twice" refused "$no" "$w(int a, int ^a)"
	check "refuses what comes behind" refused "$no" "$w(int a) ^more"
	check "refuses a bad type of return" refused "$no" "$w() -> ^foo_t a"
	check "refuses a bad group" refused "$no" "c:^1x/y $w()"
	check "refuses a bad event" refused "$no" "c:x/y^. $w()"
	check "refuses no function" refused "$no" "^(int a)"
	check "refuses an unknown symbol" refused "$none" "$w(int a = ^no_such_symbol)"
	check "refuses a symbol whose memory was freed after boot" freed_symbol
	check "refuses no source" refused "$no" "$w(int a = ^)"
	check "refuses too many arguments" refused "$big" \
		"test_func_nine($EIGHT, $EIGHT, ^long i)"
	check "refuses too many fields" refused "$big" "$w($(fields 32) | ^int f33)"
	check "refuses a record larger than a sub-buffer" refused "$big" \
		"test_func_item(^x64[512] a)"
	check "refuses more than can be kept" refused "$big" "^test_func_item(x64[40] a) -> void"
	check "refuses a long text" long_text
	check "refuses a long group" refused "$no" "c:^$(long 70)/x $w()"
	check "refuses an event that exists" twice
	check "refuses to remove what is not there" not_there
	check "refuses to remove what is no definition" bad_removal
	check "refuses to remove what is enabled" busy
}

# A name that two functions share that can be traced.
ambiguous()
{
	sed -e 's/ .*//' available_filter_functions | grep '^[a-z_]*$' | sort |
		uniq -d > "$TMP/twice"
	# Some that are in there twice have their name from the symbol before them.
	name="$(sed -n 's/^[0-9a-f]* [tT] \([a-z_]*\)$/\1/p' /proc/kallsyms | sort | uniq -d |
		grep -xFf "$TMP/twice" | head -n 1)"
	[ -n "$name" ] || { skip "no two functions with the same name"; return; }
	refused "Cannot assign" "^$name()"
}

long_text()
{
	refused "$big" "$w(int $(long 2028)^a)" &&
	refused "$big" "$w(int $(long 2028)^$(long 4000))"
}

twice()
{
	accepted "$w(int a)" || return
	refused "File exists" "^$w(int b)"
}

not_there()
{
	for command in '!nothing' '-:nothing' '-:functions/nothing'; do
		! define "$command" || return
		grep -q "$none" "$TMP/said" || return
	done
}

# Its first word is the name of two events.
bad_removal()
{
	accepted "$w(int a)" && accepted "c:mine/$w $w(u32 a)" || return
	cp $FE "$TMP/two"
	for line in "$w (foo_t a)" "$w() extra" "mine/$w(int a)" "$w(struct foo a)"; do
		! define "!$line" && grep -q "$no" "$TMP/said" && cmp $FE "$TMP/two" ||
			complain "$line: $(cat "$TMP/said")" || return
	done
	grep -q 'error: Structures have to be pointers$' error_log || complain "no caret" || return
	# Space is no part of a name.
	define "!mine/$w " && [ "$(cat $FE)" = "$w(int a)" ] || complain "$(cat "$TMP/said" $FE)"
}

freed_symbol()
{
	grep -q ' boot_command_line$' /proc/kallsyms || { skip "not in kallsyms"; return; }
	refused "$none" "$w(string line = ^boot_command_line)"
}

busy()
{
	accepted "$w(int a)" && echo 1 > events/functions/$w/enable || return
	! define "!$w" && grep -q "busy" "$TMP/said" || return
	! echo > $FE || return
	grep -q $w $FE || return
	undefine
	lacks -q . $FE
} 2>/dev/null

all()
{
	files
	refusals
}

run_tests
