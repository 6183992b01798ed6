# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of fntrace have in common."""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback

TESTS = pathlib.Path(__file__).resolve().parent
RECORD = struct.Struct("<QQ")
HEADER = 65536
TIMEOUT = 120
# Architectures that the example kernel exists for, as compilers and QEMU call them.
EXAMPLES = {"x86_64": "x86_64", "arm64": "aarch64", "riscv64": "riscv64"}
# Of interrupt() of the example kernels: itself, and what it calls for a tick of the timer.
INTERRUPT_CALLS = 4


class Skip(Exception):
    """Why a test cannot run here."""


class Wrong(Exception):
    """What is not as it should be."""


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"no {program}")


def until(condition, what):
    """Wait until the condition is true; WHAT is told if it never is."""
    end = time.monotonic() + TIMEOUT
    while not condition():
        expect(time.monotonic() < end, what)
        time.sleep(0.05)


def run(*command, status=0, **options):
    """Run a command; returns what it said on both lines."""
    command = [str(word) for word in command]
    options.setdefault("timeout", TIMEOUT)
    done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                          check=False, **options)
    if status is not None and done.returncode != status:
        said = (done.stderr.strip().splitlines() or done.stdout.strip().splitlines() or ["?"])
        raise Wrong(f"{' '.join(command[:3])}...: status {done.returncode}: {said[-1]}")
    return done


