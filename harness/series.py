#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Between the readable tree of this repository and a kernel git tree.

    series.py tree               assemble build/linux
    series.py port               assemble it without the hunks that do not apply
    series.py refresh [PATCH]    carry edits made in build/linux back
    series.py mail [TOPIC]       make branches b4/TOPIC, and mails of them in build/series/TOPIC

The patches are grouped in topics, by what a maintainer takes together. A topic
says which others it needs, and applies to the base with these.

build/linux is a git repository whose first commit is the pristine base, with
one commit per patch of all topics on top. The commits are made with a temporary
index, out of blobs and edit.patch files, so nothing in the work tree moves
until all of them exist; then only the files that differ between the old and
the new state are written. Author and dates are fixed: the same input gives
the same commit ids.
"""

import contextlib
import dataclasses
import functools
import hashlib
import io
import json
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import time

import ui
from ui import BUILD, ROOT, Failure, shown

TREE = BUILD / "linux"
SERIES = ROOT / "series"
MAILS = BUILD / "series"
REJECTED = "edit.rej"

# Version and suite of the base.
BASE = dict(re.findall(r"^(\w+)=(\S+)$", (ROOT / "harness" / "base").read_text(encoding="utf-8"),
                       re.MULTILINE))
DEBIAN_BASE = BUILD / "tools" / f"linux-source-{BASE['VERSION']}.tar.xz"

AUTHOR = "The static-key tracepoints developers"
EMAIL = "static-key-tracepoints@example.org"
# Any fixed moment will do; this is the day on which Linux 6.12 came out.
DATE = 1731801600

# The bases that were imported, and the one that build/linux is made of.
BASES = "refs/series/bases"
BASE_REF = "refs/series/base"
HEAD_REF = "refs/series/head"
BRANCH = "series"

# A work tree for b4 with the files at the top only, of whichever topic's branch.
B4_TREE = BUILD / "b4"
# In the message of a branch's last commit, b4 keeps its knowledge of the series behind this.
B4_MARK = "--- b4-submit-tracking ---"
# Its own template of a cover letter, with a range-diff from version 2 on, behind the licence.
B4_COVER = ROOT / "harness" / "cover-letter"

# What lies at the top of the repository and is not a file of the kernel tree.
NOT_OVERLAY = {"README.md", "COPYING", "Makefile", ".gitignore", "series", "harness",
               "build", ".ci"}
# A program that stands beside the series.
FNTRACE = "tools/tracing/fntrace/"


def environment():
    """For git, so that nothing of the user's has a part in what it does."""
    env = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null",
               GIT_AUTHOR_NAME=AUTHOR, GIT_AUTHOR_EMAIL=EMAIL,
               GIT_COMMITTER_NAME=AUTHOR, GIT_COMMITTER_EMAIL=EMAIL,
               LC_ALL="C")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        env.pop(name, None)
    return env


def git(*args, stdin=None, index=None, cwd=TREE, check=True, date=None):
    """Run git in build/linux and return what it printed, as text."""
    env = environment()
    if index:
        env["GIT_INDEX_FILE"] = str(index)
    if date:
        env["GIT_AUTHOR_DATE"] = env["GIT_COMMITTER_DATE"] = date
    if isinstance(stdin, str):
        # As what git prints is decoded below.
        stdin = stdin.encode(errors="surrogateescape")
    done = subprocess.run(["git", *map(str, args)], cwd=cwd, env=env,
                          input=stdin if stdin is not None else b"",
                          capture_output=True, check=False)
    if check and done.returncode:
        words = done.stderr.decode(errors="replace").strip()
        raise Failure(f"git {args[0]}: {words.splitlines()[-1] if words else '?'}")
    return done if not check else done.stdout.decode(errors="surrogateescape")


def blob(commit, path):
    """The text of a file in a commit, or None."""
    done = git("cat-file", "blob", f"{commit}:{path}", check=False)
    return done.stdout.decode(errors="surrogateescape") if not done.returncode else None


def revision(name, cwd=TREE):
    """The id of an object that may be there, or ""."""
    done = git("rev-parse", "--quiet", "--verify", name, cwd=cwd, check=False)
    return done.stdout.decode().strip()


@contextlib.contextmanager
def scratch_index():
    """The path of an index of git's that is not there yet."""
    with ui.scratch() as directory:
        yield directory / "index"


def worktree(where, commit):
    """A work tree of build/linux with the files of a commit, whatever was changed there."""
    if not (where / ".git").exists():
        shutil.rmtree(where, ignore_errors=True)
        git("worktree", "prune")
        where.parent.mkdir(parents=True, exist_ok=True)
        git("worktree", "add", "--quiet", "--force", "--detach", where, commit)
    git("checkout", "--quiet", "--force", "--detach", commit, cwd=where)


def object_of(commit, path):
    """The object that a source file is part of: kernel/sched has files that include others, and
    a crate of Rust consists of several."""
    directory, _, name = path.rpartition("/")
    words, pattern = ("-F", f'#include "{name}"'), "*.c"
    if name.endswith(".rs"):
        words, pattern = ("-E", f"^(pub[^ ]* )?mod {name[:-3]};"), "*.rs"
    includers = git("grep", "-l", *words, commit, "--", f":(glob){directory}/{pattern}",
                    check=False).stdout.decode().splitlines()
    if includers:
        return object_of(commit, includers[0].partition(":")[2])
    return path.rpartition(".")[0] + ".o"


def sources(commit, without=()):
    """Ids of all that a commit's tree has, but for some directories."""
    lines = []

    def add(place):
        for line in git("ls-tree", f"{commit}:{place}").splitlines():
            path = place + line.partition("\t")[2]
            if path in without:
                continue
            if any(name.startswith(f"{path}/") for name in without):
                add(f"{path}/")
            else:
                lines.append(f"{place} {line}")

    add("")
    return lines


