#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The view of static keys in debugfs, and that of tracepoints in tracefs: what
# they say is compared with what is done to the keys.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh

MODULE=test_static_key_debugfs
PARAMS=/sys/module/$MODULE/parameters
KPTR=/proc/sys/kernel/kptr_restrict
# The last of three keys in an array; a key has two words, of 32 or 64 bits.
ARRAY=
RUNNING=

clean_up()
{
	[ -z "$BACKGROUND" ] || kill "$BACKGROUND" 2>/dev/null
	[ ! -e $PARAMS/broken ] || echo 0 > $PARAMS/broken
	[ -z "$EVENT" ] || echo 0 > "$EVENT"
	[ -z "$KPTR_BEFORE" ] || echo "$KPTR_BEFORE" > $KPTR
	[ -z "$INSTANCE" ] || [ ! -d "$INSTANCE" ] || rmdir "$INSTANCE"
	unload test_static_keys
	unload test_static_key_base
	unload $MODULE
	rm -rf "$TMP"
	unmount
}

#
# What the files say
#

# "key NAME": state, count, initial state and number of sites.
key()
{
	awk -v key="$1" '$6 == key { print $2, $3, $4, $5 }' "$VIEW/keys"
}

# "sites NAME": code, language and function of each site of a key.
sites()
{
	awk -v key="$1" '/^\t/ { if (found) print $2, $3, $4 }
			 !/^\t/ { found = $6 == key }' "$VIEW/sites"
}

# The code of all sites of a key.
code()
{
	echo $(sites "$1" | cut -d ' ' -f 1)
}

is()
{
	[ "$1" = "$2" ] || complain "'$1', expected '$2'"
}

# "checked N": the last line of the check.
checked()
{
	tail -n 1 "$VIEW/check" | grep -qx "[0-9]* keys, [0-9]* sites, $1 mismatches" ||
		complain "$(cat "$VIEW/check")"
}

#
# Tests
#

mode_is()
{
	is "$(stat -c %a "$1")" "$2"
}

# Each line has as many words as it should, and each word its form.
well_formed()
{
	name='[^ ]+( \[[^ ]+\])?$'
	lacks -vE -e '^#' -e "^[0-9a-f]+ (on|off) [0-9]+ (on|off) [0-9]+ $name" \
		-e "^[0-9a-f]+ init - - [0-9]+ $name" \
		-e "^	[0-9a-f]+ (nop|jump|init|\\?) (c|rust|-) $name" "$VIEW/$1"
}

# Every key once, and as many sites behind it as it is said to have.
complete()
{
	awk '
		/^#/ { next }
		/^\t/ { left--; next }
		{ if (left) bad = 1
		  left = $5
		  if (seen[$1]++) bad = 1 }
		END { exit bad || left != 0 || NR < 10 }' "$VIEW/sites" &&
		awk '!/^[\t#]/' "$VIEW/sites" > "$TMP/keys" &&
		grep -v '^#' "$VIEW/keys" | cmp - "$TMP/keys"
}

no_site_twice()
{
	[ -z "$(grep '^	' "$VIEW/sites" | grep -v ' init ' | cut -d ' ' -f 1 |
		sort | uniq -d)" ]
}

counted()
{
	keys=$(grep -vc '^#' "$VIEW/keys")
	sites=$(grep -c '^	[0-9a-f]' "$VIEW/sites")
	is "$(tail -n 1 "$VIEW/check")" "$keys keys, $sites sites, 0 mismatches"
}

# Reading goes on where it has ended, however little is read at a time.
same_in_pieces()
{
	cat "$1" > "$TMP/whole"
	dd if="$1" bs="$2" 2>/dev/null > "$TMP/pieces" && cmp "$TMP/whole" "$TMP/pieces"
}

same_from_middle()
{
	cat "$1" > "$TMP/whole"
	dd if="$1" bs=1000 skip=7 2>/dev/null > "$TMP/rest" &&
		tail -c +7001 "$TMP/whole" | cmp - "$TMP/rest"
}

# A tracepoint's key follows its event.
event_turns()
{
	is "$(key __tracepoint_sched_switch | cut -d ' ' -f 1-3)" "off 0 off" &&
		is "$(code __tracepoint_sched_switch | tr ' ' '\n' | sort -u)" nop &&
		echo 1 > "$EVENT" || return
	is "$(key __tracepoint_sched_switch | cut -d ' ' -f 1-3)" "on 1 off" &&
		is "$(code __tracepoint_sched_switch | tr ' ' '\n' | sort -u)" jump &&
		sites __tracepoint_sched_switch | grep -q ' __schedule+0x' && checked 0
	status=$?
	echo 0 > "$EVENT"
	[ $status -eq 0 ] && is "$(key __tracepoint_sched_switch | cut -d ' ' -f 1)" off
}

