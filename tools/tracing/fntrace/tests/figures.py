#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What fntrace costs, beside what does the same: a line of JSON, {figure: [ours, theirs]}.

    figures.py DIR      the directory that fntrace is built in

insn.fntrace_pair is what an entry and exit add, beside libmcount; insn.fntrace_disabled what a
call adds when nothing is traced, beside a hook that only returns. time.fntrace_* are of the same
command of uftrace, and of the same directory.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

from bench import TESTS, Bench, need, per_call, run

# Calls of which the cost of one is measured, as a difference. A step takes 25 us where
# this was written, and a call up to 670 of them.
FEW, MANY = 200, 600
# Calls of a recording whose conversion and report are timed: 16 MB in uftrace's format.
CONVERTED = 500000
REPEATED = 3
HOOK = """\
.globl mcount, __monstartup, _mcleanup
mcount: __monstartup: _mcleanup: ret
.section .note.GNU-stack,"",@progbits
"""


def seconds(*command):
    """The least of several times: what is beside it on the machine only adds."""
    times = []
    for _ in range(REPEATED):
        start = time.monotonic()
        subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
        times.append(time.monotonic() - start)
    return min(times)


def figures(bench):
    """All of them."""
    need("uftrace", "gcc")
    work = bench.work
    for name, source, *flags in (("plain", "pairs.c", "-O2"), ("traced", "pairs.c", "-O2", "-pg"),
                                 ("tree", "tree.c", "-O1", "-pg")):
        run("gcc", *flags, TESTS / source, "-o", work / name)
    (work / "empty.S").write_text(HOOK, encoding="utf-8")
    run("gcc", "-shared", work / "empty.S", "-o", work / "empty.so")

    def call(program, **options):
        return per_call(bench, work / program, FEW, MANY, **options)

    ours = {"LD_PRELOAD": str(bench.library), "FNTRACE_DIR": str(work)}
    plain = call("plain")
    empty = call("traced", LD_PRELOAD=str(work / "empty.so"))
    off, on = call("traced", FNTRACE_START="0", **ours), call("traced", **ours)
    mcount = call("traced", prefix=("uftrace", "record", "--force", "--no-libcall", "--no-event",
                                    "-d", work / "mcount"))
    data = work / "data"
    run(bench.fntrace, "record", "-o", work / "ours", work / "tree", "loop", CONVERTED)
    run(bench.fntrace, "convert", "-f", "uftrace", "-o", data, work / "ours")
    return {
        "insn.fntrace_pair": (on - plain, mcount - plain),
        "insn.fntrace_disabled": (off - plain, empty - plain),
        "time.fntrace_report": (seconds(bench.fntrace, "report", data),
                                seconds("uftrace", "report", "-d", data)),
        "time.fntrace_convert": (
            seconds(bench.fntrace, "convert", "-f", "chrome", "-o", "-", data),
            seconds("uftrace", "dump", "--chrome", "-d", data)),
    }


def main():
    built = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(dir=built, prefix="figures-") as work:
        print(json.dumps(figures(Bench(built, pathlib.Path(work)))))


if __name__ == "__main__":
    main()
