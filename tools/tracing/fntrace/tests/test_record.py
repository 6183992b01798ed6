# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of what "fntrace record" leaves on the disk, and what it says when it cannot record."""

import os
import re
import shutil
import signal
import stat
import struct
import subprocess
import time

from bench import (ENTRY, EXIT, TIMEOUT, Skip, buffer, compare, counts, expect, need,
                   on_small_disk, run, until, wanted)

# Of the header of a buffer.
OLDER, WRAPS, LOST = 104, 128, 136

# More than a process of a few calls may take: its records, mappings and two pages.
SMALL = 40 << 10

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(int n)
{
	char *text = malloc(n + 1);
	memset(text, n, n + 1);
	n = text[n / 2];
	free(text);
	return n;
}
int main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 10;
	for (i = 0; i < n; i++) {
		leaf(i % 100);
		if (argc > 2)
			usleep(atoi(argv[2]));
	}
	printf("count leaf %d\\n", n);
	fflush(stdout);
	if (argc > 3)
		pause();
	return 0;
}
"""


def program_of(bench, *flags, cc="gcc", name="program"):
    need(cc)
    source = bench.work / "program.c"
    source.write_text(SOURCE, encoding="ascii")
    run(cc, "-O1", "-w", *flags, source, "-o", bench.work / name)
    return bench.work / name


def used(directory):
    """Bytes that the files of threads take on the disk."""
    return [file.stat().st_blocks * 512 for file in directory.glob("*.fntrace")]


def many(bench):
    """What processes had reserved is given back while others run, and when all have ended."""
    program = program_of(bench, "-pg")
    directory = bench.work / "data"
    script = f"for i in $(seq 40); do {program} 5; done; echo all; read line; {program} 5; :"
    with subprocess.Popen([bench.fntrace, "record", "-o", directory, "sh", "-c", script],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as record:
        try:
            until(lambda: record.stdout.readline() == "all\n", "the programs do not end")
            expect(len(used(directory)) == 40, f"{len(used(directory))} files")
            until(lambda: max(used(directory)) <= SMALL, "nothing is given back")
            record.communicate("go\n", timeout=TIMEOUT)
        finally:
            record.kill()
    expect(record.returncode == 0, f"status {record.returncode}")
    sizes = used(directory)
    expect(len(sizes) == 41 and max(sizes) <= SMALL, f"{len(sizes)} files, of up to {max(sizes)}")
    events, said = bench.chrome(directory)
    expect(counts(events).get("leaf") == 205 and said == "", f"{counts(events)}: {said}")


def killed(bench):
    """What is there of a process that was killed is cut where its records end."""
    program = program_of(bench, "-pg")
    for calls, size in (("30", "1m"), ("20000", "64k")):
        directory = bench.work / "data"
        shutil.rmtree(directory, ignore_errors=True)
        with subprocess.Popen([bench.fntrace, "record", "-s", size, "-o", directory, program, calls,
                               "0", "end"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as record:
            record.stdout.readline()
            pid = next(directory.glob("*.control")).name.split("-")[0]
            os.kill(int(pid), signal.SIGKILL)
            record.communicate(timeout=TIMEOUT)
        expect(record.returncode == 128 + signal.SIGKILL, f"status {record.returncode}")
        events, said = bench.chrome(directory)
        expect(counts(events)["leaf"] == int(calls), f"{counts(events)}")
        expect(not re.search("cut off|damaged|lost", said), said)
        most = SMALL + 32 * int(calls)
        expect(used(directory)[0] <= most, f"{used(directory)} bytes, not {most}")


def still_used(bench):
    """
    A process whose number means nothing here, as it has its own namespace of processes: what it
    still writes to is not taken from it, though there is no process of this number.
    """
    number = next(n for n in range(30000, 20, -1) if not os.path.exists(f"/proc/{n}"))
    program = program_of(bench, "-pg")
    # A process of sh in between has the number before it.
    script = (f"echo {number - 1} >/proc/sys/kernel/ns_last_pid && echo there && "
              f"{program} 30 100000; true")
    directory, done = bench.record("unshare", "-pfm", "--mount-proc", "sh", "-c", script,
                                   status=None)
    if "there" not in done.stdout:
        raise Skip("no namespace of processes without being root")
    expect(done.returncode == 0, done.stderr)
    files = {file.name.split("-")[0] for file in directory.glob("*.fntrace")}
    if files != {str(number)}:
        raise Skip(f"the process has the numbers {files}, not {number}")
    events, said = bench.chrome(directory)
    compare(wanted(done.stdout), counts(events))
    expect(said == "", said)


def private(bench):
    """Nobody else may read a recording; the program has its own umask."""
    program = program_of(bench, "-pg", "-mfentry", "-g")
    directory, done = bench.record("sh", "-c", f"umask; {program}",
                                   options=("-A", "leaf", "--object", program))
    expect(done.stdout.splitlines()[0] == f"{os.umask(0o022):04o}", done.stdout)
    os.umask(0o022)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in
             (directory, *directory.iterdir())}
    expect(modes.pop("data") == 0o700, "others may enter the directory")
    expect(len(modes) > 5 and set(modes.values()) == {0o600}, f"{modes}")
    dump = bench.work / "dump"
    run(bench.fntrace, "control", "dump", "-d", directory, "-o", dump)
    expect(all(not stat.S_IMODE(path.stat().st_mode) & 0o77 for path in
               (dump, *dump.iterdir())), "others may read the copy")


def mistyped(bench):
    """What records nothing takes no recording away."""
    program, plain = program_of(bench, "-pg"), program_of(bench, name="plain")
    directory, old = bench.work / "data", bench.work / "data.old"

    def calls(where):
        return counts(bench.chrome(where)[0]).get("leaf")

    for number in (3, 4):
        run(bench.fntrace, "record", "-o", directory, program, number)
    for command, status, says in (
            (("/nonexistent",), 127, "cannot run"),
            ((plain,), 1, "is the recording that was there before"),
            ((plain,), 1, "is the recording that was there before"),
            (("-F", "leaf", program, "0"), 1, "is the recording that was there before"),
            (("-m", f"other=unix:{bench.work}/no/such/place", program), 1, "")):
        done = run(bench.fntrace, "record", "-o", directory, *command, status=status)
        expect(says in done.stderr, done.stderr)
        expect((calls(directory), calls(old)) == (4, 3),
               f"{command}: {calls(directory)} and {calls(old)} calls")
    run(bench.fntrace, "record", "-o", directory, program, 5)
    expect((calls(directory), calls(old)) == (5, 4), "the last two are not there")
    expect(sorted(path.name for path in bench.work.glob("data*")) == ["data", "data.old"],
           "something is left")
    # Without one, the directory says what there was.
    shutil.rmtree(directory)
    run(bench.fntrace, "record", "-o", directory, plain, status=1)
    expect(calls(old) == 4, "another recording is gone")
    # Of one that was interrupted, the next one removes what it left.
    shutil.rmtree(directory)
    shutil.copytree(old, directory)
    shutil.copytree(old, bench.work / "data.older")
    run(bench.fntrace, "record", "-o", directory, program, 6)
    expect((calls(directory), calls(old)) == (6, 4) and not (bench.work / "data.older").exists(),
           "the next recording")


def sanitized(bench):
    """A program with a shared libasan.so runs, also below one that has none, and finds errors."""
    program = program_of(bench, "-pg", "-fsanitize=address")
    for command in ((program,), ("sh", "-c", f"{program}; exit 0")):
        directory, done = bench.record(*command)
        expect(done.stderr == "", done.stderr)
        compare(wanted(done.stdout), counts(bench.chrome(directory)[0]))
    broken = bench.work / "broken"
    (bench.work / "broken.c").write_text(
        "#include <stdlib.h>\n__attribute__((noinline)) int use(volatile char *p) { return *p; }\n"
        "int main(void) { char *p = malloc(1); free(p); return use(p); }\n", encoding="ascii")
    run("gcc", "-g", "-pg", "-fsanitize=address", "-w", bench.work / "broken.c", "-o", broken)
    _, done = bench.record(broken, status=None)
    expect(done.returncode and "heap-use-after-free" in done.stderr, done.stderr)
    done = run(bench.fntrace, "record", "-o", bench.work / "data", "sh", "-c", "echo $ASAN_OPTIONS",
               env={**os.environ, "ASAN_OPTIONS": "verbosity=0"}, status=1)
    expect(done.stdout.split()[0].endswith(":verbosity=0"), done.stdout)


def obstacles(bench):
    """Why the library was not loaded is found out, and not guessed."""
    for flags, mode, says in ((("-static",), 0o755, "statically linked"),
                              ((), 0o4755, "set-uid"), ((), 0o2755, "set-uid or set-gid")):
        program = program_of(bench, "-pg", *flags, name="other")
        program.chmod(mode)
        words = (bench.fntrace, "record", "-o", bench.work / "data", program)
        if mode != 0o755:
            # The dynamic linker takes notice of it if somebody else has the file.
            if os.geteuid():
                raise Skip("who is not root has no program of another user")
            os.chown(program, 65534, 65534)
            program.chmod(mode)
        done = run(*words, status=1, cwd=bench.work)
        expect(says in done.stderr, done.stderr)
    script = bench.work / "script"
    script.write_text(f"#!{program_of(bench, '-static', name='interpreter')}\n", encoding="utf-8")
    script.chmod(0o755)
    done = run(bench.fntrace, "record", "-o", bench.work / "data", script, status=1,
               cwd=bench.work)
    expect("ended before that, or is statically linked" in done.stderr, done.stderr)


def unfilled(bench):
    """
    The last record of a program that is killed may be one of the window before: it is none. Of
    clocks that go backwards, the last record stays.
    """
    def calls(first, count):
        return [(first + 10 * n, (ENTRY, EXIT)[n % 2], 0, 0x1000 + n // 2)
                for n in range(count)]

    before, now = calls(1000, 8), calls(2000, 8)
    # The room of the buffer, and what is behind it in the file.
    for used, records, wraps, entries, says in (
            # Three are there, the fourth was taken.
            (4, now[:3] + before[3:], False, 4 + 2, "1 calls had not ended"),
            # All are.
            (4, now[:4] + before[4:], False, 4 + 2, ""),
            # The first one was taken.
            (1, before, False, 4, ""),
            # Nothing was ever in its place.
            (4, now[:3] + [(0, 0, 0, 0)] * 5, False, 4 + 2, "1 calls had not ended"),
            # It is not older than what is in the buffer: the clock is wrong.
            (4, now[:3] + [(2005, EXIT, 0, 0x1001)] + before[4:], False, 4 + 2, "backwards"),
            # Older ones were written over: the fourth is the oldest.
            (4, now[:3] + before[3:], True, 2 + 2, "1 calls had not ended")):
        data = bytearray(buffer(records, clocks=((1, 1), (10 ** 9, 10 ** 9))))
        struct.pack_into("<QQ", data, OLDER, 0 if wraps else 16 * len(before),
                         (1 << 20) + 16 * used)
        struct.pack_into("<Q", data, WRAPS, wraps)
        if not wraps:
            data += buffer(before)[-16 * len(before):]
        file = bench.work / "buffer"
        file.write_bytes(data)
        events, said = bench.chrome(file)
        found = sum(event["ph"] == "B" for event in events)
        expect(found == entries, f"{used} used: {found} calls, not {entries}")
        for word in ("1 calls had not ended", "backwards", "damaged"):
            expect((word in said) == (word == says), f"{used} used: {said}")


def killed_anywhere(bench):
    """A program that is killed at any time leaves nothing that is taken for a record."""
    program = program_of(bench, "-pg")
    for number in range(10):
        directory = bench.work / "data"
        shutil.rmtree(directory, ignore_errors=True)
        with subprocess.Popen([bench.fntrace, "record", "-s", "64k", "-o", directory, program,
                               str(10 ** 9)], stderr=subprocess.PIPE) as record:
            until(lambda: list(directory.glob("*.fntrace")) and list(directory.glob("*.control")),
                  "it records nothing")
            time.sleep(0.01 * number)
            pid = next(directory.glob("*.control")).name.split("-")[0]
            os.kill(int(pid), signal.SIGKILL)
            record.communicate(timeout=TIMEOUT)
        said = run(bench.fntrace, "convert", "-f", "list", "-o", "/dev/null", directory).stderr
        expect(not re.search("backwards|damaged|lost|cut off", said), said)


def half_is_lost(bench):
    """A recording of which much is missing has failed, unless that was wanted."""
    program = program_of(bench, "-pg")
    done = on_small_disk(
        bench, "4m", f"{bench.fntrace} record -o MOUNT/data {program} 1000000; echo status $?; "
        f"{bench.fntrace} convert -f list -o /dev/null MOUNT/data")
    expect("status 1\n" in done.stdout and "calls could not be recorded" in done.stderr,
           done.stdout + done.stderr)
    expect(re.search(r"\d+ calls were lost: a file could not grow", done.stderr), done.stderr)
    directory, _ = bench.record(program, "100000", options=("--stop", "-s", "64k"))
    said = run(bench.fntrace, "convert", "-f", "list", "-o", "/dev/null", directory).stderr
    expect(re.search(r"\d+ calls were lost: the buffer was full", said), said)
    # Deeper than the shadow stack of a thread, of which its functions have no part.
    data = bytearray(buffer([(1000, ENTRY, 0, 1), (2000, EXIT, 0, 1)]))
    struct.pack_into("<QQ", data, LOST, 7, 5)
    (bench.work / "deep").write_bytes(data)
    said = bench.chrome(bench.work / "deep")[1]
    expect("5 calls were lost: they were deeper" in said and
           "2 calls were lost: the buffer was full" in said, said)


def entries_only(bench):
    """Where only entries were recorded, there are no columns of zeros."""
    directory, _ = bench.record(program_of(bench, "-pg"), options=("--entries",))
    done = run(bench.fntrace, "report", directory).stdout
    expect(done.split() == ["calls", "function", "10", "leaf", "1", "main"], done)
    done = run(bench.fntrace, "report", "-f", "total", directory).stdout
    expect(done.split()[0] == "total", done)


def signs(flags, warns):
    """arm64: what mcount() cannot do is told; what the manual recommends works."""
    def test(bench):
        program = bench.compile_for("aarch64", "calls.c", *flags.split(), "-O2")
        done = run(bench.fntrace, "record", "-o", bench.work / "data", program, status=None,
                   cwd=bench.work)
        expect(("signs return addresses" in done.stderr) == warns, done.stderr)
        done = run(bench.fntrace, "record", "--entries", "-o", bench.work / "data", program,
                   status=None, cwd=bench.work)
        expect("signs return addresses" not in done.stderr, done.stderr)
        if warns:
            return
        data = bench.work / "emulated"
        data.mkdir()
        # A CPU that authenticates them, which is not what QEMU emulates else.
        os.environ["QEMU_CPU"] = "max,pauth-impdef=on"
        try:
            done = bench.emulated("aarch64", program, data)
        finally:
            del os.environ["QEMU_CPU"]
        compare(wanted(done.stdout), counts(bench.chrome(data)[0]))
    return test


def tests():
    yield "record: room of processes that ended", many
    yield "record: room of a process that was killed", killed
    yield "record: room of a process with another number", still_used
    yield "record: modes of files", private
    yield "record: commands that record nothing", mistyped
    yield "record: program with libasan.so", sanitized
    yield "record: why the library was not loaded", obstacles
    yield "record: a record that was not filled", unfilled
    yield "record: a program that is killed at any time", killed_anywhere
    yield "record: half of it is lost", half_is_lost
    yield "record: report of entries only", entries_only
    for flags, warns in (("-pg -mbranch-protection=standard", True),
                         ("-pg -mbranch-protection=none", False),
                         ("-fpatchable-function-entry=2 -mbranch-protection=standard", False),
                         ("-finstrument-functions -mbranch-protection=standard", False)):
        yield f"record: arm64, {flags}", signs(flags, warns)
