#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every check and test of the project, or some of them.

    test.py [full] [TARGETS=NAME...] [ARCH=NAME...]

TARGETS are kselftest's words, the directories of tools/testing/selftests
(markers, ftrace, ...), and the parts of the harness in PARTS; ARCH is where.
What is needed for them, and nothing else, is built.

full runs what takes hours as well: the same tests for longer, under load, and
on a kernel that checks itself. The time that each part took is in
build/durations.txt, the number of results of each suite, beside those of the last run, in
build/suites.txt, see suites.py.
"""

import os
import re
import time

import bench
import bootcount
import branchcheck
import check
import compilefail
import deb
import debroot
import debsuites
import eventprofile
import fntrace
import ftracetest
import guest
import jobs
import kernel as kernels
import ktap
import lint
import outcomes
import results
import ringbuffer
import run
import series
import sitecheck
import steps
import suites
import ui
import walks
from arch import BOOTED, BUILT_ONLY
from ui import BUILD, Failure

# Programs of the host that the kselftests have use for, where these run. timeout is
# what makes the runner of kselftest heed the limit in a directory's settings.
KSELFTEST_PROGRAMS = {"x86_64": ("chrt", "perf", "trace-cmd", "timeout")}
# Tests that need an option which not every kernel here has.
KSELFTEST_OPTIONS = {"rust_functions/test_rnull.sh": "CONFIG_BLK_DEV_RUST_NULL"}
# Parts that need a kernel of each architecture.
ON_A_KERNEL = ("kunit", "run", "sites")
# On few CPUs again; those of events take long, and more CPUs find more.
KSELFTESTS_2CPUS = ("rust_tracepoint", "static_batch", "static_key_debugfs", "static_keys")
# What TARGETS may name besides directories of kselftests.
PARTS = {
    "check": "static checks, checkpatch, the mails",
    "steps": "every step of the series builds (if named, or in the full run)",
    "kunit": "KUnit suites, the examples of the Rust documentation among them",
    "run": "the demonstration of make run",
    "walks": "the walks of the overview page",
    "boot": "events on the kernel's command line",
    "stress": "modules and batches under stress",
    "sites": "what the compilers make of sites; what must not compile",
    "sparse": "sparse on our files",
    "fuzz": "the parsers of function events and markers under libFuzzer",
    "fntrace": "the tracer of programs",
    "ring_buffer": "the ring buffer of the base and of the series in user space, and of the "
                   "series in a guest",
    "bench": "the benchmarks repeat",
    "deb": "packages for Debian, and tools in a system with them (if named, or in the full run)",
    "suites": "suites of others in that system, and in Debian's own (if named, or in the full run)",
    "elsewhere": "the release for 6.12, and Debian 13 (if named, or in the full run)",
}
# How often the module of rust_tracepoint is loaded and unloaded in the stress test: in
# the full run as often as it takes to see a leak of a few bytes in each round.
STRESS_ROUNDS = 100
STRESS_ROUNDS_FULL = 1000
# How long a round may take on a busy machine, in seconds.
STRESS_SECONDS = 6
# The kernels of the full run with the directories of kselftests that have nothing to
# test in them.
UNUSUAL = {"x86_64-debug": (), "x86_64-kcsan": (), "x86_64-cfi": (), "x86_64-rt": (),
           "x86_64-no-jump-label": ("static_key_debugfs", "static_keys"), "x86_64-debian": ()}
# Seconds of the stress test of batches; and of those of the full run on kernels that check
# themselves, one of which looks for data races.
BATCH_STRESS = 20
STRESS_FULL = 600
NESTING_KERNELS = ("x86_64-debug", "x86_64-kcsan")
# Seconds for which each parser of events is fuzzed in user space; and, in the
# full run, of load with sixty of them, and how many lines with errors are written.
PARSE_FUZZ = 20
PARSE_FUZZ_FULL = 1800
FUNCTION_LOAD_FULL = 300
EVENT_LINES_FULL = 100000
# Which of these write wrong definitions to which file: the module that has what the right ones
# are of, and the command.
EVENT_FUZZERS = {
    "wrong function events": ("test_func_event", "function_events/fuzz.sh {}"),
    "wrong marker events": ("test_marker", "markers/fuzz.sh {}"),
    "wrong probe events": ("test_func_event", "function_events/fuzz.sh {} dynamic_events "
                           "/selftests/function_events/probe_definitions fuzz"),
}

# How it says that a test begins.
TEST_BEGINS = re.compile(r"# selftests: (\S+): (\S+)$")
# Of the base, without KTAP: each is one test.
WITHOUT_PARTS = ("static_keys/test_static_keys.sh",)

# The suites that must have reported, by the beginning of their names: those of the
# series, and of the base those of strlen() and vbin_printf().
KUNIT_SUITES = ("static_batch", "marker", "rust_demangle", "maccess", "string", "printf")
# The examples of Rust and the base's test of fprobes, which cannot be modules.
KUNIT_BUILT_IN = ("rust_doctests_kernel", "fprobe_test")

# Events from the kernel's command line: of functions, one that the first process starts
# with, one that is there for the start of the kernel only, one with a name, and one that
# is wrong; of a marker that comes with a module; and trace events, of which all sites must be
# as their keys say.
BOOT_EVENTS = ("kernel_execve(string path, x64 line = boot_command_line) -> int;"
               "no_such_function(int a);c:boot/open SyS_openat(NULL, string path)   # files;"
               "# a comment; populate_rootfs(string line = boot_command_line) -> int")
BOOT_MARKERS = "no_such_marker; +test_marker:test_marker_init"
BOOT_TRACE_EVENTS = "initcall:*,sched:sched_process_exec,raw_syscalls:*"
# What scripts/boot_events.sh prints with these, behind a line with the licence.
BOOT_LINES = (guest.SCRIPTS / "boot_events.lines").read_text(encoding="utf-8").splitlines()[1:]

# The test module of tracepoints in Rust, and two functions in it that have one
# tracepoint each, in C and in Rust.
RUST_MODULE = "lib/test_rust_tracepoint"
RUST_SITES = ("test_rust_tracepoint_site_c", "test_rust_tracepoint_site_rust")

# The test module of markers, with a static branch and a marker.
MARKER_OBJECT = "lib/test_marker_main.o"
MARKER_SITES = ("test_marker_site_branch", "test_marker_site_mark")

# What kbuild has to know that these are made from, through several languages.
RUST_SOURCES = (
    ("rust/kernel/generated_arch_static_branch_asm.rs", "asm/jump_label.h"),
    (f"{RUST_MODULE}_main.o", "rust/kernel/generated_arch_static_branch_asm.rs"),
    (f"{RUST_MODULE}_main.o", "test_rust_tracepoint_events.tp.rs"),
    ("lib/test_rust_tracepoint_events.tp.rs", "lib/test_rust_tracepoint_trace.h"),
)

# The release of the series for another base that is run as well.
EARLIER = "6.12"


def guest_trouble(found, group, result):
    """Record a guest that did not end as it should."""
    trouble = result.trouble()
    if trouble:
        found.add(group, "guest", False, f"{trouble} (log: build/log/)")


def guest_status(result):
    """How a guest's job ended, as ktap.Reader takes it."""
    return ui.TIMED_OUT if result.timed_out else result.status


