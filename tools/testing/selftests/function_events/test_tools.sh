#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What reads or controls events does so with function events: filters, triggers, instances,
# perf, BPF programs and trace-cmd.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "filters" filters
	check "histograms" histogram
	check "stack traces" stack_trace
	check "triggers" trigger
	check "snapshots by a trigger" snapshots
	check "set_event_pid" pids
	check "instances" instance
	check "set_event" set_event
	check "perf samples" perf_samples
	check "no bytes that are no field" padding
	check "BPF programs" bpf
	check "trace-cmd" trace_cmd
	check "trace-cmd: strings that are cut" trace_cmd_cut
	check "perf record and script" perf_record
	check "places and call chains of perf" perf_places
}

filters()
{
	accepted "test_func_recurse(u32 depth)" &&
	accepted "test_func_string(string kernel, ustring user)" || return
	echo 'depth > 2 && depth != 4' > events/functions/test_func_recurse/filter &&
	echo 'kernel ~ "in*kernel"' > events/functions/test_func_string/filter || return
	fire
	found="$(records test_func_recurse | tr '\n' ' ')$(records test_func_string | grep -c .)"
	echo 'kernel == "other"' > events/functions/test_func_string/filter
	fire
	found="$found $(records test_func_string | grep -c .)"
	undefine
	[ "$found" = "->test_func_recurse(depth=5) ->test_func_recurse(depth=3) 1 0" ] ||
		complain "$found"
}

histogram()
{
	[ -e events/sched/sched_switch/hist ] || { skip "no histograms"; return; }
	accepted "test_func_recurse(u32 depth) -> u32 ret" || return
	echo 'hist:keys=depth:vals=ret:sort=depth' > events/functions/test_func_recurse/trigger &&
	call 2
	number=' *\([0-9]*\)'
	hist="$(sed -n "s/^{ depth:$number } hitcount:$number *ret:$number/\1:\2:\3/p" \
		events/functions/test_func_recurse/hist | tr '\n' ' ')"
	echo '!hist:keys=depth:vals=ret:sort=depth' > events/functions/test_func_recurse/trigger
	undefine
	[ "$hist" = "1:2:2 2:2:4 3:2:6 4:2:8 5:2:10 " ] || complain "$hist"
}

stack_trace()
{
	accepted "test_func_pointer(u64 where)" && accepted "fire_pointers() -> void" || return
	echo 1 > options/stacktrace
	fire
	echo 0 > options/stacktrace
	cat trace > "$TMP/stack"
	undefine
	# The first function, as the name of the event and that, and the one that has called it.
	sed -n -e '/: \(test_func_pointer\|fire_pointers\): /{s/.*: \([a-z_]*\): .*/\1/;h}' \
		-e '/<stack trace>/{n;s/^ *=> *//;s/ .*//;H;n;s/^ *=> *//;s/ .*//;H;g;s/\n/ /g;p}' \
		"$TMP/stack" | sort -u > "$TMP/places"
	# An unwinder that goes by frames leaves out who calls a function that has none yet;
	# on arm64, ftrace makes one.
	caller="fire_[a-z]*"
	[ "$(uname -m)" != aarch64 ] || caller=fire_pointers
	grep -qx "test_func_pointer test_func_pointer $caller" "$TMP/places" &&
	grep -qx "fire_pointers fire_\(once\|write\) [a-z_]*" "$TMP/places" &&
	lacks -v "^\(test_func_pointer test_func_pointer\|fire_pointers\) fire_" \
		"$TMP/places" && lacks -q 'return_to_handler' "$TMP/stack" || {
		sed -e 's/^/# /' "$TMP/places"
		head -n 40 "$TMP/stack" | sed -e 's/^/# /'
		return 1
	}
}

# An event with a trigger cannot be removed, like other dynamic events.
trigger()
{
	accepted "test_func_wide(int a)" && accepted "test_func_none()" || return
	echo 'traceoff if a == -32' > events/functions/test_func_wide/trigger || return
	call 1
	on="$(cat tracing_on)"
	echo 1 > tracing_on
	! define '!test_func_wide' || return
	echo '!traceoff' > events/functions/test_func_wide/trigger
	undefine
	[ "$on" = 0 ] && [ ! -d events/functions ]
}