# --- the folders of series/ ------------------------------------------------

@dataclasses.dataclass
class Topic:
    """One folder of series/: a cover letter, what it needs, and its patches in order."""

    folder: pathlib.Path
    needs: list
    # For a maintainer, or an example of use.
    state: str

    @property
    def name(self):
        return self.folder.name

    @property
    def order(self):
        """The names of its patches."""
        path = self.folder / "order"
        return path.read_text(encoding="utf-8").split() if path.exists() else []

    @property
    def cover(self):
        """Subject and text of the cover letter."""
        subject, _, text = (self.folder / "cover").read_text(encoding="utf-8").partition("\n\n")
        return subject.strip(), text.strip()


def read_topics():
    """The topics in the order of series/topics, which is one in which they apply."""
    topics = {}
    for name in (SERIES / "topics").read_text(encoding="utf-8").split():
        folder = SERIES / name
        if not (folder / "cover").exists():
            raise Failure(f"series/topics names {name}, which has no cover")
        status = dict(re.findall(r"^(\w+):[ \t]*(.*)$", (folder / "status").read_text(
            encoding="utf-8"), re.MULTILINE))
        topic = Topic(folder, status.get("needs", "").split(), status.get("for", ""))
        if topic.state not in ("maintainer", "example"):
            raise Failure(f"series/{name}/status does not say \"for: maintainer\" or "
                          "\"for: example\"")
        for need in topic.needs:
            if need not in topics:
                raise Failure(f"series/{name}/status needs {need}, which is no topic before it")
        topics[name] = topic
    for folder in SERIES.iterdir():
        if folder.is_dir() and folder.name not in topics:
            raise Failure(f"{shown(folder)} is not in series/topics")
    return list(topics.values())


def topic_with_needs(topics, name):
    """A topic and all that it needs, directly or not, in the order of the topics."""
    wanted = {name}
    for topic in reversed(topics):
        if topic.name in wanted:
            wanted |= set(topic.needs)
    return [topic for topic in topics if topic.name in wanted]


def patches_for(patches, topics, name):
    """The patches that a topic consists of, behind those that it needs."""
    names = [topic.name for topic in topic_with_needs(topics, name)]
    return [patch for patch in patches if patch.topic in names]


@dataclasses.dataclass
class Patch:
    """One folder of a topic: message, files, edit.patch."""

    folder: pathlib.Path
    whole: list = dataclasses.field(default_factory=list)

    @property
    def topic(self):
        return self.folder.parent.name

    @property
    def name(self):
        return f"{self.topic}/{self.folder.name}"

    @property
    def message(self):
        return (self.folder / "message").read_text(encoding="utf-8")

    @property
    def edit(self):
        path = self.folder / "edit.patch"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @property
    def rejected(self):
        """Whether hunks of its edit.patch wait in edit.rej, see port()."""
        return (self.folder / REJECTED).exists()

    def edited(self):
        """The base files that edit.patch touches."""
        return re.findall(r"^\+\+\+ b/(\S+)", self.edit, re.MULTILINE)


def read_patch(folder):
    if not (folder / "message").exists():
        raise Failure(f"{shown(folder)}: has no message")
    listing = folder / "files"
    patch = Patch(folder, listing.read_text(encoding="utf-8").split() if listing.exists() else [])
    if not patch.whole and not patch.edit and not patch.rejected:
        raise Failure(f"{shown(folder)}: names no file and has no edit.patch")
    return patch


def read_series():
    """All patches in order, checked against the overlay in both directions."""
    patches = []
    for topic in read_topics():
        order = topic.order
        patches += [read_patch(topic.folder / name) for name in order]
        for folder in topic.folder.iterdir():
            if folder.is_dir() and order.count(folder.name) != 1:
                raise Failure(f"{shown(folder)} is not once in {shown(topic.folder / 'order')}")

    owner = {}
    for patch in patches:
        for path in patch.whole:
            if not (ROOT / path).is_file():
                raise Failure(f"{shown(patch.folder)}/files names {path}, "
                              "which is not in the repository")
            if path in owner:
                raise Failure(f"{path} is named by both {owner[path]} and {patch.name}")
            owner[path] = patch.name
    for path in overlay_files():
        if path not in owner:
            raise Failure(f"{path} is named by no patch of series/ "
                          "(add it to the files list of the patch it belongs to)")
    return patches


def repository_files():
    """The repository's files, in order, but for those that git ignores."""
    listing = ui.ask(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                     cwd=ROOT)
    if listing.returncode:
        raise Failure("the repository is not a git clone, or git does not trust "
                      f"it: {listing.stderr.strip()}")
    return [path for path in sorted(set(listing.stdout.split("\0")))
            if path and (ROOT / path).exists()]


def source_files():
    """The repository's files that are held to the kernel's style."""
    return [path for path in repository_files() if path.split("/")[0] not in NOT_OVERLAY]


def overlay_files():
    """Those of them that mirror the kernel tree."""
    return [path for path in source_files() if not path.startswith(FNTRACE)]


def edited_files():
    """The base's files that the series edits."""
    ours = set(overlay_files())
    return sorted({path for patch in read_series() for path in patch.edited()
                   if (TREE / path).exists() and path not in ours})


def options(patches):
    """The options that patches add, as (symbol, type, whether it has a prompt)."""
    added = "\n".join(line[1:] for patch in patches for line in patch.edit.splitlines()
                      if line.startswith("+"))
    return [(symbol, kind, bool(prompt)) for symbol, kind, prompt in re.findall(
        r'^config (\w+)\n\t(bool|tristate|def_bool)(?: (".*"))?', added, re.MULTILINE)]


