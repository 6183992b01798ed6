# SPDX-License-Identifier: GPL-2.0-or-later
"""series.py on a base of a handful of files."""

import os
import shutil
import subprocess
import sys

import ui
from support import Case

HARNESS = ui.ROOT / "harness"
B4 = ui.BUILD / "tools" / "b4"

ONE, TWO = "files/new-file", "hooks/hook"
CORE = "".join(f"line {number}\n" for number in range(1, 30))


class Series(Case):
    """A small repository with two topics of a patch each, and its base."""

    def setUp(self):
        super().setUp()
        self.top = self.work / "project"
        self.base = self.work / "base"
        self.write(self.base / "Makefile", "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 7\n")
        self.write(self.base / "kernel" / "core.c", CORE)
        self.write(self.base / "kernel" / "other.c", "other\n")
        self.git(self.base, "init", "--quiet")
        self.commit(self.base, "base")
        self.write(self.base / "scripts" / "get_maintainer.pl",
                   'print "list\\@example.org (open list)\\n";\n'
                   'print "Somebody <somebody\\@example.org> (maintainer:FILES)\\n";\n')
        self.git(self.base, "add", "--all")
        self.git(self.base, "commit", "--quiet", "--amend", "--no-edit")
        for name in ("series.py", "ui.py", "base", "cover-letter"):
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
        (self.top / "build" / "tools" / "b4").symlink_to(B4)

    def mails(self, topic):
        return sorted((self.top / "build" / "series" / topic).glob("*.eml"))

    def send(self):
        """What somebody does who sends the topic that was written last, with a mailer of his."""
        done = subprocess.run(
            ["/usr/bin/python3", "-m", "b4.command", "-c", "sendemail.smtpserver=/bin/true",
             "send", "--no-sign"], cwd=self.top / "build" / "b4", input="\n" * 9,
            env={**os.environ, "HOME": str(self.top), "GIT_CONFIG_GLOBAL": "/dev/null",
                 "PYTHONPATH": str(B4)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

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

    def make(self, *args, ksrc=None, wanted=0):
        """Run series.py; returns what it says."""
        done = subprocess.run(
            [sys.executable, self.top / "harness" / "series.py", *args], check=False, text=True,
            env={**os.environ, "KSRC": ksrc or str(self.base)}, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, wanted, done.stdout)
        return done.stdout

    def refuses(self, name, words, *args, **kwargs):
        """The command must fail with one line that contains WORDS."""
        with self.subTest(f"refuses {name}"):
            said = self.make(*args, **kwargs, wanted=1)
            errors = [line for line in said.splitlines() if line.startswith("error:")]
            self.assertEqual(len(errors), 1, said)
            self.assertIn(words, errors[0])
            self.assertNotIn("Traceback", said)

    def test_tree(self):
        said = self.make("tree")
        core = (self.tree / "kernel/core.c").read_text()
        self.true("tree has overlay and edit", "line 10\nhook\n" in core
                  and (self.tree / "kernel/new.c").read_text() == "new\n", said)
        head = self.git(self.tree, "rev-parse", "HEAD")
        self.true("one commit per patch", self.git(self.tree, "log", "--format=%s").splitlines()
                  == ["kernel: Call it", "kernel: Add a file", "Linux 6.12.7"])

        stamp = (self.tree / "kernel/other.c").stat().st_mtime_ns
        self.write(self.top / "kernel/new.c", "newer\n")
        said = self.make("tree")
        self.true("a change moves only its own file",
                  (self.tree / "kernel/new.c").read_text() == "newer\n"
                  and (self.tree / "kernel/other.c").stat().st_mtime_ns == stamp, said)
        self.write(self.top / "kernel/new.c", "new\n")
        self.make("tree")
        self.true("the same input gives the same commits",
                  self.git(self.tree, "rev-parse", "HEAD") == head)
        shutil.rmtree(self.top / "build")
        self.make("tree")
        self.true("also from nothing", self.git(self.tree, "rev-parse", "HEAD") == head)

        self.write(self.top / "kernel/stray.c", "")
        self.refuses("an overlay file without a patch", "kernel/stray.c", "tree")
        (self.top / "kernel/stray.c").unlink()
        self.write(self.folder(ONE) / "files", "kernel/new.c\nkernel/gone.c\n")
        self.refuses("a patch with a missing file", "kernel/gone.c", "tree")
        self.write(self.folder(ONE) / "files", "kernel/new.c\n")
        edit = self.folder(TWO) / "edit.patch"
        good = edit.read_text()
        edit.write_text(good.replace(" line 10", " line ten"))
        said = self.make("tree", wanted=1)
        self.true("says which hunks do not apply",
                  f"{TWO}: 1 of 1 hunks rejected: kernel/core.c:10\n" in said, said)
        self.refuses("a base to which one does not apply", "1 hunks of 1 of 2 patches do not apply "
                     "to Linux 6.12.7", "tree")
        self.true("and leaves the tree intact",
                  self.git(self.tree, "rev-parse", "HEAD") == head
                  and not self.git(self.tree, "status", "--porcelain"))
        edit.write_text(good)

    def test_topics(self):
        self.write(self.folder("hooks") / "status", "for: maintainer\nneeds: nothing\n")
        self.refuses("a need that is no topic", "needs nothing, which is no topic before it",
                     "tree")
        self.write(self.folder("hooks") / "status", "for: nobody\n")
        self.refuses("a topic for nobody", "series/hooks/status does not say", "tree")
        self.write(self.folder("hooks") / "status", "for: example\n")
        (self.folder("odd")).mkdir()
        self.refuses("a topic that is not listed", "series/odd is not in series/topics", "tree")
        (self.folder("odd")).rmdir()
        order = self.folder("hooks/order")
        for name, text, words in (("a patch without a place in the order", "", "is not once in"),
                                  ("a patch twice in the order", "hook\nhook\n", "is not once in"),
                                  ("a patch that is not there", "hook\nother\n", "has no message")):
            self.write(order, text)
            self.refuses(name, words, "tree")
        self.write(order, "hook\n")

        # The hook goes where the other topic has changed the file.
        self.write(self.folder(ONE) / "edit.patch", "--- a/kernel/core.c\n+++ b/kernel/core.c\n"
                   "@@ -10,2 +10,3 @@\n line 10\n+first\n line 11\n")
        edit = self.folder(TWO) / "edit.patch"
        self.write(edit, edit.read_text().replace(" line 10", " first"))
        said = self.make("tree")
        self.true("topics apply one after the other", "2 patches" in said, said)
        self.refuses("a topic that needs more than it says", f"{TWO} does not apply to the base "
                     "with nothing", "mail", "hooks")
        self.write(self.folder("hooks") / "status", "for: example\nneeds: files\n")
        said = self.make("mail", "hooks")
        self.true("and with that, they do", len(self.mails("hooks")) == 1, said)
        self.refuses("a topic that is not there", "TOPIC=neither: there are files, hooks", "mail",
                     "neither")

    def test_growth(self):
        self.write(self.top / "kernel/new.c", "new\nmore\nend\n")
        self.write(self.folder(TWO) / "edit.patch", (self.folder(TWO) / "edit.patch").read_text()
                 + "--- a/kernel/new.c\n+++ b/kernel/new.c\n@@ -1,2 +1,3 @@\n new\n+more\n end\n")
        said = self.make("tree")
        self.true("a file grows",
                  self.git(self.tree, "show", "HEAD^:kernel/new.c") == "new\nend\n"
                  and (self.tree / "kernel/new.c").read_text() == "new\nmore\nend\n", said)
        self.write(self.top / "kernel/new.c", "new\nother\nend\n")
        self.refuses("a file that has grown otherwise", f"kernel/new.c is not as {TWO} leaves it",
                     "tree")
        said = self.make("refresh")
        self.make("tree")
        self.true("refresh carries it over",
                  self.git(self.tree, "show", "HEAD^:kernel/new.c") == "new\nend\n"
                  and "+other" in (self.folder(TWO) / "edit.patch").read_text(), said)
        self.write(self.tree / "kernel/new.c", "new\nother\nend\nbehind\n")
        said = self.make("refresh")
        self.true("an edit beside what it has grown by is of the first patch",
                  self.git(self.tree, "show", "HEAD^:kernel/new.c") == "new\nend\nbehind\n"
                  and (self.top / "kernel/new.c").read_text() == "new\nother\nend\nbehind\n",
                  said)

    def test_port(self):
        self.make("tree")
        head = self.git(self.tree, "rev-parse", "HEAD")
        self.commit(self.top, "series")
        self.write(self.base / "Makefile", "VERSION = 6\nPATCHLEVEL = 13\nSUBLEVEL = 0\n")
        self.write(self.base / "kernel" / "core.c", CORE.replace("line 11\n", "line eleven\n"))
        self.commit(self.base, "newer")
        self.refuses("a newer base", "do not apply to Linux 6.13.0", "tree")
        self.true("and leaves the tree intact", self.git(self.tree, "rev-parse", "HEAD") == head)
        said = self.make("port")
        rejected = self.folder(TWO) / "edit.rej"
        self.true("port leaves the hunks out", rejected.exists()
                  and f"{TWO}: 1 of 1 hunks rejected" in said and f"{ONE}: applied" in said
                  and "1 of 1 hunks do not apply to Linux 6.13.0" in said, said)
        self.refuses("to port twice", "edit.rej", "port")
        self.refuses("mails with hunks left out", f"series/{TWO}/edit.rej waits", "mail")
        core = (self.tree / "kernel/core.c").read_text()
        self.write(self.tree / "kernel/core.c", core.replace("line 10\n", "line 10\nhook\n"))
        said = self.make("refresh", TWO)
        rejected.unlink()
        self.true("refresh mends them",
                  "+hook" in (self.folder(TWO) / "edit.patch").read_text(), said)
        said = self.make("mail")
        self.true("and mails can be written", "1 mails in build/series/hooks" in said, said)

    def test_ksrc(self):
        self.refuses("KSRC that is not there", "no such directory", "tree", ksrc="/nonexistent")
        self.refuses("KSRC that is no kernel", "not a kernel source tree", "tree",
                     ksrc=str(self.top))
        self.write(self.base / "kernel/core.c", "dirty\n")
        self.refuses("a dirty KSRC", "uncommitted changes", "tree")
        self.write(self.base / "kernel/core.c", CORE)
        self.write(self.base / "Makefile", "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 7\n")
        self.commit(self.base, "old")
        said = self.make("tree")
        self.true("takes another version if all applies",
                  "Linux 6.1.7" in self.git(self.tree, "log", "--format=%s"), said)
        shutil.rmtree(self.base / ".git")
        self.refuses("KSRC without git", "not the top of a git tree", "tree")

    def test_refresh(self):
        self.make("tree")
        said = self.make("refresh")
        self.true("refresh of an unedited tree changes nothing", "no edits" in said, said)
        self.write(self.tree / "kernel/new.c", "edited\n")
        core = (self.tree / "kernel/core.c").read_text()
        self.write(self.tree / "kernel/core.c", core.replace("hook\n", "better hook\n"))
        said = self.make("refresh")
        edit = (self.folder(TWO) / "edit.patch").read_text()
        self.true("edits reach overlay and edit.patch", "+better hook" in edit
                  and (self.top / "kernel/new.c").read_text() == "edited\n", said)
        self.true("with one line of context",
                  sum(line.startswith(" ") for line in edit.splitlines()) == 2, edit)
        said = self.make("tree")
        self.true("tree agrees afterwards", not self.git(self.tree, "status", "--porcelain"), said)

        self.write(self.tree / "kernel/other.c", "other\nmore\n")
        self.refuses("an edit that belongs to no patch", "PATCH=", "refresh")
        self.write(self.tree / "kernel/third.c", "third\n")
        said = self.make("refresh", ONE)
        self.true("PATCH= says where it belongs",
                  "kernel/third.c" in (self.folder(ONE) / "files").read_text()
                  and "+more" in (self.folder(ONE) / "edit.patch").read_text(), said)

        self.write(self.tree / "kernel/fourth.c", "fourth\n")
        self.commit(self.tree, "kernel: Add a fourth file")
        self.refuses("a commit of no topic", "PATCH=TOPIC", "refresh")
        said = self.make("refresh", "hooks")
        fresh = self.folder("hooks/kernel-add-a-fourth-file")
        self.true("a commit becomes a patch", fresh.is_dir()
                  and (fresh / "files").read_text() == "kernel/fourth.c\n", said)
        (self.tree / "kernel/fourth.c").unlink()
        before = sorted(str(path) for path in (self.top / "series").rglob("*"))
        self.refuses("what would leave a patch empty", "fourth", "refresh")
        self.true("and leaves the series as it was",
                  before == sorted(str(path) for path in (self.top / "series").rglob("*"))
                  and (self.top / "kernel/fourth.c").exists())
        self.git(self.tree, "checkout", "--", ".")

        self.write(self.top / "kernel/new.c", "from the overlay\n")
        self.write(self.tree / "kernel/new.c", "from the tree\n")
        self.refuses("to overwrite edits in build/linux", "kernel/new.c", "tree")

    def test_mail(self):
        self.write(self.folder("hooks") / "order", "hook\nthird\n")
        self.write(self.folder("hooks/third") / "message", "kernel: Add a third\n\nBecause.\n")
        self.write(self.folder("hooks/third") / "files", "kernel/third.c\n")
        self.write(self.top / "kernel/third.c", "third\n")
        said = self.make("mail")
        alone, mails = self.mails("files"), self.mails("hooks")
        self.assertEqual([len(alone), len(mails)], [1, 3], said)
        texts = [path.read_text() for path in alone + mails]
        self.true("mails with a cover letter for each topic", "[PATCH 0/2] The hooks" in texts[1],
                  said)
        self.true("or with its text in the only patch", "\n---\nWhat they are for.\n" in texts[0],
                  texts[0])
        self.true("which says on what it applies", "on top of:\n  The files\n" in texts[1]
                  and all(f"\n{word}: " in texts[1] for word in (
                      "base-commit", "change-id", "prerequisite-patch-id")), texts[1])
        self.true("and each mail to whom it goes", all(
            "\nTo: Somebody <somebody@example.org>\nCc: list@example.org\n"
            in text.partition("\n\n")[0] for text in texts), texts[3])
        self.true("and threads", "\nIn-Reply-To: " in texts[2] and "\nIn-Reply-To: " in texts[3])
        self.git(self.base, "am", "--quiet", *map(str, alone + mails[1:]))
        self.true("git am gives the same tree", len({
            self.git(where, "rev-parse", "HEAD^{tree}")
            for where in (self.base, self.tree, self.top / "build" / "b4")}) == 1)

        said = self.send()
        self.true("b4 sends them", "Sent 3 messages" in said, said)
        self.git(self.base, "reset", "--quiet", "--hard", "HEAD~3")
        edit = self.folder(TWO) / "edit.patch"
        self.write(edit, edit.read_text().replace("+hook", "+a hook"))
        said = self.make("mail", "hooks")
        again = self.mails("hooks")[0].read_text()
        self.true("and after a change writes version 2", "[PATCH v2 0/2] The hooks" in again
                  and "\nChanges in v2:\n" in again and "What they are for." in again, said + again)
        self.true("of the same series", again.partition("\nchange-id: ")[2].split()[0]
                  == texts[1].partition("\nchange-id: ")[2].split()[0], again)
        self.true("with a range-diff", "\nRange-diff versus v1:\n" in again
                  and "    -+hook\n" in again and "    ++a hook\n" in again
                  and "Add a file" not in again, again)
