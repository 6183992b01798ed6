#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Markers: what becomes of each conversion, how often markers are hit wherever they are,
# what is refused and how, probes and modules that come and go, and whatever else reads
# or controls events.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh
. "$DIR"/../kselftest/event_helpers.sh

MODULE=test_marker
# There are none when the test starts: all that are there are its own.
FE=marker_events
SYSTEM=markers
INSTANCE=instances/markers_test
RUNNING=

clean_up()
{
	cd "$TRACING" || return
	[ ! -d $INSTANCE ] || rmdir $INSTANCE
	tidy
	for module in test_marker_probe test_marker_clash test_marker_fallback \
		      $MODULE test_rust_marker marker_example marker_probe_example; do
		[ ! -d /sys/module/$module ] || unload $module
	done
	cd /
	rm -rf "$TMP"
	unmount
}

# "records EVENT": the records in the trace, without what comes before the text.
records()
{
	sed -n -e "s/^[^#].*: $1: //p" trace
}

# "fire N": hits all markers of the module so often, with the events on.
fire()
{
	echo > trace
	echo 1 > events/markers/enable &&
	echo "$1" > $FIRE &&
	echo 0 > events/markers/enable
}

# "shows DEFINITION PATTERN": PATTERN is what the record comes to.
shows()
{
	accepted "$1" || return
	event="$(sed -n -e 's/[|( ].*//' -e '$p' $FE)"
	fire 1
	found="$(records "$event")"
	undefine
	case $found in
	$2) ;;
	*)
		echo "# found: $found"
		echo "# instead of: $2"
		return 1 ;;
	esac
}

# "format MARKER FIELDS": the fields in the format file after __ip, as "type name; type name".
format()
{
	accepted "$1" || return
	found="$(sed -n -e 's/^\tfield:\(.*\);\toffset.*/\1/p' events/markers/"$1"/format |
		 grep -v ' common_' | tr '\n' ';' | sed -e 's/;$//' -e 's/;/; /g')"
	undefine
	[ "$found" = "unsigned long __ip; $2" ] || complain "$found, not $2"
}

count()
{
	sed -n "s/^$1 //p" $COUNTS
}

#
# Conversions
#

conversions()
{
	UUID="uuid 20010db8-0405-0607-0809-0a0b0c0d0e0f"
	m=test_marker
	check "integers" shows ${m}_int \
		"d=-1 i=-2147483648 u=4000000000 x=0xabcd X=ABCD o=10 c='m'"
	check "small integers" shows ${m}_narrow "hhd=-3 hhu=253 hd=-300 hu=65000 hx=0xfedc"
	check "long integers" shows ${m}_long "ld=-5 lu=5 lx=55 zu=6 zd=-6 td=-7"
	check "integers of 64 bit" shows ${m}_long_long \
		"lld=-6000000000 a=1 llu=18000000000000000000 b=2 llx=123456789abcdef"
	check "width" shows ${m}_width "\[   42|42   |00042|+42\]"
	check "more arguments than registers" shows ${m}_ten "1 2 3 4 5 6 7 8 9 10"
	check "no arguments" shows ${m}_none "nothing, 100% of it"
	check "strings" shows ${m}_string "name first text 'it' padded \[it    \]"
	check "strings with a limit" shows ${m}_limited "four abcd three abc more it"
	check "no byte behind a fault" shows ${m}_edge "edge '(fault)'"
	check "a string of which nothing is read" shows ${m}_none_of "none ''"
	check "strings that cannot be read" shows ${m}_bad_string \
		"null (null) bad (fault) empty ''"
	check "quotation marks and backslashes" shows ${m}_quotes 'say="it" back\\slash'
	check "bytes that cannot be printed" shows ${m}_escaped \
		'any "a\\n\\e\\"\\\\\\303\\251" wide \[           \\nb|\\nb           ] char \\n'
	check "strings that are cut say so" cut_strings
	check "strings that are cut, in tools" cut_format
	check "pointers" pointers
	check "pointers that are hashed" hashed_pointers
	check "addresses of networks" shows ${m}_address \
		"mac 20:01:0d:b8:04:05 v4 32.1.13.184 v6 2001:db8:405:607:809:a0b:c0d:e0f $UUID"
	check "bytes, and numbers behind pointers" shows ${m}_bytes \
		"bytes 20 01 0d b8 04 05 phys 0x12345678 gfp GFP_KERNEL"
	many="20 01$(printf ' %.0s00' $(seq 61)) b8"
	check "more than is made on the stack" shows ${m}_large \
		"$many $many $many $many nr 7 name large"
	check "pointers that cannot be read" shows ${m}_bad_pointer \
		"mac 00:00:00:00:00:00(fault)"
	check "fields of integers" format ${m}_int \
		"s32 d; s32 i; u32 u; u32 x; u32 X; u32 o; char c"
	string="__data_loc char[]"
	check "fields of strings" format ${m}_string \
		"u32 __cut; $string name; $string text; $string padded"
	check "fields without names" format ${m}_ten \
		"s32 arg1; s32 arg2; s32 arg3; s32 arg4; s32 arg5;\
 s32 arg6; s32 arg7; s32 arg8; s32 arg9; s32 arg10"
	check "fields with faults" format ${m}_address \
		"u32 __fault; u8 mac[6]; u8 v4[4]; u8 v6[16]; u8 uuid[16]"
}

