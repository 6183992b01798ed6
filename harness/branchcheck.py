# SPDX-License-Identifier: GPL-2.0-or-later
"""Prove that the shared static-branch text changes nothing for C.

Two kernel source trees are compared: the base, and ours with the series applied. For
each architecture, word size, byte order and compiler, branchcheck/branches.c is
compiled with the headers of either tree, and the object files have to be the
same. Then the text of a site has to be the same in its three forms (C,
assembler macro, Rust), and the macro has to assemble to the same site and
table entry. Architectures without a packaged compiler are compared after
preprocessing.

No kernel is configured for this: the few headers that the build generates are
made up by headers(), and what .config would say is in branchcheck/variants. Last, our headers are
changed in ways that must not pass, and each has to be noticed.
"""

import concurrent.futures
import configparser
import dataclasses
import json
import os
import pathlib
import re
import struct

import ui
from arch import BY_DIRECTORY

SOURCES = pathlib.Path(__file__).resolve().parent / "branchcheck"
FUNCTIONS = ("arch_static_branch", "arch_static_branch_jump")
MACROS = ("STATIC_BRANCH", "STATIC_BRANCH_JUMP")
CLANG = "clang-19"
READOBJ = "llvm-readobj-19"
EM_MIPS, EM_PARISC, EM_ARM = 8, 15, 40

# What the kernel's Makefile gives every compiler, as far as it can matter here.
COMMON_FLAGS = """
    -nostdinc -std=gnu11 -O2 -fno-strict-aliasing -fno-common -fshort-wchar
    -funsigned-char -fno-PIE -fno-stack-protector -fno-asynchronous-unwind-tables
    -fno-delete-null-pointer-checks -Wall -Werror -D__KERNEL__
""".split()

RELATIVE = "HAVE_ARCH_JUMP_LABEL_RELATIVE"


class CheckError(Exception):
    """A variant does not pass; the message says why."""


class ToolError(CheckError):
    """A tool did not accept its input."""


@dataclasses.dataclass(frozen=True)
class Variant:
    """One way to build for an architecture.

    arch    the folder under arch/
    gcc     the prefix of GCC's name, "" if there is none, None if the host's
            preprocessor has to do
    config  the CONFIG_ symbols that are set
    clang   the target for clang, "" if the kernel is not built with it
    nop     how many bytes of the no-op do not depend on where the site jumps to
    """
    arch: str
    name: str
    gcc: str | None
    flags: str
    config: str
    clang: str = ""
    nop: int = 4


def variants():
    """Every variant, as branchcheck/variants describes them."""
    families = configparser.ConfigParser(delimiters="=", interpolation=None)
    families.optionxform = str
    families.read(SOURCES / "variants", encoding="utf-8")
    for section in families.sections():
        arch, family = section.partition(" ")[0], dict(families[section])
        clang, flags, config = (family.pop(word, "") for word in ("clang", "flags", "config"))
        gcc = family.pop("gcc", None) or BY_DIRECTORY[arch].cross or ""
        for name, words in family.items():
            more, symbols, nop = (*words.split("|"), "", "")[:3]
            yield Variant(arch, name, None if gcc == "cpp" else gcc, f"{flags} {more}",
                          f"{config} {symbols}", clang, int(nop or 4))


# --- running the tools -----------------------------------------------------

@dataclasses.dataclass
class Tree:
    """A kernel source tree, perhaps with a folder whose files come first."""
    root: pathlib.Path
    generated: pathlib.Path
    first: pathlib.Path | None = None

    def path(self, name):
        """Where a file is."""
        changed = self.first / name if self.first else None
        return changed if changed and changed.exists() else self.root / name

    def include_flags(self, arch):
        """The order of LINUXINCLUDE in the kernel's Makefile."""
        made = self.generated / arch
        folders = [f"arch/{arch}/include", made / "arch", "include", made / "include",
                   f"arch/{arch}/include/uapi", made / "arch/uapi", "include/uapi"]
        if self.first:
            folders[:0] = [self.first / f"arch/{arch}/include", self.first / "include"]
        return [f"-I{f}" for f in folders] + \
            ["-include", "include/linux/compiler-version.h"] + \
            ["-include", "include/linux/kconfig.h"]


def kbuild_list(path, variable):
    """The headers that a Kbuild file of asm headers adds to a variable."""
    if not path.exists():
        return []
    text = path.read_text().replace("\\\n", " ")
    return " ".join(re.findall(rf"^{variable}\s*\+?=\s*(.*)$", text, re.M)).split()


