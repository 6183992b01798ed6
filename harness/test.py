#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every check and test of the project, from nothing, within an hour.

    test.py         the quick ftracetest selection
    test.py full    the whole ftracetest

The order is: what fails fast first, then one build of each kernel that all
tests share.
"""

import re

import bench
import check
import compilefail
import fntrace
import ftracetest
import guest
import kernel as kernels
import results
import run
import series
import sitecheck
import ui
from ui import BUILD

FUNCTION_TEST = "function_events/test_function_events.sh"
MARKER_TEST = "markers/test_markers.sh"
KSELFTESTS = ("static_keys/test_static_keys.sh", "static_keys/test_static_branch_asm.sh",
              "static_key_view/test_static_key_view.sh", "static_batch/test_static_batch.sh",
              "rust_tracepoint/test_rust_tracepoint.sh", FUNCTION_TEST, MARKER_TEST)
# What the last three have use for, where the host's programs run.
KSELFTEST_PROGRAMS = {"x86_64": ("perf", "trace-cmd")}
# How often the module of rust_tracepoint is loaded and unloaded in the stress test: in
# the full run as often as it takes to see a leak of a few bytes in each round.
STRESS_ROUNDS = 100
STRESS_ROUNDS_FULL = 1000
# Seconds of the stress test of batches; the full run's is made on a debug kernel.
BATCH_STRESS = 20
BATCH_STRESS_FULL = 600
# As well, of markers; in a run that is not full, their kselftest has a short one.
MARKER_STRESS_FULL = 600
# Seconds for which the parser of function events is fuzzed in user space; and, in the
# full run, of load with sixty of them, and how many lines with errors are written.
PARSE_FUZZ = 20
PARSE_FUZZ_FULL = 1800
FUNCTION_LOAD_FULL = 300
FUNCTION_LINES_FULL = 100000

KSELFTEST_SCRIPT = r"""
for test in $(cat /job/tests); do
	echo "@begin $test"
	cd /selftests/$(dirname $test) && ./$(basename $test)
	echo "@end $test $?"
