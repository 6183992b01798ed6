# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of fntrace record --machine: what other machines send belongs to the recording."""

import contextlib
import os
import re
import shutil
import signal
import socket as sockets
import subprocess
import sys
import threading
import time

from bench import (ENTRY, EXIT, TESTS, TIMEOUT, Skip, buffer, compare, counts, expect, need, run,
                   until, wanted)
from test_receive import part, some_file
from test_send import END

# Of the second machine of a trace; the third has twice that.
PROCESSES = 10_000_000
# Until somebody removes the file.
WAIT = 'while [ -e "$0" ]; do sleep 0.05; done'


def socket_to(path):
    line = sockets.socket(sockets.AF_UNIX)
    line.connect(str(path))
    return line


@contextlib.contextmanager
def recording(bench, socket, script=WAIT, *arguments):
    """A recording that goes on until the file is removed; gives the process and the file."""
    here = bench.work / "here"
    here.touch()
    shutil.rmtree(bench.work / "data", ignore_errors=True)
    with subprocess.Popen(
            [bench.fntrace, "record", "-m", f"guest=unix:{socket}", "-o", bench.work / "data",
             "sh", "-c", script, here, *arguments], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True) as process:
        try:
            until(lambda: socket.exists() or process.poll() is not None, "nobody listens")
            yield process, here
        finally:
            here.unlink(missing_ok=True)
            process.kill()