def headers(tree, arch):
    """Write what scripts/Makefile.asm-headers and `make prepare` would.

    That is a wrapper for each asm header that the architecture takes from
    asm-generic, and empty files in the place of include/generated.
    """
    made = tree.generated / arch
    for folder, include in (("arch", "include"), ("arch/uapi", "include/uapi")):
        own = tree.root / "arch" / arch / include / "asm"
        names = kbuild_list(own / "Kbuild", "generic-y")
        names += [n for n in kbuild_list(tree.root / include / "asm-generic/Kbuild",
                                         "mandatory-y") if not (own / n).exists()]
        (made / folder / "asm").mkdir(parents=True)
        for name in names:
            wrapper = made / folder / "asm" / name
            wrapper.parent.mkdir(exist_ok=True)
            wrapper.write_text(f"#include <asm-generic/{name}>\n")
    (made / "include/generated").mkdir(parents=True)
    for name in ("autoconf.h", "bounds.h", "asm-offsets.h", "timeconst.h"):
        (made / "include/generated" / name).touch()


def run(command, cwd):
    """Run a tool, give its standard output, raise CheckError with its errors."""
    try:
        done = ui.ask([str(c) for c in command], cwd=cwd)
    except FileNotFoundError:
        raise ToolError(f"{command[0]} is not installed") from None
    if done.returncode:
        lines = [l for l in done.stderr.splitlines() if "rror" in l] or \
            done.stderr.splitlines() or ["no message"]
        raise ToolError(f"{pathlib.Path(str(command[0])).name}: {lines[0]}")
    return done.stdout


@dataclasses.dataclass
class Job:
    """A variant with one compiler, and the folder for its files."""
    variant: Variant
    kind: str
    work: pathlib.Path

    @property
    def compiler(self):
        """The command for it; the host's is as good as any at preprocessing."""
        if self.kind == "clang":
            return [CLANG, f"--target={self.variant.clang}", "-Wno-unused-command-line-argument"]
        return [(self.variant.gcc or "") + "gcc"]

    def flags(self, tree):
        """Everything between the compiler's name and the file's."""
        variant = self.variant
        config = ["JUMP_LABEL", "CC_IS_CLANG" if self.kind == "clang" else "CC_IS_GCC",
                  *variant.config.split()]
        if variant.gcc is None:
            flags = ["-undef", "-D__GNUC__=12", "-D__GNUC_MINOR__=2", "-D__GNUC_PATCHLEVEL__=0",
                     "-D__SIZEOF_POINTER__=4", "-D__SIZEOF_LONG__=4", "-D__CHAR_BIT__=8",
                     "-D__linux__", "-nostdinc", "-D__KERNEL__"]
        else:
            flags = list(COMMON_FLAGS)
        return (flags + variant.flags.split() + [f"-DCONFIG_{c}=1" for c in config] +
                tree.include_flags(variant.arch))

    def preprocess(self, tree, source, name):
        """Preprocess for a tree, keep the comments, and give the path."""
        result = self.work / name
        run(self.compiler + self.flags(tree) +
            ["-include", "include/linux/compiler_types.h", "-E", "-C", source, "-o", result],
            tree.root)
        return result

    def compile(self, tree, source, name):
        """Compile or assemble to an object file, and give its path."""
        result = self.work / name
        flags = self.flags(tree)
        if str(source).endswith(".S"):
            flags += ["-D__ASSEMBLER__", "-D__ASSEMBLY__", f"-I{self.work / 'include'}"]
        elif not str(source).endswith(".i"):
            flags += ["-include", "include/linux/compiler_types.h"]
        run(self.compiler + flags + ["-c", source, "-o", result], tree.root)
        return result


# --- object files ----------------------------------------------------------

