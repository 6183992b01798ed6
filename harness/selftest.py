#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the series machinery on a base of a handful of files (KTAP)."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HARNESS = pathlib.Path(__file__).resolve().parent
COUNT = 0
FAILED = 0

CORE = "".join(f"line {number}\n" for number in range(1, 30))


def report(name, ok, words=""):
    global COUNT, FAILED
    COUNT += 1
    FAILED += not ok
    print(f"{'ok' if ok else 'not ok'} {COUNT} {name}", flush=True)
    if not ok and words:
        print("# " + words.strip().replace("\n", "\n# "))


class Project:
    """A small repository with a series of two patches, and its base."""

    def __init__(self, top):
        self.top = top / "project"
        self.base = top / "base"
        self.write(self.base / "Makefile",
                   "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 7\n")
        self.write(self.base / "kernel" / "core.c", CORE)
        self.write(self.base / "kernel" / "other.c", "other\n")
        self.git(self.base, "init", "--quiet")
        self.commit(self.base, "base")
        for name in ("series.py", "ui.py"):
            self.write(self.top / "harness" / name, (HARNESS / name).read_text())
        self.write(self.top / "series" / "cover", "A series\n\nWhat it is for.\n")
        one, two = self.folder("0001-new-file"), self.folder("0002-hook")
        self.write(one / "message", "kernel: Add a file\n\nBecause.\n")
        self.write(one / "files", "kernel/new.c\n")
        self.write(self.top / "kernel" / "new.c", "new\n")
        self.write(two / "message", "kernel: Call it\n\nBecause.\n")
        self.write(two / "edit.patch", "--- a/kernel/core.c\n+++ b/kernel/core.c\n"
                   "@@ -10,2 +10,3 @@\n line 10\n+hook\n line 11\n")
        self.git(self.top, "init", "--quiet")

    def folder(self, name):
        return self.top / "series" / name

    @property
    def tree(self):
        return self.top / "build" / "linux"

    @staticmethod
    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    @staticmethod
    def git(where, *args):
        return subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *args],
            cwd=where, check=True, capture_output=True, text=True).stdout

    def commit(self, where, message):
        self.git(where, "add", "--all")
        self.git(where, "commit", "--quiet", "-m", message)

    def run(self, *args, ksrc=None):
        env = dict(os.environ, KSRC=str(self.base) if ksrc is None else ksrc)
        done = subprocess.run([sys.executable, self.top / "harness" / "series.py", *args],
                              env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def refuses(self, name, words, *args, **kwargs):
        """The command must fail with one line that contains WORDS."""
        status, said = self.run(*args, **kwargs)
        errors = [line for line in said.splitlines() if line.startswith("error:")]
        ok = status == 1 and len(errors) == 1 and words in errors[0] \
            and "Traceback" not in said
        report(f"refuses {name}", ok, said)


@contextlib.contextmanager
def project():
    with tempfile.TemporaryDirectory() as top:
        yield Project(pathlib.Path(top))


def test_tree():
    with project() as it:
        status, said = it.run("tree")
        core = (it.tree / "kernel/core.c").read_text()
        report("tree has overlay and edit", status == 0 and "line 10\nhook\n" in core
               and (it.tree / "kernel/new.c").read_text() == "new\n", said)
        head = it.git(it.tree, "rev-parse", "HEAD")
        report("one commit per patch", it.git(it.tree, "log", "--format=%s").splitlines()
               == ["kernel: Call it", "kernel: Add a file", "Linux 6.12.7"])

        stamp = (it.tree / "kernel/other.c").stat().st_mtime_ns
        it.write(it.top / "kernel/new.c", "newer\n")
        status, said = it.run("tree")
        report("a change moves only its own file", status == 0
               and (it.tree / "kernel/new.c").read_text() == "newer\n"
               and (it.tree / "kernel/other.c").stat().st_mtime_ns == stamp, said)
        it.write(it.top / "kernel/new.c", "new\n")
        it.run("tree")
        report("the same input gives the same commits",
               it.git(it.tree, "rev-parse", "HEAD") == head)
        shutil.rmtree(it.top / "build")
        it.run("tree")
        report("also from nothing", it.git(it.tree, "rev-parse", "HEAD") == head)

        it.write(it.top / "kernel/stray.c", "")
        it.refuses("an overlay file without a patch", "kernel/stray.c", "tree")
        (it.top / "kernel/stray.c").unlink()
        it.write(it.folder("0001-new-file") / "files", "kernel/new.c\nkernel/gone.c\n")
        it.refuses("a patch with a missing file", "kernel/gone.c", "tree")
        it.write(it.folder("0001-new-file") / "files", "kernel/new.c\n")
        edit = it.folder("0002-hook") / "edit.patch"
        good = edit.read_text()
        edit.write_text(good.replace(" line 10", " line ten"))
        it.refuses("a hunk that does not apply", "0002-hook/edit.patch: the hunk at "
                   "line 10 of kernel/core.c", "tree")
        report("and leaves the tree intact",
               it.git(it.tree, "rev-parse", "HEAD") == head
               and not it.git(it.tree, "status", "--porcelain"))
        edit.write_text(good)


def test_ksrc():
    with project() as it:
        it.refuses("KSRC that is not there", "no such directory", "tree", ksrc="/nonexistent")
        it.refuses("KSRC that is no kernel", "not a kernel source tree", "tree",
                   ksrc=str(it.top))
        it.write(it.base / "kernel/core.c", "dirty\n")
        it.refuses("a dirty KSRC", "uncommitted changes", "tree")
        it.write(it.base / "kernel/core.c", CORE)
        it.write(it.base / "Makefile", "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 7\n")
        it.commit(it.base, "old")
        it.refuses("another kernel version", "6.1.7; the series is for 6.12.y", "tree")
        shutil.rmtree(it.base / ".git")
        it.refuses("KSRC without git", "not the top of a git tree", "tree")


def test_refresh():
    with project() as it:
        it.run("tree")
        status, said = it.run("refresh")
        report("refresh of an unedited tree changes nothing", status == 0
               and "no edits" in said, said)
        it.write(it.tree / "kernel/new.c", "edited\n")
        core = (it.tree / "kernel/core.c").read_text()
        it.write(it.tree / "kernel/core.c", core.replace("hook\n", "better hook\n"))
        status, said = it.run("refresh")
        edit = (it.folder("0002-hook") / "edit.patch").read_text()
        report("edits reach overlay and edit.patch", status == 0 and "+better hook" in edit
               and (it.top / "kernel/new.c").read_text() == "edited\n", said)
        report("with one line of context",
               sum(line.startswith(" ") for line in edit.splitlines()) == 2, edit)
        status, said = it.run("tree")
        report("tree agrees afterwards", status == 0
               and not it.git(it.tree, "status", "--porcelain"), said)

        it.write(it.tree / "kernel/other.c", "other\nmore\n")
        it.refuses("an edit that belongs to no patch", "PATCH=", "refresh")
        it.write(it.tree / "kernel/third.c", "third\n")
        status, said = it.run("refresh", "0001")
        report("PATCH= says where it belongs", status == 0
               and "kernel/third.c" in (it.folder("0001-new-file") / "files").read_text()
               and "+more" in (it.folder("0001-new-file") / "edit.patch").read_text(), said)

        it.write(it.tree / "kernel/fourth.c", "fourth\n")
        it.commit(it.tree, "kernel: Add a fourth file")
        status, said = it.run("refresh")
        fresh = it.folder("0003-kernel-add-a-fourth-file")
        report("a commit becomes a patch", status == 0 and fresh.is_dir()
               and (fresh / "files").read_text() == "kernel/fourth.c\n", said)
        (it.tree / "kernel/fourth.c").unlink()
        before = sorted(str(path) for path in (it.top / "series").rglob("*"))
        it.refuses("what would leave a patch empty", "0003", "refresh")
        report("and leaves the series as it was",
               before == sorted(str(path) for path in (it.top / "series").rglob("*"))
               and (it.top / "kernel/fourth.c").exists())
        it.git(it.tree, "checkout", "--", ".")

        it.write(it.top / "kernel/new.c", "from the overlay\n")
        it.write(it.tree / "kernel/new.c", "from the tree\n")
        it.refuses("to overwrite edits in build/linux", "kernel/new.c", "tree")


def test_mail():
    with project() as it:
        status, said = it.run("mail")
        mails = sorted((it.top / "build/series").glob("*.patch"))
        cover = mails[0].read_text() if mails else ""
        report("mails with a cover letter", status == 0 and len(mails) == 3
               and "A series" in cover and "***" not in cover, said)
        it.git(it.base, "am", "--quiet", *map(str, mails[1:]))
        report("git am gives the same tree", it.git(it.base, "rev-parse", "HEAD^{tree}")
               == it.git(it.tree, "rev-parse", "HEAD^{tree}"))


for test in (test_tree, test_ksrc, test_refresh, test_mail):
    test()
print(f"1..{COUNT}")
sys.exit(1 if FAILED else 0)
