# SPDX-License-Identifier: GPL-2.0-or-later
"""KVM or TCG: decided by the kernel that is to run.

That /dev/kvm opens, and even that a boot sector runs, says nothing about a
64-bit SMP kernel: on some machines one hangs before its first console line.
So an x86_64 guest is started under KVM as the test wants it, and has
FIRST_WORDS seconds to print a line on its console. One that prints nothing,
dies without a word, or stops talking later is run again under TCG, and so are
all guests after it. The verdict is kept in build/accel; ACCEL=tcg|kvm in the
environment overrides it, and with ACCEL=kvm no guest is run again.
"""

import os
import threading
import time

import ui
from ui import BUILD, Failure

VERDICT = BUILD / "accel"

# Seconds for the first line on the console. A kernel prints it in less than one
# under KVM; a loaded machine gets some more.
FIRST_WORDS = 10
# Seconds without a word on console or job line, after which a guest under KVM
# that its time limit has ended counts as hung. One that still talked is slow.
SILENCE = 60

# Guests start at the same time; one of them tells the others.
_lock = threading.Lock()


def chosen():
    """The accelerator that the user asks for, or None."""
    choice = os.environ.get("ACCEL") or None
    if choice not in (None, "kvm", "tcg"):
        raise Failure(f"ACCEL={choice}: it is kvm or tcg")
    return choice


def verdict():
    """What is kept of earlier guests, or ""."""
    return VERDICT.read_text(encoding="utf-8") if VERDICT.exists() else ""


def usable():
    """Whether KVM is worth a try: it can be opened, and has not failed before."""
    return chosen() == "kvm" if chosen() else \
        os.access("/dev/kvm", os.R_OK | os.W_OK) and not verdict().startswith("tcg")


def proven():
    """Whether a guest has run under KVM here, or the user insists on it."""
    return (chosen() or verdict()).startswith("kvm")


def decide(word, why=""):
    """Keep a verdict, and say so the first time that KVM fails."""
    with _lock:
        before = verdict()
        if before.startswith("tcg") or before.strip() == word:
            return
        VERDICT.write_text(f"{word}{': ' if why else ''}{why}\n", encoding="utf-8")
    if word == "tcg":
        ui.say(f"KVM does not work here ({why}): guests run under TCG, which is slower; "
               "ACCEL=kvm insists")


class Watch:
    """The console of a guest under KVM: whether it talks, and what to do if not."""

    def __init__(self, console):
        self.console = console
        self.heard = self.started = time.monotonic()
        self.size = 0
        self.why = None

    def line(self):
        """The job has said something."""
        self.heard = time.monotonic()

    def hung(self):
        """To be called now and then; True ends a guest whose kernel prints nothing."""
        size = self.console.stat().st_size if self.console.exists() else 0
        if size > self.size:
            self.size = size
            self.line()
        if not self.size and time.monotonic() - self.started > FIRST_WORDS:
            self.why = f"a kernel printed nothing within {FIRST_WORDS} s"
        return self.why is not None

    def silent(self):
        """Whether a guest that was ended had stopped talking before."""
        if time.monotonic() - self.heard > SILENCE:
            self.why = f"a guest fell silent {SILENCE} s before its time was over"
        return self.why is not None


def run(argv, tcg, log, console, on_line, ended_well, *, kvm=False, timeout=None, idle=None):
    """Run QEMU, under KVM if it is wanted and works; returns ui.run()'s status.

    ARGV(ACCELERATOR) is the command, TCG the name of the other accelerator.
    CONSOLE is the file that the kernel's log goes to. ENDED_WELL() says, after
    the guest has ended, whether that was by its own will: its job has ended, or
    its kernel said why not. ON_LINE(None) is called before a second run: what
    came from the first one does not count.
    """
    if kvm and usable():
        insisted = chosen() == "kvm"
        watch = Watch(console)

        def take(line):
            watch.line()
            on_line(line)

        console.unlink(missing_ok=True)
        status = ui.run(argv("kvm"), log, on_line=take, timeout=timeout, idle=idle,
                        hung=None if insisted else watch.hung)
        if insisted:
            return status
        if not watch.why and status != ui.TIMED_OUT:
            if ended_well():
                decide("kvm")
                return status
            watch.why = f"QEMU ended without a word, status {status}"
        elif not watch.why and not watch.silent():
            # A test that takes long, on any accelerator.
            return status
        decide("tcg", watch.why)
        on_line(None)
    console.unlink(missing_ok=True)
    return ui.run(argv(tcg), log, on_line=on_line, timeout=timeout, idle=idle)
