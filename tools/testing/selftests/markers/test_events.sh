#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Events of markers: what becomes of numbers and pointers, and how often markers are hit
# wherever they are.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

conversions()
{
	m=test_marker
	check "integers" shows ${m}_int \
		"d=-1 i=-2147483648 u=4000000000 x=0xabcd X=ABCD o=10 c='m'"
	check "small integers" shows ${m}_narrow "hhd=-3 hhu=253 hd=-300 hu=65000 hx=0xfedc"
	check "long integers" shows ${m}_long "ld=-5 lu=5 lx=55 zu=6 zd=-6 td=-7"
	check "integers of 64 bit" shows ${m}_long_long \
		"lld=-6000000000 a=1 llu=18000000000000000000 b=2 llx=123456789abcdef"
	check "width" shows ${m}_width "\[   42|42   |00042|+42\]"
	check "more arguments than registers" shows ${m}_ten "1 2 3 4 5 6 7 8 9 10"
	check "no arguments" shows ${m}_none "nothing, 100% of it"
	check "pointers" pointers
	check "pointers that are hashed" hashed_pointers
	check "fields of integers" format ${m}_int \
		"s32 d; s32 i; u32 u; u32 x; u32 X; u32 o; char c"
	check "fields without names" format ${m}_ten \
		"s32 arg1; s32 arg2; s32 arg3; s32 arg4; s32 arg5;\
 s32 arg6; s32 arg7; s32 arg8; s32 arg9; s32 arg10"
}

# As the source prints them if they are not hashed.
pointers()
{
	echo 0 > options/hash-ptr
	shows test_marker_pointer "p=0x1000 q=0x2000 where fire_pointers+0x0/0x* error -*"
	status=$?
	echo 1 > options/hash-ptr
	return $status
}

# %p is, and %px is not; nor is what tools and filters see.
hashed_pointers()
{
	accepted test_marker_pointer &&
		echo "p == 4096" > events/markers/test_marker_pointer/filter || return
	fire 1
	found="$(records test_marker_pointer)"
	undefine
	case $found in
	*1000*) complain "$found" ;;
	# Before there are enough random numbers, there is no hash yet.
	"p="*" q=0x2000 where fire_pointers+0x0/0x"*) ;;
	*) complain "$found" ;;
	esac
}

places()
{
	check "an unrolled loop" as_often unrolled
	check "an inline function in three files" in_three_files
	check "a hard interrupt" in_irq
	check "an NMI" in_nmi
	check "a dormant marker does not evaluate its arguments" not_evaluated
}

# "as_often NAME": as often as the counter beside it says.
as_often()
{
	accepted "test_marker_$1" || return
	echo > trace
	before=$(count "$1")
	echo 1 > events/markers/enable && echo 200 > $FIRE
	echo 0 > events/markers/enable
	hits=$(($(count "$1") - before))
	found=$(records "test_marker_$1" | wc -l)
	records "test_marker_$1" | sort -u > "$TMP/texts"
	undefine
	[ "$hits" -gt 0 ] && [ "$found" -eq $hits ] || complain "$found records, $hits hits"
}

in_nmi()
{
	grep -q x86 /proc/cpuinfo || uname -m | grep -q x86 || { skip "no NMI"; return; }
	as_often nmi && [ "$(cat "$TMP/texts")" = "nmi 1" ] || complain "$(cat "$TMP/texts")"
}

in_irq()
{
	as_often irq && [ "$(cat "$TMP/texts")" = "hard 1" ] || complain "$(cat "$TMP/texts")"
}

in_three_files()
{
	as_often inlined && [ "$(grep -c '^file [123] nr' "$TMP/texts")" -eq 600 ]
}

not_evaluated()
{
	before=$(count evaluated)
	echo 5 > $FIRE
	[ "$(count evaluated)" -eq "$before" ] || complain "evaluated while dormant" || return
	accepted test_marker_evaluated && fire 3 || return
	undefine
	[ "$(count evaluated)" -eq $((before + 3)) ] || complain "$(count evaluated)"
}

all()
{
	conversions
	places
	check "no complaint in the log" clean_log
}

run_tests
