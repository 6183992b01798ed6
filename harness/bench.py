#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure what does not depend on the machine: instructions, IPIs, bytes.

    bench.py            the patched kernel against the stock mechanisms
    bench.py ARCH       the same on arm64 or riscv64, as much as can be measured there
    bench.py --quick    only whether the instruction figures of guests repeat

A figure is a number with a name, measured on one kernel: by a piece of shell
in a guest (PROBES), or from the kernel's files (sizes()). A row of the table
(ROWS) sets two figures against each other. Usually both have the row's name
and come from the patched and the pristine kernel; a row with `stock` compares
with another mechanism of the pristine kernel, as a marker with a TRACE_EVENT,
and one with `within` with another of the patched kernel.

To add a row, add a Row and, if its figures are new, a Probe that prints them:

    @figure NAME NUMBER
    @error NAME words       why there is no such figure

A figure that is printed several times is the median. A row without both
figures ends the run with an error that names it.
"""

import dataclasses
import json
import os
import re
import shutil
import statistics
import subprocess

import fntrace
import guest
import kernel as kernels
import ringbuffer
import series
import ui
from ui import BUILD, LOGS, ROOT, Failure, shown

RESULTS = BUILD / "bench"
# Programs for the guests.
TOGGLE_SOURCE, WORKLOAD_SOURCE = (ROOT / "harness" / "bench" / name
                                  for name in ("toggle.c", "workload.c"))
# What a workload compiles: its length, not what it is, matters.
COMPILED = "toggle.i"
MODULE = "static_key_benchmark"
MODULE_SOURCES = tuple(ROOT / "kernel" / "trace" / f"{MODULE}{suffix}"
                       for suffix in (".h", "_main.c", "_rust.rs"))
# As its lines in kernel/trace/Makefile; outside of that directory the compiler
# flags of the function tracer are there already. The pristine kernel does not
# know of the option.
MODULE_KBUILD = f"""\
obj-m := {MODULE}.o
{MODULE}-y := {MODULE}_main.o
{MODULE}-$(CONFIG_STATIC_KEY_BENCHMARK_RUST) += {MODULE}_rust.o {MODULE}_rust.trace.o
CFLAGS_{MODULE}_main.o := -I$(src)
TRACEPOINTS_{MODULE}_rust.o := {MODULE}_main.c
# Compared with a C function that is notrace.
RUSTFLAGS_REMOVE_{MODULE}_rust.o := $(RUSTC_FLAGS_FTRACE)
"""

# How far two runs of an instruction benchmark may be apart.
TOLERANCE = 0.005

INSTRUCTIONS = "instructions"
IPIS = "IPIs"
SECONDS = "s"
EVENTS = "events"
SITES = "sites"
BYTES = "bytes"
CYCLES = "cycles"
PERCENT = "%"


# --- what is measured ------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Machine:
    """A guest in which probes run one after the other."""

    what: str
    smp: int
    setup: str
    # Of the host, see program_of().
    programs: tuple = ()


# All guests run under -icount, also those with several CPUs: these take turns, and
# each instruction of any of them takes 1 ns. Without it, a time would be what QEMU
# takes to emulate, most of which goes into translating patched code again.
#
# norandmaps: where a program is decides which of its page faults are one.
# nolapic_timer: QEMU takes half a minute per CPU over the pauses of the loop that
# calibrates the local APIC's timer.
# tsc=reliable: else the only clock of a guest with several CPUs is jiffies, as the
# kernel does not expect the TSCs of different sockets to agree. Under -icount they do.
APPEND = "norandmaps nolapic_timer tsc=reliable"
TIMEOUT = 300

# What all shell below starts from.
SCRIPT_HEAD = r"""
cd /sys/kernel/tracing || exit 1
cpus=$(grep -c ^processor /proc/cpuinfo)
if [ "$cpus" != CPUS ]; then
	echo "the guest has $cpus CPUs, not CPUS"
	exit 1
fi
"""

# For machines that have many events of functions.
MANY_EVENTS = r"""
# many_events COUNT FIGURE FILE DEFINITION: events on so many functions; DEFINITION has
# "$function" in it. It fails if there are fewer.
many_events()
{
	# A shell ends where eval cannot redirect.
	if [ ! -e "$3" ]; then
		echo "@error $2 no $3"
		return 1
	fi
	nr=0
	for function in $(sed -e 's/ .*//' available_filter_functions |
			grep '^[a-z]*_[a-z_]*$' | sort | uniq -u); do
		eval "echo \"$4\"" 2>/dev/null >>"$3" && nr=$((nr + 1))
		[ $nr -lt "$1" ] || return 0
	done
	echo "@error $2 only $nr events"
	return 1
}
"""

# For machines that enable and disable many sites at once.
TOGGLE = r"""
# What the kernel makes of it when the first event is enabled, which takes more than
# to enable all events.
echo 1408 >buffer_size_kb
# A task that is woken on another CPU, such as those of RCU, is not counted as an IPI.
echo NO_TTWU_QUEUE >/sys/kernel/debug/sched/features

# toggle FILE VALUE NAME KIND...: the figures KIND.NAME of writing VALUE to FILE,
# see harness/bench/toggle.c.
toggle()
{
	# What came before shall be over, and its RCU callbacks as well.
	sleep 1
	/job/toggle "$@"
}

# toggle_all SUFFIX KIND...: enable all events, and disable them.
toggle_all()
{
	suffix=$1
	shift
	toggle events/enable 1 "enable_all$suffix" "$@"
	[ "$(cat events/enable)" != 0 ] ||
		echo "@error $1.enable_all$suffix no event is enabled"
	toggle events/enable 0 "disable_all$suffix" "$@"
	[ "$(cat events/enable)" = 0 ] ||
		echo "@error $1.disable_all$suffix an event is still enabled"
}
"""

# For the machine that works.
WORK = r"""
# workloads SUFFIX: whole programs that do much in the kernel, or little; not "sched
# messaging": who of its forty tasks runs when is chance, and makes 10 %.
workloads()
{
	/job/workload "workload_pipe$1" perf bench sched pipe -l 20000
	/job/workload "workload_syscall$1" perf bench syscall basic -l 500000
	/job/workload "workload_mem$1" perf bench mem memcpy -s 16MB -l 1
	/job/workload "workload_compile$1" cc1 -quiet -O1 -fpreprocessed /job/toggle.i -o /dev/null
}

# The first run of a program reads its pages from the initramfs.
workloads _first | grep '^@error'
"""


MACHINES = {
    "insn": Machine("instructions per hit", smp=1, setup=MANY_EVENTS + r"""
