#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A Debian 13 system in QEMU with the packages of make deb, and the tools that people trace with.

    debroot.py          a shell in it; what is changed there stays for the next one

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
import series
import ui
from ui import BUILD, LOGS, ROOT, Failure, shown

SUITE = "trixie"
SYSTEM = ("systemd-sysv", "udev", "kmod", "initramfs-tools", "zstd", "procps", "less", "iproute2",
          "man-db", "gcc", "libc6-dev", "make", "adduser", "gawk", "iputils-ping")
# perf and rtla are of the kernel's version only in the backports.
TOOLS = ("trace-cmd", "bpftrace", "uftrace", "bpfcc-tools", "dkms", "stress-ng",
         f"linux-perf/{SUITE}-backports", f"rtla/{SUITE}-backports")
# perfetto is in sid only. Its preinst calls adduser, which has to be configured by then, so it
# is not in TOOLS. The ? says that the system does not need it.
LATER = ("?perfetto",)
ARCH = "amd64"
WHERE = BUILD / "debian"
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


def root(what, *words):
    """Run harness/root."""
    ui.must([ROOT / "harness" / "root", *words], ui.fresh_log("root-calls"), what)


def archive():
    """The system without a kernel, as build/debian/SUITE.tar."""
    tar = WHERE / f"{SUITE}.tar"

    def make():
        with ui.Step(f"a root of Debian's {SUITE}") as step:
            root(step.what, "make", tar, SUITE, *SYSTEM, *TOOLS)
            step.outcome = f"{tar.stat().st_size / 1e6:.0f} MB"

    stamped(tar, (*SYSTEM, *TOOLS, (ROOT / "harness" / "root").read_text(encoding="utf-8")), make)
    return tar


def stock_kernel():
    """The package of Debian's kernel of the same version as ours."""
    series.tree(quiet=True)
    return f"linux-image-{deb.kernel_version(series.TREE)}+deb13-cloud-{ARCH}/{SUITE}-backports"


def stock_headers():
    """The package of the headers of stock_kernel()."""
    return stock_kernel().replace("-image-", "-headers-")


def packages(kind):
    """What of the system is not in archive(): our packages, or Debian's kernel."""
    if kind == "stock":
        return [stock_kernel(), stock_headers()]
    found = sorted(deb.directory(ARCH).glob("*.deb"))
    if not found:
        raise Failure(f"no packages in {shown(deb.directory(ARCH))}; make deb makes them")
    return found


def disk(kind):
    """The directory with disk image, kernel and initramfs: KIND is "ours" or "stock"."""
    wanted, target = packages(kind), WHERE / kind
    tar = archive()

    def make():
        with ui.Step(f"install {'our packages' if kind == 'ours' else wanted[0]}") as step:
            root(step.what, "install", tar, target, *wanted, *LATER)

    stamped(target, (identity(tar), *LATER, *(
        identity(path) if isinstance(path, pathlib.Path) else path for path in wanted)), make)
    return target


def left_behind():
    """How a system differs from what it was, beside Debian's kernel, after our packages were
    installed and purged: lines of diff."""
    lines = []
    log = LOGS / "root-calls.log"
    status = ui.run([ROOT / "harness" / "root", "remove", archive(), stock_kernel(),
                     *packages("ours")], log, on_line=lines.append)
    if status not in (0, 1) or status == 1 and not any(line[:1] in "<>" for line in lines):
        raise Failure(f"removing our packages failed: {ui.last_error(log)} (log: {shown(log)})")
    return [line for line in lines if line[:1] in ("<", ">")]


def command(place, image, accelerator, *options, append=""):
    """QEMU with a system of disk()."""
    return ["qemu-system-x86_64", "-machine", "q35", "-cpu", "max", "-accel", accelerator,
            "-smp", "2", "-m", "2G", "-display", "none", "-nic", "none", "-no-reboot",
            "-kernel", str(place / "vmlinuz"), "-initrd", str(place / "initrd.img"),
            "-append", f"{OPTIONS} {append}".strip(),
            "-drive", f"file={place / image},format=raw,if=virtio", *options]


def run(kind, script, log_name, *, files=None, timeout=900, options=(), on_line=None):
    """Boot a system, run a job in it, and return a guest.Result; nothing of it stays.

    SCRIPT is what sh runs as root; FILES maps names beside it to paths; OPTIONS are for QEMU;
    ON_LINE is called with each line that the job prints.
    """
    place = disk(kind)
    with ui.scratch("job") as directory:
        (directory / "run").write_text(script, encoding="utf-8")
        with tarfile.open(directory / "job.tar", "w") as job:
            job.add(directory / "run", "run")
            for name, source in (files or {}).items():
                job.add(source, name)

        def argv(accelerator, console):
            return command(
                place, "disk.img", accelerator, "-snapshot", "-monitor", "none",
                "-drive", f"file={directory / 'job.tar'},format=raw,if=virtio",
                "-serial", f"file:{console}", "-serial", "stdio", *options)

        return guest.attend(argv, log_name, timeout=timeout, on_line=on_line,
                            kvm=os.uname().machine == "x86_64" and not options)


def shell(kind):
    """Hand the terminal to a shell in a system of its own."""
    place = disk(kind)
    image = place / "shell.img"
    if not image.exists():
        deb.said("copying the disk", "cp", "--sparse=always", "--reflink=auto",
                 place / "disk.img", image)
    ui.say("poweroff ends it, or Ctrl-A x")
    status = subprocess.call([*command(place, image.name,
                                       "kvm" if accel.proven() else guest.TCG, append="quiet"),
                              "-serial", "mon:stdio"])
    print(f"done: {shown(image)} keeps what was changed")
    return status


def main(_):
    kind = "stock" if os.environ.get("BASE") == "stock" else "ours"
    if sys.stdin.isatty():
        return shell(kind)
    result = run(kind, "uname -r\n", "try")
    if result.trouble():
        raise Failure(f"{result.trouble()} (log: {shown(LOGS / 'console-try.log')})")
    print(f"done: Debian {SUITE} booted with {result.lines[0]}")
    return 0


if __name__ == "__main__":
    ui.main(main)
