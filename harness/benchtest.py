#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of what the guests of bench.py run, where no row tells that it was skipped (KTAP)."""

import os
import subprocess
import sys
import tempfile

import bench
import ktap


def many_events(count, file="events"):
    """What many_events prints, whether it succeeds, and the events, of three functions."""
    with tempfile.TemporaryDirectory() as directory:
        functions = os.path.join(directory, "available_filter_functions")
        with open(functions, "w", encoding="utf-8") as names:
            names.write("a_b\nc_d [module]\nno.isra.0\ntwice_named\ntwice_named\ne_f\n")
        events = os.path.join(directory, "events")
        with open(events, "w", encoding="utf-8"):
            pass
        shell = subprocess.run(
            ["sh", "-c", f"{bench.MANY_EVENTS}\nmany_events {count} row {file} 'p:$function'"],
            cwd=directory, stdout=subprocess.PIPE, text=True, check=False)
        with open(events, encoding="utf-8") as lines:
            return shell.stdout.strip(), shell.returncode == 0, lines.read().split()


def tests():
    yield ("many events: as many as wanted, and who called goes on",
           many_events(2) == ("", True, ["p:a_b", "p:c_d"]))
    yield "many events: all there are", many_events(3) == ("", True, ["p:a_b", "p:c_d", "p:e_f"])
    yield ("many events: too few are an error",
           many_events(4) == ("@error row only 3 events", False, ["p:a_b", "p:c_d", "p:e_f"]))
    yield ("many events: a file that is not there is an error",
           many_events(1, "absent") == ("@error row no absent", False, []))


sys.exit(ktap.write(tests()))
