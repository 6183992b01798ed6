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
    """A suite on one kernel: its tests with True, False or None; how it ended, if not well."""

    tests: dict
    trouble: str = ""

    def counts(self):
        """Passed, failed, skipped."""
        results = list(self.tests.values())
        return "/".join(str(results.count(result)) for result in (True, False, None))


def from_ktap(lines, status):
    """A kselftest: each of its parts counts, and what has none."""
    reader = ktap.Reader(nested="#")
    for line in lines:
        reader.line(line)
    return Suite({test.path.replace("selftests: ", ""): test.ok for test in reader.tests
                  if test.own}, reader.end(status))


def from_words(name, lines, status):
    """A suite that WORDED is for, or one that is a test by itself."""
    tests = {match[1]: WORDS[match[2]] for line in lines for pattern in WORDED
             for match in [pattern.match(line)] if match}
    return Suite(tests or {name: not status}, f"status {status}" if status else "")


def read(lines):
    """What debian_suites.sh has printed, as suites by name."""
    suites, name, own = {}, "", []
    for line in lines:
        if line.startswith("@suite "):
            name, own = line.split()[1], []
            suites[name] = Suite({}, "the guest died in it")
        elif line.startswith("@status "):
            status = int(line.split()[1])
            suites[name] = (from_ktap(own, status) if name.startswith("kselftest-")
                            else from_words(name, own, status))
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
        suite, beside = (suites.get(name, Suite({}, "it did not run")) for suites in (ours, stock))
        lines.append(f"{name:28} {len({**suite.tests, **beside.tests}):6} "
                     f"{suite.counts():>14} {beside.counts():>14}")
        worse = [test for test, ok in beside.tests.items() if ok and not suite.tests.get(test)]
        found.add(GROUP, f"{name}: what passes on Debian's kernel passes", not worse,
                  "; ".join(worse[:9]))
        found.add(GROUP, f"{name} comes to its end", not suite.trouble, suite.trouble)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for kind, (_, result) in results.items():
        found.add(GROUP, f"all have run, {kind}", not result.trouble(), result.trouble() or "")
