# SPDX-License-Identifier: GPL-2.0-or-later
"""Every step of the series builds, and a topic whose option is off changes nothing.

Nothing is run: a step that was built from the same sources is not built again, see
outcomes.py.
"""

import os
import re
import subprocess
import time

import kernel as kernels
import lint
import outcomes
import series
import ui
from arch import BY_DIRECTORY
from ui import BUILD, LOGS, Failure, shown

STEP_TREE = BUILD / "step"


# With Rust: what `prepare` takes with it is half a minute, so only what Rust code can notice is
# built in this one.
WITH_RUST = "x86-rust"
# parisc has the code but does not offer the option: its select lines are comments in the base.
FLAGS = {"parisc": "-DCONFIG_JUMP_LABEL=1 -DCONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE=1"}
# Also built where static branches are.
EXTRA = {"powerpc": ("arch/powerpc/platforms/pseries/hvCall.o",)}
STEP_RUST = re.compile(r"rust/|scripts/|Makefile$|init/Kconfig|samples/rust/|.*\.rs$|"
                       r"lib/test_rust_|include/linux/(?:jump_label|tracepoint|marker)\.h$|"
                       r"include/trace/|kernel/trace/static_key_benchmark")
# What is not only built for x86: it has parts for architectures that have no kernel of
# their own here, or needs debug information, which would slow all steps of x86 down.
ELSEWHERE = {"kernel/trace/trace_func_event.c": ("x86", "powerpc", "s390"),
             "kernel/trace/func_event_probe.c": ("x86", "powerpc", "s390"),
             "kernel/trace/func_event_btf.c": ("s390",),
             "kernel/bpf/btf.c": ("s390",),
             # 32 bit, and the big end first.
             **{f"kernel/{name}.c": ("x86", "arm", "s390")
                for name in ("marker", "trace/event_def", "trace/event_fetch", "trace/marker_parse",
                             "trace/ring_buffer", "trace/trace_marker_event")}}
# Objects that place many static branches, or patch them.
BRANCHY = ("kernel/jump_label.o", "kernel/sched/core.o", "kernel/printk/printk.o")


class StepBuilder:
    """Builds objects of one step of the series, per architecture."""

    def __init__(self, directory):
        self.directory = directory
        self.arch = BY_DIRECTORY[directory.removesuffix("-rust")]
        self.flags = FLAGS.get(directory, "")
        self.out = BUILD / "obj" / f"step-{directory}"
        self.log = LOGS / f"step-{directory}.log"

    def make(self, *targets):
        arch = self.arch
        return [*kernels.NICE, "make", "-C", STEP_TREE, f"O={self.out}", f"ARCH={arch.kbuild}",
                *kernels.tools(arch.cross, arch.cross is None), *kernels.RUST_TOOLS,
                "LOCALVERSION=", f"KCFLAGS={self.flags}", f"-j{os.cpu_count() + 1}", *targets]

    def fragment(self):
        """What the configuration must contain, as text."""
        # Neither value is one for all: m is none for a bool.
        series_options = "".join(f"CONFIG_{symbol}={'m' if kind == 'tristate' else 'y'}\n"
                                 for symbol, kind, _ in series.options(series.read_series()))
        # On allnoconfig, what brings jump labels: "step-x86-rust" and all that it begins with.
        words = f"step-{self.directory}".split("-")
        names = ["-".join(words[:count]) for count in range(1, len(words) + 1)]
        return "".join(kernels.fragments(
            name for name in names if (kernels.FRAGMENTS / f"{name}.config").exists())) \
            + series_options

    def build(self, objects, options):
        """Returns None, or the line that says what went wrong.

        OPTIONS tells the Kconfig files of this step from those of another.
        """
        self.log.write_text("", encoding="utf-8")
        self.out.mkdir(parents=True, exist_ok=True)
        wanted = self.out / ".fragment"
        fragment = self.fragment()
        wanted.write_text(fragment, encoding="utf-8")
        commands = [["prepare", *objects]]
        # What the last configuration was made of.
        stamp = self.out / ".options"
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != fragment + options:
            commands.insert(0, [f"KCONFIG_ALLCONFIG={wanted}", "allnoconfig"])
        stamp.write_text(fragment + options, encoding="utf-8")
        for targets in commands:
            if ui.run(self.make(*targets), self.log, env=kernels.environment()):
                stamp.unlink()
                return f"{ui.last_error(self.log)} (log: {shown(self.log)})"
        config = (self.out / ".config").read_text(encoding="utf-8")
        if "CONFIG_JUMP_LABEL=" not in config + self.flags:
            return "the configuration has no jump labels"
        if "CONFIG_RUST=y" in fragment and "CONFIG_RUST=y" not in config:
            return "the configuration has no Rust"
        return None


