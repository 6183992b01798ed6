#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All markers: available_markers shows them, and many are enabled and disabled at once.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	check "available_markers" available
	check "many are disabled and removed at once" many
	check "the sites of many are patched at once" together
	check "connecting and hitting at the same time" script stress.sh 5
	check "no complaint in the log" clean_log
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

run_tests
