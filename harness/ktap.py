# SPDX-License-Identifier: GPL-2.0-or-later
"""The one reader and the one writer of KTAP and TAP.

Whatever prints results is judged by its plan, its exit status and its last words, not by the
lines that came. Besides a "not ok", all of these are failures, with one line that says which:
no result at all; no plan, neither before the results nor behind them; fewer results than planned,
or more; a number twice, left out or out of order; a second plan; a second beginning; "Bail out!";
a traceback; an exit status that no failed test explains; death by a signal; a guest that died;
output that stops until the time is over; a plan of 0, which skips all.
"""

import dataclasses
import re
import signal
import sys
import time

import ui

VERSION = re.compile(r"K?TAP version \d+$")
PLAN = re.compile(r"1\.\.(\d+)\s*(?:#\s*(?:SKIP\S*)?\s*(.*))?$", re.IGNORECASE)
RESULT = re.compile(r"(not )?ok\s+(\d+)(?:\s+(?:-\s+)?(.*))?$")
# What follows the name: "# SKIP reason", or other words.
DIRECTIVE = re.compile(r"(.*?)\s*#\s*(?:(SKIP)\b:?\s*)?(.*)$", re.IGNORECASE)
SUBTEST = re.compile(r"# Subtest: (.*)$")
# What KUnit and kselftest say of all tests, not of the next one.
TOTALS = re.compile(r"# (?:module:|Totals:|\S+: pass:\d)")
TRACEBACK = "Traceback (most recent call last):"


@dataclasses.dataclass(eq=False)
class Level:
    """A document, or the parts of a test in one."""

    indent: int
    parent: object = None
    name: str = ""
    # What the plan promises, None before it is there; why all is skipped.
    plan: int = None
    skipped: str = ""
    count: int = 0
    failed: bool = False
    # The next number, None if it may be any.
    due: int = 1
    last: str = ""
    # The level below, if it has ended and its result has not come.
    parts: object = None
    # Something is wrong with the numbers, or with the plan.
    disorder: str = ""

    @property
    def depth(self):
        """How many levels it is from the top, which is 1."""
        return 1 + (self.parent.depth if self.parent else 0)

    def path(self, name):
        """The name of one of its tests, with what it is a part of."""
        return "/".join(filter(None, (self.parent.path(self.name) if self.parent else "", name)))

    def trouble(self, planned):
        """What is wrong with it as a whole, or ""; PLANNED says whether it must have a plan."""
        words = [self.disorder]
        if self.plan is None:
            words.append(f"no plan, and {self.count} results" if planned else "")
        elif self.count < self.plan:
            words.append(f"{self.count} of {self.plan} results came"
                         f"{', the last: ' if self.last else ''}{self.last}")
        elif self.count > self.plan:
            words.append(f"{self.count} results came, {self.plan} were planned")
        return "; ".join(filter(None, words))


@dataclasses.dataclass
class Test:
    """A result: OK is True, False, or None for skipped."""

    level: Level
    name: str
    ok: bool
    detail: str
    seconds: float
    # The level of its parts, if it has any; and whether it is a result beside theirs.
    parts: Level = None
    own: bool = True

    @property
    def path(self):
        """Its name, with what it is a part of."""
        return self.level.path(self.name)


