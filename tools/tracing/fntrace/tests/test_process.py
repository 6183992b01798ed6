# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of processes: what they start, what they give up, and how they are controlled."""

from bench import Skip, compare, counts, expect, run, wanted

NOT_ALLOWED = 77


def sandbox(*arguments):
    """What a program takes from itself, it does not take from the tracer."""
    def test(bench):
        (bench.work / "empty").mkdir()
        program = bench.compile("sandbox.c", "-pg", "-O1")
        directory = bench.work / "data"
        done = run(bench.fntrace, "record", "-s", "64k", "-o", directory, program, *arguments,
                   status=None, cwd=bench.work)
        if done.returncode == NOT_ALLOWED:
            raise Skip("not without being root")
        expect(done.returncode == 0 and done.stderr == "", f"{done.returncode}: {done.stderr}")
        events, said = bench.chrome(directory)
        compare(wanted(done.stdout), counts(events))
        expect(said == "", said)
    return test


def tests():
    yield "program that changes its root directory", sandbox("chroot", "empty")
    yield "program that hides /proc", sandbox("proc")
