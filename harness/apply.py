#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Put topics of the series onto a kernel tree of the user's own, as a branch.

    apply.py [TOPIC...]

KSRC is that tree; without a topic, it gets those that are for maintainers. Topics bring those
that they need. The commits are made in build/linux, where nothing of the tree can be left half
done: only if all hunks apply are the new objects unpacked in the tree, and the branch is made
last. The work tree stays as it is, except that with MERGE=yes the options of the topics are
merged into its .config.
"""

import os
import pathlib
import shlex
import shutil
import subprocess

import series
import ui
from ui import BUILD, Failure, shown

APPLIED = "static-key-tracepoints"
FRAGMENT = BUILD / f"{APPLIED}.config"


def fits(version):
    """Whether the series is made for a version, whatever its last number."""
    return version.rpartition(".")[0] == series.BASE["VERSION"]


def troubles(topic, topics, patches, ours, theirs, whole):
    """What of a topic does not fit a base on which the topics that it needs are."""
    chain = series.patches_for(patches, topics, topic.name)
    _, edits = series.assemble(theirs, chain, whole)
    own = [patch for patch in chain if patch.topic == topic.name]
    for _, path, state in series.replaced(ours, theirs, own):
        yield f"{path} is {state}"
    for patch, edit in zip(chain, edits):
        if patch in own and edit.rejected:
            yield f"{patch.folder.name}: {edit}"


def wanted_topics(topics, names):
    """The topics that are asked for, with what they need, in order."""
    known = [topic.name for topic in topics]
    for name in names:
        if name not in known:
            raise Failure(f"TOPICS={name}: there are {' '.join(known)}")
    names = names or [topic.name for topic in topics if topic.state == "maintainer"]
    needed = {topic.name for name in names for topic in series.topic_with_needs(topics, name)}
    return [topic for topic in topics if topic.name in needed]


def fragment(patches):
    """The options that the patches add, but for tests, samples and what others select."""
    return "".join(f"CONFIG_{symbol}=y\n" for symbol, _, prompt in sorted(series.options(patches))
                   if prompt and not {"TEST", "SAMPLE", "BENCHMARK"}.intersection(
                       symbol.split("_")))


def hand_over(where, base, commits):
    """The branch in the user's tree: the same trees, on the commit that is checked out there."""
    objects = series.git("rev-list", "--objects", f"{base}..{commits[-1]}")
    packed = subprocess.run(["git", "pack-objects", "--quiet", "--stdout"], cwd=series.TREE,
                            input=objects.encode(errors="surrogateescape"), capture_output=True,
                            check=True).stdout
    unpacked = subprocess.run(["git", "unpack-objects", "-q"], cwd=where, input=packed,
                              capture_output=True, check=False)
    if unpacked.returncode:
        raise Failure(f"{where}: {unpacked.stderr.decode(errors='replace').strip()}")
    parent = series.git("rev-parse", "HEAD", cwd=where).strip()
    for number, commit in enumerate(commits, 1):
        parent = series.git(
            "commit-tree", f"{commit}^{{tree}}", "-p", parent, cwd=where,
            stdin=series.git("log", "-1", "--format=%B", commit).rstrip() + "\n",
            date=f"{series.DATE + 60 * number} +0000").strip()
    series.git("branch", APPLIED, parent, cwd=where)


def merge(where):
    """The options into the tree's .config; what it was is .config.old, as kconfig has it."""
    config = where / ".config"
    shutil.copy(config, where / ".config.old")
    done = ui.ask(["scripts/kconfig/merge_config.sh", "-m", ".config", FRAGMENT], cwd=where)
    if done.returncode:
        raise Failure(f"merge_config.sh: {(done.stderr or done.stdout).strip().splitlines()[-1]}")


def put(where, names=(), merges=False):
    """Put topics onto a tree, or onto none; returns the topics and the number of patches."""
    patches, topics = series.read_series(), series.read_topics()
    chosen = wanted_topics(topics, names)
    ours, _ = series.tree(quiet=True)
    theirs = series.base_commit(where)
    if series.revision(f"refs/heads/{APPLIED}", where):
        raise Failure(f"{where} has a branch {APPLIED} already; "
                      f"git -C {shlex.quote(str(where))} branch -D {APPLIED} removes it")
    if merges and not (where / ".config").is_file():
        raise Failure(f"{where} has no .config to merge options into")
    version = series.version_of(series.blob(theirs, "Makefile"), where)
    with ui.Step(f"topics on Linux {version}") as step:
        found, whole = {}, series.Whole()
        for topic in chosen:
            found[topic.name] = list(troubles(topic, topics, patches, ours, theirs, whole))
            step.advance(note=topic.name)
    wrong = [name for name, words in found.items() if words]
    if wrong or not fits(version):
        for name, words in found.items():
            ui.say("\n    ".join([f"{name}: {'does not apply' if words else 'applies'}", *words]))
        raise Failure(f"{len(wrong) or 'none'} of {len(found)} topics do not apply to Linux "
                      + version + ("" if fits(version) else
                         f", and the series is for {series.BASE['VERSION']}")
                      + f": nothing was changed in {where}")
    chain = [patch for patch in patches if patch.topic in found]
    commits, _ = series.assemble(theirs, chain, whole)
    FRAGMENT.write_text(fragment(chain), encoding="utf-8")
    hand_over(where, theirs, commits)
    if merges:
        merge(where)
    return list(found), commits


def undo(tree):
    """The commands that leave and remove the branch; git switch would not go back to a tag."""
    return f"git -C {tree} checkout -; git -C {tree} branch -D {APPLIED}"


def main(args):
    given = os.environ.pop("KSRC", "")
    if not given:
        raise Failure("say which kernel tree: make apply KSRC=DIRECTORY")
    merges = os.environ.get("MERGE", "") not in ("", "no")
    names, commits = put(pathlib.Path(given).expanduser().resolve(), args, merges)
    tree = shlex.quote(given)
    print(f"branch {APPLIED} has {len(commits)} patches: {' '.join(names)}\n"
          f"the options of these, but for tests and samples, are in {shown(FRAGMENT)}\n\n"
          f"    git -C {tree} switch {APPLIED}\n"
          f"    make -C {tree} olddefconfig\n"
          f"    make -C {tree} -j{os.cpu_count()}\n\n"
          f"undo: {undo(tree)}" + (f"; mv {tree}/.config.old {tree}/.config" if merges else ""))
    return 0


if __name__ == "__main__":
    ui.main(main)