def splat(found, group, result):
    """Record what the kernel complained about; whether it died, the results say."""
    if result.splats:
        guest_trouble(found, group, result)


def patience(kernel):
    """For how many seconds a guest may go through many tests."""
    return 3 * 3600 if kernel.debug else 1800


class Kselftest(ktap.Reader):
    """What run_kselftest.sh says in a guest, line by line."""

    def __init__(self, step, lacking=None):
        """LACKING are the options of tests that the kernel does not have."""
        self.lacking = lacking or {}
        super().__init__(nested="#", on_test=lambda test: setattr(step, "note", test.name))

    def clear(self):
        super().clear()
        # What the list promises; and what the base's scripts say without a status for it.
        self.promised = []
        self.complaints = []
        self.began = self.heard

    def line(self, line):
        match = TEST_BEGINS.match(line or "")
        if match:
            self.upcoming, self.complaints = "/".join(match.groups()), []
            self.heard = self.began = time.monotonic()
        elif line and line.startswith("@test "):
            self.promised.append(line.split()[1].replace(":", "/"))
        elif line and "[FAIL]" in line:
            self.complaints.append(line.lstrip("# "))
        else:
            super().line(line)

    def result(self, level, bad, number, rest):
        super().result(level, bad, number, rest)
        test = self.tests[-1]
        if level.parent:
            return
        test.seconds = self.heard - self.began
        match = re.match(r"selftests: (\S+): (\S+)$", test.name)
        test.name = "/".join(match.groups()) if match else test.name
        wrong = list(self.complaints[:3])
        if test.ok is None and test.name in self.lacking:
            test.detail = f"no {self.lacking[test.name]}"
        elif test.ok is None:
            # Other modules are there: a test that is skipped as a whole is one that is lost.
            wrong.append("SKIP")
        elif not test.parts and test.ok and test.name not in WITHOUT_PARTS:
            wrong.append("it printed no plan")
        if wrong:
            test.ok, test.detail = False, "; ".join(filter(None, (test.detail, *wrong)))


