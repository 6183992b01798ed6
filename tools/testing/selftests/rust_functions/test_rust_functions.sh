#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Functions of Rust in ftrace: which are listed, what the tracers, probes and function
# events make of them, their names, and what is refused.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh
. "$DIR"/../kselftest/event_helpers.sh

MODULE=test_rust_functions
# What the names of all functions of the module have in them.
CRATE=19$MODULE
# Not the function that calls it if it is called but once.
CLOSURE='4fire0B[0-9A-Za-z]*_'
FE=function_events
SYSTEM=functions
RUNNING=

reset()
{
	echo 0 > tracing_on
	echo nop > current_tracer
	echo > set_ftrace_filter
	[ ! -e set_graph_function ] || echo > set_graph_function
	[ ! -e options/rust-names ] || echo 0 > options/rust-names
	[ ! -e options/func_stack_trace ] || echo 0 > options/func_stack_trace
	echo > trace
	echo 1 > tracing_on
}

clean_up()
{
	cd "$TRACING" || return
	echo 0 > events/enable
	reset
	[ ! -e dynamic_events ] || echo > dynamic_events
	unload $MODULE
	cd /
	rm -rf "$TMP"
	unmount
}

tidy()
{
	echo 0 > events/enable
	[ ! -e dynamic_events ] || ! grep -q . dynamic_events || echo > dynamic_events
	reset
}

# "symbol PATTERN": the name of the function of the module whose name ends so.
symbol()
{
	sed -n -e "s/^[^ ]* [tT] \(_R[^[:space:]]*$CRATE$1\)[[:space:]]*\[$MODULE\]\$/\1/p" \
		/proc/kallsyms | head -n 1
}

# "listed NAME"
listed()
{
	grep -q "^$1 \[$MODULE\]\$" available_filter_functions
}

call()
{
	echo 1 > "$FIRE"
}

#
# What is listed
#

# "lists PATTERN": there is such a function, and it is listed.
lists()
{
	name="$(symbol "$1")"
	[ -n "$name" ] || { complain "no symbol $1"; return 1; }
	listed "$name" || complain "$name is not listed"
}

each_type()
{
	[ "$(grep -c "${CRATE}5twice[hm]E.* \[$MODULE\]\$" available_filter_functions)" -eq 2 ] ||
		complain "$(grep 5twice available_filter_functions)"
}

notrace()
{
	name="$(symbol 6hidden)"
	[ -n "$name" ] || { complain "no symbol"; return 1; }
	! listed "$name" || { complain "$name is listed"; return 1; }
	! echo "$name" > set_ftrace_filter 2> "$TMP/said" || complain "accepted by the filter"
}

# rustc may leave one of two functions with the same code, with both names.
folded()
{
	first="$(symbol 10same_first)"
	second="$(symbol 11same_second)"
	[ -n "$first" ] && [ -n "$second" ] || { complain "a symbol is missing"; return 1; }
	addresses="$(grep -e " $first[[:space:]]" -e " $second[[:space:]]" /proc/kallsyms |
		     cut -d ' ' -f 1 | sort -u | wc -l)"
	[ "$(grep -c "${CRATE}1[01]same_" available_filter_functions)" -eq "$addresses" ]
}

kernel_crate()
{
	grep -q '^_R[^ ]*6kernel[^ ]*$' available_filter_functions
}

# "unlisted PATTERN": there are functions whose names match, and none of them is listed.
unlisted()
{
	awk '{ print $3 }' /proc/kallsyms | grep -q -e "$1" || complain "no symbol $1" || return
	lacks -e "$1" available_filter_functions || complain "$1 is listed"
}

# Nor what ftrace itself needs to print a record, or to report that it is broken.
tracing_path()
{
	unlisted '^rust_fmt_argument$' && unlisted '7___rustc17rust_begin_unwind$' || return
	# With lockdep only.
	lacks '^rust_helper_tracepoint_\(rcu_is_watching\|warn_rcu\)' \
		available_filter_functions
}

# What computes the fields of an event, of a module that has some.
event_functions()
{
	events=test_rust_tracepoint
	present $events || { skip "module $events is not found"; return; }
	loaded=
	[ ! -d /sys/module/$events ] || loaded=y
	# Names are mangled with their length, and a "_" before one that begins with "_".
	modprobe -q $events && unlisted "$events.*[0-9]___trace_event_"
	status=$?
	[ -n "$loaded" ] || unload $events
	return $status
}