# As the source prints them if they are not hashed.
pointers()
{
	echo 0 > options/hash-ptr
	shows test_marker_pointer "p=0x1000 q=0x2000 where fire_pointers+0x0/0x* error -*"
	status=$?
	echo 1 > options/hash-ptr
	return $status
}

# %p is, and %px is not; nor is what tools and filters see.
hashed_pointers()
{
	accepted test_marker_pointer &&
		echo "p == 4096" > events/markers/test_marker_pointer/filter || return
	fire 1
	found="$(records test_marker_pointer)"
	undefine
	case $found in
	*1000*) complain "$found" ;;
	# Before there are enough random numbers, there is no hash yet.
	"p="*" q=0x2000 where fire_pointers+0x0/0x"*) ;;
	*) complain "$found" ;;
	esac
}

# "x_numbers": each run of x as its length.
x_numbers()
{
	awk '{
		while (match($0, /xx+/))
			$0 = substr($0, 1, RSTART - 1) RLENGTH substr($0, RSTART + RLENGTH)
		print
	}'
}

# Behind the quotation mark, if there is one; and the bits.
cut_strings()
{
	for event in long_string room room_limited room_edge; do
		accepted test_marker_$event || return
	done
	echo '__cut == 2' > events/markers/test_marker_room/filter &&
	echo '__cut == 6' > events/markers/test_marker_room_limited/filter && fire 1 || return
	found="$(for event in long_string room room_limited room_edge; do
			records test_marker_$event
		done | x_numbers | tr '\n' ';')"
	echo '__cut & 1' > events/markers/test_marker_room/filter
	fire 1
	other="$(records test_marker_room)"
	undefine
	set -- "1023...;" "nr 7 fits '1023' cut '1023'... name end;" \
		"fits 1023 cut 1023... cut 1023...;" "edge 1023...;"
	[ "$found" = "$1$2$3$4" ] && [ -z "$other" ] || complain "$found $other"
}

cut_format()
{
	accepted test_marker_room || return
	found="$(sed -n 's/^print fmt: //p' events/markers/test_marker_room/format)"
	undefine
	case $found in
	'"nr %d fits '"'%s'%s cut '%s'%s name %s%s"*', (REC->__cut & 0x2) ? "..." : ""'*) ;;
	*) complain "$found" ;;
	esac
}

#
# How often
#

# "as_often NAME": as often as the counter beside it says.
as_often()
{
	accepted "test_marker_$1" || return
	echo > trace
	before=$(count "$1")
	echo 1 > events/markers/enable && echo 200 > $FIRE
	echo 0 > events/markers/enable
	hits=$(($(count "$1") - before))
	found=$(records "test_marker_$1" | wc -l)
	records "test_marker_$1" | sort -u > "$TMP/texts"
	undefine
	[ "$hits" -gt 0 ] && [ "$found" -eq $hits ] || complain "$found records, $hits hits"
}

in_nmi()
{
	grep -q x86 /proc/cpuinfo || uname -m | grep -q x86 || { skip "no NMI"; return; }
	as_often nmi && [ "$(cat "$TMP/texts")" = "nmi 1" ] || complain "$(cat "$TMP/texts")"
}

in_irq()
{
	as_often irq && [ "$(cat "$TMP/texts")" = "hard 1" ] || complain "$(cat "$TMP/texts")"
}