def kselftests(found, kernel, smp, directories):
    """The kernel's own selftests, as its runner runs them, in an SMP guest."""
    whole = f"kselftest {kernel.name}, {smp} CPUs"
    what = "" if set(directories) == set(guest.KSELFTESTS) else f" {' '.join(directories)}"
    with ui.Step(f"{whole}{what and ','}{what}") as step:
        configured = kernels.merge(kernel.fragment()).values()
        kselftest = Kselftest(step, {name: option for name, option in KSELFTEST_OPTIONS.items()
                                     if f"{option}=m" not in configured})
        # The time limits of the tests are for kernels that do not check themselves.
        options = f"-o {patience(kernel)}" if kernel.debug else ""
        result = guest.boot(
            kernel, guest.script("kselftest", COLLECTIONS=" ".join(directories), OPTIONS=options),
            f"{whole}{what}".replace(",", "").replace(" ", "-"), smp=smp,
            on_line=kselftest.line, programs=KSELFTEST_PROGRAMS.get(kernel.machine, ()),
            timeout=patience(kernel))
    log = f"(log: {ui.shown(result.log)})"
    # A suite for each directory, whichever are run together.
    groups = {directory: f"{whole}, {directory}" for directory in directories}
    ended = set()
    for test in kselftest.tests:
        name = f"{test.level.name}: {test.name}" if test.level.parent else test.name
        ended.add(name)
        found.add(groups.get(name.partition("/")[0], whole), name, test.ok,
                  f"{test.detail} {log}".strip() if test.ok is False else test.detail,
                  test.seconds)
    for name in kselftest.promised:
        if name not in ended:
            found.add(groups.get(name.partition("/")[0], whole), name, False,
                      f"it did not end {log}")
    for directory, group in groups.items():
        if not any(name.startswith(f"{directory}/") for name in kselftest.promised):
            found.add(group, "tests", False, f"there are none {log}")
    trouble = kselftest.end(guest_status(result))
    if trouble:
        found.add(whole, "comes to its end", False, f"{trouble} {log}")
    splat(found, whole, result)


def stress(found, kernel, rounds):
    """Load and unload the test module while its events are toggled and called."""
    ktap_guest(found, f"Rust tracepoints under stress on {kernel.name}", kernel,
               f"cd /selftests/rust_tracepoint && ./stress.sh {rounds}\n", "stress-rust-tracepoint",
               # Else kinds of objects share caches, and hide leaks.
               append="slab_nomerge", timeout=max(patience(kernel), STRESS_SECONDS * rounds))


def program_and_kernel(found, kernel):
    """fntrace, with the kernel's side of a program."""
    group = f"fntrace with the kernel on {kernel.name}"
    with ui.Step(group):
        result = fntrace.in_guest(kernel)
    in_guest(found, group, result)


def long_stress(found, kernel, what, directory, seconds, script="stress.sh"):
    """Run the stress test of a directory of kselftests."""
    ktap_guest(found, f"{what} under stress on {kernel.name}", kernel,
               f"cd /selftests/{directory} && ./{script} {seconds}\n",
               f"stress-{directory.replace('_', '-')}", smp=4, timeout=600 + 3 * seconds,
               programs=KSELFTEST_PROGRAMS.get(kernel.machine, ()))


def small(found, kernel):
    """The kernel's own markers and a function event, on a kernel in which nothing is patched
    but ftrace's sites, and nothing loaded."""
    ktap_guest(found, f"markers of the kernel on {kernel.name}", kernel,
               "cd /selftests/markers && ./test_in_use.sh\n", "markers")
    walks.run(found, kernel, "A function event")


# What the kernel must say at least when it tests itself, with one function of C or Rust in a
# tracer, and with all events.
STARTUP_PASSED = ("Testing tracer function", "Testing dynamic ftrace",
                  "Testing tracer function_graph", "Testing all events")


def startup_tests(found, kernel):
    """ftrace's own tests, at boot: tracers, events, and the order of all functions."""
    group = f"start-up tests of ftrace on {kernel.name}"
    name = f"startup-{kernel.name}"
    with ui.Step(group):
        result = guest.boot(kernel, "echo booted\n", name, smp=2, timeout=1800)
    # Where it has splats, one of the tests has failed.
    guest_trouble(found, group, result)
    console = (ui.LOGS / f"console-{name}.log").read_text(encoding="utf-8", errors="replace")
    ended = re.findall(r"(Testing [^:\n]*): *(PASSED|OK|FAILED)", console)
    for what, word in ended:
        found.add(group, what, word != "FAILED", "" if word != "FAILED" else f"(log: {name})")
    for what in STARTUP_PASSED:
        if what not in dict(ended):
            found.add(group, what, False, "it did not run")


