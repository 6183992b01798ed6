#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the instructions of one hit go: a table by function, ours beside the stock mechanism.

    eventprofile.py EVENT      a row of the benchmark, as tracepoint_enabled

The benchmark's guest sets the event up and calls it again and again, while QEMU
executes one instruction at a time and logs the program counter of each. A hit is
what begins at the first instruction of the benchmark's function.
"""

import bisect
import collections
import contextlib
import dataclasses
import os
import re
import socket
import subprocess
import tempfile
import threading

import bench
import guest
import kernel as kernels
import ui
from arch import ARCHES
from ui import BUILD, LOGS, Failure, shown

# How many instructions QEMU logs: some thousand hits.
LOGGED = 2_000_000
TIMEOUT = 300
# What takes less of a hit than so many instructions is in the last line.
LEAST = 1
# The functions of static_key_benchmark_main.c that are not named after their benchmark.
FUNCTIONS = {"empty_call": "bench_empty", "single_key_toggle": "bench_toggle"}

# In the place of the benchmark's function of this name: go on with the wanted one.
INSN = r"""
exec 3>&1
insn()
{
	[ "${2:-$1}" = EVENT ] || return 0
	# Functions of modules, and code that ftrace and kprobes have made.
	grep '\[' /proc/kallsyms | sed 's/^/@symbol /' >&3
	while :; do
		cat "$bench/$1" >/dev/null
	done &
	# Not what it takes to start that.
	sleep 1
	echo "@hit $1" >&3
	wait
}
"""

# One count for each address.
COUNT = "{ count[$2]++ } NR == %d { exit } " \
        "END { for (address in count) print address, count[address] }" % LOGGED


@dataclasses.dataclass
class Profile:
    """What was executed in a guest."""

    hits: int
    # By function, per hit; and how often it was entered.
    instructions: collections.Counter
    calls: collections.Counter


def function_of(benchmark):
    """The function that a benchmark calls, see bench_table[]."""
    return FUNCTIONS.get(benchmark, "bench_" + re.sub("_(en|dis)abled$", "", benchmark))


def symbols(kernel, lines):
    """Addresses and names, in order, of the kernel and of what the guest's LINES name."""
    found = []
    for line in [*(kernel.out / "System.map").read_text(encoding="utf-8").splitlines(), *lines]:
        address, kind, name = line.split()[:3]
        if kind in "tTwW":
            found.append((int(address, 16), name))
    return sorted(found)


def log_hits(monitor, counter, counted):
    """Have QEMU log as many instructions as the counter takes, and end."""
    version = guest.qemu_version(ARCHES["x86_64"].emulator[0])
    step = "one-insn-per-tb on" if version >= (8, 1) else "singlestep on"
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(monitor)
        line.sendall(f"{step}\nlog exec,nochain\n".encode())
        counted.append(counter.stdout.read())
        line.sendall(b"quit\n")
        # What a monitor has not read is lost when its other end closes.
        with contextlib.suppress(ConnectionError):
            while line.recv(4096):
                pass


def run(kernel, event):
    """The profile of EVENT on a kernel."""
    script = bench.Boot(kernel, "insn", None, None).script(INSN.replace("EVENT", event))
    lines, hit, counted = [], [], []
    with tempfile.TemporaryDirectory(dir=BUILD, prefix="job-") as directory:
        log, monitor = os.path.join(directory, "log"), os.path.join(directory, "monitor")
        os.mkfifo(log)
        # QEMU opens its log when it is told to log, and waits for this reader then.
        with subprocess.Popen(["awk", "-F/", COUNT, log], stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, LC_ALL="C")) as counter:
            def take(line):
                if line is None:
                    return
                if line.startswith("@symbol "):
                    lines.append(line.removeprefix("@symbol "))
                elif line.startswith("@hit "):
                    hit.append(line.split()[1])
                    threading.Thread(target=log_hits, args=(monitor, counter, counted),
                                     daemon=True).start()

            name = f"profile-{event}-{kernel.label}"
            result = guest.boot(
                kernel, script, name, smp=1, icount=True, append=f"{bench.APPEND} nokaslr",
                timeout=TIMEOUT, files={f"{bench.MODULE}.ko": bench.build_module(kernel)},
                on_line=take,
                emulator=["-monitor", f"unix:{monitor},server,nowait", "-D", log])
            counter.kill()
    if not counted:
        raise Failure(f"the {kernel.what} has no {event} to hit in {TIMEOUT} s "
                      f"(log: {shown(result.log)})")
    return evaluate(kernel, symbols(kernel, lines), function_of(hit[0]), counted[0])


