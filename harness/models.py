# SPDX-License-Identifier: GPL-2.0-or-later
"""What tries all orders: litmus tests, and the model of tracepoints.

herd7 runs the litmus tests of the series with the memory model of the kernel. Each must have
the result that its comment begins with. And it must have another one as soon as one of its
barriers is gone: then the test shows that the code needs all of them. The model does the same
with its own parts.
"""

import re
import shutil

import kernel as kernels
import ktap
import outcomes
import series
import ui
from ui import BUILD, LOGS, Failure

TESTS = "Documentation/litmus-tests/"
MODEL = "tools/memory-model"
# What tools/memory-model/README asks for.
VERSION = (7, 58)
# As harness/setup unpacks it, with the C library that it was built for.
UNPACKED = BUILD / "tools" / "herd"
PROTOCOL = series.TREE / "tools" / "testing" / "tracepoint"
TIMEOUT = 300
# A barrier, or one of two that belong together, and what is there without it.
WEAKER = ((r"\t+smp_(?:mb|rmb|wmb|mb__before_atomic)\(\);\n", ""),
          (r"\tsynchronize_rcu\(\);\n", ""),
          # With a value of 1, they do the same.
          (r"\batomic_add_unless\(refs, 1, 0\)", "atomic_cmpxchg_relaxed(refs, 1, 2)"),
          (r"\batomic_set_release\(", "atomic_set("),
          (r"\brcu_assign_pointer\(", "WRITE_ONCE("))
BOTH = r"\trcu_read_(?:lock|unlock)\(\);\n"


def version(herd):
    """What a herd7 says that it is."""
    return ui.ask([*herd, "-version"]).stdout.partition(",")[0]


def command():
    """How to call herd7, or None."""
    ways = [["herd7"]] if shutil.which("herd7") else []
    for loader in UNPACKED.glob("ld*.so.*"):
        ways.append([str(loader), "--library-path", str(UNPACKED), str(UNPACKED / "herd7"),
                     "-I", str(UNPACKED / "herd")])
    for herd in ways:
        said = re.match(r"(\d+)\.(\d+)", version(herd))
        if said and tuple(map(int, said.groups())) >= VERSION:
            return herd
    return None


def result(herd, text, work):
    """What herd7 says of a test: Never, Sometimes or Always, and whether there is a data race."""
    path = work / "test.litmus"
    path.write_text(text, encoding="utf-8")
    done = ui.ask([*herd, "-conf", "linux-kernel.cfg", str(path)], cwd=series.TREE / MODEL)
    word = re.search(r"^Observation \S+ (\w+)", done.stdout, re.MULTILINE)
    if done.returncode or not word:
        raise Failure(f"herd7: {(done.stderr or done.stdout).strip()[-200:]}")
    return word[1] + (" with a data race" if "\nFlag data-race" in done.stdout else "")


def weaker(text):
    """The name and the text of each test that lacks one barrier of a test."""
    head, end, body = text.partition("*)\n")
    for pattern, instead in WEAKER:
        for match in re.finditer(pattern, body):
            line = body[:match.start()].count("\n") + (head + end).count("\n") + 1
            yield (f"{match[0].strip().rstrip('(;')} in line {line}",
                   head + end + body[:match.start()] + instead + body[match.end():])
    if re.search(BOTH, body):
        yield "rcu_read_lock()", head + end + re.sub(BOTH, "", body)


def check_litmus(found):
    """Each test has the result that it says, and needs each of its barriers."""
    group = "litmus tests"
    tests = [path for path in series.overlay_files()
             if path.startswith(TESTS) and path.endswith(".litmus")]
    herd = command()
    if not herd:
        found.add(group, "herd7", None, f"there is none of at least {VERSION[0]}.{VERSION[1]}")
        return

    def run(found):
        with ui.scratch("litmus") as work:
            for path in tests:
                text = (series.TREE / path).read_text(encoding="utf-8")
                wanted = re.search(r"\* Result: (\w+)\n", text)[1]
                name = path.removeprefix(TESTS)
                said = result(herd, text, work)
                found.add(group, name, said == wanted, f"{said}, not {wanted}")
                for what, changed in weaker(text):
                    said = result(herd, changed, work)
                    found.add(group, f"{name} needs {what}", said.startswith("Sometimes"), said)

    with ui.Step("litmus tests"):
        outcomes.again(found, outcomes.place(
            outcomes.code(__file__), *((series.TREE / path).read_text(encoding="utf-8")
                                       for path in tests),
            series.git("rev-parse", f"HEAD:{MODEL}"), version(herd)), run)


def check_protocol(found):
    """In no order of its steps does the protocol of tracepoints go wrong."""
    group = "model of tracepoints"

    def run(found):
        with ui.Step(group) as step, ui.scratch("tracepoint") as work:
            ui.must(["make", "-C", PROTOCOL, f"OUTPUT={work}"], ui.fresh_log("tracepoint-build"),
                    "building the model of tracepoints", env=kernels.environment())
            ktap.run(found, group, [work / "tracepoint_model"], LOGS / "tracepoint-model.log", step,
                     timeout=TIMEOUT)

    outcomes.again(found, outcomes.place(
        outcomes.code(__file__, ktap.__file__),
        series.git("rev-parse", f"HEAD:{PROTOCOL.relative_to(series.TREE)}")), run)


def check(found):
    """Both."""
    check_litmus(found)
    check_protocol(found)
