# SPDX-License-Identifier: GPL-2.0
#
# What the scripts of this directory share: finding the module and the tracing
# directory, and leaving both as they were.
#
# Copyright (C) 2026 The static-key tracepoints developers

. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh

MODULE=test_rust_tracepoint
SYSTEM=test_rust_tracepoint
FIRE=/sys/module/$MODULE/parameters/fire

# "set_up FUNCTION": FUNCTION is what to call in the end, and on a signal; it
# must call put_back.
set_up()
{
	[ "$(id -u)" -eq 0 ] || skip_all "must be run as root"
	present $MODULE || skip_all "module $MODULE is not found"
	find_tracing || skip_all "no tracefs"
	[ -e "$TRACING/set_event" ] || skip_all "no trace events"
	LOADED=
	[ ! -d /sys/module/$MODULE ] || LOADED=y
	TMP="$(mktemp -d)" || exit "$KSFT_FAIL"
	trap "$1; exit $KSFT_FAIL" INT TERM
}

put_back()
{
	rm -rf "$TMP"
	if [ -z "$LOADED" ]; then
		unload $MODULE
	elif ! [ -d /sys/module/$MODULE ]; then
		modprobe -q $MODULE
	fi
	unmount
}
