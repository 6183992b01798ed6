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
import pathlib
import re

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


# ---------------------------------------------------------------------------
# Object files

@dataclasses.dataclass(frozen=True)
class Place:
    """Somewhere in a file: an offset in a section, by the section's name."""
    section: str
    offset: int


@dataclasses.dataclass(frozen=True)
class Function:
    """Where a function is."""
    name: str
    start: Place
    size: int

    def holds(self, place):
        """Whether a place is in the function."""
        return (place is not None and place.section == self.start.section and
                0 <= place.offset - self.start.offset < self.size)


@dataclasses.dataclass(frozen=True)
class Entry:
    """An entry of the jump table.

    shape   the alignment of the table, and the place and type of each relocation
    key     the variable that the key is in, and how far
    flags   the low bits of the key
    """
    code: Place
    target: Place
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
        self.functions, self.variables = {}, {}
        for symbol in self.symbols:
            name, start = symbol["Name"]["Name"], symbol["Value"]
            section = symbol["Section"]["Name"]
            if section in self.names and symbol["Type"]["Name"] == "Function":
                self.functions[name] = Function(name, Place(section, start), symbol["Size"])
            elif section in self.names and symbol["Type"]["Name"] == "Object":
                self.variables.setdefault(section, []).append((start, symbol["Size"], name))

    def variable(self, place):
        """The name of the variable at a place, and the distance from its start."""
        for start, size, name in self.variables.get(place.section, ()):
            if start <= place.offset < start + max(size, 1):
                return name, place.offset - start
        return place.section, place.offset

    def references(self, section):
        """(offset, type, place, name, addend) for each relocation of a section.

        Place is None for a symbol that another file defines.
        """
        if section not in self.names:
            return
        for offset, kind, (name, where, value), addend in self.relocations(self.section(section)):
            place = Place(where, value + addend) if where in self.names else None
            yield offset, kind, place, name, addend

    def entries(self):
        """The jump table."""
        grouped = {}
        for reference in self.references("__jump_table"):
            grouped.setdefault(reference[0] // ENTRY_SIZE, []).append(reference)
        for number, group in sorted(grouped.items()):
            # A second relocation of a field subtracts the field's own address.
            first = {}
            for reference in group:
                first.setdefault(reference[0] - number * ENTRY_SIZE, reference)
            code, target = (first[field][2] if field in first else None
                            for field in (CODE, TARGET))
            key, flags = ("nothing", 0), 0
            if KEY in first:
                _, _, place, name, addend = first[KEY]
                flags = (place.offset if place else addend) & KEY_FLAGS
                key = (self.variable(Place(place.section, place.offset & ~KEY_FLAGS))
                       if place else (name, addend & ~KEY_FLAGS))
            yield Entry(code, target, key, flags,
                        (self.section("__jump_table")["AddressAlignment"],
                         *self.fields(group, number * ENTRY_SIZE)))

    def fields(self, group, start):
        """[(distance from START, type)] of relocations, pairs as one."""
        found = [(reference[0] - start, reference[1]) for reference in group]
        for at in range(len(found) - 1, 0, -1):
            (one, add), (two, subtract) = found[at - 1:at + 1]
            if one == two and (self.machine, add, subtract) in RELOCATION_PAIRS:
                found[at - 1:at + 1] = [(one, RELOCATION_PAIRS[self.machine, add, subtract])]
        return found

    def traced(self):
        """The places that the function tracer patches."""
        return {place for section in TRACED for _, _, place, _, _ in self.references(section)}

    def disassemble(self, function):
        """[(place, mnemonic, operands)] of a function."""
        start = function.start.offset
        command = [OBJDUMP, "-d", "--no-show-raw-insn", "-j", function.start.section,
                   f"--start-address={start:#x}",
                   f"--stop-address={start + function.size:#x}", self.path]
        try:
            text = branchcheck.run(command, None)
        except FileNotFoundError:
            raise CheckError(f"{OBJDUMP} is not installed") from None
        found = []
        for line in text.splitlines():
            match = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)
            if match:
                found.append((Place(function.start.section, int(match[1], 16)), match[2],
                              match[3]))
        if not found:
            raise CheckError(f"{function.name} cannot be disassembled")
        return found


# ---------------------------------------------------------------------------
# The path through a function

@dataclasses.dataclass
class Path:
    """The instructions from a function's entry to its return, as text.

    The prologue is what is there for the function tracer, and the mark for
    indirect calls; padding is what aligns the site.
    """
    prologue: list
    padding: list
    body: list


def destination(file, function, operands, place, size):
    """Where a jump goes, None if that is not in the function.

    A relocation says it better than the operand, which it will change.
    """
    for offset, _, where, name, _ in file.references(place.section):
        if place.offset <= offset < place.offset + size:
            if name is not None and where != function.start:
                return None
            # x86 counts from the end of the field, which ends the instruction.
            if file.machine == X86 and where:
                where = Place(where.section, where.offset + place.offset + size - offset)
            return where if function.holds(where) else None
    match = re.search(rf"<{re.escape(function.name)}(?:\+0x([0-9a-f]+))?>$", operands)
    return match and Place(place.section,
                           function.start.offset + int(match[1] or "0", 16))


