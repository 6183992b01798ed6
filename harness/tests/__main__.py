# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the tests of the harness with unittest, and write KTAP.

    python3 harness/tests [FILE...]    those of some test_*.py; without one, all

Each test is a result, or if it has subtests, each of these.
"""

import contextlib
import io
import pathlib
import sys
import traceback
import unittest

HERE = pathlib.Path(__file__).absolute().parent
sys.path.insert(0, str(HERE.parent))

import ktap  # pylint: disable=wrong-import-position


class Result(unittest.TestResult):
    """Writes each result as it comes."""

    def __init__(self, writer):
        super().__init__()
        self.writer = writer
        self.parts = 0

    def write(self, test, error=None):
        words = ""
        if error:
            # What was raised, and then where.
            words = "".join([*traceback.format_exception_only(*error[:2]),
                             *traceback.format_tb(error[2], -2)])
        self.writer.add(test.id(), not error, words)

    def startTest(self, test):
        super().startTest(test)
        self.parts = 0

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        self.parts += 1
        self.write(subtest, err)

    def addSuccess(self, test):
        super().addSuccess(test)
        if not self.parts:
            self.write(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.write(test, err)

    addError = addFailure


def main(names):
    writer = ktap.Writer(sys.stdout)
    # What the harness says is for its user.
    with contextlib.redirect_stdout(io.StringIO()):
        for name in names or ["test_*.py"]:
            unittest.defaultTestLoader.discover(str(HERE), name).run(Result(writer))
    return writer.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
