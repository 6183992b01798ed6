# SPDX-License-Identifier: GPL-2.0-or-later
"""How many instructions a function takes while an x86_64 kernel starts.

QEMU's gdb stub stops the guest where the function begins and where it returns to. QEMU
counts the instructions of a guest that it records for replay, and its monitor, which the stub
passes commands to, prints the count. Packets are as in the appendix "gdb Remote Serial
Protocol" of gdb's manual, registers in the order of its amd64 description.
"""

import os
import re
import socket
import subprocess
import tempfile
import threading

import guest
import ui
from ui import BUILD, LOGS, Failure, shown

# The numbers of registers, each of which is packed in 8 bytes.
RSP, RIP = 7, 16
TIMEOUT = 120


class Stub:
    """A connection to a gdb stub."""

    def __init__(self, line):
        self.line = line
        self.bytes = line.makefile("rb")

    def reply(self):
        """The next packet."""
        while (byte := self.bytes.read(1)) != b"$":
            if not byte:
                raise Failure("QEMU ended before the function was called")
        packet = bytearray()
        while (byte := self.bytes.read(1)) not in (b"#", b""):
            packet += byte
        self.bytes.read(2)
        self.line.sendall(b"+")
        return packet.decode()

    def ask(self, packet):
        self.line.sendall(b"$%s#%02x" % (packet.encode(), sum(packet.encode()) % 256))
        return self.reply()

    def run_to(self, address):
        """Continue until the guest comes to an address."""
        if self.ask(f"Z1,{address:x},1") != "OK":
            raise Failure("QEMU's gdb stub sets no breakpoint")
        stopped = self.ask("c")
        if not stopped.startswith("T05") or self.register(RIP) != address:
            raise Failure(f"the guest stopped elsewhere: {stopped}")
        self.ask(f"z1,{address:x},1")

    def register(self, number):
        text = self.ask("g")[16 * number:16 * number + 16]
        return int.from_bytes(bytes.fromhex(text), "little")

    def word(self, address):
        return int.from_bytes(bytes.fromhex(self.ask(f"m{address:x},8")), "little")

    def counted(self):
        """How many instructions the guest has run."""
        said, reply = "", self.ask("qRcmd," + b"info replay".hex())
        while reply.startswith("O") and reply != "OK":
            said += bytes.fromhex(reply[1:]).decode()
            reply = self.reply()
        value = re.search(r"instruction count = (\d+)", said)
        if not value:
            raise Failure(f"QEMU's monitor counts no instructions: {said.strip()}")
        return int(value[1])


def address_of(kernel, symbol):
    table = (kernel.out / "System.map").read_text(encoding="utf-8")
    found = re.search(rf"^([0-9a-f]+) \w {symbol}$", table, re.MULTILINE)
    if not found:
        raise Failure(f"the {kernel.what} has no {symbol}")
    return int(found[1], 16)


def instructions(kernel, function):
    """How many instructions the first call of a function takes."""
    address = address_of(kernel, function)
    log = LOGS / f"bootcount-{function}-{kernel.label}.log"
    with tempfile.TemporaryDirectory(dir=BUILD, prefix="job-") as directory, \
            open(log, "wb") as output:
        place = os.path.join(directory, "gdb")
        argv = [*guest.command(kernel, guest.root_image(kernel), guest.TCG, 1, "nokaslr", False),
                "-icount", f"shift=0,rr=record,rrfile={os.path.join(directory, 'replay')}",
                "-serial", "null", "-monitor", "none",
                "-gdb", f"unix:{place},server=on,wait=on", "-S"]
        with subprocess.Popen(argv, stdout=output, stderr=output) as qemu:
            limit = threading.Timer(TIMEOUT, qemu.kill)
            limit.start()
            try:
                with socket.socket(socket.AF_UNIX) as line:
                    while not os.path.exists(place) and qemu.poll() is None:
                        ui.STOPPING.wait(0.05)
                    line.connect(place)
                    stub = Stub(line)
                    stub.run_to(address)
                    begin = stub.counted()
                    stub.run_to(stub.word(stub.register(RSP)))
                    count = stub.counted() - begin
            except (OSError, Failure) as error:
                raise Failure(f"{function}() of the {kernel.what}: {error} "
                              f"(log: {shown(log)})") from error
            finally:
                limit.cancel()
                qemu.kill()
    return count