class Object:
    """A relocatable ELF file, as llvm-readobj describes it."""

    def __init__(self, path):
        self.data = path.read_bytes()
        shown, = json.loads(run([READOBJ, "--elf-output-style=JSON", "--file-header", "--sections",
                                 "--symbols", "--relocations", path], None))
        self.machine = shown["ElfHeader"]["Machine"]["Value"]
        self.order = "<" if self.data[5] == 1 else ">"
        self.sections = [entry["Section"] for entry in shown["Sections"]]
        self.names = [section["Name"]["Name"] for section in self.sections]
        self.symbols = [entry["Symbol"] for entry in shown["Symbols"]]
        # By the section that they are for.
        self.tables = {self.sections[table["SectionIndex"]]["Info"]:
                       [entry["Relocation"] for entry in table["Relocs"]]
                       for table in shown["Relocations"]}

    def section(self, name):
        """The first section of a name."""
        return self.sections[self.names.index(name)]

    def content(self, section):
        """The bytes of a section."""
        return b"" if section["Type"]["Name"] == "SHT_NOBITS" else \
            self.data[section["Offset"]:section["Offset"] + section["Size"]]

    def relocations(self, section):
        """(offset, type, (symbol, section, value), addend) for a section, in order.

        A local symbol is what it stands for, section and value: numeric labels
        have other names here and there in the files of some architectures.
        """
        found = []
        for entry in self.tables.get(section["Index"], ()):
            symbol = self.symbols[entry["Symbol"]["Value"]]
            found.append((entry["Offset"], entry["Type"]["Value"],
                          (symbol["Name"]["Name"] if symbol["Binding"]["Value"] else None,
                           symbol["Section"]["Name"], symbol["Value"]), entry.get("Addend")))
        return found

    def allocated(self):
        """Name, type and flags, alignment, content and relocations of what gets loaded."""
        return [(name, (section["Type"]["Value"], section["Flags"]["Value"]),
                 section["AddressAlignment"], self.content(section), self.relocations(section))
                for name, section in zip(self.names, self.sections)
                if section["Flags"]["Value"] & 2]


def compare_objects(base, ours):
    """Compare two object files; say in words how equal they are."""
    if base.read_bytes() == ours.read_bytes():
        return "objects identical"
    one, two = Object(base).allocated(), Object(ours).allocated()
    if [s[0] for s in one] != [s[0] for s in two]:
        raise CheckError("the object files have different sections")
    for a, b in zip(one, two):
        for what, x, y in zip(("name", "type and flags", "alignment"), a, b):
            if x != y:
                raise CheckError(f"{a[0]}: {what} {x} became {y}")
        if a[3] != b[3]:
            offset = next((i for i, (x, y) in enumerate(zip(a[3], b[3])) if x != y),
                          min(len(a[3]), len(b[3])))
            raise CheckError(f"{a[0]}: content differs at {offset:#x} "
                             f"({len(a[3])} and {len(b[3])} bytes)")
        if a[4] != b[4]:
            offset = next((x[0] for x, y in zip(a[4], b[4]) if x != y), None)
            raise CheckError(f"{a[0]}: relocations differ" +
                             (f" at {offset:#x}" if offset is not None else " in number"))
    return "code, table, relocations identical"


def sites(path, config):
    """The table of an object file as {(key, branch): (site bytes, entry shape)}.

    The shape is all that does not depend on where in the file a site is: size
    and alignment of the entry, and the relocation types of its fields.
    """
    obj = Object(path)
    section = obj.section("__jump_table")
    table, align = obj.content(section), section["AddressAlignment"]
    relocations = obj.relocations(section)
    size = len(table) // 4
    relative = RELATIVE in config.split()
    key_at = 8 if relative else size // 3 * 2
    found = {}
    for start in range(0, len(table), size):
        entry = [r for r in relocations if start <= r[0] < start + size]
        shape = (size, align, [(r[0] - start, r[1]) for r in entry])

        def target(field):
            """Symbol and addend of the first relocation of a field."""
            offset, _, symbol, addend = next(r for r in entry if r[0] == start + field)
            if addend is None:
                wide = "q" if field == key_at and size - key_at == 8 else "i"
                addend, = struct.unpack_from(obj.order + wide, table, offset)
            # PA-RISC counts PC-relative addresses from two instructions on.
            return symbol, addend - (8 if obj.machine == EM_PARISC else 0)

        (_, section, value), addend = target(0)
        offset = value + addend
        if obj.machine in (EM_ARM, EM_MIPS):
            offset &= ~1  # the bit for the instruction set
        code = obj.content(obj.section(section))
        (key, _, _), addend = target(key_at)
        found[key, addend] = code[offset:offset + 8], shape
    return found


# --- text ------------------------------------------------------------------

LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPES = {"n": "\n", "t": "\t"}


def unquote(text):
    """Join the string literals in a piece of C."""
    return re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), "".join(LITERAL.findall(text)))


