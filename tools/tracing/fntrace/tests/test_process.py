# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of processes: what they start, what they give up, and how they are controlled."""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile

from bench import TESTS, TIMEOUT, Skip, compare, counts, expect, limit, run, until, wanted

NOT_ALLOWED = 77
NOBODY = 65534
# What a conversion says of damage or loss.
DAMAGE = ("damaged", "backwards", "lost", "cut off", "contradict")


# What a program starts

def family(bench):
    return bench.compile("family.c", "-pg", "-O1", "-ldl", name="family")


def children(how, number, functions=("child",), options=()):
    """Children have files and names of their own; no call is lost or counted twice."""
    def test(bench):
        directory, done = bench.record(family(bench), how, options=("-s", "64k", *options))
        expect(done.stderr == "", done.stderr)
        events, said = bench.chrome(directory)
        compare(wanted(done.stdout), counts(events))
        expect(not any(word in said for word in DAMAGE), said)
        where = {}
        for event in events:
            if event["ph"] == "B":
                where.setdefault(event["name"], set()).add(event["pid"])
        expect(len(where["parent"]) == 1, f"parent() in {len(where['parent'])} processes")
        found = set().union(*(where[name] for name in functions))
        expect(len(found) == number and not found & where["parent"],
               f"{len(found)} processes of children, not {number}")
    return test


def traces_nothing(bench):
    """A child of vfork() that only calls exec() has no file of records."""
    source = bench.work / "runs.c"
    source.write_text("#include <unistd.h>\n#include <sys/wait.h>\n"
                      "int main(void) { int n; for (n = 0; n < 5; n++) { if (!vfork())\n"
                      "execlp(\"true\", \"true\", NULL); wait(NULL); } return 0; }\n",
                      encoding="ascii")
    program = bench.work / "runs"
    run("gcc", "-pg", source, "-o", program)
    directory, _ = bench.record(program)
    files = list(directory.glob("*.fntrace"))
    expect(len(files) == 1 and len(list(directory.glob("*.maps"))) == 6, f"{files}")


def beside(bench):
    """Two threads that share what is a thread's own are not traced, and not harmed."""
    directory, done = bench.record(family(bench), "beside")
    expect("is not traced any more" in done.stderr, done.stderr)
    compare(wanted(done.stdout), counts(bench.chrome(directory)[0]))


def plugin(bench):
    path = bench.work / "a.so"
    run("gcc", "-pg", "-O1", "-shared", "-fPIC", "-DNAME=a_run", TESTS / "library.c", "-o", path)
    return path


def keeps_names(how, status=0):
    """A plugin whose program never comes to dlclose() has names."""
    def test(bench):
        path = plugin(bench)
        directory, _ = bench.record(family(bench), how, path, status=status)
        found = counts(bench.chrome(directory)[0])
        expect(found.get("a_run") == 1, f"{found}")
    return test


def looked_for(flags):
    """dlopen() of a name looks where the caller says, not where the tracer is."""
    def test(bench):
        path = plugin(bench)
        program = bench.compile("family.c", "-pg", "-O1", "-ldl", f"-Wl,-rpath,{bench.work}",
                                flags, name="family")
        for how, status in (("exit", 0), ("kill", 128 + signal.SIGKILL)):
            directory, _ = bench.record(program, how, path.name, status=status)
            found, said = called(bench, directory)
            expect(found == {"main": 1, "a_run": 200000}, f"{how}: {found}, {said}")
    return test


def daemons(bench):
    """One that leaves its directory and files, recorded to a relative path."""
    program = family(bench)
    run(bench.fntrace, "record", "-o", "data", program, "server", cwd=bench.work)
    found = counts(bench.chrome(bench.work / "data")[0])
    expect(found.get("child") == 20, f"{found}")


