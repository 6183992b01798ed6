# SPDX-License-Identifier: GPL-2.0-or-later
"""The walks of the overview page, and the page about tools, typed as they are printed there.

The files of a walk are taken from the page and compiled beside the kernel, the commands after
"#" run in a guest, and what they print is compared with the lines below them. One thing is not
as on the page: the Rust sample is compiled as a module of its own, not as one of the tree, so
the lines for Kconfig and the commands that build the kernel again are not tried.
"""

import dataclasses
import re
import shutil
import textwrap

import debroot
import guest
import ui
from ui import BUILD, ROOT, Failure

PAGES = ROOT / "Documentation" / "trace"
OVERVIEW = PAGES / "static-key-tracepoints.rst"
CHAPTER = "Five-minute walks"
TOOLS = PAGES / "static-key-tracepoints-tools.rst"
WORK = BUILD / "walks"
GROUP = "walks of the overview page"
# Programs of the host that the walks call.
PROGRAMS = ("c++filt", "trace-cmd")

# Names of files in the text before a block, the last of which the block is.
FILE = re.compile(r"(?:^|[\s/])([\w-]+\.(?:c|h|rs)|Makefile|Kconfig)\b")
# How a command says that the next one has begun, and how the last one has ended.
MARK = re.compile(r"@walk (\d+) (\d+)$")
# What differs from run to run, in an escaped line: task, CPU, flags and time; how long a file
# is; the tag of a request; durations; the CPU in a function graph; what the page leaves out.
VARIES = ((r"^(\w+\\-)\d+\\ \\\[\d+\\\]\\ \S+\\ \d+\\\.\d+:",
           r"\1\\d+ \\[\\d+\\] \\S+ \\d+\\.\\d+:"),
          (r"ret=\d+", r"ret=\\d+"),
          (r"tag=\d+", r"tag=\\d+"),
          (r"\d+\\ ns", r"\\d+ ns"),
          (r"(?:\\?[+!#*@$]\\ )?\d+\\\.\d+\\ us", r"(?:[+!#*@$] )?\\d+\\.\\d+ us"),
          (r"^\d+\\\)\\ ", r"\\d+\\) "),
          # Of perf: task, CPU and time; how often; the time in front of the task.
          (r"^(\w+)\\ \d+\\ \\\[\d+\\\]\\ \d+\\\.\d+:", r"\1 \\d+ \\[\\d+\\] \\d+\\.\\d+:"),
          (r"^\d+\\ (\w+:\w+)$", r"\\d+ \1"),
          (r"^\d+\\\.\d+\\ (\w+)/\d+\\ ", r"\\d+\\.\\d+ \1/\\d+ "),
          (r"^\\\.\\\.\\\.\\ ", ".* "))


@dataclasses.dataclass
class Command:
    """A command of the guest, and the lines that it prints on the page."""

    walk: str
    text: str
    lines: list


def sections(page, chapter):
    """The sections of a chapter: {title: its lines}; without one, the chapters themselves."""
    lines = page.read_text(encoding="utf-8").splitlines()
    rules = {number for number, line in enumerate(lines) if re.match(r"([=-])\1{3,}$", line)}
    walks, inside, title = {}, not chapter, None
    for number, line in enumerate(lines):
        if number + 1 in rules and line:
            if chapter and lines[number + 1][0] == "=":
                inside, title = line == chapter, None
            else:
                title = line
        elif inside and title and number not in rules:
            walks.setdefault(title, []).append(line)
    if not walks:
        raise Failure(f"{page.name}: no walks" + (f" below \"{chapter}\"" if chapter else ""))
    return walks


def blocks(lines):
    """The literal blocks of a section: (the text before, the block)."""
    text, block = [], []
    for line in [*lines, "end"]:
        if line.startswith(" ") or (not line and block):
            block.append(line)
            continue
        if block:
            yield " ".join(text), textwrap.dedent("\n".join(block)).strip("\n") + "\n"
            text, block = [], []
        text.append(line)


