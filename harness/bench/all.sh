# SPDX-License-Identifier: GPL-2.0-or-later
# All events on 1 CPU.

echo 0 >tracing_on
# The first time, queues are allocated, and static calls patched that do not go to the
# probe of the event yet.
toggle events/enable 1 enable_all_first insn
echo 0 >events/enable
for pass in 1 2 3 4 5 6 7; do
	toggle_all '' insn
done

# longest FIGURE BEGIN END: the most instructions, which are what the clock counts, from
# an event BEGIN to the next END.
longest()
{
	sed -n "s/.* \\([0-9]*\\): \\($2\\|$3\\): .*/\\1 \\2/p" instances/hold/trace |
		awk -v figure="$1" -v begin="$2" '
		$2 == begin { if (!began) began = $1; next }
		began { if ($1 - began > most) most = $1 - began; began = 0 }
		END {
			if (most)
				printf "@figure insn.%s %d\n", figure, most
			else
				print "@error insn." figure " nothing in the trace"
		}'
}

mutex=$(awk '$3 == "text_mutex" { print $1 }' /proc/kallsyms)
{
	echo 'p:hold/lock mutex_lock lock=%di:x64'
	echo 'p:hold/unlock mutex_unlock lock=%di:x64'
	# Sites trap from the first of the three steps on, behind the sorting of the queue.
	echo 'p:hold/poke text_poke_write'
	echo 'r:hold/poked smp_text_poke_batch_finish'
} | while read -r definition; do
	echo "$definition" >>dynamic_events || echo "@error insn.text_mutex $definition is refused"
done
mkdir instances/hold
echo x86-tsc >instances/hold/trace_clock
for event in lock unlock; do
	echo "lock == 0x$mutex" >instances/hold/events/hold/$event/filter
done
echo 1 >instances/hold/events/hold/enable
for pass in 1 2 3; do
	# Not what enables these kprobes.
	echo >instances/hold/trace
	# Else other tasks and the timer tick are part of the longest, by chance.
	for value in 1 0; do
		toggle events/enable $value text_mutex alone ||
			echo "@error insn.text_mutex $value is not written"
	done
	longest text_mutex lock unlock
	longest sites_trap poke poked
done
echo 0 >instances/hold/events/hold/enable
rmdir instances/hold
echo >dynamic_events
