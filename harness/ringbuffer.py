# SPDX-License-Identifier: GPL-2.0-or-later
"""The ring buffer of the base and of the series in user space: test and measure it."""

import hashlib
import re

import kernel as kernels
import ktap
import outcomes
import series
import ui
from ui import BUILD, LOGS, Failure

SOURCE = series.TREE / "tools" / "testing" / "ring_buffer"
OUT = BUILD / "ring_buffer"
PROGRAM = OUT / "ring_buffer_test"
TIMEOUT = 1800
GROUP = "ring buffer"
# Parts of the tests: some with threads, and one that takes the same steps each time, one
# instruction after the other, if the program is the same.
THREADS = ("pages", "reader")
STEPPED = "nested"

# What bench prints: a row, the base's value, ours, and the ratio.
BENCH_LINE = re.compile(r"(.+?) +([\d.]+) +([\d.]+) +[\d.]+$")
ROWS = {
    "insn.reserve_commit": "instructions, 24 bytes",
    "cycles.reserve_commit": "cycles, 24 bytes",
}


def build(source=SOURCE, out=OUT, **variables):
    """The program, with the base as it was imported beside the tree."""
    out.mkdir(parents=True, exist_ok=True)
    log = ui.fresh_log("ring_buffer-build")
    # Not for the ARCH that the user wants tested: it runs here.
    ui.must(["make", "-C", source, f"OUTPUT={out}", f"BASE={series.BASE_REF}"], log,
            "building the ring buffer for user space",
            env={**kernels.environment(), **variables})


def run_tests(found, *parts):
    """Some parts of its tests."""
    with ui.Step(f"test the ring buffer in user space: {' '.join(parts)}") as step:
        ktap.run(found, GROUP, [PROGRAM, *parts], LOGS / f"ring_buffer-{parts[0]}.log", step,
                 timeout=TIMEOUT)


def tests(found):
    """Its tests."""
    with ui.Step("build the ring buffer for user space"):
        build()
    run_tests(found, *THREADS)
    program = hashlib.sha256(PROGRAM.read_bytes()).hexdigest()
    outcomes.again(found, outcomes.place(outcomes.code(__file__, ktap.__file__), program),
                   lambda found: run_tests(found, STEPPED))


def measure():
    """What reserve and commit of one event take, for each row ours and the base's."""
    build()
    lines = []
    log = LOGS / "ring_buffer-bench.log"
    if ui.run([PROGRAM, "bench"], log, on_line=lines.append, timeout=TIMEOUT):
        raise Failure(f"the benchmark of the ring buffer failed (log: {ui.shown(log)})")
    printed = {}
    for line in lines:
        match = BENCH_LINE.match(line.strip())
        if match:
            printed[match.group(1)] = (float(match.group(3)), float(match.group(2)))
    missing = [row for row in ROWS.values() if row not in printed]
    if missing:
        raise Failure(f"the benchmark of the ring buffer has no row {missing[0]!r} "
                      f"(log: {ui.shown(log)})")
    return {name: printed[row] for name, row in ROWS.items()}