done
exit 0
"""

# The kernel's log, without the times.
DOCTESTS_SCRIPT = r"""
modprobe test_static_batch
modprobe test_marker_kunit
dmesg | sed 's/^\[ *[0-9.][0-9.]*\] //'
"""

# Events from the kernel's command line: of functions, one that the first process starts
# with, one with a name, and one that is wrong; and of a marker that comes with a module.
BOOT_EVENTS = ("kernel_execve(string path) -> int;no_such_function(int a);"
               "c:boot/open SyS_openat(NULL, string path)")
BOOT_MARKERS = "test_marker:test_marker_init;no_such_marker"
BOOT_SCRIPT = r"""
cd /sys/kernel/tracing
cat function_events
cat events/functions/kernel_execve/enable events/boot/open/enable
grep -m 1 -o 'kernel_execve(path="/init") -> ret=0 ' trace
dmesg | grep -o 'cannot add "no_such_function(int a)": -2'
dmesg | grep -o 'cannot add "no_such_marker": -2'
cat marker_events
modprobe test_marker
cat marker_events
grep -o 'test_marker_init: i 2' trace
"""
BOOT_LINES = """kernel_execve(string path) -> int
c:boot/open SyS_openat(NULL, string path)
1
1
kernel_execve(path="/init") -> ret=0 
cannot add "no_such_function(int a)": -2
cannot add "no_such_marker": -2
test_marker:test_marker_init	# waits for module test_marker
test_marker:test_marker_init
test_marker_init: i 2"""

# The test module of tracepoints in Rust, and two functions in it that have one
# tracepoint each, in C and in Rust.
RUST_MODULE = "lib/test_rust_tracepoint"
RUST_SITES = ("test_rust_tracepoint_site_c", "test_rust_tracepoint_site_rust")

# The test module of markers, with a static branch and a marker.
MARKER_OBJECT = "lib/test_marker_main.o"
MARKER_SITES = ("test_marker_site_branch", "test_marker_site_mark")

# What kbuild has to know that these are made from, through several languages.
RUST_SOURCES = (
    ("rust/kernel/arch_static_branch_asm.rs", "asm/jump_label.h"),
    (f"{RUST_MODULE}_main.o", "rust/kernel/arch_static_branch_asm.rs"),
    (f"{RUST_MODULE}_main.o", "generated_test_rust_tracepoint_events.rs"),
    ("lib/generated_test_rust_tracepoint_events.rs", "lib/test_rust_tracepoint_trace.h"),
)

# Where QEMU boots the patched kernel besides x86_64, and where a part is built.
OTHERS = ("arm64", "riscv64")
BUILT_ONLY = ("loongarch64",)


def guest_trouble(found, group, result):
    """Record a guest that did not end as it should."""
    trouble = result.trouble()
    if trouble:
        found.add(group, "guest", False, f"{trouble} (log: build/log/)")


def in_guests(found, what, kernel, *jobs):
    """Boot guests of a kernel at the same time, then report on one after the other.

    A job boots a guest and returns a function that reports. A guest with one
    emulation thread leaves the other CPUs idle.
    """
    # Shared, so made before they start.
    guest.root_image(kernel)
    with ui.Step(what):
        reports = ui.parallel(lambda job: job(), jobs)
    for report in reports:
        report(found)


def memory(kernel):
    """What a guest needs."""
    # KASAN takes an eighth of it, and what is freed stays for a while.
    return "2G" if kernel.debug else "1G"


def kselftests(kernel, smp, tests=KSELFTESTS, what=""):
    """The kernel's selftests of what the series adds, in an SMP guest.

    WHAT tells apart guests of one kernel with as many CPUs.
    """
    group = f"kselftest {kernel.name}, {smp} CPUs{what and ', '}{what}"
    statuses = {}
    wrong = {}
    running = []

    def on_line(line):
        if line.startswith("@begin "):
            running[:] = [line.split()[1]]
        elif line.startswith("@end "):
            _, test, status = line.split()
            statuses[test] = int(status)
        elif line.startswith("not ok ") and running:
            wrong.setdefault(running[0], []).append(line)

    log_name = f"kselftest-{kernel.name}-{smp}{what and '-'}{what}"
    result = guest.boot(kernel, KSELFTEST_SCRIPT, log_name,
                        smp=smp, memory=memory(kernel), on_line=on_line,
                        files={"tests": "\n".join(tests) + "\n"},
                        programs=KSELFTEST_PROGRAMS.get(kernel.name, ()),
                        timeout=3600 if kernel.debug else 900)

    def report(found):
        guest_trouble(found, group, result)
        failing = {line.split("/", 1)[0] for line in result.lines if "[FAIL]" in line}
        for test in tests:
            status = statuses.get(test)
            # Here every module is built, so a skipped test is one that is lost;
            # and the base's script has no status for each of its failures.
            detail = "; ".join([f"status {status}", *wrong.get(test, ())])
            found.add(group, test, status == 0 and not failing,
                      "" if status == 0 else f"{detail} (log: {ui.shown(result.log)})")
        found.close(group)

    return report


def stress(kernel, rounds):
    """Load and unload the test module while its events are toggled and called."""
    result = guest.boot(kernel, f"cd /selftests/rust_tracepoint && ./stress.sh {rounds}\n",
                        # Else kinds of objects share caches, and hide leaks.
                        "stress-rust-tracepoint", append="slab_nomerge", timeout=1800)
    return lambda found: ktap(found, f"Rust tracepoints under stress, {rounds} rounds",
                              result)


def program_and_kernel(kernel):
    """fntrace, with the kernel's side of a program."""
    result = fntrace.in_guest(kernel)
    return lambda found: ktap(found, f"fntrace with the kernel on {kernel.name}", result)


def long_stress(kernel, what, directory, seconds, programs=()):
    """Run the stress test of a directory of kselftests."""
    result = guest.boot(kernel, f"cd /selftests/{directory} && ./stress.sh {seconds}\n",
                        f"stress-{directory.replace('_', '-')}-{kernel.name}", smp=4,
                        memory=memory(kernel), programs=programs,
                        timeout=600 + 3 * seconds)
    return lambda found: ktap(
        found, f"{what} under stress on {kernel.name}, {seconds} s", result)