in_three_files()
{
	as_often inlined && [ "$(grep -c '^file [123] nr' "$TMP/texts")" -eq 600 ]
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

not_evaluated()
{
	before=$(count evaluated)
	echo 5 > $FIRE
	[ "$(count evaluated)" -eq "$before" ] || complain "evaluated while dormant" || return
	accepted test_marker_evaluated && fire 3 || return
	undefine
	[ "$(count evaluated)" -eq $((before + 3)) ] || complain "$(count evaluated)"
}

available()
{
	grep -qxF 'off test_marker_width [test_marker]	"[%5d|%-5d|%05d|%+d]"' \
		available_markers &&
	grep -qF '"say=\"%s\" back\\slash\n"' available_markers &&
	grep '_dentry' available_markers | grep -q '	# no event: ' || {
		sed -e 's/^/# /' available_markers
		return 1
	}
	accepted test_marker_int && echo 1 > events/markers/enable || return
	grep -q '^on test_marker_int ' available_markers || complain "it is off"
}

places()
{
	check "an unrolled loop" as_often unrolled
	check "an inline function in three files" in_three_files
	check "a hard interrupt" in_irq
	check "an NMI" in_nmi
	check "the init function of a module" in_init
	check "the first init function of a module" in_first_init
	check "a dormant marker does not evaluate its arguments" not_evaluated
	check "available_markers" available
}

#
# Definitions
#

definitions()
{
	m=test_marker_string
	check "names of fields" names
	check "arguments left out" shows "$m(NULL, text)" "name ... text 'it' padded \[...\]"
	check "no argument at all" shows "$m()" "name ... text '...' padded \[...\]"
	check "group and event" group
	check "white space" shows "  $m ( a , b , c )  " "name first text 'it' padded \[it    \]"
	check "several events of a marker" several
	check "a pattern makes an event for each marker" pattern test_marker_
	check "a pattern makes an event for each marker of a module" \
		pattern test_marker:test_marker_
	check "a second marker if the first is not there" fallback
	check "a marker that goes and comes" gone
	check "a marker that comes with another format" changed
	check "what is read can be written" again
	check "removal" removal
	check "dynamic_events" dynamic
}

names()
{
	accepted "test_marker_string(a, _, c)" || return
	grep -q "field:__data_loc char\[\] a;" events/markers/test_marker_string/format &&
		lacks -q " text;" events/markers/test_marker_string/format &&
		echo 'a == "first"' > events/markers/test_marker_string/filter
}

group()
{
	accepted "m:my-group/mine test_marker_ten" && [ -d events/my-group/mine ] &&
	accepted "m:other test_marker_ten" && [ -d events/markers/other ] &&
	accepted "m test_marker_ten" && [ -d events/markers/test_marker_ten ]
}

several()
{
	accepted "test_marker_ten(a)" && accepted "m:second test_marker_ten(NULL, b)" || return
	fire 1
	[ "$(records test_marker_ten)" = "1 ... ... ... ... ... ... ... ... ..." ] &&
	[ "$(records second)" = "... 2 ... ... ... ... ... ... ... ..." ] || complain "$(cat trace)"
}

removes_all_modules()
{
	accepted test_marker_ten && ! define "!no_such_module:*" && grep -q "$no" "$TMP/said" &&
		grep -q test_marker_ten $FE
}

# "pattern [MODULE:]PREFIX": some markers of the module can have no event.
pattern()
{
	names="$(awk '$2 ~ /^test_marker_/ { print $2 }' available_markers | sort -u | wc -l)"
	accepted "+$1*" || return
	made="$(wc -l < $FE)"
	said="$(dmesg | grep 'marker_events: test_marker_\*: ' | tail -n 1)"
	case $said in
	*"$made events; $((names - made)) left out, the first test_marker_"*": "*) ;;
	*) complain "$names markers, $made lines: $said" || return ;;
	esac
	[ "$made" -gt 5 ] && [ "$(cat events/markers/enable)" = 1 ] ||
		complain "not enabled" || return
	echo 0 > events/markers/enable
	define "!test_marker_t*" && lacks "test_marker_t" $FE && grep -q test_marker_int $FE &&
		define "!*" && lacks . $FE
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

again()
{
	cat > "$TMP/lines" <<- END
	test_marker_ten
	m:my/name test_marker_string(a, NULL, c)
	test_marker:test_marker_int|test_marker_none
	missing:no_such_marker
	END
	while read -r line; do
		accepted "$line" || return
	done < "$TMP/lines"
	cat $FE > "$TMP/read"
	sed -e 's/\t#.*//' "$TMP/read" | cmp - "$TMP/lines" || complain "$(cat "$TMP/read")" ||
		return
	undefine
	lacks . $FE && cat "$TMP/read" > $FE && cmp $FE "$TMP/read"
}

