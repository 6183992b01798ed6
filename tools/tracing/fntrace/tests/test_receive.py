# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of fntrace receive: streams that are whole, damaged, cut off, or nonsense."""

import os
import random
import re
import signal
import socket
import struct
import subprocess
import time

from bench import (ENTRY, EXAMPLES, EXIT, INTERRUPT_CALLS, TIMEOUT, Skip, buffer, compare, expect,
                   run, told, until)

HEADER = 4096
# Of the header of a buffer.
OLDER, NEXT, WRAPS = 104, 112, 128
VERSION, CPU = 12, 28


def calls(first, count):
    """Records of COUNT calls of functions with ascending addresses."""
    return [(1000 + 10 * n + 5 * kind, kind, 0, 0x1000 + 16 * n)
            for n in range(first, first + count) for kind in (ENTRY, EXIT)]


def part(first, count, older=0, cpu=0, order="<", hertz=0):
    """Part of the stream of a CPU, of whose records OLDER were sent before."""
    data = bytearray(buffer(calls(first, count), tid=0, pid=0, order=order, hertz=hertz))
    struct.pack_into(order + "I", data, CPU, cpu)
    struct.pack_into(order + "Q", data, OLDER, 16 * older)
    return bytes(data)


def some_file(name, data, at=0, order="<", size=None):
    """A part of a file, as struct fntrace_file has it."""
    return struct.pack(order + "8sIIQQ224s", b"fntfile\0", 0x01020304, 1, at,
                       len(data) if size is None else size, name.encode()) + data


def receive(bench, data, status=0):
    """Write DATA to it; returns the functions by CPU, in order, and messages."""
    directory = bench.work / "received"
    done = subprocess.run([bench.fntrace, "receive", "-o", directory, "-"], input=data,
                          capture_output=True, check=False, timeout=TIMEOUT)
    said = done.stderr.decode(errors="replace")
    expect(done.returncode == status, f"status {done.returncode}: {said}")
    return read(bench, directory), said


def read(bench, directory):
    found = {}
    for event in bench.chrome(directory)[0]:
        if event["ph"] == "B":
            found.setdefault(event["tid"] - 1, []).append(int(event["name"][1:-1], 16))
    return found


def addresses(*ranges):
    return [0x1000 + 16 * n for first, count in ranges for n in range(first, first + count)]


def whole(bench):
    """Parts of two CPUs that take turns, in both orders of bytes."""
    for order in "<>":
        parts = [part(100 * n, 100, older=200 * n, cpu=cpu, order=order,
                      hertz=10 ** 9 if n == 9 else 0) for n in range(10) for cpu in (0, 1)]
        found, said = receive(bench, b"".join(parts))
        expect(found == {cpu: addresses((0, 1000)) for cpu in (0, 1)} and not said, said)
    # Of a kernel that records values, too.
    parts = [bytearray(part(100 * n, 100, older=200 * n)) for n in range(3)]
    for data in parts:
        struct.pack_into("<I", data, VERSION, 2)
    found, said = receive(bench, b"".join(parts))
    expect(found == {0: addresses((0, 300))} and not said, f"version 2: {said}")
    # A kernel that starts again.
    found, said = receive(bench, part(0, 50) + part(50, 50, older=100) + part(500, 50))
    expect(found == {0: addresses((0, 100), (500, 50))} and not said, f"{found}: {said}")
    expect(len(list((bench.work / "received").glob("*.fntrace"))) == 2, "one file for two runs")


def overwritten(bench):
    """A buffer whose oldest record is in its middle."""
    data = bytearray(part(0, 50))
    records = data[HEADER:]
    data[HEADER:] = records[640:] + records[:640]
    struct.pack_into("<Q", data, NEXT, (1 << 20) + len(records) - 640)
    struct.pack_into("<Q", data, WRAPS, 3)
    found, said = receive(bench, bytes(data) + part(100, 5, cpu=1))
    expect(found == {0: addresses((0, 50)), 1: addresses((100, 5))} and not said, f"{said}")
    # What is there of it can be read.
    found, said = receive(bench, bytes(data[:HEADER + 320]), status=1)
    expect(found == {0: addresses((20, 10))} and "cut off" in said, f"{found}: {said}")


