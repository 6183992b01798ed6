# SPDX-License-Identifier: GPL-2.0-or-later
# What has become of the events on the kernel's command line; boot_events.lines is what it prints.

cd /sys/kernel/tracing || exit 1
cat events/initcall/enable events/raw_syscalls/enable events/sched/sched_process_exec/enable
grep -c -m 1 'initcall_finish: func=' trace
grep -o -m 1 'sched_process_exec: filename=/init ' trace
tail -n 1 /sys/kernel/debug/static_keys/check | grep -o ' 0 mismatches'
echo 0 > events/enable
echo 1 > events/functions/enable
echo 1 > events/boot/enable
cat function_events
cat events/functions/kernel_execve/enable events/boot/open/enable
grep -m 1 -o 'kernel_execve(path="/init", line=0x0(fault)) -> ret=0 ' trace
sed -n 's/.*\(populate_rootfs(line="\)..*\("\.\.\.) -> ret=0 \).*/\1\2/p' trace
echo 0 > events/functions/kernel_execve/enable
echo 0 > events/boot/open/enable
sleep 1
cat enabled_functions
dmesg | grep -o 'cannot add "no_such_function(int a)": -2'
dmesg | grep -o 'cannot add "no_such_marker": -2'
cat marker_events
modprobe test_marker
cat marker_events
grep -o 'test_marker_init: i 2' trace
