#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of accel.py with programs that behave as QEMU on a machine whose KVM does
not work, or does (KTAP)."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import time

import accel
import guest
import ktap
import ui

# What a guest does, by accelerator. The console's first line comes from the
# kernel; a boot sector's letter comes on the other line.
FAKE = """
import sys, time
kind, accelerator, console = sys.argv[1:]

def kernel(*lines):
    with open(console, "a") as out:
        out.write("".join(line + "\\n" for line in lines))

def job(line):
    print(line, flush=True)

if accelerator == "tcg":
    kernel("Linux version")
    job("by tcg")
    job("@exit 0")
    sys.exit(0)
if kind == "dies":
    sys.exit(1)
if kind == "hangs":
    time.sleep(60)
if kind == "boots only sectors":
    job("K")
    time.sleep(60)
kernel("Linux version")
if kind == "works":
    job("by kvm")
    job("@exit 0")
if kind == "panics":
    kernel("[    1.0] Kernel panic - not syncing: it is meant to")
if kind == "dies later":
    sys.exit(1)
if kind == "falls silent":
    job("by kvm")
    time.sleep(60)
if kind == "takes long":
    while True:
        job("still here")
        time.sleep(0.1)
"""


class Run:
    """One guest, on a machine with KVM; and what accel.py made of it."""

    def __init__(self, work, kind):
        self.lines, self.status = [], None
        console = work / "console"

        def take(line):
            if line is None:
                self.lines.clear()
            elif line.startswith("@exit "):
                self.status = int(line.split()[1])
            else:
                self.lines.append(line)

        def ended_well():
            return self.status is not None or bool(guest.splats(console))

        began = time.monotonic()
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.end = accel.run(
                lambda name: [sys.executable, "-c", FAKE, kind, name, console], "tcg",
                work / "log", console, take, ended_well, kvm=True, timeout=3)
        self.seconds = time.monotonic() - began
        self.said = said.getvalue()
        self.console = console.read_text(encoding="utf-8") if console.exists() else ""


def tests(work):
    """Yield (name, ok) of each test."""
    verdict = accel.VERDICT = work / "accel"

    def run(kind, choice=None, before=None):
        os.environ.pop("ACCEL", None)
        if choice:
            os.environ["ACCEL"] = choice
        verdict.unlink(missing_ok=True)
        if before:
            verdict.write_text(before, encoding="utf-8")
        return Run(work, kind)

    def kept():
        return verdict.read_text(encoding="utf-8") if verdict.exists() else ""

    accel.FIRST_WORDS, accel.SILENCE = 1, 1
    really = os.access
    os.access = lambda path, mode: path == "/dev/kvm" or really(path, mode)
    for kind in ("dies", "hangs", "boots only sectors", "dies later", "falls silent"):
        one = run(kind)
        yield (f"KVM that {kind}: the guest runs under TCG",
               one.lines == ["by tcg"] and one.status == 0 and one.end == 0)
        yield (f"KVM that {kind}: its console is that of the second run",
               one.console == "Linux version\n")
        yield (f"KVM that {kind}: one line about it, and the verdict kept",
               one.said.count("\n") == 1 and "KVM does not work here" in one.said
               and kept().startswith("tcg: "))
    yield "KVM without a first word is given up within seconds", run("hangs").seconds < 2.9
    one = run("works")
    yield ("KVM that works is used, and found to work",
           one.lines == ["by kvm"] and kept() == "kvm\n" and not one.said)
    one = run("panics")
    yield ("a kernel that panics under KVM is not run again",
           "panic" in one.console and not one.lines and kept() == "kvm\n")
    one = run("takes long")
    yield ("a job that takes too long, but talks, is not run again",
           one.end == ui.TIMED_OUT and set(one.lines) == {"still here"} and not kept())
    one = run("works", before="tcg: it was seen to hang\n")
    yield "a verdict is heeded", one.lines == ["by tcg"] and not one.said
    one = run("falls silent", before="kvm\n")
    yield "a verdict for KVM is withdrawn", one.lines == ["by tcg"] and kept().startswith("tcg")
    one = run("works", choice="tcg")
    yield "ACCEL=tcg overrides", one.lines == ["by tcg"] and not kept()
    one = run("works", choice="kvm", before="tcg: it was seen to hang\n")
    yield "ACCEL=kvm overrides a verdict", one.lines == ["by kvm"]
    one = run("hangs", choice="kvm")
    yield "ACCEL=kvm takes what comes", one.end == ui.TIMED_OUT and not one.lines
    try:
        run("works", choice="qvm")
        yield "ACCEL=qvm is refused", False
    except ui.Failure as failure:
        yield "ACCEL=qvm is refused", "kvm or tcg" in str(failure)
    os.environ.pop("ACCEL")
    os.access = lambda path, mode: path != "/dev/kvm" and really(path, mode)
    one = run("works")
    yield "no /dev/kvm, no KVM", one.lines == ["by tcg"] and not one.said
    os.access = really


def main():
    with tempfile.TemporaryDirectory() as work:
        return ktap.write(tests(pathlib.Path(work)))


if __name__ == "__main__":
    sys.exit(main())