insmod /job/static_key_benchmark.ko || exit 1
# Enough for a round to wrap, and quick to read back.
echo 64 >buffer_size_kb
bench=/sys/kernel/debug/static_key_benchmark

# insn BENCHMARK [FIGURE]: run a benchmark; FIGURE if one serves several.
insn()
{
	if said=$(cat "$bench/$1" 2>&1); then
		echo "@figure insn.${2:-$1} $said"
	else
		echo "@error insn.${2:-$1} $said"
	fi
}

# recorded FIGURE EVENT: the benchmark cannot see whether its events reach the ring buffer.
recorded()
{
	grep -q ": static_key_benchmark_$2: nr=999" trace ||
		echo "@error insn.$1 the event is not in the trace"
	echo >trace
}

# The functions of the benchmarks take the same arguments as their event shows.
probe='nr=$arg1:s32 value=$arg2:u64 flags=$arg3:x64 name=+0($arg4):string'
# The same for a kprobe, which is cheaper.
registers='nr=%di:s32 value=%si:u64 flags=%dx:x64 name=+0(%cx):string'

# dynamic FIGURE FILE DEFINITION [BENCHMARK GROUP LINE]: what a call, or BENCHMARK, costs with
# an event of the group functions, or GROUP, and with all that are defined already.
dynamic()
{
	group=${5:-functions}
	if ! echo "$3" >>"$2"; then
		echo "@error insn.$1 $3 is refused"
		return
	fi
	echo 1 >"events/$group/enable"
	[ "$(cat "events/$group/enable")" = 1 ] ||
		echo "@error insn.$1 not all events are enabled"
	insn "${4:-empty_call}" "$1"
	grep -q "${6:-: bench_empty.*: }" trace ||
		echo "@error insn.$1 the event is not in the trace"
	echo 0 >"events/$group/enable"
	echo >trace
	echo >dynamic_events
}
"""),
    # Not "insn", whose module has events of its own.
    "all": Machine("all events on 1 CPU", smp=1, setup=TOGGLE),
    "all2": Machine("all events on 2 CPUs", smp=2, setup=TOGGLE),
    "all4": Machine("all events on 4 CPUs", smp=4, setup=MANY_EVENTS + TOGGLE),
    "all8": Machine("all events on 8 CPUs", smp=8, setup=TOGGLE),
    "work": Machine("whole programs", smp=1, setup=WORK, programs=("perf", "cc1")),
}


# Those that are booted on other architectures than x86_64.
ELSEWHERE = ("insn", "all", "all2", "all4")
# What must be measured there.
ROWS_ELSEWHERE = (
    "insn.tracepoint_disabled", "insn.tracepoint_enabled", "insn.tracepoint_one_field",
    "insn.tracepoint_two_strings", "insn.trace_printk", "insn.function_tracer",
    "insn.function_graph", "insn.marker_dormant", "insn.marker_4args", "insn.single_key_toggle",
    "insn.enable_all", "ipi.enable_all_2cpus", "ipi.enable_all", "ipi.disable_all",
    "time.enable_all_off", "time.enable_all", "time.disable_all_off", "time.disable_all",
    "bytes.text", "bytes.jump_table")


@dataclasses.dataclass(frozen=True)
class Probe:
    """A piece of shell that prints figures."""

    machine: str
    script: str
    # For mechanisms that the pristine kernel does not have.
    patched_only: bool = False


PROBES = (
    Probe("insn", r"""
insn empty_call
insn static_branch_disabled
insn static_branch_enabled
insn single_key_toggle
insn tracepoint_disabled
insn notrace_disabled
echo 1 >events/static_key_benchmark/enable
insn tracepoint_enabled
recorded tracepoint_enabled hit
insn notrace_enabled
recorded notrace_enabled hit
insn tracepoint_one_field
recorded tracepoint_one_field one_field
insn tracepoint_two_strings
recorded tracepoint_two_strings two_strings
echo 0 >events/static_key_benchmark/enable
insn trace_printk
grep -q ': nr=999 value=.* name=trace_printk$' trace ||
	echo "@error insn.trace_printk it is not in the trace"
echo >trace
dynamic fprobe_event_4args dynamic_events "f:functions/bench_empty_f bench_empty $probe"
dynamic kprobe_event_4args dynamic_events "p:functions/bench_empty_p bench_empty $registers"
"""),
    Probe("insn", r"""
echo 1 >events/static_key_benchmark/enable
# Cleared, as people do it.
echo 1 >set_event_pid
echo >set_event_pid
insn tracepoint_enabled tracepoint_after_pid
recorded tracepoint_after_pid hit
# Not by writing: that is what sets the flag of the events again in the pristine kernel.
echo 1 >>set_event_pid
: >set_event_pid

echo 0 >tracing_on
echo >trace
insn tracepoint_enabled tracepoint_tracing_off
! grep -q ': static_key_benchmark_hit: ' trace ||
	echo "@error insn.tracepoint_tracing_off the event is in the trace"
echo 1 >tracing_on

# It waits in poll(), for more than all rounds write.
size=$(cat buffer_size_kb)
percent=$(cat buffer_percent)
echo 8192 >buffer_size_kb
echo 100 >buffer_percent
(read -r -t 1000 line <per_cpu/cpu0/trace_pipe_raw) &
reader=$!
sleep 1
insn tracepoint_enabled tracepoint_with_reader
grep -q poll /proc/$reader/wchan ||
	echo "@error insn.tracepoint_with_reader nobody waits: $(cat /proc/$reader/wchan)"
kill $reader
wait $reader
recorded tracepoint_with_reader hit
echo "$percent" >buffer_percent
echo "$size" >buffer_size_kb
echo 0 >events/static_key_benchmark/enable
"""),
    Probe("insn", r"""
# tracer FIGURE TRACER: what a call costs that a tracer traces.
tracer()
{
	echo bench_empty >set_ftrace_filter
	echo "$2" >current_tracer
	insn empty_call "$1"
	grep -q bench_empty trace ||
		echo "@error insn.$1 the function is not in the trace"
	echo nop >current_tracer
	echo >set_ftrace_filter
}

tracer function_tracer function
tracer function_graph function_graph
"""),
    Probe("insn", r"""
insn rust_declared_disabled rust_disabled
insn rust_defined_disabled
echo 1 >events/static_key_benchmark/enable
insn rust_declared_enabled
recorded rust_declared_enabled hit
insn rust_defined_enabled
recorded rust_defined_enabled rust_hit
echo 0 >events/static_key_benchmark/enable
""", patched_only=True),
    Probe("insn", r"""
