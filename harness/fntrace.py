# SPDX-License-Identifier: GPL-2.0-or-later
"""The function tracer of tools/tracing/fntrace: build, test and measure it."""

import json
import os
import subprocess
import tempfile
import time

import guest
import kernel as kernels
import ktap
import results
import ui
from ui import BUILD, LOGS, ROOT, Failure, shown

SOURCE = ROOT / "tools" / "tracing" / "fntrace"
OUT = BUILD / "fntrace"
# Perfetto's schema, by harness/setup.
PYTHON = BUILD / "tools" / "python"
RUSTC = "/usr/bin/rustc"
# Programs that were not written for it, in Debian's sources, by harness/setup; and one of
# crates.io, which cargo compiles.
PROGRAMS = BUILD / "tools" / "programs"
SOURCES = {"lua": "lua5.4", "sqlite": "sqlite3", "zstd": "libzstd", "7zip": "7zip"}
RIPGREP = "14.1.1"
# Compiled and traced within seconds.
SHORT = ("lua",)
TIMEOUT = 1800
TIMEOUT_FULL = 3600
# Damaged files of each kind that are converted.
FUZZ = 60
FUZZ_FULL = 10000

GROUP = "fntrace"


def environment(full):
    return {**os.environ, "RUSTC": RUSTC, "PYTHONPATH": str(PYTHON),
            "FNTRACE_FUZZ": str(FUZZ_FULL if full else FUZZ)}


def build(*targets, source=SOURCE, out=OUT):
    log = ui.fresh_log("fntrace-build")
    # Not for the ARCH that the user wants tested: its makefile has another use for the word.
    ui.must(["make", "-C", source, f"OUTPUT={out}", *(targets or ("all", "example"))], log,
            "building fntrace", env=kernels.environment())


def sources(full):
    """NAME=SOURCE of the programs, as test_programs.py takes them."""
    words = []
    for name, package in SOURCES.items():
        if not full and name not in SHORT:
            continue
        found = sorted(PROGRAMS.glob(f"{package}-*"))
        if not found:
            raise Failure(f"no {shown(PROGRAMS)}/{package}-*; harness/setup test unpacks it")
        words.append(f"{name}={found[-1]}")
    return words + [f"ripgrep={RIPGREP}"] * full


def run_tests(found, what, command, timeout, full=False, group=GROUP):
    """Run a program that prints results; returns what it says besides."""
    said = []

    def take(line):
        if line.startswith("# "):
            said.append(line[2:])

    # In a directory of ours: what is compiled with -pg may leave its gmon.out there.
    OUT.mkdir(parents=True, exist_ok=True)
    with ui.Step(what) as step:
        ktap.run(found, group, ["/usr/bin/python3", *command], LOGS / "fntrace.log", step, take,
                 what, timeout=timeout, env=environment(full), cwd=OUT)
    return said


def times(found=None):
    """Seconds in which programs are recorded, by us and by uftrace; prints a table."""
    figures = OUT / "times.json"
    figures.unlink(missing_ok=True)
    said = run_tests(results.Results() if found is None else found,
                     "time the recording of programs",
                     [SOURCE / "tests" / "test_programs.py", OUT, "--times", figures,
                      *sources(True)], TIMEOUT_FULL)
    for line in said:
        ui.say(f"    {line}")
    if not figures.exists():
        raise Failure("recording could not be timed (log: build/log/fntrace.log)")
    return tuple(json.loads(figures.read_text(encoding="utf-8")))


def tests(found, full=False):
    """Its own tests; the long ones as well if FULL."""
    with ui.Step("build fntrace"):
        build()
    timeout = TIMEOUT_FULL if full else TIMEOUT
    run_tests(found, "test fntrace", [SOURCE / "tests" / "test_fntrace.py", OUT], timeout, full)
    run_tests(found, "trace programs", [SOURCE / "tests" / "test_programs.py", OUT,
                                        *sources(full)], timeout)
    if full:
        times(found)


def in_guest(kernel):
    """A program and the kernel under it, in a guest; returns its Result."""
    build("all")
    program = OUT / "system"
    ui.must(["gcc", "-O1", "-pg", SOURCE / "tests" / "system.c", "-o", program],
            LOGS / "fntrace-build.log", "compiling a program to trace")
    # It hides files of tracefs from fntrace.
    without = OUT / "without.so"
    ui.must(["gcc", "-O1", "-shared", "-fPIC", SOURCE / "tests" / "without.c", "-o", without,
             "-ldl"], LOGS / "fntrace-build.log", "compiling a library for fntrace")
    built = (OUT / "fntrace", OUT / "libfntrace.so", OUT / "fntrace-kernel.so", program, without)
    return guest.boot(
        kernel, "sh /job/test_kernel.sh /job/fntrace /job/system /job/without.so\n",
        "fntrace-kernel",
        files={path.name: path for path in (*built, SOURCE / "tests" / "test_kernel.sh")},
        # For their libraries: where they are themselves the guest may have something else.
        programs=["trace-cmd", *map(str, built)], timeout=900)