def batch_stress(kernel, seconds):
    """Enable and disable events in all ways at once."""
    return long_stress(kernel, "batches", "static_batch", seconds)


def marker_stress(kernel, seconds):
    """Connect and remove events and probes while markers are hit and modules come and go."""
    return long_stress(kernel, "markers", "markers", seconds,
                       KSELFTEST_PROGRAMS.get(kernel.machine, ()))


def function_script(kernel, script, argument, timeout):
    """Run one of the scripts of function events that take long."""
    name = f"{script}.sh {argument}"
    result = guest.boot(kernel, "modprobe test_func_event && cd /sys/kernel/tracing && "
                        f"/selftests/function_events/{name}\n",
                        f"function-{script}-{kernel.name}", smp=4, memory=memory(kernel),
                        timeout=timeout)

    def report(found):
        group = f"function events on {kernel.name}"
        guest_trouble(found, group, result)
        found.add(group, name, result.status == 0,
                  f"status {result.status} (log: {ui.shown(result.log)})")
        found.close(group)

    return report


def boot_events(kernel):
    """Function events and marker events that are there before the first process."""
    result = guest.boot(kernel, BOOT_SCRIPT, f"boot-events-{kernel.name}",
                        append=f'function_events="{BOOT_EVENTS}" '
                               f'marker_events="{BOOT_MARKERS}"')

    def report(found):
        group = f"events at boot on {kernel.name}"
        guest_trouble(found, group, result)
        found.add(group, "function_events= and marker_events=", result.lines == BOOT_LINES.splitlines(),
                  f"(log: {ui.shown(result.log)})")
        found.close(group)

    return report


def function_load(kernel):
    """Many function events under load, for long."""
    return function_script(kernel, "load", FUNCTION_LOAD_FULL,
                           600 + 3 * FUNCTION_LOAD_FULL)


def fuzz_parser(found, seconds):
    """The parser of function events under libFuzzer."""
    group = "fuzzing"
    log = ui.LOGS / "fuzz.log"
    source = series.TREE / "tools/testing/selftests/function_events/fuzz"
    with ui.Step(f"fuzz the parser of function events, {seconds} s"):
        status = ui.run(["make", "-C", source, f"OUT={BUILD / 'fuzz'}", "CLANG=clang-19",
                         f"SECONDS={seconds}", "fuzz"], log)
    found.add(group, "the parser of function events", status == 0,
              f"(log: {ui.shown(log)})" if status else "")
    found.close(group)


def doctests(found, kernel):
    """The suites of KUnit, among them the examples in the documentation of Rust."""
    group = f"KUnit on {kernel.name}"
    with ui.Step(group):
        # KUnit runs at boot and reports in the log.
        result = guest.boot(kernel, DOCTESTS_SCRIPT, f"doctests-{kernel.name}",
                            append="kunit.enable=1")
    ktap(found, group, result,
         re.compile(r" +(not )?ok \d+ ((?:rust_doctest_kernel|static_batch|"
                    r"tracepoint_batch|marker)_\w+)( # SKIP.*)?$"))


def ktap(found, group, result, line_of_test=re.compile(
        r"(not )?ok \d+ (.*?)( # SKIP.*)?$")):
    """Take over the results of a guest that prints KTAP."""
    guest_trouble(found, group, result)
    tests = 0
    for line in result.lines:
        match = line_of_test.match(line)
        if match:
            tests += 1
            bad, name, skipped = match.groups()
            found.add(group, name, None if skipped else not bad,
                      skipped or f"(log: {ui.shown(result.log)})" if bad else "")
    if not tests:
        found.add(group, "results", False, "there are none")
    found.close(group)


def traces(found, group, function, *args):
    """The events are in the trace after FUNCTION has enabled them."""
    try:
        hits = function(*args)
        found.add(group, "events of C and Rust are in the trace", hits > 0, f"{hits} times")
    except ui.Failure as failure:
        found.add(group, "events of C and Rust are in the trace", False, str(failure))
    found.close(group)