# least: of the figures that are read; errors are passed on.
least()
{
	cat >/tmp/figures
	grep '^@error' /tmp/figures
	grep '^@figure' /tmp/figures | sort -n -k 3 | head -n 1
}

# cheaper FIGURE DEFINITION...: the least of several kinds of events.
cheaper()
{
	figure=$1
	shift
	for definition in "$@"; do
		dynamic "$figure" dynamic_events "$definition"
	done | least
}

# per_field FIGURE ONE NINE: from what dynamic said of one field and of nine.
per_field()
{
	case "$2 $3" in
	*@error*)
		printf '%s\n' "$2" "$3" | grep '^@error' ;;
	*)
		echo "${2##* } ${3##* }" |
			awk -v figure="$1" '{ printf "@figure insn.%s %.3f\n", figure, ($2 - $1) / 8 }' ;;
	esac
}

cheaper probe_event_4args "f:functions/bench_empty_f bench_empty $probe" \
	"p:functions/bench_empty_p bench_empty $registers"
cheaper probe_event_return 'f:functions/bench_empty_f bench_empty%return ret=$retval:s32' \
	'r:functions/bench_empty_r bench_empty ret=$retval:s32'
cheaper probe_event_entry_and_return \
	"f:functions/bench_empty_f bench_empty%return $probe ret=\$retval:s32" \
	"r:functions/bench_empty_r bench_empty $probe ret=\$retval:s32"