# What the guest's program and the one of this machine say to each other.
ROUNDS = 40
# A function of the kernel that the guest's program calls, and an event of this machine's.
GUEST_FUNCTION = "do_sys_openat2"
HOST_EVENT = "sched:sched_switch"
TRACEFS = "/sys/kernel/tracing"
# Not before the guest's program listens; nor ever, if the directory is gone.
PING = """
while [ ! -e "$0/go" ]; do
	[ -d "$0" ] || exit 1
	sleep 0.1
done
exec "$1" "$0/channel" "$2"
"""
# The second serial line is that of the job.
ANSWER = f"""
stty -F /dev/ttyS3 raw -echo
/job/fntrace record -k -g {GUEST_FUNCTION} --to /dev/ttyS3 /job/answer /dev/ttyS2
"""


def two_machines(found, kernel):
    """Programs on this machine and in a guest, and both kernels, recorded by one command."""
    group = "fntrace on two machines"
    with ui.Step(group), tempfile.TemporaryDirectory(prefix="fntrace-") as directory:
        build("all", "example")
        answer, log = OUT / "answer", LOGS / "fntrace-build.log"
        ui.must(["gcc", "-O1", "-pg", f"-I{SOURCE}/include", "-c", SOURCE / "tests" / "answer.c",
                 "-o", f"{answer}.o"], log, "compiling the guest's program")
        # Not linked with -pg: that would be the C library's profiler.
        ui.must(["gcc", f"{answer}.o", "-o", answer, f"-L{OUT}", "-lfntrace"], log,
                "linking the guest's program")
        # If that can be recorded here.
        events = ["-e", HOST_EVENT] if os.access(
            f"{TRACEFS}/events/{HOST_EVENT.replace(':', '/')}/enable", os.W_OK) else []
        data = f"{directory}/data"
        command = [OUT / "fntrace", "record", *events, "-m", f"guest=unix:{directory}/trace",
                   "-o", data, "sh", "-c", PING, directory, OUT / "example" / "ping", str(ROUNDS)]
        with open(LOGS / "fntrace-two-machines-record.log", "w", encoding="utf-8") as log, \
                subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                 env={**os.environ, "LD_LIBRARY_PATH": str(OUT)}) as record:
            try:
                status = answered(kernel, directory, answer, record)
            finally:
                record.kill()
        found.add(group, "one command records both", status == 0,
                  f"{status} (log: {shown(log.name)})")
        if status == 0:
            run_tests(found, "look at the recording of both", [
                SOURCE / "tests" / "test_machines.py", OUT, data, ROUNDS, GUEST_FUNCTION,
                *events[1:]], TIMEOUT, group=group)


def answered(kernel, directory, answer, record):
    """Run the guest; returns the status of the recording, or what went wrong."""
    deadline = time.monotonic() + 30
    while not os.path.exists(f"{directory}/trace"):
        if record.poll() is not None or time.monotonic() > deadline:
            return "nobody receives"
        time.sleep(0.1)

    def on_line(line):
        if line == "@ready":
            with open(f"{directory}/go", "w", encoding="utf-8"):
                pass

    built = (OUT / "fntrace", OUT / "libfntrace.so", OUT / "fntrace-kernel.so", answer)
    result = guest.boot(
        kernel, ANSWER, "fntrace-two-machines", on_line=on_line, timeout=TIMEOUT,
        files={path.name: path for path in built}, programs=list(map(str, built)),
        emulator=["-monitor", "none",
                  "-chardev", f"socket,id=channel,path={directory}/channel,server=on,wait=off",
                  "-serial", "chardev:channel",
                  "-chardev", f"socket,id=trace,path={directory}/trace",
                  "-serial", "chardev:trace"])
    trouble = result.trouble()
    if trouble or result.status:
        return f"{trouble or result.lines[-1:]} (log: {shown(result.log)})"
    try:
        return record.wait(timeout=60)
    except subprocess.TimeoutExpired:
        return "the recording does not end"


def measure():
    """Figures by name, as pairs of ours and what it is compared with: see its tests/figures.py,
    and time.fntrace_record is the sum of several programs."""
    build()
    lines = []
    if ui.run(["/usr/bin/python3", SOURCE / "tests" / "figures.py", OUT], LOGS / "fntrace.log",
              on_line=lines.append, timeout=TIMEOUT) or not lines:
        raise Failure(f"fntrace cannot be measured: {''.join(lines[-1:])} "
                      "(log: build/log/fntrace.log)")
    return {**json.loads(lines[-1]), "time.fntrace_record": times()}
