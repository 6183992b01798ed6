#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Between the readable tree of this repository and a kernel git tree.

    series.py tree               assemble build/linux
    series.py refresh [PATCH]    carry edits made in build/linux back
    series.py mail               write the series as mails to build/series

build/linux is a git repository whose first commit is the pristine base, with
one commit per folder of series/ on top. The commits are made with a temporary
index, out of blobs and edit.patch files, so nothing in the work tree moves
until all of them exist; then only the files that differ between the old and
the new state are written. Author and dates are fixed: the same input gives
the same commit ids.
"""

import dataclasses
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile

import ui
from ui import BUILD, ROOT, Failure, shown

TREE = BUILD / "linux"
SERIES = ROOT / "series"
MAILS = BUILD / "series"
DEBIAN_BASE = pathlib.Path("/usr/src/linux-source-6.12.tar.xz")
BASE_VERSION = ("6", "12")

AUTHOR = "The static-key tracepoints developers"
EMAIL = "static-key-tracepoints@example.org"
# Any fixed moment will do; this is the day the base's version came out.
DATE = 1731801600

BASE_REF = "refs/series/base"
HEAD_REF = "refs/series/head"
BRANCH = "series"

# What lies at the top of the repository and is not a file of the kernel tree.
NOT_OVERLAY = {"README.md", "COPYING", "MAINTAINERS", "Makefile", "Kconfig",
               ".gitignore", "series", "harness", "build", ".ci"}
KCONFIG = "kernel/trace/Kconfig.static"
MAINTAINERS = "MAINTAINERS"


def git(*args, stdin=None, index=None, cwd=TREE, check=True):
    """Run git in build/linux and return what it printed, as text."""
    env = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null",
               GIT_AUTHOR_NAME=AUTHOR, GIT_AUTHOR_EMAIL=EMAIL,
               GIT_COMMITTER_NAME=AUTHOR, GIT_COMMITTER_EMAIL=EMAIL,
               LC_ALL="C")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        env.pop(name, None)
    if index:
        env["GIT_INDEX_FILE"] = str(index)
    if isinstance(stdin, str):
        stdin = stdin.encode()
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
class Patch:
    """One folder of series/: message, files, edit.patch."""

    folder: pathlib.Path
    whole: list = dataclasses.field(default_factory=list)
    symbols: list = dataclasses.field(default_factory=list)

    @property
    def name(self):
        return self.folder.name

    @property
    def message(self):
        return (self.folder / "message").read_text(encoding="utf-8")

    @property
    def subject(self):
        return self.message.splitlines()[0]

    @property
    def edit(self):
        path = self.folder / "edit.patch"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def edited(self):
        """The base files that edit.patch touches."""
        return re.findall(r"^\+\+\+ b/(\S+)", self.edit, re.MULTILINE)


def overlay_source(path):
    """Where in the repository a whole file of the kernel tree is kept."""
    return ROOT / ("Kconfig" if path == KCONFIG else path)


def read_series():
    """All patches in order, checked against the overlay in both directions."""
    patches = []
    for folder in sorted(SERIES.iterdir()):
        if not folder.is_dir():
            continue
        if not re.fullmatch(r"\d{4}-[a-z0-9-]+", folder.name):
            raise Failure(f"{shown(folder)}: not named NNNN-topic")
        if not (folder / "message").exists():
            raise Failure(f"{shown(folder)}: has no message")
        patch = Patch(folder)
        listing = folder / "files"
        lines = listing.read_text(encoding="utf-8").splitlines() if listing.exists() else []
        for line in lines:
            path, _, symbols = line.partition(":")
            patch.whole.append(path.strip())
            patch.symbols += symbols.split()
        if not patch.whole and not patch.edit:
            raise Failure(f"{shown(folder)}: names no file and has no edit.patch")
        patches.append(patch)

    owner = {}
    for patch in patches:
        for path in patch.whole:
            if not overlay_source(path).is_file():
                raise Failure(f"{shown(patch.folder)}/files names {path}, "
                              "which is not in the repository")
            if path in owner and path != KCONFIG:
                raise Failure(f"{path} is named by both {owner[path]} and {patch.name}")
            owner[path] = patch.name
    for path in overlay_files():
        if path not in owner:
            raise Failure(f"{path} is named by no patch of series/ "
                          "(add it to the files list of the patch it belongs to)")
    if (ROOT / "Kconfig").exists():
        stanzas = kconfig_stanzas((ROOT / "Kconfig").read_text(encoding="utf-8"))
        named = [symbol for patch in patches for symbol in patch.symbols]
        for symbol in stanzas:
            if named.count(symbol) != 1:
                raise Failure(f"Kconfig: {symbol} is named by {named.count(symbol)} "
                              "patches of series/, not by one")
        for symbol in named:
            if symbol not in stanzas:
                raise Failure(f"series/ names {symbol}, which is not in Kconfig")
    return patches


def overlay_files():
    """The repository's files that mirror the kernel tree."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode:
        raise Failure("the repository is not a git clone, or git does not trust "
                      f"it: {listing.stderr.strip()}")
    for path in sorted(set(listing.stdout.split("\0"))):
        if path and path.split("/")[0] not in NOT_OVERLAY and (ROOT / path).exists():
            yield path


