#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Configure and build the kernels of the harness, one directory each.

    kernel.py menuconfig	change the configuration of the x86_64 kernel

The patched x86_64 kernel is built in build/obj/x86_64 from build/linux, its
pristine counterpart in build/obj/x86_64-base from build/base, a work tree of the
first commit of build/linux; other architectures likewise.
"""

import dataclasses
import functools
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import time

import arch
import series
import ui
from arch import ARCHES, DEBIAN_ARCHES
from ui import BUILD, LOGS, ROOT, Failure, shown

# What says how kernels are built, for outcomes.py.
SOURCES = (__file__, arch.__file__)
BASE_TREE = BUILD / "base"
FRAGMENTS = ROOT / "harness" / "config"
BINDGEN = BUILD / "tools" / "bin" / "bindgen"

# Another rustc may come first in PATH, without the sources of its library.
RUST_TOOLS = ("RUSTC=/usr/bin/rustc", "HOSTRUSTC=/usr/bin/rustc",
              "RUSTDOC=/usr/bin/rustdoc", "RUSTFMT=/usr/bin/rustfmt",
              f"BINDGEN={BINDGEN}")

# Compilers give way to guests: these have time limits, and wait for nobody.
NICE = ("nice", "-n", "10")

# What the names of LLVM's programs end with; kbuild wants the same.
LLVM = "-19"

# The fragments with options that only the series has.
SERIES_FRAGMENTS = ("series", "series-asm", "series-rust", "series-rust-functions",
                    "series-view", "series-kunit", "series-functions", "series-markers",
                    "benchmark")

# A line of make's output that stands for one built file.
BUILT = re.compile(r"^  [A-Z][A-Z0-9]* ")


def environment():
    """The environment for kbuild: ours, not the user's settings for it."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("KBUILD_", "KCONFIG_", "RUST"))
           and name not in ("ARCH", "CROSS_COMPILE", "LLVM", "LLVM_IAS", "CC", "O", "M",
                            "KCFLAGS", "KAFLAGS", "KRUSTFLAGS", "KSRC", "MAKEFLAGS",
                            "MAKELEVEL")}
    env.update(LIBCLANG_PATH="/usr/lib/llvm-19/lib", CCACHE_BASEDIR=str(BUILD),
               CCACHE_NOHASHDIR="1", LC_ALL="C")
    return env


def tools(cross="", llvm=False):
    """The compilers, as words for make: GCC by its prefix, or all of LLVM."""
    if llvm:
        return [f"LLVM={LLVM}", f"CC=ccache clang{LLVM}"]
    # HOSTCC is one word: rust/Makefile makes it rustc's linker.
    return [f"CROSS_COMPILE={cross}", f"CC=ccache {cross}gcc", "HOSTCC=/usr/lib/ccache/gcc"]


def debian_config(flavour):
    """What Debian's own kernel of this name is configured with, by harness/setup."""
    return BUILD / "tools" / f"config-{flavour}.xz"


@dataclasses.dataclass(frozen=True)
class Config:
    """How a kernel is configured, and what of it is built."""

    fragments: tuple
    # Whether it needs LLVM, whatever the architecture does.
    llvm: bool = False
    # What to build instead of the image and all modules.
    targets: tuple = ()
    # Built files of a first build, for the progress line only.
    steps: int = 700
    # The configuration on which the fragments are laid; without it, that is allnoconfig.
    base: pathlib.Path = None
    # Whether lines of BASE with "=m" are kept; LOCALVERSION.
    modules: bool = False
    local: str = ""


def series_without(*names):
    """The fragments of the series but for some."""
    return tuple(name for name in SERIES_FRAGMENTS if name not in names)


