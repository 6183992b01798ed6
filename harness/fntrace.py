# SPDX-License-Identifier: GPL-2.0-or-later
"""The function tracer of tools/tracing/fntrace: build, test and measure it."""

import collections
import json
import os
import re
import shutil
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

# Calls of which the cost of one is measured, as a difference. A step takes 25 us where
# this was written, and a call up to 670 of them.
FEW, MANY = 200, 600
# Calls of a recording whose conversion and report are timed: 16 MB in uftrace's format.
CONVERTED = 500000
REPEATED = 3

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


def run_tests(found, what, command, timeout, full=False):
    """Run a program that prints results; returns what it says besides."""
    said = []

    def take(line):
        if line.startswith("# "):
            said.append(line[2:])

    # In a directory of ours: what is compiled with -pg may leave its gmon.out there.
    OUT.mkdir(parents=True, exist_ok=True)
    with ui.Step(what) as step:
        ktap.run(found, GROUP, ["/usr/bin/python3", *command], LOGS / "fntrace.log", step, take,
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
    run_tests(found, "test fntrace", [SOURCE / "tests" / "test_fntrace.py", OUT], timeout,
              full)
    run_tests(found, "trace programs", [SOURCE / "tests" / "test_programs.py", OUT,
                                        *sources(full)], timeout)
    if full:
        times(found)
    found.close(GROUP)


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


def host_event():
    """Options to record an event of this machine's kernel, if that can be done here."""
    system, event = HOST_EVENT.split(":")
    return ["-e", HOST_EVENT] if os.access(f"{TRACEFS}/events/{system}/{event}/enable", os.W_OK) \
        else []


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
        events = host_event()
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
            check_machines(found, group, directory, data, bool(events))
    found.close(group)


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


def check_machines(found, group, directory, data, has_events):
    """What must be in the merged trace."""
    def fntrace(*words):
        done = ui.ask([OUT / "fntrace", *words], timeout=TIMEOUT)
        return done.stdout, done.stderr

    listing, said = fntrace("replay", data)
    aligned = re.search(r"guest: aligned with host by \d+ marks of messages, error at most "
                        r"(\d+) ns", said)
    found.add(group, "the clocks are aligned by messages", bool(aligned), said)
    lines = collections.Counter()
    # Whether the guest's program is in its function that calls the kernel.
    inside = False
    for line in listing.splitlines():
        match = re.match(r" *[\d.]+ (host|guest):\S+ +(?:} /\* )?(.*)", line)
        if not match:
            continue
        machine, what = match.groups()
        # GCC may have made another function of it: "receive_line.constprop.0() {".
        what = re.sub(r"\.[^(]*", "", re.split(r"[ ;]", what.removeprefix("/* "))[0])
        if (machine, what) in (("guest", "opens()"), ("guest", "opens")):
            inside = what == "opens()"
        lines[machine, what, machine == "guest" and inside] += 1
    for name, key, wanted in (
            # The last line says that it was the last.
            ("the program of this machine", ("host", "receive_line()", False), ROUNDS + 1),
            ("the program of the guest", ("guest", "opens()", True), ROUNDS),
            ("the guest's kernel, inside of it", ("guest", f"{GUEST_FUNCTION}()", True), ROUNDS)):
        found.add(group, name, lines[key] == wanted, f"{lines[key]} calls")
    switches = lines["host", HOST_EVENT, False]
    found.add(group, "the kernel of this machine", switches > 0 if has_events else None,
              f"{switches} times {HOST_EVENT}" if has_events else f"no {TRACEFS} here")
    fntrace("convert", "-f", "chrome", "-o", f"{directory}/trace.json", data)
    done = ui.ask(
        ["/usr/bin/python3", SOURCE / "tests" / "messages.py", f"{directory}/trace.json",
         aligned.group(1) if aligned else "0", str(2 * ROUNDS)], timeout=TIMEOUT)
    found.add(group, "no message arrives before it was sent", done.returncode == 0, done.stderr)
    fntrace("convert", "-f", "perfetto", "-o", f"{directory}/trace.pftrace", data)
    done = ui.ask(["/usr/bin/python3", SOURCE / "tests" / "check_perfetto.py",
                   f"{directory}/trace.pftrace"], timeout=TIMEOUT, env=environment(False))
    found.add(group, "Perfetto reads it", None if done.returncode == 4 else done.returncode == 0,
              done.stderr)


# --- measuring -------------------------------------------------------------

def output(*command, **options):
    done = ui.ask([str(word) for word in command], **options)
    if done.returncode:
        raise Failure(f"{command[0]} failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
    return done.stdout


def instructions(work, prefix, program, **variables):
    """Instructions of one call, all that is around it included."""
    counts = []
    for calls in (FEW, MANY):
        said = output(*prefix, work / "instructions", program, calls, "count",
                      env={**os.environ, **variables}, cwd=work)
        counts.append(int(said.split()[-1]))
    return (counts[1] - counts[0]) / (MANY - FEW)


def seconds(*command):
    """The least of several times: what is beside it on the machine only adds."""
    times = []
    for _ in range(REPEATED):
        start = time.monotonic()
        with open(os.devnull, "w", encoding="utf-8") as null:
            subprocess.run([str(word) for word in command], stdout=null,
                           stderr=subprocess.DEVNULL, check=True)
        times.append(time.monotonic() - start)
    return min(times)


def measure():
    """Figures by name, as pairs: ours, and what it is compared with.

    insn.fntrace_pair is what an entry and exit add, beside libmcount;
    insn.fntrace_disabled what a call adds when nothing is traced, beside a hook
    that only returns. time.fntrace_* are of the same command of uftrace: the first is the
    sum of several programs, the others are of the same directory.
    """
    build()
    for name in ("uftrace", "gcc"):
        if not shutil.which(name):
            raise Failure(f"{name} is missing; install it (harness/setup does on Debian)")
    with tempfile.TemporaryDirectory(dir=BUILD, prefix="fntrace-") as directory:
        work = type(BUILD)(directory)
        source = SOURCE / "tests"
        output("gcc", "-O2", source / "instructions.c", "-o", work / "instructions")
        output("gcc", "-O2", source / "pairs.c", "-o", work / "plain")
        output("gcc", "-O2", "-pg", source / "pairs.c", "-o", work / "traced")
        output("gcc", "-O1", "-pg", source / "tree.c", "-o", work / "tree")
        (work / "empty.S").write_text(
            ".globl mcount, __monstartup, _mcleanup\nmcount: __monstartup: _mcleanup: ret\n"
            '.section .note.GNU-stack,"",@progbits\n', encoding="utf-8")
        output("gcc", "-shared", work / "empty.S", "-o", work / "empty.so")
        ours = {"LD_PRELOAD": str(OUT / "libfntrace.so"), "FNTRACE_DIR": str(work)}

        plain = instructions(work, (), work / "plain")
        empty = instructions(work, (), work / "traced", LD_PRELOAD=str(work / "empty.so"))
        off = instructions(work, (), work / "traced", FNTRACE_START="0", **ours)
        on = instructions(work, (), work / "traced", **ours)
        theirs = ("uftrace", "record", "--force", "--no-libcall", "--no-event", "-d")
        mcount = instructions(work, (*theirs, work / "mcount"), work / "traced")
        output(OUT / "fntrace", "record", "-o", work / "ours", work / "tree", "loop", CONVERTED)
        data = work / "data"
        output(OUT / "fntrace", "convert", "-f", "uftrace", "-o", data, work / "ours")
        return {
            "insn.fntrace_pair": (on - plain, mcount - plain),
            "insn.fntrace_disabled": (off - plain, empty - plain),
            "time.fntrace_record": times(),
            "time.fntrace_report": (
                seconds(OUT / "fntrace", "report", data),
                seconds("uftrace", "report", "-d", data)),
            "time.fntrace_convert": (
                seconds(OUT / "fntrace", "convert", "-f", "chrome", "-o", "-", data),
                seconds("uftrace", "dump", "--chrome", "-d", data)),
        }
