#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that need no guest.

    check.py fast      what needs no kernel: the byte comparison of the branch
                       sites, the self-test of sitecheck.py, checkpatch,
                       kernel-doc, the harness's own files, and lint.py
    check.py series    git am gives build/linux again; every step of the
                       series builds, see steps.py
"""

import pathlib
import re
import shutil
import sys

import apply
import branchcheck
import kernel as kernels
import ktap
import lint
import models
import mutantlists
import outcomes
import results
import series
import sitecheck
import steps
import ui
from ui import BUILD, ROOT, Failure, shown

# FILE_PATH_CHANGES asks whether MAINTAINERS needs an update, whenever a file
# is added. check_maintainers() answers that. UNKNOWN_COMMIT_ID looks for what is
# fixed in a history, which a base from a tarball does not have.
CHECKPATCH = ["--strict", "--no-summary", "--show-types"]
CHECKPATCH_IGNORE = ["FILE_PATH_CHANGES", "UNKNOWN_COMMIT_ID"]
# What cannot be avoided in some files.
CHECKPATCH_IGNORE_IN = ROOT / "harness" / "checkpatch.ignore"

# What make apply is tried with: a topic, and a file that no other one edits.
APPLY_TOPIC = "record-path"
APPLY_FILE = "lib/string.c"
APPLY_REF = "refs/series/apply"


# --- fast checks -----------------------------------------------------------

def check_branches(found):
    """One test per architecture variant of branchcheck.py, and of what it must notice."""
    group = "static branch bytes"
    with ui.Step("compare the branch sites of all architectures") as step, \
            ui.scratch("branchcheck") as work:
        branchcheck.compare(found, group, kernels.BASE_TREE, series.TREE, work, step)


def check_sites(found):
    """sitecheck.py, which needs a built kernel, notices what it must."""
    group = "site check"
    with ui.Step("sites that are not as in C are noticed"), ui.scratch("sitecheck") as work:
        try:
            for name, ok, detail in sitecheck.self_test(series.TREE, work):
                found.add(group, name, ok, detail)
        except (sitecheck.CheckError, OSError) as trouble:
            found.add(group, "sitecheck.py", False, str(trouble))


def checkpatch_root():
    """The tree for checkpatch, but without get_maintainer.pl.

    checkpatch runs that for each file of each patch, to learn whether MAINTAINERS
    calls it obsolete: nearly half of its time. check_obsolete() asks once.
    """
    root = BUILD / "checkpatch"
    shutil.rmtree(root, ignore_errors=True)
    (root / "scripts").mkdir(parents=True)
    for top, left_out in ((pathlib.Path(), "scripts"), (pathlib.Path("scripts"),
                                                        "get_maintainer.pl")):
        for path in (series.TREE / top).iterdir():
            if path.name not in (left_out, ".git"):
                (root / top / path.name).symlink_to(path)
    return root


def check_obsolete(found, group):
    """What the series touches is not marked as obsolete in MAINTAINERS."""
    base, commits = series.tree(quiet=True)
    paths = [path for path, status in series.changed_paths(base, commits[-1]).items()
             if status != "D"]
    done = ui.ask(
        ["perl", "scripts/get_maintainer.pl", "--status", "--nom", "--nol", "--nogit",
         "--nogit-fallback", *(word for path in paths for word in ("-f", path))],
        cwd=series.TREE)
    states = done.stdout.lower().split()
    found.add(group, "no file is obsolete", bool(states) and "obsolete" not in states,
              done.stderr.strip())


def check_patches(found):
    """checkpatch on every patch of the series, as a mail."""
    group = "checkpatch"
    log = ui.fresh_log("checkpatch")
    root = checkpatch_root()
    places = [line.split() for line in CHECKPATCH_IGNORE_IN.read_text(encoding="utf-8").splitlines()
              if line and not line.startswith("#")]
    # It looks into the tree, for names of options and files.
    tree = lint.sources()

    def check(found, name, text):
        ignore = list(CHECKPATCH_IGNORE)
        files = [file for file in re.findall(r"^\+\+\+ b/(\S+)$", text, re.MULTILINE)
                 if file != "MAINTAINERS"]
        for place, *types in places:
            if place in files or files and all(file.startswith(place) for file in files):
                ignore += types
        done = ui.ask(
            ["perl", "scripts/checkpatch.pl", *CHECKPATCH, f"--root={root}",
             "--ignore=" + ",".join(ignore), "-"], input=text, cwd=series.TREE,
            errors="surrogateescape")
        said = [line for line in done.stdout.splitlines()
                if re.match(r"(ERROR|WARNING|CHECK):", line)]
        log.open("a", encoding="utf-8").write(done.stdout)
        found.add(group, name, not said and not done.returncode, said[0] if said else "")

    with ui.Step("checkpatch --strict on every patch") as step:
        for branch in series.branches().values():
            for patch, commit in zip(branch.patches, branch.commits):
                # The date says which patch it is, counted from the first.
                text = re.sub(r"^Date: .*\n", "", series.git(
                    "format-patch", "--stdout", "--zero-commit", "--no-signature", "-1", commit),
                    count=1, flags=re.MULTILINE)
                outcomes.again(
                    found, outcomes.place(outcomes.code(__file__, CHECKPATCH_IGNORE_IN), tree,
                                          patch.name, text),
                    lambda found, name=patch.name, text=text: check(found, name, text))
                step.advance(note=patch.name)
    check_obsolete(found, group)


def check_maintainers(found):
    """Every file that the series adds has a section in MAINTAINERS."""
    group = "maintainers"
    base, commits = series.tree(quiet=True)
    sections = series.blob(commits[-1], "MAINTAINERS")
    globs = re.findall(r"^F:\t(\S+)$", sections, re.MULTILINE)
    patterns = []
    for glob in globs:
        if glob in ("*", "*/"):
            # THE REST, which would cover anything.
            continue
        text = re.escape(glob).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
        patterns.append(text + (".*" if glob.endswith("/") else "$"))
    covered = re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
    for path, status in series.changed_paths(base, commits[-1]).items():
        if status == "A":
            found.add(group, path, bool(covered.match(path)), "")
    topic, branch = next(iter(series.branches().items()))
    found.add(group, f"{topic}: whom the mails go to",
              "\nCc: linux-kernel@vger.kernel.org" in series.recipients(branch))


def check_kernel_doc(found):
    """kernel-doc is clean for every C file that is ours."""
    group = "kernel-doc"
    for path in series.source_files():
        if path.endswith((".c", ".h")):
            done = ui.ask(["perl", "scripts/kernel-doc", "-none", "-Werror", ROOT / path],
                          cwd=series.TREE)
            words = done.stderr.strip().splitlines()
            found.add(group, path, not done.returncode and not words, words[0] if words else "")


# By trace_probe_tmpl.h, of each file that includes it.
NAMED_BY_BASE = {"process_fetch_insn"}


def check_names(found):
    """No static function of ours has a name that another file of ours has.

    A kprobe or a function event could not tell one from the other.
    """
    group = "names of static functions"
    files = {}
    for path in series.overlay_files():
        if path.startswith("kernel/") and path.endswith((".c", ".h")):
            text = (ROOT / path).read_text(encoding="utf-8")
            for name in re.findall(r"^static (?!inline\b[^;{]*;)[a-z_][^;=(){]*?\b([a-z]\w*)\(",
                                   text, re.MULTILINE):
                files.setdefault(name, set()).add(path)
    for path in sorted(set().union(*files.values())):
        twice = [f"{name} is in {', '.join(sorted(paths - {path}))} as well"
                 for name, paths in sorted(files.items())
                 if path in paths and len(paths) > 1 and name not in NAMED_BY_BASE]
        found.add(group, path, not twice, twice[0] if twice else "")


def check_mutants(found):
    """What make mutants changes is in the sources, once: they are tried too rarely to tell."""
    group = "texts of mutants"
    unfit = {}
    for mutant in mutantlists.read_lists():
        wrong = unfit.setdefault(mutant.area, [])
        path = next((top / mutant.file for top in (series.TREE, ROOT)
                     if (top / mutant.file).exists()), None)
        try:
            if not path:
                raise mutantlists.Unfit(f"{mutant.file} is not there")
            mutantlists.place(path.read_text(encoding="utf-8"), mutant)
        except mutantlists.Unfit as error:
            wrong.append(f"{mutant.name}: {error}")
    for area, wrong in unfit.items():
        found.add(group, area, not wrong, "; ".join(wrong))


def check_licences(found):
    """Every file of ours says its licence where the kernel wants it."""
    group = "licences"
    exempt = {"COPYING", ".gitignore", "README.md"}
    for path in series.repository_files():
        if path in exempt or path.startswith("series/"):
            continue
        head = (ROOT / path).read_text(encoding="utf-8").splitlines()[:2]
        # Of kconfig, written by cargo, of mutants.py, or of a Debian package, where a file says
        # it for all; and no litmus test of the base does.
        if path.endswith((".config", ".list", "/config", "/Cargo.lock", ".litmus")) \
                or "/debian/" in path:
            continue
        found.add(group, path, any("SPDX-License-Identifier:" in line for line in head), "")


# What says whose a file is.
NOTICE = re.compile(r"copyright|SPDX-License-Identifier|\(c\) (?:19|20)\d\d|\bauthors?:"
                    r"|subject to the terms", re.IGNORECASE)


def notices(text):
    """The lines of a file's head that say whose it is, without the marks of a comment."""
    return [re.sub(r"[^\w<>@.]+", " ", line).strip() for line in text.splitlines()[:60]
            if NOTICE.search(line)]


