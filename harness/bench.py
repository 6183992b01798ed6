#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure what does not depend on the machine: instructions, IPIs, bytes.

    bench.py            the patched kernel against the stock mechanisms
    bench.py ARCH       the same on arm64 or riscv64, as much as can be measured there
    bench.py debian     enabling everything in a Debian system, see debroot.py

A figure is a number with a name, measured on one kernel: by a script in a guest
(MACHINES), or from the kernel's files (sizes()). A row of the table sets two
figures against each other, see bench/rows.

To add a row, add it there and, if its figures are new, to a script what prints them:

    @figure NAME NUMBER
    @error NAME words       why there is no such figure

A figure that is printed several times is the median. A row without both
figures ends the run with an error that names it.
"""

import dataclasses
import json
import math
import os
import re
import shutil
import statistics
import string
import subprocess

import bootcount
import debroot
import fntrace
import guest
import kernel as kernels
import ringbuffer
import ui
from arch import ARCHES, BOOTED
from ui import BUILD, LOGS, ROOT, Failure, shown

RESULTS = BUILD / "bench"
# Scripts and programs for the guests, and data.
FILES = ROOT / "harness" / "bench"
PROGRAMS = tuple(FILES / f"{name}.c" for name in ("toggle", "workload", "reader", "attach"))
TOGGLE_SOURCE = PROGRAMS[0]
# What a workload compiles: its length, not what it is, matters.
COMPILED = "toggle.i"
MODULE = "static_key_benchmark"
# A module with many functions.
FUNCTIONS = "bench_functions"
MODULE_SOURCES = tuple(ROOT / "kernel" / "trace" / f"{MODULE}{suffix}"
                       for suffix in (".h", "_main.c", "_rust.rs"))
MODULE_KBUILD = FILES / "Kbuild"

# Sites in a module of which one is measured.
COPIES = 100
# How far two runs of an instruction benchmark may be apart.
TOLERANCE = 0.005

# Units of rows that are not written as whole numbers, or say nothing of costs.
INSTRUCTIONS, CYCLES, SECONDS = "instructions", "cycles", "s"
EVENTS, PERCENT = "events", "%"


# --- what is measured ------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Machine:
    """A guest, with the names of the scripts in bench/ that it runs, one after the other."""

    what: str
    smp: int
    # Those with functions; what measures comes after these.
    setup: tuple
    scripts: tuple
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

MACHINES = {
    "insn": Machine("instructions per hit", 1, ("setup", "many_events", "insn_setup"), ("insn",)),
    # Not "insn", whose module has events of its own.
    "all": Machine("all events on 1 CPU", 1, ("setup", "toggle"), ("all",)),
    "all2": Machine("all events on 2 CPUs", 2, ("setup", "toggle"), ("all_cpus",)),
    "all4": Machine("all events on 4 CPUs", 4, ("setup", "many_events", "toggle"), ("all4",)),
    "all8": Machine("all events on 8 CPUs", 8, ("setup", "toggle"), ("all_cpus",)),
    "work": Machine("whole programs", 1, ("setup", "work_setup"), ("work",), ("perf", "cc1")),
}


# Those that are booted on other architectures than x86_64.
ELSEWHERE = ("insn", "all", "all2", "all4")

def lines_of(name):
    """The lines of a file in bench/ that are no comments."""
    return [line for line in (FILES / name).read_text(encoding="utf-8").splitlines()
            if not line.startswith("#")]


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of bench/rows: two figures to compare."""

    name: str
    unit: str
    ours: str = "-"
    stock: str = "-"
    within: str = "-"

    @property
    def figure(self):
        """The figure of the patched kernel."""
        return self.name if self.ours == "-" else self.ours

    @property
    def other(self):
        """The one that it is compared with."""
        return next((name for name in (self.within, self.stock) if name != "-"), self.figure)

    @property
    def of_patched(self):
        """Whether that is of the patched kernel, too."""
        return self.within != "-"

