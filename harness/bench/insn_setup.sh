# SPDX-License-Identifier: GPL-2.0-or-later
# For the machine that counts instructions per hit.

insmod /job/static_key_benchmark.ko || exit 1
# Enough for a round to wrap, and quick to read back.
echo 64 >buffer_size_kb
bench=/sys/kernel/debug/static_key_benchmark

# insn BENCHMARK [FIGURE]: run a benchmark; FIGURE if one serves several. $under is empty, or a
# command that runs another one, with its arguments.
under=
insn()
{
	# shellcheck disable=SC2086 # words
	if said=$($under cat "$bench/$1" 2>&1); then
		echo "@figure insn.${2:-$1} $said"
	else
		echo "@error insn.${2:-$1} $said"
	fi
}

# recorded FIGURE EVENT: the benchmark cannot see whether its events reach the ring buffer.
recorded()
{
	grep -q ": static_key_benchmark_$2: nr=999" trace ||
		echo "@error insn.$1 the event is not in the trace"
	echo >trace
}

# The functions of the benchmarks take the same arguments as their event shows.
probe='nr=$arg1:s32 value=$arg2:u64 flags=$arg3:x64 name=+0($arg4):string'
# The same for a kprobe, which is cheaper.
registers='nr=%di:s32 value=%si:u64 flags=%dx:x64 name=+0(%cx):string'

# dynamic FIGURE FILE DEFINITION [BENCHMARK GROUP LINE]: what a call, or BENCHMARK, costs with
# an event of the group functions, or GROUP, and with all that are defined already. It gets
# $action, which is the name of a file of the event with what is written to it, or empty.
action=
dynamic()
{
	group=${5:-functions}
	if ! echo "$3" >>"$2"; then
		echo "@error insn.$1 $3 is refused"
		return
	fi
	echo 1 >"events/$group/enable"
	[ "$(cat "events/$group/enable")" = 1 ] ||
		echo "@error insn.$1 not all events are enabled"
	file=${action%% *}
	if [ "$action" ]; then
		echo "${action#* }" >"$(echo "events/$group"/*/"$file")" ||
			echo "@error insn.$1 $action is refused"
	fi
	insn "${4:-empty_call}" "$1"
	grep -q "${6:-: bench_empty.*: }" trace ||
		echo "@error insn.$1 the event is not in the trace"
	echo 0 >"events/$group/enable"
	# An event with a trigger stays.
	[ "$file" != trigger ] || echo "!${action#* }" >"$(echo "events/$group"/*/trigger)"
	echo >trace
	echo >dynamic_events
}