def check_notices(found):
    """A file of the base that the series replaces or edits keeps its notices."""
    group = "notices"
    base, commits = series.tree(quiet=True)
    for path, status in series.changed_paths(base, commits[-1]).items():
        if status == "A":
            continue
        old = notices(series.blob(base, path))
        new = notices(series.blob(commits[-1], path) or "")
        lost = [line for line in old if line not in new]
        found.add(group, path, not lost, lost[0] if lost else "")


def harness_test(found, group, name):
    """A test of the harness itself."""
    log = ui.fresh_log(f"harness-{name}")
    ktap.run(found, group, [sys.executable, ROOT / "harness" / "tests", name], log, what=name)


def lint_harness(found, group, files, *command):
    """Run a linter on files of the harness."""
    done = ui.ask([*command, *files])
    words = {}
    for line in (done.stdout + done.stderr).splitlines():
        words.setdefault(line.partition(":")[0], line)
    for path in files:
        found.add(group, shown(path), str(path) not in words, words.get(str(path), ""))
    found.add(group, f"{command[0]} runs",
              bool(files) and bool(words) == bool(done.returncode),
              f"status {done.returncode}: {done.stderr.strip()}")


def check_harness(found):
    """The harness is clean, and refuses what it must refuse."""
    group = "harness"
    files = [path for path in sorted((ROOT / "harness").rglob("*")) if path.is_file()]
    lint_harness(found, group, [path for path in files if path.suffix == ".py"], "pyflakes3")
    # Variables of one piece of a guest's script may be used in the next one.
    lint_harness(found, group, [path for path in files if path.suffix == ".sh"
                                or path.read_bytes().startswith(b"#!/bin/")],
                 "shellcheck", "--shell=sh", "--severity=warning", "--format=gcc",
                 "--exclude=SC2034,SC2100,SC2154")
    # Each in a process of its own: one that dies takes no other with it.
    tests = sorted((ROOT / "harness" / "tests").glob("test_*.py"))
    for path in tests:
        harness_test(found, group, path.name)
    found.add(group, "has tests", bool(tests))
    said = ui.ask(["make", "--no-print-directory", "help"], cwd=ROOT).stdout
    for target in ("help", *re.findall(r"^make (\S+)", said, re.MULTILINE)):
        # It says what it would do, and begins none of it.
        done = ui.ask(["make", "--dry-run", target], cwd=ROOT)
        found.add(group, f"make {target}", not done.returncode, done.stderr.strip())


