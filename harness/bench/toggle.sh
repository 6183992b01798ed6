# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel makes of it when the first event is enabled, which takes more than
# to enable all events.
echo 1408 >buffer_size_kb
# A task that is woken on another CPU, such as those of RCU, is not counted as an IPI.
echo NO_TTWU_QUEUE >/sys/kernel/debug/sched/features

# toggle FILE VALUE NAME KIND...: the figures KIND.NAME of writing VALUE to FILE,
# see harness/bench/toggle.c.
toggle()
{
	# What came before shall be over, and its RCU callbacks as well.
	sleep 1
	/job/toggle "$@"
}

# toggle_all SUFFIX KIND...: enable all events, and disable them.
toggle_all()
{
	suffix=$1
	shift
	toggle events/enable 1 "enable_all$suffix" "$@"
	[ "$(cat events/enable)" != 0 ] ||
		echo "@error $1.enable_all$suffix no event is enabled"
	toggle events/enable 0 "disable_all$suffix" "$@"
	[ "$(cat events/enable)" = 0 ] ||
		echo "@error $1.disable_all$suffix an event is still enabled"
}
