#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Function events of arguments that are integers and pointers: every type of the language,
# in registers and on the stack.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

case $(uname -m) in
x86_64)
	IN_REGISTERS="long a, long b, long c, long d, long e, long f"
	VALUES="a=1, b=2, c=3, d=4, e=5, f=6"
	ON_STACK="long g, long h, long i"
	STACK_VALUES="g=7, h=8, i=9" ;;
*)
	IN_REGISTERS="long a, long b, long c, long d, long e, long f, long g, long h"
	VALUES="a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8"
	ON_STACK="long i"
	STACK_VALUES="i=9" ;;
esac

integers()
{
	n=test_func_narrow
	check "small integers" shows "$n(s8 a, u8 b, s16 c, u16 d, char e, bool f)" \
		"(a=-8, b=200, c=-16000, d=60000, e=120, f=1)"
	check "small integers, hexadecimal" shows "$n(x8 a, x8 b, x16 c, x16 d, x8 e, x8 f)" \
		"(a=0xf8, b=0xc8, c=0xc180, d=0xea60, e=0x78, f=0x1)"
	check "small integers of C" \
		shows "$n(signed char a, unsigned char b, short int c, unsigned short d, char e)" \
		"(a=-8, b=200, c=-16000, d=60000, e=120)"
	n=test_func_wide
	check "integers of C" shows "$n(int a, unsigned int b, long c, u64 d)" \
		"(a=-32, b=4000000000, c=-64, d=18364758544493064720)"
	check "integers of C in many words" \
		shows "$n(signed a, unsigned b, long long int c, unsigned long long d)" \
		"(a=-32, b=4000000000, c=-64, d=18364758544493064720)"
	check "large integers" shows "$n(s32 a, u32 b, s64 c, x64 d)" \
		"(a=-32, b=4000000000, c=-64, d=0xfedcba9876543210)"
	check "names for integers" shows "$n(pid_t a, gfp_t b, ssize_t c, size_t d)" \
		"(a=-32, b=0xee6b2800, c=-64, d=18364758544493064720)"
	check "qualifiers and enumerations" \
		shows "$n(const enum what a, volatile unsigned int b)" "(a=-32, b=4000000000)"
	check "integers of C without names" \
		shows "$n(signed, unsigned, long) -> unsigned" \
		"(arg1=-32, arg2=4000000000, arg3=-64) -> ret=3589934592 (ns)"
	check "pointers" shows "test_func_item(const struct test_func_item *item, union x **)" \
		"(item=0x[0-9a-f]*[0-9a-f], arg2=0x[0-9a-f]*[0-9a-f])"
	check "functions" shows "test_func_pointer(NULL, symbol callback)" \
		"(callback=test_func_none+0x0/0x* *)*"
}

arguments()
{
	check "no arguments" shows "test_func_none()" "()"
	check "void" shows "test_func_none(void)" "()"
	check "arguments without names" shows "test_func_wide(int, unsigned int)" \
		"(arg1=-32, arg2=4000000000)"
	check "arguments left out" shows "test_func_wide(NULL, _, long c)" "(c=-64)"
	check "as many arguments as registers" shows "test_func_nine($IN_REGISTERS)" "($VALUES)"
	check "arguments on the stack" shows "test_func_nine($IN_REGISTERS, $ON_STACK)" \
		"($VALUES, $STACK_VALUES)"
	check "other types on the stack" shows \
		"test_func_stack($EIGHT, s8 small, string text, u32 item[0], u16 half)" \
		'(small=-9, text="ten", item=1, half=65000)'
	check "arguments on the stack at the return" shows \
		"test_func_stack($EIGHT, s8 small, string text) -> int" \
		'(small=-9, text="ten") -> ret=64992 (ns)'
	check "white space" shows "  test_func_wide (  int  a ,unsigned  b)  " \
		"(a=-32, b=4000000000)"
	check "32 fields" shows "test_func_wide($(fields 32))" "(f1=-32, f2=-32, *f32=-32)"
}

all()
{
	integers
	arguments
}

run_tests
