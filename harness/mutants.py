#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Change one line at a time, and see which test notices.

    mutants.py [NAME...] [AREA=NAME...]

The lists are described in mutantlists.py.

All mutants of the kernel's C files are compiled into one kernel, in a tree of its own: each is a
branch on a number of the command line. For other files and tests, the text is replaced in a copy,
built again, tested, and put back. What is tested is first tested without a mutant, and must pass.
A mutant is caught by a test that fails, by a guest that dies or hangs, and by what the kernel
complains about.
"""

import collections
import concurrent.futures
import functools
import os
import re
import shutil
import time

import compilefail
import fntrace
import guest
import kernel as kernels
import ktap
import mutantlists
import results
import ringbuffer
import series
import test
import ui
from ui import BUILD, LOGS, ROOT, Failure, shown

WORK = BUILD / "mutants"
REPORT = BUILD / "mutants.txt"
# As far from each other as build/linux and build/obj/x86_64: the compiler cache knows the files.
TREE = WORK / "linux"
OBJECTS = WORK / "obj" / "x86_64"

NUMBER = "harness_mutant"
DECLARED = f"#ifndef __ASSEMBLY__\nextern int {NUMBER};\n#endif\n"
DEFINED_IN = "init/main.c"
DEFINED = ROOT / "harness" / "mutants" / "setup.c"
# How long a test may take with a mutant, as a multiple of what it takes without, and at least.
PATIENCE, LEAST = 5, 120
# Without one.
LONGEST = 1800


# --- changing the text -----------------------------------------------------

def replaced(text, mutant):
    """The text with a mutant in place of the original."""
    begin, end = mutantlists.place(text, mutant)
    return text[:begin] + (mutant.new or ";" * mutant.old.endswith(";")) + text[end:]


def branch(mutant, old, newline):
    """C that is a mutant if its number is given; the compiler's errors show the line with it."""
    new = " ".join(mutant.new.split("\n"))
    if mutant.old.endswith(";"):
        parts = ("{ ", f"if ({NUMBER} == {mutant.number}) {{ {new} }} else {{ ", f"{old} }} }}")
    else:
        parts = ("(", f"{NUMBER} == {mutant.number} ? ({new}) : (", f"{old}))")
    return newline.join(parts)


def with_edits(text, edits, offset=0):
    """The text with (begin, end, other text) changed, which do not overlap."""
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin - offset] + new + text[end - offset:]
    return text


def woven(text, mutants):
    """The text with all mutants as branches; those that do not fit are settled."""
    edits, placed = [], []
    for mutant in mutants:
        try:
            placed.append((*mutantlists.place(text, mutant), mutant))
        except mutantlists.Unfit as unfit:
            mutant.settle("failed", str(unfit))
    # What is inside of another is a part of it.
    for begin, end, mutant in sorted(placed, key=lambda one: (one[1] - one[0], one[2].number)):
        inside = [edit for edit in edits if begin <= edit[0] and edit[1] <= end]
        if any(edit not in inside and edit[0] < end and begin < edit[1] for edit in edits):
            mutant.settle("failed", "its text overlaps with that of another mutant")
            continue
        edits = [edit for edit in edits if edit not in inside]
        # A macro ends with its line.
        line = text[text.rfind("\n", 0, begin) + 1:(text + "\n").index("\n", begin)]
        edits.append((begin, end, branch(
            mutant, with_edits(text[begin:end], inside, begin),
            "" if line.endswith("\\") or line.startswith("#") else "\n")))
    return DECLARED + with_edits(text, edits)


def wrong_numbers(log):
    """The mutants on lines that the compiler calls wrong: {number: what it says}."""
    found, words = {}, None
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if match := re.search(r":\d+: (error|warning|note): (.*)", line):
            words = match.group(2) if match.group(1) == "error" else None
        elif words:
            for number in re.findall(rf"{NUMBER} == (\d+)\b", line):
                found.setdefault(int(number), words)
    return found


# --- where tests are run ---------------------------------------------------

class Caught(Exception):
    """A test has failed, and the guest need not go on; the text says which."""


def said_of(name, one):
    """A failed test, in words."""
    return f"{name}{': ' if one.detail else ''}{one.detail}"


