# SPDX-License-Identifier: GPL-2.0
#
# Helpers for tests of what tracing shows and does, on top of ktap_helpers.sh.
#
# Copyright (C) 2026 The static-key tracepoints developers

skip_all()
{
	ktap_skip_all "$@"
	exit "$KSFT_SKIP"
}

# For a test that cannot be done: "skip REASON; return".
skip()
{
	REASON="$*"
	return "$KSFT_SKIP"
}

complain()
{
	ktap_print_msg "$@"
	return 1
}

# "check DESCRIPTION COMMAND...": called twice for each test: to count, and to run
# with RUNNING set. A test has failed, has passed, or has called skip.
check()
{
	if [ -z "$RUNNING" ]; then
		KSFT_NUM_TESTS=$((KSFT_NUM_TESTS + 1))
		return
	fi
	description="$1"
	shift
	"$@"
	case $? in
	0)
		ktap_test_pass "$description" ;;
	"$KSFT_SKIP")
		ktap_test_skip "$description ($REASON)" ;;
	*)
		ktap_test_fail "$description" ;;
	esac
}

MOUNTED=

# "find_mount TYPE DIRECTORY": sets FOUND to where a file system is; if it is
# nowhere, mounts it there until unmount.
find_mount()
{
	FOUND="$(awk -v type="$1" '$3 == type { print $2; exit }' /proc/mounts)"
	[ -z "$FOUND" ] || return 0
	grep -qw "$1" /proc/filesystems || return
	mount -t "$1" nodev "$2" && FOUND="$2" && MOUNTED="$2 $MOUNTED"
}

find_tracing()
{
	find_mount tracefs /sys/kernel/tracing && TRACING="$FOUND"
}

unmount()
{
	for mounted in $MOUNTED; do
		umount "$mounted"
	done
}