removal()
{
	for line in test_marker_ten "m:my/name test_marker_string(a)" "test_marker_int(a, b)" \
		    missing:no_such_marker test_marker_long; do
		accepted "$line" || return
	done
	define "!my/name" && define "-:test_marker_ten" && define "!test_marker_int(a, b)" &&
		define "!missing:no_such_marker" && [ "$(cat $FE)" = test_marker_long ] ||
		complain "$(cat "$TMP/said" $FE)" || return
	! define "!test_marker_ten" && grep -q "No such file" "$TMP/said" || return
	echo 1 > events/markers/test_marker_long/enable
	! define "!test_marker_long" && grep -q "busy" "$TMP/said" || return
	echo 0 > events/markers/enable
	echo > $FE
	lacks . $FE && [ ! -d events/markers ]
}

dynamic()
{
	echo "m:markers/mine test_marker_ten" >> dynamic_events || return
	grep -qx "m:markers/mine test_marker_ten" dynamic_events || return
	echo "-:markers/mine" >> dynamic_events && lacks . $FE
}

refusals()
{
	check "refuses an unknown marker" refused "$none" "^no_such_marker"
	check "refuses a pattern that no marker matches" refused "$none" "^no_such_*"
	check "refuses a pattern that no marker of a module matches" \
		refused "$none" "missing:^test_marker_*"
	check "refuses a pattern of which no marker has the fields" \
		refused "$big" "test_marker_non?(^a)"
	check "refuses to remove a pattern of a module" removes_all_modules
	check "refuses a name for a pattern" refused "$no" "m:name ^test_*"
	check "refuses a pattern with a fallback" refused "$no" "^test_*|test_marker_ten"
	check "refuses no marker" refused "$no" "m:name ^(a)"
	check "refuses a name with other characters" refused "$no" "test^-marker"
	check "refuses a bad group" refused "$no" "m:^9/name test_marker_ten"
	check "refuses a bad event" refused "$no" "m:my/name^- test_marker_ten"
	check "refuses too many fields" refused "$big" "test_marker_none(^a)"
	check "refuses a reserved name" refused "$no" "test_marker_ten(a, ^common_pid)"
	check "refuses a name twice" refused "$no" "test_marker_ten(a, b, ^a)"
	check "refuses no name" refused "$no" "test_marker_ten(a, ^)"
	check "refuses no parenthesis" refused "$no" "test_marker_ten(a, b^"
	check "refuses to remove what is no definition" bad_removal
	check "refuses what follows" refused "$no" "test_marker_ten(a) ^b"
	check "refuses a pointer that leads further" refused "not supported" "^test_marker_dentry"
	check "refuses a width from an argument" refused "not supported" "^test_marker_star"
	check "refuses a definition twice" twice
	check "refuses a long definition" long_definition
	check "refuses too many markers" refused "$big" "a|b|c|d|e|f|g|h|^i"
	check "a module with another format" clash
	check "definitions for which there is no memory" each_allocation_fails \
		"test_marker_string(a, b, c)" "m:markers/m test_marker_address|test_marker_ten" \
		test_marker_ten "test_marker_s*"
}

bad_removal()
{
	accepted test_marker_ten && ! define "!test_marker_ten (a" && grep -q "$no" "$TMP/said" &&
		grep -qx test_marker_ten $FE
}

twice()
{
	accepted test_marker_ten && refused "File exists" "^test_marker_ten" &&
	refused "File exists" "m:^test_marker_ten test_marker_int" &&
	accepted missing:no_such_marker &&
	refused "File exists" "^missing:no_such_marker" &&
	refused "File exists" "^missing:no_such_marker  " &&
	refused "File exists" "^missing:no_such_marker	# once more"
}

long_definition()
{
	refused "$big" "$(printf '%1023s' | tr ' ' x)^x" &&
		refused "$big" "^$(printf '%200s' | tr ' ' x)"
}

