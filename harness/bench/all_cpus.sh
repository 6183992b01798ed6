# SPDX-License-Identifier: GPL-2.0-or-later
# All events on another number of CPUs.

for pass in 1 2 3; do
	toggle_all "_${CPUS}cpus" ipi time
done
