# SPDX-License-Identifier: GPL-2.0-or-later
"""What the harness knows of each architecture: how it is compiled, and how a guest of it boots."""

import dataclasses
import pathlib

from ui import BUILD

# The line for the job's output, beside that of the console. The virt machines
# have only one serial line.
VIRTIO_LINE = ("-device", "virtio-serial-device", "-device", "virtconsole,chardev=job",
               "-chardev", "stdio,id=job")


@dataclasses.dataclass(frozen=True)
class Arch:
    """One architecture."""

    # ARCH for make, and its directory below arch/.
    kbuild: str
    directory: str
    # The prefix of GCC's programs; None if Debian has none, and LLVM must do.
    cross: str = None
    # Whether kernels are built with LLVM, as Rust needs there.
    llvm: bool = False
    # The number in the ELF header.
    elf: int = 0
    image: str = "vmlinux"
    # How QEMU boots it, if guests of it are booted, and what the kernel's command line begins
    # with: where there is a device tree, it also says where an early console is. A guest that
    # gets no CPU for some ticks would take its timer for broken, and panic: no_timer_check.
    emulator: tuple = ()
    options: str = ""
    job_line: tuple = VIRTIO_LINE
    # Whether guests with several CPUs run under -icount.
    icount_smp: bool = True
    # Static, as the guests have no libraries. That of the host is Debian's; those of other
    # architectures are unpacked by harness/setup.
    busybox: pathlib.Path = None

    @property
    def compiler(self):
        """GCC: programs of the guests are static, those of the base with a C library."""
        return f"{self.cross}gcc"


ARCHES = {
    "x86_64": Arch(
        "x86_64", "x86", cross="", elf=62, image="arch/x86/boot/bzImage",
        emulator=("qemu-system-x86_64", "-machine", "pc"), options="console=ttyS0 no_timer_check",
        job_line=("-serial", "stdio"), busybox=pathlib.Path("/bin/busybox")),
    "arm64": Arch(
        "arm64", "arm64", cross="aarch64-linux-gnu-", elf=183, image="arch/arm64/boot/Image",
        emulator=("qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a57"),
        options="console=ttyAMA0 earlycon", busybox=BUILD / "tools" / "busybox-arm64"),
    "riscv64": Arch(
        "riscv", "riscv", cross="riscv64-linux-gnu-", llvm=True, elf=243,
        image="arch/riscv/boot/Image", emulator=("qemu-system-riscv64", "-machine", "virt"),
        options="console=ttyS0 earlycon", busybox=BUILD / "tools" / "busybox-riscv64",
        # QEMU's machine stops when it has started its second CPU (7.2).
        icount_smp=False),
    "loongarch64": Arch("loongarch", "loongarch", llvm=True, elf=258),
    # Of these, only steps of the series and static branches are compiled.
    **{name: Arch(name, name, cross=cross) for name, cross in (
        ("arc", "arc-linux-gnu-"), ("arm", "arm-linux-gnueabihf-"),
        ("mips", "mips64el-linux-gnuabi64-"), ("parisc", "hppa-linux-gnu-"),
        ("powerpc", "powerpc64le-linux-gnu-"), ("s390", "s390x-linux-gnu-"),
        ("sparc", "sparc64-linux-gnu-"))},
}
# Where kernels are booted, and where a part of one is built.
BOOTED = tuple(name for name, arch in ARCHES.items() if arch.emulator)
BUILT_ONLY = ("loongarch64",)
# Those that are packaged, by Debian's names.
DEBIAN_ARCHES = {"amd64": "x86_64", "arm64": "arm64"}
BY_DIRECTORY = {arch.directory: arch for arch in ARCHES.values()}
