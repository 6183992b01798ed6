# SPDX-License-Identifier: GPL-2.0-or-later
"""Test results: gathered, written as KTAP, and counted in one last line."""

import collections

from ui import BUILD, shown

KTAP = BUILD / "results.ktap"


class Results:
    """What the checks and tests of one run found, by group."""

    def __init__(self):
        self.groups = collections.OrderedDict()

    def add(self, group, name, ok, detail=""):
        """Record a test; OK is True, False, or None for skipped."""
        self.groups.setdefault(group, []).append((name, ok, detail))
        if ok is False:
            print(f"not ok {group}: {name}{': ' if detail else ''}{detail}", flush=True)

    def count(self, group=None):
        """(passed, failed, skipped) of one group, or of all."""
        tests = [test for key, group_tests in self.groups.items()
                 for test in group_tests if group in (None, key)]
        return tuple(sum(1 for _, ok, _ in tests if ok is wanted)
                     for wanted in (True, False, None))

    def close(self, group):
        """Say how a finished group went."""
        passed, failed, skipped = self.count(group)
        state = "FAIL" if failed else "ok  "
        print(f"{state} {group}: {passed} passed, {failed} failed, {skipped} skipped",
              flush=True)

    def finish(self):
        """Write the KTAP file, print the last line, return an exit status."""
        lines = ["KTAP version 1", f"1..{len(self.groups)}"]
        for number, (group, tests) in enumerate(self.groups.items(), 1):
            lines += [f"  # Subtest: {group}", f"  1..{len(tests)}"]
            for index, (name, ok, detail) in enumerate(tests, 1):
                state = "not ok" if ok is False else "ok"
                skip = " # SKIP" if ok is None else (" #" if detail else "")
                detail = f" {detail}" if detail else ""
                lines.append(f"  {state} {index} {name}{skip}{detail}")
            state = "not ok" if self.count(group)[1] else "ok"
            lines.append(f"{state} {number} {group}")
        KTAP.write_text("\n".join(lines) + "\n", encoding="utf-8")
        passed, failed, skipped = self.count()
        print(f"every result is in {shown(KTAP)}, the logs are in build/log/")
        print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
        return 1 if failed or not passed else 0