def kconfig_stanzas(text):
    """Line ranges of the config entries of a Kconfig file, by symbol.

    A stanza goes from its config line to the next line that starts in the
    first column.
    """
    ranges, current = {}, None
    lines = text.splitlines()
    for number, line in enumerate(lines + ["end"]):
        if line and not line[0].isspace():
            if current:
                ranges[current] = (ranges[current], number)
            match = re.match(r"(?:menu)?config (\w+)", line)
            current = match.group(1) if match else None
            if current:
                ranges[current] = number
    return ranges


def kconfig_with(symbols):
    """The Kconfig file as it is when only these symbols have been added."""
    text = (ROOT / "Kconfig").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    for symbol, (first, behind) in sorted(kconfig_stanzas(text).items(),
                                          key=lambda item: item[1], reverse=True):
        if symbol not in symbols:
            del lines[first:behind]
    return "".join(lines)


def with_maintainers(base_text):
    """The base's MAINTAINERS with our sections at their alphabetical places."""
    ours = (ROOT / MAINTAINERS).read_text(encoding="utf-8")
    section = re.compile(r"^(\S[^\n]*)\n((?:[A-Z]:\t[^\n]*\n)+)", re.MULTILINE)
    start = base_text.index("\n", base_text.index("Maintainers List"))
    for entry in section.finditer(ours):
        for other in section.finditer(base_text, start):
            if other.group(1) > entry.group(1):
                base_text = (base_text[:other.start()] + entry.group(0) + "\n"
                             + base_text[other.start():])
                break
        else:
            raise Failure("MAINTAINERS: no place for " + entry.group(1))
    return base_text


# --- the pristine base -----------------------------------------------------

def check_version(makefile, where):
    values = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)$",
                             makefile or "", re.MULTILINE))
    if not {"VERSION", "PATCHLEVEL", "SUBLEVEL"} <= set(values):
        raise Failure(f"{where} is not a kernel source tree")
    if (values["VERSION"], values["PATCHLEVEL"]) != BASE_VERSION:
        raise Failure(f"{where} is Linux {values['VERSION']}.{values['PATCHLEVEL']}."
                      f"{values['SUBLEVEL']}; the series is for 6.12.y")
    return f"{values['VERSION']}.{values['PATCHLEVEL']}.{values['SUBLEVEL']}"


def prepare_repository():
    """An empty build/linux repository, if there is none that works."""
    if (TREE / ".git").exists() and not git(
            "rev-parse", "--git-dir", check=False).returncode:
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


