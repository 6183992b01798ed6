# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot a kernel of the harness in QEMU, with a job to do.

The root file system is an initramfs of two parts: one per kernel (busybox,
the kernel's modules, its kselftests as `make install` of the tree lays them
out), and a small one per job with /job/run and what else the job needs. What the
job prints comes back line by line; the kernel's log is kept in a file of its own
and searched for splats. All this is the same on every architecture; only the
device that carries the job's output is another.
"""

import contextlib
import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import threading

import accel
import kernel as kernels
import series
import ui
from ui import BUILD, LOGS, ROOT, Failure, shown

GUEST = ROOT / "harness" / "guest"
# What guests run.
SCRIPTS = ROOT / "harness" / "scripts"
# The kselftests of the series, and the base's that it must not break.
KSELFTESTS = (*sorted(path.parent.name for path in (
    ROOT / "tools" / "testing" / "selftests").glob("*/Makefile")), "static_keys")
# In a guest of its own: its map_test leaves tracing off, and pages of another size.
RING_BUFFER = "ring-buffer"
FTRACETEST = "ftrace"
# Where they are in the guest.
SELFTESTS = "/selftests"
# Held by the thread that measures the rate of the clock, see clock().
CLOCK = threading.Lock()

# The software emulator: one thread for all vCPUs. With several, QEMU (7.2 and 10.0 were tried)
# can translate an instruction while another vCPU writes it, and does not notice: the vCPU goes
# on with the breakpoint that was there a moment ago. With four busy CPUs, the pristine kernel
# dies of that ("Oops: int3") when the function tracer is switched on and off twice.
TCG = "tcg,thread=single"

# What the kernel prints when something went wrong that a test must not hide.
SPLAT = re.compile(
    r"\bBUG: |\bWARNING: |\bOops\b|general protection fault|"
    r"Kernel panic|KASAN: |UBSAN: |possible recursive locking|"
    r"possible circular locking|inconsistent lock state|suspicious RCU usage|"
    r"rcu_(?:sched|preempt|tasks).*(?:stall|detected)|INFO: task .* blocked|"
    r"Unable to handle kernel|unable to handle page fault|"
    r"kernel BUG at|soft lockup|hard LOCKUP|Call Trace:|Internal error:")

# What KCSAN's reports begin with; how many lines they have at most, and how many frames of
# each side tell whose race it is. Ours may call the base's list_add(), but what usleep_range()
# or do_exit() call is the base's.
RACE = "BUG: KCSAN: "
RACE_LINES = 80
RACE_FRAMES = 2

def script(name, **variables):
    """One of SCRIPTS, with values for its variables."""
    values = "".join(f"{variable}={shlex.quote(str(value))}\n"
                     for variable, value in variables.items())
    return values + (SCRIPTS / f"{name}.sh").read_text(encoding="utf-8")


class Result:
    """How a guest ended and what it said."""

    def __init__(self, log):
        self.log = log
        self.lines = []
        self.status = None
        self.splats = []
        self.timed_out = False

    @property
    def crashed(self):
        """The guest ended before its job did."""
        return self.status is None

    def trouble(self):
        """One line about what went wrong, or None."""
        if self.splats:
            return "kernel: " + self.splats[0]
        if self.timed_out:
            return "the guest did not end in time"
        if self.crashed:
            return "the guest died"
        if self.status:
            return f"the job failed with status {self.status}"
        return None


def splats(log, functions=None):
    """The lines of a console log that report a failure of the kernel.

    Of data races, only those count that have one of FUNCTIONS among their first frames,
    if there is such a set: the base has races of its own.
    """
    found = []
    if not log.exists():
        return found
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines):
        if SPLAT.search(line) and not (
                functions is not None and RACE in line
                and functions.isdisjoint(racing(lines[number:number + RACE_LINES]))):
            found.append(re.sub(r"^\[[^]]*\] *", "", line.strip()))
    return found


def racing(lines):
    """The functions that a report of KCSAN is about: the first frames of both sides."""
    frames = RACE_FRAMES + 1
    for line in lines[1:]:
        if "=====" in line:
            return
        match = re.search(r"\b(\w+)(?:\.\w+)*\+0x[0-9a-f]+/0x", line)
        if match:
            frames += 1
            if frames <= RACE_FRAMES:
                yield match.group(1)
        elif re.search(r" by (?:task|interrupt)", line):
            frames = 0


@functools.cache
def our_functions(kernel):
    """The functions in the objects of our files and of those that the series edits."""
    found = set()
    for path in [*series.overlay_files(), *series.edited_files()]:
        built = (kernel.out / path).with_suffix(".o")
        if path.endswith((".c", ".rs", ".S")) and built.exists():
            said = subprocess.run(["nm", built], capture_output=True, text=True, check=True)
            found.update(name.partition(".")[0] for name in
                         re.findall(r" [tTwW] (\S+)$", said.stdout, re.MULTILINE))
    return found


@functools.cache
def qemu_version(program):
    try:
        text = subprocess.run([program, "--version"], capture_output=True, text=True,
                              check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise Failure(f"{program} is missing or does not start; "
                      "install QEMU (harness/setup does on Debian)") from None
    major, minor = re.search(r"version (\d+)\.(\d+)", text).groups()
    return int(major), int(minor)


def archive(parts, output, out):
    """An initramfs from directories and lists, by the kernel's own tool."""
    done = ui.ask(
        [series.TREE / "usr" / "gen_initramfs.sh", "-o", output, "-u", "squash",
         "-g", "squash", *parts],
        cwd=out)
    if done.returncode:
        raise Failure(f"building {shown(output)} failed: {done.stderr.strip()}")