for definition in 'f:functions/bench_empty_f bench_empty a=$arg1' \
		'p:functions/bench_empty_p bench_empty a=%di'; do
	field=${definition##*=}
	nine="$definition b=$field c=$field d=$field e=$field f=$field g=$field h=$field i=$field"
	per_field probe_event_field "$(dynamic one dynamic_events "$definition")" \
		"$(dynamic nine dynamic_events "$nine")"
done | least
# A hundred events, of which one is hit.
for definition in "f:functions/bench_empty_f bench_empty $probe" \
		"p:functions/bench_empty_p bench_empty $registers"; do
	many_events 99 insn.probe_event_of_100 dynamic_events \
		"${definition%%:*}:functions/\$function \$function a=\\\$arg1"
	dynamic probe_event_of_100 dynamic_events "$definition"
done | least
"""),
    Probe("insn", r"""
target='bench_empty(int nr, u64 value, x64 flags, string name)'
dynamic function_event_4args function_events "$target"
dynamic function_event_return function_events 'bench_empty() -> int ret'
dynamic function_event_entry_and_return function_events "$target -> int ret"
one=$(dynamic one function_events 'bench_empty(u64 a)')
nine=$(dynamic nine function_events \
	'bench_empty(u64 a|u64 b|u64 c|u64 d|u64 e|u64 f|u64 g|u64 h|u64 i)')
per_field function_event_field "$one" "$nine"
many_events 99 insn.function_event_of_100 function_events '$function(x64 a)'
dynamic function_event_of_100 function_events "$target"
""", patched_only=True),
    Probe("insn", r"""
insn bare_tracepoint
dynamic tprobe_4args dynamic_events \
	"t:functions/bench_bare static_key_benchmark_bare_tp $probe" \
	bare_tracepoint functions ': bench_bare: .* nr=999 value=.* name="bare_tracepoint"$'
"""),
    Probe("insn", r"""
insn marker marker_dormant
dynamic marker_4args marker_events static_key_benchmark:static_key_benchmark_mark \
	marker markers ': static_key_benchmark_mark: nr=999 value=.* name=marker$'
""", patched_only=True),
    Probe("all", r"""
echo 0 >tracing_on
# The first time, queues are allocated, and static calls patched that do not go to the
# probe of the event yet.
toggle events/enable 1 enable_all_first insn
echo 0 >events/enable
for pass in 1 2 3 4 5 6 7; do
	toggle_all '' insn
done
"""),
    Probe("all", r"""
# longest FIGURE BEGIN END: the most instructions, which are what the clock counts, from
# an event BEGIN to the next END.
longest()
{
	sed -n "s/.* \\([0-9]*\\): \\($2\\|$3\\): .*/\\1 \\2/p" instances/hold/trace |
		awk -v figure="$1" -v begin="$2" '
		$2 == begin { if (!began) began = $1; next }
		began { if ($1 - began > most) most = $1 - began; began = 0 }
		END {
			if (most)
				printf "@figure insn.%s %d\n", figure, most
			else
				print "@error insn." figure " nothing in the trace"
		}'
}

mutex=$(awk '$3 == "text_mutex" { print $1 }' /proc/kallsyms)
{
	echo 'p:hold/lock mutex_lock lock=%di:x64'
	echo 'p:hold/unlock mutex_unlock lock=%di:x64'
	# Sites trap from the first of the three steps on, behind the sorting of the queue.
	echo 'p:hold/poke text_poke_write'
	echo 'r:hold/poked smp_text_poke_batch_finish'
} | while read -r definition; do
	echo "$definition" >>dynamic_events || echo "@error insn.text_mutex $definition is refused"
done
mkdir instances/hold
echo x86-tsc >instances/hold/trace_clock
for event in lock unlock; do
	echo "lock == 0x$mutex" >instances/hold/events/hold/$event/filter
done
echo 1 >instances/hold/events/hold/enable
for pass in 1 2 3; do
	# Not what enables these kprobes.
	echo >instances/hold/trace
	# Else other tasks and the timer tick are part of the longest, by chance.
	for value in 1 0; do
		toggle events/enable $value text_mutex alone ||
			echo "@error insn.text_mutex $value is not written"
	done
	longest text_mutex lock unlock
	longest sites_trap poke poked
done
echo 0 >instances/hold/events/hold/enable
rmdir instances/hold
echo >dynamic_events
"""),
    Probe("all2", r"""
for pass in 1 2 3; do
	toggle_all _2cpus ipi
done
"""),
    Probe("all4", r"""
set -- events/*/*/enable
echo "@figure events.total $#"
for pass in 1 2 3; do
	toggle_all '' ipi time
done
echo 0 >tracing_on
for pass in 1 2 3; do
	toggle_all _off time
done
echo 1 >tracing_on
"""),
    Probe("all4", r"""
# disable FIGURE FILE DEFINITION: a hundred events at once.
disable()
{
	many_events 100 "time.$1" "$2" "$3" || return
	for pass in 1 2 3; do
		echo 1 >events/functions/enable
		[ "$(cat events/functions/enable)" = 1 ] ||
			echo "@error time.$1 not all events are enabled"
		toggle events/functions/enable 0 "$1" time
		[ "$(cat events/functions/enable)" = 0 ] ||
			echo "@error time.$1 an event is still enabled"
	done
	echo >dynamic_events
}

disable probe_events_disable dynamic_events 'p:functions/$function $function a=%di'
"""),
    Probe("all4", r"""
disable function_events_disable function_events '$function(x64 a)'
""", patched_only=True),
    Probe("all8", r"""
for pass in 1 2 3; do
	toggle_all _8cpus ipi time
done
"""),
    Probe("work", r"""
for pass in 1 2 3; do
	workloads ''
done
# More of it than a trace holds.
for system in sched syscalls kmem exceptions; do
	echo 1 >events/$system/enable
done
for pass in 1 2 3; do
	workloads _traced
done
echo 0 >events/enable
"""),
    Probe("all4", r"""
control=/proc/dynamic_debug/control
# What is being debugged shall not go to the console.
dmesg -n 1
if [ -e $control ]; then
	echo "@figure dyndbg.total $(grep -vc '^#' $control)"
	for pass in 1 2 3; do
		toggle $control +p dyndbg_on ipi
		grep -q ' =_ ' $control &&
			echo "@error ipi.dyndbg_on a site is still off"
		toggle $control -p dyndbg_off ipi
	done
else
	echo "@error dyndbg.total no dynamic debug"
fi
"""),
)


@dataclasses.dataclass(frozen=True)
class Row:
    """Two figures to compare."""

    name: str
    unit: str
    # The figure of the pristine kernel that this row is compared with, if it
    # has another name.
    stock: str = ""
    # The same, of the patched kernel: a choice between two hooks there, or what
    # needs no guest.
    within: str = ""
    # The figure of the patched kernel, if it has another name.
    ours: str = ""

    def __post_init__(self):
        assert not (self.stock and self.within), self.name

    @property
    def figure(self):
        return self.ours or self.name


# In which kernels to count the functions that ftrace can trace: of each architecture and
# compiler that has them in Rust, by what its rows are called.
SHARES = {"x86_64": "x86_64", "x86_64_clang": "x86_64-cfi", "arm64": "arm64",
          "riscv64_clang": "riscv64"}

ROWS = (
    Row("insn.empty_call", INSTRUCTIONS),
    Row("insn.static_branch_disabled", INSTRUCTIONS),
    Row("insn.static_branch_enabled", INSTRUCTIONS),
    Row("insn.single_key_toggle", INSTRUCTIONS),
    Row("insn.tracepoint_disabled", INSTRUCTIONS),
    Row("insn.tracepoint_enabled", INSTRUCTIONS),
    Row("insn.tracepoint_one_field", INSTRUCTIONS),
    Row("insn.tracepoint_two_strings", INSTRUCTIONS),
    Row("insn.tracepoint_after_pid", INSTRUCTIONS),
    Row("insn.tracepoint_with_reader", INSTRUCTIONS),
    Row("insn.tracepoint_tracing_off", INSTRUCTIONS),
    Row("insn.trace_printk", INSTRUCTIONS),
    Row("insn.fprobe_event_4args", INSTRUCTIONS),
    Row("insn.kprobe_event_4args", INSTRUCTIONS),
    Row("insn.function_tracer", INSTRUCTIONS),
    Row("insn.function_graph", INSTRUCTIONS),
    Row("insn.rust_disabled", INSTRUCTIONS, within="insn.notrace_disabled"),
    Row("insn.rust_declared_enabled", INSTRUCTIONS, within="insn.notrace_enabled"),
    Row("insn.rust_defined_disabled", INSTRUCTIONS, within="insn.notrace_disabled"),
    Row("insn.rust_defined_enabled", INSTRUCTIONS, within="insn.notrace_enabled"),
    Row("insn.function_event_4args", INSTRUCTIONS, stock="insn.probe_event_4args"),
    Row("insn.function_event_return", INSTRUCTIONS, stock="insn.probe_event_return"),
    Row("insn.function_event_entry_and_return", INSTRUCTIONS,
        stock="insn.probe_event_entry_and_return"),
    Row("insn.function_event_field", INSTRUCTIONS, stock="insn.probe_event_field"),
    Row("insn.function_event_of_100", INSTRUCTIONS, stock="insn.probe_event_of_100"),
    Row("insn.marker_dormant", INSTRUCTIONS, stock="insn.tracepoint_disabled"),
    Row("insn.marker_4args", INSTRUCTIONS, stock="insn.tracepoint_enabled"),
    Row("insn.function_event_vs_probe", INSTRUCTIONS, within="insn.probe_event_4args",
        ours="insn.function_event_4args"),
    Row("insn.function_return_vs_probe", INSTRUCTIONS, within="insn.probe_event_return",
        ours="insn.function_event_return"),
    Row("insn.marker_vs_tracepoint", INSTRUCTIONS, within="insn.tracepoint_enabled",
        ours="insn.marker_4args"),
    Row("insn.marker_vs_printk", INSTRUCTIONS, stock="insn.trace_printk",
        ours="insn.marker_4args"),
    Row("insn.marker_vs_bare", INSTRUCTIONS, stock="insn.bare_tracepoint",
        ours="insn.marker_dormant"),
    Row("insn.marker_vs_tprobe", INSTRUCTIONS, stock="insn.tprobe_4args",
        ours="insn.marker_4args"),
    Row("events.total", EVENTS),
    Row("insn.enable_all_first", INSTRUCTIONS),
    Row("insn.enable_all", INSTRUCTIONS),
    Row("insn.disable_all", INSTRUCTIONS),
    *(Row(f"insn.workload_{name}{suffix}", INSTRUCTIONS) for suffix in ("", "_traced")
      for name in ("pipe", "syscall", "mem", "compile")),
    Row("insn.text_mutex", INSTRUCTIONS),
    Row("insn.sites_trap", INSTRUCTIONS),
    Row("ipi.enable_all_2cpus", IPIS),
    Row("ipi.enable_all", IPIS),
    Row("ipi.enable_all_8cpus", IPIS),
    Row("ipi.disable_all", IPIS),
    Row("time.enable_all_off", SECONDS),
    Row("time.enable_all", SECONDS),
    Row("time.enable_all_8cpus", SECONDS),
    Row("time.disable_all_off", SECONDS),
    Row("time.disable_all", SECONDS),
    Row("time.disable_all_8cpus", SECONDS),
    Row("time.function_events_disable", SECONDS, stock="time.probe_events_disable"),
    Row("insn.reserve_commit", INSTRUCTIONS, within="insn.reserve_commit.stock"),
    Row("cycles.reserve_commit", CYCLES, within="cycles.reserve_commit.stock"),
    Row("insn.fntrace_pair", INSTRUCTIONS, within="insn.fntrace_pair.stock"),
    Row("insn.fntrace_disabled", INSTRUCTIONS, within="insn.fntrace_disabled.stock"),
    Row("time.fntrace_record", SECONDS, within="time.fntrace_record.stock"),
    Row("time.fntrace_report", SECONDS, within="time.fntrace_report.stock"),
    Row("time.fntrace_convert", SECONDS, within="time.fntrace_convert.stock"),
    *(Row(f"share.rust_traceable_{name}", PERCENT, within=f"share.c_traceable_{name}")
      for name, kernel in SHARES.items() if kernels.traces_rust(kernel.partition("-")[0])),
    Row("dyndbg.total", SITES),
    Row("ipi.dyndbg_on", IPIS),
    Row("bytes.text", BYTES),
    Row("bytes.jump_table", BYTES),
    Row("bytes.marker", BYTES, within="bytes.trace_event"),
    Row("bytes.marker_vs_tracepoint", BYTES, within="bytes.tracepoint", ours="bytes.marker"),
)

# What the names of the rows do not say, below the table and the plot.
NOTES = (
    "insn.* of one site or event include the loop and the call, which alone take "
    "insn.empty_call",
    "insn.tracepoint_after_pid is tracepoint_enabled when set_event_pid was used and cleared, "
    "_with_reader while a reader waits for a full buffer, _tracing_off with tracing_on=0",
    "insn.rust_* are compared with the same event in a C function of this kernel, both "
    "without the function tracer's no-op",
    "insn.function_event_* are compared with the cheaper of the stock kernel's kprobe and "
    "fprobe event that shows the same; of_100 is 4args with 99 other events of the same kind "
    "enabled; *_vs_probe compare with those of this kernel",
    "time.function_events_disable is of a hundred events at once, compared with kprobe events",
    "insn.marker_* are compared with the stock kernel's TRACE_EVENT that has the same fields, "
    "_vs_tracepoint with that of this kernel; _vs_printk with trace_printk() of the same "
    "format, _vs_bare with a tracepoint without an event, disabled, _vs_tprobe with a "
    "tracepoint probe event of the same arguments, all of the stock kernel",
    "bytes.marker is one of 100 in a module of this kernel, compared with a TRACE_EVENT, "
    "_vs_tracepoint with a tracepoint without an event",
    "*.reserve_commit are of one event in the ring buffer, which is compiled for user space: "
    "they need no guest, and cycles are those of this machine",
    "insn.fntrace_pair is what entry and exit add to a program, compared with libmcount of "
    "uftrace; _disabled is compared with an empty hook, time.fntrace_record, _report and "
    "_convert with uftrace record, report and dump; time.fntrace_record is the sum of five "
    "programs that were not written for it",
    "*_all* are of one write to events/enable, with 4 CPUs and tracing_on=1 unless the name "
    "says 2cpus, 8cpus, or off for tracing_on=0; insn.*_all with 1 CPU and tracing_on=0",
    "time.*_all* count 1 ns for each instruction of any of the CPUs, which take turns",
    "insn.workload_* are of whole programs, in the kernel and outside of it: perf bench sched "
    "pipe, syscall basic, mem memcpy, and compiling a file; _traced with all events of sched, "
    "syscalls, kmem and exceptions enabled",
    "insn.text_mutex is the longest that this lock is held meanwhile, insn.sites_trap the "
    "longest time from the first breakpoint until all are gone, both with some 1,000 "
    "instructions of the kprobes that measure it",
    "share.rust_traceable_* is how many of 100 functions of Rust ftrace can trace, compared "
    "with those of C in the same kernel",
    "bytes.text counts the code that stays after boot, without padding",
)


# --- guests ----------------------------------------------------------------

class Figures:
    """The figures of one kernel, gathered from all its guests."""

    def __init__(self, what):
        self.what = what
        self.values = {}
        self.errors = {}

    def take(self, line):
        """Read a line of a guest's job."""
        kind, _, rest = line.partition(" ")
        words = rest.split()
        try:
            if kind == "@figure":
                name, value = words
                self.add(name, float(value))
            elif kind == "@error":
                self.errors.setdefault(words[0], " ".join(words[1:]))
        except (ValueError, IndexError):
            raise Failure(f"{self.what}: cannot read the guest's line {line!r}") from None

    def add(self, name, value):
        self.values.setdefault(name, []).append(value)

    def get(self, name):
        """A figure, or None."""
        if name in self.errors or name not in self.values:
            return None
        return statistics.median(self.values[name])

    def why_not(self, name):
        return f"{name} of the {self.what}: {self.errors.get(name, 'no figure')}"


@dataclasses.dataclass
class Boot:
    """One guest to run, and where its figures go."""

    kernel: kernels.Kernel
    machine: str
    figures: Figures
    # As guest.boot() takes them.
    files: dict
    # Tells two boots that are otherwise the same apart.
    suffix: str = ""

    @property
    def log_name(self):
        return f"bench-{self.machine}-{self.kernel.label}{self.suffix}"

    def script(self):
        probes = [probe.script for probe in PROBES if probe.machine == self.machine
                  and not (probe.patched_only and self.kernel.pristine)]
        machine = MACHINES[self.machine]
        return SCRIPT_HEAD.replace("CPUS", str(machine.smp)) \
            + "".join([machine.setup, *probes]) + "exit 0\n"

    @property
    def counts(self):
        """Whether it runs under -icount: with that, QEMU's riscv64 machine stops when it has
        started its second CPU (7.2)."""
        return self.kernel.machine != "riscv64" or MACHINES[self.machine].smp == 1

    def run(self):
        machine = MACHINES[self.machine]
        return guest.boot(self.kernel, self.script(), self.log_name, smp=machine.smp,
                          icount=self.counts, append=APPEND, timeout=TIMEOUT, files=self.files,
                          programs=[program_of(name) for name in machine.programs])


def program_of(name):
    """A program of the host as guest.boot() takes it: that of gcc is not in PATH."""
    if name != "cc1":
        return name
    done = subprocess.run(["gcc", f"-print-prog-name={name}"], capture_output=True, text=True,
                          check=True)
    return f"{done.stdout.strip()}=/bin/{name}"


def run_boots(boots, what):
    """Run guests at the same time and take their figures."""
    for kernel in {boot.kernel.out: boot.kernel for boot in boots}.values():
        # Shared by the boots of a kernel, so made before they start.
        guest.root_image(kernel)
    with ui.Step(what, total=len(boots)) as step:
        def run(boot):
            result = boot.run()
            step.advance()
            return result

        for boot, result in zip(boots, ui.parallel(run, boots)):
            finish_boot(boot, result)


def finish_boot(boot, result):
    trouble = result.trouble()
    if result.status and not result.splats and result.lines:
        trouble += f": {result.lines[-1]}"
    if trouble:
        raise Failure(f"benchmark of the {boot.kernel.what}: {trouble} "
                      f"(log: {shown(result.log)}, "
                      f"{shown(LOGS / f'console-{boot.log_name}.log')})")
    for line in result.lines:
        # Of a clock that counts no instructions.
        if boot.counts or not line.startswith(("@figure time.", "@error time.")):
            boot.figures.take(line)


def build_program(source, machine):
    """A program for the guests of either kernel: static, as these have no libraries."""
    program = RESULTS / (source.stem if machine == "x86_64" else f"{source.stem}-{machine}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"bench-{source.stem}.log"
    LOGS.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    ui.must([guest.COMPILER[machine], "-O2", "-Wall", "-Wextra", "-Werror", "-static", source,
             "-o", program], log, f"compiling the benchmark's {source.name}")
    return program


def job_files(kernel):
    """What the guests of a kernel need beside the shell, compiled."""
    compiled = RESULTS / COMPILED
    files = {f"{MODULE}.ko": build_module(kernel), COMPILED: compiled,
             **{source.stem: build_program(source, kernel.machine)
                for source in (TOGGLE_SOURCE, WORKLOAD_SOURCE)}}
    ui.must(["gcc", "-E", TOGGLE_SOURCE, "-o", compiled], LOGS / "bench-toggle.log",
            f"preprocessing {TOGGLE_SOURCE.name}")
    return files


def build_module(kernel):
    """The benchmark as an external module, for either kernel from one source."""
    directory = RESULTS / f"module-{kernel.label}"
    # Always from nothing: three seconds, and no stale symbol versions.
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for source in MODULE_SOURCES:
        shutil.copy(source, directory)
    (directory / "Kbuild").write_text(MODULE_KBUILD, encoding="utf-8")
    log = LOGS / f"bench-module-{kernel.label}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    ui.must(kernel.make(f"M={directory}", "modules"), log,
            f"building the benchmark module for the {kernel.what}", env=kernels.environment())
    return directory / f"{MODULE}.ko"


# --- files of the kernels --------------------------------------------------

def sections(path):
    """Section sizes of an ELF file, by name."""
    done = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C"), check=False)
    if done.returncode:
        raise Failure(f"readelf {shown(path)}: {done.stderr.strip()}")
    found = re.findall(r"^ *\[ *\d+\] (\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ",
                       done.stdout, re.MULTILINE)
    return {name: int(size, 16) for name, size in found}


def sizes(kernel, figures):
    """Figures from vmlinux.o.

    Not from vmlinux: there .text is padded to whole huge pages, and the jump
    table is no section of its own but a part of .rodata.
    """
    found = sections(kernel.out / "vmlinux.o")
    figures.add("bytes.text", sum(
        size for name, size in found.items()
        if re.search(r"\.text(\.|$)", name)
        and not name.startswith((".init.", ".exit.", ".rela"))))
    figures.add("bytes.jump_table", found.get("__jump_table", 0))


# A hundred functions of which each has a site, or nothing: what a site costs is what
# the module has more.
COPIES = 100
SITE_ARGUMENTS = "int nr, u64 value, unsigned long flags, const char *name"
SITE_MODULE = """\
#include <linux/marker.h>
#include <linux/module.h>
%(head)s
%(functions)s
MODULE_LICENSE("GPL");
"""
SITE_FUNCTION = """\
void bytes_function_%(nr)d(%(arguments)s);
notrace void bytes_function_%(nr)d(%(arguments)s)
{
	%(site)s
}
"""
SITE_KINDS = {
    "nothing": "barrier();",
    "marker": 'MARK(bytes_%(nr)d, "%(nr)d nr=%%d value=%%llu flags=0x%%lx name=%%s", nr, '
              "value, flags, name);",
    "trace_event": "trace_bytes_%(nr)d(nr, value, flags, name);",
    "tracepoint": "trace_bytes_%(nr)d_tp(nr, value, flags, name);",
}
# As the event of the benchmark, see kernel/trace/static_key_benchmark.h.
SITE_HEADER = """\
#undef TRACE_SYSTEM
#define TRACE_SYSTEM bytes
#if !defined(_BYTES_H) || defined(TRACE_HEADER_MULTI_READ)
#define _BYTES_H
#include <linux/tracepoint.h>
%(hooks)s
#endif
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE bytes_%(kind)s
#include <trace/define_trace.h>
"""
SITE_HOOKS = {"tracepoint": """\
DECLARE_TRACE(bytes_%(nr)d, TP_PROTO(%(arguments)s), TP_ARGS(nr, value, flags, name));
""", "trace_event": """\
TRACE_EVENT(bytes_%(nr)d, TP_PROTO(%(arguments)s), TP_ARGS(nr, value, flags, name),
	TP_STRUCT__entry(__field(int, nr) __field(u64, value) __field(unsigned long, flags)
			 __string(name, name)),
	TP_fast_assign(__entry->nr = nr; __entry->value = value; __entry->flags = flags;
		       __assign_str(name);),
	TP_printk("%(nr)d nr=%%d value=%%llu flags=0x%%lx name=%%s", __entry->nr, __entry->value,
		  __entry->flags, __get_str(name)));
"""}


def loaded(path):
    """How many bytes of a module stay in memory after it has started."""
    done = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C"), check=True)
    found = re.findall(r"^ *\[ *\d+\] (\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) "
                       r"[0-9a-f]+ +([A-Z]*) ", done.stdout, re.MULTILINE)
    return sum(int(size, 16) for name, size, flags in found
               if "A" in flags and not name.startswith((".init.", ".note", "__versions")))


def site_sizes(kernel, figures):
    """What a marker, a trace event and a tracepoint cost, from modules with a hundred of each."""
    directory = RESULTS / f"sites-{kernel.label}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    words = [{"nr": nr, "arguments": SITE_ARGUMENTS} for nr in range(COPIES)]
    for kind, site in SITE_KINDS.items():
        head = ""
        if kind in SITE_HOOKS:
            head = f'#define CREATE_TRACE_POINTS\n#include "bytes_{kind}.h"\n'
            hooks = "".join(SITE_HOOKS[kind] % word for word in words)
            (directory / f"bytes_{kind}.h").write_text(
                SITE_HEADER % {"hooks": hooks, "kind": kind}, encoding="utf-8")
        functions = "".join(SITE_FUNCTION % {**word, "site": site % word} for word in words)
        (directory / f"bytes_{kind}.c").write_text(
            SITE_MODULE % {"head": head, "functions": functions}, encoding="utf-8")
    objects = " ".join(f"bytes_{kind}.o" for kind in SITE_KINDS)
    (directory / "Kbuild").write_text(f"obj-m := {objects}\nccflags-y := -I$(src)\n",
                                      encoding="utf-8")
    log = LOGS / f"bench-sites-{kernel.label}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    ui.must(kernel.make(f"M={directory}", "modules"), log,
            "building the modules with a hundred sites", env=kernels.environment())
    nothing = loaded(directory / "bytes_nothing.ko")
    for kind in set(SITE_KINDS) - {"nothing"}:
        figures.add(f"bytes.{kind}", (loaded(directory / f"bytes_{kind}.ko") - nothing) / COPIES)