module_comes()
{
	unload $MODULE && lacks "\[$MODULE\]" "$VIEW/sites" && modprobe $MODULE || return
	ARRAY="$(awk '$6 ~ /^skv_test_array[+]0x[12]0$/ { print $6 }' "$VIEW/keys")"
	is "$(key skv_test_off)" "off 0 off 1" && is "$(key skv_test_on)" "on 1 on 2" &&
		is "$(key $ARRAY)" "off 0 off 1" && is "$(key skv_test_array)" "" &&
		is "$(for key in skv_test_off skv_test_on $ARRAY; do sites $key; done |
			grep -c ' skv_test_sites+0x')" 3
}

# Without a look at its memory, which may be another's by now.
init_site()
{
	is "$(sites skv_test_on | grep -c '^init - ')" 1
}

module_goes()
{
	unload $MODULE && lacks "\[$MODULE\]" "$VIEW/sites" "$VIEW/keys" && checked 0
	status=$?
	modprobe $MODULE && return $status
}

users()
{
	echo "$1" > $PARAMS/users && is "$(key skv_test_off)" "$2" &&
		is "$(code skv_test_off)" "$3" && is "$(($(cat $PARAMS/path) & 1))" "$4" &&
		checked 0
}

# Modules that have sites of a key, and how many.
site_modules()
{
	awk -v key="$1" '!/^\t/ { found = $6 == key } /^\t/ { if (found) print $5 }' \
		"$VIEW/sites" | sort | uniq -c | awk '{ print $1 $2 }'
}

# One module has the key, the other the sites.
other_module()
{
	present test_static_keys || {
		skip "module test_static_keys is not found"
		return
	}
	unload test_static_keys && unload test_static_key_base &&
		modprobe test_static_key_base || return
	is "$(key base_false_key)" "" && modprobe test_static_keys || return
	is "$(site_modules base_false_key)" "2[test_static_keys]" &&
		grep -q ' base_false_key \[test_static_key_base\]$' "$VIEW/keys" &&
		complete && no_site_twice && checked 0 &&
		unload test_static_keys && is "$(key base_false_key)" ""
}

mismatch()
{
	checked 0 && is "$(cat $PARAMS/mismatches)" 0 && echo 1 > $PARAMS/broken || return
	checked 1 && is "$(cat $PARAMS/mismatches)" 1 &&
		head -n 1 "$VIEW/check" > "$TMP/mismatch" &&
		grep -q "^skv_test_sites+0x.* \[$MODULE\]: found nop, expected jump " \
			"$TMP/mismatch" &&
		grep -q " for key $ARRAY \[$MODULE\] which is on$" "$TMP/mismatch" &&
		is "$(key $ARRAY)" "on 1 off 1" && is "$(code $ARRAY)" nop
	status=$?
	echo 0 > $PARAMS/broken
	[ $status -eq 0 ] && checked 0
}

# The kernel has this key, and sites of it in several places.
kernel_key()
{
	event="$TRACING/events/kmem/kmalloc/enable"
	[ -e "$event" ] || {
		skip "no event kmalloc"
		return
	}
	sites __tracepoint_kmalloc | grep -q '^nop .* skv_test_sites' &&
		site_modules __tracepoint_kmalloc | grep -qx "[0-9]*\[$MODULE\]" &&
		is "$(($(cat $PARAMS/path) & 8))" 0 && echo 1 > "$event" || return
	sites __tracepoint_kmalloc | grep -q '^jump .* skv_test_sites' &&
		is "$(code __tracepoint_kmalloc | tr ' ' '\n' | sort -u)" jump &&
		is "$(($(cat $PARAMS/path) & 8))" 8 && complete && checked 0
	status=$?
	echo 0 > "$event"
	unload $MODULE
	sites __tracepoint_kmalloc > "$TMP/sites"
	modprobe $MODULE
	[ $status -eq 0 ] && lacks skv_test_sites "$TMP/sites" &&
		sites __tracepoint_kmalloc | grep -q '^nop .* skv_test_sites'
}

# "addresses FILE PATTERN": in all lines, the first word.
addresses()
{
	grep -v '^#' "$VIEW/$1" | awk '{ print $1 }' | sort -u > "$TMP/addresses"
	lacks -vxE "$2" "$TMP/addresses" > "$TMP/wrong" ||
		complain "$(head -n 3 "$TMP/wrong")"
}