# What was said since "$1" was written to /dev/kmsg. mark_log is not for this: the last test
# wants to see the complaints about all others.
said_since()
{
	dmesg | sed -n "1h; 1!H; /$1/h; \${g; p}"
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

#
# Probes
#

probe_counts()
{
	for name in typed plain wrong; do
		cat /sys/module/test_marker_probe/parameters/$name
	done | tr '\n' ' '
}

# The two modules that came with the markers of 2006, in today's form.
samples()
{
	present marker_example && present marker_probe_example ||
		{ skip "there are no samples"; return; }
	echo "samples $$" > /dev/kmsg
	modprobe marker_probe_example && modprobe marker_example && accepted "subsys_mark3" ||
		return
	echo > trace
	echo 1 > events/markers/enable
	! cat /proc/marker_example 2> /dev/null || complain "it can be opened"
	echo 0 > events/markers/enable
	found="$(records subsys_mark3)"
	unload marker_example
	unload marker_probe_example
	said_since "samples $$" > "$TMP/log"
	grep -q "value is 1" "$TMP/log" && grep -q "subsys_mark2: number 2 text blah2" "$TMP/log" ||
		complain "nothing was said" || return
	[ "$found" = "number 7 text blah3" ] || complain "$found"
}

probes()
{
	check "probes for markers that are there" probes_later
	check "probes before the module with markers" probes_before
	check "probes and an event on one marker" probes_and_event
	check "probes that a module leaves behind" probes_left
	check "probes of a module that fails to load" probes_failed
	check "probes left before the module with markers" probes_left_early
	check "the samples" samples
}

probes_later()
{
	modprobe test_marker_probe && echo 3 > $FIRE
	counts="$(probe_counts)"
	unload test_marker_probe
	echo 1 > $FIRE
	[ "$counts" = "3 3 0 " ] && grep -q '^off test_marker_narrow ' available_markers ||
		complain "$counts"
}

probes_before()
{
	unload $MODULE
	echo "probes $$" > /dev/kmsg
	modprobe test_marker_probe && modprobe $MODULE && echo 2 > $FIRE
	counts="$(probe_counts)"
	unload $MODULE
	modprobe $MODULE && echo 2 > $FIRE
	again="$(probe_counts)"
	unload test_marker_probe
	[ "$counts" = "2 2 0 " ] && [ "$again" = "4 4 0 " ] || complain "$counts $again" || return
	# Of the probe that wants another format.
	said_since "probes $$" |
		grep -q 'test_marker_narrow: format is .*, not "hhd=%d" as of a probe' ||
		complain "nothing was said"
}

probes_and_event()
{
	accepted test_marker_narrow && modprobe test_marker_probe && fire 4
	counts="$(probe_counts)"
	found="$(records test_marker_narrow | wc -l)"
	undefine
	echo 1 > $FIRE
	after="$(probe_counts)"
	unload test_marker_probe
	[ "$counts" = "4 4 0 " ] && [ "$found" -eq 4 ] && [ "$after" = "5 5 0 " ] ||
		complain "$counts $found $after"
}

# "dropped TEXT MARKER...": what was said since TEXT is that each MARKER had such a probe.
dropped()
{
	said_since "$1" > "$TMP/log"
	shift
	for marker in "$@"; do
		line="marker: module test_marker_probe goes with a probe for $marker still"
		grep -q "$line registered" "$TMP/log" || complain "nothing was said of $marker" ||
			return
	done
	lacks '^on test_marker_\(narrow\|long_long\) ' available_markers ||
		complain "a marker is on"
}

# Nothing of the module is called when it is gone, an event of the marker stays, and the
# module can be loaded again.
probes_left()
{
	accepted +test_marker_narrow && echo "left $$" > /dev/kmsg &&
		modprobe test_marker_probe leave=1 && echo 2 > $FIRE || return
	counts="$(probe_counts)"
	unload test_marker_probe
	[ ! -d /sys/module/test_marker_probe ] || complain "it is still there" || return
	grep -q '^on test_marker_narrow ' available_markers &&
		grep -q '^off test_marker_long_long ' available_markers ||
		complain "$(grep '_narrow\|_long_long' available_markers)" || return
	echo > trace
	echo 3 > $FIRE
	[ "$(records test_marker_narrow | wc -l)" -eq 3 ] || complain "$(cat trace)" || return
	undefine
	dropped "left $$" test_marker_narrow test_marker_long_long || return
	modprobe test_marker_probe && echo 2 > $FIRE
	again="$(probe_counts)"
	unload test_marker_probe
	[ "$counts" = "2 2 0 " ] && [ "$again" = "2 2 0 " ] || complain "$counts $again"
}

probes_failed()
{
	echo "failed $$" > /dev/kmsg
	! modprobe test_marker_probe leave=1 fail=1 2> /dev/null || {
		unload test_marker_probe
		complain "it was loaded"
		return
	}
	echo 3 > $FIRE
	dropped "failed $$" test_marker_narrow test_marker_long_long
}

# With the probe that wants another format.
probes_left_early()
{
	unload $MODULE
	echo "early $$" > /dev/kmsg
	modprobe test_marker_probe leave=1
	unload test_marker_probe
	modprobe $MODULE && echo 3 > $FIRE
	dropped "early $$" test_marker_narrow test_marker_long_long || return
	[ "$(grep -c "test_marker_narrow still" "$TMP/log")" -eq 2 ] || complain "$(cat "$TMP/log")"
}

#
# Users of events
#

users()
{
	check "filters" filter
	check "filters on strings that cannot be read" filter_ends
	check "triggers and histograms" histogram
	check "the place of a marker" place
	check "instances" instance
	check "set_event" with_set_event
	check "stack traces" stack_trace
	check "no bytes that are no field" padding
	check "many are disabled and removed at once" many
	check "the sites of many are patched at once" together
	check "BPF" bpf
	check "trace-cmd" trace_cmd
	check "perf" perf_record
	check "markers in Rust" rust
	check "connecting and hitting at the same time" script stress.sh 5
	check "no complaint in the log" clean_log
}

filter()
{
	accepted test_marker_unrolled || return
	echo "i == 3 && nr > 0" > events/markers/test_marker_unrolled/filter
	fire 3
	[ "$(records test_marker_unrolled | tr '\n' ';')" = "nr 1 i 3;nr 2 i 3;" ] ||
		complain "$(records test_marker_unrolled)"
}

# By their ends, which a filter finds by the length that the record has for them.
filter_ends()
{
	accepted test_marker_bad_string || return
	for filter in 'null ~ "*null)"' 'bad ~ "*fault)"' 'null == "(null)" && bad == "(fault)"'; do
		echo "$filter" > events/markers/test_marker_bad_string/filter
		fire 2
		[ "$(records test_marker_bad_string | grep -c .)" -eq 2 ] || complain "$filter" ||
			return
	done
}

histogram()
{
	[ -e events/sched/sched_switch/hist ] || { skip "no histograms"; return; }
	accepted test_marker_inlined || return
	hist=events/markers/test_marker_inlined
	echo "hist:keys=file:vals=nr" > $hist/trigger && fire 4
	found="$(sed -n -e 's/  */ /g' -e 's/^{ file: //p' $hist/hist | sort | tr '\n' ';')"
	echo "!hist:keys=file:vals=nr" > $hist/trigger
	[ "$found" = "1 } hitcount: 4 nr: 6;2 } hitcount: 4 nr: 6;3 } hitcount: 4 nr: 6;" ] ||
		complain "$found"
}

# Of which copy a hit is.
place()
{
	[ -e events/sched/sched_switch/hist ] || { skip "no histograms"; return; }
	accepted test_marker_inlined || return
	hist=events/markers/test_marker_inlined
	echo "hist:keys=__ip.sym" > $hist/trigger && fire 2
	found="$(grep -o 'test_marker_[a-z]*_file\|fire_once[^ ]*\|fire_write' $hist/hist |
		 sort -u | wc -l)"
	echo "!hist:keys=__ip.sym" > $hist/trigger
	[ "$found" -eq 3 ] || complain "$found"
}