# The function of the trigger is called after the other one.
snapshots()
{
	[ -e snapshot ] || { skip "no snapshots"; return; }
	accepted "test_func_wide(int a)" && accepted "test_func_none()" &&
		echo 'snapshot:1' > events/functions/test_func_none/trigger || return
	fire
	taken="$(sed -n 's/.*: test_func_wide: .*->//p' snapshot)"
	left="$(records test_func_wide)"
	echo '!snapshot:1' > events/functions/test_func_none/trigger
	echo 0 > snapshot
	undefine
	[ "$taken" = "test_func_wide(a=-32)" ] && [ -z "$left" ] || complain "$taken; $left"
}

# This shell, and one that is another task.
pids()
{
	accepted "test_func_wide(int a)" && accepted "test_func_none() -> void" || return
	echo > trace
	echo $$ > set_event_pid
	echo 1 > events/functions/enable
	call 1
	sh -c "echo 1 > $FIRE"
	found="$(records test_func_wide | grep -c .) $(records test_func_none | grep -c .)"
	echo > set_event_pid
	sh -c "echo 1 > $FIRE"
	found="$found, $(records test_func_wide | grep -c .) $(records test_func_none | grep -c .)"
	echo 0 > events/functions/enable
	undefine
	[ "$found" = "1 1, 2 2" ] || complain "$found"
}

instance()
{
	mkdir $INSTANCE && accepted "test_func_wide(int a)" || return
	echo > trace
	echo 1 > $INSTANCE/events/functions/test_func_wide/enable
	call 1
	there=$(grep -c 'test_func_wide(a=-32)' $INSTANCE/trace)
	echo 1 > events/functions/test_func_wide/enable
	call 1
	both=$(grep -c 'test_func_wide(a=-32)' $INSTANCE/trace)
	here=$(grep -c 'test_func_wide(a=-32)' trace)
	rmdir $INSTANCE
	undefine
	[ "$there $both $here" = "1 2 1" ] || complain "$there $both $here"
}

set_event()
{
	accepted "test_func_wide(int a)" && echo 'functions:test_func_wide' >> set_event &&
	[ "$(cat events/functions/test_func_wide/enable)" = 1 ] &&
	echo '!functions:*' >> set_event &&
	[ "$(cat events/functions/test_func_wide/enable)" = 0 ]
}

# The bytes of the last field of a record: a u64 on its own.
perf_samples()
{
	have_program "$DIR"/../rust_tracepoint/perf_raw || return
	accepted "test_func_wide(NULL, NULL, NULL, u64 d)" &&
	accepted "test_func_string(string kernel) -> string name" || return
	"$DIR"/../rust_tracepoint/perf_raw $FIRE 1 "$(cat events/functions/test_func_wide/id)" \
		"$(cat events/functions/test_func_string/id)" > "$TMP/raw"
	undefine
	grep -q '^1 .*\(1032547698badcfe\|fedcba9876543210\)' "$TMP/raw" || {
		sed -e 's/^/# /' "$TMP/raw"
		return 1
	}
	# "in the kernel" and "one", each with its null byte.
	grep -q '^2 .*696e20746865206b65726e656c006f6e6500' "$TMP/raw"
}

# What is between fields is not from other records, nor from the stacks of the kernel.
padding()
{
	have_program "$DIR"/../rust_tracepoint/perf_raw || return
	accepted "test_func_narrow(s8 a | x64 all)" &&
	accepted "c:functions/ret test_func_narrow() -> u8 low | x64 all" &&
	accepted "test_func_wide(NULL, NULL, NULL, u64 d | u64 e | u64 f)" &&
	accepted "c:functions/kept $(head -n 3 $FE | tail -n 1) -> u64" || return
	for name in test_func_narrow ret test_func_wide kept; do
		cat events/functions/$name/id
	done > "$TMP/ids"
	# The words are meant to be split. A round leaves its records for the next one.
	"$DIR"/../rust_tracepoint/perf_raw $FIRE 3 $(cat "$TMP/ids") > "$TMP/raw"
	undefine
	# After common fields and __parent_ip; that of the return has the duration first.
	[ "$(grep -c '^1 .\{32\}f800000000000000' "$TMP/raw")" -eq 3 ] &&
	[ "$(grep -c '^2 .\{48\}..00000000000000' "$TMP/raw")" -eq 3 ] || {
		grep '^[12]' "$TMP/raw" | sed -e 's/^/# /'
		return 1
	}
}

# Prints how often the program ran, and the last value of the field at an offset.
bpf()
{
	have_program "$DIR"/bpf_field || return
	accepted "test_func_recurse(u64 depth)" || return
	offset="$(sed -n 's/.* depth;\toffset:\([0-9]*\);.*/\1/p' \
		events/functions/test_func_recurse/format)"
	found="$("$DIR"/bpf_field "$(cat events/functions/test_func_recurse/id)" "$offset" $FIRE 1)"
	undefine
	case $found in
	*": error 38") skip "no BPF"; return ;;
	esac
	[ "$found" = "5 1" ] || complain "$found"
}