# --- other kernels ---------------------------------------------------------

def shares(figures):
    """How many functions ftrace can trace, on kernels of all architectures."""
    for name, built in SHARES.items():
        kernel = kernels.Kernel(built)
        if not kernels.traces_rust(kernel.machine):
            continue
        kernel.build()
        with ui.Step(f"count the functions that can be traced on {built}"):
            result = guest.boot(kernel, f"{guest.SELFTESTS}/rust_functions/share.sh\n",
                                f"bench-share-{built}")
        trouble = result.trouble()
        if trouble:
            raise Failure(f"share of functions: {trouble} (log: {shown(result.log)})")
        for line in result.lines:
            language, share = line.split()
            figures.add(f"share.{language}_traceable_{name}", float(share))


# --- results ---------------------------------------------------------------

def compare(patched, pristine):
    """The rows as in results.json, and why some are missing."""
    results, missing = [], []
    for row in ROWS:
        stock_from = patched if row.within else pristine
        stock_name = row.within or row.stock or row.figure
        ours, stock = patched.get(row.figure), stock_from.get(stock_name)
        if ours is None:
            missing.append(patched.why_not(row.figure))
        if stock is None:
            missing.append(stock_from.why_not(stock_name))
        if ours is None or stock is None:
            continue
        results.append({"name": row.name, "unit": row.unit, "ours": plain(ours),
                        "stock": plain(stock),
                        "ratio": plain(ours / stock) if stock else None})
    return results, missing