def thousands_of_threads(bench):
    """At the same time, with 64 files for all of them."""
    program = family(bench)
    done = run(bench.fntrace, "record", "-s", "64k", "-o", bench.work / "data", program,
               "threads", "2000", "20", preexec_fn=limit(resource.RLIMIT_NOFILE, 64))
    expect(done.stderr == "", done.stderr)
    found, said = called(bench, bench.work / "data")
    compare(wanted(done.stdout), found)
    expect(found["thread"] == 2000 and said == "", f"{found['thread']}: {said}")


def migrates(way, how, *options):
    """Functions that return in another thread than the one in which they were called."""
    def test(bench):
        program = bench.compile("migrate.cpp", *way.split(), "-O1", cc="g++")
        directory, done = bench.record(program, how, options=options)
        expect(done.stderr == "", done.stderr)
        compare(wanted(done.stdout), counts(bench.chrome(directory)[0]))
    return test


# Runs a command where the mount namespace begins above the root directory.
IN_CHROOT = ("unshare", "-m", "sh", "-c",
             'mount --rbind / "$0" && chroot "$0" env -C "$PWD" "$@"', "root")


def sandbox(*arguments, options=(), within=()):
    """What a program takes from itself, it does not take from the tracer."""
    def test(bench):
        if within and os.geteuid():
            raise Skip("not without being root")
        for name in ("empty", "root"):
            (bench.work / name).mkdir()
        program = bench.compile("sandbox.c", "-pg", "-O1", "-g")
        directory = bench.work / "data"
        done = run(*within, bench.fntrace, "record", "-s", "64k", *options, "-o", directory,
                   program, *arguments, status=None, cwd=bench.work)
        if done.returncode == NOT_ALLOWED:
            raise Skip("not without being root")
        expect(done.returncode == 0 and done.stderr == "", f"{done.returncode}: {done.stderr}")
        events, said = bench.chrome(directory)
        compare(wanted(done.stdout), counts(events))
        # exit_group() by itself leaves main() and what it called.
        expect(said == "" or "had not ended" in said, said)
        expect(not any(word in said for word in DAMAGE), said)
    return test


def forbids(how):
    """Where the CPU lets nobody read the counter, recording ends, but not the program."""
    def test(bench):
        if os.uname().machine != "x86_64":
            raise Skip("only x86 does that")
        directory, done = bench.record(bench.compile("sandbox.c", "-pg", "-O1"), how)
        expect("forbids itself to read the counter" in done.stderr, done.stderr)
        expect("count forbid 1" in done.stdout, done.stdout)
        found = counts(bench.chrome(directory)[0])
        expect(found.get("before") == 1 and "inside" not in found, f"{found}")
    return test


# Control

class Server:
    """server.c, while it is recorded."""

    def __init__(self, bench, *options, lines=(), directory=None, alone=False):
        self.bench = bench
        self.directory = directory or bench.work / "data"
        program = bench.compile("server.c", "-pg", "-O1", "-g", "-ldl", name="server")
        command, env = [program, *lines], dict(os.environ)
        if alone:
            self.directory.mkdir()
            env.update(LD_PRELOAD=str(bench.library), FNTRACE_DIR=str(self.directory))
        else:
            command = [bench.fntrace, "record", *options, "-o", self.directory, *command]
        self.record = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=env)
        for _ in lines:
            self.hear("done")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.record.stdin.close()
        self.record.wait(timeout=TIMEOUT)
        self.record.stdout.close()
        self.record.stderr.close()

    def hear(self, text=None):
        line = self.record.stdout.readline().strip()
        expect(text in (None, line), f"it says {line!r}, not {text!r}")
        return line

    def tell(self, text):
        self.record.stdin.write(f"{text}\n")
        self.record.stdin.flush()
        number = int(self.hear()) if str(text).startswith("child") else 0
        self.hear("done")
        return number

    def control(self, *words, status=0, **options):
        return run(self.bench.fntrace, "control", "-d", self.directory, *words, status=status,
                   cwd=self.bench.work, **options)

    def end(self, convert=True):
        """Returns the calls by name, and what was said while it was recorded."""
        self.record.stdin.close()
        expect(self.record.wait(timeout=TIMEOUT) == 0, "it failed")
        calls = counts(self.bench.chrome(self.directory)[0]) if convert else {}
        return calls, self.record.stderr.read()


