# SPDX-License-Identifier: GPL-2.0-or-later
# Whole programs.

for pass in 1 2 3; do
	workloads ''
done
# More of it than a trace holds.
for system in sched syscalls kmem exceptions; do
	echo 1 >events/$system/enable
done
for pass in 1 2 3; do
	workloads _traced
done
echo 0 >events/enable
