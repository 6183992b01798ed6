#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot the patched kernel and trace, as an admin would.

    run.py          the demonstration; on a terminal a guest shell follows
    run.py shell    the guest shell only
"""

import re
import sys

import guest
import ui
from ui import Failure

# What the admin of the base's trace-event sample types. The sample's thread
# fires once a second.
SCRIPT = r"""
cd /sys/kernel/tracing || exit 1
say() { echo "# $*"; eval "$@"; }
say modprobe trace-events-sample || exit 1
say 'echo 1 > events/sample-trace/foo_bar/enable' || exit 1
say 'echo 1 > tracing_on' || exit 1
sleep 3
say 'echo 0 > events/sample-trace/foo_bar/enable' || exit 1
say cat trace
"""

EXPECTED = re.compile(r"event-sample-\d+ .* foo_bar: foo hello \d+")


def demonstrate(kernel):
    with ui.Step("boot it and trace") as step:
        result = guest.boot(kernel, SCRIPT, "run", timeout=120)
        step.outcome = "QEMU"
    print()
    for line in result.lines:
        print("    " + line)
    print()
    trouble = result.trouble()
    if trouble:
        raise Failure(f"{trouble} (log: build/log/console-run.log)")
    hits = sum(1 for line in result.lines if EXPECTED.search(line))
    if not hits:
        raise Failure("the enabled event left no line in the trace")
    return hits


def main(args):
    kernel = guest.patched_x86()
    if args == ["shell"]:
        return guest.interactive(kernel)
    hits = demonstrate(kernel)
    if sys.stdin.isatty() and sys.stdout.isatty():
        guest.interactive(kernel)
    print(f"done: the patched kernel booted and traced {hits} events")
    return 0


if __name__ == "__main__":
    ui.main(main)
