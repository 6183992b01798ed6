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

# "lacks ARGUMENTS OF grep": no line matches, and all files could be read, unlike
# with "! grep".
lacks()
{
	grep "$@"
	[ $? -eq 1 ]
}

# Hundredths of a second.
now()
{
	cut -d ' ' -f 1 /proc/uptime | tr -d .
}

# Whether the kernel checks itself: then times and numbers of IPIs are its own.
checks_itself()
{
	[ -e /proc/lockdep ] || [ -e /sys/kernel/debug/kcsan ]
}

have_program()
{
	[ -x "$1" ] || skip "$(basename "$1") is not built"
}

# Called after each test; for scripts that have something to put back.
tidy()
{
	:
}

# "check DESCRIPTION COMMAND...": called twice for each test: to count, and to run
# with RUNNING set. A test has failed, has passed, or has called skip. With ONLY="words" in
# the environment, tests without these words in their descriptions are left out.
check()
{
	case "$1" in
	*"$ONLY"*)
		;;
	*)
		return ;;
	esac
	if [ -z "$RUNNING" ]; then
		KSFT_NUM_TESTS=$((KSFT_NUM_TESTS + 1))
		return
	fi
	description="$1"
	shift
	"$@"
	result=$?
	tidy
	case $result in
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

# "begin MODULE": a test with a module that has files in debugfs, $FILES, begins, in the
# directory of tracefs. $TMP is a directory. module_helpers.sh must be read before.
begin()
{
	TMP="$(mktemp -d)" || exit "$KSFT_FAIL"

	ktap_print_header

	[ "$(id -u)" -eq 0 ] || skip_all "must be run as root"
	present "$1" || skip_all "there is no module $1"
	find_mount debugfs /sys/kernel/debug || skip_all "there is no debugfs"
	FILES="$FOUND/$1"
	find_tracing || skip_all "there is no tracefs"
	cd "$TRACING" || exit "$KSFT_FAIL"
}

unmount()
{
	for mounted in $MOUNTED; do
		umount "$mounted"
	done
}

# What the kernel says when something is wrong.
SPLAT='\bBUG: |\bWARNING: |\bOops\b|general protection fault|KASAN: |UBSAN: |Call Trace:'
SPLAT="$SPLAT"'|possible recursive locking|possible circular locking|inconsistent lock state'
SPLAT="$SPLAT"'|suspicious RCU usage|INFO: task .* blocked'
MARK="$(basename "$0") $$"

# From here on clean_log looks.
mark_log()
{
	echo "$MARK" > /dev/kmsg
}

# The kernel has not complained since this or mark_log was called last. Data races are left to
# who reads the log: other code has some, and any of it may run beside a test.
clean_log()
{
	dmesg | sed -n "1h; 1!H; /$MARK/h; \${g; p}" | grep -v 'BUG: KCSAN: ' |
		grep -E "$SPLAT" | sed 's/^/# /' | grep . && return 1
	mark_log
}

LEAKS=/sys/kernel/debug/kmemleak

# Nothing was lost since "clear" was written to the file of kmemleak.
no_leaks()
{
	# Two scans, because an object may be young in the first.
	echo scan > $LEAKS && sleep 6 && echo scan > $LEAKS && lacks . $LEAKS
}
