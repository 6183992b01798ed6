# SPDX-License-Identifier: GPL-2.0-or-later
"""mutants.py, on a kernel that is a program of two files."""

import contextlib
import io
import pathlib
import subprocess

import fntrace
import guest
import mutantlists
import mutants
import ringbuffer
import ui
from support import Case

DATA = pathlib.Path(__file__).parent / "mutants"
FILES = {str(path.relative_to(DATA)): path.read_text(encoding="utf-8")
         for path in DATA.rglob("*.[ch]")}


class Kernel:
    """In place of mutants.Tree."""

    def __init__(self, work):
        self.work = work
        self.log = work / "log"
        self.program = work / "program"
        self.builds = 0

    def checkout(self):
        """As nothing else changes the files."""

    def original(self, path):
        if path not in FILES:
            raise mutantlists.Unfit(f"there is no {path}")
        return FILES[path]

    def hold(self, texts):
        for path, text in {**FILES, **texts}.items():
            (self.work / path).parent.mkdir(exist_ok=True)
            (self.work / path).write_text(text, encoding="utf-8")

    def build(self):
        self.builds += 1
        done = subprocess.run(["gcc", "-Wall", "-o", self.program, "kernel/sum.c", "init/main.c"],
                              cwd=self.work, capture_output=True, text=True, check=False)
        self.log.write_text(done.stderr, encoding="utf-8")
        if done.returncode:
            raise ui.Failure("gcc failed")

    def boot(self, _kernel, script, name, on_line=None, append="", **_options):
        """In place of guest.boot()."""
        result = guest.Result(self.work / name)
        what = "sums" if "ONLY='sums'" in script else script.split("'")[1]
        try:
            done = subprocess.run([self.program, what, append.removeprefix("mutant=")],
                                  capture_output=True, text=True, check=False, timeout=1)
        except subprocess.TimeoutExpired:
            result.timed_out = True
            return result
        result.status = None if done.returncode < 0 else done.returncode
        for line in done.stdout.splitlines():
            if "WARNING" in line:
                result.splats.append(line)
            else:
                on_line(line)
        return result


def one(name, file, old, new, test):
    """The text of a mutant."""
    return f"mutant {name}\nfile {file}\n- {old}\n+ {new}\ntest {test}\n\n"


PROGRAM = """
#include <stdio.h>
int main(void)
{
	printf("TAP version 13\\n1..1\\n%s 1 - it\\n", 1 + 1 == 2 ? "ok" : "not ok");
	return 0;
}
"""
MAKEFILE = "all example:\n\tgcc -o $(OUTPUT)/ring_buffer_test program.c\n"
RUNS = "import os, sys\nos.execv(sys.argv[1] + '/ring_buffer_test', ['it'])\n"

# The same in three languages, whose functions are found by their names.
RUST = ("mod a {\n    pub fn one() {\n        two();\n    }\n"
        "    fn two() {\n        two();\n    }\n}\n")
PYTHON = "def one():\n    two()\n\n\ndef two():\n    two()\n"
SHELL = "one()\n{\n\ttwo x\n}\n\ntwo()\n{\n\ttwo y\n}\n"


class Mutants(Case):
    """Lists of mutants, and what becomes of these."""

    def setUp(self):
        super().setUp()
        for module in (ui, fntrace, mutants, ringbuffer):
            self.put(module, LOGS=self.work)
        self.put(mutantlists, LISTS=self.work / "lists")
        self.put(mutants, REPORT=self.work / "mutants.txt")
        self.kernel = Kernel(self.work)
        self.put(mutants, tree=lambda: self.kernel)
        self.put(mutants.series, tree=lambda: None)
        self.put(guest, boot=self.kernel.boot, root_image=lambda kernel: None)
        self.list("a", (DATA / "a.list").read_text(encoding="utf-8"))
        self.list("b", one("alone", "kernel/sum.c", "return a + b;", "return b;", "kunit limit"))

    def list(self, area, text):
        """Write a list; returns its path."""
        path = self.work / "lists" / f"{area}.list"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def test_outcomes(self):
        found = mutantlists.read_lists()
        lines = mutants.try_all(found)
        for mutant in found:
            outcome, _, words = mutant.why.partition(": ")
            if outcome:
                with self.subTest(mutant.name):
                    self.assertEqual(mutant.outcome, outcome, mutant.words)
                    self.assertIn(words.strip(), mutant.words)
        self.equal("one that does not compile costs one build", self.kernel.builds, 2)
        self.true("the lines say what survived", any(
            line.startswith("survived  a: nobody-notices: kunit limit; ") for line in lines), lines)

    def test_selection(self):
        for name, args, wanted in (("an area", ((), ("b",)), ["alone"]),
                                   ("some by name", (("dies", "alone"),), ["dies", "alone"])):
            self.equal(name, [mutant.name for mutant in mutantlists.read_lists(*args)], wanted)

    def test_main(self):
        for last, status, *args in (
                ("2 caught, 1 survived, 1 failed to run", 1, "expression", "hangs",
                 "nobody-notices", "not-there"),
                ("1 caught, 0 survived, 0 failed to run", 0, "AREA=b")):
            with self.subTest(last), contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(mutants.main(args), status)
                self.assertEqual(said.getvalue().splitlines()[-1], last)

    def test_refused(self):
        for name, text, words in (
                ("a line", one("m", "f", "a", "b", "kunit s") + "other\n",
                 ":7: no mutant begins here"),
                ("a word", "mutant m\nother x\n", ":2: \"other x\" is not understood"),
                ("a kind of test", one("m", "f", "a", "b", "make it"), "is not understood"),
                ("a mutant without a test", "mutant m\nfile f\n- a\n", 'has no line "test"'),
                ("a mutant without a file", "mutant m\n- a\ntest kunit s\n", 'has no line "file"')):
            with self.subTest(name), self.assertRaisesRegex(ui.Failure, words):
                mutantlists.read_list(self.list("c", text))

    def test_functions(self):
        for language, text, old in (("Rust", RUST, "two();"), ("Python", PYTHON, "two()"),
                                    ("shell", SHELL, "two x")):
            mutant = mutantlists.Mutant("m", "a", "", function="one", old=old, new="three")
            self.equal(language, mutants.replaced(text, mutant).count("three"), 1)

    def test_programs(self):
        """Mutants of programs that are built in a copy."""
        origin = self.work / "origin"
        for top in ("tools/testing/ring_buffer", "tools/tracing/fntrace"):
            for path, text in (("program.c", PROGRAM), ("Makefile", MAKEFILE),
                               ("tests/test_fntrace.py", RUNS)):
                file = origin / top / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
        for where, kind in ((mutants.RingBuffer, "ring_buffer"), (mutants.Fntrace, "fntrace it")):
            work = self.work / kind.split()[0]
            self.put(where, origin=origin, also=(), copy=work / "tree", out=work / "out")
            file = f"{where.top}/program.c"
            found = mutantlists.read_list(self.list("program", "".join((
                one("caught", file, "1 + 1", "1 + 2", kind),
                one("survives", file, "printf", "(printf)", kind),
                one("no-c", file, "1 + 1", "no_such", kind),
                one("ends", file, "return 0;", "return 3;", kind)))))
            mutants.try_all(found)
            self.equal(f"{kind}: each mutant has its outcome", [
                mutant.outcome for mutant in found], ["caught", "survived", "failed", "caught"])
            self.equal(f"{kind}: the original is put back",
                       (where.copy / file).read_text(encoding="utf-8"), PROGRAM)
