# SPDX-License-Identifier: GPL-2.0
#
# Helpers for tests of trace events, on top of ktap_helpers.sh.
#
# Copyright (C) 2026 The static-key tracepoints developers

skip_all()
{
	ktap_skip_all "$@"
	exit "$KSFT_SKIP"
}

# Sets TRACING to where tracefs is. If it is nowhere it is mounted, and MOUNTED set
# for the caller to undo that.
find_tracing()
{
	TRACING="$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)"
	[ -z "$TRACING" ] || return 0
	grep -qw tracefs /proc/filesystems || return
	TRACING=/sys/kernel/tracing
	mount -t tracefs nodev $TRACING && MOUNTED=y
}