def read(page=OVERVIEW, chapter=CHAPTER):
    """What a page says: {walk: {file: its text}}, and the commands."""
    files, commands = {}, []
    for walk, lines in sections(page, chapter).items():
        files[walk] = {}
        for before, block in blocks(lines):
            if not block.startswith(("# ", "$ ")):
                files[walk][FILE.findall(before)[-1]] = block
                continue
            for line in block.splitlines():
                if line.startswith("# "):
                    commands.append(Command(walk, line[2:], []))
                elif not line.startswith("$ "):
                    commands[-1].lines.append(line)
    return files, commands


def compile_modules(kernel, walk, files):
    """Compile the files of a walk; returns the modules."""
    name = re.sub(r"\W+", "-", walk)
    return kernel.external(WORK / name, {
        file: re.sub(r"\$\(CONFIG_\w+\)", "m", text) if file == "Makefile" else text
        for file, text in files.items()}, f"walks-{name}")


def pattern(line):
    """A line of the page as a regular expression: numbers that differ are any numbers."""
    text = re.escape(" ".join(line.split()))
    for varying, any_such in VARIES:
        text = re.sub(varying, any_such, text)
    return re.compile(text + "$")


def script(commands):
    """The commands for the guest's shell, each between two marks."""
    lines = ["cd /sys/kernel/tracing"]
    for number, command in enumerate(commands):
        text = re.sub(r"(?:<the directory>|~/linux/samples/rust)/", "/job/", command.text)
        lines += [text, f"echo @walk {number} $?"]
    return "\n".join(lines) + "\n"


def judge(found, group, commands, lines):
    """Compare what the commands printed with the page."""
    printed, number = [], -1
    for line in lines:
        mark = MARK.match(line)
        if not mark:
            printed.append(" ".join(line.split()))
            continue
        number = int(mark.group(1))
        command = commands[number]
        wanted = [pattern(text) for text in command.lines]
        trouble = ""
        if mark.group(2) != "0":
            trouble = f"status {mark.group(2)}"
        elif len(printed) != len(wanted) or not all(
                one.match(text) for one, text in zip(wanted, printed)):
            trouble = f"printed {printed} instead of {command.lines}"
        found.add(group, f"{command.walk}: {command.text}", not trouble, trouble)
        printed = []
    if not commands:
        found.add(group, "commands", False, "the page has none")
    elif number + 1 != len(commands):
        found.add(group, f"{commands[number + 1].walk}: {commands[number + 1].text}", False,
                  "it did not end")


def run(found, kernel, only=None):
    """Try all walks, or one of those that need no module, in one guest."""
    group = f"{GROUP} on {kernel.name}"
    with ui.Step(group):
        files, commands = read()
        if only:
            files, commands = {}, [command for command in commands if command.walk == only]
        shutil.rmtree(WORK, ignore_errors=True)
        modules = [module for walk, texts in files.items() if texts
                   for module in compile_modules(kernel, walk, texts)]
        # A shell of its own, which is called "sh" as on the page.
        result = guest.boot(kernel, "sh /job/walk 2> /dev/console\n", f"walks-{kernel.name}",
                            files={"walk": script(commands),
                                   **{module.name: module for module in modules}},
                            programs=PROGRAMS, timeout=240)
    judge(found, group, commands, result.lines)
    trouble = result.trouble()
    if trouble:
        found.add(group, "the guest", False, trouble)


def tools(found):
    """Type the page about tools in a Debian system with our packages, see debroot.py."""
    group = "the tools you know"
    with ui.Step(group):
        _, commands = read(TOOLS, None)
        result = debroot.run("ours", f"(\n{script(commands)}) 2> /dev/console\n", "tools")
    judge(found, group, commands, result.lines)
    trouble = result.trouble()
    if trouble:
        found.add(group, "the guest", False, trouble)