def starts_and_stops(bench):
    """Each call between start and stop is recorded, and no other."""
    with Server(bench, "--paused", lines=("5",)) as server:
        for word, calls in (("start", 7), ("stop", 11), ("start", 13), ("start", 17),
                            ("stop", 19), ("stop", 23)):
            done = server.control(word)
            expect(done.stdout + done.stderr == "", done.stdout + done.stderr)
            server.tell(calls)
        found, said = server.end()
    expect(found == {"work": 7 + 13 + 17} and said == "", f"{found}: {said}")
    expect(not list(bench.work.glob("data/*.control")), "files for control are left")


def alone(bench):
    """A program with the library, which fntrace did not start."""
    with Server(bench, lines=("5",), alone=True) as server:
        server.control("stop")
        server.tell(7)
        server.control("dump")
        server.control("start")
        server.tell(11)
        found, said = server.end()
    expect(found == {"work": 16} and said == "", f"{found}: {said}")
    found = counts(bench.chrome(bench.work / "fntrace.dump")[0])
    expect(found == {"work": 5}, f"{found}")
    expect(not list(server.directory.glob("*.control")), "its file for control is left")


def of_one_process(bench):
    """A child is controlled by itself, from its beginning."""
    with Server(bench, lines=("1", "fork")) as server:
        pid = server.tell("child 10")
        server.control("stop", "-p", pid)
        server.tell("child 100")
        server.tell(1000)
        server.control("stop")
        server.control("start", "-p", pid)
        server.tell("child 10000")
        server.tell(100000)
        text = server.control("status").stdout
        found, said = server.end()
    expect(found == {"work": 11011} and said == "", f"{found}: {said}")
    lines = dict(re.findall(r"^(\d+) (\w+),", text, re.MULTILINE))
    expect(len(lines) == 2 and lines.pop(str(pid)) == "on" and set(lines.values()) == {"off"},
           text)
    expect("20020 records" in text and "2002 records" in text and "server" in text, text)


def dumps(bench):
    """The end of what was recorded so far, with names, while the program goes on."""
    library = plugin(bench)
    with Server(bench, "--overwrite", "-s", "64k", lines=("50000", f"load {library}")) as server:
        server.control("dump", "-o", "first")
        server.tell(3)
        server.control("dump")
        server.tell(5)
        found, said = server.end()
    room = 65536 // 32
    expect(said == "" and found.get("a_run") == 1 and found.get("work", 0) > room - 10,
           f"{found}: {said}")
    events, said = bench.chrome(bench.work / "first")
    first = counts(events)
    # What is near the place where the program writes is left out.
    expect(first.get("a_run") == 1 and room - 100 < first.get("work", 0) <= room, f"{first}")
    expect(not any(word in said for word in DAMAGE), said)
    events, said = bench.chrome(bench.work / "fntrace.dump")
    names = [event["name"] for event in events if event["ph"] == "B"]
    expect(names[-4:] == ["a_run", "work", "work", "work"], f"{names[-5:]}")
    text = run(bench.fntrace, "info", bench.work / "first").stdout
    expect(re.search(r"^dump +\d", text, re.MULTILINE), text)