share()
{
	"$DIR/share.sh" > "$TMP/share" || return
	ktap_print_msg "of 100 functions are listed: $(tr '\n' ' ' < "$TMP/share")"
	awk '{ share[$1] = $2 } END { exit !(share["c"] > 0 && share["rust"] >= 99) }' "$TMP/share"
}

list()
{
	check "functions are listed" lists 7numbers
	check "functions with the ABI of C are listed" \
		grep -q "^${MODULE}_c \[$MODULE\]\$" available_filter_functions
	check "methods are listed" lists ".*4Disk8allocate"
	check "methods of traits are listed" lists ".*4Disk.*6Device4read"
	check "closures are listed" lists "$CLOSURE"
	check "generic functions are listed once for each type" each_type
	check "functions with #[notrace] are not listed, and no filter takes them" notrace
	check "functions that were folded are listed once" folded
	check "functions of the kernel crate are listed" kernel_crate
	check "functions that tracing depends on are not listed" tracing_path
	check "functions that compute the fields of events are not listed" event_functions
	check "of functions in Rust, 99 of 100 are listed" share
}

#
# Tracers
#

tracer()
{
	grep -qw "$1" available_tracers || skip "no tracer $1"
}

function_tracer()
{
	tracer function || return
	echo "*$CRATE*" > set_ftrace_filter &&
	echo function > current_tracer &&
	call || return
	echo 0 > tracing_on
	grep -q "$(symbol 7numbers)" trace && grep -q "$(symbol "5twicehE[0-9A-Za-z_]*")" trace
}

# From the system call through Rust into C and back.
graph()
{
	tracer function_graph || return
	echo "$(symbol 4fire)" > set_graph_function &&
	echo function_graph > current_tracer &&
	echo 1 > options/rust-names &&
	call || return
	echo 0 > tracing_on
	sed -e 's/.*|  //' trace > "$TMP/graph"
	# Called by fire(), and calls the allocator, which is C.
	sed -n "/^  *<$MODULE::Disk>::allocate \[$MODULE\]() {/,/^  *}/p" "$TMP/graph" |
		grep -q ' [_a-z]*alloc[_a-z]*()' && return
	head -n 60 "$TMP/graph" | sed -e 's/^/# /'
	return 1
}

readable()
{
	tracer function || return
	symbol 7numbers > set_ftrace_filter &&
	echo function > current_tracer &&
	call || return
	echo 0 > tracing_on
	grep -q ": $(symbol 7numbers) " trace || { complain "no mangled name"; return 1; }
	echo 1 > options/rust-names
	grep -q ": test_rust_functions::numbers <-test_rust_functions::fire" trace || {
		grep -v '^#' trace | head -n 5 | sed -e 's/^/# /'
		return 1
	}
}

stack()
{
	tracer function || return
	symbol ".*6Device4read" > set_ftrace_filter &&
	echo function > current_tracer || return
	[ -e options/func_stack_trace ] || { skip "no stack traces of functions"; return; }
	echo 1 > options/func_stack_trace
	echo 1 > options/rust-names
	call || return
	echo 0 > tracing_on
	# An unwinder that goes by frames leaves out who calls a function that has none yet.
	grep -q '^ *=> test_rust_functions::fire' trace && return
	grep -q '^ *=> kernel::debugfs::' trace && [ "$(uname -m)" = riscv64 ] && return
	head -n 40 trace | sed -e 's/^/# /'
	return 1
}

tracers()
{
	check "function tracer" function_tracer
	check "function graph tracer, from Rust into C" graph
	check "readable names as an option" readable
	check "stack trace in Rust code, with readable names" stack
}

#
# Probes
#

# "hit EVENT TEXT": the event is recorded with this text.
hit()
{
	echo 1 > events/"$1"/enable && call || return
	echo 0 > events/"$1"/enable
	grep -q "$2" trace && return
	grep -v '^#' trace | head -n 5 | sed -e 's/^/# /'
	return 1
}

has_fprobes()
{
	[ -e dynamic_events ] && grep -q 'f\[.*%return' README || skip "no fprobe events"
}

fprobe()
{
	has_fprobes || return
	echo "f:rust_numbers $(symbol 7numbers) c=\$arg3:s32 d=\$arg4:u64" >> dynamic_events &&
	hit fprobes/rust_numbers 'c=-32 d=1099511627776'
}

fprobe_return()
{
	has_fprobes || return
	echo "f:rust_numbers $(symbol 7numbers)%return ret=\$retval:s64" >> dynamic_events &&
	hit fprobes/rust_numbers 'ret=1099511687737'
}

