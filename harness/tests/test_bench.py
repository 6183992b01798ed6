# SPDX-License-Identifier: GPL-2.0-or-later
"""What the guests of bench.py run, where no row tells that it was skipped."""

import subprocess

import bench
from support import Case

FUNCTIONS = "a_b\nc_d [module]\nno.isra.0\ntwice_named\ntwice_named\ne_f\n"
ALL = ["p:a_b", "p:c_d", "p:e_f"]


class ManyEvents(Case):
    """many_events, which makes events of three functions here."""

    def test_events(self):
        (self.work / "available_filter_functions").write_text(FUNCTIONS, encoding="utf-8")
        events = self.work / "events"
        for name, count, file, *wanted in (
                ("as many as wanted", 2, "events", "", 0, ALL[:2]),
                ("all there are", 3, "events", "", 0, ALL),
                ("too few", 4, "events", "@error row only 3 events\n", 1, ALL),
                ("no such file", 1, "absent", "@error row no absent\n", 1, [])):
            events.write_text("", encoding="utf-8")
            script = (f". {bench.FILES}/many_events.sh\n"
                      f"many_events {count} row {file} 'p:$function'")
            shell = subprocess.run(["sh", "-c", script], cwd=self.work, stdout=subprocess.PIPE,
                                   text=True, check=False)
            self.equal(name, [shell.stdout, shell.returncode,
                              events.read_text(encoding="utf-8").split()], wanted)
