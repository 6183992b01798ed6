# SPDX-License-Identifier: GPL-2.0-or-later
"""The suites of others in a Debian system: with our kernel, and with Debian's own beside it.

harness/scripts/debian_suites.sh runs them, and says where each begins and how it ended. What
passes on Debian's kernel has to pass on ours; the table is build/debian/suites.txt.
"""

import dataclasses
import re

import debroot
import guest
import kernel as kernels
import ktap
import series
import ui
from ui import BUILD

TABLE = BUILD / "debian" / "suites.txt"
GROUP = "suites of others on Debian"
# Kselftests of the base that trace.
BASE = ("ftrace", "ring-buffer", "user_events", "verification")
# Of both kernels, in seconds: they are emulated.
TIMEOUT = 3 * 3600
# What perf test and the tests of livepatch say of a test; how their words count.
WORDED = (re.compile(r"\s*\d+(?:\.\d+)?: (.*?)\s*: (Ok|Skip|FAILED)"),
          re.compile(r"TEST: (.*) \.\.\. (ok|not ok)"))
WORDS = {"Ok": True, "ok": True, "FAILED": False, "not ok": False, "Skip": None}


@dataclasses.dataclass
class Suite:
    """A suite on one kernel: its tests with True, False or None; its exit status."""

    name: str
    tests: dict
    status: int = None

    def counts(self):
        """Passed, failed, skipped."""
        results = list(self.tests.values())
        return "/".join(str(results.count(result)) for result in (True, False, None))


def from_ktap(lines):
    """The tests of a kselftest; each of its parts counts, and what has none."""
    reader = ktap.Reader(nested="#")
    for line in lines:
        reader.line(line)
    return {test.path.replace("selftests: ", ""): test.ok for test in reader.tests if test.own}


def from_words(lines):
    """The tests of a suite that WORDED is for."""
    return {match[1]: WORDS[match[2]] for line in lines for pattern in WORDED
            for match in [pattern.match(line)] if match}


def read(lines):
    """What debian_suites.sh has printed, as suites by name."""
    suites, name, own = {}, None, []
    for line in lines:
        if line.startswith("@suite "):
            name, own = line.split()[1], []
            # It has no status, if the guest dies in it.
            suites[name] = Suite(name, {"all": False})
        elif line.startswith("@status ") and name:
            status = int(line.split()[1])
            tests = from_words(own) or from_ktap(own)
            suites[name] = Suite(name, tests or {"all": None if status == 4 else not status},
                                 status)
            name = None
        else:
            own.append(line)
    return suites


def run(kind, selftests, livepatch):
    """Run all in a system; returns the suites by name."""
    with ui.Step(f"suites of others, {kind}") as step:
        def on_line(line):
            if line and line.startswith("@suite "):
                step.note = line.split()[1]

        result = debroot.run(kind, (guest.SCRIPTS / "debian_suites.sh").read_text(encoding="utf-8"),
                             f"suites-{kind}", timeout=TIMEOUT, on_line=on_line,
                             files={"selftests": selftests, "livepatch": livepatch})
    return read(result.lines), result


def check(found):
    """Run them on both kernels, write the table, and judge ours by Debian's."""
    series.tree()
    kernel = kernels.Kernel("x86_64-deb-cloud")
    with ui.scratch("selftests") as scratch:
        guest.install_selftests(kernel, scratch, (*BASE, *guest.KSELFTESTS))
        livepatch = kernel.source / "tools/testing/selftests/livepatch"
        results = {kind: run(kind, scratch, livepatch) for kind in ("ours", "stock")}
    ours, stock = (suites for suites, _ in results.values())
    lines = [f"{'suite':28} {'tests':>6} {'ours':>14} {'stock':>14}  passed/failed/skipped"]
    for name in {**ours, **stock}:
        suite, beside = (suites.get(name, Suite(name, {})) for suites in (ours, stock))
        lines.append(f"{name:28} {len({**suite.tests, **beside.tests}):6} "
                     f"{suite.counts():>14} {beside.counts():>14}")
        worse = [test for test, ok in beside.tests.items() if ok and not suite.tests.get(test)]
        found.add(GROUP, f"{name}: what passes on Debian's kernel passes", not worse,
                  "; ".join(worse[:9]))
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for kind, (_, result) in results.items():
        found.add(GROUP, f"all have run, {kind}", not result.trouble(), result.trouble() or "")