def base_commit():
    """The pristine base as a commit of build/linux, made if need be."""
    source = os.environ.get("KSRC", "")
    key_file = TREE / ".git" / "series-base"
    if source:
        where = pathlib.Path(source).expanduser()
        if not where.is_dir():
            raise Failure(f"KSRC={source}: no such directory")
        if not (where / "Makefile").is_file():
            raise Failure(f"KSRC={source} is not a kernel source tree")
        head = git("rev-parse", "--verify", "HEAD", cwd=where, check=False)
        top = git("rev-parse", "--show-toplevel", cwd=where, check=False)
        if head.returncode or pathlib.Path(top.stdout.decode().strip()) != where.resolve():
            raise Failure(f"KSRC={source} is not the top of a git tree with a commit")
        check_version((where / "Makefile").read_text(encoding="utf-8"), f"KSRC={source}")
        if git("status", "--porcelain", "--untracked-files=no", cwd=where).strip():
            raise Failure(f"KSRC={source} has uncommitted changes; commit or stash them")
        key = "git " + head.stdout.decode().strip()
    else:
        if not DEBIAN_BASE.exists():
            raise Failure(f"{DEBIAN_BASE} is missing; install linux-source-6.12 "
                          "or name a 6.12.y git tree with KSRC=")
        stat = DEBIAN_BASE.stat()
        key = f"debian {stat.st_size} {stat.st_mtime_ns}"

    prepare_repository()
    if key_file.exists() and key_file.read_text(encoding="utf-8") == key:
        base = git("rev-parse", "--quiet", "--verify", BASE_REF, check=False)
        if not base.returncode:
            return base.stdout.decode().strip()

    with ui.Step("pristine base into build/linux") as step:
        if source:
            git("fetch", "--quiet", "--depth=1", f"file://{where.resolve()}", "HEAD")
            tree = git("rev-parse", "FETCH_HEAD^{tree}").strip()
        else:
            tree = import_tarball(DEBIAN_BASE, step)
        version = check_version(blob(tree, "Makefile"), source or DEBIAN_BASE)
        base = commit_tree(tree, None, f"Linux {version}\n", 0)
        git("update-ref", BASE_REF, base)
        step.outcome = f"Linux {version}"
    key_file.write_text(key, encoding="utf-8")
    return base


def import_tarball(tarball, step):
    """Stream a source tarball into the repository and return its tree."""
    ref = "refs/series/import"
    unpack = subprocess.Popen(["xz", "--decompress", "--stdout", tarball],
                              stdout=subprocess.PIPE)
    load = subprocess.Popen(["git", "fast-import", "--quiet", "--force", "--depth=0"],
                            cwd=TREE, stdin=subprocess.PIPE)
    out = io.BufferedWriter(load.stdin, 1 << 20)
    try:
        out.write(f"commit {ref}\ncommitter {AUTHOR} <{EMAIL}> {DATE} +0000\n"
                  "data 0\n".encode())
        with tarfile.open(fileobj=unpack.stdout, mode="r|") as archive:
            for member in archive:
                path = member.name.removeprefix("./").partition("/")[2]
                if member.issym():
                    mode, data = "120000", member.linkname.encode()
                elif member.isfile():
                    mode = "100755" if member.mode & 0o100 else "100644"
                    data = archive.extractfile(member).read()
                else:
                    continue
                out.write(f"M {mode} inline {path}\ndata {len(data)}\n".encode())
                out.write(data + b"\n")
                step.advance()
        out.close()
        if load.wait() or unpack.wait():
            raise Failure(f"{tarball} cannot be unpacked (damaged, or the disk is full)")
    except (tarfile.TarError, BrokenPipeError) as error:
        raise Failure(f"{tarball} cannot be unpacked: {error}") from None
    finally:
        for process in (unpack, load):
            process.kill()
            process.wait()
    return git("rev-parse", f"{ref}^{{tree}}").strip()


# --- assembling ------------------------------------------------------------

def commit_tree(tree, parent, message, number):
    stamp = f"{DATE + 60 * number} +0000"
    os.environ["GIT_AUTHOR_DATE"] = os.environ["GIT_COMMITTER_DATE"] = stamp
    try:
        return git("commit-tree", tree, *(["-p", parent] if parent else []),
                   stdin=message).strip()
    finally:
        del os.environ["GIT_AUTHOR_DATE"], os.environ["GIT_COMMITTER_DATE"]


