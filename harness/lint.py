# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernel's own linters say about our files.

All of it needs only build/linux, and writes elsewhere.
"""

import dataclasses
import difflib
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import threading

import kernel as kernels
import outcomes
import series
import ui
from ui import BUILD, LOGS, ROOT, Failure, shown

RUSTFMT = dict(word.split("=", 1) for word in kernels.RUST_TOOLS)["RUSTFMT"]

# What lies below these is a program of user space.
TOOLS = "tools/"
# What no object of the kernel is made from.
NOT_COMPILED = ("Documentation", "tools/testing")


def sources(without=()):
    """What outcomes of build/linux depend on; None while it has edits of its own."""
    _, commits = series.tree(quiet=True)
    return None if series.dirty() else series.sources(commits[-1], without)


# --- rustfmt ---------------------------------------------------------------

def check_rustfmt(found):
    """Rust is formatted as `make rustfmtcheck` of the kernel wants it."""
    group = "rustfmt"
    with ui.Step("rustfmt on our files"):
        for path in [*series.source_files(), *series.edited_files()]:
            if path.endswith(".rs"):
                top = ROOT if (ROOT / path).exists() else series.TREE
                # From its input, rustfmt does not go on to the modules of a file.
                done = ui.ask(
                    [RUSTFMT, "--check", "--config-path", series.TREE / ".rustfmt.toml"],
                    input=(top / path).read_text(encoding="utf-8"))
                words = (done.stderr + done.stdout).replace("<stdin>", path).splitlines()
                found.add(group, path, not done.returncode and not words, words[0] if words else "")


# --- Sphinx ----------------------------------------------------------------

DOCUMENTATION = "Documentation/"
# What a page calls another by; Sphinx makes a link of it, or says nothing.
PAGE_NAME = re.compile(r"\bDocumentation/[\w./-]+\.(?:rst|txt|yaml)\b")
# A part that several pages have, beside them.
INCLUDED = re.compile(r"^\.\. include:: (?!<)([^/\s]+)$", re.MULTILINE)
WARNING = re.compile(r"(?:WARNING: kernel-doc '.* (?=\S+' failed))?([^:'\s]+)[:']")
ELSEWHERE = re.compile(r"unknown document: '/?(\S+)'")
LABEL = re.compile(r"undefined label: '(\S+)'")


def page_tree(work, pages):
    """Our pages with the indices they are named in, as a source tree for Sphinx."""
    tops = []
    for page in pages:
        name = page.removeprefix(DOCUMENTATION)
        place = work / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(series.TREE / page)
        for part in INCLUDED.findall(place.read_text(encoding="utf-8")):
            if not (place.parent / part).exists():
                (place.parent / part).symlink_to((series.TREE / page).parent / part)
        index = place.parent / "index.rst"
        if not index.exists():
            index.symlink_to((series.TREE / page).parent / "index.rst")
            tops.append(str(index.relative_to(work)))
    entries = "".join(f"   {top.removesuffix('.rst')}\n" for top in tops)
    (work / "index.rst").write_text(f"Pages\n=====\n\n.. toctree::\n\n{entries}", encoding="utf-8")


def is_elsewhere(page, line):
    """Whether a warning of Sphinx is about a page, or a label in one beside it, of the base."""
    other, label = ELSEWHERE.search(line), LABEL.search(line)
    if label:
        return any(f".. _{label.group(1)}:" in path.read_text(encoding="utf-8")
                   for path in (series.TREE / page).parent.glob("*.rst"))
    return bool(other) and (series.TREE / DOCUMENTATION / f"{other.group(1)}.rst").exists()


def page_troubles(page):
    """What Sphinx does not notice: names of files that do not exist."""
    text = (series.TREE / page).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        for name in PAGE_NAME.findall(line):
            if not (series.TREE / name).exists():
                yield f"{page}:{number}: there is no {name}"


def check_pages(found):
    """Our pages, with the kernel-doc in them, go through Sphinx without a warning."""
    group = "pages"
    log = ui.fresh_log("sphinx")
    pages = sorted(path for path in [*series.overlay_files(), *series.edited_files()]
                   if path.endswith(".rst") and not path.endswith("/index.rst"))
    said = {}
    with ui.Step("our pages through Sphinx"), ui.scratch("pages") as scratch:
        # An extension of the base wants a directory of this name, beside MAINTAINERS.
        work, html = scratch / DOCUMENTATION, scratch / "html"
        (scratch / "MAINTAINERS").symlink_to(series.TREE / "MAINTAINERS")
        page_tree(work, pages)

        def on_line(line):
            line = line.replace(f"{series.TREE}/", "").replace(f"{work}/", DOCUMENTATION)
            match = WARNING.match(line)
            if match and not is_elsewhere(match.group(1), line):
                said.setdefault(match.group(1), []).append(line)

        # No doctrees of an earlier run: a page that is not read anew is not warned of.
        status = ui.run(
            ["/usr/bin/sphinx-build", "-q", "-b", "html",
             "-c", series.TREE / DOCUMENTATION,
             "-D", "version=0", "-D", "release=0",
             "-D", f"kerneldoc_srctree={series.TREE}",
             "-D", f"kerneldoc_bin={series.TREE}/scripts/kernel-doc",
             work, html], log, on_line=on_line,
            env=dict(os.environ, srctree=str(series.TREE), PYTHONDONTWRITEBYTECODE="1",
                     LC_ALL="C.UTF-8"))
        written = {str(path.relative_to(html).with_suffix(".rst")) for path in html.rglob("*.html")}
    for page in pages:
        text = (series.TREE / page).read_text(encoding="utf-8")
        sources = re.findall(r"^\s*\.\. kernel-doc:: *(\S+)", text, re.MULTILINE)
        words = list(page_troubles(page))
        # Of kernel-doc, the page is named without its suffix, or only the source.
        for name in (page, page.removesuffix(".rst"), *sources):
            words += said.get(name, ())
        if page.removeprefix(DOCUMENTATION) not in written:
            words.append("was not written")
        found.add(group, page, not words, words[0] if words else "")
    if status:
        found.add(group, "sphinx-build", False, f"{ui.last_error(log)} (log: {shown(log)})")


# --- Coccinelle ------------------------------------------------------------

SPATCH = "/usr/bin/spatch"
COCCI = "scripts/coccinelle/"
# What is about functions and macros that only the kernel has.
COCCI_KERNEL = ("api/", "free/", "locks/", "misc/array_size", "misc/minmax",
                "misc/struct_size", "misc/flexible_array", "misc/warn", "tracing/")
# What our own must find, if they have a report mode, and make of it: NAME.c, NAME.report
# and NAME.patched.c.
COCCI_TESTS = ROOT / "harness" / "semantic"
# coccicheck gives spatch the compiler's search paths.
COCCI_INCLUDES = ("-I", "arch/x86/include", "-I", "include", "-I", "arch/x86/include/uapi",
                  "-I", "include/uapi", "--include", "include/linux/compiler-version.h",
                  "--include", "include/linux/kconfig.h",
                  "--include", "include/linux/compiler_types.h")
# What was looked at and is not so: (semantic patch, file, the line it names): reason.
COCCI_FALSE = {
    ("free/kfree.cocci", "kernel/trace/event_fetch.c",
     "trace_probe_event_call(&event->tp)->print_fmt = buf;"):
        "the loop is left before kfree(), or starts with another buffer",
    ("tests/odd_ptr_err.cocci", "kernel/trace/event_def.c", "if (IS_ERR(line))"):
        "no_free_ptr(line) in PTR_ERR() is line",
    ("tracing/static_batch.cocci", "lib/test_static_batch.c",
     "static_branch_disable(&few_keys[i]);"):
        "the state of the key is looked at after each change",
}


def cocci_environment():
    """For spatch, which loads the library of the python3 that comes first, and wants a home."""
    env = dict({"HOME": "/"}, **os.environ)
    env["PATH"] = f"/usr/bin:{env['PATH']}"
    return env


@dataclasses.dataclass(frozen=True)
class SemanticPatch:
    """One .cocci file of the base, read as scripts/coccicheck reads it."""

    name: str
    options: tuple
    requires: str
    ocaml: bool
    reports: bool

    @staticmethod
    def read(path):
        text = path.read_text(encoding="utf-8")
        options = re.findall(r"Options:(.*)", text)
        requires = re.search(r"Requires:\s*(\S+)", text)
        return SemanticPatch(str(path.relative_to(series.TREE / COCCI)),
                             tuple(" ".join(options).split()),
                             requires.group(1) if requires else "",
                             bool(re.search(r"^@\s*(?:initialize|script)\s*:\s*ocaml", text,
                                            re.MULTILINE)),
                             bool(re.search(r"^virtual\s+(?:\w+,\s*)*report\b", text,
                                            re.MULTILINE)))

    def useless(self, version):
        """Why this spatch cannot run it, or None."""
        def number(text):
            return [int(part) for part in re.findall(r"\d+", text)]

        if self.requires and number(self.requires) > number(version):
            return f"needs spatch {self.requires}"
        if not self.reports:
            return "has no report mode"
        if self.ocaml and not shutil.which("ocamlopt"):
            return "needs an OCaml compiler"
        return None


class CocciCheck:
    """The semantic patches on the files of ours that have to be looked at again."""

    def __init__(self, log):
        self.log = log
        self.where = BUILD / "obj" / "coccinelle"
        self.version = subprocess.run([SPATCH, "--version"], capture_output=True,
                                      text=True, check=True).stdout.split()[2]
        self.patches = [SemanticPatch.read(path) for path in
                        sorted((series.TREE / COCCI).rglob("*.cocci"))]
        self.files = [path for path in series.overlay_files() if path.endswith((".c", ".h"))]
        self.said = {}
        self.broken = {}
        self.lock = threading.Lock()

    def places(self):
        """Where the outcome for each file is kept: by its text, those of the headers of ours that
        it includes, and those of the semantic patches."""
        def text(path):
            return (series.TREE / path).read_bytes()

        patches = hashlib.sha256(b"".join(text(COCCI + patch.name) for patch in self.patches))
        for path in self.files:
            included = re.findall(rb'^\s*#\s*include.*?(\w+\.h)[">]', text(path), re.MULTILINE)
            yield path, outcomes.place(
                outcomes.code(__file__), patches.hexdigest(), path, text(path),
                [text(header) for header in self.files
                 if os.path.basename(header).encode() in included])

    def run(self, patch, groups):
        """One semantic patch; GROUPS is a file in which files stand apart."""
        argv = [SPATCH, "-D", "report", "--no-show-diff", "--very-quiet", "--no-scanner",
                "--cocci-file", COCCI + patch.name, *patch.options, *COCCI_INCLUDES,
                "--file-groups", groups]

        def on_line(line):
            match = re.match(r"(\S+?):(\d+):\S*\s+(.*)", line)
            if match and match.group(1) in self.files:
                path, number, words = match.groups()
                lines = (series.TREE / path).read_text(encoding="utf-8").splitlines()
                if (patch.name, path, lines[int(number) - 1].strip()) not in COCCI_FALSE:
                    with self.lock:
                        self.said.setdefault(path, []).append(
                            f"line {number}: {words} ({patch.name})")
            else:
                last[0] = line

        last = ["no output"]
        if ui.run([*kernels.NICE, *argv], self.log, on_line=on_line, cwd=series.TREE,
                  env=cocci_environment()):
            self.broken[patch.name] = last[0]

    def check(self, files, step):
        """Run all semantic patches that this spatch can run on some files."""
        of_kernel = [path for path in files if not path.startswith(TOOLS)]
        for name, wanted in (("all", files), ("kernel", of_kernel)):
            # One file is one group: apart, they cannot give each other metavariables.
            (self.where / name).write_text("\n\n".join(wanted) + "\n", encoding="utf-8")
        patches = [patch for patch in self.patches if not patch.useless(self.version)]
        step.total = len(patches)

        def one(patch):
            if not patch.name.startswith(COCCI_KERNEL):
                self.run(patch, self.where / "all")
            elif of_kernel:
                self.run(patch, self.where / "kernel")
            step.advance(note=patch.name)

        ui.parallel(one, patches, os.cpu_count())


def check_coccinelle(found):
    """The base's coccicheck on our C files, as report; what is unchanged stays clean."""
    group = "coccinelle"
    log = ui.fresh_log("coccinelle")
    check = CocciCheck(log)
    check.where.mkdir(parents=True, exist_ok=True)
    with ui.Step("coccicheck on our files") as step:
        places = dict(check.places())
        files = [path for path, place in places.items() if not outcomes.recall(place)]
        if files:
            check.check(files, step)
        step.outcome = f"{len(files)} of {len(places)} files looked at"
    for path in check.files:
        words = check.said.get(path, ())
        found.add(group, path, not words, words[0] if words else "")
    for patch in check.patches:
        if patch.name in check.broken:
            found.add(group, patch.name, False, check.broken[patch.name])
        elif patch.useless(check.version):
            found.add(group, patch.name, None, patch.useless(check.version))
    for (name, path, line), _ in COCCI_FALSE.items():
        text = (series.TREE / path).read_text(encoding="utf-8")
        if line not in map(str.strip, text.splitlines()):
            found.add(group, f"{name} on {path}", False,
                      f"COCCI_FALSE names a line that is no longer there: {line}")
    if not check.broken:
        for path in files:
            if path not in check.said:
                outcomes.keep(places[path], True)


