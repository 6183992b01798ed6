# SPDX-License-Identifier: GPL-2.0-or-later
"""accel.py with programs that behave as QEMU on a machine whose KVM works, or does not."""

import contextlib
import io
import os
import pathlib
import time

import accel
import guest
import ui
from support import Case

# A program that behaves as one.
GUEST = pathlib.Path(__file__).parent / "accel" / "guest"
# What KVM does, ACCEL, and the verdict before; then what the job prints, how the guest ends and
# the verdict after.
CASES = (
    ("works", None, None, ["by kvm"], 0, "kvm\n"),
    # It is not run again.
    ("panics", None, None, [], 0, "kvm\n"),
    ("takes long", None, None, ["still here"], ui.TIMED_OUT, ""),
    ("works", None, "tcg: it was seen to hang\n", ["by tcg"], 0, "tcg: it was seen to hang\n"),
    ("works", "tcg", None, ["by tcg"], 0, ""),
    ("works", "kvm", "tcg: it was seen to hang\n", ["by kvm"], 0, "tcg: it was seen to hang\n"),
    ("hangs", "kvm", None, [], ui.TIMED_OUT, ""),
)


class Accel(Case):
    """Guests on a machine with KVM."""

    def setUp(self):
        super().setUp()
        self.put(accel, VERDICT=self.work / "accel", FIRST_WORDS=1, SILENCE=1)
        self.kvm = True
        really = os.access
        self.put(os, access=lambda path, mode: self.kvm if path == "/dev/kvm"
                 else really(path, mode))

    def run_guest(self, kind, choice=None, before=None):
        """Returns what the job printed, how the guest ended, the verdict, and what was said."""
        lines, console = [], self.work / "console"
        self.environ(ACCEL=choice)
        accel.VERDICT.unlink(missing_ok=True)
        if before:
            accel.VERDICT.write_text(before, encoding="utf-8")

        def take(line):
            if line is None:
                lines.clear()
            else:
                lines.append(line)

        with contextlib.redirect_stdout(io.StringIO()) as said:
            end = accel.run(
                lambda name: [GUEST, kind, name, console], "tcg", self.work / "log", console, take,
                lambda: "@exit 0" in lines or bool(guest.splats(console)), kvm=True, timeout=3)
        verdict = accel.VERDICT.read_text(encoding="utf-8") if accel.VERDICT.exists() else ""
        printed = [line for line in dict.fromkeys(lines) if line != "@exit 0"]
        return printed, end, verdict, said.getvalue()

    def test_kvm_fails(self):
        for kind in ("dies", "hangs", "boots only sectors", "dies later", "falls silent"):
            began = time.monotonic()
            with self.subTest(kind):
                printed, end, verdict, said = self.run_guest(kind)
                self.assertEqual((printed, end), (["by tcg"], 0))
                self.assertEqual((self.work / "console").read_text(encoding="utf-8"),
                                 "Linux version\n")
                self.assertTrue(verdict.startswith("tcg: "), verdict)
                self.assertRegex(said, r"^KVM does not work here .*\n$")
                if kind == "hangs":
                    self.assertLess(time.monotonic() - began, 2.9)

    def test_choice(self):
        for kind, choice, before, *wanted in CASES:
            with self.subTest(f"KVM {kind}", choice=choice, before=before):
                self.assertEqual(self.run_guest(kind, choice, before), (*wanted, ""))

    def test_verdict_is_withdrawn(self):
        printed, _, verdict, _ = self.run_guest("falls silent", before="kvm\n")
        self.assertEqual(printed, ["by tcg"])
        self.assertTrue(verdict.startswith("tcg"))

    def test_wrong_choice(self):
        with self.assertRaisesRegex(ui.Failure, "kvm or tcg"):
            self.run_guest("works", "qvm")

    def test_no_kvm(self):
        self.kvm = False
        self.assertEqual(self.run_guest("works"), (["by tcg"], 0, "", ""))
