# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of fntrace record --to: what is received is the recording."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess

from bench import TIMEOUT, Skip, compare, counts, expect, on_small_disk, run, until, wanted
from test_receive import CPU, addresses, listen, part, receive, some_file

NOT_ALLOWED = 77
# Records are 16 bytes, two for each call.
CALL = 32


@contextlib.contextmanager
def receiver(bench, address):
    """Somebody who receives; gives the process and where to send to."""
    command, told = listen(bench, address.replace("WORK", str(bench.work)))
    try:
        yield command, told.replace("vsock:", "vsock:1:")
    finally:
        command.kill()
        command.communicate()


def send(bench, *command, options=(), address="unix:WORK/socket", status=0):
    """Record a program and send it; returns both sides and what the receiver said."""
    with receiver(bench, address) as (process, told):
        # Where what was not sent yet is kept, too.
        done = run(bench.fntrace, "record", "--to", told, *options, *command, status=None,
                   env={**os.environ, "TMPDIR": str(bench.work)})
        if "vsock" in told and "cannot connect" in done.stderr:
            raise Skip(f"no vsock on this machine: {done.stderr.strip()}")
        expect(status in (None, done.returncode), f"status {done.returncode}: {done.stderr}")
        said = process.communicate(timeout=TIMEOUT)[1]
        expect(process.returncode == 0 and said == "", f"receive: {process.returncode}: {said}")
    expect(not list(bench.work.glob("fntrace-*")), "a directory is left")
    return bench.work / "received", done


def whole(address):
    def test(bench):
        program = bench.compile("family.c", "-pg", "-O1", "-ldl", name="family")
        directory, done = send(bench, program, "threads", "20", "50000", options=("-s", "64k"),
                               address=address)
        expect(done.stderr == "", done.stderr)
        events, said = bench.chrome(directory)
        compare(wanted(done.stdout), counts(events))
        expect(said == "", said)
        # main() and the threads have one each, however often it was sent.
        expect(len(list(directory.glob("*.fntrace"))) == 21, "files of records")
        about = run(bench.fntrace, "info", directory).stdout
        for line in ("^command .*family threads", "^end ", "^status +0"):
            expect(re.search(line, about, re.M), f"no {line} in {about}")
    return test


def same_as_local(bench):
    """All that a recording can have: values, chosen functions, names, several processes."""
    program = bench.compile("paced.c", "-pg", "-mfentry", "-g", "-O1", name="paced")
    options = ("-F", "main", "--args", "burst")
    local, _ = bench.record(program, 3, 5, options=options)
    sent, _ = send(bench, program, 3, 5, options=options)
    names = [{re.sub(r"^\d+-", "N-", file.name) for file in directory.iterdir()}
             for directory in (local, sent)]
    expect(names[0] == names[1] and {"choose", "values", "clock", "0.names"} < names[1],
           f"{names}")
    calls = [re.findall(r"\S+\(.*?\)", run(bench.fntrace, "replay", directory).stdout)
             for directory in (local, sent)]
    expect(calls[0] == calls[1] and "burst(number=5)" in calls[0], f"{calls}")


