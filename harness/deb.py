#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make packages for Debian, in build/deb: of the patched kernel, and of fntrace.

FLAVOUR and ARCH, from the environment, say which of Debian's kernels is configured alike:
cloud, rt, or the one that is called like its architecture, amd64 or arm64. kbuild's bindeb-pkg
makes the packages of the kernel, and debhelper those of fntrace, which are for this machine's
architecture.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

import kernel as kernels
import series
import ui
from ui import BUILD, ROOT, Failure, shown

PACKAGES = BUILD / "deb"
FNTRACE = ROOT / "tools" / "tracing" / "fntrace"
# Debian's names of architectures.
MACHINES = {"amd64": "x86_64", "arm64": "arm64"}
NAME = "The static-key tracepoints developers"
EMAIL = "developers@static-key-tracepoints.example.org"
# Files that two cores compile in a minute.
RATE = 95


def wanted():
    """The kernel that FLAVOUR and ARCH name; harness/setup has refused others."""
    machine = MACHINES[os.environ.get("ARCH") or "amd64"]
    return kernels.Kernel(f"{machine}-deb-{os.environ.get('FLAVOUR') or 'cloud'}")


def revision():
    """Of the packages of the kernel: later commits have greater ones."""
    done = subprocess.run(
        ["git", "-C", ROOT, "log", "-1", "--date=format:%Y%m%d.%H%M", "--format=%cd"],
        capture_output=True, text=True, check=True)
    return done.stdout.strip()


def pack_kernel(kernel, scratch):
    """Build the kernel and its packages; returns these."""
    kernel.log.write_text("", encoding="utf-8")
    parent = kernel.out.parent
    for path in parent.glob("*.deb"):
        path.unlink()
    with ui.Step(f"build and pack the {kernel.what}") as step:
        kernel.configure()
        if not kernel.image.exists():
            step.total = kernel.config.steps

        def on_line(line):
            if kernels.BUILT.match(line):
                step.advance(note=line.split()[-1])

        version = ui.ask(["make", "-s", "-C", kernel.source, "kernelversion"]).stdout.strip()
        ui.must(kernel.make("bindeb-pkg"), kernel.log, f"packing the {kernel.what}",
                on_line=on_line, env={
                    **kernels.environment(), "KDEB_SOURCENAME": "linux-skt",
                    "KDEB_PKGVERSION": f"{version}-{revision()}",
                    "KDEB_CHANGELOG_DIST": "trixie", "KDEB_COMPRESS": "xz",
                    "DEBFULLNAME": NAME, "DEBEMAIL": EMAIL,
                    # Quick to make, and gigabytes: what a debugger reads is in build/obj.
                    "DEB_BUILD_PROFILES": "pkg.linux-skt.nokerneldbg",
                    # Else each command is printed, and not what it makes.
                    "DEB_BUILD_OPTIONS": "terse"})
        made = []
        for path in sorted(parent.glob("*.deb")):
            # The headers of the C library: Debian's are the right ones.
            if path.name.startswith("linux-libc-dev_"):
                path.unlink()
                continue
            if path.name.startswith("linux-headers-"):
                strip_programs(kernel, path, scratch)
            made.append(path)
        for pattern in ("*.changes", "*.buildinfo"):
            for path in parent.glob(pattern):
                path.unlink()
        return made


def strip_programs(kernel, package, scratch):
    """bindeb-pkg leaves what only a debugger reads in the programs of the headers."""
    directory = scratch / package.stem
    log = ui.fresh_log("deb-headers")

    def call(*argv):
        ui.must(list(map(str, argv)), log, f"stripping {package.name}")

    call("dpkg-deb", "-R", package, directory)
    sums = []
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory)
        if path.is_symlink() or not path.is_file() or name.parts[0] == "DEBIAN":
            continue
        if os.access(path, os.X_OK) and path.read_bytes()[:4] == b"\x7fELF":
            call(f"{kernel.arch.cross}strip", path)
        sums.append(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {name}\n")
    (directory / "DEBIAN" / "md5sums").write_text("".join(sums), encoding="utf-8")
    call("dpkg-deb", "--root-owner-group", "-Zxz", "-b", directory, package)


def pack_fntrace(scratch):
    """Build fntrace's packages out of the files that git knows; returns them."""
    log = ui.fresh_log("deb-fntrace")
    with ui.Step("build and pack fntrace"):
        files = subprocess.run(["git", "-C", FNTRACE, "ls-files", "-z"], capture_output=True,
                               text=True, check=True).stdout.split("\0")
        for name in filter(None, files):
            target = scratch / "fntrace" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(FNTRACE / name, target)
        ui.must([*kernels.NICE, "dpkg-buildpackage", "-us", "-uc", "-b", f"-j{os.cpu_count()}"],
                log, "packing fntrace", cwd=scratch / "fntrace",
                env={**os.environ, "DEB_BUILD_OPTIONS": "noautodbgsym"})
        return sorted(scratch.glob("*.deb"))


def lint(packages):
    """A package with an error of lintian's is none."""
    log = ui.fresh_log("lintian")
    with ui.Step("lintian") as step:
        status = ui.run(["lintian", "--allow-root", "--fail-on", "error", "--tag-display-limit=0",
                         *packages], log)
        tags = re.findall(r"^[EW]: .*", log.read_text(encoding="utf-8"), re.MULTILINE)
        if status:
            raise Failure(f"{next((tag for tag in tags if tag[0] == 'E'), 'lintian failed')} "
                          f"(log: {shown(log)})")
        step.outcome = f"no error, {len(tags)} warnings"


def make():
    """Make all packages; returns them."""
    kernel = wanted()
    if not kernel.image.exists():
        print(f"compiles {kernel.config.steps:,} files, on two cores about "
              f"{kernel.config.steps // RATE} minutes the first time, and keeps 16 GiB in "
              f"{shown(kernel.out)}", flush=True)
    series.tree()
    shutil.rmtree(PACKAGES, ignore_errors=True)
    with ui.scratch("deb") as scratch:
        made = [*pack_kernel(kernel, scratch), *pack_fntrace(scratch)]
        lint(made)
        PACKAGES.mkdir()
        return [pathlib.Path(shutil.move(path, PACKAGES / path.name)) for path in made]


def main(_):
    made = make()
    size = sum(path.stat().st_size for path in made) / 1e6
    print(f"done: {len(made)} packages, {size:.0f} MB, in {shown(PACKAGES)}; "
          "as root, apt install ./build/deb/*.deb installs them")
    return 0


if __name__ == "__main__":
    ui.main(main)