instance()
{
	mkdir $INSTANCE && accepted test_marker_ten || return
	echo 1 > $INSTANCE/events/markers/test_marker_ten/enable
	echo > trace
	echo 2 > $FIRE
	found="$(grep -c ': test_marker_ten: 1 2 3' $INSTANCE/trace) $(records test_marker_ten)"
	echo 0 > $INSTANCE/events/enable
	rmdir $INSTANCE
	[ "$found" = "2 " ] || complain "$found"
}

with_set_event()
{
	accepted test_marker_ten && echo markers:test_marker_ten > set_event &&
		grep -qx markers:test_marker_ten set_event || return
	echo > trace
	echo 1 > $FIRE
	echo > set_event
	[ "$(records test_marker_ten | wc -l)" -eq 1 ]
}

# They begin in the function that has the marker.
stack_trace()
{
	accepted test_marker_int && accepted test_marker_ten || return
	echo 1 > options/stacktrace
	fire 2
	echo 0 > options/stacktrace
	sed -n -e '/<stack trace>/{n;s/^ *=> *//;s/ .*//;h;n;s/^ *=> *//;s/ .*//;H;g;s/\n/ /g;p}' \
		trace | uniq -c > "$TMP/stacks"
	grep -q '^ *4 fire_numbers fire_\(once\|write\)$' "$TMP/stacks" || {
		sed -e 's/^/# /' "$TMP/stacks"
		return 1
	}
}

