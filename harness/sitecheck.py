# SPDX-License-Identifier: GPL-2.0-or-later
"""Prove that a tracepoint in Rust costs what it costs in C.

Two functions have one disabled tracepoint each, and are in object files or modules. They
have to agree in the bytes of their sites and in the shape of the
table entries, and from its entry to its return the function in Rust may not take
more instructions than the one in C.

Set aside before counting is what a compiler puts in front of a function for
the function tracer, which C has in a kernel that can trace functions and Rust
may not, and what aligns a site on riscv, which depends on where the function
happens to lie.

self_test() compiles sitecheck/pairs.c with the headers of a tree, and demands that what
is wrong with the functions there is noticed.
"""

import dataclasses
import itertools
import pathlib
import re
import struct

import branchcheck
from arch import ARCHES
from branchcheck import CheckError

OBJDUMP = "llvm-objdump-19"
SOURCES = pathlib.Path(__file__).resolve().parent / "sitecheck"

# Of struct jump_entry where addresses are relative and a long has 64 bits.
CODE, TARGET, KEY, ENTRY_SIZE = 0, 4, 8, 16
# The bits of the key that say how to branch, not where the key is.
KEY_FLAGS = 3

# Tables with the places that the function tracer patches.
TRACED = ("__mcount_loc", "__patchable_function_entries")


@dataclasses.dataclass(frozen=True)
class Machine:
    """What an architecture's instructions are called.

    nops    what a disabled site consists of
    ends    leave the function
    jumps   go on elsewhere; outside of the function, that ends the path
    traps   must not be on a path
    pads    mark a function's entry as a target of indirect calls
    """
    nops: tuple
    ends: str
    jumps: str
    traps: str
    pads: str = r"(?!)"


X86, ARM64, RISCV, LOONGARCH = (ARCHES[name].elf for name in (
    "x86_64", "arm64", "riscv64", "loongarch64"))
MACHINES = {
    X86: Machine(nops=(bytes.fromhex("6690"), bytes.fromhex("0f1f440000")),
                 ends=r"retq?", jumps=r"jmpq?", traps=r"ud2|int3|hlt", pads=r"endbr64"),
    ARM64: Machine(nops=(bytes.fromhex("1f2003d5"),),
                   ends=r"reta?[ab]?|braa?z?|br", jumps=r"b", traps=r"brk|udf|hlt",
                   pads=r"bti|hint\s+#(32|34|36|38)"),
    RISCV: Machine(nops=(bytes.fromhex("13000000"),),
                   ends=r"ret|jr|tail", jumps=r"j", traps=r"unimp|c\.unimp|ebreak"),
    LOONGARCH: Machine(nops=(bytes.fromhex("00004003"),),
                       ends=r"ret|jr", jumps=r"b", traps=r"break"),
}

# Two relocations that together are one: an address is added, that of the field
# subtracted. LLVM writes the pair if the linker may relax the code, as rustc
# lets it on loongarch and the kernel's C does not.
RELOCATION_PAIRS = {(LOONGARCH, 50, 55): 99, (LOONGARCH, 51, 56): 109}


# --- object files ----------------------------------------------------------

# A place in a file is (name of a section, offset in it).

@dataclasses.dataclass(frozen=True)
class Symbol:
    """A function or a variable."""
    section: str
    start: int
    size: int
    name: str

    def holds(self, place):
        """Whether a place is in it."""
        return (place is not None and place[0] == self.section and
                0 <= place[1] - self.start < max(self.size, 1))


@dataclasses.dataclass(frozen=True)
class Entry:
    """An entry of the jump table.

    code    the place of the site, and that of the branch's target
    key     the variable that the key is in, and how far
    flags   the low bits of the key
    shape   the alignment of the table, and the place and type of each relocation
    """
    code: tuple
    target: tuple
    key: tuple
    flags: int
    shape: tuple