hidden()
{
	echo 2 > $KPTR
	addresses keys '0+' && addresses sites '0+'
	status=$?
	echo "$KPTR_BEFORE" > $KPTR
	return $status
}

# As /proc/kallsyms has them.
shown()
{
	echo 1 > $KPTR
	grep ' skv_test_off	' /proc/kallsyms | cut -d ' ' -f 1 > "$TMP/expected"
	awk '$6 == "skv_test_off" { print $1 }' "$VIEW/keys" | cmp - "$TMP/expected"
	status=$?
	echo "$KPTR_BEFORE" > $KPTR
	return $status
}

rust_sites()
{
	present test_rust_tracepoint || {
		skip "module test_rust_tracepoint is not found"
		return
	}
	modprobe -q test_rust_tracepoint || return
	grep -q '^	[^ ]* [a-z]* rust _R[^ ]*+0x.* \[test_rust_tracepoint\]$' "$VIEW/sites" &&
		lacks '^	[^ ]* [a-z]* [c-] _R' "$VIEW/sites" && checked 0
	status=$?
	unload test_rust_tracepoint
	return $status
}

# A message of dynamic debug is turned by its file and line.
dynamic_debug()
{
	control=/proc/dynamic_debug/control
	name="$(awk '$2 == "off" && $6 ~ /^dyndbg:kernel/ { print $6; exit }' "$VIEW/keys")"
	[ -e $control ] && [ -n "$name" ] || {
		skip "no message of dynamic debug"
		return
	}
	file="${name#dyndbg:}"
	line="${file##*:}"
	file="${file%:*}"
	echo "file $file line $line +p" > $control &&
		is "$(key "$name" | cut -d ' ' -f 1,2 | sort -u)" "on 1" && checked 0
	status=$?
	echo "file $file line $line -p" > $control
	[ $status -eq 0 ] && is "$(key "$name" | cut -d ' ' -f 1,2 | sort -u)" "off 0"
}

# "tracepoint NAME": its lines, the sites without their addresses.
tracepoint()
{
	awk -v name="$1" '!/^\t/ { found = $2 == name } found' "$TRACEPOINTS" |
		sed 's/^\tsite [0-9a-f]* /\tsite /'
}

probes()
{
	tracepoint "$1" | grep -c '^	probe '
}

tracepoint_probes()
{
	probe='	probe 10 trace_event_raw_event_sched_switch'
	is "$(probes sched_switch)" 0 && tracepoint sched_switch | grep -qx 'off sched_switch' &&
		echo 1 > "$EVENT" || return
	tracepoint sched_switch > "$TMP/one"
	mkdir "$INSTANCE" && echo 1 > "$INSTANCE/events/sched/sched_switch/enable"
	tracepoint sched_switch > "$TMP/two"
	rmdir "$INSTANCE"
	echo 0 > "$EVENT"
	tracepoint sched_switch > "$TMP/none"
	grep -qx 'on sched_switch' "$TMP/one" &&
		is "$(grep -cx "$probe" "$TMP/one")" 1 && is "$(grep -cx "$probe" "$TMP/two")" 2 &&
		grep -q '^	site jump .* __schedule+0x' "$TMP/one" &&
		grep -qx 'off sched_switch' "$TMP/none" &&
		lacks '^	probe \|site jump' "$TMP/none" ||
		complain "$(cat "$TMP/one" "$TMP/two" "$TMP/none")"
}

# Each event that was defined with a tracepoint of its name has one.
all_tracepoints()
{
	awk '!/^[\t#]/ { print $2 }' "$TRACEPOINTS" | sort > "$TMP/tracepoints"
	[ -z "$(uniq -d "$TMP/tracepoints")" ] || complain "some are there twice" || return
	for event in sched:sched_wakeup irq:irq_handler_entry timer:hrtimer_start \
		     workqueue:workqueue_execute_start module:module_load; do
		! [ -d "$TRACING/events/${event%:*}/${event#*:}" ] ||
			grep -qx "${event#*:}" "$TMP/tracepoints" ||
			complain "$event is missing" || return
	done
}