def evaluate(kernel, known, function, counted):
    """A profile from lines "address count"."""
    addresses = [address for address, _ in known]
    instructions, calls = collections.Counter(), collections.Counter()
    for address, count in re.findall(r"^([0-9a-f]+) (\d+)$", counted, re.MULTILINE):
        address = int(address, 16)
        index = bisect.bisect_right(addresses, address) - 1
        name = known[index][1] if index >= 0 else "user space"
        instructions[name] += int(count)
        if index >= 0 and addresses[index] == address:
            calls[name] += int(count)
    hits = calls[function]
    if not hits:
        raise Failure(f"{function}() was not hit among {LOGGED:,} instructions of the "
                      f"{kernel.what}")
    return Profile(hits, *(collections.Counter({name: count / hits for name, count in
                                                counts.items()})
                           for counts in (instructions, calls)))


def one_record(kernel):
    """Whether the profile of an event has one record for each hit: (ok, detail)."""
    event = "tracepoint_enabled"
    profile = run(kernel, event)
    calls = [profile.calls[f"ring_buffer_{name}"] for name in ("lock_reserve", "unlock_commit")]
    return all(0.95 <= count <= 1.05 for count in calls), \
        f"{event}: {calls[0]:.3f} and {calls[1]:.3f} for each of {profile.hits} hits"


def table(profiles, titles):
    """The two side by side, the dearest first."""
    def line(name, cells):
        return f"{name[:40]:40} {cells[0]:>24} {cells[1]:>24}"

    counts = {name: [profile.instructions[name] for profile in profiles]
              for profile in profiles for name in profile.instructions}
    yield line("function", titles)
    for name, values in sorted(counts.items(), key=lambda item: (-max(item[1]), item[0])):
        if max(values) >= LEAST:
            yield line(name, [f"{value:.1f} in {profile.calls[name]:.1f} calls" if value else "-"
                              for value, profile in zip(values, profiles)])
    for what, least in (("all others", LEAST), ("sum", float("inf"))):
        yield line(what, [f"{sum(column):.1f}" for column in zip(
            (0, 0), *(values for values in counts.values() if max(values) < least))])


def main(args):
    # Of what the benchmark's module calls.
    scripts = (bench.FILES / "insn.sh").read_text(encoding="utf-8")
    rows = {row.name.removeprefix("insn."): row for row in bench.ROWS
            if row.name.startswith("insn.")
            and re.search(rf"\b{row.figure.removeprefix('insn.')}\b", scripts)}
    if len(args) != 1 or args[0] not in rows:
        raise Failure("usage: make profile EVENT=NAME, a name of: " + " ".join(rows))
    row = rows[args[0]]
    patched = kernels.built()
    other = patched if row.of_patched else kernels.built(pristine=True)
    figures = [name.removeprefix("insn.") for name in (row.figure, row.other)]
    profiles = []
    for kernel, figure in zip((patched, other), figures):
        with ui.Step(f"profile {figure} of the {kernel.what}"):
            profiles.append(run(kernel, figure))
    title = figures[1] if figures[1] != figures[0] else "stock"
    lines = list(table(profiles, ("this kernel", title)))
    path = LOGS / f"profile-{args[0]}.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n" + "\n".join(lines) + "\n")
    print(f"done: instructions per hit, of {profiles[0].hits:,} and {profiles[1].hits:,} hits, "
          f"in {shown(path)}")
    return 0


if __name__ == "__main__":
    ui.main(main)