class Reader:
    """Takes a program's output line by line, and then how it ended.

    What is a part of a test is indented, if NESTED is true; behind "# ", as run_kselftest.sh has
    it, if NESTED is a "#". PLANS is how many levels must have plans. ANEW says that there may be
    one document behind the other, whose numbers go on, as in the kernel's log.
    """

    def __init__(self, nested=False, plans=9, anew=False, on_test=None):
        self.nested = nested
        self.plans = plans
        self.anew = anew
        self.on_test = on_test
        self.clear()

    def clear(self):
        """Forget all, as a guest begins anew."""
        self.tests = []
        self.levels = [Level(0, due=None if self.anew else 1)]
        # What is wrong besides with what has no result.
        self.troubles = []
        # The last line, and what was said in lines with "# " since the last result.
        self.last = ""
        self.diagnostics = []
        # What the level that comes next is called.
        self.upcoming = ""
        self.begun = self.bailed = False
        # Inside of a traceback, None.
        self.exception = ""
        self.heard = time.monotonic()

    @property
    def failed(self):
        """Whether a test has."""
        return any(test.ok is False for test in self.tests)

    def line(self, line):
        """Take a line; None means that all before were void."""
        if line is None:
            self.clear()
            return
        if line.strip():
            self.last = line.strip()
        self.look_for_traceback(line)
        if self.nested == "#" and line.startswith("#"):
            line = "  " + line[1:].removeprefix(" ")
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if indent and not self.nested:
            return
        if match := RESULT.match(text):
            self.result(self.level_at(indent), *match.groups())
        elif match := PLAN.match(text):
            level = self.level_at(indent)
            if level.plan is not None:
                level.disorder = level.disorder or "a second plan"
            level.plan, level.skipped = int(match.group(1)), match.group(2) or ""
        elif VERSION.match(text):
            self.begin(self.level_at(indent))
        elif match := SUBTEST.match(text):
            self.level_at(indent).name = match.group(1)
        elif text.startswith("Bail out!"):
            self.bailed = True
            self.troubles.append(text.strip())
        elif text.startswith("# ") and not TOTALS.match(text):
            self.diagnostics.append(text[2:])

    def look_for_traceback(self, line):
        """Python's last words."""
        if line == TRACEBACK:
            self.exception = None
        elif self.exception is None and line.strip() and not line[0].isspace():
            self.exception = line
            self.troubles.append(f"a traceback: {line}")

    def level_at(self, indent):
        """The level of an indentation; those that are deeper have ended."""
        while self.levels[-1].indent > indent:
            ended = self.levels.pop()
            if self.levels[-1].indent < indent:
                # Less deep than its first line.
                self.levels.append(ended)
                return ended
            self.levels[-1].parts = ended
        if self.levels[-1].indent < indent:
            self.levels.append(Level(indent, self.levels[-1], self.upcoming))
        return self.levels[-1]

    def begin(self, level):
        """A document, or a test with parts, begins at a level."""
        if level.parent is None:
            self.begun = True
        if not level.count and level.plan is None:
            return
        if level.parent or self.anew:
            self.lost(level)
            self.levels[-1] = Level(level.indent, level.parent, self.upcoming,
                                    due=1 if level.parent else None)
        else:
            level.disorder = level.disorder or f"it began anew after {level.count} results"

    def result(self, level, bad, number, rest):
        """A test has ended."""
        now = time.monotonic()
        name, ok, detail = (rest or "").strip(), not bad, ""
        if match := DIRECTIVE.match(name):
            name, skip, detail = match.groups()
            ok = None if skip else ok
        number = int(number)
        if level.due not in (None, number) and not level.disorder:
            level.disorder = f"result {number} came where {level.due} was due: {name}"
        level.due, level.last = number + 1, name
        level.count += 1
        parts, level.parts = level.parts, None
        own = not parts or not parts.count or ok is False and not parts.failed
        if parts:
            parts.name = parts.name or name
            trouble = parts.trouble(parts.depth <= self.plans)
            if trouble:
                own, ok, detail = True, False, "; ".join(filter(None, (detail, trouble)))
        level.failed = level.failed or ok is False
        if ok is False and not detail:
            detail = "; ".join(line[:120] for line in self.diagnostics[:3])
        self.tests.append(Test(level, name, ok, detail, now - self.heard, parts, own))
        self.heard, self.diagnostics = now, []
        if self.on_test:
            self.on_test(self.tests[-1])

    def lost(self, level):
        """Note what is wrong with a level that gets no result."""
        if level.parts:
            self.lost(level.parts)
        trouble = level.trouble(level.depth <= self.plans)
        if trouble:
            where = level.parent.path(level.name) if level.parent else ""
            self.troubles.append(f"{where}{': ' if where else ''}{trouble}")

    def end(self, status=0):
        """The output has ended: STATUS is what ui.run() returned, or a guest's job; None if it
        died. Returns what is wrong besides failed tests, or ""."""
        top = self.levels[0]
        # From the deepest to the top.
        while len(self.levels) > 1:
            self.lost(self.levels.pop())
        if not self.begun and not top.count and top.plan is None:
            self.troubles.append("no result came")
        elif top.plan == 0 and not top.count:
            self.troubles.append(f"all is skipped: {top.skipped}")
        elif not self.bailed:
            self.lost(top)
        if self.exception is None:
            self.troubles.append("a traceback")
        self.troubles += [words for words in [self.ending(status)] if words]
        return "; ".join(dict.fromkeys(self.troubles))

    def ending(self, status):
        """What is wrong with how it ended, or ""."""
        if status == 0 or status == 1 and (self.failed or self.troubles):
            return ""
        if status == ui.TIMED_OUT:
            words = "it did not end in time"
        elif status is None:
            words = "the guest died"
        elif status < 0:
            words = f"killed by {signal.Signals(-status).name}"
        else:
            words = f"ended with status {status}"
        return f"{words}, its last line: {self.last}" if self.last else words

    def report(self, found, group, status=0, log=None, what=""):
        """Add the results to FOUND, and what else is wrong."""
        where = f"(log: {ui.shown(log)})" if log else ""
        for test in self.tests:
            if not test.own:
                continue
            found.add(group, test.path, test.ok, f"{test.detail} {where}".strip()
                      if test.ok is False else test.detail, test.seconds)
        trouble = self.end(status)
        if trouble:
            found.add(group, f"{what}{': ' if what else ''}comes to its end", False,
                      f"{trouble} {where}".strip())


def run(found, group, argv, log, step=None, on_line=None, what="", on_test=None, **options):
    """Run a program that prints KTAP or TAP, and add its results; OPTIONS are ui.run()'s."""
    if step:
        def on_test(test):
            step.advance(note=test.name)

    reader = Reader(on_test=on_test)

    def take(line):
        reader.line(line)
        if on_line:
            on_line(line)

    reader.report(found, group, ui.run(argv, log, on_line=take, **options), log, what)


class Writer:
    """Prints results as they come; the plan comes last, so that what dies has none."""

    def __init__(self, out=None):
        self.out = out or sys.stdout
        self.count = self.failed = 0

    def add(self, name, ok, words=""):
        """A test; WORDS say why it failed."""
        self.count += 1
        self.failed += ok is False
        if ok is False and words:
            print("# " + words.strip().replace("\n", "\n# "), file=self.out)
        print(line(self.count, name, ok), file=self.out, flush=True)

    def end(self):
        """Print the plan; returns an exit status."""
        print(f"1..{self.count}", file=self.out, flush=True)
        return 1 if self.failed or not self.count else 0


def line(number, name, ok, detail=""):
    """The line of a result; OK is None for a skipped one."""
    words = " # SKIP" if ok is None else " #" if detail else ""
    return (f"{'not ok' if ok is False else 'ok'} {number} {name}{words}"
            f"{' ' if detail else ''}{detail}")