def fast_but_patches(found):
    """The fast checks, with the trees there; checkpatch takes as long as the others."""
    check_harness(found)
    check_licences(found)
    check_notices(found)
    check_names(found)
    check_mutants(found)
    check_branches(found)
    check_sites(found)
    check_maintainers(found)
    check_kernel_doc(found)
    check_apply(found)
    models.check(found)
    lint.fast(found)


def fast(found):
    """All checks that need no kernel."""
    series.tree()
    kernels.pristine_tree()
    fast_but_patches(found)
    check_patches(found)
    lint.builds(found)


def check_sparse(found, kernel):
    """sparse is clean for every C file of ours that the kernel builds."""
    group = "sparse"
    log = ui.fresh_log("sparse")
    sources = [path for path in series.overlay_files()
               if path.endswith(".c") and (kernel.out / path).with_suffix(".o").exists()]
    with ui.Step("sparse on our files"):
        # C=2 checks a file whether or not it has to be compiled.
        kernel.must(log, "sparse", "C=2", f"CHECK={BUILD / 'tools' / 'sparse'}",
                    *(path[:-2] + ".o" for path in sources))
    said = log.read_text(encoding="utf-8").splitlines()
    if not sources:
        found.add(group, "files", False, f"none of ours is built in {shown(kernel.out)}")
    for path in sources:
        checked = any(re.match(rf"\s+CHECK\s+\S*{re.escape(path)}$", line) for line in said)
        words = [line for line in said if re.search(rf"{re.escape(path)}:\d+:\d+: ", line)]
        found.add(group, path, checked and not words,
                  words[0] if words else ("" if checked else "was not checked"))