def first_difference(made, wanted):
    """The first line of a diff between two texts that tells them apart, or None."""
    lines = difflib.unified_diff(wanted.splitlines(), made.splitlines(), lineterm="", n=0)
    return next((line for line in lines if not line.startswith(("---", "+++", "@@"))), None)


def semantic_patch_trouble(patch, source):
    """What one of our semantic patches does to a source but should not, or None."""
    argv = [SPATCH, "--very-quiet", "--cocci-file", series.TREE / COCCI / patch.name,
            *patch.options]
    trouble = []
    if patch.reports:
        done = ui.ask([*argv, "-D", "report", "--no-show-diff", source.name],
                      cwd=source.parent, env=cocci_environment())
        lines = sorted(re.findall(rf"^{re.escape(source.name)}:(\d+):\S*( .*)$", done.stdout,
                                  re.MULTILINE), key=lambda line: int(line[0]))
        said = "".join(f"{number}:{words}\n" for number, words in lines)
        wanted = source.with_suffix(".report").read_text(encoding="utf-8").partition("\n")[2]
        trouble += done.stderr.strip().splitlines()[-1:] if done.returncode else []
        trouble.append(first_difference(said, wanted))
    with ui.scratch() as scratch:
        made = scratch / source.name
        subprocess.run([*argv, "-D", "patch", source.name, "-o", made], cwd=source.parent,
                       env=cocci_environment(), capture_output=True, check=False)
        text = made.read_text(encoding="utf-8") if made.exists() else ""
    trouble.append(first_difference(text, source.with_suffix(".patched.c").read_text(
        encoding="utf-8")))
    return next(filter(None, trouble), None)