class File(branchcheck.Object):
    """An object file with its functions, its jump table, and its traced places."""

    def __init__(self, path):
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                raise CheckError(f"{path.name} is no object file")
        super().__init__(path)
        self.path = path
        if self.machine not in MACHINES or self.data[4] != 2:
            raise CheckError(f"{path.name}: unknown architecture {self.machine}")
        self.arch = MACHINES[self.machine]
        found = {kind: [Symbol(symbol["Section"]["Name"], symbol["Value"], symbol["Size"],
                               symbol["Name"]["Name"]) for symbol in self.symbols
                        if symbol["Type"]["Name"] == kind and
                        symbol["Section"]["Name"] in self.names]
                 for kind in ("Function", "Object")}
        self.functions = {function.name: function for function in found["Function"]}
        self.variables = found["Object"]

    def variable(self, place):
        """The name of the variable at a place, and the distance from its start."""
        return next(((variable.name, place[1] - variable.start) for variable in self.variables
                     if variable.holds(place)), place)

    def references(self, section):
        """(offset, type, place, name, addend) for each relocation of a section.

        Place is None for a symbol that another file defines.
        """
        if section not in self.names:
            return []
        return [(offset, kind, (where, value + addend) if where in self.names else None, name,
                 addend)
                for offset, kind, (name, where, value), addend
                in self.relocations(self.section(section))]

    def entries(self):
        """The jump table."""
        references = self.references("__jump_table")
        for start in sorted({one[0] // ENTRY_SIZE * ENTRY_SIZE for one in references}):
            group = [one for one in references if 0 <= one[0] - start < ENTRY_SIZE]
            # A second relocation of a field subtracts the field's own address.
            fields = {one[0] - start: one[2:] for one in reversed(group)}
            place, name, addend = fields.get(KEY, (None, "nothing", 0))
            section, offset = place or (name, addend)
            key = section, offset & ~KEY_FLAGS
            yield Entry(*(fields.get(field, (None,))[0] for field in (CODE, TARGET)),
                        self.variable(key) if place else key, offset & KEY_FLAGS,
                        (self.section("__jump_table")["AddressAlignment"],
                         *self.shape(group, start)))

    def shape(self, group, start):
        """[(distance from START, type)] of relocations, pairs as one."""
        found = [(one[0] - start, one[1]) for one in group]
        for at in range(len(found) - 1, 0, -1):
            (one, add), (two, subtract) = found[at - 1:at + 1]
            if one == two and (self.machine, add, subtract) in RELOCATION_PAIRS:
                found[at - 1:at + 1] = [(one, RELOCATION_PAIRS[self.machine, add, subtract])]
        return found

    def traced(self, function):
        """Whether the function tracer patches a function.

        Such places begin in front of a function of arm64, or behind the mark for indirect
        calls; those of the function before are farther away.
        """
        return any(place and place[0] == function.section and
                   -8 <= place[1] - function.start <= 4
                   for section in TRACED for _, _, place, _, _ in self.references(section))

    def disassemble(self, function):
        """[(offset, offset behind it, mnemonic, operands)] of a function."""
        end = function.start + function.size
        command = [OBJDUMP, "-d", "--no-show-raw-insn", "-j", function.section,
                   f"--start-address={function.start:#x}", f"--stop-address={end:#x}", self.path]
        lines = re.findall(r"^\s*([0-9a-f]+):\s+(\S+)[^\S\n]*(.*)",
                           branchcheck.run(command, None), re.MULTILINE)
        if not lines:
            raise CheckError(f"{function.name} cannot be disassembled")
        starts = [int(line[0], 16) for line in lines] + [end]
        return [(*span, *line[1:]) for span, line in zip(zip(starts, starts[1:]), lines)]


# --- the path through a function -------------------------------------------

@dataclasses.dataclass
class Path:
    """The instructions from a function's entry to its return, as text.

    The prologue is what is there for the function tracer, and the mark for
    indirect calls; padding is what aligns the site.
    """
    prologue: list
    padding: list
    body: list


def destination(file, function, operands, begin, end):
    """Where a jump goes, None if that is not in the function.

    A relocation says it better than the operand, which it will change.
    """
    for offset, _, where, name, _ in file.references(function.section):
        if begin <= offset < end:
            if name is not None and where != (function.section, function.start):
                return None
            # x86 counts from the end of the field, which ends the instruction.
            if file.machine == X86 and where:
                where = where[0], where[1] + end - offset
            return where[1] if function.holds(where) else None
    match = re.search(rf"<{re.escape(function.name)}(?:\+0x([0-9a-f]+))?>$", operands)
    return match and function.start + int(match[1] or "0", 16)


def walk(file, function, sites):
    """Follow a function with all its conditional branches not taken."""
    listing, arch = file.disassemble(function), file.arch
    index = {line[0]: number for number, line in enumerate(listing)}
    traced, path = file.traced(function), Path([], [], [])
    at, seen = 0, set()
    while at not in seen:
        seen.add(at)
        begin, end, name, operands = listing[at]
        words = f"{name} {operands}".strip()
        at += 1
        if file.machine == RISCV and end - begin == 2 and name == "nop" and end in sites:
            path.padding.append(words)
        elif not path.body and begin not in sites and \
                (re.fullmatch(arch.pads, name) or re.fullmatch(arch.pads, words) or
                 traced and is_patchable(file, name, path)):
            path.prologue.append(words)
        else:
            path.body.append(words)
            if re.fullmatch(arch.traps, name):
                raise CheckError(f"{function.name}: the path ends in {name}")
            if re.fullmatch(arch.ends, name):
                break
            if re.fullmatch(arch.jumps, name):
                where = destination(file, function, operands, begin, end)
                if where is None:
                    break
                if where not in index:
                    raise CheckError(f"{function.name}: a jump into an instruction")
                at = index[where]
        if at == len(listing):
            raise CheckError(f"{function.name}: the path runs over the end")
    else:
        raise CheckError(f"{function.name}: the path is a loop")
    if not {listing[number][0] for number in seen} & sites:
        raise CheckError(f"{function.name}: the path does not pass the site")
    return path


def is_patchable(file, name, path):
    """Whether an instruction at the entry of a traced function is the tracer's.

    On x86 it is one, a call or a no-op, elsewhere as many no-ops as it takes.
    """
    if file.machine == X86:
        return re.match(r"call|nop", name) and not any(
            re.match(r"call|nop", words) for words in path.prologue)
    return name in ("nop", "c.nop")


# --- the checks ------------------------------------------------------------

@dataclasses.dataclass
class Site:
    """A function with its one site."""
    file: File
    entry: Entry
    path: Path

    @property
    def code(self):
        """The bytes of the no-op, or as many as the longest one has."""
        section, offset = self.entry.code
        nops = self.file.arch.nops
        code = self.file.content(self.file.section(section))[offset:][:max(map(len, nops))]
        return next((nop for nop in nops if code.startswith(nop)), code)

    @property
    def stays(self):
        """Whether the branch goes to code."""
        return bool(self.entry.target) and bool(
            self.file.section(self.entry.target[0])["Flags"]["Value"] & 4)

    @property
    def shape(self):
        """The shape of its entry, for people."""
        align, *fields = self.entry.shape
        return f"align {align} relocations {' '.join(f'{at}:{kind}' for at, kind in fields)}"

    @property
    def key(self):
        """The key of its entry, for people."""
        return f"{self.entry.key[0]}+{self.entry.key[1]}|{self.entry.flags}"


def site(files, name):
    """Everything about a function with one site."""
    found = [(file, file.functions[name]) for file in files if name in file.functions]
    if len(found) != 1:
        raise CheckError(f"{name} is defined {len(found)} times")
    file, function = found[0]
    entries = [entry for entry in file.entries() if function.holds(entry.code)]
    if len(entries) != 1:
        raise CheckError(f"{name} has {len(entries)} entries in the jump table")
    return Site(file, entries[0], walk(file, function, {entries[0].code[1]}))


def compare(one, two, words=("in C", "in Rust")):
    """[(what is checked, whether it is so, the figures)] of two sites."""
    first, second = words
    nops = one.file.arch.nops
    counts = [len(path.body) for path in (one.path, two.path)]
    extras = [len(path.prologue + path.padding) for path in (one.path, two.path)]
    return [
        ("the site is the same no-op", one.code == two.code and one.code in nops,
         f"{one.code.hex()} {first}, {two.code.hex()} {second}"),
        ("the table entry has the same shape", one.entry.shape == two.entry.shape,
         f"{one.shape} {first}, {two.shape} {second}"),
        ("the key is at the same place and branches the same way",
         (one.entry.key[1], one.entry.flags) == (two.entry.key[1], two.entry.flags),
         f"{one.key} {first}, {two.key} {second}"),
        ("the branch stays in code", one.stays and two.stays, ""),
        (f"the disabled path is no longer than {first}", counts[1] <= counts[0],
         f"{counts[0]} instructions {first} and {extras[0]} set aside, "
         f"{counts[1]} and {extras[1]} {second}"),
    ]


def check(paths, c_name, rust_name, words=("in C", "in Rust")):
    """All checks of two functions, in files that may be the same."""
    try:
        files = [File(pathlib.Path(path)) for path in paths]
        return compare(site(files, c_name), site(files, rust_name), words)
    except (CheckError, OSError) as trouble:
        return [("both functions have one site", False, str(trouble))]


# --- the self-test ---------------------------------------------------------

# The pair of pair_c(), and the check that must fail: its number in compare(),
# or a word of what is said instead.
PAIRS = {
    "pair_good": None,
    "pair_longer": 4,
    "pair_detour": 4,
    "pair_jump": 0,
    "pair_inverted": 2,
    "pair_other_key": 2,
    "pair_swapped": 1,
    "pair_without": "has 0 entries",
    "pair_with_two": "entries in the jump table",
    "pair_nowhere": "defined 0 times",
}
VARIANTS = ("x86_64", "arm64", "riscv64 C", "loongarch64")


def verdict(what, found, wanted):
    """(what, whether the wanted check has failed, the words of those that have)."""
    failed = {number: f"{name} ({said})" for number, (name, ok, said) in enumerate(found) if not ok}
    said = "; ".join(failed.values())
    if wanted is None:
        return what, not failed, said
    noticed = wanted in said if isinstance(wanted, str) else wanted in failed
    return what, noticed, f"noticed: {said}" if noticed else f"went unnoticed; {said}"


def compile_pairs(variant, tree, work):
    """The object file of a variant of branchcheck.py's."""
    flags = (" -pg -mfentry -mrecord-mcount -mpreferred-stack-boundary=3"
             if variant.arch == "x86" else "")
    variant = dataclasses.replace(variant, flags=variant.flags + flags)
    return branchcheck.Job(variant, "gcc" if variant.gcc else "clang", work).compile(
        tree, SOURCES / "pairs.c", f"{variant.arch}.o")


def jump_table(vmlinux):
    """(ok, detail): the table of a linked kernel is sorted by key and place, and says so.

    Its keys and places are relative to where they are stored, see struct jump_entry.
    """
    kernel = branchcheck.Object(vmlinux)
    known = {symbol["Name"]["Name"]: symbol["Value"] for symbol in kernel.symbols}

    def content(start, size):
        for section in kernel.sections:
            at = start - section["Address"]
            if section["Address"] and 0 <= at < section["Size"]:
                return kernel.content(section)[at:at + size]
        raise CheckError(f"{vmlinux.name}: {start:#x} is in no section")

    start, stop = (known[f"__{end}___jump_table"] for end in ("start", "stop"))
    flag, = struct.unpack(kernel.order + "I", content(known["jump_table_sort_needed"], 4))
    entries = [(at + KEY + key & ~KEY_FLAGS, at + CODE + code)
               for at, (code, _, key) in zip(
                   range(start, stop, ENTRY_SIZE),
                   struct.iter_unpack(kernel.order + "iiq", content(start, stop - start)))]
    wrong = sum(one > two for one, two in itertools.pairwise(entries))
    return (not flag and not wrong and len(entries) > 0,
            f"{len(entries)} entries, {wrong} out of order, jump_table_sort_needed {flag}")


def self_test(root, work):
    """[(what, whether it went as it must, words)]."""
    tree = branchcheck.Tree(root.resolve(), work / "tree")
    results = []
    for name in VARIANTS:
        variant = next(v for v in branchcheck.variants() if v.name == name)
        branchcheck.headers(tree, variant.arch)
        path = compile_pairs(variant, tree, work)
        for pair, wanted in PAIRS.items():
            results.append(verdict(f"{name} {pair}", check([path], "pair_c", pair), wanted))
        traced, plain = (site([File(path)], pair) for pair in ("pair_c", "pair_good"))
        results.append((f"{name} the tracer's prologue",
                        bool(traced.path.prologue) and not plain.path.prologue,
                        "; ".join(traced.path.prologue)))
        # One instruction of the object file changed: the site's.
        data = bytearray(path.read_bytes())
        section, offset = plain.entry.code
        data[plain.file.section(section)["Offset"] + offset] ^= 0x20
        path.write_bytes(data)
        results.append(verdict(f"{name} a changed instruction",
                               check([path], "pair_c", "pair_good"), 0))
    return results
