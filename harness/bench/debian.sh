# SPDX-License-Identifier: GPL-2.0-or-later
# All events, and all sites of dynamic debug, of a Debian system.

cd /root/job || exit
for pass in 1 2 3; do
	./toggle /sys/kernel/tracing/events/enable 1 debian_enable_all ipi time
	./toggle /sys/kernel/tracing/events/enable 0 debian_disable_all ipi time
	./toggle /proc/dynamic_debug/control +p debian_dyndbg_on ipi time
	./toggle /proc/dynamic_debug/control -p debian_dyndbg_off ipi time
done