# The fragments of a packaged kernel, which has no KUnit.
PACKAGED = series_without("series-kunit")
X86 = ("base", "tracing", "x86_64", "rust", "kunit-module", *SERIES_FRAGMENTS)
# By what the kernels are called: an architecture of arch.py, and what is unusual.
CONFIGS = {
    "x86_64": Config(X86, steps=1560),
    # For the full run: kernels that check themselves, and unusual ones. There is Rust with
    # KASAN only if the C compiler is clang.
    **{f"x86_64-{name}": Config((*X86, name), llvm=name in ("debug", "kcsan", "cfi"), steps=1560)
       for name in ("debug", "kcsan", "cfi", "rt", "no-jump-label", "startup")},
    # Debian's cloud image without its 1,012 modules: mitigations, IBT, BTF, signed modules.
    "x86_64-debian": Config(("debian", "kselftest", "rust", "kunit-module", *SERIES_FRAGMENTS),
                            steps=4400, base=debian_config("cloud-amd64")),
    # What deb.py packages, with all modules.
    **{f"{machine}-deb-{name}": Config(("packages", "kselftest", "rust", *PACKAGED), steps=steps,
                                       base=debian_config(flavour), modules=True,
                                       local=f"-skt-{flavour}")
       for debian, machine in DEBIAN_ARCHES.items()
       for name, flavour, steps in (("cloud", f"cloud-{debian}", 10500), (debian, debian, 21000),
                                    ("rt", f"rt-{debian}", 21000))},
    # As for code in ROM, and small.
    "x86_64-rom": Config(("base", "events", "x86_64", "series-functions", "series-markers",
                          "benchmark", "no-jump-label", "no-modules")),
    "arm64": Config(("base", "events", "virt", "arm64", "rust", "kunit",
                     *series_without("benchmark"))),
    "riscv64": Config(("base", "events", "virt", "riscv64", "rust",
                       *series_without("series-kunit", "benchmark"))),
    # It boots nowhere, so only that is built which has to do with Rust and with static
    # branches: it cannot do without ACPI and PCI, minutes to compile.
    "loongarch64": Config(
        ("base", "events", "loongarch64", "rust",
         *series_without("series-asm", "series-rust-functions", "series-kunit", "benchmark")),
        targets=("rust/", "kernel/jump_label.o", "kernel/marker.o", "kernel/static_key_debugfs.o",
                 "kernel/tracepoint.o", "kernel/trace/", "lib/test_static_keys.o",
                 "lib/test_static_key_base.o", "lib/test_static_branch_asm.o",
                 "lib/test_marker.o", "lib/test_rust_tracepoint.o", "samples/rust/"),
        steps=200),
}


@functools.cache
def rustc_version():
    """Major and minor number; (0, 0) if there is no rustc."""
    done = ui.ask(["/usr/bin/rustc", "--version"])
    version = re.match(r"rustc (\d+)\.(\d+)", done.stdout)
    return tuple(map(int, version.groups())) if version else (0, 0)


def traces_rust(machine):
    """Whether functions of Rust can be traced: elsewhere than on x86_64 they must be aligned,
    which rustc does since 1.90."""
    return machine == "x86_64" or rustc_version() >= (1, 90)


def fragments(names):
    """The texts of harness/config by their names."""
    return [(FRAGMENTS / f"{name}.config").read_text(encoding="utf-8") for name in names]


def merge(*texts):
    """The lines of fragments by option; of two about one option, the later one counts."""
    lines = {}
    for line in "\n".join(texts).splitlines():
        match = re.match(r"(?:# )?CONFIG_(\w+)(?:=| is not set)", line)
        if match:
            lines[match.group(1)] = line
    return lines


def as_text(lines):
    """The text of a fragment out of its lines; without modules, what would be one is built in."""
    text = "".join(f"{line}\n" for line in lines.values())
    return text if lines.get("MODULES") == "CONFIG_MODULES=y" else \
        re.sub("=m$", "=y", text, flags=re.MULTILINE)


def without_modules(text):
    """Returns a configuration without its modules and the options that only these have."""
    return re.sub(r"^(CONFIG_\w+)=m$", r"# \1 is not set", text, flags=re.MULTILINE)