# --- the pristine base -----------------------------------------------------

def version_of(makefile, where):
    values = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)$",
                             makefile or "", re.MULTILINE))
    if not {"VERSION", "PATCHLEVEL", "SUBLEVEL"} <= set(values):
        raise Failure(f"{where} is not a kernel source tree")
    return f"{values['VERSION']}.{values['PATCHLEVEL']}.{values['SUBLEVEL']}"


def prepare_repository():
    """An empty build/linux repository, if there is none that works."""
    if (TREE / ".git").exists() and not git("rev-parse", "--git-dir", check=False).returncode:
        # A git that was killed leaves this behind; build_lock() says that
        # no other one is at work.
        for lock in (TREE / ".git").glob("*.lock"):
            lock.unlink()
        return
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    git("init", "--quiet", f"--initial-branch={BRANCH}")
    for key, value in (("gc.auto", "0"), ("core.compression", "1"),
                       ("user.name", AUTHOR), ("user.email", EMAIL),
                       ("advice.detachedHead", "false")):
        git("config", key, value)


def base_commit(source=None):
    """The pristine base as a commit of build/linux, made if need be.

    SOURCE is a git tree of the user's own, else it is that of KSRC, or Debian's source.
    """
    source = source or os.environ.get("KSRC", "")
    if source:
        where = pathlib.Path(source).expanduser()
        if not where.is_dir():
            raise Failure(f"KSRC={source}: no such directory")
        if not (where / "Makefile").is_file():
            raise Failure(f"KSRC={source} is not a kernel source tree")
        head = revision("HEAD", where)
        top = git("rev-parse", "--show-toplevel", cwd=where, check=False)
        if not head or pathlib.Path(top.stdout.decode().strip()) != where.resolve():
            raise Failure(f"KSRC={source} is not the top of a git tree with a commit")
        version_of((where / "Makefile").read_text(encoding="utf-8"), f"KSRC={source}")
        if git("status", "--porcelain", "--untracked-files=no", cwd=where).strip():
            raise Failure(f"KSRC={source} has uncommitted changes; commit or stash them")
        key = f"git {head}"
    else:
        if not DEBIAN_BASE.exists():
            raise Failure(f"{shown(DEBIAN_BASE)} is missing: make tree fetches it, "
                          "KSRC= names a git tree to use instead")
        stat = DEBIAN_BASE.stat()
        key = f"debian {stat.st_size} {stat.st_mtime_ns}"

    prepare_repository()
    ref = f"{BASES}/{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    known = revision(ref)
    if known:
        return known

    with ui.Step("pristine base into build/linux") as step:
        if source:
            git("fetch", "--quiet", "--depth=1", f"file://{where.resolve()}", "HEAD")
            tree = git("rev-parse", "FETCH_HEAD^{tree}").strip()
        else:
            tree = import_tarball(DEBIAN_BASE, step)
        version = version_of(blob(tree, "Makefile"), source or DEBIAN_BASE)
        base = commit_tree(tree, None, f"Linux {version}\n", 0)
        git("update-ref", ref, base)
        step.outcome = f"Linux {version}"
    return base


