#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Function events that follow members of structures, by BTF.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

members()
{
	n=test_func_wide
	check "BTF: arguments by their names" btf shows "$n(c, b)" "(c=-64, b=4000000000)"
	i="test_func_item"
	check "BTF: members" btf shows "$i(item->number, item->last, item->yes, item->small)" \
		"(item_number=1, item_last=-111111111111, item_yes=1, item_small=-1)"
	check "BTF: members that are text" btf shows "$i(item->name, item->text)" \
		'(item_name="first", item_text="text of first")'
	check "BTF: members that are bytes, and text" btf shows "$i(item->bytes, item->label)" \
		'(item_bytes=0x*, item_label="of first")'
	check "BTF: members that are arrays" btf shows "$i(item->mac)" \
		'(item_mac={0x10,0x20,0x30,0x40,0x50,0x60})'
	check "BTF: members of what a member points to" \
		btf shows "$i(item->next->number, item->next->name, item->next->next)" \
		'(item_next_number=2, item_next_name="second", item_next_next=0x0)'
	check "BTF: white space in a path" btf shows \
		"$i($(printf 'item\r->\tnext -> number'))" "(item_next_number=2)"
	check "BTF: pointers that cannot be followed" \
		btf shows "$i(item->next->next->number, item->next->next->name)" \
		'(item_next_next_number=0(fault), item_next_next_name="(fault)")'
	check "BTF: a bit field that cannot be read" \
		btf shows "$i(item->next->next->middle)" "(item_next_next_middle=0(fault))"
	check "BTF: bit fields" \
		btf shows "$i(item->low, item->middle, item->high, item->next->middle)" \
		"(item_low=5, item_middle=33, item_high=1111111, item_next_middle=-2)"
	check "BTF: the same bit fields in probe events" btf probe_bit_fields
	check "BTF: members with other types and names" \
		btf shows "$i(x32 n = item->next->number, string s = item->text)" \
		'(n=0x2, s="text of first")'
	check "BTF: bit fields with other types" btf shows \
		"$i(x32 n = item->high, u8 low = item->low, s16 middle = item->middle)" \
		"(n=0x10f447, low=5, middle=33)"
	check "BTF: bit fields of a packed structure" btf shows \
		"$i(item->odd.four, u64 thirty = item->odd.thirty)" \
		"(item_odd_four=9, thirty=987654321)"
	check "BTF: members beside arguments" \
		btf shows "$i(item->number, NULL, string array[0], size_t size)" \
		'(item_number=1, array="zero", size=3)'
	check "BTF: members of structures without names" btf path_of_file
	check "BTF: arguments on the stack" btf shows "test_func_stack(item->number, half)" \
		"(item_number=1, half=65000)"
	check "BTF: structures that are passed by value, and what is behind them" btf by_value
	check "BTF: members that the function fills" btf shows \
		"test_func_fill(u32 n = item->number) -> r | item->number | item->next->number" \
		"(n=1) -> r=6, item_number=2, item_next_number=2 (ns)"
}

refusals()
{
	n=test_func_wide
	i="test_func_item"
	w=test_func_wide
	check "BTF: refuses what comes behind a hidden argument" btf hidden_argument
	check "BTF: refuses an unknown argument" btf refused "$none" "$n(^e)"
	check "BTF: refuses an unknown member" btf refused "$none" "$i(item->^nothing)"
	check "BTF: refuses members of what is not a pointer" btf refused "$no" "$n(a->^b)"
	check "BTF: refuses members of what is not a structure" btf refused "$no" "$i(array->^b)"
	check "BTF: refuses . where -> is needed" btf refused "$no" "$i(item->next.^number)"
	check "BTF: refuses -> where . is needed" \
		btf refused "$no" "vfs_read(file->f_path->^dentry)"
	check "BTF: refuses a type that is too small for a bit field" \
		btf refused "$no" "$i(s8 n = item->^middle)"
	check "BTF: refuses a bit field that reaches beyond its type" \
		btf refused "$no" "$i(item->odd.^thirty)"
	check "BTF: refuses a whole structure" btf refused "$no" "vfs_read(file->^f_path)"
	check "BTF: refuses too many pointers" btf refused "$no" \
		"$i(item->next->next->next->next->next->next->next->next->^next)"
	check "BTF: refuses arguments at the return" btf refused "$no" "$i() -> x64 a | ^item"
	check "BTF: refuses a function that it does not have" \
		btf refused "$none" "SyS_openat(^filename->text)"
	check "refuses a path without type information" without_btf
}

probe_bit_fields()
{
	grep -qF '<argname>[->field' README || { skip "no members in probe events"; return; }
	echo "f:bits/item test_func_item low=item->low middle=item->middle high=item->high \
next=item->next->middle" >> dynamic_events || return
	echo > trace
	echo 1 > events/bits/enable
	call 1
	echo 0 > events/bits/enable
	found="$(sed -n 's/.* item: ([^)]*) //p' trace)"
	echo '-:bits/item' >> dynamic_events
	[ "$found" = "low=5 middle=33 high=1111111 next=-2" ] || complain "found: $found"
}

# A function that returns a structure is told by its first register where to put it. Some
# versions of pahole have no type information about such a function.
hidden_argument()
{
	s=test_func_structure
	if refused "$none" "$s(^a)" > "$TMP/found"; then
		return
	elif [ "$(uname -m)" = aarch64 ]; then
		shows "$s" "(a=-3, item=0x*)" && shows "$s(item->number, a)" "(item_number=1, a=-3)"
	else
		refused "$no" "^$s" && refused "$no" "$s(^a)" &&
			refused "$no" "$s(^item->number)" && shows "$s(NULL, long a)" "(a=-3)"
	fi
}

# Some versions of pahole leave such functions out, too. On x86, six registers are not enough for
# the second pair, which is on the stack then.
by_value()
{
	s=test_func_by_value
	! refused "$none" "$s(^a)" > "$TMP/found" ||
		{ skip "no type information about the function"; return; }
	shows "$s(a, c, name)" '(a=-1, c=-4, name="behind")' &&
		shows "$s(c) -> ret" "(c=-4) -> ret=76 (ns)" || return
	case $(uname -m) in
	x86_64)
		refused "$no" "$s(c, ^last)" ;;
	aarch64 | riscv64 | loongarch64)
		shows "$s(c, last)" "(c=-4, last=77)" ;;
	esac || return
	shows "$s(small.one, small.two, pair.kernel, pair.where->number)" \
		"(small_one=2, small_two=3, pair_kernel=1, pair_where_number=1)" &&
		refused "$no" "$s(^pair)" && refused "$no" "$s(u64 x = small.^two)" &&
		refused "$no" "^$s"
}

# The length and the hash of a name have no names of their own in struct qstr.
path_of_file()
{
	name="file->f_path.dentry->d_name"
	accepted "vfs_read($name.name, $name.len)" || return
	echo 1 > events/functions/enable
	read -r line < /proc/version
	echo 0 > events/functions/enable
	records vfs_read > "$TMP/found"
	undefine
	grep -q 'd_name_name="version", .*d_name_len=7)' "$TMP/found" ||
		complain "$(head -n 3 "$TMP/found")"
}

without_btf()
{
	[ ! -e /sys/kernel/btf/vmlinux ] || { skip "there is type information"; return; }
	refused "not supported" "$w(^a)" && refused "not supported" "$w(^a->b)" &&
	refused "not supported" "^$w"
}

all()
{
	members
	refusals
}

run_tests