# Behind a char that was passed as an int, what is left of the int.
padding()
{
	have_program "$DIR"/../rust_tracepoint/perf_raw || return
	accepted "test_marker_narrow(a, NULL, NULL, NULL, e)" || return
	"$DIR"/../rust_tracepoint/perf_raw $FIRE 2 \
		"$(cat events/markers/test_marker_narrow/id)" > "$TMP/raw"
	[ "$(grep -c '^1 .\{32\}fd00\(dcfe\|fedc\)' "$TMP/raw")" -eq 2 ] || {
		sed -e 's/^/# /' "$TMP/raw"
		return 1
	}
}

# Each has a grace period to wait for if it waits by itself.
many()
{
	for nr in $(seq 100); do
		accepted "m:many$nr test_marker_ten" || return
	done
	echo > trace
	echo 1 > events/markers/enable
	echo 1 > $FIRE
	hits="$(sed -n 's/^[^#].*: \(many[0-9]*\): 1 2 3 4 .*/\1/p' trace | sort | uniq -c |
		grep -c '^ *1 many')"
	from=$(now)
	echo 0 > events/markers/enable
	off=$(now)
	state="$(sed -n 's/ test_marker_ten .*//p' available_markers)"
	echo > trace
	echo 1 > $FIRE
	later="$(grep -c ': many' trace)"
	removed=$(now)
	echo > $FE
	end=$(now)
	echo "# disabled in $((off - from))0 ms, removed in $((end - removed))0 ms"
	[ "$hits $state $later" = "100 off 0" ] || complain "$hits $state $later" || return
	lacks . $FE || return
	checks_itself || [ $((off - from + end - removed)) -lt 100 ]
}

# "ipis_of VALUE": fewest IPIs of a few times that VALUE switches all events, in FEWEST; those that
# the scheduler sends do not count.
ipis_of()
{
	FEWEST=
	for time in 1 2 3 4 5 6 7 8; do
		echo $((1 - $1)) > events/markers/enable
		echo > $INSTANCE/trace
		echo 1 > $INSTANCE/tracing_on
		echo "$1" > events/markers/enable
		echo 0 > $INSTANCE/tracing_on
		ipis=$(grep csd_queue_cpu: $INSTANCE/trace |
			grep -cv 'func=\(sched_ttwu_pending\|nohz_csd_func\|__hrtick_start\) ')
		[ -n "$FEWEST" ] && [ "$FEWEST" -le "$ipis" ] || FEWEST=$ipis
	done
}

# However many markers: by themselves, each takes at least one IPI on x86, and often three.
together()
{
	cpus=$(grep -c '^processor' /proc/cpuinfo)
	[ -e events/csd/csd_queue_cpu ] && [ "$cpus" -gt 1 ] || { skip "no IPIs to count"; return; }
	grep -v '# no event' available_markers |
		sed -n 's/^off \(test_marker_[a-z_]*\) \[test_marker\].*/\1/p' > "$TMP/names"
	nr=0
	while read -r name; do
		accepted "$name" || return
		nr=$((nr + 1))
	done < "$TMP/names"
	mkdir $INSTANCE && echo 0 > $INSTANCE/tracing_on &&
		echo 1 > $INSTANCE/events/csd/csd_queue_cpu/enable || return
	ipis_of 1
	on=$FEWEST
	ipis_of 0
	off=$FEWEST
	echo 1 > events/markers/enable
	# Those of Rust have names that begin in the same way.
	state="$(grep -c '^on test_marker_.* \[test_marker\]' available_markers)"
	echo 0 > events/markers/enable
	state="$state $(grep -c '^on test_marker_' available_markers)"
	echo 0 > $INSTANCE/events/enable
	rmdir $INSTANCE
	echo "# $nr markers: $on IPIs to enable them, $off to disable them, with $cpus CPUs"
	[ "$nr" -ge 15 ] && [ "$state" = "$nr 0" ] || complain "$nr: $state" || return
	checks_itself || [ $((on + off)) -le $((8 * (cpus - 1))) ]
}

# Prints how often the program ran, and the last value of the field at an offset.
bpf()
{
	have_program "$DIR"/../function_events/bpf_field || return
	accepted test_marker_long_long || return
	offset="$(sed -n 's/.* llx;\toffset:\([0-9]*\);.*/\1/p' \
		events/markers/test_marker_long_long/format)"
	found="$("$DIR"/../function_events/bpf_field \
		"$(cat events/markers/test_marker_long_long/id)" "$offset" $FIRE 3)"
	case $found in
	*": error 38") skip "no BPF"; return ;;
	esac
	[ "$found" = "3 81985529216486895" ] || complain "$found"
}