def damaged(bench):
    """What is not damaged is kept, and the rest is told."""
    first, second, third = (part(100 * n, 100, older=200 * n) for n in range(3))
    other = part(0, 10, cpu=1)
    for data, want, words in (
            # A part that did not arrive, or not all of it, or without its beginning.
            (first + third, ((0, 100), (200, 100)), "3200 bytes of records were sent"),
            (first + second[:HEADER + 160] + third, ((0, 105), (200, 100)), "parts were cut off"),
            (first + second[:HEADER + 163] + third, ((0, 105), (200, 100)), "parts were cut off"),
            (first + second[:300] + third, ((0, 100), (200, 100)), "parts were cut off"),
            (first + second[:100] + third, ((0, 100), (200, 100)), "3200 bytes"),
            (first + second[20:] + third, ((0, 100), (200, 100)), "no part of a buffer"),
            # The end of the stream.
            (first + second[:-8], ((0, 200),), "parts were cut off"),
            (first + second[:16], ((0, 100),), "no part of a buffer"),
            (first + second[:1000], ((0, 100),), "parts were cut off"),
            # Something in between, also something like a header.
            (b"SeaBIOS\n" + first + b"f" * 99999 + second + b"fntrace\0" * 5000 + third,
             ((0, 300),), "bytes are no part"),
            (first + second[:24] + second, ((0, 200),), "bytes are no part"),
            # Sizes that cannot be.
            (first + damage(second, NEXT, 1) + third, ((0, 100), (200, 100)), "no part"),
            (first + damage(second, NEXT, (1 << 20) + 8) + third, ((0, 100), (200, 100)),
             "no part"),
            (first + damage(second, NEXT + 8, 1 << 60) + third, ((0, 100), (200, 100)),
             "no part")):
        found, said = receive(bench, data + other, status=1)
        expect(found.get(1) == addresses((0, 10)), f"the other CPU: {found.get(1)}, {said}")
        expect(found.get(0) == addresses(*want), f"{words}: {len(found.get(0, ()))}, {said}")
        expect(words in said, f"{words}: {said}")
    _, said = receive(bench, first + second[:-8], status=1)
    expect("cut off" in said, said)


def damage(data, at, value):
    changed = bytearray(data)
    struct.pack_into("<Q", changed, at, value)
    return bytes(changed)


def nothing(bench):
    directory = bench.work / "received"
    for data in (b"", b"nothing of the kind" * 1000, bytes(100000)):
        done = subprocess.run([bench.fntrace, "receive", "-o", directory, "-"], input=data,
                              capture_output=True, check=False, timeout=TIMEOUT)
        expect(done.returncode == 1 and b"nothing was received" in done.stderr, done.stderr)
        expect(not directory.exists(), "a directory is left")


def again(bench):
    """The last recording is renamed; other files called "about" are none."""
    data = part(0, 10)
    for _ in range(3):
        receive(bench, data)
    old = bench.work / "received.old"
    expect(old.is_dir() and len(list(old.iterdir())) == 2, "it was not renamed")
    other = bench.work / "other"
    other.mkdir()
    (other / "about").write_text("mine", encoding="ascii")
    done = subprocess.run([bench.fntrace, "receive", "-o", other, "-"], input=data,
                          capture_output=True, check=False, timeout=TIMEOUT)
    expect(done.returncode == 1 and b"other files" in done.stderr, done.stderr)
    expect((other / "about").read_text(encoding="ascii") == "mine", "it was changed")


def pipe(bench):
    """A pipe that nobody has opened yet, and small pieces."""
    path = bench.work / "pipe"
    os.mkfifo(path)
    directory = bench.work / "received"
    with subprocess.Popen([bench.fntrace, "receive", "-o", directory, path]) as command:
        time.sleep(0.3)
        with open(path, "wb", buffering=0) as sender:
            data = part(0, 20) + part(20, 20, older=40)
            for at in range(0, len(data), 111):
                sender.write(data[at:at + 111])
                time.sleep(0.001)
        expect(command.wait(timeout=TIMEOUT) == 0, f"status {command.returncode}")
    expect(read(bench, directory) == {0: addresses((0, 40))}, "records")
    with subprocess.Popen([bench.fntrace, "receive", "-o", directory, path],
                          stderr=subprocess.DEVNULL) as command:
        time.sleep(0.3)
        command.send_signal(signal.SIGINT)
        try:
            status = command.wait(timeout=10)
        finally:
            command.kill()
        expect(status == 1, f"SIGINT: status {status}")