def stop(one):
    """Called with each ktap.Test."""
    if one.ok is False:
        raise Caught(said_of(one.path, one))


def shell(what):
    """A test as in a list."""
    return " ".join(filter(None, what))


def log_of(what, mutant):
    """What the log of a test is called."""
    return f"mutant-{mutant.name if mutant else re.sub(r'[^A-Za-z0-9_]+', '-', shell(what))}"


def first_failure(function, *args):
    """Call a function with results, which are not for the user; returns the first that failed."""
    found = results.Results()
    found.quiet = True
    with found.job("the run"):
        function(found, *args)
    if not any(found.count()):
        return "there are no results"
    return next((said_of(one.name, one) for tests in found.groups.values() for one in tests
                 if one.ok is False), None)


class Place:
    """Where some kinds of tests are run, with one mutant or with none.

    Each has prepare(mutants), which makes what the tests need, and notices(test, mutant, limit),
    which runs a test and returns what it says of the mutant, or None if it has passed.
    """

    def __init__(self):
        # How long a test took without a mutant, or why it cannot be used.
        self.takes = {}

    def change(self, mutant):
        """Put a mutant where it is tested."""

    def restore(self, mutant):
        """Put the original back."""

    def build(self):
        """Bring what is tested up to date."""

    def learn(self, what):
        """Run a test without a mutant."""
        began = time.monotonic()
        try:
            self.build()
            said = self.notices(what, None, LONGEST)
        except Failure as failure:
            said = str(failure)
        self.takes[what] = said or time.monotonic() - began
        if said:
            ui.say(f"FAIL {shell(what)} without a mutant: {said}")

    def run(self, pairs):
        """Try (mutant, test) in order, those of mutants that are not caught yet."""
        mutants = list({mutant.name: mutant for mutant, _ in pairs}.values())
        try:
            self.prepare(mutants)
        except Failure as failure:
            for mutant in mutants:
                mutant.settle("failed", str(failure))
            return
        with ui.Step(f"without a mutant: {self.what}"):
            self.each(self.learn, list(dict.fromkeys(
                what for mutant, what in pairs if not mutant.outcome)))
        with ui.Step(f"with mutants: {self.what}", len(mutants)) as step:
            def one(mutant):
                step.note = mutant.name
                if mutant.outcome in ("", "survived"):
                    self.whole(mutant, [what for other, what in pairs if other is mutant])
                step.advance()

            self.each(one, mutants)

    def whole(self, mutant, whats):
        """One mutant."""
        try:
            self.change(mutant)
            try:
                self.build()
            except Failure as failure:
                raise mutantlists.Unfit(f"it does not compile: {failure}") from None
            for what in whats:
                if isinstance(self.takes[what], str):
                    mutant.settle("failed", f"without a mutant, {shell(what)}: {self.takes[what]}")
                elif mutant.outcome in ("", "survived"):
                    said = self.notices(what, mutant, max(LEAST, PATIENCE * self.takes[what]))
                    mutant.settle("caught" if said else "survived",
                                  f"{shell(what)}: {said}" if said else "")
        except (mutantlists.Unfit, Failure) as unfit:
            mutant.settle("failed", str(unfit))
        finally:
            self.restore(mutant)
        # The last line of a run that takes an hour may not come.
        ui.say(f"{mutant.outcome} {mutant.name}: {mutant.words}")

    def each(self, function, items):
        """Call a function for each item, one after the other."""
        for item in items:
            function(item)


class Tree(kernels.Kernel):
    """A kernel of a work tree of build/linux of its own."""

    def __init__(self):
        super().__init__("x86_64")
        self.source, self.out = TREE, OBJECTS
        self.label, self.what = "x86_64-mutants", "kernel with mutants"
        self.log = LOGS / "build-x86_64-mutants.log"

    def checkout(self):
        """The series, as it is in build/linux; what was changed stays for now."""
        head = series.git("rev-parse", "HEAD").strip()
        if not (TREE / ".git").exists() or \
                series.git("rev-parse", "HEAD", cwd=TREE).strip() != head:
            series.worktree(TREE, head)

    def original(self, path):
        """A file as the series has it."""
        text = series.blob("HEAD", path)
        if text is None:
            raise mutantlists.Unfit(f"there is no {path}")
        return text

    def hold(self, texts):
        """Let {path: text} be the files that are not as in the series."""
        edited = series.git("diff", "--name-only", "HEAD", cwd=TREE).split()
        for path in {*edited, *texts}:
            text = texts.get(path)
            text = self.original(path) if text is None else text
            file = TREE / path
            # What is the same already need not be compiled again.
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                file.write_text(text, encoding="utf-8")