def of_entries(bench):
    """Entries alone are started, stopped and dumped as everything else."""
    with Server(bench, "--entries", "--paused", lines=("5",)) as server:
        for word, calls in (("start", 7), ("stop", 11), ("start", 13)):
            server.control(word)
            server.tell(calls)
        text = server.control("status").stdout
        server.control("dump")
        server.tell(17)
        found, said = server.end()
    expect(found == {"work": 7 + 13 + 17} and said == "", f"{found}: {said}")
    expect("20 records" in text, text)
    events, said = bench.chrome(bench.work / "fntrace.dump")
    times = [event["ts"] for event in events if event["ph"] in "BE"]
    expect(len(times) == 40 and times[::2] == times[1::2] and said == "", f"{times}: {said}")
    text = run(bench.fntrace, "info", bench.work / "fntrace.dump").stdout
    for line in (r"options +--entries --paused .*", r"machine +\w+", r"counter +[\d.]+ MHz",
                 r"threads +1", r"records +20, of entries only", r"lost +0 calls", r"dump +\d.*"):
        expect(re.search(f"^{line}$", text, re.MULTILINE), f"{line}: {text}")


def of_values(bench):
    """The hooks that record values are started, stopped and dumped, too."""
    with Server(bench, "--paused", "--overwrite", "-s", "64k", "-A", "work", "-R", "work",
                lines=("5",)) as server:
        for word, calls in (("start", 20000), ("stop", 11), ("start", 13)):
            server.control(word)
            server.tell(calls)
        server.control("dump")
        server.tell(17)
        found, said = server.end()
    expect(found.get("work", 0) > 500 and said == "", f"{found}: {said}")
    done = run(bench.fntrace, "replay", bench.work / "fntrace.dump")
    expect(not any(word in done.stderr for word in DAMAGE), done.stderr)
    lines = re.findall(r"^\s*\S+ \S+ +(.*);", done.stdout, re.MULTILINE)
    expect(lines[-13:] == [f'work(text="abc", number={n}) = {n - 1}' for n in range(13, 0, -1)],
           f"{lines[-14:]}")
    right = re.compile(r'work\(text="abc", number=\d+\) = \d+')
    wrong = [line for line in lines if not right.fullmatch(line)]
    # Only the oldest call may be without its beginning.
    expect(len(lines) > 400 and len(wrong) <= 1, f"{len(lines)}, {wrong[:5]}")


def dumps_values(bench):
    """Of a thread that goes on meanwhile."""
    with Server(bench, "--overwrite", "-s", "64k", "-A", "spin", "-R", "spin",
                lines=("busy",)) as server:
        for _ in range(4):
            server.control("dump", "-o", "dump")
            text = run(bench.fntrace, "replay", bench.work / "dump")
            expect(not any(word in text.stderr for word in DAMAGE), text.stderr)
            numbers = [(int(n), int(result)) for n, result in
                       re.findall(r"spin\(number=(\d+)\) = (\d+);", text.stdout)]
            expect(len(numbers) > 100, text.stdout[:300])
            expect(all(n + 1 == result for n, result in numbers), f"{numbers}")
        server.end(False)


def silent_values(bench):
    """What pointers lead to is not asked for where nobody may be asked."""
    program = bench.compile("sandbox.c", "-pg", "-O1", "-g")
    directory, done = bench.record(program, "filter", options=("-A", "inside"))
    expect(done.stderr == "", done.stderr)
    text = run(bench.fntrace, "replay", directory).stdout
    expect(len(re.findall(r"inside\(text=0x[0-9a-f]+\)", text)) == 20000, text[:300])


def called(bench, directory):
    """The calls by name, and what was said about the trace: of one that is long."""
    done = run(bench.fntrace, "report", "--csv", "-f", "calls", directory)
    return {name: int(count) for count, name in
            re.findall(r'^(\d+),"(\w+)"$', done.stdout, re.MULTILINE)}, done.stderr


