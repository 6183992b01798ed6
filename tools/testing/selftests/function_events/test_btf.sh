#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Function events that take names and types of the arguments from BTF.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	n=test_func_wide
	values="a=-32, b=4000000000, c=-64, d=18364758544493064720"
	check "BTF: all arguments" btf shows "$n" "($values)"
	check "BTF: all arguments and what is returned" btf shows "$n ->" \
		"($values) -> ret=-5000000000 (ns)"
	check "BTF: what is returned, with a name" btf shows "$n() -> sum" \
		"() -> sum=-5000000000 (ns)"
	check "BTF: small integers" btf shows "test_func_narrow ->" \
		"(a=-8, b=200, c=-16000, d=60000, e=120, f=1) -> ret=44313 (ns)"
	check "BTF: strings" btf shows "test_func_string ->" \
		'(kernel="in the kernel", user="1", nr=1) -> ret="one" (ns)'
	check "BTF: pointers" btf shows "test_func_item ->" \
		"(item=0x*, array=0x*, size=3) -> ret=0x* (ns)"
	check "BTF: no arguments, and nothing returned" btf shows "test_func_none -> void" \
		"() -> (ns)"
	check "BTF: unsigned char, unsigned enumerations and ..." btf shows "test_func_various" \
		'(bytes=0x*, large=4026531840, format="%d")'
	check "BTF: a function that the kernel has as well" btf shows \
		"$MODULE:chroot_fs_refs" "(small=-7)"
	check "BTF: refuses to show what is not returned" \
		btf refused "$no" "test_func_none() -> ^ret"
	check "BTF: probe events of a named module keep their names and types" btf probe_names
}

# "probe_fields DEFINITION": the fields of a probe event, and "refused" if there is none.
probe_fields()
{
	echo "$1" >> dynamic_events || { echo refused; return; }
	sed -n 's/^\tfield:\(.*\);\toffset.*/\1/p' events/names/event/format |
		grep -v '__probe\| common_' | tr '\n' ';'
	echo '-:names/event' >> dynamic_events
} 2> /dev/null

# What was accepted when the prototype was not found. With the new forms it is.
probe_names()
{
	grep -qF '<argname>[->field' README || { skip "no members in probe events"; return; }
	wide=$MODULE:test_func_wide
	found="$(probe_fields "p:names/event $wide \$arg1 \$arg2") \
$(probe_fields "r:names/event $wide \$retval") \
$(probe_fields "r:names/event $MODULE:test_func_none \$retval") \
$(probe_fields "p:names/event $wide a d") $(probe_fields "p:names/event $wide \$arg*")"
	set -- "u64 arg1;u64 arg2; u64 arg1; u64 arg1; s32 a;u64 d;" \
		"s32 a;u32 b;s64 c;u64 d;"
	[ "$found" = "$*" ] || complain "$found"
}

run_tests
