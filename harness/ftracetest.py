# SPDX-License-Identifier: GPL-2.0-or-later
"""The base's ftracetest in a guest, test by test, across crashes.

Each test is one call of ftracetest, so that its result is known before the
next one starts. A test that ends the guest is recorded as "CRASH" and the
guest is booted again to go on behind it.
"""

import pathlib
import re

import guest
import ui
from ui import LOGS, Failure, shown

TESTS = "tools/testing/selftests/ftrace/test.d"

# The quick run: what static keys, tracepoints and events have to do with. The
# test left out patches all functions forty times, minutes under emulation.
QUICK = ("00basic", "dynevent", "event", "instances", "trigger", "kprobe", "direct")
NOT_QUICK = ("direct/ftrace-direct.tc",)

# Seconds that one test may take before it counts as hung.
LIMIT = 600

SCRIPT = r"""
cd /selftests/ftrace || exit 1
for test in $(cat /job/tests); do
	echo "ftracetest: begin $test" >/dev/kmsg
	echo "@begin $test"
	timeout -s KILL %(limit)d ./ftracetest -l /tmp/log "test.d/$test" >/tmp/out 2>&1
	status=$?
	# A test that was killed leaves its last line without an end.
	if ! grep -q '\[PASS\]' /tmp/out; then
		cat /tmp/out /tmp/log/*.log | tail -n 60 | sed 's/^/# /'
		echo
	fi
	if [ $status -eq 137 ]; then
		echo "@outcome TIMEOUT"
	else
		sed -n 's/^\[[0-9]*\].*\[\([A-Z]*\)\]$/@outcome \1/p' /tmp/out
	fi
	rm -rf /tmp/log /tmp/out
	echo "ftracetest: end $test" >/dev/kmsg
	echo "@end $test"
done
exit 0
"""


def selection(source, full):
    """The .tc files below test.d, in the order ftracetest runs them."""
    top = source / TESTS
    tests = sorted(path.relative_to(top) for path in top.rglob("*.tc"))
    return [str(path) for path in tests
            if full or (path.parts[0] in QUICK and str(path) not in NOT_QUICK)]


def run(kernel, tests, step=None, smp=2):
    """Run some tests on one kernel: {test: outcome}.

    The outcome is ftracetest's own word, or two joined with "/" for a test
    that also runs in an instance; CRASH and TIMEOUT for a test that took the
    guest with it; SPLAT is added when the kernel's log complained meanwhile.
    """
    left = list(tests)
    outcomes = {}
    boots = 0
    while left:
        boots += 1
        name = f"ftracetest-{kernel.label}-{len(tests)}-{boots}"
        state = {"running": None, "words": []}

        def on_line(line, state=state):
            if line.startswith("@begin "):
                state["running"] = line.split()[1]
                state["words"] = []
                if step:
                    step.note = state["running"]
            elif line.startswith("@outcome "):
                state["words"].append(line.split()[1])
            elif line.startswith("@end "):
                outcomes[state["running"]] = "/".join(state["words"]) or "UNDEFINED"
                state["running"] = None
                if step:
                    step.advance()

        result = guest.boot(
            kernel, SCRIPT % {"limit": LIMIT}, name, smp=smp, memory="1G",
            files={"tests": "\n".join(left) + "\n"}, on_line=on_line,
            timeout=3 * 3600, idle=LIMIT + 60)
        if state["running"]:
            outcomes[state["running"]] = "TIMEOUT" if result.timed_out else "CRASH"
            if step:
                step.advance()
        elif result.crashed:
            raise Failure(f"{kernel.what}: the guest died between two tests "
                          f"(log: build/log/console-{name}.log)")
        for test in splats_by_test(LOGS / f"console-{name}.log"):
            if not outcomes.get(test, "CRASH").startswith(("CRASH", "TIMEOUT")):
                outcomes[test] += "+SPLAT"
        left = [test for test in left if test not in outcomes]
    return outcomes


def splats_by_test(log):
    """The tests during which the kernel's log complained."""
    running, found = None, set()
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        match = re.search(r"ftracetest: (begin|end) (\S+)", line)
        if match:
            running = match.group(2) if match.group(1) == "begin" else None
        elif running and guest.SPLAT.search(line):
            found.add(running)
    return found


def passed(outcome):
    """Whether an outcome is one that a test may have on a healthy kernel."""
    return bool(re.fullmatch(r"(PASS|XFAIL)(/(PASS|XFAIL))*( \(first .*\))?", outcome))


def compare(found, pristine, patched, report):
    """What passes on the pristine base must pass on the patched kernel.

    A test that the patched kernel fails and the pristine one fails as well is
    no regression and counts as skipped; one that only exists on the patched
    kernel must pass or be unsupported.
    """
    group = "ftracetest"
    width = max(len(test) for test in patched)
    lines = [f"{'test':{width}}  {'pristine':14} patched"]
    for test in sorted(set(pristine) | set(patched)):
        before, after = pristine.get(test, "-"), patched.get(test, "-")
        mark = ""
        if passed(after):
            mark = "" if passed(before) or before == "-" else "fixed"
            found.add(group, test, True, f"{before} -> {after}" if mark else "")
        elif passed(before):
            mark = "REGRESSION"
            found.add(group, test, False, f"{before} on the pristine base, {after} here")
        else:
            found.add(group, test, None, f"{before} on the pristine base, {after} here")
        lines.append(f"{test:{width}}  {before:14} {after:14} {mark}".rstrip())
    pathlib.Path(report).write_text("\n".join(lines) + "\n", encoding="utf-8")
    found.close(group)


def both(found, pristine, patched, full, report):
    """Run the tests on both kernels at the same time and compare."""
    tests = {kernel.label: selection(kernel.source, full) for kernel in (pristine, patched)}
    for kernel in (pristine, patched):
        if not tests[kernel.label]:
            raise Failure(f"{shown(kernel.source)} has no ftracetest")
        # Both guests start at once; what they share is made before.
        guest.root_image(kernel)
    total = sum(len(names) for names in tests.values())
    with ui.Step(f"ftracetest on both kernels ({'all' if full else 'quick'})", total) as step:
        before, after = ui.parallel(lambda kernel: run(kernel, tests[kernel.label], step),
                                    (pristine, patched))
    # Some tests depend on timing and fail now and then on either kernel: what
    # ftracetest reports is held against the patched one if it comes a second
    # time, alone. A crash, a hang or a splat counts at once.
    again = [test for test, outcome in after.items()
             if not passed(outcome) and passed(before.get(test, "-"))
             and not re.search("CRASH|TIMEOUT|SPLAT", outcome)]
    if again:
        with ui.Step("failed tests a second time", len(again)) as step:
            for test, outcome in run(patched, again, step).items():
                after[test] = f"{outcome} (first {after[test]})"
    compare(found, before, after, report)