def event_script(found, kernel, what, module, command, timeout):
    """Run one of the scripts of function events and markers that take long."""
    group = f"{what} on {kernel.name}"
    with ui.Step(f"{group}: {command}"):
        result = guest.boot(kernel, f"modprobe {module} && cd /sys/kernel/tracing && "
                            f"/selftests/{command}\n",
                            re.sub(r"\W+", "-", f"{what}-{kernel.name}"), smp=4, timeout=timeout)
    guest_trouble(found, group, result)
    found.add(group, command, result.status == 0,
              f"status {result.status} (log: {ui.shown(result.log)})")


def function_load(found, kernel):
    """Many function events under load, for long."""
    event_script(found, kernel, "load of function events", "test_func_event",
                 f"function_events/load.sh {FUNCTION_LOAD_FULL}", 600 + 3 * FUNCTION_LOAD_FULL)


def boot_events(found, kernel):
    """Function events and marker events that are there before the first process."""
    group = f"events at boot on {kernel.name}"
    with ui.Step(group):
        result = guest.boot(kernel, guest.script("boot_events"), f"boot-events-{kernel.name}",
                            # Else the kernel may choose another clock, and empties the
                            # buffer for that.
                            append=f'trace_clock=global function_events="{BOOT_EVENTS}" '
                                   f'marker_events="{BOOT_MARKERS}" '
                                   f'trace_event={BOOT_TRACE_EVENTS}')
    guest_trouble(found, group, result)
    found.add(group, "function_events=, marker_events= and trace_event=",
              result.lines == BOOT_LINES, f"(log: {ui.shown(result.log)})")


def lockdown(found, kernel):
    """What a kernel refuses that is locked down, see scripts/lockdown.sh."""
    group = f"lockdown on {kernel.name}"
    module = kernel.external(BUILD / "unsigned", {
        "Makefile": "obj-m := unsigned.o\n",
        "unsigned.c": '#include <linux/module.h>\nMODULE_DESCRIPTION("none");\n'
                      'MODULE_LICENSE("GPL");\n'}, "unsigned")[0]
    with ui.Step(group):
        result = guest.boot(kernel, guest.script("lockdown"), f"lockdown-{kernel.name}",
                            append="lockdown=integrity", files={"unsigned.ko": module})
    guest_trouble(found, group, result)
    refused = "Operation not permitted"
    lines = dict(line.rpartition(": ")[::2] for line in result.lines if ": " in line)
    for what in ("function_events", "function_prototype", "marker_events", "dynamic_events",
                 "a function event", "a marker event", "trace", "static_keys/sites",
                 "static_keys/check", "tracepoints", "an unsigned module"):
        # Files of debugfs that can only be read, by root, are not restricted.
        wanted = {"integrity": refused if "module" in what else "done",
                  "confidentiality": "done" if "static_keys" in what or what == "tracepoints"
                                     else refused}
        for level, answer in wanted.items():
            found.add(group, f"{level}: {what}", lines.get(f"{level}: {what}") == answer,
                      f"{lines.get(f'{level}: {what}')}, not {answer}")
    found.add(group, "a message for each", "7 messages" in result.lines, f"{result.lines[-1:]}")


