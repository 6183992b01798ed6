#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make packages for Debian, in build/deb/ARCH: of the patched kernel, and of fntrace.

FLAVOUR and ARCH, from the environment, name the kernel of Debian whose configuration is taken:
cloud, rt, or the one that has the name of its architecture, amd64 or arm64. kbuild's bindeb-pkg
makes the packages of the kernel, and debhelper those of fntrace.

A kernel for another architecture gets no headers package: bindeb-pkg puts programs of the
machine that builds into it. Nor is there an fntrace for another architecture.
"""

import hashlib
import os
import pathlib
import re
import shutil

import kernel as kernels
import series
import ui
from arch import DEBIAN_ARCHES
from ui import BUILD, ROOT, Failure, shown

FNTRACE = ROOT / "tools" / "tracing" / "fntrace"
# Of the machine that builds, by Debian's name.
HERE = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine)
NAME = "The static-key tracepoints developers"
EMAIL = "developers@static-key-tracepoints.example.org"
# Files that two cores make in a minute, and that take a GiB.
RATE = 120
DENSITY = 1100
# Built files that only a debugger has use for are left in build/obj.
PROFILES = "pkg.linux-skt.nokerneldbg"


def directory(arch):
    """Where the packages for an architecture are."""
    return BUILD / "deb" / arch


def said(what, *argv, **options):
    """What a command prints, without the newline."""
    done = ui.ask(list(map(str, argv)), **options)
    if done.returncode:
        raise Failure(f"{what}: {done.stderr.strip() or done.returncode}")
    return done.stdout.strip()


def kernel_version(source):
    """The version of a kernel tree."""
    return said("the kernel's version", "make", "-s", "-C", source, "kernelversion",
                env=kernels.environment())


def revision():
    """The revision of the kernel's packages, of which later commits have greater ones."""
    date = said("the commit", "git", "-C", ROOT, "log", "-1", "--date=format-local:%Y%m%d.%H%M",
                "--format=%cd", env={**os.environ, "TZ": "UTC"})
    edited = said("the work tree", "git", "-C", ROOT, "status", "--porcelain")
    return date + ("+edited" if edited else "")


def pack_kernel(kernel, arch, scratch):
    """Build the kernel and its packages; returns these."""
    kernel.log.write_text("", encoding="utf-8")
    parent = kernel.out.parent
    for path in parent.glob("*.deb"):
        path.unlink()
    profiles = PROFILES if arch == HERE else f"{PROFILES} pkg.linux-skt.nokernelheaders"
    with ui.Step(f"build and pack the {kernel.what}") as step:
        kernel.configure()
        if not kernel.image.exists():
            step.total = kernel.config.steps

        def on_line(line):
            if kernels.BUILT.match(line):
                step.advance(note=line.split()[-1])

        version = kernel_version(kernel.source)
        ui.must(kernel.make("bindeb-pkg"), kernel.log, f"packing the {kernel.what}",
                on_line=on_line, env={
                    **kernels.environment(), "KDEB_SOURCENAME": "linux-skt",
                    "KDEB_PKGVERSION": f"{version}-{revision()}",
                    "KDEB_CHANGELOG_DIST": "trixie", "KDEB_COMPRESS": "xz",
                    "DEBFULLNAME": NAME, "DEBEMAIL": EMAIL, "DEB_BUILD_PROFILES": profiles,
                    # Else each command is printed, and not what it makes.
                    "DEB_BUILD_OPTIONS": "terse"})
        made = []
        for path in sorted(parent.glob("*.deb")):
            # The headers of the C library: Debian's are the right ones.
            if path.name.startswith("linux-libc-dev_"):
                path.unlink()
                continue
            if path.name.startswith("linux-headers-"):
                finish_headers(path, scratch)
            made.append(path)
        for pattern in ("*.changes", "*.buildinfo"):
            for path in parent.glob(pattern):
                path.unlink()
        return made