def rust_sites(found, kernel):
    """A tracepoint in Rust costs what it costs in C."""
    group = f"sites in Rust on {kernel.name}"
    for name, ok, detail in sitecheck.check([kernel.out / f"{RUST_MODULE}.o"], *RUST_SITES):
        found.add(group, name, ok, detail)
    for target, source in RUST_SOURCES:
        directory, _, name = target.rpartition("/")
        command = kernel.out / directory / f".{name}.cmd"
        found.add(group, f"{name} is made again after a change of {source}",
                  source in command.read_text(encoding="utf-8"), ui.shown(command))
    found.close(group)


def marker_site(found, kernel):
    """A dormant marker costs what a static branch costs; its arguments are elsewhere."""
    group = f"dormant marker on {kernel.name}"
    for name, ok, detail in sitecheck.check([kernel.out / MARKER_OBJECT], *MARKER_SITES,
                                            words=("of a branch", "of a marker")):
        found.add(group, name, ok, detail)
    found.close(group)


def other_architecture(found, name, full):
    """Build, run the selftests, and trace on another architecture."""
    kernel = kernels.Kernel(name)
    kernel.build()
    rust_sites(found, kernel)
    marker_site(found, kernel)
    in_guests(found, f"kselftests in a guest of {name}", kernel,
              lambda: kselftests(kernel, 2))
    if full:
        in_guests(found, f"function events under load in a guest of {name}", kernel,
                  lambda: function_load(kernel))
    if "kunit" in kernel.arch.fragments:
        doctests(found, kernel)
    traces(found, f"tracing on {name}", run.trace, kernel, f"trace-{name}")


def built_only(found, name):
    """A kernel without a guest."""
    group = "kernels that are only built"
    kernel = kernels.Kernel(name)
    try:
        kernel.build()
    except ui.Failure as failure:
        found.add(group, name, False, str(failure))
        found.close(group)
        return
    found.add(group, name, True)
    found.close(group)
    rust_sites(found, kernel)


def main(args):
    full = "full" in args
    found = results.Results()
    check.fast(found)
    check.check_am(found)
    fuzz_parser(found, PARSE_FUZZ_FULL if full else PARSE_FUZZ)
    fntrace.tests(found, full=full)

    patched = kernels.Kernel("x86_64")
    pristine = kernels.Kernel("x86_64", pristine=True)
    patched.build()
    traces(found, "make run", run.demonstrate, patched)
    rust_sites(found, patched)
    marker_site(found, patched)
    compilefail.run(found, patched)
    in_guests(found, "kselftests and stress in x86_64 guests", patched,
              # Those of events take long, and more CPUs find more.
              lambda: kselftests(patched, 4, (FUNCTION_TEST,), "functions"),
              lambda: kselftests(patched, 4, (*KSELFTESTS[:-2], MARKER_TEST)),
              lambda: kselftests(patched, 2, KSELFTESTS[:-2]),
              lambda: stress(patched, STRESS_ROUNDS_FULL if full else STRESS_ROUNDS),
              lambda: batch_stress(patched, BATCH_STRESS),
              lambda: boot_events(patched),
              lambda: program_and_kernel(patched))
    if full:
        debug = kernels.Kernel("x86_64-debug")
        debug.build()
        in_guests(found, "stress in guests with a debug kernel", debug,
                  lambda: batch_stress(debug, BATCH_STRESS_FULL),
                  lambda: marker_stress(debug, MARKER_STRESS_FULL))
        in_guests(found, "function events in guests with a debug kernel", debug,
                  lambda: kselftests(debug, 2, (FUNCTION_TEST, MARKER_TEST)),
                  lambda: function_load(debug),
                  lambda: function_script(debug, "fuzz", FUNCTION_LINES_FULL, 7200))
        in_guests(found, "function events under load", patched,
                  lambda: function_load(patched))
    for name in OTHERS:
        other_architecture(found, name, full)
    for name in BUILT_ONLY:
        built_only(found, name)
    check.check_sparse(found, patched)
    check.check_steps(found)
    pristine.build()
    ftracetest.both(found, pristine, patched, full, BUILD / "ftracetest.txt")
    for name, ok, detail in bench.repeatable(patched):
        found.add("benchmark", name, ok, detail)
    found.close("benchmark")
    return found.finish()


if __name__ == "__main__":
    ui.main(main)
