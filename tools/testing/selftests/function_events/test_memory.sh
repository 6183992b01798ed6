#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Function events that read memory: at what an argument points to, at an address, and at a
# symbol.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "elements" shows "test_func_item(u32 first[0] | x32 next+0[1], string array+0[2])" \
		'(first=1, next=0x2010ffff, array="two")'
	check "offsets" \
		shows "test_func_item(s16 small+4[0] | s64 last+56[0] | s64 same+48[1])" \
		"(small=-1, last=-111111111111, same=-111111111111)"
	check "bool behind a pointer" shows "test_func_item(bool yes+52[0])" "(yes=1)"
	check "negative offsets" shows "test_func_item(NULL, string array+0[1] | string a+16[-1])" \
		'(array="one", a="one")'
	check "arrays" shows "test_func_item(x8[6] mac+6 | u32[2] n[0] | char[16] text+32)" \
		'(mac={0x10,0x20,0x30,0x40,0x50,0x60}, n={0x1,0x2010ffff}, text="text of first")'
	check "strings behind pointers" \
		shows "test_func_item(string name+16[0] | string text+32, string a[0])" \
		'(name="first", text="text of first", a="zero")'
	check "strings behind pointers of C" shows \
		"test_func_item(NULL, const char *array[0] | const char *next+0[1])" \
		'(array="zero", next="one")'
	data=test_func_event_data
	text=test_func_event_text
	check "symbols" shows "test_func_none(x64 d = $data, string t = $text)" \
		'(d=0x1122334455667788, t="text by its name")'
	check "symbols with offsets" \
		shows "test_func_none(string t = $text+5, char[2] u = $text)" \
		'(t="by its name", u="te")'
	check "addresses" address
	check "pointers that cannot be read" shows "test_func_pointer(u32 where[0])" \
		"(where=1); (where=0(fault)); (where=0(fault))"
	check "arrays that cannot be read" shows "test_func_pointer(x8[2] where)" \
		"(where={0x1,0x0}); (where={0x0,0x0}(fault)); (where={0x0,0x0}(fault))"
	check "strings that cannot be read" shows "test_func_pointer(string where)" \
		'(where="*"); (where="(fault)"); (where="(fault)")'
}

address()
{
	found="0x$(awk '$3 == "test_func_event_data" { print $1 }' /proc/kallsyms)"
	shows "test_func_none(x32 half = $found[1], x16 part = $found+2[0])" \
		"(half=0x11223344, part=0x5566)"
}

run_tests
