#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A Debian 13 system in QEMU with the packages of build/deb, and the tools that people trace with.

    debroot.py          a shell in it; what is changed there stays

With BASE=stock in the environment, its kernel is Debian's own of the same version. Packages and
initramfs are installed and made by Debian's tools, see harness/root.
"""

import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile

import accel
import deb
import guest
import ui
from ui import BUILD, LOGS, ROOT, Failure, shown

SUITE = "trixie"
SYSTEM = ("systemd-sysv", "udev", "kmod", "initramfs-tools", "zstd", "procps", "less", "iproute2",
          "man-db", "gcc", "libc6-dev", "make", "adduser")
# perf and rtla are of the kernel's version only in the backports.
TOOLS = ("trace-cmd", "bpftrace", "uftrace", "bpfcc-tools", f"linux-perf/{SUITE}-backports",
         f"rtla/{SUITE}-backports")
# Of sid; not with the others, as it calls adduser before that is configured.
LATER = ("perfetto",)
STOCK = f"linux-image-{{}}+deb13-cloud-amd64/{SUITE}-backports"
WHERE = BUILD / "debian"
# As for the small kernels of guest.py; ACPI finds the clock here.
OPTIONS = "root=/dev/vda rw console=ttyS0 panic=-1 oops=panic"


def stamped(path, words, make):
    """Call MAKE() unless @path was made of the same words."""
    stamp = path.with_name(path.name + ".of")
    digest = hashlib.sha256("\n".join(words).encode()).hexdigest()
    if path.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        return
    stamp.unlink(missing_ok=True)
    make()
    stamp.write_text(digest, encoding="utf-8")


def identity(path):
    """A file by its name, size and time."""
    status = path.stat()
    return f"{path.name} {status.st_size} {status.st_mtime_ns}"


def root(*words):
    """Run harness/root, which says by itself what went wrong."""
    if subprocess.call([ROOT / "harness" / "root", *words]):
        raise Failure("no system of Debian was made")


def archive():
    """The system without a kernel, as build/debian/SUITE.tar."""
    tar = WHERE / f"{SUITE}.tar"

    def make():
        with ui.Step(f"a root of Debian's {SUITE}") as step:
            root("make", tar, SUITE, *SYSTEM, *TOOLS)
            step.outcome = f"{tar.stat().st_size / 1e6:.0f} MB"

    stamped(tar, (*SYSTEM, *TOOLS, (ROOT / "harness" / "root").read_text(encoding="utf-8")), make)
    return tar


def packages(kind):
    """What of the system is not in archive(): our packages, or Debian's kernel."""
    if kind == "stock":
        source = ui.ask(["make", "-s", "-C", deb.wanted().source, "kernelversion"])
        return [STOCK.format(source.stdout.strip())]
    found = sorted(deb.PACKAGES.glob("*.deb"))
    if not found:
        raise Failure(f"{shown(deb.PACKAGES)} has no packages; make deb makes them")
    return found


def disk(kind):
    """The directory with disk image, kernel and initramfs: KIND is "ours" or "stock"."""
    tar, wanted, target = archive(), packages(kind), WHERE / kind

    def make():
        with ui.Step(f"install {'our packages' if kind == 'ours' else wanted[0]}"):
            root("install", tar, target, *wanted, *LATER)

    stamped(target, (identity(tar), *LATER, *(
        identity(path) if isinstance(path, pathlib.Path) else path for path in wanted)), make)
    return target


def left_behind():
    """What is different after our packages were installed and purged, as lines of diff."""
    done = ui.ask([ROOT / "harness" / "root", "remove", archive(), *packages("ours")])
    if done.stderr:
        raise Failure(done.stderr.strip())
    return done.stdout.splitlines()


def command(place, accelerator, *options, append=""):
    """QEMU with a system of disk()."""
    return ["qemu-system-x86_64", "-machine", "q35", "-cpu", "max", "-accel", accelerator,
            "-smp", "2", "-m", "2G", "-display", "none", "-nic", "none", "-no-reboot",
            "-kernel", str(place / "vmlinuz"), "-initrd", str(place / "initrd.img"),
            "-append", f"{OPTIONS} {append}".strip(),
            "-drive", f"file={place / 'disk.img'},format=raw,if=virtio", *options]


def run(kind, script, log_name, *, files=None, append="", timeout=900, on_line=None):
    """Boot a system, run a job in it, and return a guest.Result; nothing of it stays.

    SCRIPT is what sh runs as root; FILES maps names beside it to paths or texts.
    """
    place = disk(kind)
    with ui.scratch("job") as directory:
        (directory / "run").write_text(script, encoding="utf-8")
        with tarfile.open(directory / "job.tar", "w") as job:
            job.add(directory / "run", "run")
            for name, source in (files or {}).items():
                if isinstance(source, str):
                    (directory / "file").write_text(source, encoding="utf-8")
                    source = directory / "file"
                job.add(source, name)

        def argv(accelerator, console):
            return command(
                place, accelerator, "-snapshot", "-monitor", "none",
                "-drive", f"file={directory / 'job.tar'},format=raw,if=virtio",
                "-serial", f"file:{console}", "-serial", "stdio", append=append)

        return guest.attend(argv, log_name, on_line=on_line, timeout=timeout,
                            kvm=os.uname().machine == "x86_64")


def main(_):
    place = disk("stock" if os.environ.get("BASE") == "stock" else "ours")
    if not sys.stdin.isatty():
        result = run(place.name, "uname -r\n", "try")
        if result.trouble():
            raise Failure(f"{result.trouble()} (log: {shown(LOGS / 'console-try.log')})")
        print(f"done: Debian {SUITE} booted with {result.lines[0]}")
        return 0
    return subprocess.call([*command(place, "kvm" if accel.proven() else guest.TCG,
                                     append="quiet"), "-serial", "mon:stdio"])


if __name__ == "__main__":
    ui.main(main)
