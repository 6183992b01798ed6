#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# function_prototype says which arguments a function has, and which members a structure.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

PROTOTYPE=function_prototype

all()
{
	n=test_func_wide
	i="test_func_item"
	check "the prototype of a function" btf answers "$i" \
		"struct test_func_item *$i(const struct test_func_item *item, \
const char **array, size_t size)"
	check "the prototype of a function of a named module" btf answers \
		"$MODULE:test_func_none()" "void test_func_none(void)"
	check "the prototype of a system call" syscall_prototype
	check "the members of an argument" btf answers "$i(item)" "u32 item->number
s16 item->small
u8 item->mac[6]
const char *item->name
struct test_func_item *item->next
char item->text[16]
unsigned int item->low : 3
int item->middle : 7
unsigned int item->high : 22
bool item->yes
s64 item->last
unsigned char *item->bytes
const unsigned char *item->label
struct {...} item->odd"
	check "the members of a member" btf answers "$i(item->next->odd)" \
		"u32 item->next->odd.four : 4
u32 item->next->odd.thirty : 30"
	check "the members of several arguments, one after the other" btf answers_again
	check "the members of a structure without a name" btf answers_unnamed
	check "no answer for a function that is not there" btf no_answer "$none" "$MODULE:^no"
	check "no answer for an argument that is not there" btf no_answer "$none" "$n(^e)"
	check "no answer for what has no members" btf no_answer "$no" "$n(^a)"
	check "no answer for a type" btf no_answer "$none" "$n(^int a)"
	check "no answer for what cannot be read as a definition" btf no_answer "$no" "$n(a^"
	check "no answer for a line that is too long" btf no_answer "$big" long_query
	check "a file that nothing was written to" btf answers_nothing
}

# "answers LINE ANSWER": what function_prototype says about LINE.
answers()
{
	exec 4<>$PROTOTYPE
	echo "$1" >&4
	cat <&4 > "$TMP/found"
	exec 4>&-
	echo "$2" | cmp -s - "$TMP/found" || complain "$(cat "$TMP/found")"
}

answers_again()
{
	exec 4<>$PROTOTYPE
	echo "test_func_item(item->odd)" >&4
	cat <&4 > "$TMP/found"
	echo "test_func_none" >&4
	cat <&4 >> "$TMP/found"
	exec 4>&-
	echo "u32 item->odd.four : 4
u32 item->odd.thirty : 30
void test_func_none(void)" | cmp -s - "$TMP/found" || complain "$(cat "$TMP/found")"
}

# As in path_of_file() of test_members.sh.
answers_unnamed()
{
	exec 4<>$PROTOTYPE
	echo "vfs_read(file->f_path.dentry->d_name)" >&4
	cat <&4 > "$TMP/found"
	exec 4>&-
	grep -qx 'u32 file->f_path.dentry->d_name.len' "$TMP/found" &&
		grep -qx 'const unsigned char \*file->f_path.dentry->d_name.name' "$TMP/found" ||
		complain "$(cat "$TMP/found")"
}

# "no_answer ERROR LINE": the answer is an error, with the caret at ^.
no_answer()
{
	before="${2%%^*}"
	line="$before${2#*^}"
	[ "$2" != long_query ] || line="$(long 2048)"
	echo > error_log
	exec 4<>$PROTOTYPE
	{ echo "$line" >&4 && cat <&4; } > "$TMP/found" 2> "$TMP/said"
	exec 4>&-
	! grep -q . "$TMP/found" && grep -q "$1" "$TMP/said" ||
		{ complain "$(cat "$TMP/found" "$TMP/said")"; return 1; }
	[ "$2" != long_query ] || return 0
	grep -q '\] function_prototype: error: ' error_log &&
		caret="$(sed -n '/^  Command: /{n;p}' error_log)" &&
		[ ${#caret} -eq $((${#before} + 12)) ] || complain "$(cat error_log)"
}

answers_nothing()
{
	grep -q '^# Write a function' $PROTOTYPE || complain "$(cat $PROTOTYPE)"
}

syscall_prototype()
{
	[ -e events/syscalls ] || { skip "no metadata"; return; }
	answers sys_openat \
		"long sys_openat(int dfd, const char *filename, int flags, umode_t mode)"
}

run_tests