def by_machine(events):
    """Those of each machine, the one that recorded first."""
    found = {}
    for event in events:
        if event["ph"] != "M":
            found.setdefault(event["pid"] // PROCESSES, []).append(event)
    return found


def begins(events):
    return {machine: min(event["ts"] for event in of)
            for machine, of in by_machine(events).items()}


def record(bench, *machines, command, status=0, **options):
    words = [word for name, where in machines for word in ("-m", f"{name}={where}")]
    return bench.record(*command, options=words, status=status, **options)


def programs(bench):
    """Two machines that send, by Unix and TCP, and the program that is recorded."""
    program = bench.compile("family.c", "-pg", "-O1", "-ldl", name="family")
    socket = f"unix:{bench.work}/socket"
    script = bench.work / "script"
    with sockets.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script.write_text(f"""
{bench.fntrace} record --to {socket} {program} threads 3 2000 >{bench.work}/first &
{bench.fntrace} record --to tcp:{port} {program} threads 2 500 >{bench.work}/second &
{program} threads 1 100
wait
""", encoding="utf-8")
    directory, done = bench.record(
        "sh", script, options=("-m", f"one={socket}", "--tsc-offset", "0",
                               "-m", f"two=tcp:{port}", "--tsc-offset", "0"))
    events, said = bench.chrome(directory)
    for machine in ("one", "two"):
        expect(f"{machine}: aligned with host by the offset" in said, said)
    found = by_machine(events)
    expect(sorted(found) == [0, 1, 2], f"machines {sorted(found)}")
    texts = [done.stdout, *((bench.work / name).read_text(encoding="utf-8")
                            for name in ("first", "second"))]
    for index, text in enumerate(texts):
        compare(wanted(text), counts(found[index]))
    # They have one counter, so what was recorded at the same time is at the same time.
    spans = [(min(event["ts"] for event in of), max(event["ts"] for event in of))
             for of in found.values()]
    expect(max(span[0] for span in spans) - min(span[0] for span in spans) < 30e6, f"{spans}")
    about = run(bench.fntrace, "info", directory).stdout
    expect(len(re.findall("^command ", about, re.M)) == 3 and "sent by two:" in about, about)


def offsets(bench):
    """KVM's files, which are gone when the recording is read."""
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    socket = f"unix:{bench.work}/socket"
    kvm = bench.work / "kvm"
    sending = ["sh", "-c", '"$0" record --to "$1" "$2" 2 1 && "$2" 2 1 && rm -rf "$3"',
               bench.fntrace, socket, program, kvm]

    def once(pattern, files, wrong=""):
        for name, text in files.items():
            path = kvm / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        directory, done = bench.record(*sending, options=("-m", f"guest={socket}",
                                                          "--tsc-offset", pattern))
        expect((wrong in done.stderr) if wrong else "tsc-offset" not in done.stderr, done.stderr)
        return bench.chrome(directory)

    pattern = f"{kvm}/*/vcpu0/tsc-offset"
    events, said = once(pattern, {"1-2/vcpu0/tsc-offset": "0\n"})
    expect("by the offset of the counters" in said, said)
    begin = begins(events)
    # The guest's program was run first.
    expect(0 < begin[0] - begin[1] < 30e6, f"{begin}")
    # A guest whose counter is half an hour behind, at 1 to 5 GHz, is so much later.
    events, _ = once(pattern, {"1-2/vcpu0/tsc-offset": f"-{1800 * 10 ** 9}\n"})
    later = begins(events)
    expect(360e6 - 60e6 < later[1] - later[0] < 1800e6 + 60e6, f"{later}")
    # It counts twice as fast: so the times are half of them.
    events, _ = once(pattern, {"1-2/vcpu0/tsc-offset": "0\n",
                               "1-2/vcpu0/tsc-scaling-ratio": f"{1 << 33}\n",
                               "1-2/vcpu0/tsc-scaling-ratio-frac-bits": "32\n"})
    faster = begins(events)
    expect(abs(faster[1] / faster[0] - 0.5) < 0.1, f"{faster}")
    _, said = once(pattern, {}, wrong="neither a number nor such a file")
    expect("no messages both ways" in said, said)
    files = {f"{vm}/vcpu0/tsc-offset": "0\n" for vm in ("1-2", "3-4")}
    _, said = once(pattern, files, wrong="several such files")
    expect("no messages both ways" in said, said)


def kernel(bench):
    """A kernel that sends its buffers; -i is about it, not about the program."""
    image = bench.example("x86_64")
    socket = bench.work / "socket"
    ping = bench.built / "example" / "ping"
    script = """
qemu-system-x86_64 -machine pc -accel tcg -smp 2 -m 128 -nodefaults -no-user-config \\
	-display none -no-reboot -kernel "$1" -append "messages=1 stream=1" -serial null \\
	-chardev "socket,id=channel,path=$2/channel,server=on,wait=off" -serial chardev:channel \\
	-chardev "socket,id=dump,path=$2/socket" \\
	-device isa-debugcon,iobase=0xe9,chardev=dump \\
	-device isa-debug-exit,iobase=0xf4,iosize=4 &
while [ ! -S "$2/channel" ]; do sleep 0.1; done
"$0" "$2/channel" 50
status=$?
wait
exit $status
"""
    directory = bench.work / "data"
    run(bench.fntrace, "record", "-m", f"kernel=unix:{socket}", "-o", directory, "sh", "-c",
        script, ping, image, bench.work,
        env={**os.environ, "LD_LIBRARY_PATH": str(bench.built)})
    events, said = bench.chrome("-i", image, directory)
    expect("kernel: aligned with host by" in said, said)
    found = by_machine(events)
    names = [{event["name"] for event in found[machine] if event["ph"] == "B"}
             for machine in (0, 1)]
    expect("main" in names[0] and "handle_message" in names[1] and "fib" in names[1], f"{names}")


def nothing_of_its_own(bench):
    """A program without hooks, as a hypervisor is: what the guest sends is the recording."""
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    socket = f"unix:{bench.work}/socket"
    directory, done = record(bench, ("guest", socket), command=(
        "sh", "-c", '"$0" record --to "$1" "$2" 2 1', bench.fntrace, socket, program))
    expect("no function was traced" not in done.stderr, done.stderr)
    events, said = bench.chrome(directory)
    expect(by_machine(events).keys() == {0} and not said, said)


def silent(bench):
    """A machine that sends nothing is not waited for; its recording is none."""
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    socket = bench.work / "socket"
    directory, done = record(bench, ("guest", f"unix:{socket}"), command=(program, 2, 1),
                             status=1)
    expect("guest: nothing was received" in done.stderr, done.stderr)
    expect(not (directory / "machines").exists() and not socket.exists(), "something is left")
    events, said = bench.chrome(directory)
    expect(counts(events)["main"] == 1 and not said, said)
    # The same, if somebody is connected, as QEMU is for its guest, and says nothing.
    with recording(bench, socket) as (process, here):
        with socket_to(socket):
            here.unlink()
            said = process.communicate(timeout=TIMEOUT)[1]
    expect(process.returncode == 1 and "guest: nothing was received" in said, said)
    # Who connects and goes away is not the one that is waited for.
    with recording(bench, socket) as (process, here):
        socket_to(socket).close()
        for _ in range(2):
            expect("waiting at" in process.stderr.readline(), "nobody waits again")
        with socket_to(socket) as line:
            line.sendall(part(0, 10))
        here.unlink()
        said = process.communicate(timeout=TIMEOUT)[1]
    expect(process.returncode == 0 and (directory / "machines/guest").exists(), said)


def interrupted(bench):
    """SIGINT ends the wait for a machine that goes on; what was received is there."""
    program = bench.compile("family.c", "-pg", "-O1", "-ldl", name="family")
    socket, there = bench.work / "socket", bench.work / "there"
    there.touch()
    directory = bench.work / "data"
    with recording(bench, socket, f'"$1" threads 1 10; {WAIT}', program) as (process, here):
        sender = subprocess.Popen(
            [bench.fntrace, "record", "-s", "16k", "--to", f"unix:{socket}", "sh", "-c",
             f'"$1" threads 2 5000; {WAIT}', there, program], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(bench.work)})
        try:
            until(lambda: list(directory.glob("machines/guest/*.fntrace")) or
                  process.poll() is not None, "nothing came")
            here.unlink()
            said = ""
            while "waiting for what guest sends" not in said:
                line = process.stderr.readline()
                expect(line, f"it does not wait: {said}")
                said += line
            process.send_signal(signal.SIGINT)
            said += process.communicate(timeout=TIMEOUT)[1]
        finally:
            there.unlink()
            sender.wait(timeout=TIMEOUT)
    expect(process.returncode == 1 and "guest: not all of the recording was sent" in said, said)
    events, _ = bench.chrome(directory)
    found = by_machine(events)
    expect(counts(found[0])["main"] == 1 and found[1], "a part of the recording is missing")


