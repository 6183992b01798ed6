# SPDX-License-Identifier: GPL-2.0-or-later
# What of the series a kernel refuses that is locked down: first at "integrity", as it was
# booted, then at "confidentiality". A line for each: what, and the error or "done".

try()
{
	error=$(sh -c "$2" 2>&1 >/dev/null) && error="done"
	echo "$level: $1: ${error##*: }"
}

try_all()
{
	level=$1
	try "function_events" "echo vfs_open >>/sys/kernel/tracing/function_events"
	try "function_prototype" "echo vfs_open >/sys/kernel/tracing/function_prototype"
	try "marker_events" "echo fs_mount >>/sys/kernel/tracing/marker_events"
	try "dynamic_events" "echo 'c:another vfs_open' >>/sys/kernel/tracing/dynamic_events"
	try "a function event" "echo 1 >/sys/kernel/tracing/events/functions/vfs_open/enable"
	try "a marker event" "echo 1 >/sys/kernel/tracing/events/markers/fs_mount/enable"
	try "trace" "cat /sys/kernel/tracing/trace"
	try "static_keys/sites" "cat /sys/kernel/debug/static_keys/sites"
	try "static_keys/check" "cat /sys/kernel/debug/static_keys/check"
	try "tracepoints" "cat /sys/kernel/debug/tracepoints"
	try "an unsigned module" "insmod /job/unsigned.ko"
}

mount -t securityfs none /sys/kernel/security
try_all integrity
echo confidentiality >/sys/kernel/security/lockdown
try_all confidentiality
echo "$(dmesg | grep -c 'Lockdown: .*: use of tracefs is restricted') messages"
