#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The markers of the kernel itself: that each can become an event, and that some are hit where
# they should be, with the values that they should have.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh
. "$DIR"/../kselftest/event_helpers.sh

# There are none when the test starts: all that are there are its own.
FE=marker_events
SYSTEM=markers
RUNNING=

clean_up()
{
	cd "$TRACING" || return
	tidy
	cd /
	rm -rf "$TMP"
	unmount
}

# "records EVENT": the records in the trace, without what comes before the text.
records()
{
	sed -n -e "s/^[^#].*: $1: //p" trace
}

# "recorded MARKER FILTER COMMAND...": what COMMAND leaves in $TMP/found.
recorded()
{
	marker="$1"
	filter="$2"
	shift 2
	accepted "$marker" && echo "$filter" > events/markers/"$marker"/filter || return
	echo > trace
	echo 1 > events/markers/enable
	"$@" > "$TMP/said" 2>&1
	status=$?
	echo 0 > events/markers/enable
	records "$marker" > "$TMP/found"
	[ $status -eq 0 ] || complain "$*: $(cat "$TMP/said")"
}

# "found PATTERN": each record matches, and there is one.
found()
{
	grep -q . "$TMP/found" && lacks -qvx "$1" "$TMP/found" ||
		complain "$(grep -vx "$1" "$TMP/found" | head -n 3), not $1"
}

# "in_function MARKER FUNCTION": each site is in the function, or in a part of it.
in_function()
{
	sites=/sys/kernel/debug/static_keys/sites
	grep -q " __marker_" $sites 2> /dev/null || { skip "sites are not listed"; return; }
	grep -qw "$1" available_markers || { skip "$1 is not compiled"; return; }
	awk -v key="__marker_$1" \
		'sub(/^\t/, "") { if (ours) print $4; next }
		 { ours = $6 ~ "^([^.]*[.])?" key "([.]|$)" }' $sites > "$TMP/found"
	found "$2[.+].*"
}

every()
{
	sed -n -e '/\[/d' -e '/# no event/d' -e 's/^o[nf]* \([^	]*\)	.*/\1/p' \
		available_markers > "$TMP/names"
	grep -q . "$TMP/names" || complain "there are none" || return
	while read -r name; do
		accepted "$name" && [ -e events/markers/"$name"/enable ] ||
			complain "$name" || return
	done < "$TMP/names"
}

# Faults of user space, which a new program always has, and writes to its memory.
user_faults()
{
	recorded mm_fault "flags & 0x40" sh -c "exec cat /proc/version" &&
		found "address 0x[0-9a-f]* ip 0x[1-9a-f][0-9a-f]* flags 0x[0-9a-f]* result 0x.*"
}

# The first page of an address space belongs to no program: no fault there gets so far.
no_null_faults()
{
	recorded mm_fault "address < 4096" sh -c "exec cat /proc/version" &&
		[ ! -s "$TMP/found" ] || complain "$(cat "$TMP/found")"
}

# As with mount() of busybox and others, and as with fsopen() of util-linux.
mounts()
{
	have_program "$DIR"/new_mount || return
	recorded fs_mount 'type == "tmpfs"' "$DIR"/new_mount scratch || return
	# SB_RDONLY is 1.
	found "device scratch type tmpfs flags 0x1"
}

old_mounts()
{
	have_program "$DIR"/new_mount || return
	mkdir "$TMP/mnt" &&
		recorded fs_mount 'type == "tmpfs"' "$DIR"/new_mount scratch "$TMP/mnt"
	status=$?
	umount "$TMP/mnt"
	rmdir "$TMP/mnt"
	[ $status -eq 0 ] && found "device scratch type tmpfs flags 0x1"
}

policy()
{
	command -v chrt > /dev/null || { skip "no chrt"; return; }
	chrt -f 5 true 2> /dev/null || { skip "no real time here"; return; }
	recorded sched_setscheduler "policy == 1" chrt -f 5 true &&
		found "pid [0-9]* comm .* policy 1 prio 94 oldprio 1[0-3][0-9]"
}

uevent()
{
	[ -e /sys/class/mem/null/uevent ] || { skip "no device null"; return; }
	recorded kobject_uevent 'name == "null"' \
		sh -c "echo change > /sys/class/mem/null/uevent" &&
		found "action change subsystem mem name null"
}

# A function event under the name of a marker, for when that is gone for good.
stands_in()
{
	[ -e function_events ] || { skip "no function events"; return; }
	echo "c:markers/fs_mount path_mount(string device, NULL, string type, x64 flags)" \
		>> function_events || return
	fields="$(sed -n 's/^\tfield:.* \([a-z]*\);\toffset.*/\1/p' events/markers/fs_mount/format |
		  tr '\n' ' ')"
	! define fs_mount
	refused=$?
	undefine
	echo '!markers/fs_mount' >> function_events || return
	[ $refused -eq 0 ] || complain "the marker got the same name" || return
	[ "$fields" = "device type flags " ] || complain "fields: $fields"
}

all()
{
	check "every marker can become an event" every
	check "mm_fault is in handle_mm_fault()" in_function mm_fault handle_mm_fault
	check "block_rq_timeout is where requests expire" \
		in_function block_rq_timeout "blk_mq_\(rq_timed_out\|\(check\|handle\)_expired\)"
	check "page faults of user space" user_faults
	check "no page fault at address 0" no_null_faults
	check "a file system that is mounted with fsopen()" mounts
	check "a file system that is mounted with mount()" old_mounts
	check "a change of the policy" policy
	check "a uevent" uevent
	check "a function event instead of a marker" stands_in
	check "no complaint in the log" clean_log
}

#
# Main
#

TMP="$(mktemp -d)" || exit "$KSFT_FAIL"

ktap_print_header

[ "$(id -u)" -eq 0 ] || skip_all "must be run as root"
find_tracing || skip_all "there is no tracefs"
cd "$TRACING" || exit "$KSFT_FAIL"
[ -e $FE ] || skip_all "there are no markers"
! grep -q . $FE || skip_all "there are marker events already"

trap clean_up EXIT
mark_log

all
ktap_set_plan "$KSFT_NUM_TESTS"
RUNNING=y
all
ktap_finished
