# SPDX-License-Identifier: GPL-2.0
#
# What the tests of function events share: the events are on functions of the module
# test_func_event, whose arguments are known, or on functions of the kernel.
#
# Copyright (C) 2026 The static-key tracepoints developers

. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh
. "$DIR"/../kselftest/event_helpers.sh

MODULE=test_func_event
# There are none when the test starts: all that are there are its own.
FE=function_events
SYSTEM=functions
INSTANCE=instances/function_events_test
EIGHT="NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"

clean_up()
{
	cd "$TRACING" || return
	[ ! -d events/functions ] || echo 0 > events/functions/enable
	for instance in "$INSTANCE" "$INSTANCE"[0-9]*; do
		[ ! -d "$instance" ] || rmdir "$instance"
	done
	echo > $FE
	unload $MODULE
	cd /
	rm -rf "$TMP"
	unmount
}

# "records EVENT": the records in the trace, without what comes before the arguments
# and without times.
records()
{
	sed -n -e "s/.*: $1: [^ ]*\( \[[a-z_]*\]\)\?->/->/p" trace |
		sed -e 's/ ([0-9]* ns)$/ (ns)/'
}

# The string in user space is this one, too.
call()
{
	printf '%s\0' "$1" > $FIRE
}

# Calls the functions of the module, with the events of the system "functions" on.
fire()
{
	echo > trace
	echo 1 > events/functions/enable &&
	call 1 &&
	echo 0 > events/functions/enable
}

# "shows DEFINITION PATTERN": PATTERN is what all records come to, separated by "; ".
shows()
{
	define "$1" || { complain "refused: $(cat "$TMP/said")"; undefine; return 1; }
	event="$(sed -e 's/ *(.*//' -e 's/ *->.*//' -e 's/;.*//' -e 's/.*[ *:]//' $FE | tail -n 1)"
	fire
	found="$(records "$event" | sed -e "s/^->$event//" | tr '\n' ';' |
		 sed -e 's/;$//' -e 's/;/; /g')"
	undefine
	case $found in
	$2) ;;
	*)
		echo "# found: $found"
		echo "# instead of: $2"
		return 1 ;;
	esac
}

# "fields N": so many fields of one argument.
fields()
{
	seq -s ' ' "$1" | sed -e 's/\([0-9]*\) */int f\1 | /g' -e 's/ | $//'
}

long()
{
	printf "%$1s" "" | tr ' ' a
}

# "is_traced FUNCTION": ftrace has it; may be a regular expression.
is_traced()
{
	grep -qx "$1" available_filter_functions || skip "$1 is not traced"
}

# "write_text TEXT": calls test_func_text() with it.
write_text()
{
	printf '%s\0' "$1" > "$FILES/text"
}

# "letters N": so many of them.
letters()
{
	printf "%$1s" "" | tr ' ' x
}

btf()
{
	[ -e /sys/kernel/btf/$MODULE ] || { skip "no type information"; return; }
	"$@"
}
