#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot the patched kernel and trace, as an admin would.

    run.py          the demonstration; on a terminal a guest shell follows
    run.py shell    the guest shell only
"""

import re
import sys

import guest
import kernel as kernels
import ui
from ui import Failure

EXPECTED = {
    "event of the sample": re.compile(r"event-sample-\d+ .* foo_bar: foo hello \d+"),
    "event of C in Rust": re.compile(r" test_c_first: value=1$"),
    "function event": re.compile(r" SyS_openat: \S+->SyS_openat\(dfd=-100, "
                                 r'path="/proc/version", flags=0x\w+, mode=0x0\)$'),
    "marker event": re.compile(r" fs_mount: device scratch type tmpfs flags 0x\w+$"),
    "event of Rust": re.compile(r" test_rust_first: value=1$"),
}


def trace(kernel, log_name, show=False):
    """Enable the events in a guest; returns how often they are in the trace."""
    with ui.Step("boot it and trace") as step:
        result = guest.boot(kernel, guest.script("demonstration"), log_name, timeout=120)
        step.outcome = "QEMU"
    if show:
        print()
        for line in result.lines:
            print("    " + line)
        print()
    trouble = result.trouble()
    if trouble:
        raise Failure(f"{trouble} (log: build/log/console-{log_name}.log)")
    hits = 0
    for what, expected in EXPECTED.items():
        found = sum(1 for line in result.lines if expected.search(line))
        if not found:
            raise Failure(f"the {what} left no line in the trace")
        hits += found
    return hits


def main(args):
    kernel = kernels.built()
    if args == ["shell"]:
        return guest.interactive(kernel)
    hits = trace(kernel, "run", show=True)
    if sys.stdin.isatty() and sys.stdout.isatty():
        guest.interactive(kernel)
    print(f"done: the patched kernel booted and traced {hits} events")
    return 0


if __name__ == "__main__":
    ui.main(main)
