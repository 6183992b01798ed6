#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program and the kernel under it in one trace. As root, with tracefs.
#
#	test_kernel.sh FNTRACE PROGRAM WITHOUT
#
# PROGRAM is system.c, compiled with -pg, WITHOUT a library made of without.c.

fntrace=$1
program=$2
without=$3
tracefs=/sys/kernel/tracing
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failed=0

# test_that STATUS NAME: report a test.
test_that()
{
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number $2"
	else
		echo "not ok $number $2"
		failed=1
	fi
}

# inside OUTER INNER: how many calls of INNER are inside of one of OUTER in the listing?
# INNER may also be the beginning of what is there for an event.
inside()
{
	awk -v outer="$1" -v inner="$2" '
		index($0, " " outer "() {") { depth = 1; next }
		depth && index($0, "} /* " outer " ") { depth = 0 }
		depth && (index($0, " " inner "()") ||
			  (inner ~ "/" && index($0, " " inner))) { found++ }
		END { print found + 0 }' "$work/list"
}

before=$(ls "$tracefs/instances")

echo "TAP version 13"
echo "1..20"

"$fntrace" record -k -e sched:sched_switch -e sched:sched_waking -o "$work/data" \
	"$program" 2>"$work/said"
test_that $? "record a program and the kernel"
"$fntrace" replay "$work/data" >"$work/list" 2>>"$work/said"
test_that $? "list both"
[ "$(inside opens do_sys_openat2)" -eq 3 ]
test_that $? "do_sys_openat2() is inside opens(), three times"
[ "$(inside asks __x64_sys_getppid)" -eq 3 ] || [ "$(inside asks __do_sys_getppid)" -eq 3 ]
test_that $? "getppid() is inside asks(), three times"
[ "$(inside opens __x64_sys_getppid)" -eq 0 ]
test_that $? "and not inside opens()"
[ "$(inside sleeps '/* sched:sched_switch')" -gt 0 ]
test_that $? "the program is switched out in sleeps()"

"$fntrace" convert -f uftrace -o "$work/uftrace" "$work/data" 2>>"$work/said" &&
	"$fntrace" replay "$work/uftrace" | grep -q 'do_sys_openat2()'
test_that $? "the directory for uftrace has the kernel's functions"

[ "$(inside sleeps '/* sched:sched_switch prev_comm')" -gt 0 ]
test_that $? "events have their fields"

# Nobody says when a pipe is open for reading.
mkfifo "$work/pipe"
"$fntrace" receive -o "$work/received" "$work/pipe" 2>>"$work/said" &
sleep 2
"$fntrace" record -k --to "$work/pipe" "$program" 2>>"$work/said" && wait $! &&
	"$fntrace" replay "$work/received" >"$work/list" 2>>"$work/said" &&
	[ "$(inside opens do_sys_openat2)" -eq 3 ]
test_that $? "the kernel's side is sent, too"

# A kernel that cannot trace functions has none of the files for them.
LD_PRELOAD=$without "$fntrace" record -e sched:sched_switch -o "$work/events-only" \
	"$program" 2>>"$work/said" &&
	"$fntrace" replay "$work/events-only" >"$work/list" 2>>"$work/said" &&
	[ "$(inside sleeps '/* sched:sched_switch')" -gt 0 ]
test_that $? "events alone need no file for functions"
LD_PRELOAD=$without "$fntrace" record -k -o "$work/bad" "$program" 2>"$work/bad-said"
[ $? -ne 0 ] && grep -q 'function-fork\|set_ftrace_pid' "$work/bad-said" && [ ! -e "$work/bad" ]
test_that $? "the kernel's functions need them"

if [ -e "$tracefs/function_events" ]; then
	# The first time, the page with the path is not there yet: it shows as a fault.
	echo 'SyS_openat(int dfd, string path, x32 flags, x16 mode)' >"$tracefs/function_events"
	"$fntrace" record -g do_sys_openat2 -e functions:SyS_openat -o "$work/events" \
		"$program" 2>>"$work/said" &&
		"$fntrace" replay "$work/events" >"$work/list" 2>>"$work/said" &&
		[ "$(grep -c 'functions:SyS_openat.*path="/proc/version"' "$work/list")" -ge 2 ] &&
		[ "$(inside opens do_sys_openat2)" -eq 3 ] &&
		[ "$(inside asks __x64_sys_getppid)" -eq 0 ]
	test_that $? "a function event, and only what is inside one function"
	echo >"$tracefs/function_events"
else
	test_that 0 "a function event # SKIP no function_events"
fi

# What "guest" is here was recorded later on the same machine, so that its counter is
# that of "host" and the order is known.
if command -v trace-cmd >/dev/null; then
	trace-cmd record -q -C x86-tsc -p function_graph -g do_sys_openat2 -o "$work/trace.dat" \
		"$fntrace" record -o "$work/guest" "$program" >>"$work/said" 2>&1
	"$fntrace" convert -f list -o "$work/all" -m host "$work/data" \
		-m guest --tsc-offset 0 "$work/guest" "$work/trace.dat" 2>>"$work/said"
	test_that $? "two programs and two kernels in one trace"
	grep ' guest:' "$work/all" >"$work/list"
	[ "$(inside opens do_sys_openat2)" -eq 3 ]
	test_that $? "a trace.dat's do_sys_openat2() is inside opens(), three times"
	[ "$(grep -n ' host:.*} /\* main ' "$work/all" | cut -d : -f 1)" -lt \
		"$(grep -n ' guest:.* main() {' "$work/all" | cut -d : -f 1)" ]
	test_that $? "what was later is later"
else
	for what in "four in one trace" "a trace.dat inside opens()" "what was later is later"; do
		test_that 0 "$what # SKIP no trace-cmd"
	done
fi

# The process that watches is the other child of the one that records.
cat >"$work/kill" <<'EOF'
for status in /proc/[0-9]*/stat; do
	read -r pid name state parent rest <"$status"
	[ "$parent" = "$PPID" ] && [ "$pid" != $$ ] && kill -KILL "$pid" && echo killed
done
exec "$1"
EOF
"$fntrace" record -k -o "$work/unwatched" sh "$work/kill" "$program" \
	>"$work/killed" 2>"$work/unwatched-said" &&
	grep -q killed "$work/killed" && grep -q 'process that watches' "$work/unwatched-said" &&
	"$fntrace" replay "$work/unwatched" 2>&1 | grep -q 'opens() {'
test_that $? "without the process that watches it, a recording ends as well"

"$fntrace" record -k -e no:such -o "$work/bad" "$program" 2>"$work/bad-said"
[ $? -ne 0 ] && grep -q 'no:such' "$work/bad-said" && [ ! -e "$work/bad" ]
test_that $? "an event that does not exist is refused by name"
"$fntrace" record -g no_such_function -o "$work/bad" "$program" 2>"$work/bad-said"
[ $? -ne 0 ] && grep -q 'no_such_function' "$work/bad-said"
test_that $? "a function that does not exist is refused by name"

# As for the first process of a container, orphans are children of fntrace.
timeout -s KILL 30 "$program" reaper "$fntrace" record -k -o "$work/first" "$program" \
	2>>"$work/said"
test_that $? "a process that has all orphans records the kernel, and ends"

[ "$(ls "$tracefs/instances")" = "$before" ] && [ "$(cat "$tracefs/current_tracer")" = nop ]
test_that $? "nothing is left in tracefs"

[ "$failed" -eq 0 ] || sed 's/^/# /' "$work/said" "$work/bad-said"
exit "$failed"
