#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Markers of modules that come and go.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "the init function of a module" in_init
	check "the first init function of a module" in_first_init
	check "a second marker if the first is not there" fallback
	check "a marker that goes and comes" gone
	check "a marker that comes with another format" changed
	check "a module with another format" clash
	check "no complaint in the log" clean_log
}

# Waits for the module, and is on before its init function runs.
in_init()
{
	unload $MODULE
	accepted "test_marker:test_marker_init" || return
	grep -qx "test_marker:test_marker_init	# waits for module test_marker" $FE ||
		complain "$(cat $FE)" || return
	echo > trace
	modprobe $MODULE && grep -qx "test_marker:test_marker_init" $FE || complain "$(cat $FE)" ||
		return
	unload $MODULE
	echo 1 > events/markers/enable
	modprobe $MODULE
	echo 0 > events/markers/enable
	[ "$(records test_marker_init | tr '\n' ';')" = "i 0;i 1;i 2;" ] &&
		[ "$(count init)" -eq 3 ] || complain "$(records test_marker_init)"
}

# As in_init, but its format is not known before the module is there.
in_first_init()
{
	unload $MODULE
	accepted " + test_marker:test_marker_init " || { modprobe $MODULE; return 1; }
	waits="$(cat $FE)"
	echo > trace
	modprobe $MODULE
	found="$(records test_marker_init | tr '\n' ';')"
	on="$(cat events/markers/test_marker_init/enable)"
	[ "$waits" = "+test_marker:test_marker_init	# waits for module test_marker" ] ||
		complain "$waits" || return
	[ "$found" = "i 0;i 1;i 2;" ] && [ "$on" = 1 ] || complain "$on: $found" || return
	undefine
	# One that is there already, and one that is taken back.
	accepted "+test_marker_ten" && [ "$(cat events/markers/test_marker_ten/enable)" = 1 ] &&
		[ "$(cat $FE)" = test_marker_ten ] && echo > trace && echo 1 > $FIRE &&
		[ "$(records test_marker_ten)" = "1 2 3 4 5 6 7 8 9 10" ] || return
	undefine
	accepted "+missing:no_such_marker" && define "!$(cat $FE)" && lacks . $FE
}

fallback()
{
	accepted "m:either test_marker_inlined|test_marker_fallback" || return
	echo 1 > events/markers/enable
	unload $MODULE
	grep -q "# marker is gone" $FE || complain "$(cat $FE)" || return
	modprobe test_marker_fallback
	grep -q "# connected to test_marker_fallback" $FE || complain "$(cat $FE)" || return
	echo > trace
	echo 1 > /sys/module/test_marker_fallback/parameters/fire
	modprobe $MODULE
	lacks "#" $FE || return
	# The first is back, and the other is no longer connected.
	echo 1 > /sys/module/test_marker_fallback/parameters/fire
	echo 1 > $FIRE
	unload test_marker_fallback
	[ "$(records either | sort | tr '\n' ';')" = \
		"file 1 nr 0;file 2 nr 0;file 3 nr 0;file 4 nr 5;" ] || complain "$(records either)"
}

gone()
{
	accepted "test_marker_ten" || return
	echo 1 > events/markers/enable
	unload $MODULE
	grep -qx "test_marker_ten	# marker is gone" $FE || complain "$(cat $FE)" || return
	[ "$(cat events/markers/enable)" = 1 ] || return
	modprobe $MODULE
	grep -qx "test_marker_ten" $FE || complain "$(cat $FE)" || return
	echo > trace
	echo 2 > $FIRE
	[ "$(records test_marker_ten | wc -l)" -eq 2 ]
}

# Not connected to that one, whose init function hits it, and again when its own is back.
changed()
{
	present test_marker_clash || { skip "no module with another format"; return; }
	changed_format
	status=$?
	undefine
	[ ! -d /sys/module/test_marker_clash ] || unload test_marker_clash
	modprobe $MODULE
	return $status
}

changed_format()
{
	accepted "test_marker_int" && accepted "m:either test_marker_inlined|test_marker_int" ||
		return
	cp $FE "$TMP/lines"
	echo 1 > events/markers/enable
	echo > trace
	unload $MODULE
	modprobe test_marker_clash || return
	grep -qx "test_marker_int	# marker has another format now" $FE &&
		grep -q "^m:.*	# marker is gone" $FE || complain "$(cat $FE)" || return
	lacks "test_marker_int: \|either: " trace || complain "$(cat trace)" || return
	unload test_marker_clash
	modprobe $MODULE || return
	cmp $FE "$TMP/lines" || complain "$(cat $FE)" || return
	echo 1 > $FIRE
	[ "$(records test_marker_int | grep -c '^d=-1 ')" -eq 1 ] || complain "$(cat trace)"
}

clash()
{
	present test_marker_clash || { skip "no module with another format"; return; }
	clash_both_ways
	status=$?
	undefine
	unload test_marker_clash
	unload $MODULE
	modprobe $MODULE && return $status
}

# "available_ints": the modules that have the marker.
available_ints()
{
	sed -n 's/^o[nf]* test_marker_int \[\(.*\)\].*/\1/p' available_markers | tr '\n' ' '
}

# It is loaded, but its marker is never hit: what it would pass is an address, and the event
# expects numbers.
clash_both_ways()
{
	accepted test_marker_int || return
	echo 1 > events/markers/enable
	echo > trace
	echo "clash $$" > /dev/kmsg
	modprobe test_marker_clash || complain "it was not loaded" || return
	said_since "clash $$" |
		grep -q 'marker: test_marker_int: "other %s" is another format than "d=' ||
		complain "nothing was said" || return
	found="$(records test_marker_int)"
	[ -z "$found" ] || complain "$found" || return
	[ "$(available_ints)" = "$MODULE " ] || complain "$(available_ints)" || return
	echo 1 > $FIRE
	[ "$(records test_marker_int | grep -c '^d=-1 ')" -eq 1 ] || complain "$(cat trace)" ||
		return
	undefine
	# The other way around, all other markers of the module work.
	unload $MODULE
	unload test_marker_clash
	modprobe test_marker_clash && modprobe $MODULE || complain "it was not loaded" || return
	[ "$(available_ints)" = "test_marker_clash " ] || complain "$(available_ints)" || return
	accepted "+test_marker_int" && accepted "+test_marker_ten" || return
	echo 1 > $FIRE
	[ -z "$(records test_marker_int)" ] &&
		[ "$(records test_marker_ten)" = "1 2 3 4 5 6 7 8 9 10" ] || complain "$(cat trace)"
}

run_tests