def finish_headers(package, scratch):
    """What bindeb-pkg leaves out for the programs of the headers: strip(1), and Depends."""
    files = scratch / package.stem
    log = ui.fresh_log("deb-headers")

    def call(*argv):
        ui.must(list(map(str, argv)), log, f"packing {package.name}")

    call("dpkg-deb", "-R", package, files)
    sums, programs = [], []
    for path in sorted(files.rglob("*")):
        name = path.relative_to(files)
        if path.is_symlink() or not path.is_file() or name.parts[0] == "DEBIAN":
            continue
        if os.access(path, os.X_OK) and path.read_bytes()[:4] == b"\x7fELF":
            call("strip", path)
            programs.append(path)
        sums.append(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {name}\n")
    (files / "DEBIAN" / "md5sums").write_text("".join(sums), encoding="utf-8")

    control = files / "DEBIAN" / "control"
    # dpkg-shlibdeps wants a source package around it.
    (scratch / "debian").mkdir()
    (scratch / "debian" / "control").write_text("Source: linux-skt\n", encoding="utf-8")
    needed = said("dpkg-shlibdeps", "dpkg-shlibdeps", "-O", "--ignore-missing-info",
                  *(f"-e{path}" for path in programs), cwd=scratch)
    shutil.rmtree(scratch / "debian")
    control.write_text(control.read_text(encoding="utf-8").replace(
        "\nDescription:", f"\nDepends: {needed.partition('=')[2]}\nDescription:", 1),
        encoding="utf-8")
    call("dpkg-deb", "--root-owner-group", "-Zxz", "-b", files, package)


def pack_fntrace(scratch):
    """Build fntrace's packages out of the files that git knows; returns them."""
    log = ui.fresh_log("deb-fntrace")
    with ui.Step("build and pack fntrace"):
        for name in said("fntrace's files", "git", "-C", FNTRACE, "ls-files").splitlines():
            target = scratch / "fntrace" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(FNTRACE / name, target)
        ui.must([*kernels.NICE, "dpkg-buildpackage", "-us", "-uc", "-b", f"-j{os.cpu_count()}"],
                log, "packing fntrace", cwd=scratch / "fntrace",
                env={**os.environ, "DEB_BUILD_OPTIONS": "noautodbgsym"})
        return sorted(scratch.glob("*.deb"))


def lint(packages):
    """Look for mistakes in packages: errors of lintian end the step."""
    log = ui.fresh_log("lintian")
    with ui.Step("lintian") as step:
        status = ui.run(["lintian", "--allow-root", "--fail-on", "error", "--tag-display-limit=0",
                         *packages], log)
        tags = re.findall(r"^[EW]: .*", log.read_text(encoding="utf-8"), re.MULTILINE)
        if status:
            raise Failure(f"{next((tag for tag in tags if tag[0] == 'E'), 'lintian failed')} "
                          f"(log: {shown(log)})")
        step.outcome = f"no error, {len(tags)} warnings"


def make(arch="amd64", flavour="cloud"):
    """Make all packages; returns them. The tree is assembled."""
    kernel = kernels.Kernel(f"{DEBIAN_ARCHES[arch]}-deb-{flavour}")
    steps = kernel.config.steps
    if not kernel.image.exists():
        ui.say(f"compiles {steps:,} files, on two cores about {steps // RATE} minutes the first "
               f"time, and keeps {steps // DENSITY} GiB in {shown(kernel.out)}")
    with ui.scratch("deb") as scratch:
        made = pack_fntrace(scratch) if arch == HERE else []
        made += pack_kernel(kernel, arch, scratch)
        lint(made)
        # Only now: what was there is of use as long as there is nothing better.
        shutil.rmtree(directory(arch), ignore_errors=True)
        directory(arch).mkdir(parents=True)
        return [pathlib.Path(shutil.move(path, directory(arch) / path.name)) for path in made]


def main(_):
    # harness/setup has refused others.
    arch = os.environ.get("ARCH") or "amd64"
    series.tree()
    made = make(arch, os.environ.get("FLAVOUR") or "cloud")
    size = sum(path.stat().st_size for path in made) / 1e6
    print(f"done: {len(made)} packages, {size:.0f} MB; as root, apt install "
          f"./{shown(directory(arch))}/*.deb installs them (the kernel is not signed for "
          "Secure Boot)")
    return 0


if __name__ == "__main__":
    ui.main(main)