kprobe()
{
	[ -e kprobe_events ] || { skip "no kprobe events"; return; }
	echo "p:rust_numbers $(symbol 7numbers) d=\$arg4:u64" >> kprobe_events &&
	hit kprobes/rust_numbers 'd=1099511627776'
}

kprobe_inside()
{
	[ -e kprobe_events ] || { skip "no kprobe events"; return; }
	# The first instruction behind what ftrace may patch.
	for offset in 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo "p:rust_inside $(symbol 7numbers)+$offset" 2> "$TMP/said" >> kprobe_events &&
			break
	done
	[ -d events/kprobes/rust_inside ] || { complain "$(cat "$TMP/said")"; return 1; }
	hit kprobes/rust_inside 'rust_inside: ('
}

probes()
{
	check "fprobe" fprobe
	check "fprobe at the return" fprobe_return
	check "kprobe at the entry" kprobe
	check "kprobe in the function" kprobe_inside
}

#
# Function events
#

# "shows NAME REST TEXT": the event of the prototype NAME REST, with another name, as
# that of the function is long, is recorded so.
shows()
{
	[ -e $FE ] || { skip "no function events"; return; }
	define "c:rust_event $1$2" || { complain "$(cat "$TMP/said")"; return 1; }
	echo 1 > events/$SYSTEM/rust_event/enable && call || return
	echo 0 > events/$SYSTEM/rust_event/enable
	found="$(sed -n -e 's/.*: rust_event: [^(]*(/(/p' trace | sed -e 's/ ([0-9]* ns)$//')"
	case $found in
	"$3") return ;;
	esac
	complain "found: $found"
	complain "instead of: $3"
}

readable_event()
{
	[ -e $FE ] || { skip "no function events"; return; }
	accepted "c:rust_event $(symbol 7numbers)(i8 a)" || return
	echo 1 > events/$SYSTEM/rust_event/enable && call || return
	echo 1 > options/rust-names
	grep -q "rust_event: $MODULE::fire[^>]*->$MODULE::numbers(a=-8)" trace && return
	grep -v '^#' trace | head -n 5 | sed -e 's/^/# /'
	return 1
}

# "refuses ERROR DEFINITION"
refuses()
{
	[ -e $FE ] || { skip "no function events"; return; }
	refused "$no" "$2" || return
	grep -q "error: $1" error_log || complain "$(cat error_log)"
}

function_events()
{
	name="$(symbol 7numbers)"
	check "function event with integers" shows "$name" \
		"(i8 a, u16 b, i32 c, u64 d, bool e) -> i64 ret" \
		"(a=-8, b=60000, c=-32, d=1099511627776, e=1) -> ret=1099511687737"
	check "function event with text and its length" shows "$(symbol 4text)" \
		"(char[4] name, usize len, u32 id) -> usize ret" \
		'(name="disk", len=4, id=3) -> ret=7'
	check "function event on a method" shows "$(symbol ".*6Device4read")" \
		"(NULL, u64 first, u16 count) -> u64 ret" "(first=90, count=20) -> ret=10"
	check "function event on a closure" shows "$(symbol "$CLOSURE")" \
		"(NULL, u32 value) -> u32 ret" "(value=4) -> ret=9"
	check "function event on a function with the ABI of C" shows "${MODULE}_c" \
		"(int value, string text) -> int ret" '(value=41, text="from Rust") -> ret=42'
	check "function event with readable names" readable_event
	known="Rust passes only integers, bool and thin pointers in known registers"
	check "references to text are refused" refuses "$known" "$name(^&str a)"
	check "generic types are refused" refuses "$known" "$name(i8 a, ^Option<u32> b)"
	check "large integers are refused" refuses "$known" "$name(i8 a, ^u128 b)"
	check "tuples as return values are refused" refuses "$known" "$name() -> ^(u32, u32)"
	check "strings that end with a NUL are refused" \
		refuses "Text in Rust does not end with a NUL" "$name(i8 a, ^string b)"
	check "functions with #[notrace] are refused" \
		refuses "Function cannot be traced" "^$(symbol 6hidden)(u32 value)"
}

quiet()
{
	clean_log
}

all()
{
	list
	tracers
	probes
	function_events
	check "the kernel did not complain" quiet
}

#
# Main
#

begin $MODULE
FIRE="$FILES/fire"
[ ! -e $FE ] || ! grep -q . $FE || skip_all "there are function events already"

trap clean_up EXIT
modprobe $MODULE || exit "$KSFT_FAIL"
mark_log
no="Invalid argument"
KSFT_NUM_TESTS=0
all
ktap_set_plan "$KSFT_NUM_TESTS"
RUNNING=y
all
ktap_finished
