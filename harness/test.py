#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every check and test of the project, from nothing, within an hour.

    test.py         the quick ftracetest selection
    test.py full    the whole ftracetest

The order is: what fails fast first, then one build of each kernel that all
tests share.
"""

import bench
import check
import ftracetest
import guest
import kernel as kernels
import results
import run
import ui
from ui import BUILD

KSELFTESTS = ("static_keys/test_static_keys.sh", "static_keys/test_static_branch_asm.sh")

KSELFTEST_SCRIPT = r"""
for test in $(cat /job/tests); do
	echo "@begin $test"
	cd /selftests/$(dirname $test) && ./$(basename $test)
	echo "@end $test $?"
done
exit 0
"""

# The modules whose loading is the test, for guests without a shell.
MODULES = ("test_static_key_base", "test_static_keys", "test_static_branch_asm")


def guest_trouble(found, group, result):
    """Record a guest that did not end as it should."""
    trouble = result.trouble()
    if trouble:
        found.add(group, "guest", False, f"{trouble} (log: build/log/)")


def kselftests(found, kernel, smp):
    """The kernel's selftests of static keys in an SMP guest."""
    group = f"kselftest x86_64, {smp} CPUs"
    log_name = f"kselftest-{smp}"
    statuses = {}

    def on_line(line):
        if line.startswith("@end "):
            _, test, status = line.split()
            statuses[test] = int(status)

    with ui.Step(group):
        result = guest.boot(kernel, KSELFTEST_SCRIPT, log_name, smp=smp, on_line=on_line,
                            files={"tests": "\n".join(KSELFTESTS) + "\n"}, timeout=300)
    output = ui.LOGS / f"{log_name}.log"
    output.write_text("\n".join(result.lines) + "\n", encoding="utf-8")
    guest_trouble(found, group, result)
    failing = {line.split("/", 1)[0] for line in result.lines if "[FAIL]" in line}
    for test in KSELFTESTS:
        status = statuses.get(test)
        # Here every module is built, so a skipped test is one that is lost;
        # and the base's script has no status for each of its failures.
        found.add(group, test, status == 0 and not failing,
                  "" if status == 0 else f"status {status} (log: {ui.shown(output)})")
    found.close(group)


def other_architecture(found, name):
    """Build, boot, and load the test modules on another architecture."""
    group = f"static branches on {name}"
    kernel = kernels.Kernel(name)
    kernel.build()
    with ui.Step(f"boot {name} and load the test modules"):
        result = guest.boot(kernel, "", f"modules-{name}", smp=2, memory="512M",
                            files={"modules": "\n".join(MODULES) + "\n"}, timeout=180)
    guest_trouble(found, group, result)
    said = "\n".join(result.lines)
    for module in MODULES:
        ok = any(line.startswith("ok ") and line.split()[2:3] == [module]
                 for line in result.lines)
        found.add(group, module, ok, "" if ok else
                  ("no report" if module not in said else "did not load"))
    found.close(group)


def demonstration(found, kernel):
    """What make run shows."""
    group = "make run"
    try:
        hits = run.demonstrate(kernel)
        found.add(group, "the sample event is in the trace", hits > 0, f"{hits} times")
    except ui.Failure as failure:
        found.add(group, "the sample event is in the trace", False, str(failure))
    found.close(group)


def main(args):
    full = "full" in args
    found = results.Results()
    check.fast(found)
    check.check_am(found)

    patched = kernels.Kernel("x86_64")
    pristine = kernels.Kernel("x86_64", pristine=True)
    patched.build()
    demonstration(found, patched)
    for smp in (2, 4):
        kselftests(found, patched, smp)
    for name in ("arm64", "riscv64"):
        other_architecture(found, name)
    check.check_sparse(found, patched)
    check.check_steps(found)
    pristine.build()
    ftracetest.both(found, pristine, patched, full, BUILD / "ftracetest.txt")
    for name, ok, detail in bench.repeatable(patched):
        found.add("benchmark", name, ok, detail)
    found.close("benchmark")
    return found.finish()


if __name__ == "__main__":
    ui.main(main)