def killed(bench):
    """When who records is killed, what was received by then is a recording."""
    socket = bench.work / "socket"
    directory = bench.work / "data"
    with recording(bench, socket) as (process, here):
        with socket_to(socket) as line:
            line.sendall(part(0, 100))
            until(lambda: list(directory.glob("machines/guest/*.fntrace")), "nothing came")
            process.kill()
            process.wait()
            here.unlink()
    about = directory / "machines/guest/about"
    until(lambda: re.search("^end ", about.read_text(encoding="utf-8"), re.M),
          "the receiving process does not end")
    events, _ = bench.chrome(directory / "machines/guest")
    expect(sum(event["ph"] == "B" for event in events) == 100, "records are missing")


def refused(bench):
    """What is wrong is told before anything is run."""
    ran = bench.work / "ran"
    program = ("touch", ran)

    def refuse(words, *options):
        directory = bench.work / "data"
        done = run(bench.fntrace, "record", *options, "-o", directory, *program, status=None)
        expect(done.returncode and words in done.stderr, f"{options}: {done.stderr}")
        expect(not ran.exists() and not directory.exists(), f"{options}: it was run")

    somewhere = f"unix:{bench.work}/socket"
    refuse("NAME=ADDRESS is wanted", "-m", "guest")
    refuse("NAME=ADDRESS is wanted", "-m", "guest=")
    refuse("NAME=ADDRESS is wanted", "-m", f"={somewhere}")
    refuse("no name for a machine", "-m", f"../guest={somewhere}")
    refuse("no name for a machine", "-m", f".={somewhere}")
    refuse("name of this machine", "-m", f"host={somewhere}")
    refuse("one of this name", "-m", f"a={somewhere}", "-m", f"a={somewhere}2")
    refuse("needs -m before it", "--tsc-offset", "0")
    refuse("one machine only", "-m", f"a={somewhere}", "--tsc-offset=kvm",
           "-m", f"b={somewhere}2", "--tsc-offset=kvm")
    refuse("either -m or --to", "-m", f"a={somewhere}", "--to", somewhere)
    refuse("a: cannot wait at", "-m", "a=unix:/nonexistent/socket")
    refuse("a: cannot read /nonexistent", "-m", "a=/nonexistent")
    # The first is not waited for any more.
    refuse("b: cannot wait at", "-m", f"a={somewhere}", "-m", "b=tcp:192.0.2.1:1")
    expect(not (bench.work / "socket").exists(), "the first still waits")