def import_tarball(tarball, step):
    """Stream a source tarball into the repository and return its tree."""
    ref = "refs/series/import"
    load = subprocess.Popen(["git", "fast-import", "--quiet", "--force", "--depth=0"],
                            cwd=TREE, stdin=subprocess.PIPE)
    try:
        with io.BufferedWriter(load.stdin, 1 << 20) as out, \
                tarfile.open(tarball, mode="r|xz") as archive:
            out.write(f"commit {ref}\ncommitter {AUTHOR} <{EMAIL}> {DATE} +0000\ndata 0\n".encode())
            for member in archive:
                path = member.name.removeprefix("./").partition("/")[2]
                if member.issym():
                    mode, data = "120000", member.linkname.encode()
                elif member.isfile():
                    mode = "100755" if member.mode & 0o100 else "100644"
                    data = archive.extractfile(member).read()
                else:
                    continue
                out.write(f"M {mode} inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
                step.advance()
    except (tarfile.TarError, lzma.LZMAError, EOFError, BrokenPipeError) as error:
        raise Failure(f"{tarball} cannot be unpacked: {error}") from None
    finally:
        status = load.wait()
    if status:
        raise Failure(f"{tarball} cannot be imported (is the disk full?)")
    return git("rev-parse", f"{ref}^{{tree}}").strip()


# --- assembling ------------------------------------------------------------

def commit_tree(tree, parent, message, number):
    return git("commit-tree", tree, *(["-p", parent] if parent else []),
               stdin=message, date=f"{DATE + 60 * number} +0000").strip()


@functools.cache
def hash_object(data):
    """The id of a blob that is now in build/linux."""
    return git("hash-object", "-w", "--stdin", stdin=data).strip()


class Whole:
    """The whole files as of each patch that names them.

    The repository has them as they are in the end. A patch behind the one that
    names a file may have an edit.patch for it: then the file has grown, and
    before that patch it is what is left when the edit is taken back.
    """

    def __init__(self):
        self.edits = {}
        patches = read_series()
        for patch in patches:
            for path in patch.edited():
                self.edits.setdefault(path, []).append(patch)
        # All that patches touch.
        self.paths = {*self.edits, *(path for patch in patches for path in patch.whole)}
        self.known = {}

    def entries(self, patch):
        """Lines for git update-index: the files that a patch names."""
        if patch.name not in self.known:
            self.known[patch.name] = [
                f"{mode} {self.before_edits(path, mode)}\t{path}\n" for path in patch.whole
                for mode in ["100755" if os.access(ROOT / path, os.X_OK) else "100644"]]
        return self.known[patch.name]

    def before_edits(self, path, mode):
        """The id of a file before the first patch that lets it grow."""
        object_id = hash_object((ROOT / path).read_bytes())
        if path not in self.edits:
            return object_id
        with scratch_index() as index:
            git("update-index", "--add", "--cacheinfo", f"{mode},{object_id},{path}", index=index)
            for patch in reversed(self.edits[path]):
                text = joined([hunk for hunk in hunks_of(patch.edit) if hunk[0] == path])
                done = git("apply", "--cached", "--reverse", "--whitespace=nowarn", "-",
                           stdin=text, index=index, check=False)
                if done.returncode:
                    raise Failure(f"{path} is not as {patch.name} leaves it: its edit cannot be "
                                  "taken back; make refresh carries yours over")
            return git("ls-files", "--stage", path, index=index).split()[1]


# (commit before, number, patch, what its files became): (commit, its files that patches touch as
# a tree, what became of its edit). The chains of the topics begin alike.
assembled = {}


class Importer:
    """Makes commits out of the files that they change: an index of a whole kernel is read and
    written in a tenth of a second, and each commit needs it several times."""

    def __init__(self):
        self.process = subprocess.Popen(["git", "fast-import", "--quiet", "--force", "--done"],
                                        cwd=TREE, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        # What git fast-import knows the commits by that it has made itself.
        self.marks = {}

    def commit(self, parent, message, number, before, after):
        """A commit with what two trees differ in; it is there when all are made."""
        changes = ""
        for line in git("diff-tree", "-r", "--no-renames", before, after).splitlines():
            # ":100644 100644 4fc3b2 6a1ec4 M\tpath"
            words, _, path = line.partition("\t")
            _, mode, _, content, status = words.split(" ")
            changes += f"D {path}\n" if status == "D" else f"M {mode} {content} {path}\n"
        date = f"{AUTHOR} <{EMAIL}> {DATE + 60 * number} +0000"
        text = message.encode()
        mark = len(self.marks) + 1
        self.process.stdin.write(
            f"commit refs/series/assemble\nmark :{mark}\nauthor {date}\ncommitter {date}\n"
            f"data {len(text)}\n".encode() + text
            + f"\nfrom {self.marks.get(parent, parent)}\n{changes}\nget-mark :{mark}\n".encode())
        self.process.stdin.flush()
        made = self.process.stdout.readline().decode().strip()
        self.marks[made] = f":{mark}"
        return made

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if not kind:
            self.process.stdin.write(b"done\n")
        self.process.stdin.close()
        self.process.stdout.close()
        if self.process.wait() and not kind:
            raise Failure("git fast-import failed")


def assemble(base, patches, whole=None):
    """One commit per patch on top of the base.

    Returns the commits, and what became of each patch's edit.
    """
    whole = whole or Whole()
    commits, edits, parent = [], [], base
    with scratch_index() as index, Importer() as importer:
        git("update-index", "--index-info", index=index,
            stdin=git("ls-tree", "-r", base, "--", *sorted(whole.paths)))
        before = holds = git("write-tree", index=index).strip()
        for number, patch in enumerate(patches, 1):
            entries = whole.entries(patch)
            key = (parent, number, patch.name, patch.message, patch.edit, tuple(entries))
            if key not in assembled:
                if holds != before:
                    git("read-tree", before, index=index)
                if entries:
                    git("update-index", "--index-info", stdin="".join(entries), index=index)
                edit = apply_edit(patch, index)
                holds = git("write-tree", index=index).strip()
                if holds == before and not patch.rejected and not edit.rejected:
                    raise Failure(f"{shown(patch.folder)} changes nothing")
                made = importer.commit(parent, patch.message, number, before, holds)
                assembled[key] = made, holds, edit
            parent, before, edit = assembled[key]
            commits.append(parent)
            edits.append(edit)
    return commits, edits


@dataclasses.dataclass
class Edit:
    """What became of an edit.patch: its hunks as (path, line, text)."""

    applied: list = dataclasses.field(default_factory=list)
    rejected: list = dataclasses.field(default_factory=list)
    # How many of those applied did so at another line.
    moved: int = 0

    def __str__(self):
        total = len(self.applied) + len(self.rejected)
        if self.rejected:
            places = ", ".join(f"{path}:{line}" for path, line, _ in self.rejected)
            return f"{len(self.rejected)} of {total} hunks rejected: {places}"
        if self.moved:
            return f"applied, {self.moved} of {total} hunks at another line"
        return "applied"


def hunks_of(edit):
    """The hunks of a patch as (path, line, text), each a patch of its own."""
    hunks, header, path = [], "", ""
    for part in re.split(r"^(?=--- |@@ )", edit, flags=re.MULTILINE):
        if part.startswith("--- "):
            header = part
            path = re.search(r"^(?:\+\+\+ b|--- a)/(\S+)", part, re.MULTILINE).group(1)
        elif part:
            hunks.append((path, int(re.match(r"@@ -(\d+)", part).group(1)), header + part))
    return hunks


def joined(hunks):
    """The text of a patch with these hunks."""
    text, last = "", None
    for _, _, hunk in hunks:
        header, mark, body = hunk.partition("@@ ")
        text += (header if header != last else "") + mark + body
        last = header
    return text


def apply_edit(patch, index):
    """Apply an edit.patch to the index, without the hunks that do not fit."""
    result = Edit()
    if not patch.edit:
        return result
    hunks = hunks_of(patch.edit)

    def apply(text):
        done = git("apply", "--cached", "--verbose", "--whitespace=nowarn", "-", stdin=text,
                   index=index, check=False)
        words = done.stderr.decode(errors="replace")
        result.moved += words.count("(offset ")
        return "" if not done.returncode else words.strip().splitlines()[0]

    if not apply(patch.edit):
        result.applied = hunks
        return result
    result.moved = 0
    for hunk in hunks:
        (result.rejected if apply(hunk[2]) else result.applied).append(hunk)
    if not result.rejected:
        # What git refused as a whole is no matter of the base.
        raise Failure(f"{shown(patch.folder / 'edit.patch')}: git apply refuses it as a whole")
    return result


def refuse(base, patches, edits):
    """Say which hunks do not apply, and stop, if there are any."""
    rejected = [(patch, edit) for patch, edit in zip(patches, edits) if edit.rejected]
    if not rejected:
        return
    for patch, edit in rejected:
        ui.say(f"{patch.name}: {edit}")
    raise Failure(f"{sum(len(edit.rejected) for _, edit in rejected)} hunks of "
                  f"{len(rejected)} of {len(patches)} patches do not apply to "
                  f"{base_name(base)}, see above; `make port` leaves them out")


def base_name(base):
    return git("log", "-1", "--format=%s", base).strip()


def dirty():
    """Paths in build/linux that differ from its HEAD, new files included."""
    status = git("status", "--porcelain", "-z", "--untracked-files=normal")
    return [entry[3:] for entry in status.split("\0") if entry]


def fingerprint(base, patches):
    """A hash over all that goes into the assembled tree."""
    total = hashlib.sha256(base.encode())
    for patch in patches:
        total.update(f"{patch.name}\0{patch.whole}\0".encode())
        total.update((patch.message + patch.edit).encode())
        for path in patch.whole:
            source = ROOT / path
            total.update(f"{path}{os.access(source, os.X_OK)}\0".encode())
            total.update(source.read_bytes())
    return total.hexdigest()


def tree(quiet=False):
    """Bring build/linux up to date; returns (base, commits)."""
    patches = read_series()
    base = base_commit()
    stamp_file = TREE / ".git" / "series-stamp"
    stamp = fingerprint(base, patches)
    old = revision(HEAD_REF)
    if old and revision("HEAD") != old:
        raise Failure("build/linux has commits or a branch of your own checked out; "
                      f"`make refresh` carries commits on top of {BRANCH} over, "
                      f"`git -C build/linux checkout -B {BRANCH} {HEAD_REF}` drops them")
    edits = dirty() if old else []
    some = ", ".join([*edits[:1], *(["..."] if edits[1:] else [])])
    if old and stamp_file.exists() and stamp_file.read_text(encoding="utf-8") == stamp:
        if edits and not quiet:
            print(f"note: build/linux has edits of its own ({some}); `make refresh` carries them "
                  "over")
        return base, git("rev-list", "--reverse", f"{base}..{HEAD_REF}").split()

    commits, applied = assemble(base, patches)
    refuse(base, patches, applied)
    if edits and git("diff", "--quiet", "HEAD", commits[-1], check=False).returncode:
        raise Failure(f"build/linux has edits that are not in the series ({some}); `make "
                      "refresh` carries them over, `git -C build/linux checkout -f` drops them")
    with ui.Step(f"build/linux with {len(commits)} patches"):
        git("checkout", "--quiet", *(["--force"] if not old else []), "-B", BRANCH, commits[-1])
        git("update-ref", BASE_REF, base)
        git("update-ref", HEAD_REF, commits[-1])
        stamp_file.write_text(stamp, encoding="utf-8")
    return base, commits


# --- another base ----------------------------------------------------------

def port():
    """Leave out of series/ what does not apply to the base, and assemble the rest.

    The hunks left out are kept in each patch's edit.rej. What replaces them is
    edited in build/linux and carried back by `make refresh PATCH=`; then the
    edit.rej is removed.
    """
    patches = read_series()
    left = [patch.name for patch in patches if patch.rejected]
    if left:
        raise Failure(f"{len(left)} patches have an {REJECTED} that waits to be mended "
                      f"({left[0]}); remove it when it is")
    status = subprocess.run(["git", "status", "--porcelain", "--", "series"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    if status:
        raise Failure("series/ has uncommitted changes; commit them, as git is the way back")
    old = revision(BASE_REF) if (TREE / ".git").exists() else ""
    base = base_commit()
    if old and dirty():
        raise Failure("build/linux has edits of its own; carry them over first (make refresh)")
    _, edits = assemble(base, patches)
    for patch, edit in zip(patches, edits):
        print(f"{patch.name}: {edit}")
        if edit.rejected:
            for name, hunks in ((REJECTED, edit.rejected), ("edit.patch", edit.applied)):
                (patch.folder / name).write_text(joined(hunks), encoding="utf-8",
                                                 errors="surrogateescape")
            if not edit.applied:
                (patch.folder / "edit.patch").unlink()
    for patch, path, state in replaced(old, base, patches) if old else ():
        print(f"{patch.name}: replaces {path}, which is {state} in {base_name(base)}; "
              f"git -C build/linux diff {old[:12]} {base[:12]} -- {path}")
    tree()
    total = sum(len(edit.applied) + len(edit.rejected) for edit in edits)
    return base, sum(len(edit.rejected) for edit in edits), total


def replaced(old, new, patches):
    """The files that patches have as a whole, and that are others in two bases, with how."""
    if old == new:
        return
    for patch in patches:
        for path in patch.whole:
            before, after = (revision(f"{base}:{path}") for base in (old, new))
            if before != after:
                yield patch, path, "gone" if not after else "new" if not before else "changed"


# --- the way back ----------------------------------------------------------

def minimal_diff(before, after, paths):
    """A diff with the least context that names each place unambiguously.

    git apply finds a hunk by its context, so one line is enough if the old
    lines of the hunk occur only once in the file.
    """
    pieces = []
    for path in sorted(paths):
        old = blob(before, path) or ""
        for context in (1, 2, 3, 5, 8):
            text = git("diff", "--no-color", "--no-renames", f"-U{context}",
                       before, after, "--", path)
            hunks = re.split(r"^@@ .*\n", text, flags=re.MULTILINE)[1:]
            olds = ["".join(line[1:] for line in hunk.splitlines(keepends=True)
                            if line[0] in " -") for hunk in hunks]
            if all(old.count(piece) == 1 for piece in olds):
                break
        text = re.sub(r"^(?:diff --git|index) .*\n", "", text, flags=re.MULTILINE)
        # The function name behind the second @@ is a line of the base.
        pieces.append(re.sub(r"^(@@ [^@]*@@).*$", r"\1", text, flags=re.MULTILINE))
    return "".join(pieces)


def changed_paths(before, after):
    fields = git("diff", "--name-status", "--no-renames", "-z", before, after).split("\0")
    return dict(zip(fields[1::2], fields[0::2]))


class Refresh:
    """Carries what was edited in build/linux into overlay and series/."""

    def __init__(self, wanted):
        self.patches = read_series()
        self.base = git("rev-parse", BASE_REF).strip()
        self.commits = git("rev-list", "--reverse", f"{self.base}..{HEAD_REF}").split()
        if len(self.commits) != len(self.patches):
            raise Failure("series/ has changed since build/linux was assembled; "
                          "take your edits out of the one or the other first")
        self.topic = wanted if wanted in [topic.name for topic in read_topics()] else None
        self.wanted = self.find(wanted) if wanted and not self.topic else None
        self.saved = {}

    def find(self, name):
        """A patch by its name, with the topic or without."""
        found = [patch for patch in self.patches if name in (patch.name, patch.folder.name)]
        if len(found) != 1:
            raise Failure(f"PATCH={name}: series/ has {'no' if not found else 'more than one'} "
                          "such patch; name it TOPIC/NAME")
        return found[0]

    def save(self, path, data):
        """Write (or with None remove) a file so that undo() can bring it back."""
        if path not in self.saved:
            self.saved[path] = path.read_bytes() if path.exists() else None
        if data is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode(errors="surrogateescape"))

    def undo(self):
        for path, data in self.saved.items():
            if data is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(data)

    def write_whole(self, path, commit):
        source = ROOT / path
        done = git("cat-file", "blob", f"{commit}:{path}", check=False)
        if done.returncode:
            self.save(source, None)
            return
        self.save(source, done.stdout)
        mode = git("ls-tree", commit, "--", path).split()[0]
        source.chmod(0o755 if mode == "100755" else 0o644)

    def list_files(self, patch):
        lines = "".join(f"{path}\n" for path in sorted(set(patch.whole)))
        if lines or (patch.folder / "files").exists():
            self.save(patch.folder / "files", lines or None)

    def carry(self, path):
        """Let the patches behind the one that names a file have their share of an edit of it.

        The file was edited as it is in the end. Backwards from there, what it was before
        each patch is merged with the edit; where both have the same lines, the patch has them.
        """
        after = self.tree_with(path, (ROOT / path).read_bytes())
        for number, patch in reversed(list(enumerate(self.patches))):
            if path not in patch.edited():
                continue
            with ui.scratch() as directory:
                names = [directory / name for name in ("was", "became", "becomes")]
                for name, commit in zip(names, (self.commits[number - 1], self.commits[number],
                                                after)):
                    name.write_text(blob(commit, path), encoding="utf-8", errors="surrogateescape")
                git("merge-file", "--ours", *names)
                before = self.tree_with(path, names[0].read_bytes())
            hunks = {}
            for hunk in hunks_of(patch.edit):
                hunks.setdefault(hunk[0], []).append(hunk)
            pieces = {name: joined(own) for name, own in hunks.items()}
            pieces[path] = minimal_diff(before, after, [path])
            self.save(patch.folder / "edit.patch", "".join(pieces[name] for name in sorted(pieces)))
            after = before

    @staticmethod
    def tree_with(path, data):
        """A tree with one file."""
        with scratch_index() as index:
            git("update-index", "--add", "--cacheinfo", f"100644,{hash_object(data)},{path}",
                index=index)
            return git("write-tree", index=index).strip()

    def carry_overlay(self):
        """The same for files that were edited in the repository; returns whether there are any."""
        edited = {path for patch in self.patches for path in patch.edited()}
        changed = [path for patch in self.patches for path in patch.whole if path in edited
                   and hash_object((ROOT / path).read_bytes())
                   != git("rev-parse", f"{HEAD_REF}:{path}").strip()]
        for path in changed:
            self.carry(path)
        return bool(changed)

    def owner_of_edit(self, path):
        owners = [patch for patch in self.patches if path in patch.edited()]
        if self.wanted:
            return self.wanted
        if not owners:
            raise Failure(f"no patch edits {path} yet; say which one this belongs to: "
                          "make refresh PATCH=TOPIC/NAME")
        return owners[-1]

    def edits(self, work):
        """Attribute the uncommitted changes, tree WORK against HEAD_REF."""
        owner = {path: patch for patch in self.patches for path in patch.whole}
        edited = {}
        for path, status in changed_paths(HEAD_REF, work).items():
            if path in owner:
                self.write_whole(path, work)
                if status == "D":
                    owner[path].whole.remove(path)
                    self.list_files(owner[path])
                else:
                    self.carry(path)
            elif blob(self.base, path) is not None:
                edited.setdefault(self.owner_of_edit(path).name, set()).add(path)
            elif not self.wanted:
                raise Failure(f"{path} is new; say which patch it belongs to: "
                              "make refresh PATCH=TOPIC/NAME")
            else:
                self.write_whole(path, work)
                self.wanted.whole.append(path)
                self.list_files(self.wanted)
        for name, paths in edited.items():
            self.write_edit(self.find(name), paths, work)

    def write_edit(self, patch, paths, work):
        """edit.patch of a patch with some files as they are in tree WORK."""
        number = self.patches.index(patch)
        before = self.commits[number - 1] if number else self.base
        with scratch_index() as index:
            git("read-tree", self.commits[number], index=index)
            # Not the files as they are: later patches may edit them as well.
            new = git("diff", "--no-color", "--no-renames", HEAD_REF, work, "--", *sorted(paths))
            if git("apply", "--cached", "-C1", "--whitespace=nowarn", "-", stdin=new,
                   index=index, check=False).returncode:
                raise Failure(f"the edit of {', '.join(sorted(paths))} does not fit {patch.name}; "
                              "a later patch changes the lines around it")
            after = git("write-tree", index=index).strip()
        text = minimal_diff(before, after, paths | set(patch.edited()))
        if text or patch.edit:
            self.save(patch.folder / "edit.patch", text or None)

    def new_patch(self, commit):
        """A commit on top of the series becomes a folder of its own."""
        subject = git("log", "-1", "--format=%s", commit).strip()
        if not self.topic:
            raise Failure(f"commit {commit[:12]} ({subject}) becomes a patch of its own; say of "
                          "which topic: make refresh PATCH=TOPIC")
        what = re.sub(r"[^a-z0-9]+", "-", subject.lower()).strip("-")[:40].strip("-")
        patch = Patch(SERIES / self.topic / what)
        if patch.folder.exists():
            raise Failure(f"{shown(patch.folder)} is there already; commit {commit[:12]} needs "
                          "another subject")
        order = SERIES / self.topic / "order"
        self.save(order, (order.read_text(encoding="utf-8") if order.exists() else "")
                  + f"{what}\n")
        self.save(patch.folder / "message", git("log", "-1", "--format=%B", commit).strip() + "\n")
        owned = {path for other in self.patches for path in other.whole}
        edited = set()
        for path in changed_paths(f"{commit}^", commit):
            if path in owned:
                raise Failure(f"commit {commit[:12]} ({subject}) changes {path}, a whole "
                              "file of an earlier patch; leave that edit uncommitted")
            if blob(self.base, path) is not None:
                edited.add(path)
            else:
                self.write_whole(path, commit)
                patch.whole.append(path)
        if edited:
            self.save(patch.folder / "edit.patch", minimal_diff(f"{commit}^", commit, edited))
        self.list_files(patch)
        self.patches.append(patch)
        self.commits.append(commit)

    def run(self):
        added = git("rev-list", "--reverse", f"{HEAD_REF}..HEAD").split()
        if git("merge-base", "--is-ancestor", HEAD_REF, "HEAD", check=False).returncode:
            raise Failure("HEAD of build/linux is not on top of the assembled series")
        with scratch_index() as index:
            shutil.copy(TREE / ".git" / "index", index)
            git("add", "--all", index=index)
            work = git("write-tree", index=index).strip()
        edited = work != git("rev-parse", "HEAD^{tree}").strip()
        if added and edited:
            raise Failure("build/linux has both new commits and uncommitted edits; "
                          "carry the edits over first (git stash the one or the other)")
        try:
            if not added and not edited:
                if not self.carry_overlay():
                    print("build/linux has no edits to carry over")
                self.report()
                return
            if added:
                for commit in added:
                    self.new_patch(commit)
            else:
                self.edits(work)
            patches = read_series()
            commits, applied = assemble(self.base, patches)
            refuse(self.base, patches, applied)
            left = changed_paths(commits[-1], work)
            if left:
                raise Failure("the series would not give build/linux again: "
                              + ", ".join(sorted(left)))
        except BaseException:
            self.undo()
            for folder in SERIES.glob("*/*"):
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
            raise
        # The files are as the new commits have them: only the index moves.
        git("update-ref", HEAD_REF, commits[-1])
        git("symbolic-ref", "HEAD", f"refs/heads/{BRANCH}")
        git("reset", "--quiet", "--mixed", commits[-1])
        (TREE / ".git" / "series-stamp").write_text(
            fingerprint(self.base, patches), encoding="utf-8")
        self.report()

    def report(self):
        """Name the files that were written."""
        for path in sorted(self.saved):
            print(f"{'updated' if path.exists() else 'removed'} {shown(path)}")


# --- mails -----------------------------------------------------------------

@dataclasses.dataclass
class Branch:
    """The patches of a topic as commits, on the base with what the topic needs."""

    topic: Topic
    # The commit under the first of its own.
    before: str
    patches: list
    commits: list

    def mails(self):
        """What git am takes."""
        return git("format-patch", "--stdout", f"{self.before}..{self.commits[-1]}")


@functools.cache
def branches(wanted=None):
    """The branches of all topics, or of one, by name."""
    patches, topics = read_series(), read_topics()
    if wanted and wanted not in [topic.name for topic in topics]:
        raise Failure(f"TOPIC={wanted}: there are " + ", ".join(topic.name for topic in topics))
    left = [patch.name for patch in patches if patch.rejected]
    if left:
        raise Failure(f"series/{left[0]}/{REJECTED} waits to be mended"
                      + (f", and {len(left) - 1} more" if left[1:] else ""))
    base, _ = tree(quiet=True)
    made, whole = {}, Whole()
    for topic in topics:
        if wanted not in (None, topic.name):
            continue
        chain = patches_for(patches, topics, topic.name)
        commits, edits = assemble(base, chain, whole)
        rejected = [patch.name for patch, edit in zip(chain, edits) if edit.rejected]
        if rejected:
            needs = " ".join(need.name for need in topic_with_needs(topics, topic.name)[:-1])
            raise Failure(f"{rejected[0]} does not apply to the base with {needs or 'nothing'}, "
                          f"which is all that series/{topic.name}/status needs")
        own = [patch for patch in chain if patch.topic == topic.name]
        made[topic.name] = Branch(topic, ([base] + commits)[-len(own) - 1], own,
                                  commits[-len(own):])
    return made


def recipients(branch):
    """Whom get_maintainer.pl names for the patches, as trailers of the cover letter.

    `b4 prep --auto-to-cc` finds the same, but runs it twice for each patch, which takes minutes.
    """
    done = ui.ask(
        ["perl", "scripts/get_maintainer.pl", "--no-git", "--no-git-fallback", "--roles"],
        input=branch.mails(), cwd=TREE, errors="surrogateescape")
    if done.returncode:
        raise Failure(f"get_maintainer.pl: {done.stderr.strip().splitlines()[-1]}")
    # "Somebody <somebody@example.org> (maintainer:TRACING)", "list@example.org (open list)"
    found = re.findall(r"^(.*@\S+) \(([^:)]+)", done.stdout, re.MULTILINE)
    return "\n".join(sorted((f"{'Cc' if role.endswith('list') else 'To'}: {who}"
                             for who, role in found), key=lambda line: line[:2], reverse=True))


def enroll(branch):
    """Make the branch b4/TOPIC in build/linux, as `b4 prep` keeps a series, and check it out.

    Its last commit changes nothing; the message is the cover letter with what b4 knows of the
    series. Subject and text are from the folder of the topic; what b4 has put behind them, a
    change log, and its own knowledge are those of the branch as it was.
    """
    topic, name = branch.topic, f"b4/{branch.topic.name}"
    old = git("log", "-1", "--format=%B", f"refs/heads/{name}", check=False).stdout.decode()
    letter, _, knowledge = old.partition(B4_MARK)
    known = json.loads(knowledge[knowledge.index("{"):]) if knowledge else {"series": {
        # The same again, should build/ be lost.
        "change-id": f"{time.strftime('%Y%m%d', time.gmtime(DATE))}-{topic.name}-"
                     + hashlib.sha256(topic.name.encode()).hexdigest()[:12],
        "revision": 1, "prefixes": []}}
    base = git("rev-parse", BASE_REF).strip()
    # Not by change-id: b4 looks for a series that it has not sent in the network.
    ids = git("patch-id", "--stable",
              stdin=git("log", "--reverse", "-p", f"{base}..{branch.before}"))
    known["series"] |= {"base-branch": branch.before, "prerequisites": [
        f"patch-id: {line.split()[0]}" for line in ids.splitlines()]}

    subject, text = topic.cover
    needs = topic_with_needs(read_topics(), topic.name)[:-1]
    parts = [subject, text, f"This is based on {base_name(base)}" + (
        ", and applies on top of:\n" + "\n".join(f"  {need.cover[0]}" for need in needs)
        if needs else "."), recipients(branch)]
    notes = letter.partition("\n---\n")[2].strip()
    if notes:
        parts[-1] += f"\n\n---\n{notes}"
    last = branch.commits[-1]
    commit = git("commit-tree", f"{last}^{{tree}}", "-p", last, stdin="\n\n".join(
        [*parts, f"{B4_MARK}\n{json.dumps(known, indent=2)}\n"])).strip()
    if not (B4_TREE / ".git").exists():
        git("worktree", "prune")
        git("worktree", "add", "--quiet", "--force", "--no-checkout", "--detach", B4_TREE, commit)
        git("sparse-checkout", "set", cwd=B4_TREE)
    git("checkout", "--quiet", "-B", name, commit, cwd=B4_TREE)


def mail(wanted=None):
    """Write build/series/TOPIC/*.eml, of one topic or of all; returns them by topic."""
    made = branches(wanted)
    template = TREE / ".git" / "b4-cover"
    template.write_text(B4_COVER.read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
    git("config", "b4.prep-cover-strategy", "tip-commit")
    git("config", "b4.prep-cover-template", template)
    written = {}
    with ui.Step("mails", len(made)) as step, tempfile.TemporaryDirectory(dir=BUILD) as home:
        for name, branch in made.items():
            step.note = name
            enroll(branch)
            target = MAILS / name
            shutil.rmtree(target, ignore_errors=True)
            done = subprocess.run(
                ["/usr/bin/python3", "-m", "b4.command", "--no-interactive", "--offline-mode",
                 # Else it wants to send by the web, and to sign for that.
                 "-c", "sendemail.smtpserver=localhost", "send", "--no-sign", "-o", target],
                # ~/.signature would be in the mails.
                env=dict(environment(), HOME=home, PYTHONPATH=str(BUILD / "tools" / "b4")),
                cwd=B4_TREE, capture_output=True, text=True, check=False)
            written[name] = sorted(target.glob("*.eml"))
            if done.returncode or not written[name]:
                raise Failure(f"b4 send of {name}: {(done.stderr or done.stdout).strip()}")
            step.advance()
    return written


def main(args):
    command, rest = args[0], args[1:]
    if command == "tree":
        _, commits = tree()
        print(f"build/linux is the base with {len(commits)} patches")
    elif command == "port":
        base, rejected, total = port()
        print(f"{rejected} of {total} hunks do not apply to {base_name(base)}"
              + (f" and are in series/*/{REJECTED}" if rejected else ""))
    elif command == "refresh":
        if not (TREE / ".git").exists():
            raise Failure("there is no build/linux yet: make tree")
        Refresh(rest[0] if rest else None).run()
    elif command == "mail":
        for topic, mails in mail(rest[0] if rest else None).items():
            print(f"{len(mails)} mails in {shown(MAILS / topic)}/, of the branch b4/{topic}")
    else:
        raise Failure(f"series.py: unknown command {command}")
    return 0


if __name__ == "__main__":
    ui.main(main)
