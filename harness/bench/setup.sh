# SPDX-License-Identifier: GPL-2.0-or-later
# What each machine starts with. CPUS is how many it must have; PATCHED is empty in the pristine
# kernel, which does not have all mechanisms.

cd /sys/kernel/tracing || exit 1
cpus=$(grep -c ^processor /proc/cpuinfo)
if [ "$cpus" != "$CPUS" ]; then
	echo "the guest has $cpus CPUs, not $CPUS"
	exit 1
fi