# What vsprintf() can print and tools cannot is left out: errors, flags. They show numbers
# for characters, and know no plus sign.
trace_cmd()
{
	command -v trace-cmd > /dev/null || { skip "no trace-cmd"; return; }
	events="int narrow long long_long width string limited bad_string quotes address"
	for event in $events; do
		accepted "test_marker_$event" || return
	done
	fire 1
	for event in $events; do
		records test_marker_"$event" | sed -e "s/c='m'/c='109'/" -e 's/+42/42/'
	done > "$TMP/ours"
	trace-cmd record -q -e markers -o "$TMP/trace.dat" \
		sh -c "echo 1 > $FIRE; sleep 0.5" > "$TMP/said" 2>&1
	trace-cmd report -i "$TMP/trace.dat" > "$TMP/report" 2>> "$TMP/said"
	for event in $events; do
		sed -n -e "s/.*: test_marker_$event: *//p" "$TMP/report"
	done > "$TMP/theirs"
	cmp "$TMP/ours" "$TMP/theirs" || {
		sed -e 's/^/# ours: /' "$TMP/ours"
		sed -e 's/^/# theirs: /' "$TMP/theirs"
		return 1
	}
}

perf_record()
{
	command -v perf > /dev/null || { skip "no perf"; return; }
	accepted test_marker_string || return
	perf record -q -e markers:test_marker_string -o "$TMP/perf.data" \
		sh -c "echo 5 > $FIRE" > "$TMP/said" 2>&1
	perf script -i "$TMP/perf.data" > "$TMP/script" 2>> "$TMP/said"
	[ "$(grep -c "test_marker_string: name first text 'it' padded" "$TMP/script")" -eq 5 ] || {
		sed -e 's/^/# /' "$TMP/said" "$TMP/script"
		return 1
	}
}

rust()
{
	present test_rust_marker || { skip "no module in Rust"; return; }
	events="int narrow wide ten none evaluated string pointer last"
	accepted "+test_rust_marker:test_rust_marker" || return
	for event in $events; do
		accepted "+test_rust_marker:test_rust_marker_$event" || return
	done
	echo > trace
	echo 1 > options/stacktrace
	modprobe test_rust_marker
	echo 0 > options/stacktrace
	# The marker that is the last statement of a function is in there as well.
	places="$(grep -A 2 ': test_rust_marker_last: ' trace | grep -c '=> .*hit_last')"
	unload test_rust_marker
	for event in "" $events; do
		records "test_rust_marker${event:+_$event}" | uniq -c | sed -e 's/^ *//'
	done | sed -e 's/error -ENOENT$/error -2/' > "$TMP/rust"
	# All are hit in three rounds when the module comes, and again when it goes.
	{
		printf '1 nr %d size %d name %s\n' 1 8 rust 2 8 rust 3 8 rust 0 0 exit \
			1 8 rust 2 8 rust 3 8 rust
		for nr in 1 2 3 1 2 3; do
			echo "1 d=-$nr i=-2147483648 u=4000000000 x=0xabcd X=ABCD o=10 c='m'"
		done
		echo "6 hhd=-3 hhu=253 hd=-300 hu=65000 b=1 promoted=65535"
		echo "6 ld=-9223372036854775808 lu=18446744073709551615 zu=6 td=-7" \
			"lld=-6000000000 a=1 llu=18000000000000000000"
		echo "6 1 2 3 4 5 6 7 8 9 10"
		echo "6 nothing, 100% of it"
		printf '1 nr %d\n' 1 2 3 4 5 6
		echo "6 name first padded [it    ] four abcd null (null)"
		echo "6 x=0x2000 mac 02:00:00:fe:ff:01 bad 00:00:00:00:00:00(fault) error -2"
		printf '1 last %d\n' 1 2 3 1 2 3
	} > "$TMP/wanted"
	cmp "$TMP/rust" "$TMP/wanted" || {
		sed -e 's/^/# /' "$TMP/rust"
		return 1
	}
	[ "$places" -eq 3 ] || complain "$places of 3 in their function"
}

all()
{
	conversions
	places
	definitions
	refusals
	probes
	users
}

#
# Main
#

begin $MODULE
FIRE="$FILES/fire"
COUNTS="$FILES/counts"
[ -e $FE ] || skip_all "there are no markers"
! grep -q . $FE || skip_all "there are marker events already"

trap clean_up EXIT
modprobe $MODULE || exit "$KSFT_FAIL"
no="Invalid argument"
big="Argument list too long"
none="No such file"
mark_log

all
ktap_set_plan "$KSFT_NUM_TESTS"
RUNNING=y
all
ktap_finished
