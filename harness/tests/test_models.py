# SPDX-License-Identifier: GPL-2.0-or-later
"""models.py takes each barrier out of a test, and notices one that is not needed."""

import models
from support import Case

TEXT = """C test

(*
 * Result: Never
 *
 * P0 has smp_wmb();
 *)

{}

P0(int *a, int *b)
{
	WRITE_ONCE(*a, 1);
	smp_wmb();
	WRITE_ONCE(*b, 1);
}

P1(int *a, int *b)
{
	int r0;
	int r1;

	rcu_read_lock();
	r0 = READ_ONCE(*b);
	smp_rmb();
	r1 = READ_ONCE(*a);
	rcu_read_unlock();
}

exists (1:r0=1 /\\ 1:r1=0)
"""


class Models(Case):
    def test_weaker(self):
        found = dict(models.weaker(TEXT))
        self.equal("barriers of the code", list(found),
                   ["smp_wmb() in line 14", "smp_rmb() in line 25", "rcu_read_lock()"])
        for name, text in found.items():
            self.equal(f"the comment without {name}", text.partition("{}")[0],
                       TEXT.partition("{}")[0])

    def test_result(self):
        herd = models.command()
        if not herd:
            self.skipTest("no herd7")
        found = dict(models.weaker(TEXT))
        for name, text, wanted in (("whole", TEXT, "Never"),
                                   ("without a barrier", found["smp_wmb() in line 14"], "Sometimes"),
                                   ("without what is not needed", found["rcu_read_lock()"], "Never")):
            self.equal(name, models.result(herd, text, self.work), wanted)
        with self.assertRaises(models.Failure):
            models.result(herd, TEXT.replace("smp_wmb", "smp_none"), self.work)