def plain(value):
    """A number without the noise of floating point."""
    value = float(f"{value:.6g}") if abs(value) < 1e6 else round(value, 3)
    return int(value) if value == int(value) else value


def number(value, unit):
    """A value as people read it."""
    if unit in (INSTRUCTIONS, CYCLES) and value < 1e5:
        return f"{value:,.1f}"
    if unit == SECONDS:
        return f"{value:,.2f}" if value >= 1 else f"{value:.3g}"
    if unit == PERCENT:
        return f"{value:.1f}"
    return f"{value:,.0f}"


def ratio(value):
    return "-" if value is None else f"{value:.3f}" if value >= 0.1 else f"{value:.2g}"


def table(results):
    lines = [("row", "unit", "this kernel", "stock", "ratio")]
    lines += [(row["name"], row["unit"], number(row["ours"], row["unit"]),
               number(row["stock"], row["unit"]), ratio(row["ratio"])) for row in results]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    text = []
    for line in lines:
        cells = [cell.ljust(width) if column < 2 else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(line, widths))]
        text.append("  ".join(cells).rstrip())
    text.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(text)


PLOT = r"""
set terminal svg size {width},{height} dynamic font "DejaVu Sans,Liberation Sans,sans-serif,13" background "#ffffff"
set output {output}
set title "Static-key tracepoints: this kernel relative to the stock mechanism" offset 0,0.6 font ",15"
set lmargin at screen {left}
set rmargin at screen {right}
set tmargin at screen {top}
set bmargin at screen {bottom}
set border 1 lc rgb "#606060"
set logscale x
set xrange [{low}:{high}]
set yrange [{last}:-0.6]
set xlabel "this kernel / stock, logarithmic: left of 1 is cheaper"
set xtics nomirror tc rgb "#303030" ({xtics})
set grid xtics lc rgb "#e0e0e0" lt 1
unset ytics
unset key
set arrow from 1,graph 0 to 1,graph 1 nohead lc rgb "#404040" lw 1.5 front
$rows << EOD
{data}
EOD
{labels}
plot $rows using 2:1:(1 < $2 ? 1 : $2):(1 < $2 ? $2 : 1):($1 - 0.3):($1 + 0.3):3 \
	with boxxyerror fs solid 0.85 noborder lc rgb variable, \
	$rows using 2:1:3 with points pt 7 ps 0.6 lc rgb variable
"""