def walk(file, function, sites):
    """Follow a function with all its conditional branches not taken."""
    listing = file.disassemble(function)
    index = {place: number for number, (place, _, _) in enumerate(listing)}
    ends = [place.offset for place, _, _ in listing[1:]] + \
        [function.start.offset + function.size]
    path = Path([], [], [])
    # They begin in front of a function of arm64, or behind the mark for indirect
    # calls; those of the function before are farther away.
    traced = any(place and place.section == function.start.section and
                 -8 <= place.offset - function.start.offset <= 4 for place in file.traced())
    at, seen = 0, set()
    while True:
        if at in seen:
            raise CheckError(f"{function.name}: the path is a loop")
        seen.add(at)
        place, name, operands = listing[at]
        words = f"{name} {operands}".strip()
        if file.machine == RISCV and ends[at] - place.offset == 2 and name == "nop" and \
                Place(place.section, ends[at]) in sites:
            path.padding.append(words)
            at += 1
            continue
        if not path.body and place not in sites and \
                (re.fullmatch(file.arch.pads, name) or re.fullmatch(file.arch.pads, words) or
                 traced and is_patchable(file, name, path)):
            path.prologue.append(words)
            at += 1
            continue
        path.body.append(words)
        if re.fullmatch(file.arch.ends, name):
            break
        if re.fullmatch(file.arch.traps, name):
            raise CheckError(f"{function.name}: the path ends in {name}")
        if re.fullmatch(file.arch.jumps, name):
            where = destination(file, function, operands, place, ends[at] - place.offset)
            if where is None:
                break
            if where not in index:
                raise CheckError(f"{function.name}: a jump into an instruction")
            at = index[where]
        else:
            at += 1
        if at == len(listing):
            raise CheckError(f"{function.name}: the path runs over the end")
    if not {listing[number][0] for number in seen} & sites:
        raise CheckError(f"{function.name}: the path does not pass the site")
    return path


def is_patchable(file, name, path):
    """Whether an instruction at the entry of a traced function is the tracer's.

    On x86 it is one, a call or a no-op, elsewhere as many no-ops as it takes.
    """
    if file.machine == X86:
        return not any(re.match(r"call|nop", words) for words in path.prologue) and \
            bool(re.match(r"call|nop", name))
    return name in ("nop", "c.nop")


# ---------------------------------------------------------------------------
# The checks

@dataclasses.dataclass
class Site:
    """A function with its one site."""
    file: File
    function: Function
    entry: Entry
    path: Path

    @property
    def code(self):
        """The bytes of the no-op, or as many as the longest one has."""
        file = self.file
        content = file.content(file.section(self.entry.code.section))
        code = content[self.entry.code.offset:][:max(map(len, file.arch.nops))]
        return next((nop for nop in file.arch.nops if code.startswith(nop)), code)


def find(files, name):
    """The file that defines a function, and the function."""
    found = [(file, file.functions[name]) for file in files if name in file.functions]
    if len(found) != 1:
        raise CheckError(f"{name} is defined {len(found)} times")
    return found[0]


def site(files, name):
    """Everything about a function with one site."""
    file, function = find(files, name)
    entries = [entry for entry in file.entries() if function.holds(entry.code)]
    if len(entries) != 1:
        raise CheckError(f"{name} has {len(entries)} entries in the jump table")
    return Site(file, function, entries[0],
                walk(file, function, {entry.code for entry in entries}))


def shape_in_words(entry):
    """An entry's shape for people."""
    return "align {} relocations {}".format(
        entry.shape[0], " ".join(f"{at}:{kind}" for at, kind in entry.shape[1:]))


def key_in_words(entry):
    """An entry's key for people."""
    return f"{entry.key[0]}+{entry.key[1]}|{entry.flags}"


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
         f"{shape_in_words(one.entry)} {first}, {shape_in_words(two.entry)} {second}"),
        ("the key is at the same place and branches the same way",
         (one.entry.key[1], one.entry.flags) == (two.entry.key[1], two.entry.flags),
         f"{key_in_words(one.entry)} {first}, {key_in_words(two.entry)} {second}"),
        ("the branch stays in code", all(s.entry.target and s.file.section(
            s.entry.target.section)["Flags"]["Value"] & 4 for s in (one, two)), ""),
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


# ---------------------------------------------------------------------------
# The self-test

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
    failed = {number: f"{name} ({said})" for number, (name, ok, said) in enumerate(found)
              if not ok}
    said = "; ".join(failed.values())
    if wanted is None:
        return what, not failed, said
    noticed = wanted in said if isinstance(wanted, str) else wanted in failed
    return what, noticed, f"noticed: {said}" if noticed else f"went unnoticed; {said}"


def compile_pairs(variant, tree, work):
    """The object file of a variant of branchcheck.py's."""
    kind = "gcc" if variant.gcc else "clang"
    compiler = branchcheck.find_compiler(variant, kind)
    if not compiler:
        raise CheckError(f"no compiler: {branchcheck.package(variant, kind)} is not installed")
    flags = (" -pg -mfentry -mrecord-mcount -mpreferred-stack-boundary=3"
             if variant.arch == "x86" else "")
    variant = dataclasses.replace(variant, flags=variant.flags + flags)
    return branchcheck.Job(variant, compiler, kind, work).compile(
        tree, SOURCES / "pairs.c", f"{variant.arch}.o")


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
        place = plain.entry.code
        data[plain.file.section(place.section)["Offset"] + place.offset] ^= 0x20
        path.write_bytes(data)
        results.append(verdict(f"{name} a changed instruction",
                               check([path], "pair_c", "pair_good"), 0))
    return results