class Bench:
    """Where things are; a directory for each test."""

    def __init__(self, built, work):
        self.built = built
        self.fntrace = built / "fntrace"
        self.library = built / "libfntrace.so"
        self.work = work

    def compile(self, source, *flags, cc="gcc", name="program"):
        program = self.work / name
        need(cc.split()[0])
        run(*cc.split(), *flags, "-w", f"-I{TESTS.parent}/include", TESTS / source,
            "-o", program, "-lpthread")
        return program

    def record(self, *command, options=(), status=0):
        """Record a program; returns the directory and what was said."""
        directory = self.work / "data"
        shutil.rmtree(directory, ignore_errors=True)
        done = run(self.fntrace, "record", *options, "-o", directory, *command, status=status)
        return directory, done

    def compile_for(self, machine, source, *flags):
        """A program of another architecture."""
        need(f"{machine}-linux-gnu-gcc", f"qemu-{machine}")
        if not os.path.exists(f"/usr/{machine}-linux-gnu/lib/libc.so.6"):
            raise Skip(f"no libc for {machine}")
        return self.compile(source, *flags, cc=f"{machine}-linux-gnu-gcc")

    def emulated(self, machine, program, directory, *arguments, **variables):
        """Record such a program to a directory that is there; returns what was said."""
        lib = self.built / machine
        run("make", "-s", "-C", TESTS.parent, "lib", f"OUTPUT={lib}",
            f"CROSS_COMPILE={machine}-linux-gnu-")
        variables = {"LD_PRELOAD": lib / "libfntrace.so", "FNTRACE_DIR": directory, **variables}
        words = [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
        return run(f"qemu-{machine}", "-L", f"/usr/{machine}-linux-gnu", *words, program,
                   *arguments)

    def example(self, arch, hooks=None):
        """The example kernel, with hooks of its own choice or others; returns its file."""
        machine = EXAMPLES[arch]
        need(f"qemu-system-{machine}")
        if machine != os.uname().machine:
            need(f"{machine}-linux-gnu-gcc")
        out = self.built / ("example" + re.sub(r"\W", "", hooks or ""))
        out.mkdir(exist_ok=True)
        run("make", "-s", "-C", TESTS.parent / "example", f"ARCH={arch}", f"OUTPUT={out}/",
            *([f"TRACE_CFLAGS={hooks}"] if hooks else []), "kernel")
        return out / f"example-{arch}.elf"

    def run_example(self, arch, image, out, *options):
        """Run it; returns what its console has."""
        run(TESTS.parent / "example/run.sh", "-a", arch, "-k", image,
            "-b", self.built / "example", *options, out,
            env={**os.environ, "FNTRACE": str(self.fntrace)})
        return (out / "console.log").read_text(errors="replace")

    def uftrace(self, *inputs):
        """Convert to a directory of uftrace; returns it."""
        directory = self.work / "uftrace"
        shutil.rmtree(directory, ignore_errors=True)
        run(self.fntrace, "convert", "-f", "uftrace", "-o", directory, *inputs)
        return directory

    def chrome(self, *inputs, status=0):
        """Convert to Chrome's format and check it; returns the events and messages."""
        out = self.work / "trace.json"
        done = run(self.fntrace, "convert", "-f", "chrome", "-o", out, *inputs, status=status)
        run(sys.executable, TESTS / "check_chrome.py", out)
        with open(out, encoding="utf-8") as file:
            return json.load(file)["traceEvents"], done.stderr


def run_tests(built, tests):
    """Run tests, which are pairs of a name and a function; ends the process."""
    # Programs inherit what a shell does to those that it starts in the background, or nohup.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    print("TAP version 13")
    print(f"1..{len(tests)}", flush=True)
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        # Whatever a test raises is its failure: those behind it run.
        try:
            with tempfile.TemporaryDirectory(dir=built, prefix="test-") as work:
                test(Bench(built, pathlib.Path(work)))
            print(f"ok {number} {name}", flush=True)
        except Skip as reason:
            print(f"ok {number} {name} # SKIP {one_line(reason)}", flush=True)
        except (Exception, SystemExit) as wrong:  # pylint: disable=broad-exception-caught
            failed += 1
            if not isinstance(wrong, Wrong):
                for line in traceback.format_exc().splitlines():
                    print(f"# {line}")
            print(f"not ok {number} {name} # {type(wrong).__name__}: {one_line(wrong)}",
                  flush=True)
    sys.exit(1 if failed else 0)


def one_line(text):
    """A line of what a program said may look like a result."""
    return " | ".join(str(text).split("\n"))


def counts(events):
    found = {}
    for event in events:
        if event["ph"] == "B":
            name = event["name"].split("(")[0]
            found[name] = found.get(name, 0) + 1
    return found


def wanted(output):
    return {name: int(count) for name, count in
            re.findall(r"^count (\S+) (\d+)$", output, re.MULTILINE)}


def told(said, words):
    """The number that fntrace says of WORDS; 0 if it says nothing of them."""
    found = re.search(rf"(\d+) {words}", said)
    return int(found.group(1)) if found else 0


def compare(want, got):
    expect(want, "the program counted nothing")
    for name, count in want.items():
        expect(got.get(name) == count, f"{name}: {got.get(name)} calls, not {count}")


def same_counts(bench, program):
    directory, done = bench.record(program)
    events, said = bench.chrome(directory)
    compare(wanted(done.stdout), counts(events))
    invented = {name for name in counts(events) if re.match(r"<[0-9a-f]+>$|.*\+0x", name)}
    expect(not invented, f"no functions: {invented}")
    expect("lost" not in said and "backwards" not in said and "left out" not in said, said)


def per_call(bench, program, few, many, *, prefix=(), **variables):
    """Instructions of one call: a difference, so that all around it cancels out."""
    counter = bench.work / "instructions"
    if not counter.exists():
        run("gcc", "-O2", TESTS / "instructions.c", "-o", counter)
    counts_of = [int(run(*prefix, counter, program, calls, "count", cwd=bench.work,
                         env={**os.environ, **variables}).stdout.split()[-1])
                 for calls in (few, many)]
    return (counts_of[1] - counts_of[0]) / (many - few)


def instructions(bench, program, library, **variables):
    """The same with the hooks of a library, or with none."""
    if library:
        variables.update(LD_PRELOAD=str(library), FNTRACE_DIR=str(bench.work))
    return round(per_call(bench, program, 20, 60, **variables))


def limit(which, value):
    """For preexec_fn."""
    return lambda: resource.setrlimit(which, (value, value))


def on_small_disk(bench, size, script):
    """Run a script in the shell; MOUNT in it is a directory on a disk of its own."""
    mount = bench.work / "small"
    mount.mkdir()
    script = f"mount -t tmpfs -o size={size} none {mount} && echo mounted && " + \
        script.replace("MOUNT", str(mount))
    # Root has no need of a namespace of users, which there is none of in a chroot.
    done = run("unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c", script,
               status=None)
    if "mounted" not in done.stdout:
        raise Skip("no tmpfs without being root")
    return done


# Buffers made here, of which everything is known

BUFFER = "8s10I14Q32s"
MAGIC = b"fntrace\0"
ENTRY, EXIT, MARK = 0, 1, 3
SEND, RECEIVE = 1 << 47, 1 << 46


def buffer(records, tid=1, clocks=((0, 0), (0, 0)), order="<", name=b"made", hertz=0,
           pid=100):
    """A file of one buffer; RECORDS are (counter, type, depth, value)."""
    base = 1 << 20
    end = base + 16 * len(records)
    head = struct.pack(order + BUFFER, MAGIC, 0x01020304, 1, 4096, 1, 0, 0, pid, tid, 0, 0,
                       0, hertz, *clocks[0], *clocks[1], base, 0, end, end, 0, 0, 0, 0, name)
    body = b"".join(struct.pack(order + "QQ", counter, value << 16 | depth << 2 | kind)
                    for counter, kind, depth, value in records)
    return head.ljust(4096, b"\0") + body


def uftrace_record(time, kind, depth, addr, more=False):
    return struct.pack("<QQ", time, addr << 16 | depth << 6 | 5 << 3 | more << 2 | kind)


def uftrace_directory(directory, records, tasks, symbols):
    """What uftrace would write; SYMBOLS are {session: {address: name}} of one program."""
    directory.mkdir()
    (directory / "info").write_bytes(struct.pack("<8sIHBBQQH6x", b"Ftrace!\0", 4, 40, 1, 2,
                                                 0x62, 0x89, 1024) + b"exename:made\n")
    (directory / "task.txt").write_text("".join(line + "\n" for line in tasks),
                                        encoding="ascii")
    for session, names in symbols.items():
        (directory / f"sid-{session}.map").write_text(
            f"100000-200000 r-xp 00000000 00:00 0 /nowhere/{session}\n", encoding="ascii")
        (directory / f"{session}.sym").write_text(
            "".join(f"{addr - 0x100000:016x} T {name}\n" for addr, name in names.items()),
            encoding="ascii")
    (directory / "1.dat").write_bytes(b"".join(records))


TASK = "TASK timestamp=0.000000001 tid=1 pid=1"


def session(name, ns):
    return f'SESS timestamp={ns // 10 ** 9}.{ns % 10 ** 9:09} pid=1 sid={name} exename="made"'
