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

import ktap

HARNESS = pathlib.Path(__file__).resolve().parent

ONE, TWO = "files/new-file", "hooks/hook"
CORE = "".join(f"line {number}\n" for number in range(1, 30))


WRITER = ktap.Writer()
report = WRITER.add


class Project:
    """A small repository with two topics of a patch each, and its base."""

    def __init__(self, top):
        self.top = top / "project"
        self.base = top / "base"
        self.write(self.base / "Makefile",
                   "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 7\n")
        self.write(self.base / "kernel" / "core.c", CORE)
        self.write(self.base / "kernel" / "other.c", "other\n")
        self.git(self.base, "init", "--quiet")
        self.commit(self.base, "base")
        self.write(self.base / "scripts" / "get_maintainer.pl",
                   'print "list\\@example.org (open list)\\n";\n'
                   'print "Somebody <somebody\\@example.org> (maintainer:FILES)\\n";\n')
        self.git(self.base, "add", "--all")
        self.git(self.base, "commit", "--quiet", "--amend", "--no-edit")
        for name in ("series.py", "ui.py", "base"):
            self.write(self.top / "harness" / name, (HARNESS / name).read_text())
        self.write(self.top / "series" / "topics", "files\nhooks\n")
        for topic, needs in (("files", ""), ("hooks", "files")):
            self.write(self.folder(topic) / "cover", f"The {topic}\n\nWhat they are for.\n")
            self.write(self.folder(topic) / "status", f"for: maintainer\nneeds: {needs}\n")
        for name in (ONE, TWO):
            topic, _, patch = name.partition("/")
            self.write(self.folder(topic) / "order", f"{patch}\n")
        one, two = self.folder(ONE), self.folder(TWO)
        self.write(one / "message", "kernel: Add a file\n\nBecause.\n")
        self.write(one / "files", "kernel/new.c\n")
        self.write(self.top / "kernel" / "new.c", "new\n")
        self.write(two / "message", "kernel: Call it\n\nBecause.\n")
        self.write(two / "edit.patch", "--- a/kernel/core.c\n+++ b/kernel/core.c\n"
                   "@@ -10,2 +10,3 @@\n line 10\n+hook\n line 11\n")
        self.git(self.top, "init", "--quiet")
        (self.top / "build" / "tools").mkdir(parents=True)
        (self.top / "build" / "tools" / "b4").symlink_to(HARNESS.parent / "build" / "tools" / "b4")

    def mails(self, topic):
        return sorted((self.top / "build" / "series" / topic).glob("*.eml"))

    def send(self):
        """What somebody does who sends the topic that was written last, with a mailer of his."""
        done = subprocess.run(
            ["/usr/bin/python3", "-m", "b4.command", "-c", "sendemail.smtpserver=/bin/true",
             "send", "--no-sign"], cwd=self.top / "build" / "b4", input="\n" * 9,
            env=dict(os.environ, HOME=str(self.top), GIT_CONFIG_GLOBAL="/dev/null",
                     PYTHONPATH=str(self.top / "build" / "tools" / "b4")),
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

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
        it.write(it.folder(ONE) / "files", "kernel/new.c\nkernel/gone.c\n")
        it.refuses("a patch with a missing file", "kernel/gone.c", "tree")
        it.write(it.folder(ONE) / "files", "kernel/new.c\n")
        edit = it.folder(TWO) / "edit.patch"
        good = edit.read_text()
        edit.write_text(good.replace(" line 10", " line ten"))
        status, said = it.run("tree")
        report("says which hunks do not apply", status == 1
               and f"{TWO}: 1 of 1 hunks rejected: kernel/core.c:10\n" in said, said)
        it.refuses("a base to which one does not apply", "1 hunks of 1 of 2 patches do not apply "
                   "to Linux 6.12.7", "tree")
        report("and leaves the tree intact",
               it.git(it.tree, "rev-parse", "HEAD") == head
               and not it.git(it.tree, "status", "--porcelain"))
        edit.write_text(good)


def test_topics():
    with project() as it:
        it.write(it.folder("hooks") / "status", "for: maintainer\nneeds: nothing\n")
        it.refuses("a need that is no topic", "needs nothing, which is no topic before it", "tree")
        it.write(it.folder("hooks") / "status", "for: nobody\n")
        it.refuses("a topic for nobody", "series/hooks/status does not say", "tree")
        it.write(it.folder("hooks") / "status", "for: example\n")
        (it.folder("odd")).mkdir()
        it.refuses("a topic that is not listed", "series/odd is not in series/topics", "tree")
        (it.folder("odd")).rmdir()
        order = it.folder("hooks/order")
        for name, text, words in (("a patch without a place in the order", "", "is not once in"),
                                  ("a patch twice in the order", "hook\nhook\n", "is not once in"),
                                  ("a patch that is not there", "hook\nother\n", "has no message")):
            it.write(order, text)
            it.refuses(name, words, "tree")
        it.write(order, "hook\n")

        # The hook goes where the other topic has changed the file.
        it.write(it.folder(ONE) / "edit.patch", "--- a/kernel/core.c\n+++ b/kernel/core.c\n"
                 "@@ -10,2 +10,3 @@\n line 10\n+first\n line 11\n")
        edit = it.folder(TWO) / "edit.patch"
        it.write(edit, edit.read_text().replace(" line 10", " first"))
        status, said = it.run("tree")
        report("topics apply one after the other", status == 0, said)
        it.refuses("a topic that needs more than it says", f"{TWO} does not apply to the base "
                   "with nothing", "mail", "hooks")
        it.write(it.folder("hooks") / "status", "for: example\nneeds: files\n")
        status, said = it.run("mail", "hooks")
        report("and with that, they do", status == 0 and len(it.mails("hooks")) == 1, said)
        it.refuses("a topic that is not there", "TOPIC=neither: there are files, hooks", "mail",
                   "neither")


def test_growth():
    with project() as it:
        it.write(it.top / "kernel/new.c", "new\nmore\nend\n")
        it.write(it.folder(TWO) / "edit.patch", (it.folder(TWO) / "edit.patch").read_text()
                 + "--- a/kernel/new.c\n+++ b/kernel/new.c\n@@ -1,2 +1,3 @@\n new\n+more\n end\n")
        status, said = it.run("tree")
        report("a file grows", status == 0
               and it.git(it.tree, "show", "HEAD^:kernel/new.c") == "new\nend\n"
               and (it.tree / "kernel/new.c").read_text() == "new\nmore\nend\n", said)
        it.write(it.top / "kernel/new.c", "new\nother\nend\n")
        it.refuses("a file that has grown otherwise", f"kernel/new.c is not as {TWO} leaves it",
                   "tree")


def test_port():
    with project() as it:
        it.run("tree")
        head = it.git(it.tree, "rev-parse", "HEAD")
        it.commit(it.top, "series")
        it.write(it.base / "Makefile", "VERSION = 6\nPATCHLEVEL = 13\nSUBLEVEL = 0\n")
        it.write(it.base / "kernel" / "core.c", CORE.replace("line 11\n", "line eleven\n"))
        it.commit(it.base, "newer")
        it.refuses("a newer base", "do not apply to Linux 6.13.0", "tree")
        report("and leaves the tree intact", it.git(it.tree, "rev-parse", "HEAD") == head)
        status, said = it.run("port")
        rejected = it.folder(TWO) / "edit.rej"
        report("port leaves the hunks out", status == 0 and rejected.exists()
               and f"{TWO}: 1 of 1 hunks rejected" in said and f"{ONE}: applied" in said
               and "1 of 1 hunks do not apply to Linux 6.13.0" in said, said)
        it.refuses("to port twice", "edit.rej", "port")
        it.refuses("mails with hunks left out", f"series/{TWO}/edit.rej waits", "mail")
        core = (it.tree / "kernel/core.c").read_text()
        it.write(it.tree / "kernel/core.c", core.replace("line 10\n", "line 10\nhook\n"))
        status, said = it.run("refresh", TWO)
        rejected.unlink()
        report("refresh mends them", status == 0
               and "+hook" in (it.folder(TWO) / "edit.patch").read_text(), said)
        status, said = it.run("mail")
        report("and mails can be written", status == 0, said)


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
        status, said = it.run("tree")
        report("takes another version if all applies", status == 0
               and "Linux 6.1.7" in it.git(it.tree, "log", "--format=%s"), said)
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
        edit = (it.folder(TWO) / "edit.patch").read_text()
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
        status, said = it.run("refresh", ONE)
        report("PATCH= says where it belongs", status == 0
               and "kernel/third.c" in (it.folder(ONE) / "files").read_text()
               and "+more" in (it.folder(ONE) / "edit.patch").read_text(), said)

        it.write(it.tree / "kernel/fourth.c", "fourth\n")
        it.commit(it.tree, "kernel: Add a fourth file")
        it.refuses("a commit of no topic", "PATCH=TOPIC", "refresh")
        status, said = it.run("refresh", "hooks")
        fresh = it.folder("hooks/kernel-add-a-fourth-file")
        report("a commit becomes a patch", status == 0 and fresh.is_dir()
               and (fresh / "files").read_text() == "kernel/fourth.c\n", said)
        (it.tree / "kernel/fourth.c").unlink()
        before = sorted(str(path) for path in (it.top / "series").rglob("*"))
        it.refuses("what would leave a patch empty", "fourth", "refresh")
        report("and leaves the series as it was",
               before == sorted(str(path) for path in (it.top / "series").rglob("*"))
               and (it.top / "kernel/fourth.c").exists())
        it.git(it.tree, "checkout", "--", ".")

        it.write(it.top / "kernel/new.c", "from the overlay\n")
        it.write(it.tree / "kernel/new.c", "from the tree\n")
        it.refuses("to overwrite edits in build/linux", "kernel/new.c", "tree")


def test_mail():
    with project() as it:
        it.write(it.folder("hooks") / "order", "hook\nthird\n")
        it.write(it.folder("hooks/third") / "message", "kernel: Add a third\n\nBecause.\n")
        it.write(it.folder("hooks/third") / "files", "kernel/third.c\n")
        it.write(it.top / "kernel/third.c", "third\n")
        status, said = it.run("mail")
        alone, mails = it.mails("files"), it.mails("hooks")
        texts = [path.read_text() for path in alone + mails]
        report("mails with a cover letter for each topic", status == 0
               and [len(alone), len(mails)] == [1, 3] and "[PATCH 0/2] The hooks" in texts[1], said)
        if len(texts) != 4:
            return
        report("or with its text in the only patch", "\n---\nWhat they are for.\n" in texts[0],
               texts[0])
        report("which says on what it applies", "on top of:\n  The files\n" in texts[1]
               and all(f"\n{word}: " in texts[1] for word in (
                   "base-commit", "change-id", "prerequisite-patch-id")), texts[1])
        report("and each mail to whom it goes", all(
            "\nTo: Somebody <somebody@example.org>\nCc: list@example.org\n"
            in text.partition("\n\n")[0] for text in texts), texts[3])
        report("and threads", "\nIn-Reply-To: " in texts[2] and "\nIn-Reply-To: " in texts[3])
        it.git(it.base, "am", "--quiet", *map(str, alone + mails[1:]))
        trees = {it.git(where, "rev-parse", "HEAD^{tree}")
                 for where in (it.base, it.tree, it.top / "build" / "b4")}
        report("git am gives the same tree", len(trees) == 1)

        status, said = it.send()
        report("b4 sends them", status == 0 and "Sent 3 messages" in said, said)
        it.git(it.base, "reset", "--quiet", "--hard", "HEAD~3")
        edit = it.folder(TWO) / "edit.patch"
        it.write(edit, edit.read_text().replace("+hook", "+a hook"))
        status, said = it.run("mail", "hooks")
        again = it.mails("hooks")[0].read_text()
        report("and after a change writes version 2", status == 0
               and "[PATCH v2 0/2] The hooks" in again and "\nChanges in v2:\n" in again
               and "What they are for." in again, said + again)
        report("of the same series", again.partition("\nchange-id: ")[2].split()[0]
               == texts[1].partition("\nchange-id: ")[2].split()[0], again)
        report("with a range-diff", "\nRange-diff versus v1:\n" in again
               and "    -+hook\n" in again and "    ++a hook\n" in again
               and "Add a file" not in again, again)


for test in (test_tree, test_topics, test_growth, test_port, test_ksrc, test_refresh, test_mail):
    test()
sys.exit(WRITER.end())