def whole_file(patch, path, base, symbols):
    """Mode and contents of a whole file as of a patch."""
    source = overlay_source(path)
    if path == KCONFIG:
        return "100644", kconfig_with(symbols).encode()
    if path == MAINTAINERS:
        return "100644", with_maintainers(blob(base, path)).encode(
            errors="surrogateescape")
    return ("100755" if os.access(source, os.X_OK) else "100644",
            source.read_bytes())


def assemble(base, patches):
    """One commit per patch on top of the base; returns the list of commits."""
    commits, parent, symbols = [], base, set()
    with tempfile.TemporaryDirectory(dir=BUILD) as scratch:
        index = pathlib.Path(scratch) / "index"
        git("read-tree", base, index=index)
        before = git("rev-parse", f"{base}^{{tree}}").strip()
        for number, patch in enumerate(patches, 1):
            symbols |= set(patch.symbols)
            entries = []
            for path in patch.whole:
                mode, data = whole_file(patch, path, base, symbols)
                object_id = git("hash-object", "-w", "--stdin", stdin=data).strip()
                entries.append(f"{mode} {object_id}\t{path}\n")
            if entries:
                git("update-index", "--index-info", stdin="".join(entries), index=index)
            if patch.edit:
                apply_edit(patch, index)
            tree = git("write-tree", index=index).strip()
            if tree == before:
                raise Failure(f"{shown(patch.folder)} changes nothing")
            before = tree
            parent = commit_tree(tree, parent, patch.message, number)
            commits.append(parent)
    return commits


def apply_edit(patch, index):
    edit = patch.folder / "edit.patch"
    done = git("apply", "--cached", "--whitespace=nowarn", edit, index=index, check=False)
    if not done.returncode:
        return
    words = done.stderr.decode(errors="replace")
    hunk = re.search(r"patch failed: (\S+):(\d+)", words)
    if hunk:
        raise Failure(f"{shown(edit)}: the hunk at line {hunk.group(2)} of "
                      f"{hunk.group(1)} does not apply to this base")
    raise Failure(f"{shown(edit)}: {words.strip().splitlines()[0]}")


def dirty():
    """Paths in build/linux that differ from its HEAD, new files included."""
    status = git("status", "--porcelain", "-z", "--untracked-files=normal")
    return [entry[3:] for entry in status.split("\0") if entry]


def fingerprint(base, patches):
    """A hash over all that goes into the assembled tree."""
    total = hashlib.sha256(base.encode())
    for patch in patches:
        total.update(f"{patch.name}\0{patch.whole}{patch.symbols}\0".encode())
        total.update((patch.message + patch.edit).encode())
        for path in patch.whole:
            source = overlay_source(path)
            total.update(f"{path}{os.access(source, os.X_OK)}\0".encode())
            total.update(source.read_bytes())
    if (ROOT / MAINTAINERS).exists():
        total.update((ROOT / MAINTAINERS).read_bytes())
    return total.hexdigest()


