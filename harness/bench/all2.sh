# SPDX-License-Identifier: GPL-2.0-or-later
# All events on 2 CPUs.

for pass in 1 2 3; do
	toggle_all _2cpus ipi
done
