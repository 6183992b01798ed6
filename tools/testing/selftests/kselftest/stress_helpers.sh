# SPDX-License-Identifier: GPL-2.0
#
# Helpers for stress tests: jobs that run at the same time, on top of tracing_helpers.sh.
# KINDS are the jobs, as often as each shall run; job_KIND goes on while goes_on says so, and
# says done_once KIND after each round that has done what it is for. A job that needs perf is
# named perf.
#
# Copyright (C) 2026 The static-key tracepoints developers

goes_on()
{
	[ ! -e "$TMP/stop" ]
}

done_once()
{
	echo >> "$TMP/$1"
}

# "count KIND": how many rounds it has done.
count()
{
	if [ -e "$TMP/$1" ]; then
		wc -l < "$TMP/$1"
	else
		echo 0
	fi
}

kinds_here()
{
	for kind in $(echo "$KINDS" | tr ' ' '\n' | sort -u); do
		[ "$kind" = perf ] && ! command -v perf > /dev/null || echo "$kind"
	done
}

enough()
{
	for kind in $(kinds_here); do
		[ "$(count "$kind")" -ge 2 ] || return
	done
}

# "perf_records ARGUMENTS": record on all CPUs, again and again; for job_perf.
perf_records()
{
	command -v perf > /dev/null || return
	while goes_on; do
		# It fails if an event goes before it has opened it.
		perf record -q -a "$@" -o "$TMP/perf.data" sleep 0.1
		done_once perf
	done > /dev/null 2>&1
}

# All that ran did something.
rounds()
{
	for kind in $(kinds_here); do
		echo "# $kind: $(count "$kind") rounds"
	done
	enough || complain "too few rounds"
}

# "stress SECONDS MODULE": run the jobs for so long, then the checks of all, which the script
# has. clean_up ends the jobs, and undoes what they have done.
stress()
{
	RUNNING=
	all
	ktap_set_plan "$KSFT_NUM_TESTS"
	RUNNING=y
	mark_log
	modprobe -q "$2"
	trap 'clean_up; exit "$KSFT_FAIL"' INT TERM
	for kind in $KINDS; do
		job_"$kind" &
	done
	sleep "$1"
	# In a busy guest a round of perf takes many seconds; with KASAN and lockdep, others
	# take minutes.
	for second in $(seq 300); do
		enough && break
		sleep 1
	done
	clean_up
	all
	[ "$(pwd)" = / ] || cd /
	rm -rf "$TMP"
	unmount
	ktap_finished
}
