#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Events in Rust with fields of all kinds, with one field and with none: format, text and bytes,
# and what BPF programs get.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/events.sh

raw_tracepoint()
{
	have_program "$DIR/raw_tp" || return
	need /proc/sys/kernel/unprivileged_bpf_disabled "no CONFIG_BPF_SYSCALL" || return
	"$DIR/raw_tp" "$EVENT" "$1" $FIRE $ROUNDS
}

# A program that looks at more arguments than there are.
bad_raw_tracepoint()
{
	raw_tracepoint "$1" > "$TMP/error"
	status=$?
	[ $status -ne "$KSFT_SKIP" ] || return $status
	cat "$TMP/error"
	grep -qx "attach: error 22" "$TMP/error"
}

# What a program of the kind tp_btf sees, with the types from the BTF of the module.
typed_tracepoint()
{
	have_program "$DIR/raw_tp" || return
	[ -e /sys/kernel/btf/$MODULE ] || { skip "no BTF of the module"; return; }
	"$DIR/raw_tp" -b $MODULE "$EVENT" "$1" $FIRE $ROUNDS
}

# A program that reads eight bytes of the struct, which has four.
bad_typed_tracepoint()
{
	EVENT="$RUST_CONDITION"
	typed_tracepoint 8 > "$TMP/error"
	status=$?
	[ $status -ne "$KSFT_SKIP" ] || return $status
	cat "$TMP/error"
	grep -qx "BPF program: error 13" "$TMP/error"
}

# "value_for_bpf PROGRAM SIZE": in C "value" is the argument; in Rust the argument points
# to a struct with the values of all fields, of which "value" has SIZE bytes. PROGRAM
# loads a program that prints it.
value_for_bpf()
{
	case $EVENT in
	"$C_EVENT") "$1" v ;;
	*) "$1" "$2" ;;
	esac
}

# "small_tests C RUST COUNT HIGH SIZE": of an event with the one field "value" of SIZE
# bytes, that is recorded COUNT times, HIGH of them with a value above 9.
small_tests()
{
	check "$2: same format" pair "$1" "$2" - format
	check "$2: same text" pair "$1" "$2" "$3" printed
	check "$2: same bytes" pair "$1" "$2" "$3" records all "" "$3"
	check "$2: same text when filtered" pair "$1" "$2" "$4" filtered "value > 9"
	C_EVENT="$1"
	check "$2: same value for BPF" pair "$1" "$2" 2 value_for_bpf raw_tracepoint "$5"
	check "$2: same value for BPF with types" \
		pair "$1" "$2" 2 value_for_bpf typed_tracepoint "$5"
	check "$2: no argument too many for BPF" pair "$1" "$2" 1 bad_raw_tracepoint vv
}

# Records of up to a page each: few rounds, read one at a time.
in_rounds()
{
	for round in 1 3 6 7; do
		fresh && put "nr == $round" "$D/filter" && fire_on && "$@" $round || return
	done
}

# With the lines that follow the first one of a hex dump.
text_of_round()
{
	sed -e '/^#/d' -e "s/^.*: $EVENT:/EVENT:/" "$I/trace"
}

bytes_of_round()
{
	page 1 > "$TMP/page" && split_page < "$TMP/page" | masked fields
}

# "kind_tests C RUST": events with fields of many kinds, one of them "nr".
kind_tests()
{
	check "$2: same format" pair "$1" "$2" - format
	check "$2: same text" pair "$1" "$2" - printed
	check "$2: same text by field" pair "$1" "$2" - printed_by_field
	check "$2: same text by round" pair "$1" "$2" - in_rounds text_of_round
	check "$2: same bytes" pair "$1" "$2" 4 in_rounds bytes_of_round
}

# What is printed of constants has their types; the text behind them is the name.
constants()
{
	EVENT="$RUST_CONSTANTS"
	fresh && fire_on && text > "$TMP/found" || return
	for value in $(seq 0 $((ROUNDS - 1))); do
		echo "EVENT: page=12345000 small=4096 negative=-1 shifted=1099511627776" \
			"parts=1,$value name=constants"
	done > "$TMP/wanted"
	same "$TMP/wanted" "$TMP/found"
}

# The compiler alone parses formats, but for the examples in its documentation.
no_parser()
{
	lacks -q ' rust_doctest_' /proc/kallsyms || skip "the examples are in the kernel" ||
		return
	grep -q ' _R[^ ]*6kernel' /proc/kallsyms || complain "no symbol of the kernel crate" ||
		return
	lacks -q -e ' _R[^ ]*6kernel6printf' -e ' _R[^ ]*11trace_event3key' /proc/kallsyms
}

# There is no such event in C; a record has the common fields alone.
empty()
{
	EVENT="$RUST_EMPTY"
	fresh || return
	! sed '/common_/d' "$D/format" | grep field: && fire_on || return
	[ "$(text | wc -l)" -eq $ROUNDS ]
}

# The ring buffer makes a record that small longer, by bytes of no field.
empty_record()
{
	EVENT="$RUST_EMPTY"
	records fields > "$TMP/empty" && [ "$(lines "$TMP/empty")" -eq $ROUNDS ] &&
		[ "$(sed 's/\(.\{16\}\)\.*$/\1/' "$TMP/empty" | sort -u | wc -c)" -eq 17 ]
}

# All records or none: there is nothing but the common fields to select them by.
empty_filtered()
{
	EVENT="$RUST_EMPTY"
	fresh && put "common_pid == $$" "$D/filter" && fire_on &&
		[ "$(text | wc -l)" -eq $ROUNDS ] || return
	put "common_pid != $$" "$D/filter" && fire_on && [ "$(text | wc -l)" -eq $ROUNDS ]
}

# A program that looks at no argument, on this event and on one of C.
empty_raw_tracepoint()
{
	pair test_c_first "$RUST_EMPTY" 1 raw_tracepoint "" &&
		[ "$(cat "$TMP/2")" = "hits $ROUNDS" ]
}

empty_bad_raw_tracepoint()
{
	EVENT="$RUST_EMPTY"
	bad_raw_tracepoint vv
}

empty_tests()
{
	check "$RUST_EMPTY: no fields" empty
	check "$RUST_EMPTY: no bytes" empty_record
	check "$RUST_EMPTY: filter" empty_filtered
	check "$RUST_EMPTY: called for BPF" empty_raw_tracepoint
	check "$RUST_EMPTY: one argument for BPF, a pointer to nothing" empty_bad_raw_tracepoint
}

tests()
{
	small_tests test_c_condition "$RUST_CONDITION" $((ROUNDS - 1)) 8 4
	small_tests test_c_first "$RUST_FIRST" $ROUNDS 8 8
	small_tests test_c_second "$RUST_SECOND" $((ROUNDS / 2)) 4 8
	kind_tests test_c_fields "$RUST_FIELDS"
	kind_tests test_c_rel "$RUST_REL"
	kind_tests test_c_print "$RUST_PRINT"
	check "$RUST_FN: same format" pair test_c_fn "$RUST_FN" - format
	check "$RUST_FN: same text" pair test_c_fn "$RUST_FN" $ROUNDS printed
	check "$RUST_CONDITION: no byte too many for BPF with types" bad_typed_tracepoint
	empty_tests
	check "$RUST_CONSTANTS: same values as in Rust" constants
	check "the parser of formats is not in the kernel" no_parser
}

run_tests
