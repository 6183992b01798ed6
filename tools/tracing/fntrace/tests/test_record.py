# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of what "fntrace record" leaves on the disk, and what it says when it cannot record."""

import os
import re
import shutil
import signal
import stat
import subprocess

from bench import TIMEOUT, Skip, compare, counts, expect, need, run, until, wanted

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
    directory, done = bench.record("sh", "-c", f"umask; {program_of(bench, '-pg', '-mfentry', '-g')}",
                                   options=("-A", "leaf", "--object", bench.work / "program"))
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


def tests():
    yield "record: room of processes that ended", many
    yield "record: room of a process that was killed", killed
    yield "record: room of a process with another number", still_used
    yield "record: modes of files", private
    yield "record: commands that record nothing", mistyped
    yield "record: program with libasan.so", sanitized
    yield "record: why the library was not loaded", obstacles