def tree(quiet=False):
    """Bring build/linux up to date; returns (base, commits)."""
    patches = read_series()
    base = base_commit()
    stamp_file = TREE / ".git" / "series-stamp"
    stamp = fingerprint(base, patches)
    head = git("rev-parse", "--quiet", "--verify", HEAD_REF, check=False)
    current = git("rev-parse", "--quiet", "--verify", "HEAD", check=False)
    old = head.stdout.decode().strip() if not head.returncode else None

    if old and current.stdout.decode().strip() != old:
        raise Failure("build/linux has commits or a branch of your own checked out; "
                      f"`make refresh` carries commits on top of {BRANCH} over, "
                      f"`git -C build/linux checkout -B {BRANCH} {HEAD_REF}` drops them")
    edits = dirty() if old else []
    if old and stamp_file.exists() and stamp_file.read_text(encoding="utf-8") == stamp:
        if edits and not quiet:
            print(f"note: build/linux has edits of its own ({edits[0]}"
                  f"{', ...' if len(edits) > 1 else ''}); `make refresh` carries them over")
        return base, git("rev-list", "--reverse", f"{base}..{HEAD_REF}").split()

    commits = assemble(base, patches)
    if edits and git("diff", "--quiet", "HEAD", commits[-1], check=False).returncode:
        raise Failure(f"build/linux has edits that are not in the series ({edits[0]}"
                      f"{', ...' if len(edits) > 1 else ''}); `make refresh` carries them "
                      "over, `git -C build/linux checkout -f` drops them")
    with ui.Step(f"build/linux with {len(commits)} patches"):
        git("checkout", "--quiet", *(["--force"] if not old else []),
            "-B", BRANCH, commits[-1])
        git("update-ref", HEAD_REF, commits[-1])
        stamp_file.write_text(stamp, encoding="utf-8")
    return base, commits


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
        self.wanted = self.find(wanted) if wanted else None
        self.saved = {}

    def find(self, name):
        found = [patch for patch in self.patches if name in (patch.name, patch.name[:4])]
        if not found:
            raise Failure(f"PATCH={name}: series/ has no such patch")
        return found[0]

    def save(self, path, data):
        """Write (or with None remove) a file so that undo() can bring it back."""
        if path not in self.saved:
            self.saved[path] = path.read_bytes() if path.exists() else None
        if data is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode(
            errors="surrogateescape"))

    def undo(self):
        for path, data in self.saved.items():
            if data is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(data)

    def write_whole(self, path, commit):
        source = overlay_source(path)
        done = git("cat-file", "blob", f"{commit}:{path}", check=False)
        if done.returncode:
            self.save(source, None)
            return
        self.save(source, done.stdout)
        mode = git("ls-tree", commit, "--", path).split()[0]
        source.chmod(0o755 if mode == "100755" else 0o644)

    def list_files(self, patch):
        lines = []
        for path in sorted(set(patch.whole)):
            symbols = " ".join(sorted(patch.symbols))
            lines.append(f"{path}: {symbols}" if path == KCONFIG else path)
        listing = patch.folder / "files"
        if lines:
            self.save(listing, "\n".join(lines) + "\n")
        elif listing.exists():
            self.save(listing, None)

    def owner_of_edit(self, path):
        owners = [patch for patch in self.patches if path in patch.edited()]
        if self.wanted:
            later = [patch for patch in owners if patch.name > self.wanted.name]
            if later:
                raise Failure(f"{path} is also edited by {later[-1].name}, behind "
                              f"{self.wanted.name}; edit it there")
            return self.wanted
        if not owners:
            raise Failure(f"no patch edits {path} yet; say which one this belongs to: "
                          "make refresh PATCH=NNNN-topic")
        return owners[-1]

    def edits(self, work):
        """Attribute the uncommitted changes, tree WORK against HEAD_REF."""
        owner = {path: patch for patch in self.patches for path in patch.whole}
        edited = {}
        for path, status in changed_paths(HEAD_REF, work).items():
            if path == MAINTAINERS:
                raise Failure("MAINTAINERS: edit the repository's own file, which is "
                              "merged into the kernel's")
            if path == KCONFIG:
                self.write_whole(path, work)
                text = overlay_source(path).read_text(encoding="utf-8")
                known = {symbol for patch in self.patches for symbol in patch.symbols}
                fresh = set(kconfig_stanzas(text)) - known
                if fresh and not self.wanted:
                    raise Failure(f"{path}: {', '.join(sorted(fresh))} is new; say which "
                                  "patch it belongs to: make refresh PATCH=NNNN-topic")
                if fresh:
                    self.wanted.symbols += sorted(fresh)
                    self.wanted.whole.append(path)
                    self.list_files(self.wanted)
            elif path in owner:
                self.write_whole(path, work)
                if status == "D":
                    owner[path].whole.remove(path)
                    self.list_files(owner[path])
            elif blob(self.base, path) is not None:
                edited.setdefault(self.owner_of_edit(path).name, set()).add(path)
            elif not self.wanted:
                raise Failure(f"{path} is new; say which patch it belongs to: "
                              "make refresh PATCH=NNNN-topic")
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
        with tempfile.TemporaryDirectory(dir=BUILD) as scratch:
            index = pathlib.Path(scratch) / "index"
            git("read-tree", self.commits[number], index=index)
            lines = [git("ls-tree", work, "--", path).replace(" blob ", " ")
                     for path in paths]
            git("update-index", "--index-info", stdin="".join(lines), index=index)
            after = git("write-tree", index=index).strip()
        text = minimal_diff(before, after, paths | set(patch.edited()))
        target = patch.folder / "edit.patch"
        if text:
            self.save(target, text)
        elif target.exists():
            self.save(target, None)

    def new_patch(self, commit):
        """A commit on top of the series becomes a folder of its own."""
        subject = git("log", "-1", "--format=%s", commit).strip()
        topic = re.sub(r"[^a-z0-9]+", "-", subject.lower()).strip("-")[:40].strip("-")
        number = int(self.patches[-1].name[:4]) + 1
        patch = Patch(SERIES / f"{number:04d}-{topic}")
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
        with tempfile.TemporaryDirectory(dir=BUILD) as scratch:
            index = pathlib.Path(scratch) / "index"
            shutil.copy(TREE / ".git" / "index", index)
            git("add", "--all", index=index)
            work = git("write-tree", index=index).strip()
        if not added and work == git("rev-parse", "HEAD^{tree}").strip():
            print("build/linux has no edits to carry over")
            return
        try:
            if added and work != git("rev-parse", "HEAD^{tree}").strip():
                raise Failure("build/linux has both new commits and uncommitted edits; "
                              "carry the edits over first (git stash the one or the other)")
            if added:
                for commit in added:
                    self.new_patch(commit)
            else:
                self.edits(work)
            patches = read_series()
            commits = assemble(self.base, patches)
            left = changed_paths(commits[-1], work)
            if left:
                raise Failure("the series would not give build/linux again: "
                              + ", ".join(sorted(left)))
        except BaseException:
            self.undo()
            for folder in SERIES.iterdir():
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
            raise
        # The files are as the new commits have them: only the index moves.
        git("update-ref", HEAD_REF, commits[-1])
        git("symbolic-ref", "HEAD", f"refs/heads/{BRANCH}")
        git("reset", "--quiet", "--mixed", commits[-1])
        (TREE / ".git" / "series-stamp").write_text(
            fingerprint(self.base, patches), encoding="utf-8")
        for path in sorted(self.saved):
            print(f"{'updated' if path.exists() else 'removed'} {shown(path)}")