def modes(bench):
    """Buffers that are written over or end, children, and a program that is killed."""
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    directory, _ = send(bench, program, 2, 10000, options=("--overwrite", "-s", "64k"))
    found = counts(bench.chrome(directory)[0])
    expect(65536 // CALL - 10 < found["called"] <= 65536 // CALL + 1, f"{found}")
    directory, done = send(bench, program, 2, 10000, options=("--stop", "-s", "64k"))
    expect("could not be recorded" in done.stderr, done.stderr)
    expect(counts(bench.chrome(directory)[0])["called"] < 65536 // CALL, "--stop")
    directory, _ = send(bench, "sh", "-c", f"{program} 1 1000 & {program} 1 2000; wait",
                        options=("-s", "64k"))
    expect(counts(bench.chrome(directory)[0])["called"] == 3000, "two programs")
    directory, _ = send(bench, "sh", "-c", f"{program} 1 20000 & sleep 1; kill -KILL $$",
                        options=("-s", "64k"), status=128 + signal.SIGKILL)
    expect(counts(bench.chrome(directory)[0])["called"] == 20000, "killed")


def two_buffers(bench):
    """A thread that has two files, as it may make no system calls any more."""
    program = bench.compile("sandbox.c", "-pg", "-O1")
    directory, done = send(bench, program, "filter", options=("-s", "64k"),
                           status=None)
    if done.returncode == NOT_ALLOWED:
        return
    numbers = {struct.unpack_from("<I", file.read_bytes(), CPU)
               for file in directory.glob("*.fntrace")}
    expect(len(numbers) == 2, f"two files have the numbers {numbers}")
    events, said = bench.chrome(directory)
    compare(wanted(done.stdout), counts(events))
    expect("missing" not in said and "backwards" not in said, said)


def small_disk(bench):
    """What was sent is not kept: 250 MB go through 120 MB."""
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    with receiver(bench, "unix:WORK/socket") as (process, told):
        done = on_small_disk(bench, "120m", f"TMPDIR=MOUNT {bench.fntrace} record --to {told} "
                             f"{program} 250 31250")
        process.communicate(timeout=TIMEOUT)
        expect(process.returncode == 0, f"status {process.returncode}")
    expect(done.returncode == 0 and done.stderr == "", done.stderr)
    said = run(bench.fntrace, "report", "-f", "calls", bench.work / "received").stdout
    expect(re.search(r"^ *7812500 +called$", said, re.M), said)


@contextlib.contextmanager
def pipe_receiver(bench):
    """The same at a pipe, where nobody says that somebody waits."""
    path = bench.work / "pipe"
    os.mkfifo(path)
    with subprocess.Popen([bench.fntrace, "receive", "-o", bench.work / "received", path],
                          stderr=subprocess.DEVNULL) as command:
        try:
            until(lambda: any(os.path.realpath(link) == str(path) for link in
                              pathlib.Path(f"/proc/{command.pid}/fd").iterdir()), "no reader")
            yield command, path
        finally:
            command.kill()


def lost_connection(bench):
    """Both sides have what they have, and the program does not notice."""
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    # What a connection holds at most, and a pipe.
    buffers = sum(int(pathlib.Path(f"/proc/sys/net/ipv4/tcp_{which}mem").read_text(
        encoding="ascii").split()[-1]) for which in "rw")
    lose(bench, program, receiver(bench, "tcp:0"), buffers)
    lose(bench, program, pipe_receiver(bench), 1 << 20)


def lose(bench, program, begin, way):
    kept = bench.work / "kept"
    # That of the time before is there until something is received.
    shutil.rmtree(bench.work / "received", ignore_errors=True)
    with begin as (process, told):
        with subprocess.Popen([bench.fntrace, "record", "-s", "64k", "-o", kept, "--to", told,
                               program, "200", "3000"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as command:
            until(lambda: any(file.stat().st_size > 1 << 20 for file in
                              (bench.work / "received").glob("*.fntrace")), "nothing arrives")
            # If the sender was late, all until now is one part, which is freed as a whole.
            until(lambda: any(file.stat().st_blocks * 512 < file.stat().st_size - (1 << 18)
                              for file in kept.glob("*.fntrace")), "nothing is freed")
            process.kill()
            out, said = command.communicate(timeout=TIMEOUT)
    expect(wanted(out) == {"called": 600000, "burst": 200}, out)
    expect(command.returncode == 1 and "is lost" in said and f"is in {kept}" in said, said)
    first = counts(bench.chrome(bench.work / "received")[0])["called"]
    last = counts(bench.chrome(kept, status=None)[0])["called"]
    # What was on the way is nowhere, and what was not freed yet is on both sides: the part that
    # was being sent.
    least = 600000 - (way + (1 << 20)) // CALL
    expect(first > 20000 and 20000 < last < 600000 and first + last > least, f"{first}, {last}")


def goes_on(bench):
    """A process that still runs when nobody waits for it any more."""
    program = bench.compile("family.c", "-pg", "-O1", "-ldl", name="family")
    with receiver(bench, "unix:WORK/socket") as (process, told):
        with subprocess.Popen([bench.fntrace, "record", "-o", "data", "--to", told, program,
                               "daemon", "5"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, cwd=bench.work) as command:
            said = command.stderr.readline()
            expect("waiting for the processes" in said, said)
            command.send_signal(signal.SIGINT)
            said = command.communicate(timeout=TIMEOUT)[1]
        process.communicate(timeout=TIMEOUT)
    expect(command.returncode == 0 and "is not sent" in said and "to data" in said, said)
    expect((bench.work / "data").is_dir(), "the directory to which it records is gone")
    expect("main" in counts(bench.chrome(bench.work / "received")[0]), "nothing arrived")
    until(lambda: not list((bench.work / "data").glob("*.control")), "it does not end")


def nobody(bench):
    """The program is not run, and the last recording is left alone."""
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    directory, _ = bench.record(program, 1, 10)
    before = sorted(path.name for path in directory.iterdir())
    os.mkfifo(bench.work / "pipe")
    for address, words in ((f"unix:{bench.work}/nothing", "No such file"),
                           ("unix:", "a path"), ("unix:" + 200 * "x", "a path"),
                           ("tcp:", "a port"), ("tcp:127.0.0.1:", "a port"),
                           ("tcp:127.0.0.1:1", "refused"), ("tcp:x", "Servname"),
                           ("vsock:x", "number of a port"), ("vsock:x:1", "number of a port"),
                           ("vsock:1:-1", "number of a port"), ("vsock:", "number of a port"),
                           ("host:1234", "No such file"), ("", "No such file"),
                           (str(bench.work), "Is a directory"),
                           (str(bench.work / "pipe"), "nobody receives")):
        done = run(bench.fntrace, "record", "-o", directory, "--to", address, program, 1, 1,
                   status=1)
        expect(words in done.stderr and done.stdout == "", f"{address}: {done.stderr}")
        expect(len(done.stderr.splitlines()) == 1, done.stderr)
    expect(sorted(path.name for path in directory.iterdir()) == before, "it was touched")
    with receiver(bench, "unix:WORK/socket") as (process, told):
        run(bench.fntrace, "record", "--to", told, "/nonexistent", status=127,
            env={**os.environ, "TMPDIR": str(bench.work)})
        said = process.communicate(timeout=TIMEOUT)[1]
        expect(process.returncode == 1 and "nothing was received" in said, said)
    expect(not list(bench.work.glob("fntrace-*")), "a directory is left")


def pipe(bench):
    """Through programs that know nothing about it, such as ssh."""
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    directory = bench.work / "received"
    run("sh", "-c", '"$@" 3>&1 >&2 2>/dev/null | cat | "$0" receive -o "$OUT" -', bench.fntrace,
        bench.fntrace, "record", "--to", "/dev/fd/3", program, 2, 20000,
        env={**os.environ, "OUT": str(directory)})
    found = counts(bench.chrome(directory)[0])
    expect(found["called"] == 40000 and found["burst"] == 2, f"{found}")


def compressed(bench):
    """While it is made, by who comes late, and read again."""
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    directory, file = bench.work / "received", bench.work / "trace.gz"
    run("sh", "-c", 'mkfifo pipe; { sleep 0.5; exec gzip -1 <pipe >"$0"; } & '
        '"$@" || { kill $!; exit 1; }; wait', file,
        bench.fntrace, "record", "--to", "pipe", program, 2, 200000, cwd=bench.work)
    run("sh", "-c", 'gzip -dc "$0" | "$1" receive -o "$2" -', file, bench.fntrace, directory)
    found = counts(bench.chrome(directory)[0])
    expect(found["called"] == 400000 and found["burst"] == 2, f"{found}")
    # Two records of 16 bytes for each call.
    expect(file.stat().st_size < 400000 * 32 / 2, f"{file.stat().st_size} bytes")


# Streams that are made here

END = some_file("", b"")


def files(bench):
    """Files between buffers, in both orders of bytes; what is said of their end."""
    directory = bench.work / "received"
    for order in "<>":
        end = some_file("", b"", order=order)
        data = some_file("clock", b"1 1\n", order=order) + part(0, 10, order=order) + \
            some_file("clock", b"2 2\n", at=4, order=order) + \
            some_file("1.names", b"x" * 200000, order=order) + \
            part(10, 10, older=20, order=order)
        found, said = receive(bench, data + end)
        expect(found == {0: addresses((0, 20))}, f"{found}")
        expect((directory / "clock").read_bytes() == b"1 1\n2 2\n", "clock")
        expect((directory / "1.names").read_bytes() == b"x" * 200000, "names")
        _, said = receive(bench, data, status=1)
        expect("not all of the recording was sent" in said, said)
        cut = some_file("about", b"begin", size=1000, order=order)
        found, said = receive(bench, cut + data + end, status=1)
        expect(found == {0: addresses((0, 20))} and "1 parts were cut off" in said, said)
        expect((directory / "about").read_bytes() == b"begin", "about")
    # What the kernel recorded, and again: the last one is a recording that can be renamed.
    data = some_file("clock", b"1 1\n") + some_file("kernel/info", b"x\n") + \
        some_file("kernel/events/a/format", b"y" * 9) + END
    for _ in range(3):
        done = subprocess.run([bench.fntrace, "receive", "-o", directory, "-"], input=data,
                              capture_output=True, check=False, timeout=TIMEOUT)
        expect(done.returncode == 0 and done.stderr == b"", done.stderr)
        expect((directory / "kernel/events/a/format").read_bytes() == b"y" * 9, "kernel")


def bad_names(bench):
    """Nobody who sends says where else to write."""
    outside = bench.work / "outside"
    outside.mkdir()
    victim = outside / "x.sym"
    victim.write_text("mine", encoding="ascii")
    for name in ("../outside/x.sym", str(victim), "kernel/../../outside/x.sym", "kernel/..",
                 "kernel/", "kernel/.x", "kernel/a/../b", "kernel//b", "kernel/a/", "kernel",
                 "..", ".", "/", "x/clock", "./clock", "1-0.fntrace", "1-0.control",
                 "anything", "x" * 224):
        data = some_file(name, b"theirs") + part(0, 10) + END
        found, said = receive(bench, data, status=1)
        expect(found == {0: addresses((0, 10))} and "left out" in said, f"{name}: {said}")
        left = {path.name for path in (bench.work / "received").rglob("*")}
        expect(left == {"about", "1-0.fntrace"}, f"{name}: {left}")
    expect(victim.read_text(encoding="ascii") == "mine" and
           [path.name for path in outside.iterdir()] == ["x.sym"], "a file was written")
    for at, size in ((1 << 63, 1), (0, 1 << 63), (1 << 40, 8)):
        data = some_file("clock", b"", at=at, size=size) + part(0, 10) + END
        found, said = receive(bench, data, status=1)
        expect(found == {0: addresses((0, 10))} and "left out" in said, f"{at}, {size}: {said}")
        expect(not (bench.work / "received/clock").exists(), "a file of that size")


def tests():
    yield "record --to: Unix socket", whole("unix:WORK/socket")
    yield "record --to: TCP", whole("tcp:0")
    yield "record --to: vsock", whole("vsock:47124")
    yield "record --to: pipe", pipe
    yield "record --to: compressed", compressed
    yield "record --to: the same as without", same_as_local
    yield "record --to: modes and ends", modes
    yield "record --to: two buffers of a thread", two_buffers
    yield "record --to: small disk", small_disk
    yield "record --to: lost connection", lost_connection
    yield "record --to: a process that goes on", goes_on
    yield "record --to: nobody receives", nobody
    yield "receive: files of a recording", files
    yield "receive: names of files that are none", bad_names