# --- the series as mail ----------------------------------------------------

def small_tree(commit, paths):
    """The tree with some of a commit's files: git am writes the whole index for each mail."""
    with series.scratch_index() as index:
        series.git("update-index", "--index-info",
                   stdin=series.git("ls-tree", "-r", commit, "--", *paths), index=index)
        return series.git("write-tree", index=index).strip()


def check_am(found):
    """git am of a topic onto the base with what it needs gives the same files."""
    group = "git am"
    base, commits = series.tree(quiet=True)
    topics, branches = series.read_topics(), series.branches()
    # The other files cannot differ.
    paths = series.changed_paths(base, commits[-1])
    start = series.commit_tree(small_tree(base, paths), None, "base", 0)
    with ui.Step("git am onto the pristine base", len(branches)) as step, \
            ui.scratch("am") as scratch:
        where = scratch / "tree"
        try:
            for name, branch in branches.items():
                series.worktree(where, start)
                chain = [branches[topic.name] for topic in series.topic_with_needs(topics, name)]
                # Topics that do not need each other may change lines next to each other.
                for options in ((), ("--3way",)):
                    done = series.git("am", "--quiet", *options, cwd=where, check=False,
                                      stdin="".join(map(series.Branch.mails, chain)))
                    words = [line for line in done.stderr.decode(errors="replace").splitlines()
                             if line.startswith("error: ")]
                    if not done.returncode:
                        break
                    series.git("am", "--abort", cwd=where, check=False)
                count = sum(len(other.commits) for other in chain)
                found.add(group, f"{name}: {count} mails apply",
                          not done.returncode, words[0] if words and done.returncode else "")
                last = branch.commits[-1]
                lost = [f"{path} names {other}" for patch in branch.patches
                        for path in patch.whole if path.endswith(".rst")
                        for other in lint.PAGE_NAME.findall(series.blob(last, path))
                        if series.blob(last, other) is None]
                found.add(group, f"{name}: its pages name what is there", not lost,
                          lost[0] if lost else "")
                found.add(group, f"{name}: the files of the series",
                          series.git("rev-parse", "HEAD^{tree}", cwd=where).strip()
                          == small_tree(last, paths))
                step.advance(note=name)
        finally:
            series.git("worktree", "remove", "--force", where, check=False)
            series.git("worktree", "prune")