def check_semantic_patches(found):
    """Our own semantic patches report, and change, what they must, and nothing else."""
    group = "semantic patches"
    ours = [path for path in series.overlay_files() if path.endswith(".cocci")]
    with ui.Step("our semantic patches"):
        for path in ours:
            source = COCCI_TESTS / f"{pathlib.Path(path).stem}.c"
            trouble = semantic_patch_trouble(SemanticPatch.read(series.TREE / path), source) \
                if source.exists() else "has no test"
            found.add(group, path, trouble is None, trouble or "")


# --- unusual configurations ------------------------------------------------

# All that the series adds, and what of the base has hooks for it.
VARIANT_FRAGMENTS = ("base", "events", "x86_64", "rust", "kunit-module",
                     *kernels.SERIES_FRAGMENTS, "variant")
# Below these, a file that is ours or that the series edits is part of the kernel.
VARIANT_PLACES = ("arch/x86/", "block/", "drivers/", "fs/", "kernel/", "lib/", "mm/", "rust/",
                  "samples/")
# What no object is made of here: a text for scripts/static_branch_asm.sed, parts of
# helpers.o, and what needs BTF, which steps.check() builds.
NO_OBJECT = re.compile(r"kernel/static_branch_asm\.c|rust/helpers/.*|"
                       r"kernel/trace/(?:func_event|trace)_btf\.c|kernel/bpf/btf\.c")