def fuzz_parsers(found, seconds):
    """The parsers of function events and of markers under libFuzzer."""
    group = "fuzzing"
    for directory in ("function_events", "markers"):
        log = ui.fresh_log(f"fuzz-{directory}")
        source = series.TREE / "tools/testing/selftests" / directory / "fuzz"
        with ui.Step(f"fuzz the parsers of {directory}, {seconds} s"):
            status = ui.run(["make", "-C", source, f"OUT={BUILD / 'fuzz' / directory}",
                             "CLANG=clang-19", f"SECONDS={seconds}", "fuzz"], log)
        # Its last words, after a failure or not.
        tried = re.findall(r"^stat::number_of_executed_units: *(\d+)$",
                           log.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
        ok = status == 0 and tried and int(tried[-1]) > 0
        found.add(group, f"the parsers of {directory}", bool(ok),
                  "" if ok else f"status {status}, {(tried or ['no'])[-1]} inputs "
                                f"(log: {ui.shown(log)})")


def kunit_reader():
    """A Reader of what KUnit says in the log: one report for what is built in, and one for each
    module. A test with parameters has a plan only if they are in an array."""
    return ktap.Reader(nested=True, plans=2, anew=True)


def kunit(found, kernel):
    """The suites of KUnit, among them the examples in the documentation of Rust."""
    group = f"KUnit on {kernel.name}"
    with ui.Step(group):
        # KUnit runs at boot and when its modules are loaded, and reports in the log.
        result = guest.boot(kernel, guest.script("kunit"), f"kunit-{kernel.name}",
                            append="kunit.enable=1", timeout=3600 if kernel.debug else 300)
    reader = kunit_reader()
    for line in result.lines:
        reader.line(line)
    reader.report(found, group, guest_status(result), result.log)
    splat(found, group, result)
    built_in = KUNIT_BUILT_IN if "kunit" in kernel.config.fragments else ()
    for suite in (*built_in, *KUNIT_SUITES):
        if not any(test.path.startswith(suite) for test in reader.tests):
            found.add(group, suite, False, f"no result of it (log: {ui.shown(result.log)})")


def ktap_guest(found, group, kernel, script, name, **options):
    """A guest that prints KTAP; OPTIONS are guest.boot()'s."""
    with ui.Step(group):
        result = guest.boot(kernel, script, f"{name}-{kernel.name}", **options)
    in_guest(found, group, result)


def in_guest(found, group, result):
    """Take over the results of a guest that prints KTAP."""
    reader = ktap.Reader()
    for line in result.lines:
        reader.line(line)
    reader.report(found, group, guest_status(result), result.log)
    splat(found, group, result)


def traces(found, kernel, log_name):
    """The events are in the trace after they have been enabled."""
    hits = run.trace(kernel, log_name)
    found.add(f"tracing on {kernel.name}", "events of C and Rust are in the trace", hits > 0,
              f"{hits} times")


def rust_sites(found, kernel):
    """A tracepoint in Rust costs what it costs in C."""
    group = f"sites in Rust on {kernel.name}"
    for result in sitecheck.check([kernel.out / f"{RUST_MODULE}.o"], *RUST_SITES):
        found.add(group, *result)
    for target, source in RUST_SOURCES:
        directory, _, name = target.rpartition("/")
        command = kernel.out / directory / f".{name}.cmd"
        found.add(group, f"{name} is made again after a change of {source}",
                  source in command.read_text(encoding="utf-8"), ui.shown(command))


def sites(found, kernel):
    """The same, and a dormant marker costs what a static branch costs; its arguments are
    elsewhere."""
    rust_sites(found, kernel)
    for result in sitecheck.check([kernel.out / MARKER_OBJECT], *MARKER_SITES,
                                  words=("of a branch", "of a marker")):
        found.add(f"dormant marker on {kernel.name}", *result)
    found.add(f"jump table of {kernel.name}", "is sorted when the kernel is linked",
              *sitecheck.jump_table(kernel.out / "vmlinux"))


def benchmarks_repeat(found, kernel):
    """Two runs of the benchmarks agree, and a profile is one of hits."""
    for result in bench.repeatable(kernel):
        found.add("benchmark", *result)
    found.add("benchmark", "the profile of an event has one record for each hit",
              *eventprofile.one_record(kernel))
    # A sort takes a thousand for each entry.
    took = bootcount.instructions(kernel, "jump_label_init")
    start, stop = (bootcount.address_of(kernel, f"__{end}___jump_table")
                   for end in ("start", "stop"))
    entries = (stop - start) // sitecheck.ENTRY_SIZE
    found.add("benchmark", "jump_label_init() takes at most 100 instructions for an entry",
              0 < took <= 100 * entries, f"{took} for {entries}")


class Selection:
    """What of the plan the user wants: all, or by TARGETS and ARCH."""

    def __init__(self, args):
        self.full = "full" in args
        words = {"TARGETS": [], "ARCH": []}
        for arg in args:
            name, equals, value = arg.partition("=")
            if equals:
                words[name] = value.split()
        self.targets, self.machines = words["TARGETS"], words["ARCH"]
        known = {*PARTS, *guest.KSELFTESTS, guest.FTRACETEST}
        for name in self.targets:
            if name not in known:
                raise Failure(f"TARGETS={name}: no such test; there are {' '.join(sorted(known))}")
        for name in self.machines:
            if name not in (*BOOTED, *BUILT_ONLY):
                raise Failure(f"ARCH={name}: there are {' '.join((*BOOTED, *BUILT_ONLY))}")

    @property
    def elsewhere(self):
        """Whether other releases are wanted, which takes an hour and more."""
        return self.full and self.part("elsewhere") or "elsewhere" in self.targets

    def part(self, name, machine=None):
        """Whether a part of the harness is wanted, on one architecture or on none."""
        return ((not self.targets or name in self.targets)
                and (not self.machines or machine in self.machines))

    def directories(self, machine, names=guest.KSELFTESTS):
        """The directories of kselftests that are wanted on an architecture."""
        if self.machines and machine not in self.machines:
            return ()
        return tuple(name for name in names
                     if (not self.targets or name in self.targets)
                     and (name != "rust_functions" or kernels.traces_rust(machine)))


def plan_guests(plan, wanted, machine, rows):
    """The jobs in guests of those (part of the harness, name, function, kernel, arguments...)
    that are wanted."""
    for part, *row in rows:
        if wanted.part(part, machine):
            plan.guest(*row)


def plan_kselftests(plan, wanted, kernel, smp, apart):
    """Those that are wanted in two guests, which run at the same time: the directories APART,
    and the others."""
    for directories in (apart, tuple(name for name in guest.KSELFTESTS if name not in apart)):
        chosen = wanted.directories(kernel.machine, directories)
        if chosen:
            plan.guest(f"kselftest {kernel.name}, {smp} CPUs: {' '.join(chosen)}", kselftests,
                       kernel, smp, chosen)


def plan_x86(plan, wanted, patched):
    """The jobs of the x86_64 kernels."""
    if wanted.part("ftrace", "x86_64"):
        ftracetest.plan(plan, plan.build(patched), patched, wanted.full)
    plan_kselftests(plan, wanted, patched, 4, ("function_events",))
    chosen = wanted.directories("x86_64", KSELFTESTS_2CPUS)
    if chosen and not wanted.targets:
        plan.guest("kselftest x86_64, 2 CPUs", kselftests, patched, 2, chosen)
    plan_guests(plan, wanted, "x86_64", (
        ("ring_buffer", "ring buffer on x86_64", kselftests, patched, 4, (guest.RING_BUFFER,)),
        ("run", "trace on x86_64", traces, patched, "run"),
        ("walks", "walks of the overview page", walks.run, patched),
        ("boot", "events at boot", boot_events, patched),
        ("stress", "stress of Rust modules", stress, patched,
         STRESS_ROUNDS_FULL if wanted.full else STRESS_ROUNDS),
        ("stress", "stress of batches", long_stress, patched, "batches", "static_batch",
         BATCH_STRESS),
        ("fntrace", "fntrace with the kernel", program_and_kernel, patched),
        ("fntrace", "fntrace on two machines", fntrace.two_machines, patched),
        ("kunit", "KUnit on x86_64", kunit, patched),
        ("sites", "sites on x86_64", sites, patched),
        ("sites", "what must not compile", compilefail.run, patched),
        ("bench", "benchmarks repeat", benchmarks_repeat, patched),
        ("sparse", "sparse", check.check_sparse, patched)))
    if wanted.full:
        plan_full(plan, wanted, patched)


def plan_full(plan, wanted, patched):
    """What takes long on x86_64, most of it on kernels that check themselves."""
    debug, rom, startup = (kernels.Kernel(f"x86_64-{name}") for name in ("debug", "rom", "startup"))
    for name, without in UNUSUAL.items():
        chosen = [directory for directory in wanted.directories("x86_64")
                  if directory not in without]
        if chosen:
            plan.guest(f"kselftest {name}", kselftests, kernels.Kernel(name), 2, chosen)
    if wanted.directories("x86_64", ("markers",)):
        plan.guest(f"markers on {rom.name}", small, rom)
    plan_guests(plan, wanted, "x86_64", (
        # What needs CONFIG_FAILSLAB is nowhere else.
        ("kunit", f"KUnit on {debug.name}", kunit, debug),
        ("ftrace", "start-up tests of ftrace", startup_tests, startup),
        ("boot", "lockdown on x86_64-debian", lockdown, kernels.Kernel("x86_64-debian")),
        ("stress", f"stress of Rust modules on {debug.name}", stress, debug, STRESS_ROUNDS),
        *(("stress", f"stress of {what} on {debug.name}", long_stress, debug, what, directory,
           STRESS_FULL) for what, directory in (
               ("batches", "static_batch"), ("markers", "markers"),
               ("function events", "function_events"), ("functions of Rust", "rust_functions"))),
        *(("stress", f"stress of the ring buffer on {name}", long_stress, kernels.Kernel(name),
           "ring buffer", guest.RING_BUFFER, STRESS_FULL, "nesting.sh")
          for name in NESTING_KERNELS),
        ("stress", f"load of function events on {debug.name}", function_load, debug),
        *(("stress", f"{what} on {debug.name}", event_script, debug, what, module,
           command.format(EVENT_LINES_FULL), 7200)
          for what, (module, command) in EVENT_FUZZERS.items()),
        ("stress", "load of function events", function_load, patched)))


def plan_other(plan, wanted, name):
    """The jobs of another architecture."""
    kernel = kernels.Kernel(name)
    plan.build(kernel)
    plan_kselftests(plan, wanted, kernel, 2, KSELFTESTS_2CPUS)
    plan_guests(plan, wanted, name, (
        *([("kunit", f"KUnit on {name}", kunit, kernel)]
          if "kunit" in kernel.config.fragments else ()),
        ("run", f"trace on {name}", traces, kernel, f"trace-{name}"),
        ("sites", f"sites on {name}", sites, kernel),
        *([("stress", f"load of function events on {name}", function_load, kernel)]
          if wanted.full else ())))


def pristine_configuration(found):
    """make bench builds the pristine kernel, and so does the full run: an option of the series
    in it would show only then."""
    kernels.Kernel("x86_64", pristine=True).configure()
    found.add("configuration of the pristine kernel", "has no option of the series", True)


def plan_programs(plan, wanted):
    """What needs no kernel, and takes long in the full run."""
    if wanted.part("fuzz"):
        plan.add("fuzz", lambda found: fuzz_parsers(
            found, PARSE_FUZZ_FULL if wanted.full else PARSE_FUZZ), lane=jobs.SINGLE)
    if wanted.part("ring_buffer"):
        plan.add("ring buffer in user space", ringbuffer.tests, lane=jobs.SINGLE)
    if wanted.part("fntrace"):
        plan.add("fntrace", lambda found: fntrace.tests(found, full=wanted.full))


def built_only(found, kernel):
    """A kernel without a guest."""
    def build(found):
        kernel.build()
        found.add("kernels that are only built", kernel.name, True)
        rust_sites(found, kernel)

    outcomes.again(
        found, outcomes.place(outcomes.code(__file__, *kernels.SOURCES, branchcheck.__file__,
                                             sitecheck.__file__),
                              lint.sources(lint.NOT_COMPILED), kernel.fragment()), build)


def command(found, name, *argv, **variables):
    """A command of the README, as a user would type it, to its end."""
    group = f"elsewhere: {name}"
    log = ui.fresh_log(f"elsewhere-{name.replace(' ', '-')}")
    ours = ("FULL", "TARGETS", "ARCH", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    env = {name: value for name, value in os.environ.items() if name not in ours}
    with ui.Step(group):
        status = ui.run(argv, log, env={**env, **variables}, cwd=ui.ROOT)
    found.add(group, name, status == 0,
              f"status {status}: {ui.last_error(log)} (log: {ui.shown(log)})")


# In a Debian system with our packages: DKMS builds a module with the headers, and it is loaded;
# which kernel it is, whether it has BTF, and who has signed a module of it.
PACKAGED = r"""
mkdir /usr/src/hello-1.0 && cd /usr/src/hello-1.0
cat >Makefile <<EOF
obj-m := hello.o
EOF
cat >hello.c <<EOF
#include <linux/module.h>
static int __init hello(void) { pr_info("hello, packages\\n"); return 0; }
module_init(hello);
MODULE_DESCRIPTION("none");
MODULE_LICENSE("GPL");
EOF
cat >dkms.conf <<EOF
PACKAGE_NAME=hello
PACKAGE_VERSION=1.0
BUILT_MODULE_NAME=hello
DEST_MODULE_LOCATION=/updates/dkms
EOF
dkms install hello/1.0 >/dev/console 2>&1 && modprobe hello
dmesg | sed -n 's/.*] //; /^hello, /p'
uname -r | sed 's/.*-skt-.*/ours/'
[ -s /sys/kernel/btf/vmlinux ] && echo btf
modinfo -F signer test_rust_tracepoint
"""
PACKAGED_LINES = ["hello, packages", "ours", "btf", "Build time autogenerated kernel key"]


def packages(found):
    """Packages for Debian: made, removed without a trace, booted, and used."""
    group = "packages for Debian"
    if os.getuid():
        found.add(group, "a system of Debian", None, "root makes it, and this is not root")
        return
    deb.make()
    left = debroot.left_behind()
    found.add(group, "nothing is left of them", not left, "; ".join(left))
    result = debroot.run("ours", PACKAGED, "deb-boot")
    found.add(group, "the kernel boots, with BTF and signed modules, and modules are built for it",
              not result.trouble() and result.lines == PACKAGED_LINES,
              result.trouble() or f"{result.lines}")
    walks.tools(found)
    rows, missing = bench.debian()
    found.add(group, "all that is to be measured is", not missing, "; ".join(missing))
    for row in rows:
        if row["unit"] == "IPIs":
            found.add(group, f"{row['name']} is at most a hundredth", row["ratio"] <= 0.01,
                      f"{row['ours']} and {row['stock']}")


def install_elsewhere():
    """Install what the jobs for other releases would install in the middle of the run.

    With other packages, outcomes.Run takes nothing over. The jobs say what goes wrong.
    """
    log = ui.fresh_log("elsewhere-setup")
    with ui.Step("install what other releases need"):
        for argv in (("setup", "fresh"), ("release", EARLIER, "setup")):
            ui.run([ui.ROOT / "harness" / argv[0], *argv[1:]], log, cwd=ui.ROOT)


def plan_all(wanted):
    """The jobs of a run."""
    # First of the builds that of x86_64, which most guests wait for and make run has done;
    # first beside it what fails fast.
    plan = jobs.Plan()
    patched = kernels.Kernel("x86_64")
    if wanted.directories("x86_64") or any(
            wanted.part(name, "x86_64") for name in (*ON_A_KERNEL, "walks", "boot", "stress",
                                                     "ring_buffer", "fntrace", "bench",
                                                     "sparse", guest.FTRACETEST)):
        plan.build(patched)
    if wanted.part("check"):
        for name, check_it in (("static checks", check.fast_but_patches),
                               ("checkpatch", check.check_patches), ("git am", check.check_am),
                               ("pristine configuration", pristine_configuration)):
            plan.add(name, check_it, lane=jobs.SINGLE)
    if not wanted.full:
        plan_programs(plan, wanted)
    if wanted.full and wanted.part("steps") or "steps" in wanted.targets:
        # One after the other, so it takes longest. In one work tree, like what comes after it.
        plan.add("every step builds", lambda found: (
            steps.check(found), steps.check_option_off(found)))
    plan_x86(plan, wanted, patched)
    # riscv64 first: its tests take longest, and would be alone at the end.
    for name in reversed(BOOTED[1:]):
        if any(wanted.part(part, name) for part in ON_A_KERNEL) or wanted.directories(name):
            plan_other(plan, wanted, name)
    for name in BUILT_ONLY:
        if wanted.part("sites", name):
            kernel = kernels.Kernel(name)
            # Behind those that guests wait for, of which two are built at a time.
            booted = [job for job in plan.jobs if job.name.startswith("build ")]
            plan.add(f"build {name}", lambda found, kernel=kernel: built_only(found, kernel),
                     *booted)
    if wanted.part("check"):
        plan.add("other configurations", lint.builds)
    if wanted.full:
        # Else the builds, which give way, would come to their end a quarter of an hour later,
        # and so would all guests.
        plan_programs(plan, wanted)
    if wanted.full and not wanted.targets or "deb" in wanted.targets:
        plan.add("packages for Debian", packages)
    if wanted.full and not wanted.targets or "suites" in wanted.targets:
        plan.add("suites of others on Debian", debsuites.check)
    if wanted.elsewhere:
        plan.add(f"the release for {EARLIER}", lambda found: command(
            found, f"make run BASE={EARLIER}", "make", "run", f"BASE={EARLIER}"))
        plan.add("Debian 13", lambda found: command(
            found, "make fresh SUITE=trixie", "harness/fresh", SUITE="trixie"))
    if not plan.jobs:
        raise Failure("TARGETS and ARCH together leave nothing to do")
    return plan


def main(args):
    wanted = Selection(args)
    outcomes.prune()
    found = results.Results()
    with found.job("trees"):
        series.tree()
        kernels.pristine_tree()
        series.branches()
    if found.count()[1]:
        return found.finish()
    run_of = None
    if wanted.full:
        if wanted.elsewhere:
            install_elsewhere()
        run_of = outcomes.Run(lint.sources(), sorted(args))
        outcomes.SINCE = run_of.began
    plan_all(wanted).run(found, run_of)
    suites.compare(found, wanted.full, not (wanted.targets or wanted.machines))
    status = found.finish()
    if run_of:
        run_of.done()
    return status


if __name__ == "__main__":
    ui.main(main)