# Whom ftracetest asks for: it changes owners, wants a second user and group, and calls ping.
ETC = {"passwd": "root:x:0:0::/root:/bin/sh\nguest:x:1000:1000::/:/bin/sh\n",
       "group": "root:x:0:\nguest:x:1000:\n", "hosts": "127.0.0.1 localhost\n"}
# The device nodes that must exist before devtmpfs is mounted.
NODES = "dir /dev 755 0 0\nnod /dev/console 600 0 0 c 5 1\nnod /dev/null 666 0 0 c 1 3\n"
# The kselftests in each image.
INSTALLED = (*KSELFTESTS, RING_BUFFER, FTRACETEST)
# One thread makes an image, the others wait for it.
_images = threading.Lock()


def root_image(kernel):
    """The part of the initramfs that belongs to a kernel."""
    image, modules = kernel.out / "initramfs.cpio", kernel.modules / "lib" / "modules"
    selftests = kernel.source / "tools/testing/selftests"
    inputs = [modules, *GUEST.iterdir(), kernel.arch.busybox, kernel.image, pathlib.Path(__file__),
              *(path for name in INSTALLED
                for path in (selftests / name).rglob("*") if path.is_file())]
    with _images, ui.scratch() as scratch:
        if image.exists() and all(path.stat().st_mtime <= image.stat().st_mtime for path in inputs):
            return image
        stage = scratch / "root"
        for name in ("bin", "sbin", "proc", "sys", "tmp", "root", "etc", "lib", "usr/bin",
                     "usr/sbin", "job"):
            (stage / name).mkdir(parents=True)
        shutil.copytree(modules, stage / "lib" / "modules", symlinks=True,
                        ignore=shutil.ignore_patterns("build", "source"))
        for source, target in ((kernel.arch.busybox, "bin/busybox"),
                               (GUEST / "modprobe", "sbin/modprobe"), (GUEST / "init", "init")):
            shutil.copy(source, stage / target)
        for name, text in ETC.items():
            (stage / "etc" / name).write_text(text, encoding="utf-8")
        (scratch / "nodes").write_text(NODES, encoding="utf-8")
        install_selftests(kernel, stage / SELFTESTS.lstrip("/"), INSTALLED)
        archive([stage, scratch / "nodes"], image, kernel.out)
    return image


def install_selftests(kernel, path, wanted):
    """The kselftests of directories, built and installed as a user would."""
    source = kernel.source / "tools/testing/selftests"
    # The pristine kernel has none for what the series adds.
    targets = [name for name in wanted if (source / name).is_dir()]
    log = ui.fresh_log(f"kselftest-install-{kernel.label}")
    kernel.must(log, f"installing the headers of the {kernel.what}", "headers")
    ui.must(["make", "-C", source, f"O={kernel.out}", f"ARCH={kernel.arch.kbuild}",
             f"CC={kernel.arch.compiler}", "USERCFLAGS=-Werror", "USERLDFLAGS=-static",
             "FORCE_TARGETS=1",
             f"TARGETS={' '.join(targets)}", f"KSFT_INSTALL_PATH={path}", "install"], log,
            f"installing the kselftests of the {kernel.what}", env=kernels.environment())