def dumps_busy(line, *options):
    """Of a thread that goes on meanwhile."""
    def test(bench):
        found = [0]
        with Server(bench, *options, lines=(line,)) as server:
            for number in range(8):
                name = f"dump{number % 2}"
                server.control("dump", "-o", name)
                calls, said = called(bench, bench.work / name)
                expect(not any(word in said for word in DAMAGE), said)
                expect(list(calls) == ["spin"], f"{calls}")
                found.append(calls["spin"])
            text = run(bench.fntrace, "replay", "-r", "~100us", bench.work / name).stdout
            expect(" spinner-" in text, text[:200])
            server.control("stop")
            text = server.control("status").stdout
            expect(" off," in text, text)
            server.end(False)
        calls, said = called(bench, server.directory)
        expect(not any(word in said for word in DAMAGE), said)
        if "--overwrite" in options:
            expect(max(found) > 500 and calls["spin"] > 30000, f"{found}, {calls}")
        else:
            expect(sorted(found) == found and calls["spin"] > found[-1], f"{found}, {calls}")
    return test


def dumps_what_was_killed(bench):
    """Of a recording whose processes are gone, and of one process of it."""
    with Server(bench, lines=("5", "fork")) as server:
        pid = server.tell("child 7")
        server.record.kill()
        os.kill(pid, signal.SIGKILL)
        server.control("dump", "-p", pid)
        found = counts(bench.chrome(bench.work / "fntrace.dump")[0])
        expect(found == {"work": 7}, f"{found}")
        done = server.control("dump", "-p", "1", status=1)
        expect("process 1 has recorded nothing" in done.stderr, done.stderr)
    # The program, whose recorder was killed, ends when it finds the end of its input.
    until(lambda: server.control("status", status=None).returncode, "the program does not end")
    server.control("dump")
    found = counts(bench.chrome(bench.work / "fntrace.dump")[0])
    expect(found == {"work": 12}, f"{found}")
    # This machine may be another one by now: what its clocks say belongs to nothing.
    clocks = [(path / "clock").read_text(encoding="utf-8")
              for path in (server.directory, bench.work / "fntrace.dump")]
    expect(clocks[0] == clocks[1], f"{clocks}")


def of_another_user(bench):
    """Who does not own a process is told so, and nothing becomes of the recording."""
    if os.geteuid():
        raise Skip("not without being root")
    # The others are perhaps built where nobody else may read.
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        directory = pathlib.Path(place) / "data"
        fntrace = shutil.copy2(bench.fntrace, place)
        with Server(bench, lines=("5",), directory=directory) as server:
            done = run(fntrace, "control", "-d", directory, "stop", status=1, cwd=place,
                       user=NOBODY, group=NOBODY, extra_groups=[])
            expect("Permission denied" in done.stderr, done.stderr)
            # As if it were shared.
            for path in (directory, *directory.iterdir()):
                path.chmod(0o755)
            for word in ("stop", "start"):
                done = run(fntrace, "control", "-d", directory, word, status=1, cwd=place,
                           user=NOBODY, group=NOBODY, extra_groups=[])
                expect("belongs to another user (0); it is left as it is" in done.stderr and
                       len(done.stderr.splitlines()) == 1, done.stderr)
                server.tell(7)
            found, said = server.end()
    expect(found == {"work": 19} and said == "", f"{found}: {said}")