def colour_of(value, unit):
    """Green for cheaper, red for dearer, grey for what is no cost or no change."""
    if unit in (EVENTS, PERCENT) or 0.995 <= value <= 1.005:
        return 0x707070
    return 0x2a7f62 if value < 1 else 0xb5482f


def quoted(text):
    """A gnuplot string; gnuplot's markup is turned off where it is used."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def plot(results, output):
    """Bars from 1 to each row's ratio, with the numbers beside them."""
    known = [row["ratio"] for row in results if row["ratio"]]
    low = 10.0 ** -1
    while known and low > min(known):
        low /= 10
    high = 10.0
    while known and high < max(known):
        high *= 10
    ticks, tick = [], low
    while tick < high * 1.01:
        ticks.append(f'"{tick:g}" {tick:g}')
        tick *= 10
    width, head, foot = 1100, 76, 74 + 18 * len(NOTES)
    height = head + foot + 30 * len(results)
    left, right = 0.25, 0.59
    columns = ((left - 0.01, "right", ""), (0.66, "right", "ratio"),
               (0.765, "right", "this kernel"), (0.865, "right", "stock"),
               (0.88, "left", "unit"))
    data, labels = [], []

    def line(index, cells, colour):
        for (place, side, _), text in zip(columns, cells):
            labels.append(f"set label {quoted(text)} at screen {place},first {index} "
                          f'{side} noenhanced front tc rgb "{colour}"')

    line(-1, [heading for _, _, heading in columns], "#606060")
    for index, row in enumerate(results):
        unit, value = row["unit"], row["ratio"]
        if value is not None:
            # Nothing at all is off the scale: its bar ends at the edge.
            data.append(f"{index} {value or low:g} {colour_of(value, unit)}")
        line(index, (row["name"], ratio(value), number(row["ours"], unit),
                     number(row["stock"], unit), unit), "#202020")
    for index, note in enumerate(NOTES):
        labels.append(f"set label {quoted(note)} at screen 0.02,screen "
                      f'{(18 * (len(NOTES) - index) - 6) / height:.4f} left noenhanced front '
                      'tc rgb "#606060" font ",11"')
    script = output.with_suffix(".gnuplot")
    script.write_text(PLOT.format(
        width=width, height=height, output=quoted(str(output)), left=left, right=right,
        top=1 - head / height, bottom=foot / height, low=low, high=high,
        last=len(results) - 0.4, xtics=", ".join(ticks), data="\n".join(data),
        labels="\n".join(labels)), encoding="utf-8")
    log = LOGS / "bench-gnuplot.log"
    log.write_text("", encoding="utf-8")
    if not shutil.which("gnuplot"):
        raise Failure("gnuplot is missing; install gnuplot-nox (harness/setup does on Debian)")
    ui.must(["gnuplot", script], log, "drawing the plot")