def listen(bench, address):
    """Start it; returns it and the address that it tells."""
    command = subprocess.Popen([bench.fntrace, "receive", "-o", bench.work / "received", address],
                               stderr=subprocess.PIPE, text=True)
    said = command.stderr.readline()
    match = re.match(r"fntrace: waiting at (\S+)$", said)
    if not match:
        command.kill()
        command.communicate()
        if "vsock" in address:
            raise Skip(said.strip())
        expect(False, said)
    return command, match.group(1)


def connect(address):
    kind, rest = address.split(":", 1)
    if kind == "unix":
        sender = socket.socket(socket.AF_UNIX)
        sender.connect(rest)
    elif kind == "tcp":
        host, port = rest.rsplit(":", 1)
        host = host.strip("[]")
        sender = socket.create_connection((host, int(port)))
    else:
        sender = socket.socket(socket.AF_VSOCK)
        try:
            sender.connect((1, int(rest)))
        except OSError as error:
            raise Skip(f"no vsock on this machine: {error}") from error
    return sender


def over(address):
    def test(bench):
        where = address.replace("WORK", str(bench.work))
        command, listens = listen(bench, where)
        try:
            with connect(listens) as sender:
                for n in range(20):
                    sender.sendall(part(100 * n, 100, older=200 * n))
            said = command.communicate(timeout=TIMEOUT)[1]
            expect(command.returncode == 0, said)
        finally:
            command.kill()
            command.communicate()
        expect(read(bench, bench.work / "received") == {0: addresses((0, 2000))}, "records")
        expect(not (bench.work / "socket").exists(), "the socket is left")
    return test


def ended(number, status):
    """It ends before its sender: what has arrived is there."""
    def test(bench):
        directory = bench.work / "received"
        command, listens = listen(bench, f"unix:{bench.work}/socket")
        try:
            with connect(listens) as sender:
                sender.sendall(part(0, 100) + part(100, 100, older=200)[:-16])
                # All but what might be the beginning of a header.
                until(lambda: [file for file in directory.glob("*.fntrace")
                               if file.stat().st_size >= HEADER + 16 * 397],
                      "it writes nothing")
                time.sleep(0.2)
                command.send_signal(number)
                command.communicate(timeout=TIMEOUT)
            expect(command.returncode == status, f"status {command.returncode}")
        finally:
            command.kill()
            command.communicate()
        found = read(bench, directory)
        expect(found[0][:199] == addresses((0, 199)), f"{len(found[0])} calls")
    return test


def interrupted(bench):
    """Nobody has connected yet."""
    command, _ = listen(bench, "tcp:0")
    command.send_signal(signal.SIGINT)
    said = command.communicate(timeout=TIMEOUT)[1]
    expect(command.returncode == 1 and "nothing was received" in said, said)
    expect(not (bench.work / "received").exists(), "a directory is left")


