# SPDX-License-Identifier: GPL-2.0-or-later
# What an admin types to trace the base's trace-event sample, whose thread fires
# once a second, two events that Rust code calls: one defined in C, the other in Rust; a
# function of the kernel, by its prototype; and a marker, by its name.

cd /sys/kernel/tracing || exit 1
say() { echo "# $*"; eval "$*"; }
say modprobe trace-events-sample || exit 1
say 'echo 1 > events/sample-trace/foo_bar/enable' || exit 1
say modprobe test_rust_tracepoint || exit 1
say 'echo 1 > events/test_rust_tracepoint/test_c_first/enable' || exit 1
say 'echo 1 > events/test_rust_tracepoint/test_rust_first/enable' || exit 1
say "echo 'SyS_openat(int dfd, string path, x32 flags, x16 mode)' > function_events" || exit 1
say 'echo 1 > events/functions/SyS_openat/enable' || exit 1
say 'echo 1 > tracing_on' || exit 1
say 'cat /proc/version > /dev/null' || exit 1
say 'echo 0 > events/functions/SyS_openat/enable' || exit 1
say "grep fs_mount available_markers" || exit 1
say 'echo fs_mount > marker_events' || exit 1
say 'echo 1 > events/markers/fs_mount/enable' || exit 1
say 'mount -t tmpfs scratch /tmp' || exit 1
say 'echo 2 > /sys/module/test_rust_tracepoint/parameters/fire' || exit 1
sleep 3
say 'echo 0 > events/enable' || exit 1
say cat trace