def smuggled(bench):
    """A machine says nothing about its own counter, nor about further machines."""
    socket = f"unix:{bench.work}/socket"
    sent = bench.work / "sent"
    sent.write_bytes(some_file("tsc-offset", b"1\n") + some_file("machines", b"x") + part(0, 10))
    send = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); " \
           "s.sendall(open(sys.argv[2], 'rb').read())"
    directory, done = record(bench, ("guest", socket), status=1, command=(
        sys.executable, "-c", send, socket.removeprefix("unix:"), sent))
    left = {path.name for path in (directory / "machines/guest").iterdir()}
    expect(left == {"about", "1-0.fntrace"} and "left out" in done.stderr, f"{left}: {done.stderr}")


def replaced(bench):
    """A recording with other machines gets another name, as others do, and is removed then."""
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    socket = f"unix:{bench.work}/socket"
    directory = bench.work / "data"
    for _ in range(3):
        run(bench.fntrace, "record", "-m", f"guest={socket}", "-o", directory, "sh", "-c",
            '"$0" record --to "$1" "$2" 2 1; "$2" 2 1', bench.fntrace, socket, program)
    expect(all((bench.work / name / "machines/guest/about").exists()
               for name in ("data", "data.old")), "one of them is missing")
    # Somebody else's directory of this name is not touched.
    (bench.work / "data.old/machines/mine").mkdir()
    (bench.work / "data.old/machines/mine/letter").write_text("mine", encoding="ascii")
    done = run(bench.fntrace, "record", "-o", directory, program, 2, 1, status=None)
    expect(done.returncode == 1 and (bench.work / "data.old/machines/mine/letter").exists(),
           done.stderr)


def ends(bench):
    """A line that stays open: the sender says that it has sent all."""
    socket = bench.work / "socket"
    with recording(bench, socket) as (process, here):
        with socket_to(socket) as line:
            line.sendall(some_file("clock", b"1 1\n") + part(0, 10) + END)
            until((bench.work / "data/machines/guest/clock").exists, "nothing came")
            here.unlink()
            said = process.communicate(timeout=TIMEOUT)[1]
    expect(process.returncode == 0, said)


def signals(bench):
    """However much is sent, and whoever is waited for."""
    socket = bench.work / "socket"
    # A part of a stream may be cut off.
    for kill, status in ((signal.SIGTERM, (128 + signal.SIGTERM,)), (signal.SIGINT, (0, 1))):
        with recording(bench, socket) as (process, here):
            with socket_to(socket) as line:
                sender = threading.Thread(target=send_on, args=(line,))
                sender.start()
                until(lambda: has_records(bench.work / "data/machines/guest"), "nothing came")
                if kill == signal.SIGINT:
                    here.unlink()
                    time.sleep(1)
                process.send_signal(kill)
                said = process.communicate(timeout=TIMEOUT)[1]
                line.shutdown(sockets.SHUT_RDWR)
                sender.join()
        expect(process.returncode in status, f"{kill}: status {process.returncode}: {said}")


def has_records(directory):
    """The first name tells: there may be more of them faster than they can be listed."""
    with contextlib.suppress(OSError), os.scandir(directory) as names:
        return any(name.name.endswith(".fntrace") for name in names)
    return False


def send_on(line):
    """More and more of the same, until nobody takes it."""
    data = part(0, 2000)
    with contextlib.suppress(OSError):
        while True:
            line.sendall(data)