@functools.cache
def tree():
    """The one Tree."""
    return Tree()


class Guests(Place):
    """KUnit and kselftests in guests."""

    what = "guests"

    def __init__(self):
        super().__init__()
        self.kernel = tree()

    def texts(self, mutants):
        """What is in the tree: all mutants."""
        files = collections.defaultdict(list)
        for mutant in mutants:
            files[mutant.file].append(mutant)
        texts = {}
        for path, those in files.items():
            try:
                texts[path] = woven(self.kernel.original(path), those)
            except mutantlists.Unfit as unfit:
                for mutant in those:
                    mutant.settle("failed", str(unfit))
        texts[DEFINED_IN] = texts.get(DEFINED_IN, self.kernel.original(DEFINED_IN)) \
            + DEFINED.read_text(encoding="utf-8")
        return texts

    def prepare(self, mutants):
        with ui.Step("work tree for mutants"):
            self.kernel.checkout()
        while True:
            fit = [mutant for mutant in mutants if not mutant.outcome]
            self.kernel.hold(self.texts(fit))
            try:
                self.kernel.build()
                break
            except Failure:
                # Those that do not compile are left out.
                wrong = wrong_numbers(self.kernel.log)
                bad = [mutant for mutant in fit if mutant.number in wrong]
                if not bad:
                    raise
                for mutant in bad:
                    mutant.settle("failed", f"it does not compile: {wrong[mutant.number]}")
        guest.root_image(self.kernel)

    def notices(self, what, mutant, limit):
        kind, words = what
        reader = ktap.Reader() if kind == "kselftest" else test.kunit_reader()
        if mutant:
            reader.on_test = stop
        options = {"append": f"mutant={mutant.number if mutant and mutant.compiled_in else 0}"}
        if kind == "kunit":
            script = f"modprobe kunit filter_glob='{words}'\n{guest.script('kunit')}"
        else:
            script, _, words = words.partition(" ")
            numbers = words if re.fullmatch(r"[\d ]+", words) else ""
            script = (f"cd /selftests/{os.path.dirname(script)} && "
                      f"ONLY='{'' if numbers else words}' ./{os.path.basename(script)} {numbers}\n")
            options["programs"] = test.KSELFTEST_PROGRAMS["x86_64"]
        try:
            result = guest.boot(self.kernel, script, log_of(what, mutant), timeout=limit,
                                on_line=reader.line, **options)
        except Caught as caught:
            return str(caught)
        failed = next((one for one in reader.tests if one.ok is False), None)
        if failed:
            return said_of(failed.path, failed)
        if result.splats:
            return f"kernel: {result.splats[0]}"
        return reader.end(test.guest_status(result)) or (None if reader.tests else "no result came")

    def each(self, function, items):
        """Guests have one thread each."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(function, items))


class Rebuilt(Guests):
    """The same with files that are no C: the kernel is built for each."""

    what = "kernels of their own"
    each = Place.each

    def prepare(self, mutants):
        self.kernel.checkout()
        self.restore(None)

    def build(self):
        self.kernel.build()

    def change(self, mutant):
        self.kernel.hold({mutant.file: replaced(self.kernel.original(mutant.file), mutant)})

    def restore(self, mutant):
        self.kernel.hold({})


class Compiled(Rebuilt):
    """What must not compile."""

    what = "what must not compile"

    def build(self):
        self.kernel.configure()
        self.kernel.must(self.kernel.log, "building what modules need", "prepare",
                         "modules_prepare")

    def notices(self, what, mutant, limit):
        return first_failure(compilefail.run, self.kernel)


class Program(Place):
    """A copy of a program of user space, built and tested for each mutant by command(test)."""

    # Where the files of mutants are below COPY, and what else is copied.
    top, also = ".", ()

    def prepare(self, mutants):
        for path in (self.top, *self.also):
            shutil.copytree(self.origin / path, self.copy / path, dirs_exist_ok=True)
        # An interrupted run leaves objects of a mutant, which are newer than the files.
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        self.build()

    def change(self, mutant):
        file = self.copy / mutant.file
        if not file.exists():
            raise mutantlists.Unfit(f"there is no {mutant.file}")
        file.write_text(replaced((self.origin / mutant.file).read_text(encoding="utf-8"), mutant),
                        encoding="utf-8")

    def notices(self, what, mutant, limit):
        def test_it(found):
            # What is compiled with -pg may leave its gmon.out where it runs.
            ktap.run(found, self.what, self.command(what), ui.fresh_log(log_of(what, mutant)),
                     timeout=limit, cwd=self.out, env=fntrace.environment(False),
                     on_test=stop if mutant else None)

        try:
            return first_failure(test_it)
        except Caught as caught:
            return str(caught)

    def restore(self, mutant):
        if (self.copy / mutant.file).exists():
            shutil.copyfile(self.origin / mutant.file, self.copy / mutant.file)


class RingBuffer(Program):
    """The ring buffer of the kernel in user space."""

    what = "the ring buffer in user space"
    origin, copy, out = series.TREE, WORK / "ring_buffer" / "tree", WORK / "ring_buffer" / "out"
    top = "tools/testing/ring_buffer"
    also = ("kernel/trace", "include/linux", "include/uapi/linux", "tools/include", "tools/arch",
            "tools/scripts", "scripts")

    def build(self):
        ringbuffer.build(self.copy / self.top, self.out, GIT_DIR=str(series.TREE / ".git"))

    def command(self, what):
        return [self.out / ringbuffer.PROGRAM.name]


class Fntrace(Program):
    """The tracer of programs."""

    what = "fntrace"
    origin, copy, out = ROOT, WORK / "fntrace" / "tree", WORK / "fntrace" / "out"
    top = "tools/tracing/fntrace"

    def build(self):
        fntrace.build(source=self.copy / self.top, out=self.out)

    def command(self, what):
        return ["/usr/bin/python3", self.copy / self.top / "tests" / "test_fntrace.py", self.out,
                what[1]]


def place_of(mutant, kind):
    """Which of the classes tries a mutant with a kind of test."""
    if kind in ("kunit", "kselftest"):
        return Guests if mutant.compiled_in else Rebuilt
    return {"compile": Compiled, "ring_buffer": RingBuffer, "fntrace": Fntrace}[kind]


def try_all(mutants):
    """Try mutants, and settle each."""
    for where in (Guests, RingBuffer, Fntrace, Compiled, Rebuilt):
        pairs = [(mutant, what if len(what) > 1 else (*what, "")) for mutant in mutants
                 for what in mutant.tests if mutant.outcome in ("", "survived")
                 and place_of(mutant, what[0]) is where]
        if pairs:
            where().run(pairs)
    lines = []
    for mutant in mutants:
        if mutant.outcome == "survived":
            mutant.words = "; ".join(map(shell, mutant.tests))
        elif not mutant.outcome:
            mutant.settle("failed", "nothing has tried it")
        lines.append(f"{mutant.outcome:9} {mutant.area}: {mutant.name}: {mutant.words}"
                     + (f" ({mutant.why})" if mutant.outcome == "survived" and mutant.why else ""))
    return lines


def main(args):
    areas = [word for arg in args if arg.startswith("AREA=") for word in arg[5:].split()]
    mutants = mutantlists.read_lists([arg for arg in args if not arg.startswith("AREA=")], areas)
    if not mutants:
        raise Failure(f"{shown(mutantlists.LISTS)} has no mutants")
    if any(place_of(mutant, what[0]) is not Fntrace for mutant in mutants for what in mutant.tests):
        series.tree()
    lines = try_all(mutants)
    count = collections.Counter(mutant.outcome for mutant in mutants)
    lines.append(f"{count['caught']} caught, {count['survived']} survived, "
                 f"{count['failed']} failed to run")
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines), flush=True)
    return 1 if count["survived"] or count["failed"] else 0


if __name__ == "__main__":
    ui.main(main)