def hostile(bench):
    """Streams with errors: never a crash, never without an end, and what is written is read."""
    rounds = int(os.environ.get("FNTRACE_FUZZ", "60"))
    generator = random.Random("stream")
    directory = bench.work / "received"
    sanitized = {**os.environ, "ASAN_OPTIONS": "exitcode=99:detect_leaks=0",
                 "UBSAN_OPTIONS": "exitcode=99:halt_on_error=1"}
    good = b"".join(part(20 * n, 20, older=40 * n, cpu=cpu, order="<>"[cpu])
                    for n in range(5) for cpu in (0, 1))
    # Other files in front of each of them.
    files = b"".join(some_file("clock", b"1 1\n", at=4 * n) + part(20 * n, 20, older=40 * n)
                     for n in range(5)) + some_file("kernel/info", b"x") + some_file("", b"")
    for number in range(rounds):
        data = bytearray(good if number % 2 else files)
        for _ in range(generator.randrange(1, 6)):
            at = generator.randrange(len(data))
            # Most of a header is empty.
            if generator.random() < 0.7:
                at = at // 4736 * 4736 + generator.randrange(240)
            kind = generator.randrange(5)
            if kind == 0:
                del data[at:at + generator.choice((1, 8, 16, 100, 5000))]
            elif kind == 1:
                data[at:at] = generator.randbytes(generator.choice((1, 16, 300)))
            elif kind == 2:
                data[at:at] = data[:generator.randrange(5000)]
            elif at + 8 < len(data):
                value = generator.choice((0, 1, 255, 1 << 20, (1 << 63) - 1, (1 << 64) - 1,
                                          generator.getrandbits(64)))
                data[at:at + 8] = value.to_bytes(8, generator.choice(("little", "big")))
        done = subprocess.run([bench.fntrace, "receive", "-o", directory, "-"],
                              input=bytes(data), capture_output=True, check=False, timeout=60,
                              env=sanitized)
        expect(done.returncode == 0 or (done.returncode == 1 and b"fntrace: " in done.stderr),
               f"round {number}: status {done.returncode}: {done.stderr[-300:]}")
        if any(directory.glob("*.fntrace")):
            done = run(bench.fntrace, "convert", "-f", "list", "-o", "/dev/null", directory,
                       status=None, timeout=60, env=sanitized)
            expect(done.returncode in (0, 1) and "ERROR" not in done.stderr,
                   f"round {number}: status {done.returncode}: {done.stderr[-300:]}")


def from_kernel(arch):
    """The example kernel, whose small buffers are sent while it runs."""
    def test(bench):
        image, out = bench.example(arch), bench.work / "out"
        console = bench.run_example(arch, image, out, "-n", "0", "-r",
                                    "-p", "records=1000 repeat=2")
        events, said = bench.chrome("-i", image, out / "kernel.fntrace")
        for word in ("left out", "backwards"):
            expect(word not in said, said)
        # An interrupt that comes while a record is written cannot make room. What it does
        # after the buffer is full is lost: all of its records, or the last ones, and then
        # calls that are there have no end.
        lost, cut = told(said, "calls were lost"), told(said, "ends were missing")
        expect(lost or "lost" not in said, said)
        expect(cut or "put in" not in said, said)
        found = {}
        for event in events:
            if event["ph"] == "B":
                key = f"cpu{event['tid'] - 1} {event['name']}"
                found[key] = found.get(key, 0) + 1
        want = {name: int(count) for name, count in
                re.findall(r"calls (cpu\d \w+) (\d+)", console) if int(count)}
        expect(len(want) >= 20, f"the kernel counted {len(want)} functions")
        missing = 0
        for name in ("cpu0 timer_interrupt", "cpu1 timer_interrupt"):
            missing += want.pop(name, 0) - found.get(name, 0)
        # One on each CPU, at most, is there in part.
        parts = min(cut, 2)
        expect(lost >= missing and lost + cut <= INTERRUPT_CALLS * (missing + parts),
               f"{lost} lost, {cut} cut, {missing} missing")
        compare(want, found)
        info = run(bench.fntrace, "info", out / "kernel.fntrace").stdout
        records = int(re.search(r"^records +(\d+)", info, re.MULTILINE).group(1))
        held = sum(int(count) for count in re.findall(r"buffer cpu\d records (\d+)", console))
        expect(records == held and held > 10000, f"{records} records, not {held}")
    return test


def tests():
    yield "receive: parts of two CPUs", whole
    yield "receive: a buffer that was written over", overwritten
    yield "receive: damaged and cut off", damaged
    yield "receive: nothing", nothing
    yield "receive: the last recording", again
    yield "receive: pipe", pipe
    yield "receive: Unix socket", over("unix:WORK/socket")
    yield "receive: TCP", over("tcp:0")
    yield "receive: TCP, IPv6", over("tcp:[::1]:0") if socket.has_ipv6 else over("tcp:0")
    yield "receive: vsock", over("vsock:47123")
    yield "receive: SIGINT", ended(signal.SIGINT, 1)
    yield "receive: SIGKILL", ended(signal.SIGKILL, -signal.SIGKILL)
    yield "receive: SIGINT while it waits", interrupted
    yield "receive: hostile streams", hostile
    for arch in EXAMPLES:
        yield f"receive: example kernel, {arch}", from_kernel(arch)