def asm_goto(path, function):
    """The template of a function's asm goto in preprocessed C, as (raw, named).

    Raw is as the compiler gets it, named has key, branch and label in the place
    of the operands, so that texts with different operands can be compared.
    """
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.M)
    start = re.search(rf"\b{function}\([^)]*\)\s*\{{[^}}]*?\basm goto\s*\(", text)
    if not start:
        raise CheckError(f"no asm goto in {function}()")
    parts, depth = [""], 1
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[:()]|[^":()]+', text[start.end():]):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if not depth:
            break
        if token[0] == ":":
            parts.append("")
        else:
            parts[-1] += token[0]
    template, label = unquote(parts[0]), parts[4].strip()
    values = re.findall(r'"[^"]*"\s*\((.*?)\)\s*(?:,|$)', " ".join(parts[2].split()))
    values = [v.replace("&((char *)key)[branch]", "key + branch") for v in values]
    text = template.replace(f"%l[{label}]", "label")
    return template, re.sub(r"%c?(\d)", lambda m: values[int(m[1])], text)


def instructions(text):
    """A site as a list of instructions, free of layout and of label names.

    A numeric label becomes a bare colon, and a reference to one the place of
    that colon in the list.
    """
    text = re.sub(r"^\s*(\d+):", r"\1:\n", text, flags=re.M)
    lines = [re.sub(r"\s*([-+,])\s*", r"\1", " ".join(l.split())) for l in text.split("\n")]
    lines = [l for l in lines if l]

    def resolve(at, match):
        places = [i for i, l in enumerate(lines) if l == match[1] + ":"]
        return "@%d" % (max(p for p in places if p < at) if match[2] == "b"
                        else min(p for p in places if p > at))

    return [":" if re.fullmatch(r"\d+:", line) else
            re.sub(r"(?<![\w.])(\d+)([bf])\b", lambda m, at=at: resolve(at, m), line)
            for at, line in enumerate(lines)]


def compare_texts(base, ours):
    """Compare a site's named text in the two trees instruction by instruction."""
    one, two = instructions(base), instructions(ours)
    for a, b in zip(one, two):
        if a != b:
            raise CheckError(f"'{a}' became '{b}'")
    if len(one) != len(two):
        raise CheckError(f"{len(one)} instructions became {len(two)}")


# --- the checks ------------------------------------------------------------

def check_forms(job, ours, preprocessed):
    """The text of a site is the same in C, in the assembler macros and in Rust.

    The macros are made as the rule in Kbuild makes them.
    """
    named = [asm_goto(preprocessed, f)[1].strip() for f in FUNCTIONS]
    if re.search(r"[%{}]", "".join(named)):
        raise CheckError("the text contains %, { or }")

    source = job.preprocess(ours, ours.path("kernel/static_branch_asm.c"), "static_branch_asm.i")
    macros = run(["sed", "-E", "-f", ours.path("scripts/static_branch_asm.sed"), source], ours.root)
    folder = job.work / "include/generated"
    folder.mkdir(parents=True)
    (folder / "static_branch_asm.h").write_text(macros)
    found = dict(re.findall(r"^\s*\.macro (\w+) key:req, label:req, branch=0\n(.*?)^\s*\.endm$",
                            macros, re.M | re.S))
    if set(found) != set(MACROS):
        raise CheckError(f"assembler macros: {' '.join(found) or 'none'}")
    for name, text in zip(MACROS, named):
        body = re.sub(r"\\(key|branch|label)\b", r"\1", found[name]).strip()
        if body != text:
            raise CheckError(f"the text of {name} is not that of C")
        labels = re.findall(r"(?<![\w.])(\d+)(?::|[bf]\b)", body)
        if not labels or any(len(l) < 3 or not set(l) - set("01") for l in labels):
            raise CheckError(f"labels that assembly or Rust may trip over: {' '.join(labels)}")

    # What stands below the mark.
    literals = re.sub(r"^#.*$", "", job.preprocess(
        ours, SOURCES / "rust.c", "rust.i").read_text().split("\n// Cut here.\n", 1)[1], flags=re.M)
    if LITERAL.sub("", literals).split():
        raise CheckError("Rust: more than string literals: " + LITERAL.sub("", literals).strip())
    text = unquote(literals).strip()
    for operand, name in (("{symb} + {off}", "key"), ("{branch}", "branch"), ("{l_yes}", "label")):
        if operand not in text:
            raise CheckError(f"Rust: no {operand} in the text")
        text = text.replace(operand, name)
    if text != named[0]:
        raise CheckError("the text for Rust is not that of C")


def check_assembly(job, ours):
    """What the assembler macros write is what C writes."""
    wanted, got = (sites(job.compile(ours, SOURCES / s, s + ".o"), job.variant.config)
                   for s in ("sites.c", "sites.S"))
    if wanted.keys() != got.keys():
        raise CheckError(f"assembly: entries for {sorted(got)} instead of {sorted(wanted)}")
    for site, (code, shape) in wanted.items():
        if got[site][1] != shape:
            raise CheckError(f"assembly: entry {got[site][1]} instead of {shape}")
        nop = site[1] & 1 if site[0] == "far_on_key" else not site[1] & 1
        if nop and got[site][0][:job.variant.nop] != code[:job.variant.nop]:
            raise CheckError(f"assembly: no-op {got[site][0].hex()} instead of {code.hex()}")


def check(job, base, ours):
    """All checks of one variant with one compiler; give the result in words."""
    job.work.mkdir(parents=True)
    texts = [job.preprocess(t, SOURCES / "branches.c", f"{n}.i")
             for t, n in ((base, "base"), (ours, "ours"))]
    for function in FUNCTIONS:
        one, two = (asm_goto(t, function) for t in texts)
        # asm_str_count() in GCC: this is what the inliner thinks of an asm.
        lines = [len(re.findall(r"[\n;]", t[0])) for t in (one, two)]
        if lines[0] != lines[1]:
            raise CheckError(f"{function}(): {lines[0]} lines of assembly became {lines[1]}")
        if job.variant.gcc is None:
            compare_texts(one[1], two[1])
    if job.variant.gcc is None:
        check_forms(job, ours, texts[1])
        return "compared after preprocessing (no compiler)"
    words = compare_objects(*(job.compile(t, text, text.stem + ".o")
                              for t, text in zip((base, ours), texts)))
    check_forms(job, ours, texts[1])
    check_assembly(job, ours)
    return words


def check_once(ours):
    """The text of a site stands in one place only."""
    found = ui.ask(
        ["grep", "-rlE", r"section[[:space:]]+__jump_table", "--include=*.[hcS]",
         "--include=*.inc", "--include=*.rs", "arch", "include", "kernel", "lib", "rust"],
        cwd=ours.root).stdout.split()
    if found != ["include/asm-generic/jump_label.h"]:
        raise CheckError("table entries are written by " + (" ".join(found) or "nothing"))
    return "the table entry stands once, in " + found[0]


def check_covered(ours):
    """No architecture with static branches is left out."""
    present = {p.parts[-4] for p in ours.root.glob("arch/*/include/asm/jump_label.h")}
    checked = {v.arch for v in variants()}
    if present != checked:
        raise CheckError("unlike the tree, this program knows " + " ".join(sorted(checked)))
    return f"all {len(present)} architectures with static branches are compared"


def includes(text):
    """The headers that a header includes."""
    return set(re.findall(r"^\s*#\s*include\s+<(\S+)>", text, re.MULTILINE))


def check_includes(base, ours):
    """Whoever relies on what the base's headers include still gets it."""
    generic = includes((ours.root / GENERIC).read_text())
    lost = []
    for arch in sorted({v.arch for v in variants()}):
        old, new = (includes((t.root / f"arch/{arch}/include/asm/jump_label.h").read_text())
                    for t in (base, ours))
        lost += [f"{arch}: <{name}>" for name in sorted(old - new - generic)]
    if lost:
        raise CheckError("no longer included: " + ", ".join(lost))
    return "each header includes what it did in the base"


def check_notices(base, ours):
    """The generic header names those whose functions it has."""
    generic = (ours.root / GENERIC).read_text()
    holders = {}
    for arch in sorted({v.arch for v in variants()}):
        text = (base.root / f"arch/{arch}/include/asm/jump_label.h").read_text()
        for notice in re.findall(r"Copyright.*?\d{4}.*\w\.?", text):
            holders[notice] = arch
    missing = [f"{notice} ({arch})" for notice, arch in holders.items()
               if f"{notice} ({arch})" not in generic]
    if missing or not holders:
        raise CheckError(f"not named in {GENERIC}: " + ", ".join(missing))
    return f"{GENERIC} has the {len(holders)} notices of its origins"


# --- the self-test ---------------------------------------------------------

GENERIC = "include/asm-generic/jump_label.h"

# Variant, header (None: the architecture's), text and replacement, what it is.
MUTATIONS = (
    ("x86_64", None, '".byte "', '".byte 0x90, "', "one more no-op"),
    ("x86_64", GENERIC, ".balign 8", ".balign 16", "another alignment"),
    ("x86_64 objtool", None, 'key " + 2"', "key", "no request to objtool"),
    ("arm64", None, "ENTRY(key,", 'ENTRY(key " + 1",', "key + 1"),
    ("arm64", None, ': nop\\n', ': nop\\n\\n', "an empty line"),
    ("arm64", GENERIC, '"7274"', '"1"', "the label 1:"),
    ("arm64", None, "nop", "nop // {}", "braces in the text"),
    ("arm64", "kernel/static_branch_asm.c", "\nARCH_STATIC_BRANCH_JUMP_ASM",
     "\nARCH_STATIC_BRANCH_ASM", "an assembler macro without its jump"),
    ("arm64", "scripts/static_branch_asm.sed", "s/\\\\t/\\t/g\n", "",
     "an assembler macro left quoted"),
    ("riscv64 C", None, "norvc", "rvc", "a compressed no-op"),
    ("mips64r2 EL", None, '".dword "', '".word "', "a short table entry"),
    ("powerpc64 LE", GENERIC, 'JUMP_SITE "b - ., " label "', 'label " - ., " JUMP_SITE "b',
     "swapped fields"),
    ("csky", None, "nop32", "nop", "a 16-bit no-op"),
    ("csky", None, "ENTRY(key,", 'ENTRY(key " + 1",', "key + 1"),
    ("xtensa", None, '"_j "', '"j "', "a jump open to relaxation"),
    ("xtensa", GENERIC, '"b, " label ", " key', '"b, " key ", " label', "swapped fields"),
)


def self_test(number, base, ours, work):
    """Make one of the changes, and demand that the checks notice it."""
    name, header, old, new, what = MUTATIONS[number]
    variant = next(v for v in variants() if v.name == name)
    header = header or f"arch/{variant.arch}/include/asm/jump_label.h"
    text = (ours.root / header).read_text()
    if old not in text:
        raise CheckError(f"nothing to change for: {what}")
    folder = work / f"self-{number}"
    changed = folder / "tree" / header
    changed.parent.mkdir(parents=True)
    changed.write_text(text.replace(old, new))
    try:
        check(Job(variant, "gcc", folder / "out"), base,
              dataclasses.replace(ours, first=folder / "tree"))
    except ToolError as trouble:
        raise CheckError(f"{what}: {trouble}") from trouble
    except CheckError as noticed:
        return f"noticed {what}: {noticed}"
    raise CheckError(f"went unnoticed: {what}")


# --- all of it -------------------------------------------------------------

def jobs(work):
    """Every variant with each of its compilers."""
    for variant in variants():
        for kind in (["gcc"] if variant.gcc != "" else []) + (["clang"] if variant.clang else []):
            yield Job(variant, kind, work / f"{variant.name}-{kind}".replace(" ", "-"))


def compare(found, group, base, ours, work, step):
    """Add the outcome of all checks of two trees to FOUND, with files in WORK."""
    base, ours = Tree(base, work / "base"), Tree(ours, work / "ours")
    for arch in sorted({v.arch for v in variants()}):
        headers(base, arch)
        headers(ours, arch)

    def attempt(words, function, *args):
        try:
            ok, said = True, function(*args)
        except CheckError as trouble:
            ok, said = False, str(trouble)
        found.add(group, ", ".join((*words, said)), ok)
        step.advance(note=words[0])

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = [pool.submit(attempt, (job.variant.name,
                                      job.kind if job.variant.gcc is not None else "cpp"),
                            check, job, base, ours) for job in jobs(work)]
        done += [pool.submit(attempt, (mutation[0], "self"), self_test, number, base, ours, work)
                 for number, mutation in enumerate(MUTATIONS)]
        for one in done:
            one.result()
    for function, trees in ((check_once, (ours,)), (check_covered, (ours,)),
                            (check_includes, (base, ours)), (check_notices, (base, ours))):
        attempt(("tree",), function, *trees)