trace_cmd()
{
	command -v trace-cmd > /dev/null || { skip "no trace-cmd"; return; }
	accepted "test_func_narrow(s8 a, x8 b, s16 c, u16 d, char e, bool f) -> int sum" &&
	accepted "test_func_item(s16 small+4[0] | char[16] text+32, string array+0[1])" &&
	accepted "test_func_pointer(u32 where[0])" || return
	fire
	for event in test_func_narrow test_func_item test_func_pointer; do
		records $event
	done > "$TMP/ours"
	trace-cmd record -q -e functions -o "$TMP/trace.dat" \
		sh -c "echo 1 > $FIRE; sleep 0.5" > "$TMP/said" 2>&1
	trace-cmd report -i "$TMP/trace.dat" > "$TMP/report" 2>>"$TMP/said"
	for event in test_func_narrow test_func_item test_func_pointer; do
		sed -n -e "s/.*$event: *[^ ]*->/->/p" "$TMP/report" |
			sed -e 's/ ([0-9]* ns)$/ (ns)/'
	done > "$TMP/theirs"
	undefine
	cmp "$TMP/ours" "$TMP/theirs" || {
		sed -e 's/^/# ours: /' "$TMP/ours"
		sed -e 's/^/# theirs: /' "$TMP/theirs"
		return 1
	}
}

trace_cmd_cut()
{
	command -v trace-cmd > /dev/null || { skip "no trace-cmd"; return; }
	accepted "test_func_text(string k, NULL, string s) -> string r" || return
	letters 1500 > "$TMP/long"
	trace-cmd record -q -e functions -o "$TMP/trace.dat" \
		sh -c "cat '$TMP/long' > '$FILES/text'; sleep 0.5" > "$TMP/said" 2>&1
	trace-cmd report -i "$TMP/trace.dat" > "$TMP/report" 2>> "$TMP/said"
	undefine
	cut='"\.\.\.'
	grep -q "(k=\"x\\{92\\}$cut, s=\"x\\{92\\}$cut) -> r=\"x\\{1023\\}$cut (" "$TMP/report" || {
		sed -e 's/^/# /' "$TMP/said" "$TMP/report"
		return 1
	}
}

perf_record()
{
	command -v perf > /dev/null || { skip "no perf"; return; }
	accepted "test_func_recurse(u32 depth, NULL) -> u32 ret" || return
	perf record -q -e functions:test_func_recurse -o "$TMP/perf.data" \
		sh -c "echo 1 > $FIRE" > "$TMP/said" 2>&1
	perf script -i "$TMP/perf.data" > "$TMP/script" 2>>"$TMP/said"
	undefine
	[ "$(grep -c 'test_func_recurse(depth=[1-5]) -> ret=[1-5] (' "$TMP/script")" -eq 5 ] || {
		sed -e 's/^/# /' "$TMP/said" "$TMP/script"
		return 1
	}
}

# Where perf finds itself, and what it takes for the way there.
perf_places()
{
	command -v perf > /dev/null || { skip "no perf"; return; }
	accepted "vfs_open(NULL)" && accepted "c:functions/ret vfs_open() -> int" || return
	perf record -q -g --kernel-callchains -e functions:vfs_open,functions:ret \
		-o "$TMP/perf.data" cat /proc/version > "$TMP/said" 2>&1
	undefine
	perf script -i "$TMP/perf.data" -F event,ip,sym 2>> "$TMP/said" |
		sed -n -e '/functions:[a-z_]*: *$/{s/: *$//;s/.*://;h}' \
		-e '/^[\t ]/{s/^[\t ]*[0-9a-f]* //;s/[+ ].*//;H}' \
		-e '/^$/{g;s/\n/ /g;p}' | cut -d ' ' -f 1-3 | sort -u > "$TMP/places"
	grep -q "^vfs_open vfs_open \(do_open\|path_openat\)$" "$TMP/places" &&
	grep -q "^ret \(do_open\|path_openat\) " "$TMP/places" &&
	[ "$(grep -c '^vfs_open ' "$TMP/places")" -eq 1 ] || {
		sed -e 's/^/# /' "$TMP/said" "$TMP/places"
		perf script -i "$TMP/perf.data" | grep -A 5 ret: | head -n 20 | sed -e 's/^/# /'
		return 1
	}
}

run_tests