# While modules come and go, and a tracepoint is turned, all can be read.
under_change()
{
	: > "$TMP/rounds"
	while modprobe $MODULE && modprobe -r $MODULE; do
		echo 1 > "$EVENT"
		echo 0 > "$EVENT"
		echo >> "$TMP/rounds"
	done 2> "$TMP/modprobe" && echo "modprobe failed" >> "$TMP/modprobe" &
	BACKGROUND=$!
	status=0
	for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		cat "$VIEW/sites" > "$TMP/sites" &&
			dd if="$VIEW/keys" bs=100 of="$TMP/keys" 2>/dev/null &&
			cat "$TRACEPOINTS" > "$TMP/tracepoints" && checked 0 || status=1
		grep -q ' __tracepoint_sched_switch' "$TMP/sites" &&
			grep -q ' __tracepoint_sched_switch' "$TMP/keys" &&
			grep -q ' sched_switch' "$TMP/tracepoints" || status=1
		[ -z "$(grep -v '^[	#]' "$TMP/sites" | cut -d ' ' -f 1 | sort | uniq -d)" ] ||
			status=1
	done
	kill $BACKGROUND
	wait $BACKGROUND 2>/dev/null
	BACKGROUND=
	echo 0 > "$EVENT"
	modprobe $MODULE
	[ ! -s "$TMP/modprobe" ] || complain "$(cat "$TMP/modprobe")" || return
	[ "$(wc -l < "$TMP/rounds")" -ge 3 ] || complain "the module hardly came and went" ||
		return
	return $status
}

# A test that has to find keys of the module by name.
check_named()
{
	if [ -z "$RUNNING" ] || [ -n "$NAMED" ]; then
		check "$@"
	else
		ktap_test_skip "$1 (no CONFIG_KALLSYMS_ALL)"
	fi
}

tests()
{
	for file in keys sites check; do
		check "$file: for root only" mode_is "$VIEW/$file" 400
	done
	check "check: no mismatch at first" checked 0
	check "keys: well-formed" well_formed keys
	check "sites: well-formed" well_formed sites
	check "sites: each key with all its sites" complete
	check "sites: none twice" no_site_twice
	check "check: counts what is shown" counted
	check "keys: read in pieces" same_in_pieces "$VIEW/keys" 17
	check "sites: read in pieces" same_in_pieces "$VIEW/sites" 1021
	check "keys: read from the middle" same_from_middle "$VIEW/keys"
	check "sites: read from the middle" same_from_middle "$VIEW/sites"
	check "a tracepoint follows its event" event_turns
	check_named "the keys of a module come" module_comes
	check_named "a site in init code is not read" init_site
	check "the keys of a module go" module_goes
	check_named "a key with one user" users 1 "on 1 off 1" jump 1
	check_named "a key with three users" users 3 "on 3 off 1" jump 1
	check_named "a key without user" users 0 "off 0 off 1" nop 0
	check_named "a key with sites in another module" other_module
	check "a key of the kernel with sites in a module" kernel_key
	check_named "a mismatch is found" mismatch
	check "addresses: hidden by kptr_restrict" hidden
	check_named "addresses: those of kallsyms" shown
	check "sites in Rust" rust_sites
	check "keys of dynamic debug" dynamic_debug
	check "tracepoints: for root only" mode_is "$TRACEPOINTS" 400
	check "tracepoints: probes in order" tracepoint_probes
	check "tracepoints: complete" all_tracepoints
	check "tracepoints: read in pieces" same_in_pieces "$TRACEPOINTS" 1021
	check "tracepoints: read from the middle" same_from_middle "$TRACEPOINTS"
	check "all files while keys and modules change" under_change
	check "check: no mismatch in the end" checked 0
}

ktap_print_header
[ "$(id -u)" -eq 0 ] || skip_all "must be run as root"
present $MODULE || skip_all "module $MODULE is not found"
! [ -d /sys/module/$MODULE ] || modprobe -q -r $MODULE || skip_all "$MODULE cannot be unloaded"
find_mount debugfs /sys/kernel/debug || skip_all "no debugfs"
VIEW="$FOUND/static_keys"
TRACEPOINTS="$FOUND/tracepoints"
[ -d "$VIEW" ] || skip_all "no view of static keys"
find_tracing || skip_all "no tracefs"
[ -e "$TRACEPOINTS" ] || skip_all "no view of tracepoints"
INSTANCE="$TRACING/instances/static_key_debugfs_$$"
EVENT="$TRACING/events/sched/sched_switch/enable"
KPTR_BEFORE="$(cat $KPTR)"
BACKGROUND=
TMP="$(mktemp -d)" || exit "$KSFT_FAIL"
trap 'clean_up; exit "$KSFT_FAIL"' INT TERM
modprobe $MODULE || skip_all "$MODULE cannot be loaded"
NAMED="$(key skv_test_off)"

tests
ktap_set_plan "$KSFT_NUM_TESTS"
RUNNING=y
tests
clean_up
ktap_finished