def refused(words, *args):
    """Whether apply.put() refuses, for the reason that has WORDS in it."""
    try:
        apply.put(*args)
    except Failure as failure:
        return words in str(failure)
    return False


def check_apply(found):
    """make apply makes a branch of a topic in a tree of the user's, or nothing."""
    group = "make apply"
    base, commits = series.tree(quiet=True)
    paths = {"Makefile", *series.changed_paths(base, commits[-1])}
    start = series.commit_tree(small_tree(base, paths), None, "base", 0)
    own = series.branches()[APPLY_TOPIC].commits

    def branch():
        return series.revision(f"{apply.APPLIED}^{{tree}}", where)

    with ui.Step("make apply onto a tree"), ui.scratch("apply") as where:
        series.git("init", "--quiet", cwd=where)
        series.git("update-ref", APPLY_REF, start)
        series.git("fetch", "--quiet", "--depth=1", f"file://{series.TREE}", APPLY_REF, cwd=where)
        series.git("update-ref", "-d", APPLY_REF)
        series.git("checkout", "--quiet", "FETCH_HEAD", cwd=where)
        found.add(group, "no topic of that name", refused("there are", where, ["no-such-topic"]))
        found.add(group, "no configuration to merge into",
                  refused("has no .config", where, [APPLY_TOPIC], True) and not branch())
        (where / "MAINTAINERS").write_text("edited", encoding="utf-8")
        found.add(group, "uncommitted changes", refused("uncommitted", where, [APPLY_TOPIC]))
        series.git("checkout", "--quiet", "MAINTAINERS", cwd=where)
        apply.put(where, [APPLY_TOPIC])
        found.add(group, "the files of the topic", branch() == small_tree(own[-1], paths))
        found.add(group, "the work tree is as before", not series.git(
            "status", "--porcelain", cwd=where).strip()
            and series.git("rev-parse", "HEAD", cwd=where).strip() == start)
        found.add(group, "a branch of that name",
                  refused("has a branch", where, [APPLY_TOPIC]) and bool(branch()))
        series.git("switch", "--quiet", apply.APPLIED, cwd=where)
        ui.ask(["sh", "-c", apply.undo(where)])
        found.add(group, "it is undone", not branch() and series.git(
            "rev-parse", "HEAD", cwd=where).strip() == start)
        makefile = (where / "Makefile").read_text(encoding="utf-8")
        for path, text, words in (
                (APPLY_FILE, "", "1 of 2 topics do not apply"),
                ("Makefile", re.sub(r"^PATCHLEVEL = .*", "PATCHLEVEL = 99", makefile,
                                    flags=re.MULTILINE), "the series is for")):
            series.git("checkout", "--quiet", start, cwd=where)
            (where / path).write_text(text, encoding="utf-8")
            series.git("commit", "--quiet", "-a", "-m", "other", cwd=where,
                       date=f"{series.DATE} +0000")
            found.add(group, f"a base with another {path}",
                      refused(words, where, [APPLY_TOPIC]) and not branch())


def main(args):
    found = results.Results()
    if args not in (["fast"], ["series"]):
        raise Failure("usage: check.py fast|series")
    with found.job("checks"):
        if args == ["fast"]:
            fast(found)
        else:
            series.tree()
            check_am(found)
            check_apply(found)
            check_patches(found)
            steps.check(found)
            steps.check_option_off(found)
    found.close(found.groups)
    return found.finish()


if __name__ == "__main__":
    ui.main(main)
