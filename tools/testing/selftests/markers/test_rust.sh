#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Markers in Rust: their events show what those in C show.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "markers in Rust" rust
	check "no complaint in the log" clean_log
}

rust()
{
	present test_rust_marker || { skip "no module in Rust"; return; }
	events="int narrow wide ten none evaluated string pointer last"
	accepted "+test_rust_marker:test_rust_marker" || return
	for event in $events; do
		accepted "+test_rust_marker:test_rust_marker_$event" || return
	done
	echo > trace
	echo 1 > options/stacktrace
	modprobe test_rust_marker
	echo 0 > options/stacktrace
	# The marker that is the last statement of a function is in there as well.
	places="$(grep -A 2 ': test_rust_marker_last: ' trace | grep -c '=> .*hit_last')"
	unload test_rust_marker
	for event in "" $events; do
		records "test_rust_marker${event:+_$event}" | uniq -c | sed -e 's/^ *//'
	done | sed -e 's/error -ENOENT$/error -2/' > "$TMP/rust"
	# All are hit in three rounds when the module comes, and again when it goes.
	{
		printf '1 nr %d size %d name %s\n' 1 8 rust 2 8 rust 3 8 rust 0 0 exit \
			1 8 rust 2 8 rust 3 8 rust
		for nr in 1 2 3 1 2 3; do
			echo "1 d=-$nr i=-2147483648 u=4000000000 x=0xabcd X=ABCD o=10 c='m'"
		done
		echo "6 hhd=-3 hhu=253 hd=-300 hu=65000 b=1 promoted=65535"
		echo "6 ld=-9223372036854775808 lu=18446744073709551615 zu=6 td=-7" \
			"lld=-6000000000 a=1 llu=18000000000000000000"
		echo "6 1 2 3 4 5 6 7 8 9 10"
		echo "6 nothing, 100% of it"
		printf '1 nr %d\n' 1 2 3 4 5 6
		echo "6 name first padded [it    ] four abcd null (null)"
		echo "6 x=0x2000 mac 02:00:00:fe:ff:01 bad 00:00:00:00:00:00(fault) error -2"
		printf '1 last %d\n' 1 2 3 1 2 3
	} > "$TMP/wanted"
	cmp "$TMP/rust" "$TMP/wanted" || {
		sed -e 's/^/# /' "$TMP/rust"
		return 1
	}
	[ "$places" -eq 3 ] || complain "$places of 3 in their function"
}

run_tests