def host_and_guest(bench, name, guests):
    """A recording as -m makes it; of each guest its name, first counter, and offset."""
    directory = bench.work / name
    for path, first, offset in [("", 10 ** 9, None)] + guests:
        place = directory / "machines" / path if path else directory
        place.mkdir(parents=True)
        (place / "1-0.fntrace").write_bytes(
            buffer([(first, ENTRY, 0, 1), (first + 1000, EXIT, 0, 1)], hertz=10 ** 9))
        # The same rate, and two readings that are far apart.
        (place / "clock").write_text(f"{first} {first}\n{first + 10 ** 9} {first + 10 ** 9}\n",
                                     encoding="ascii")
        (place / "about").write_text("begin x\n", encoding="ascii")
        if offset is not None:
            (place / "tsc-offset").write_text(f"{offset}\n", encoding="ascii")
    return directory


def listed(bench, *words, status=0):
    """Machines of the events, each with the first time in s, and what was said."""
    done = run(bench.fntrace, "replay", *words, status=status)
    found = {}
    for line in done.stdout.splitlines():
        match = re.match(r" *([\d.]+) (?:(\S+):)?\S+-\d+ ", line)
        if match:
            found.setdefault(match.group(2), float(match.group(1)))
    return found, done.stderr


def names(bench):
    """Two hosts may have guests of the same name, and a guest the name of a host."""
    second = 10 ** 9
    one = host_and_guest(bench, "one", [("guest", 5 * second, 3 * second)])
    two = host_and_guest(bench, "two", [("guest", 9 * second, 3 * second)])
    found, said = listed(bench, one)
    expect(found == {"host": 1.0, "guest": 2.0}, f"{found}: {said}")
    found, said = listed(bench, "-m", "guest", one)
    expect(found == {"guest": 1.0, "guest/guest": 2.0}, f"{found}: {said}")
    found, said = listed(bench, "-m", "a", one, "-m", "b", two)
    expect(found.keys() == {"a", "a/guest", "b", "b/guest"} and found["a/guest"] == 2.0 and
           "b/guest: not aligned" in said, f"{found}: {said}")
    # Not the terminal's business.
    (one / "machines/guest").rename(one / "machines/gu\x1b[31mest")
    found, said = listed(bench, one)
    expect(found == {"host": 1.0, "gu?[31mest": 2.0} and "\x1b" not in said, f"{found}: {said}")


def kvm_events():
    """Can KVM and its events be used here?"""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        raise Skip("no KVM")
    for event in ("kvm_pio", "kvm_write_tsc_offset"):
        if not os.access(f"/sys/kernel/tracing/events/kvm/{event}/enable", os.W_OK):
            raise Skip("no events of KVM")


def firmware(bench, rounds):
    """Firmware for a guest that sends so many calls."""
    sent = buffer([(0, kind, 0, 0x1000) for kind in (ENTRY, EXIT) * rounds], hertz=0)
    (bench.work / "header").write_bytes(sent[:4096])
    (bench.work / "whats").write_bytes(b"".join(sent[at:at + 8]
                                                for at in range(4104, len(sent), 16)))
    run("gcc", "-m32", f"-Wa,-I{bench.work}", "-c", TESTS / "kvm.S", "-o", bench.work / "kvm.o")
    run("ld", "-m", "elf_i386", "-Ttext=0", "--oformat", "binary", bench.work / "kvm.o", "-o",
        bench.work / "kvm.bin")
    return bench.work / "kvm.bin"


def kvm(bench):
    """Under KVM, each record is made after the one before has been sent, and then sent."""
    rounds = 20
    kvm_events()
    need("qemu-system-x86_64")
    # Out of tree: KVM where the CPU has no means for it. What guests read is the counter itself.
    exact = os.path.exists("/sys/module/kvm_pvm")
    bios = firmware(bench, rounds)
    for offset in ("kvm", "0") if exact else ("kvm",):
        directory, done = bench.record(
            "timeout", TIMEOUT, "qemu-system-x86_64", "-accel", "kvm", "-nodefaults",
            "-display", "none", "-m", "16", "-bios", bios,
            "-chardev", f"socket,id=trace,path={bench.work}/socket",
            "-device", "isa-debugcon,chardev=trace",
            "-device", "isa-debug-exit,iobase=0xf4,iosize=4", status=1,
            options=("-e", "kvm:kvm_pio", "-m", f"guest=unix:{bench.work}/socket",
                     f"--tsc-offset={offset}"))
        events, said = bench.chrome(directory)
        expect("guest: aligned with host by the offset" in said, said + done.stderr)
        if offset == "0" or not exact:
            in_order(events, rounds)