# In which kernels to count the functions that ftrace can trace: of each architecture and
# compiler that has them in Rust, by what its rows are called.
SHARES = {"x86_64": "x86_64", "x86_64_clang": "x86_64-cfi", "arm64": "arm64",
          "riscv64_clang": "riscv64"}

ROWS = [row for row in (Row(*line.split()) for line in lines_of("rows"))
        if not row.name.startswith("share.") or kernels.traces_rust(
            SHARES[row.name.removeprefix("share.rust_traceable_")].partition("-")[0])]
NOTES = lines_of("notes")
# The figures that must be the same in each run.
REPEATED = tuple(dict.fromkeys(
    name for row in ROWS for name in (row.figure, row.other) if re.match(
        r"insn\.(?!available_filter_|fntrace_|jump_label_init|load_module|read_|reserve_commit|"
        r"workload_)", name)))
ROWS_ELSEWHERE = lines_of("rows_elsewhere")


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

    def script(self, between=""):
        """What the guest runs, with a piece BETWEEN the functions and what measures."""
        machine = MACHINES[self.machine]
        setup, scripts = ("".join((FILES / f"{name}.sh").read_text(encoding="utf-8")
                                  for name in names) for names in (machine.setup, machine.scripts))
        patched = "" if self.kernel.pristine else "yes"
        return f"CPUS={machine.smp} PATCHED={patched}\n{setup}{between}{scripts}exit 0\n"

    @property
    def counts(self):
        """Whether it runs under -icount."""
        return self.kernel.arch.icount_smp or MACHINES[self.machine].smp == 1

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

        results = ui.parallel(run, boots)
    for boot, result in zip(boots, results):
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
    log = ui.fresh_log(f"bench-{source.stem}")
    ui.must([ARCHES[machine].compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-static", source,
             "-o", program], log, f"compiling the benchmark's {source.name}")
    return program


def job_files(kernel):
    """What the guests of a kernel need beside the shell, compiled."""
    compiled = RESULTS / COMPILED
    files = {f"{MODULE}.ko": build_module(kernel), COMPILED: compiled,
             f"{FUNCTIONS}.ko": build_functions(kernel),
             **{source.stem: build_program(source, kernel.machine)
                for source in PROGRAMS}}
    ui.must(["gcc", "-E", TOGGLE_SOURCE, "-o", compiled], LOGS / "bench-toggle.log",
            f"preprocessing {TOGGLE_SOURCE.name}")
    return files


def build_module(kernel):
    """The benchmark as an external module, for either kernel from one source."""
    return kernel.external(RESULTS / f"module-{kernel.label}",
                           {source.name: source.read_text(encoding="utf-8")
                            for source in (MODULE_KBUILD, *MODULE_SOURCES)},
                           f"bench-module-{kernel.label}")[0]


def build_functions(kernel):
    """A module with as many functions as a large file system has."""
    functions = "".join(
        f"int {FUNCTIONS}_{nr}(void);\nint {FUNCTIONS}_{nr}(void) {{ return {nr}; }}\n"
        for nr in range(5000))
    return kernel.external(
        RESULTS / f"functions-{kernel.label}",
        {"Kbuild": f"obj-m := {FUNCTIONS}.o\n",
         f"{FUNCTIONS}.c": f"#include <linux/module.h>\n{functions}"
                           'MODULE_DESCRIPTION("functions");\nMODULE_LICENSE("GPL");\n'},
        f"bench-functions-{kernel.label}")[0]


# --- files of the kernels --------------------------------------------------

def sections(path):
    """(name, size, flags) of each section of an ELF file."""
    done = ui.ask(["readelf", "-SW", path], env=dict(os.environ, LC_ALL="C"))
    if done.returncode:
        raise Failure(f"readelf {shown(path)}: {done.stderr.strip()}")
    return [(name, int(size, 16), flags) for name, size, flags in re.findall(
        r"^ *\[ *\d+\] (\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +([A-Z]*) ",
        done.stdout, re.MULTILINE)]