# Prints what is enabled in a directory.
ENABLED = ROOT / "harness" / "enabled.mk"
# What compilers say of a place: rustc below the words, those of C with them; and of an object.
SAID = [re.compile(pattern) for pattern in (
    r"\s+--> (?P<path>\S+?):(?P<line>\d+)(?P<words>)",
    r"(?P<path>[^\s:]+):(?P<line>\d+):(?:\d+:)? (?P<words>(?:warning|(?:fatal )?error): .*)",
    r"(?P<path>[^\s:]+\.o):(?P<line>) (?P<words>(?:warning|error): .*)")]
# What is compiled together.
RUST_PARTS = {"rust/kernel/": "rust/kernel.o", "rust/macros/": "rust/libmacros.so"}


class Variant(kernels.Kernel):
    """An x86_64 configuration of which only the objects of ours are built."""

    def __init__(self, name, what, change="", rust=False):
        """CHANGE, or else a fragment called NAME, replaces lines of the others."""
        super().__init__("x86_64")
        self.label = f"lint-{name}"
        self.what = what
        fragment = kernels.FRAGMENTS / f"{name}.config"
        self.change = fragment.read_text(encoding="utf-8") if fragment.exists() else change
        self.rust = rust
        self.out = BUILD / "obj" / self.label
        self.log = LOGS / f"{self.label}.log"

    def fragment(self):
        lines = kernels.merge(*kernels.fragments(VARIANT_FRAGMENTS), self.change)
        return kernels.as_text({symbol: line for symbol, line in lines.items()
                                if self.rust or "RUST" not in symbol})

    def make(self, *targets):
        clippy = ("CLIPPY=1", "CLIPPY_DRIVER=/usr/bin/clippy-driver") if self.rust else ()
        return super().make("W=1", *clippy, *targets)

    def sources(self):
        """The objects of our files, and of those of the base that the series edits."""
        objects = {}
        for path in [*series.overlay_files(), *series.edited_files()]:
            if not path.startswith(VARIANT_PLACES) or NO_OBJECT.fullmatch(path):
                continue
            if path.endswith(".rs") and self.rust:
                part = [made for below, made in RUST_PARTS.items() if path.startswith(below)]
                objects[path] = part[0] if part else series.object_of("HEAD", path)
            elif path.endswith(".c"):
                objects[path] = series.object_of("HEAD", path)
        return objects

    def enabled(self, directory):
        """The objects in a directory that this configuration builds.

        kbuild itself compiles whatever it is asked for.
        """
        parent, name = os.path.split(directory)
        parent = parent or "."
        # These two are not named in a file like the others.
        if directory not in (".", "lib") and parent != "arch/x86":
            if f"{parent}/{name}/" not in self.enabled(parent):
                return set()
        file = next(name for name in (f"{directory}/Kbuild", f"{directory}/Makefile")
                    if (series.TREE / name).exists())
        done = ui.ask(
            ["make", "-s", "-f", ENABLED, f"OUT={self.out}",
             f"TREE={series.TREE}", f"DIRECTORY={directory}", f"FILE={file}", "lint-nothing"],
            cwd=self.out, env=kernels.environment())
        if done.returncode:
            raise Failure(f"{file}: {done.stderr.strip().splitlines()[-1]}")
        return set(done.stdout.split())

    def compile(self, step):
        """Compile; returns what is wrong with each file, None if it is not enabled.

        What has been compiled without a warning is not compiled again, unless
        it has changed. A file that was warned of must be, to be warned of again:
        no object of ours stays if the last run did not end well.
        """
        sources = self.sources()
        clean = self.out / ".clean"
        self.log.write_text("", encoding="utf-8")
        if not clean.exists():
            for built in sources.values():
                (self.out / built).unlink(missing_ok=True)
        clean.unlink(missing_ok=True)
        self.configure()
        said = {}
        words = [""]

        def on_line(line):
            if kernels.BUILT.match(line):
                step.advance(note=line.split()[-1])
            # A warning of rustc stands above the place.
            if line.startswith(("warning", "error")):
                words[0] = line
            match = next(filter(None, (pattern.match(line) for pattern in SAID)), None)
            if not match:
                return
            path = os.path.realpath(self.out / match["path"])
            for top in (series.TREE, self.out):
                path = path.removeprefix(f"{os.path.realpath(top)}/")
            path = by_object.get(path, path)
            if path in ours:
                place = f"line {match['line']}: " if match["line"] else ""
                said.setdefault(path, f"{place}{match['words'] or words[0]}")

        by_object = {built: path for path, built in sources.items() if path.endswith(".c")}
        ours = {*sources, *series.overlay_files()}
        status = ui.run(self.make("prepare"), self.log, on_line=on_line, env=kernels.environment())
        if status and not said:
            raise Failure(f"{self.what}: {ui.last_error(self.log)} (log: {shown(self.log)})")
        if status:
            return said
        wanted = set().union(*map(self.enabled, {os.path.dirname(built)
                                                 for built in sources.values()
                                                 if built not in RUST_PARTS.values()}))
        objects = sorted(wanted.intersection(sources.values()))
        ui.run(self.make("-k", *objects), self.log, on_line=on_line, env=kernels.environment())
        outcome = {}
        for path, built in sources.items():
            if path in said:
                outcome[path] = said.pop(path)
            elif built not in objects and built not in RUST_PARTS.values():
                outcome[path] = None
            else:
                outcome[path] = "" if (self.out / built).exists() else "was not compiled"
        outcome |= said
        if not any(outcome.values()):
            clean.touch()
        return outcome