def write(path, text):
    """Replace a file at once: a reader sees the old or the new one."""
    draft = path.with_suffix(path.suffix + ".new")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


# --- commands --------------------------------------------------------------

def measure(patched, pristine):
    """All rows, with both kernels built."""
    figures = {}
    for kernel in (patched, pristine):
        figures[kernel] = Figures(kernel.what)
        sizes(kernel, figures[kernel])
    for what, figure in (("the function tracer of programs", fntrace.measure),
                         ("the ring buffer in user space", ringbuffer.measure)):
        with ui.Step(f"measure {what}"):
            for name, pair in figure().items():
                for suffix, value in zip(("", ".stock"), pair):
                    figures[patched].add(name + suffix, value)
    with ui.Step("build the benchmark modules"):
        files = {kernel: job_files(kernel) for kernel in figures}
        site_sizes(patched, figures[patched])
    run_machines(MACHINES, figures, files)
    shares(figures[patched])
    results, missing = compare(figures[patched], figures[pristine])
    if missing:
        raise Failure("no row for " + "; ".join(missing))
    return results


def run_machines(names, figures, files):
    """Boot guests of both kernels."""
    for name in names:
        boots = [Boot(kernel, name, figures[kernel], files[kernel]) for kernel in figures]
        run_boots(boots, f"measure {MACHINES[name].what} on both kernels")


def measure_elsewhere(patched, pristine):
    """The rows of another architecture, and why others are missing: its kernels have no
    kprobes, and most need no second architecture."""
    figures = {kernel: Figures(kernel.what) for kernel in (patched, pristine)}
    for kernel in figures:
        sizes(kernel, figures[kernel])
    with ui.Step("build the benchmark modules"):
        files = {kernel: job_files(kernel) for kernel in figures}
    run_machines(ELSEWHERE, figures, files)
    results, missing = compare(figures[patched], figures[pristine])
    lost = {name for name in ROWS_ELSEWHERE if patched.machine != "riscv64"
            or not name.startswith("time.")} - {row["name"] for row in results}
    if lost:
        raise Failure(f"no row for {' '.join(sorted(lost))}: " + "; ".join(missing))
    return results, [reason for reason in missing if not reason.endswith("no figure")]


def repeatable(kernel):
    """Whether two runs of the instruction benchmarks on a kernel agree.

    Returns (test name, ok, detail) for each row measured that way. To be
    called outside of a Step.
    """
    names = list(dict.fromkeys(
        name for row in ROWS for name in (row.figure, row.stock, row.within)
        if name.startswith("insn.")
        and not name.startswith(("insn.fntrace_", "insn.reserve_commit", "insn.workload_"))))
    runs = [Figures(f"{kernel.what} (run {count})") for count in (1, 2)]
    try:
        files = job_files(kernel)
        for name, machine in MACHINES.items():
            # Those with several CPUs have no rows that count instructions; programs take long.
            if machine.smp == 1 and not machine.programs:
                run_boots([Boot(kernel, name, figures, files, f"-{count}")
                           for count, figures in enumerate(runs, 1)],
                          f"measure {machine.what} twice")
    except Failure as failure:
        return [("instruction benchmarks run", False, str(failure))]
    found = []
    for name in names:
        one, two = (figures.get(name) for figures in runs)
        if one is None or two is None:
            lost = runs[0 if one is None else 1]
            found.append((f"{name} repeats", False, lost.why_not(name)))
            continue
        apart = abs(one - two) / max(one, two, 1)
        found.append((f"{name} repeats", apart <= TOLERANCE,
                      f"{one:.3f} and {two:.3f} instructions, {apart:.3%} apart"))
    return found


def elsewhere(name):
    """The command for another architecture."""
    series.tree()
    kernels.pristine_tree()
    pair = [kernels.Kernel(name, pristine=pristine) for pristine in (False, True)]
    for kernel in pair:
        kernel.build()
    results, missing = measure_elsewhere(*pair)
    output = RESULTS / f"results-{name}.json"
    write(output, json.dumps(results, indent=2) + "\n")
    print("\n" + table(results) + "\n")
    for reason in missing:
        print(f"not measured: {reason}")
    print(f"done: {len(results)} rows in {shown(output)}")
    return 0


def main(args):
    if len(args) == 1 and args[0] in guest.COMPILER and args[0] != "x86_64":
        return elsewhere(args[0])
    if args not in ([], ["x86_64"], ["--quick"]):
        raise Failure("usage: bench.py [--quick | x86_64 | arm64 | riscv64]")
    patched = guest.patched_x86()
    if args == ["--quick"]:
        found = repeatable(patched)
        for name, ok, detail in found:
            print(f"{'ok  ' if ok else 'FAIL'} {name}: {detail}")
        bad = sum(1 for _, ok, _ in found if not ok)
        print(f"{len(found) - bad} figures repeat, {bad} do not")
        return 1 if bad else 0
    kernels.pristine_tree()
    pristine = kernels.Kernel("x86_64", pristine=True)
    pristine.build()
    results = measure(patched, pristine)
    RESULTS.mkdir(parents=True, exist_ok=True)
    output = RESULTS / "results.json"
    write(output, json.dumps(results, indent=2) + "\n")
    plot(results, RESULTS / "results.svg")
    print("\n" + table(results) + "\n")
    for note in NOTES:
        print(note)
    print(f"done: {len(results)} rows in {shown(output)}, "
          f"plotted in {shown(RESULTS / 'results.svg')}")
    return 0


if __name__ == "__main__":
    ui.main(main)