def sizes(kernel, figures):
    """Figures from vmlinux.o.

    Not from vmlinux: there .text is padded to whole huge pages, and the jump
    table is no section of its own but a part of .rodata.
    """
    found = sections(kernel.out / "vmlinux.o")
    figures.add("bytes.text", sum(
        size for name, size, _ in found
        if re.search(r"\.text(\.|$)", name)
        and not name.startswith((".init.", ".exit.", ".rela"))))
    figures.add("bytes.jump_table", dict(section[:2] for section in found).get("__jump_table", 0))


def loaded(path):
    """How many bytes of a module stay in memory after it has started."""
    return sum(size for name, size, flags in sections(path)
               if "A" in flags and not name.startswith((".init.", ".note", "__versions")))


def site_modules():
    """The files of the modules with a hundred sites each: {name: text}, and what they have."""
    parts = dict(re.findall(r"^== (.+)\n((?:(?!== ).*\n)*)",
                            (FILES / "sites").read_text(encoding="utf-8"), re.MULTILINE))

    def fill(part, **words):
        return string.Template(parts[part]).substitute(words, arguments=parts["arguments"].strip())

    files, kinds = {}, [part.removeprefix("site ") for part in parts if part.startswith("site ")]
    for kind in kinds:
        head = ""
        if f"hook {kind}" in parts:
            head = fill("head", kind=kind)
            files[f"bytes_{kind}.h"] = fill("header", kind=kind, hooks="".join(
                fill(f"hook {kind}", nr=nr) for nr in range(COPIES)))
        files[f"bytes_{kind}.c"] = fill("module", head=head, functions="".join(
            fill("function", nr=nr, site=fill(f"site {kind}", nr=nr).strip())
            for nr in range(COPIES)))
    files["Kbuild"] = (f"obj-m := {' '.join(f'bytes_{kind}.o' for kind in kinds)}\n"
                       "ccflags-y := -I$(src)\n")
    return files, kinds


def site_sizes(kernel, figures):
    """What a marker, a trace event and a tracepoint cost, from modules with a hundred of each."""
    files, kinds = site_modules()
    sizes_of = {module.stem: loaded(module) for module in kernel.external(
        RESULTS / f"sites-{kernel.label}", files, f"bench-sites-{kernel.label}")}
    for kind in set(kinds) - {"nothing"}:
        figures.add(f"bytes.{kind}",
                    (sizes_of[f"bytes_{kind}"] - sizes_of["bytes_nothing"]) / COPIES)


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

def compare(patched, pristine, rows=ROWS):
    """The rows as in results.json, and why some are missing."""
    results, missing = [], []
    for row in rows:
        stock_from = patched if row.of_patched else pristine
        ours, stock = patched.get(row.figure), stock_from.get(row.other)
        if ours is None:
            missing.append(patched.why_not(row.figure))
        if stock is None:
            missing.append(stock_from.why_not(row.other))
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
    ratios = [row["ratio"] for row in results if row["ratio"]]
    decades = range(min(-1, math.floor(math.log10(min(ratios, default=1)))),
                    max(1, math.ceil(math.log10(max(ratios, default=1)))) + 1)
    low, high = 10.0 ** decades[0], 10.0 ** decades[-1]
    ticks = [f'"{10.0 ** decade:g}" {10.0 ** decade:g}' for decade in decades]
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
    script.write_text((FILES / "plot.gnuplot").read_text(encoding="utf-8").format(
        width=width, height=height, output=quoted(str(output)), left=left, right=right,
        top=1 - head / height, bottom=foot / height, low=low, high=high,
        last=len(results) - 0.4, xtics=", ".join(ticks), data="\n".join(data),
        labels="\n".join(labels)), encoding="utf-8")
    log = ui.fresh_log("bench-gnuplot")
    if not shutil.which("gnuplot"):
        raise Failure("gnuplot is missing; install gnuplot-nox (harness/setup does on Debian)")
    ui.must(["gnuplot", script], log, "drawing the plot")


# --- commands --------------------------------------------------------------