def add_program(stage, program, alias=""):
    """Copy a program of the host with its libraries, to the same places."""
    if alias:
        link = stage / alias.lstrip("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(program)
    done = ui.ask(["ldd", program])
    for path in (program, *re.findall(r"(/\S+) \(0x", done.stdout)):
        target = stage / str(path).lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


@contextlib.contextmanager
def initramfs_of(kernel, script, files=(), programs=(), shell=False):
    """An initramfs for one job, of the part that belongs to the kernel and that of the job."""
    with ui.scratch("job") as directory:
        job = directory / "root" / "job"
        job.mkdir(parents=True)
        (job / "run").write_text("#!/bin/sh\n" + script, encoding="utf-8")
        (job / "run").chmod(0o755)
        if shell:
            (job / "shell").touch()
        for name, source in dict(files).items():
            if isinstance(source, str):
                (job / name).write_text(source, encoding="utf-8")
            else:
                shutil.copy(source, job / name)
        for name in programs:
            name, _, alias = name.partition("=")
            path = shutil.which(name)
            if not path:
                raise Failure(f"{name} is missing; install it (harness/setup does on Debian)")
            add_program(directory / "root", path, alias)
        archive([directory / "root"], directory / "job.cpio", kernel.out)
        whole = directory / "initramfs"
        with open(whole, "wb") as out:
            for part in (root_image(kernel), directory / "job.cpio"):
                out.write(part.read_bytes())
        yield whole


@functools.cache
def clock():
    """Parameters of an x86_64 kernel for the clock that TCG gives it, the host's.

    Without ACPI it has only the PIT to tell the rate from. That fails when the host is busy,
    and leaves a clock of jiffies, which stands still while the CPU that counts them has its
    interrupts off: ftracetest's irqsoff_tracer.tc then waits for ever.
    """
    if os.uname().machine != "x86_64":
        return ""
    # Guests begin at the same time, each in a thread: one must not write what another one runs.
    with CLOCK:
        return measured_clock()


@functools.cache
def measured_clock():
    program = BUILD / "tools" / "tsc_khz"
    program.parent.mkdir(parents=True, exist_ok=True)
    ui.must(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", GUEST / "tsc_khz.c", "-o", program],
            LOGS / "tsc_khz.log", "building tsc_khz")
    khz = subprocess.run([program], capture_output=True, text=True, check=True).stdout.strip()
    return f"tsc_early_khz={khz} tsc=reliable"


def command(kernel, initramfs, accel, smp, append, icount):
    name = kernel.machine
    if name == "x86_64" and accel.startswith("tcg") and not icount:
        append = f"{clock()} {append}"
    # The pc machine's MP table, all that a kernel without ACPI has to go by,
    # names one CPU per socket.
    cpus = f"{smp},sockets={smp}" if name == "x86_64" else str(smp)
    # KASAN takes an eighth of it, and what is freed stays for a while.
    memory = "2G" if kernel.debug else "1G"
    argv = [*kernel.arch.emulator, "-accel", accel, "-smp", cpus, "-m", memory,
            "-display", "none", "-nic", "none", "-no-reboot",
            "-kernel", str(kernel.image), "-initrd", str(initramfs),
            "-append", f"{kernel.arch.options} panic=-1 oops=panic {append}".strip()]
    if icount:
        # One nanosecond of guest time per instruction.
        argv += ["-icount", "shift=0,sleep=off"]
    return argv


def may_have_kvm(kernel, icount):
    return kernel.machine == "x86_64" == os.uname().machine and not icount


def boot(kernel, script, log_name, *, smp=2, append="", icount=False,
         timeout=300, idle=None, files=None, programs=(), on_line=None,
         emulator=("-monitor", "none")):
    """Boot, run a job, and return a Result.

    SCRIPT is the body of /job/run. What it prints is kept in the log file
    LOG_NAME.log, and in the Result. An x86_64 guest tries KVM first, see accel.py.
    FILES maps names under /job to paths or texts. PROGRAMS are commands of the host
    that the job needs, which get the same path in the guest, or with NAME=PATH also
    another one. ON_LINE is called with each line the job prints, and with None when all
    of them are void, as the guest is run again without KVM. EMULATOR are options for
    QEMU. The guest is ended when TIMEOUT seconds are over, or when the job has said
    nothing for IDLE seconds.
    """
    ours = our_functions(kernel) if kernel.races else None
    with initramfs_of(kernel, script, files or {}, programs) as initramfs:
        def argv(accelerator, console):
            return [*command(kernel, initramfs, accelerator, smp, append, icount),
                    "-serial", f"file:{console}", *kernel.arch.job_line, *emulator]

        return attend(argv, log_name, functions=ours, on_line=on_line,
                      kvm=may_have_kvm(kernel, icount), timeout=timeout, idle=idle)


def attend(argv, log_name, *, functions=None, on_line=None, kvm=False, timeout=None, idle=None):
    """Run a guest with a job, and return a Result.

    ARGV(ACCELERATOR, CONSOLE) is QEMU's command, with the job's output on its own; FUNCTIONS
    are whose data races count, see splats(). The rest is as for boot().
    """
    console = LOGS / f"console-{log_name}.log"
    result = Result(LOGS / f"{log_name}.log")

    def take(line):
        if line is None:
            # The guest is run again, with another accelerator.
            result.lines.clear()
        elif line.startswith("@exit "):
            result.status = int(line.split()[1])
            return
        else:
            result.lines.append(line)
        if on_line:
            on_line(line)

    def ended_well():
        return result.status is not None or bool(splats(console, functions))

    log = LOGS / f"qemu-{log_name}.log"
    end = accel.run(lambda accelerator: argv(accelerator, console), TCG, log, console, take,
                    ended_well, kvm=kvm, timeout=timeout, idle=idle)
    result.timed_out = end == ui.TIMED_OUT
    result.log.write_text("\n".join(result.lines) + "\n", encoding="utf-8")
    if not console.exists():
        raise Failure(f"QEMU did not start: {ui.last_error(log)}")
    result.splats = splats(console, functions)
    return result


def interactive(kernel):
    """Hand the terminal to a shell in the guest; returns QEMU's status."""
    # The demonstration, or an earlier one, has proven it; there is no second run here.
    proven = may_have_kvm(kernel, False) and accel.proven()
    with initramfs_of(kernel, "exit 0\n", shell=True) as initramfs:
        argv = command(kernel, initramfs, "kvm" if proven else TCG, 2, "quiet", False)
        return subprocess.call([*argv, "-serial", "mon:stdio", "-serial", "null"])