# --- mails -----------------------------------------------------------------

def mail():
    """Write build/series/*.patch with the cover letter of series/cover."""
    base, commits = tree(quiet=True)
    shutil.rmtree(MAILS, ignore_errors=True)
    git("format-patch", "--quiet", "--cover-letter", "--no-signature", "--zero-commit",
        "--output-directory", MAILS, f"{base}..{commits[-1]}")
    subject, _, text = (SERIES / "cover").read_text(encoding="utf-8").partition("\n\n")
    cover = next(MAILS.glob("0000-*"))
    letter = cover.read_text(encoding="utf-8")
    letter = letter.replace("*** SUBJECT HERE ***", subject.strip())
    letter = letter.replace("*** BLURB HERE ***", text.strip())
    cover.write_text(letter, encoding="utf-8")
    return sorted(MAILS.glob("*.patch"))


def patches_of_mails():
    """What mail() has written, without the cover letter."""
    return [path for path in sorted(MAILS.glob("*.patch")) if not path.name.startswith("0000")]


def main(args):
    command, rest = args[0], args[1:]
    if command == "tree":
        _, commits = tree()
        print(f"build/linux is the base with {len(commits)} patches")
    elif command == "refresh":
        tree_exists = (TREE / ".git").exists()
        if not tree_exists:
            raise Failure("there is no build/linux yet: make tree")
        Refresh(rest[0] if rest else None).run()
    elif command == "mail":
        mails = mail()
        print(f"{len(mails) - 1} patches and a cover letter in {shown(MAILS)}/")
    else:
        raise Failure(f"series.py: unknown command {command}")
    return 0


if __name__ == "__main__":
    ui.main(main)