def variants():
    """Configurations that few have, and which compile other lines of ours."""
    return (
        Variant("all", "with all of the series", rust=True),
        Variant("no-jump-label", "without jump labels", rust=True),
        Variant("no-modules", "without modules"),
        Variant("no-smp", "on one CPU, with small tables",
                change="# CONFIG_SMP is not set\nCONFIG_EXPERT=y\nCONFIG_BASE_SMALL=y\n"),
        Variant("rt", "with PREEMPT_RT"),
    )


def builds(found):
    """Our files compile without a warning of W=1 or clippy in every variant: minutes the first
    time, seconds when little has changed."""
    tree = sources(NOT_COMPILED)
    for variant in variants():
        outcomes.again(
            found, outcomes.place(outcomes.code(__file__, *kernels.SOURCES, ENABLED), tree,
                                  variant.what, variant.fragment()),
            lambda found: check_variant(found, variant))


def check_variant(found, variant):
    group, clippy = f"W=1 {variant.what}", f"clippy {variant.what}"
    try:
        with ui.Step(f"compile our files {variant.what}") as step:
            outcome = variant.compile(step)
    except Failure as trouble:
        found.add(group, "configuration", False, str(trouble))
        return
    for path, words in outcome.items():
        # A variant that loses nothing has all.
        if words is None and variant.change:
            continue
        found.add(clippy if path.endswith(".rs") else group, path, words == "",
                  "no Makefile enables it" if words is None else words)


def fast(found):
    """What needs no compiler."""
    check_rustfmt(found)
    check_pages(found)
    check_coccinelle(found)
    check_semantic_patches(found)