def in_order(events, rounds):
    """What is sent before a record, the record, and then its 16 bytes, in the order of time."""
    sent, records = 0, 0
    for event in sorted(events, key=lambda event: event.get("ts", 0)):
        match = re.match(r"pio_write at 0xe9 size 1 count (\d+)",
                         event.get("args", {}).get("text", ""))
        if match:
            sent += int(match.group(1))
        elif event["ph"] in "BE" and event["pid"] > PROCESSES:
            expect(sent == 4096 + 16 * records, f"record {records} comes after {sent} bytes")
            records += 1
    expect(records == 2 * rounds and sent == 4096 + 16 * records, f"{records} records, {sent}")


def guests_alone(bench):
    """Their offsets are from the host's counter, even if nothing of the host was recorded."""
    second = 10 ** 9
    both = host_and_guest(bench, "both", [("a", 5 * second, 3 * second),
                                          ("b", 9 * second, 7 * second)])
    (both / "1-0.fntrace").unlink()
    found, said = listed(bench, both)
    expect(found == {"a": 2.0, "b": 2.0}, f"{found}: {said}")
    # Without offsets, the first one has the clock.
    for name in ("a", "b"):
        (both / "machines" / name / "tsc-offset").unlink()
    found, said = listed(bench, both)
    expect(found["a"] == 5.0 and "b: not aligned with a" in said, f"{found}: {said}")


def damaged(bench):
    """What can be read is read, and somebody else's files are left alone."""
    second = 10 ** 9
    for text in ("", "x", "1" * 30, "7x"):
        data = host_and_guest(bench, f"data{len(text)}{text[-1:]}", [("guest", 5 * second, 0)])
        (data / "machines/guest/tsc-offset").write_text(text, encoding="ascii")
        found, said = listed(bench, data, status=1)
        expect(found.keys() == {"host", "guest"} and "tsc-offset: left out: damaged" in said, said)
    data = host_and_guest(bench, "ratio", [("guest", 5 * second, 0)])
    (data / "machines/guest/tsc-scaling-ratio").write_text("0\n", encoding="ascii")
    found, said = listed(bench, data, status=1)
    expect(found.keys() == {"host", "guest"} and "left out: damaged" in said, said)
    data = host_and_guest(bench, "empty", [("guest", 5 * second, 3 * second)])
    (data / "machines/other").mkdir()
    found, said = listed(bench, data, status=1)
    expect(found == {"host": 1.0, "guest": 2.0} and "machines/other: no trace in it" in said, said)
    # Who received it was killed, so it has a beginning or nothing; it is replaced all the same.
    (data / "machines/third").mkdir()
    (data / "machines/third/about").write_text("begin x\n", encoding="ascii")
    program = bench.compile("paced.c", "-pg", "-O1", name="paced")
    for _ in range(2):
        run(bench.fntrace, "record", "-o", data, program, 2, 1)
    # A file that no recording has.
    mine = bench.work / "empty.old/machines/.mine"
    mine.parent.mkdir()
    mine.mkdir()
    (mine / "letter").write_text("mine", encoding="ascii")
    done = run(bench.fntrace, "record", "-o", data, program, 2, 1, status=None)
    expect(done.returncode == 1 and (mine / "letter").exists(), done.stderr)


def tests():
    yield "record -m: two programs that send", programs
    yield "record -m: offsets of counters", offsets
    yield "record -m: a kernel", kernel
    yield "record -m: nothing of its own", nothing_of_its_own
    yield "record -m: nothing is sent", silent
    yield "record -m: SIGINT", interrupted
    yield "record -m: killed", killed
    yield "record -m: bad arguments", refused
    yield "record -m: files that are not sent", smuggled
    yield "record -m: a second time", replaced
    yield "record -m: the end of a serial line", ends
    yield "record -m: signals", signals
    yield "record -m: names of machines", names
    yield "record -m: several guests, nothing of the host", guests_alone
    yield "record -m: KVM", kvm
    yield "record -m: damaged offsets and directories", damaged