def bad_requests(bench):
    """A line that says what is wrong; the program goes on as before."""
    with Server(bench, lines=("5",)) as server:
        for words, status, says in (
                (("-p", "1", "stop"), 1, "process 1 does not record to"),
                (("-d", "/nonexistent", "stop"), 1, "No such file"),
                (("-d", bench.work, "stop"), 1, "no process records to"),
                (("-d", bench.work, "dump"), 1, "nothing was recorded to"),
                (("-o", server.directory, "dump"), 1, "not writing to it"),
                (("-o", bench.work, "dump"), 1, "not touching"),
                (("-p", "many", "stop"), 2, "not a process number"),
                (("halt",), 2, "is not start, stop"), ((), 2, "start, stop, status or dump?"),
                (("start", "stop"), 2, "one command at a time")):
            done = server.control(*words, status=status)
            expect(says in done.stderr and not done.stdout, f"{words}: {done.stderr}")
        file = next(server.directory.glob("*.control"))
        damaged = server.directory / file.name.replace("-0.", "-00.")
        pid = file.name.split("-")[0]
        data = file.read_bytes()
        server.tell(7)
        # Mapped by nobody: it is of a process that had the number before.
        damaged.write_bytes(bytes(4096))
        server.control("stop")
        server.tell(100)
        damaged.unlink()
        server.control("start")
        file.rename(server.directory / "kept")
        for bad in (b"", bytes(4096), data[:100]):
            file.write_bytes(bad)
            # The mapping follows its file to the other name; so does "fntrace control".
            done = server.control("stop", status=1)
            expect("damaged" in done.stderr or "no process" in done.stderr, done.stderr)
            server.tell(1)
        (server.directory / "kept").rename(file)
        server.control("stop", "-p", pid)
        server.tell(1000)
        found, said = server.end()
    expect(found == {"work": 15} and said == "", f"{found}: {said}")


def tests():
    yield "child of _Fork()", children("_Fork", 1)
    yield "children of vfork()", children("vfork", 40, ("child", "grandchild"))
    yield "children of vfork(), entries only", children("vfork", 40, ("child", "grandchild"),
                                                        ("--entries",))
    yield "child of vfork() that calls exec()", children("vexec", 1)
    yield "children of vfork() that trace nothing", traces_nothing
    yield "child of clone() that shares memory", children("share", 3)
    yield "child of clone() that shares everything", beside
    yield "plugin of a program that is killed", keeps_names("kill", 128 + signal.SIGKILL)
    yield "plugin of a program that becomes another one", keeps_names("exec")
    yield "plugin that DT_RUNPATH has", looked_for("-Wl,--enable-new-dtags")
    yield "plugin that DT_RPATH has", looked_for("-Wl,--disable-new-dtags")
    yield "daemon", daemons
    yield "thousands of threads", thousands_of_threads
    yield "control: start and stop", starts_and_stops
    yield "control: program that fntrace did not start", alone
    yield "control: one process", of_one_process
    yield "control: dump", dumps
    yield "control: dump of a busy thread, overwrite", dumps_busy("busy", "--overwrite", "-s", "1m")
    yield "control: dump of a busy thread, grow", dumps_busy("often", "-s", "64k")
    yield "control: entries only", of_entries
    yield "control: values", of_values
    yield "control: dump of a busy thread, values", dumps_values
    yield "control: dump of what was killed", dumps_what_was_killed
    yield "control: another user", of_another_user
    yield "control: bad requests", bad_requests
    for way in ("-pg", "-pg -mfentry", "-finstrument-functions",
                "-fpatchable-function-entry=5"):
        for how in ("context", "jump", "throw", "crowd"):
            yield f"coroutine that changes threads: {how}, {way}", migrates(way, how)
    for way in ("-pg", "-finstrument-functions"):
        yield f"coroutine that changes threads: entries only, {way}", migrates(way, "jump",
                                                                              "--entries")
    yield "program that changes its root directory", sandbox("chroot", "empty")
    yield "program that is in its new root directory", sandbox("chroot", ".")
    yield "program that hides /proc", sandbox("proc")
    for arguments in (("chroot", "empty"), ("chroot", "."), ("proc",)):
        yield f"program in a chroot: {' '.join(arguments)}", sandbox(*arguments,
                                                                     within=IN_CHROOT)
    yield "program that calls closefrom()", sandbox("close")
    for how in ("filter", "prctl", "allow", "debugger"):
        yield f"program that forbids itself system calls: {how}", sandbox(how)
    yield "program that forbids itself system calls: values", silent_values
    yield "program that forbids itself system calls: entries only", sandbox(
        "filter", options=("--entries",))
    for how in ("strict", "counter"):
        yield f"program that forbids itself the counter: {how}", forbids(how)