class Kernel:
    """One kernel: an architecture, and the patched or the pristine tree."""

    def __init__(self, name, pristine=False):
        self.name = name
        self.pristine = pristine
        self.arch = ARCHES[self.machine]
        self.config = CONFIGS[name]
        self.source = BASE_TREE if pristine else series.TREE
        self.label = name + ("-base" if pristine else "")
        self.what = f"{'pristine' if pristine else 'patched'} {name} kernel"
        self.out = BUILD / "obj" / self.label
        self.log = LOGS / f"build-{self.label}.log"

    @property
    def debug(self):
        """Whether it is slow and needs much memory, for the errors that it finds."""
        return self.races or "debug" in self.config.fragments

    @property
    def races(self):
        """Whether it reports data races, those of the base as well."""
        return "kcsan" in self.config.fragments

    @property
    def machine(self):
        """The architecture as one of the guests', whatever the configuration."""
        return self.name.partition("-")[0]

    @property
    def image(self):
        return self.out / self.arch.image

    @property
    def modules(self):
        """Where modules_install puts lib/modules."""
        return self.out / "install"

    def make(self, *targets):
        """The make command line for some targets."""
        # The results must not depend on when and where they were built, so
        # that a compiler cache helps and the two kernels compare.
        return [*NICE, "make", "-C", self.source, f"O={self.out}", f"ARCH={self.arch.kbuild}",
                *tools(self.arch.cross, self.config.llvm or self.arch.llvm),
                f"LOCALVERSION={self.config.local}",
                "KBUILD_BUILD_TIMESTAMP=2024-11-17",
                "KBUILD_BUILD_USER=static-key", "KBUILD_BUILD_HOST=tracepoints",
                # Where functions are traced, the base leaves kernel/trace out, against recursion.
                *(["KCSAN_SANITIZE_ring_buffer.o=y"] if self.races else []),
                *RUST_TOOLS, f"-j{os.cpu_count() + 1}", *targets]

    def must(self, log, what, *targets, on_line=None):
        """Make targets; a failure of WHAT ends the step."""
        ui.must(self.make(*targets), log, what, on_line=on_line, env=environment())

    def fragment(self):
        """What the configuration must contain, as text.

        The pristine kernel leaves out the options of the series, and only
        those: the two are compared.
        """
        without = SERIES_FRAGMENTS if self.pristine else \
            () if traces_rust(self.machine) else ("series-rust-functions",)
        names = [name for name in self.config.fragments if name not in without]
        return as_text(merge(*fragments(names)))

    def configure(self):
        self.out.mkdir(parents=True, exist_ok=True)
        text = self.fragment()
        stamp = self.out / ".fragment-stamp"
        base = self.config.base
        digest = hashlib.sha256(text.encode() + (base.read_bytes() if base else b"")).hexdigest()
        # kbuild drops an option without a word if, say, a new compiler is not fit for it.
        if (stamp.exists() and stamp.read_text(encoding="utf-8") == digest
                and self.lost(text) is None):
            return
        if base:
            debian = lzma.open(base, "rt").read()
            (self.out / ".config").write_text(
                (debian if self.config.modules else without_modules(debian)) + text,
                encoding="utf-8")
            targets = ("olddefconfig",)
        else:
            wanted = self.out / ".fragment"
            wanted.write_text(text, encoding="utf-8")
            targets = (f"KCONFIG_ALLCONFIG={wanted}", "allnoconfig")
        self.must(self.log, f"configuring the {self.what}", *targets)
        lost = self.lost(text)
        if lost:
            raise Failure(f"{self.what}: {lost} did not survive the configuration "
                          f"(see {shown(self.out / '.config')})")
        stamp.write_text(digest, encoding="utf-8")
        if "CONFIG_RUST=y" in text:
            self.borrow_host_crates()

    def options(self):
        """The lines of the configuration by option."""
        path = self.out / ".config"
        # "make mrproper" removes it, but not the stamp.
        return merge(path.read_text(encoding="utf-8") if path.exists() else "")

    def lost(self, text):
        """The first line of @text that the configuration has otherwise, or None."""
        options = self.options()
        # An option that cannot be chosen is not mentioned.
        return next((line for symbol, line in merge(text).items()
                     if line != options.get(symbol, f"# CONFIG_{symbol} is not set")), None)

    def install(self):
        """Bring the installed modules up to date."""
        shutil.rmtree(self.modules, ignore_errors=True)
        # Stripped of what only a debugger reads; BTF stays.
        self.must(self.log, f"installing the modules of the {self.what}",
                  f"INSTALL_MOD_PATH={self.modules}", "INSTALL_MOD_STRIP=1", "modules_install")

    def external(self, directory, files, log):
        """Build external modules from {name: text}; returns them.

        Always from nothing: three seconds, and no stale symbol versions.
        """
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8")
        self.must(ui.fresh_log(log), f"building the modules of {shown(directory)}",
                  f"M={directory}", "modules")
        return sorted(directory.glob("*.ko"))

    def borrow_host_crates(self):
        """Copy proc-macro2, quote and syn from a kernel of this tree: more than a minute.

        Of the configuration, they know the compiler alone, which is compared here: kbuild
        compares times, and the copies are as new as each other, and newer than the
        configuration. It does compare the commands.
        """
        mine = self.out / "rust" / "host"
        if mine.exists():
            return
        rustc = self.options().get("RUSTC_VERSION_TEXT")
        newest = max(path.stat().st_mtime for crate in ("proc-macro2", "quote", "syn")
                     for path in (self.source / "rust" / crate).rglob("*.rs"))
        for name in CONFIGS:
            other = Kernel(name, self.pristine)
            theirs = other.out / "rust" / "host"
            if ((theirs / ".libsyn.rlib.cmd").exists()
                    and other.options().get("RUSTC_VERSION_TEXT") == rustc
                    and min(path.stat().st_mtime for path in theirs.iterdir()) > newest):
                shutil.copytree(theirs, mine)
                now = time.time()
                for path in mine.iterdir():
                    os.utime(path, (now, now))
                return

    def build(self):
        """Bring image and installed modules up to date."""
        self.log.write_text("", encoding="utf-8")
        with ui.Step(f"build the {self.what}") as step:
            self.configure()
            if not self.image.exists():
                step.total = self.config.steps

            def on_line(line):
                if BUILT.match(line):
                    step.advance(note=line.split()[-1])

            image = self.arch.image.rpartition("/")[2]
            self.must(self.log, f"building the {self.what}",
                      *(self.config.targets or (image, "modules")), on_line=on_line)
            built = step.done
            if not self.config.targets:
                self.install()
            step.outcome = f"{built} files" if built else "nothing to do"


def pristine_tree():
    """build/base: the base without the series, beside build/linux."""
    base, _ = series.tree(quiet=True)
    series.git("worktree", "prune")
    if (BASE_TREE / ".git").exists():
        clean = series.git("status", "--porcelain", "--untracked-files=no",
                           cwd=BASE_TREE, check=False)
        if series.revision("HEAD", BASE_TREE) == base and not clean.stdout.strip():
            return
    with ui.Step("pristine base into build/base"):
        series.worktree(BASE_TREE, base)


def built(name="x86_64", pristine=False):
    """A kernel that is up to date."""
    series.tree()
    if pristine:
        pristine_tree()
    kernel = Kernel(name, pristine)
    kernel.build()
    return kernel


def main(args):
    if args != ["menuconfig"]:
        raise Failure("usage: kernel.py menuconfig")
    series.tree()
    kernel = Kernel("x86_64")
    kernel.configure()
    if subprocess.call(kernel.make("menuconfig"), env=environment()):
        raise Failure("menuconfig failed")
    print(f"changed {shown(kernel.out / '.config')}; it stays until harness/config changes")
    return 0


if __name__ == "__main__":
    ui.main(main)
