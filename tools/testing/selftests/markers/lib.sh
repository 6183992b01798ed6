# SPDX-License-Identifier: GPL-2.0
#
# What the tests of markers share: the events are of markers of the module test_marker, whose
# arguments are known.
#
# Copyright (C) 2026 The static-key tracepoints developers

. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh
. "$DIR"/../kselftest/event_helpers.sh

MODULE=test_marker
# There are none when the test starts: all that are there are its own.
FE=marker_events
SYSTEM=markers
INSTANCE=instances/markers_test

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
	sed -n "s/^$1 //p" "$FILES/counts"
}

# What was said since "$1" was written to /dev/kmsg. mark_log is not for this: the last test
# wants to see the complaints about all others.
said_since()
{
	dmesg | sed -n "1h; 1!H; /$1/h; \${g; p}"
}
