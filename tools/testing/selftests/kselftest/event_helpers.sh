# SPDX-License-Identifier: GPL-2.0
#
# Helpers for tests of files in tracefs in which a line makes an event, on top of
# tracing_helpers.sh. The script is in the directory of tracefs, $TMP is a directory,
# $FE is the file, which is empty when the test starts, and $SYSTEM is the system of its
# events.
#
# Copyright (C) 2026 The static-key tracepoints developers

RUNNING=
# What the errors of a definition are in words.
no="Invalid argument"
big="Argument list too long"
none="No such file"

# Runs the tests of a program, which its function all has; clean_up undoes what they and
# this do. $MODULE has what the events are of, and hits it when $FIRE is written.
run_tests()
{
	begin $MODULE
	FIRE="$FILES/fire"
	[ -e $FE ] || skip_all "there is no $FE"
	! grep -q . $FE || skip_all "there are events in $FE already"

	trap clean_up EXIT
	modprobe $MODULE || exit "$KSFT_FAIL"
	mark_log

	all
	ktap_set_plan "$KSFT_NUM_TESTS"
	RUNNING=y
	all
	ktap_finished
}

# What is written to the file goes through a program that says in words, which a
# shell need not do, what is wrong: in $TMP/said.
define()
{
	echo "$1" > "$TMP/line"
	LC_ALL=C cat "$TMP/line" 2> "$TMP/said" >> $FE
}

undefine()
{
	echo 0 > events/enable
	echo > trace
	echo > $FE
}

# What a test has left behind, above all one that has failed.
tidy()
{
	! grep -q . $FE || undefine
}

# "refused ERROR DEFINITION": the caret is where DEFINITION has a ^, and it is taken
# out; nothing is left behind.
refused()
{
	before="${2%%^*}"
	text="$before${2#*^}"
	cp $FE "$TMP/before"
	ls events events/"$SYSTEM" > "$TMP/events" 2> /dev/null
	echo > error_log
	if define "$text"; then
		undefine
		complain "accepted: $text"
		return 1
	fi
	grep -q "$1" "$TMP/said" || { complain "$(cat "$TMP/said")"; return 1; }
	cmp $FE "$TMP/before" || return
	ls events events/"$SYSTEM" 2> /dev/null | cmp - "$TMP/events" || return
	# The line with the caret has the same indentation as the command.
	caret="$(sed -n '/^  Command: /{n;p}' error_log)"
	[ ${#caret} -eq $((${#before} + 12)) ] && return
	sed -e 's/^/# /' error_log
	return 1
}

accepted()
{
	define "$1" || complain "$(cat "$TMP/said")"
}

# One that can also be run for longer.
script()
{
	"$DIR"/"$@" > "$TMP/output" 2>&1
	ret=$?
	sed -e 's/^/# /' "$TMP/output"
	return $ret
}

# "each_allocation_fails DEFINITION...": each once, until there are no more that could. The
# shell does it all by itself: it is its own allocations that are counted.
each_allocation_fails()
{
	slab=/sys/kernel/debug/failslab
	[ -w /proc/self/fail-nth ] && [ -d $slab ] || { skip "no fault injection"; return; }
	echo N > $slab/ignore-gfp-wait
	echo 0 > $slab/verbose
	[ ! -e $LEAKS ] || echo clear > $LEAKS
	for definition in "$@"; do
		nth=0
		taken=0
		refused=0
		while [ $taken -lt 20 ] && [ $nth -lt 2000 ]; do
			nth=$((nth + 1))
			echo $nth > /proc/self/fail-nth
			if echo "$definition" >> $FE; then
				echo 0 > /proc/self/fail-nth
				taken=$((taken + 1))
			else
				echo 0 > /proc/self/fail-nth
				lacks . $FE || { complain "half made: $definition"; return; }
				taken=0
				refused=$((refused + 1))
			fi
			echo > $FE
			lacks . $FE && ! [ -d events/"$SYSTEM" ] || {
				complain "stays: $definition"
				return
			}
		done 2> /dev/null
		echo "# $((nth - taken)) allocations, refused $refused times"
		[ $taken -eq 20 ] && [ $refused -gt 10 ] || { complain "$definition"; return; }
	done
	[ ! -e $LEAKS ] || no_leaks
}