def step_objects(commit):
    """What to build after a commit: objects by directory of arch/, or one with Rust."""
    wanted = {}
    for path, status in series.changed_paths(f"{commit}^", commit).items():
        if status == "D":
            continue
        match = re.match(r"arch/(\w+)/", path)
        directory = match.group(1) if match else WITH_RUST if STEP_RUST.match(path) else "x86"
        if re.match(r"scripts/[^/]*\.c$", path):
            # A program of the host.
            wanted.setdefault("x86", set()).add("scripts")
            continue
        if directory not in (*BY_DIRECTORY, WITH_RUST):
            continue
        objects = wanted.setdefault(directory, set())
        if path.endswith("asm/jump_label.h") or path == "include/linux/jump_label.h":
            objects |= {*BRANCHY, *EXTRA.get(directory, ())}
            source = f"arch/{match.group(1) if match else 'x86'}/kernel/jump_label.c"
            if series.blob(commit, source) is not None:
                objects.add(source[:-2] + ".o")
        elif path.startswith("tools/") or path.startswith("Documentation/"):
            continue
        elif (path.endswith((".c", ".rs", ".S"))
              # What is part of `prepare` has been built.
              and not path.startswith(("kernel/static_branch_asm", "rust/"))):
            for place in ELSEWHERE.get(path, (directory,)):
                wanted.setdefault(place, set()).add(series.object_of(commit, path))
        else:
            objects.add("kernel/jump_label.o")
    return {directory: sorted(objects) for directory, objects in wanted.items() if objects}


def check(found):
    """Every commit of a topic builds, on the base with what the topic needs: what it touches."""
    group = "every step builds"
    commits = [step for branch in series.branches().values()
               for step in zip(branch.patches, branch.commits)]
    kconfigs = sorted({path for patch, _ in commits for path in patch.edited()
                       if "Kconfig" in path})

    def build(found, name, commit, builder, objects):
        began = time.monotonic()
        series.worktree(STEP_TREE, commit)
        # Steps of one topic may have other Kconfig files than those of the next.
        trouble = builder.build(objects, series.git("ls-tree", commit, "--", *kconfigs))
        found.add(group, name, trouble is None, trouble or f"{len(objects)} objects",
                  time.monotonic() - began)

    with ui.Step("build every step of the series", len(commits)) as step:
        for patch, commit in commits:
            step.note = patch.name
            wanted = step_objects(commit)
            if not wanted:
                found.add(group, patch.name, None, "nothing to compile, or no compiler")
            sources = series.sources(commit, lint.NOT_COMPILED)
            for directory, objects in wanted.items():
                builder = StepBuilder(directory)
                name = f"{patch.name} ({directory})"
                where = outcomes.place(outcomes.code(__file__, *kernels.SOURCES), sources,
                                       directory, objects, builder.fragment())
                outcomes.again(found, where, lambda found: build(
                    found, name, commit, builder, objects))
            step.advance()


# --- an option that is off -------------------------------------------------

# Without its option, a topic must not change what it makes traceable: all Rust code.
OFF_TOPIC = "rust-ftrace"
OFF_OPTION = "CONFIG_RUST_FTRACE"
# rustc moves a function behind others if it has an attribute of ours, even one that does
# nothing. 1.85 does, 1.96 does not; none between was tried.
MOVES_BEFORE = (1, 96)
OFF_TARGETS = ("rust/", "samples/rust/", "lib/test_rust_tracepoint.o")


class OptionOff(StepBuilder):
    """Builds the Rust objects of a step without the option."""

    def __init__(self):
        super().__init__(WITH_RUST)
        self.out = BUILD / "obj" / "option-off"
        self.log = LOGS / "option-off.log"

    def fragment(self):
        wanted = f"{OFF_OPTION}=y\n"
        text = super().fragment()
        if wanted not in text:
            raise Failure(f"{OFF_OPTION} is no option of the series")
        return text.replace(wanted, f"# {OFF_OPTION} is not set\n")

    def objects(self):
        """What was built of the targets, by path."""
        return {path.relative_to(self.out): path.read_bytes()
                for target in OFF_TARGETS
                for path in ([self.out / target] if target.endswith(".o")
                             else (self.out / target).rglob("*.o"))}


def symbols(content):
    """Size, type and name of what an object defines, without the numbers of __UNIQUE_ID()."""
    said = subprocess.run([f"llvm-nm{kernels.LLVM}", "-S", "--defined-only", "-"], input=content,
                          capture_output=True, check=True).stdout.decode()
    return sorted(re.sub(r"_\d+$", "", line.partition(" ")[2]) for line in said.splitlines())


def compare_objects(found, group, name, one, two):
    """An object must be the same as before, but for what an older rustc makes of `#[notrace]`."""
    if one is None or two is None or one == two:
        found.add(group, name, one == two, "" if one == two else "missing")
    elif kernels.rustc_version() < MOVES_BEFORE and symbols(one) == symbols(two):
        found.add(group, name, None, "the same functions in another order")
    else:
        found.add(group, name, False, f"{len(one)} and {len(two)} bytes, not the same")


def check_option_off(found):
    """The objects of the last step of a topic are those of the step before the topic."""
    group = f"without {OFF_OPTION}"
    branch = series.branches()[OFF_TOPIC]
    steps = (branch.before, branch.commits[-1])
    builder = OptionOff()

    def compare(found):
        built = []
        for commit in steps:
            series.worktree(STEP_TREE, commit)
            trouble = builder.build(OFF_TARGETS, commit)
            if trouble:
                found.add(group, "objects", False, trouble)
                return
            built.append(builder.objects())
        for path in sorted(built[0].keys() | built[1].keys()):
            compare_objects(found, group, str(path), *(objects.get(path) for objects in built))
        if not built[0]:
            found.add(group, "objects", False, "there are none")

    with ui.Step(f"build Rust objects {group}"):
        outcomes.again(
            found, outcomes.place(outcomes.code(__file__, *kernels.SOURCES),
                                  *(series.sources(commit, lint.NOT_COMPILED)
                                    for commit in steps), builder.fragment()),
            compare)