def measure(patched, pristine):
    """The rows, with both kernels built, and why some are missing.

    On other architectures than x86_64, not all can be measured, as the kernels have no kprobes,
    and most need not be.
    """
    whole = patched.machine == "x86_64"
    figures = {kernel: Figures(kernel.what) for kernel in (patched, pristine)}
    for kernel in figures:
        sizes(kernel, figures[kernel])
        if whole:
            with ui.Step(f"measure the start of the {kernel.what}"):
                figures[kernel].add("insn.jump_label_init",
                                    bootcount.instructions(kernel, "jump_label_init"))
    for what, figure in (("the function tracer of programs", fntrace.measure),
                         ("the ring buffer in user space", ringbuffer.measure)) if whole else ():
        with ui.Step(f"measure {what}"):
            for name, pair in figure().items():
                for suffix, value in zip(("", ".stock"), pair):
                    figures[patched].add(name + suffix, value)
    with ui.Step("build the benchmark modules"):
        files = {kernel: job_files(kernel) for kernel in figures}
        if whole:
            site_sizes(patched, figures[patched])
    for name in MACHINES if whole else ELSEWHERE:
        run_boots([Boot(kernel, name, figures[kernel], files[kernel]) for kernel in figures],
                  f"measure {MACHINES[name].what} on both kernels")
    if whole:
        shares(figures[patched])
    results, missing = compare(figures[patched], figures[pristine])
    wanted = [row.name for row in ROWS] if whole else \
        [name for name in ROWS_ELSEWHERE
         if patched.arch.icount_smp or not name.startswith("time.")]
    lost = sorted({*wanted} - {row["name"] for row in results})
    if lost:
        raise Failure(f"no row for {' '.join(lost)}: {'; '.join(missing)}")
    return results, [reason for reason in missing if not reason.endswith("no figure")]


def debian():
    """The rows of bench/rows_debian, and why some are missing, see debroot.py."""
    program = build_program(FILES / "toggle.c", "x86_64")
    figures = {"ours": Figures("packaged kernel"), "stock": Figures("kernel of Debian")}
    for kind, taken in figures.items():
        with ui.Step(f"measure the {taken.what}"):
            result = debroot.run(kind, (FILES / "debian.sh").read_text(encoding="utf-8"),
                                 f"bench-debian-{kind}", files={"toggle": program},
                                 options=("-icount", "shift=0,sleep=off"))
        if result.trouble():
            raise Failure(f"benchmark of the {taken.what}: {result.trouble()} "
                          f"(log: {shown(result.log)})")
        for line in result.lines:
            taken.take(line)
    return compare(*figures.values(), [Row(*line.split()) for line in lines_of("rows_debian")])


def repeatable(kernel):
    """Whether two runs of the instruction benchmarks on a kernel agree.

    Returns (test name, ok, detail) for each row measured that way. To be
    called outside of a Step.
    """
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
    for name in REPEATED:
        one, two = (figures.get(name) for figures in runs)
        if one is None or two is None:
            lost = runs[0 if one is None else 1]
            found.append((f"{name} repeats", False, lost.why_not(name)))
            continue
        apart = abs(one - two) / max(one, two, 1)
        found.append((f"{name} repeats", apart <= TOLERANCE,
                      f"{one:.3f} and {two:.3f} instructions, {apart:.3%} apart"))
    return found


def main(args):
    name = "".join(args) or "x86_64"
    if name not in (*BOOTED, "debian"):
        raise Failure(f"usage: bench.py [{' | '.join(BOOTED)} | debian]")
    results, missing = debian() if name == "debian" else \
        measure(kernels.built(name), kernels.built(name, pristine=True))
    RESULTS.mkdir(parents=True, exist_ok=True)
    output = RESULTS / ("results.json" if name == "x86_64" else f"results-{name}.json")
    output.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print("\n" + table(results) + "\n")
    for reason in missing:
        print(f"not measured: {reason}")
    plotted = ""
    if name == "x86_64":
        plot(results, RESULTS / "results.svg")
        plotted = f", plotted in {shown(RESULTS / 'results.svg')}"
        for note in NOTES:
            print(note)
    print(f"done: {len(results)} rows in {shown(output)}{plotted}")
    return 0


if __name__ == "__main__":
    ui.main(main)
