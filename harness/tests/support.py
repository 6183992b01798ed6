# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the harness have in common."""

import os
import pathlib
import tempfile
import unittest
from unittest import mock


class Case(unittest.TestCase):
    """Has a directory WORK, and changes what it tests only while it runs."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)

    def put(self, where, **values):
        """Set attributes of a module or an object."""
        for name, value in values.items():
            patch = mock.patch.object(where, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def environ(self, **values):
        """Set variables of the environment; None removes one."""
        patch = mock.patch.dict(os.environ)
        patch.start()
        self.addCleanup(patch.stop)
        for name, value in values.items():
            os.environ.pop(name, None)
            os.environ.update({name: value} if value else {})

    def equal(self, name, got, wanted):
        """A subtest: GOT is WANTED."""
        with self.subTest(name):
            self.assertEqual(got, wanted)

    def true(self, name, ok, said=None):
        """A subtest: OK is true; SAID is shown if not."""
        with self.subTest(name):
            self.assertTrue(ok, said)
