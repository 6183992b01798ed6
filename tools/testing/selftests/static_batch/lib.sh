# SPDX-License-Identifier: GPL-2.0
#
# What the scripts of this directory share.
#
# Copyright (C) 2026 The static-key tracepoints developers

. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh

TEST=test_static_batch

# The control file of dynamic debug, or nothing.
find_dynamic_debug()
{
	for DDEBUG in /proc/dynamic_debug/control /sys/kernel/debug/dynamic_debug/control; do
		[ ! -w $DDEBUG ] || return 0
	done
	DDEBUG=
}

# "set_up FUNCTION": FUNCTION is what to call on a signal; it must call put_back.
set_up()
{
	[ "$(id -u)" -eq 0 ] || skip_all "must be run as root"
	find_tracing || skip_all "no tracefs"
	[ -e "$TRACING/set_event" ] || skip_all "no trace events"
	find_dynamic_debug
	TMP="$(mktemp -d)" || exit "$KSFT_FAIL"
	trap "$1; exit $KSFT_FAIL" INT TERM
	# Thousands of messages of dynamic debug take minutes on a serial console.
	read -r CONSOLE_LEVEL others < /proc/sys/kernel/printk
	dmesg -n 1
	mark_log
}

put_back()
{
	dmesg -n "$CONSOLE_LEVEL"
	rm -rf "$TMP"
	unmount
}

# What is enabled by somebody else does not come into this.
all_off()
{
	echo 0 > "$TRACING/events/enable" || return
	[ -z "$DDEBUG" ] || echo "module * -p" > $DDEBUG
}

# "kill_writer SECONDS": enable and disable all events for so long, and be killed in the middle.
kill_writer()
{
	while :; do
		echo 1 > "$TRACING/events/enable"
		echo 0 > "$TRACING/events/enable"
	done > /dev/null 2>&1 &
	writer=$!
	sleep "$1"
	kill -s KILL $writer
	wait $writer 2> /dev/null
}

# Every site of every static key is as its key says, where that can be asked.
CONSISTENT=/sys/kernel/debug/static_keys/check
consistent()
{
	cat $CONSISTENT > "$TMP/check" || return
	unread=$(sed -n 's/ sites not read$//p' "$TMP/check")
	all=$(sed -n 's/.*, \([0-9]*\) sites, .*/\1/p' "$TMP/check")
	[ "${all:-0}" -gt $((2 * ${unread:-0})) ] ||
		complain "$unread of $all sites not read" || return
	tail -n 1 "$TMP/check" | grep -q '\b0 mismatches' && return
	tail -n 20 "$TMP/check" | sed 's/^/# /'
	return 1
}
