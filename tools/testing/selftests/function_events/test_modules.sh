#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Function events of functions in a module that comes and goes.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "a module that goes takes its events along" module_goes
	check "a module that is not loaded yet" module_comes
	check "a definition as long as can be, of such a module" longest_waits
	check "a module that comes back at another place" module_moves
	check "a module that comes back without what an event needs" module_changes
}

module_goes()
{
	accepted "test_func_wide(int a)" && accepted "$MODULE:test_func_none()" &&
	accepted "vfs_open()" || return
	echo 1 > events/functions/enable
	unload $MODULE
	modprobe $MODULE
	[ ! -d events/functions/test_func_wide ] && [ -d events/functions/test_func_none ] || return
	echo > trace
	call 1
	found="$(records test_func_none)"
	undefine
	[ "$found" = "->test_func_none()" ] || complain "found: $found"
}

module_comes()
{
	unload $MODULE
	accepted "$MODULE:test_func_wide(int a) -> s64" &&
	accepted "$MODULE:no_such_function()" || { modprobe $MODULE; return 1; }
	waits="$(grep -c '# waits for module test_func_event$' $FE)"
	echo 1 > events/functions/enable
	modprobe $MODULE
	call 1
	found="$(records test_func_wide)"
	still="$(grep -c '# waits' $FE) $(grep -c "no_such_.*# does not fit module $MODULE\$" $FE)"
	unload $MODULE
	gone="$(grep -c '# waits' $FE)"
	modprobe $MODULE
	undefine
	[ "$found" = "->test_func_wide(a=-32) -> ret=-5000000000 (ns)" ] || {
		complain "found: $found"
		return
	}
	[ "$waits, $still, $gone" = "2, 0 1, 2" ] || complain "waits: $waits, $still, $gone"
}

longest_waits()
{
	start="$MODULE:test_func_wide(int a"
	unload $MODULE
	accepted "$start$(printf "%$((2047 - ${#start} - 1))s" ""))"
	status=$?
	echo 1 > events/functions/enable
	modprobe $MODULE
	shown="$(cat $FE)"
	echo > trace
	call 1
	found="$(records test_func_wide)"
	undefine
	[ $status -eq 0 ] && [ ${#shown} -eq 2047 ] && [ "$found" = "->test_func_wide(a=-32)" ] ||
		complain "${#shown} characters, $found"
}

# What the module has at an address is something else when it is gone.
module_moves()
{
	data=test_func_event_data
	value=0x1122334455667788
	accepted "$MODULE:test_func_none(x64 d = $data)" &&
	accepted "c:functions/file vfs_open(x64 d = $data)" || return
	# Without type information, there is nothing to find again.
	wanted=
	if btf accepted "$MODULE:test_func_item(item->number)"; then
		wanted="->test_func_item(item_number=1)"
	elif [ -e /sys/kernel/btf/$MODULE ]; then
		return 1
	fi
	echo 1 > events/functions/enable
	unload $MODULE
	echo > trace
	cat /proc/version > /dev/null
	without="$(records file | sort -u)"
	# Something else takes its place, if there is something.
	modprobe -q test_marker
	modprobe $MODULE
	unload test_marker
	echo > trace
	call 1
	none="$(records test_func_none)"
	item="$(records test_func_item)"
	file="$(records file | sort -u)"
	undefine
	case "$without" in
	*"->vfs_open(d=0x0(fault))") ;;
	*) complain "without: $without"; return ;;
	esac
	[ "$none" = "->test_func_none(d=$value)" ] &&
	[ -z "$(echo "$file" | grep -v "d=$value)$")" ] && [ -n "$file" ] || {
		complain "$none $file"
		return
	}
	[ "$item" = "$wanted" ] || complain "$item instead of $wanted"
}

# The symbol is one of another module. What is said about it is said once.
module_changes()
{
	modprobe -q test_marker || { skip "there is no test_marker"; return; }
	accepted "$MODULE:test_func_none(x8 first = fire_numbers)"
	status=$?
	echo 1 > events/functions/enable
	call 1
	before="$(records test_func_none)"
	unload $MODULE
	unload test_marker
	waits="$(cat $FE)"
	echo "changes $$" > /dev/kmsg
	modprobe $MODULE
	changed="$(cat $FE)"
	said="$(dmesg | sed -n "/changes $$/,\$p" | grep -c 'function_events: .*not as it was')"
	echo > trace
	call 1
	between="$(records test_func_none)"
	unload $MODULE
	gone="$(cat $FE)"
	modprobe test_marker
	modprobe $MODULE
	call 1
	after="$(records test_func_none)"
	now="$(cat $FE)"
	undefine
	unload test_marker
	line="$MODULE:test_func_none(x8 first = fire_numbers)"
	[ $status -eq 0 ] && [ "$now" = "$line" ] &&
	[ "$waits" = "$line	# waits for module $MODULE" ] && [ "$gone" = "$waits" ] &&
	[ "$changed" = "$line	# does not fit module $MODULE" ] && [ "$said" -eq 1 ] ||
		complain "said $said times; $waits; $changed; $gone; $now" || return
	[ -n "$before" ] && [ -z "$between" ] && [ "$after" = "$before" ] ||
		complain "$before; $between; $after"
}

run_tests
