# SPDX-License-Identifier: GPL-2.0-or-later
"""The lists of mutants for mutants.py, and where the text of one is.

A mutant is a stanza of harness/mutants/AREA.list, with an empty line behind it:

    # what no longer holds
    mutant tp-no-rcu-sync
    file kernel/tracepoint.c
    in tracepoint_remove_func
    - tp_rcu_cond_sync(TP_TRANSITION_SYNC_1_0_1);
    + ;
    test kunit static_batch

The text behind "-" is there once in the file, or in the function that "in" names: whole
statements, which end with ";", or an expression. Between its words may be other space than here;
more lines with "-" or "+" continue it. Of its tests, which are tried in order, one must notice:

    kunit SUITE                          in a guest of x86_64
    kselftest DIRECTORY/SCRIPT [WORDS]   there; only tests whose names have WORDS in them, if the
                                         script can choose, or with WORDS as its arguments if
                                         these are numbers
    compile                              what must not compile, or must
    ring_buffer                          the ring buffer in user space
    fntrace WORDS                        tests of fntrace whose names begin so
"""

import collections
import dataclasses
import re

from ui import ROOT, Failure, shown

LISTS = ROOT / "harness" / "mutants"
KINDS = ("kunit", "kselftest", "compile", "ring_buffer", "fntrace")


class Unfit(Exception):
    """A mutant that cannot be tried; the text says why."""


@dataclasses.dataclass
class Mutant:
    """A change, and the tests that must notice it."""

    name: str
    area: str
    why: str
    number: int = 0
    file: str = ""
    function: str = ""
    old: str = ""
    new: str = ""
    tests: list = dataclasses.field(default_factory=list)
    # "caught", "survived" or "failed", and by what or why.
    outcome: str = ""
    words: str = ""

    @property
    def compiled_in(self):
        """Whether it is one of those in one kernel, for tests in its guests."""
        return self.file.endswith((".c", ".h")) and not self.file.startswith("tools/")

    def settle(self, outcome, words):
        """The first outcome counts, unless it is one of having survived."""
        if self.outcome in ("", "survived"):
            self.outcome, self.words = outcome, words


def read_list(path):
    """The mutants of a file."""
    found, mutant, why = [], None, ""
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if not line.strip():
            mutant, why = None, ""
        elif word.startswith("#"):
            why = why or rest
        elif word == "mutant" and rest:
            mutant = Mutant(rest, path.stem, why)
            found.append(mutant)
        elif mutant is None:
            raise Failure(f"{shown(path)}:{number}: no mutant begins here")
        elif word in ("file", "in") and rest:
            setattr(mutant, {"in": "function"}.get(word, word), rest)
        elif word in ("-", "+"):
            name = "old" if word == "-" else "new"
            setattr(mutant, name, f"{getattr(mutant, name)}\n{rest}".strip())
        elif word == "test" and rest.split()[:1] and rest.split()[0] in KINDS:
            mutant.tests.append(tuple(rest.split(maxsplit=1)))
        else:
            raise Failure(f"{shown(path)}:{number}: \"{line}\" is not understood")
    for mutant in found:
        lacking = [word for word, value in (("file", mutant.file), ("-", mutant.old),
                                            ("test", mutant.tests)) if not value]
        if lacking:
            raise Failure(f"{shown(path)}: mutant {mutant.name} has no line \"{lacking[0]}\"")
    return found


def read_lists(names=(), areas=()):
    """The mutants that are wanted, numbered as among all."""
    found = [mutant for path in sorted(LISTS.glob("*.list")) for mutant in read_list(path)]
    for number, mutant in enumerate(found, 1):
        mutant.number = number
    twice = [name for name, count in collections.Counter(
        mutant.name for mutant in found).items() if count > 1]
    if twice:
        raise Failure(f"two mutants are called {twice[0]}")
    for words, there in ((names, {mutant.name for mutant in found}),
                         (areas, {mutant.area for mutant in found})):
        for word in words:
            if word not in there:
                raise Failure(f"{word}: there are {' '.join(sorted(there))}")
    return [mutant for mutant in found if (not names or mutant.name in names)
            and (not areas or mutant.area in areas)]


def function_span(text, name):
    """Where a function is in C, Rust, Python or shell: from its name to the line that ends it."""
    if match := re.search(rf"^( *)(?:pub(?:\([a-z]+\))? |const |unsafe |async |extern \"C\" )*"
                          rf"(fn|def) {re.escape(name)}\b", text, re.MULTILINE):
        end = r"^ {0,%d}\S" if match.group(2) == "def" else r"^ {%d}\}"
        ending = re.compile(end % len(match.group(1)), re.MULTILINE).search(text, match.end())
        return match.start(), ending.end() if ending else len(text)
    for match in re.finditer(rf"^(?:[a-zA-Z_][^\n;]*\b)?{re.escape(name)}\s*\([^;{{}}]*\)"
                             r"[^;{}()]*\n?\{", text, re.MULTILINE):
        ending = re.compile(r"^\}", re.MULTILINE).search(text, match.end())
        return match.start(), ending.end() if ending else len(text)
    raise Unfit(f"there is no function {name}")


def place(text, mutant):
    """Where the text of a mutant is, which must be once."""
    begin, end = function_span(text, mutant.function) if mutant.function else (0, len(text))
    pattern = r"\s+".join(map(re.escape, mutant.old.split()))
    spans = [match.span() for match in re.compile(pattern).finditer(text, begin, end)]
    if len(spans) != 1:
        raise Unfit(f"its text is {len(spans) or 'not'}{' times' if spans else ''} in "
                    f"{mutant.file}{', ' if mutant.function else ''}{mutant.function}")
    return spans[0]
