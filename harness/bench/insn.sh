# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions per hit.

insn empty_call
insn static_branch_disabled
insn static_branch_enabled
insn single_key_toggle
insn tracepoint_disabled
insn notrace_disabled
echo 1 >events/static_key_benchmark/enable
insn tracepoint_enabled
recorded tracepoint_enabled hit
insn notrace_enabled
recorded notrace_enabled hit
insn tracepoint_one_field
recorded tracepoint_one_field one_field
insn tracepoint_two_strings
recorded tracepoint_two_strings two_strings
echo 0 >events/static_key_benchmark/enable
insn trace_printk
grep -q ': nr=999 value=.* name=trace_printk$' trace ||
	echo "@error insn.trace_printk it is not in the trace"
echo >trace

echo 1 >events/static_key_benchmark/enable
# Cleared, as people do it.
echo 1 >set_event_pid
echo >set_event_pid
insn tracepoint_enabled tracepoint_after_pid
recorded tracepoint_after_pid hit
# Not by writing: that is what sets the flag of the events again in the pristine kernel.
echo 1 >>set_event_pid
: >set_event_pid

echo 0 >tracing_on
echo >trace
insn tracepoint_enabled tracepoint_tracing_off
! grep -q ': static_key_benchmark_hit: ' trace ||
	echo "@error insn.tracepoint_tracing_off the event is in the trace"
echo 1 >tracing_on

hit=events/static_key_benchmark/static_key_benchmark_hit

# filtered FIGURE FILTER: an event with a filter, which is recorded if FIGURE says that it passes.
filtered()
{
	echo "$2" >$hit/filter
	insn tracepoint_enabled "$1"
	case $1 in
	*_pass*)
		recorded "$1" hit ;;
	*)
		! grep -q ': static_key_benchmark_hit: ' trace ||
			echo "@error insn.$1 the event is in the trace" ;;
	esac
	echo 0 >$hit/filter
}

filtered filter_pass_1 'nr >= 0'
filtered filter_pass_3 'nr >= 0 && nr < 1000000 && value != 1'
filtered filter_pass_string 'name == "tracepoint_enabled"'
filtered filter_reject 'nr < 0'

# triggered FIGURE TRIGGER [LINE]: an event with a trigger, which leaves LINE in its histogram or
# in the trace, or nothing.
triggered()
{
	echo "$2" >$hit/trigger
	insn tracepoint_enabled "$1"
	case $1 in
	hist_*)
		grep -q "$3" $hit/hist || echo "@error insn.$1 it is not in the histogram" ;;
	trigger_reject)
		! grep -q ': static_key_benchmark_hit: ' trace ||
			echo "@error insn.$1 the event is in the trace"
		[ "$(cat tracing_on)" = 1 ] || echo "@error insn.$1 the trigger was pulled" ;;
	*)
		grep -q "$3" trace || echo "@error insn.$1 it is not in the trace" ;;
	esac
	echo "!$2" >$hit/trigger
	echo >trace
}

triggered trigger_reject_enabled 'traceoff if nr < 0' ': static_key_benchmark_hit: nr=999'
triggered event_stack stacktrace '^ => bench_show'
# Nothing is recorded but in the histogram.
echo 0 >events/static_key_benchmark/enable
triggered trigger_reject 'traceoff if nr < 0'
triggered hist_1key hist:keys=nr '{ nr: *999 }'
triggered hist_2keys hist:keys=nr,flags:vals=value '{ nr: *999, '
triggered hist_string hist:keys=name '{ name: tracepoint_enabled'

# attached FIGURE HOOK: what others take an event for that is not enabled, see attach.c.
attached()
{
	under="/job/attach $2 static_key_benchmark_hit $(cat $hit/id)"
	insn tracepoint_enabled "$1"
	under=
}

attached perf_event perf
attached bpf_tp bpf
attached bpf_raw_tp raw_bpf

echo 's:bench_synthetic s32 nr' >>dynamic_events
echo 1 >events/synthetic/bench_synthetic/enable
triggered synthetic 'hist:keys=name:nr=nr:onchange($nr).trace(bench_synthetic,$nr)' \
	': bench_synthetic: nr=999'
echo 0 >events/synthetic/bench_synthetic/enable
echo >dynamic_events
echo 1 >events/static_key_benchmark/enable

mkdir instances/second
echo 1 >instances/second/$hit/enable
insn tracepoint_enabled two_instances
grep -q ': static_key_benchmark_hit: nr=999' instances/second/trace ||
	echo "@error insn.two_instances the event is not in the trace of the second"
recorded two_instances hit
echo 0 >instances/second/$hit/enable
rmdir instances/second

# It waits in poll(), for more than all rounds write.
size=$(cat buffer_size_kb)
percent=$(cat buffer_percent)
echo 8192 >buffer_size_kb
echo 100 >buffer_percent
# shellcheck disable=SC3045 # busybox has it
(read -r -t 1000 line <per_cpu/cpu0/trace_pipe_raw) &
reader=$!
sleep 1
insn tracepoint_enabled tracepoint_with_reader
grep -q poll /proc/$reader/wchan ||
	echo "@error insn.tracepoint_with_reader nobody waits: $(cat /proc/$reader/wchan)"
kill $reader
wait $reader
recorded tracepoint_with_reader hit
echo "$percent" >buffer_percent
echo "$size" >buffer_size_kb
echo 0 >events/static_key_benchmark/enable

# tracer FIGURE TRACER: what a call costs that a tracer traces.
tracer()
{
	echo bench_empty >set_ftrace_filter
	echo "$2" >current_tracer
	insn empty_call "$1"
	grep -q bench_empty trace ||
		echo "@error insn.$1 the function is not in the trace"
	echo nop >current_tracer
	echo >set_ftrace_filter
}

tracer function_tracer function
tracer function_graph function_graph

if [ "$PATCHED" ]; then
	insn rust_declared_disabled rust_disabled
	insn rust_defined_disabled
	echo 1 >events/static_key_benchmark/enable
	insn rust_declared_enabled
	recorded rust_declared_enabled hit
	insn rust_defined_enabled
	recorded rust_defined_enabled rust_hit
	echo 0 >events/static_key_benchmark/enable
fi

# least: of the figures that are read; errors are passed on.
least()
{
	cat >/tmp/figures
	grep '^@error' /tmp/figures
	grep '^@figure' /tmp/figures | sort -n -k 3 | head -n 1
}

# kinds FIGURE FPROBE KPROBE: an event of both kinds, and which of them is cheaper.
kinds()
{
	{
		dynamic "fprobe_$1" dynamic_events "f:functions/bench_empty_f $2"
		dynamic "kprobe_$1" dynamic_events "$3"
	} >/tmp/kinds
	cat /tmp/kinds
	sed 's/insn\.[fk]probe/insn.probe/' /tmp/kinds | least
}

# per_field FIGURE ONE NINE: from what dynamic said of one field and of nine.
per_field()
{
	case "$2 $3" in
	*@error*)
		printf '%s\n' "$2" "$3" | grep '^@error' ;;
	*)
		echo "${2##* } ${3##* }" |
			awk -v figure="$1" '{ printf "@figure insn.%s %.3f\n", figure, ($2 - $1) / 8 }' ;;
	esac
}

kinds event_4args "bench_empty $probe" "p:functions/bench_empty_p bench_empty $registers"
kinds event_return 'bench_empty%return ret=$retval:s32' \
	'r:functions/bench_empty_r bench_empty ret=$retval:s32'
kinds event_entry_and_return "bench_empty%return $probe ret=\$retval:s32" \
	"r:functions/bench_empty_r bench_empty $probe ret=\$retval:s32"
passing='filter nr >= 0'
stack='trigger stacktrace'
action=$passing
kinds event_filter "bench_empty $probe" "p:functions/bench_empty_p bench_empty $registers"
action=$stack
kinds event_stack "bench_empty $probe" "p:functions/bench_empty_p bench_empty $registers"
action=
for definition in 'f:functions/bench_empty_f bench_empty a=$arg1' \
		'p:functions/bench_empty_p bench_empty a=%di'; do
	field=${definition##*=}
	nine="$definition b=$field c=$field d=$field e=$field f=$field g=$field h=$field i=$field"
	per_field probe_event_field "$(dynamic one dynamic_events "$definition")" \
		"$(dynamic nine dynamic_events "$nine")"
done | least
# A hundred events, of which one is hit.
for definition in "f:functions/bench_empty_f bench_empty $probe" \
		"p:functions/bench_empty_p bench_empty $registers"; do
	many_events 99 insn.probe_event_of_100 dynamic_events \
		"${definition%%:*}:functions/\$function \$function a=\\\$arg1"
	dynamic probe_event_of_100 dynamic_events "$definition"
done | least

if [ "$PATCHED" ]; then
	target='bench_empty(int nr, u64 value, x64 flags, string name)'
	dynamic function_event_4args function_events "$target"
	action=$passing
	dynamic function_event_filter function_events "$target"
	action=$stack
	dynamic function_event_stack function_events "$target"
	action=
	dynamic function_event_return function_events 'bench_empty() -> int ret'
	dynamic function_event_entry_and_return function_events "$target -> int ret"
	one=$(dynamic one function_events 'bench_empty(u64 a)')
	nine=$(dynamic nine function_events \
		'bench_empty(u64 a|u64 b|u64 c|u64 d|u64 e|u64 f|u64 g|u64 h|u64 i)')
	per_field function_event_field "$one" "$nine"
	many_events 99 insn.function_event_of_100 function_events '$function(x64 a)'
	dynamic function_event_of_100 function_events "$target"
fi

insn bare_tracepoint
dynamic tprobe_4args dynamic_events \
	"t:functions/bench_bare static_key_benchmark_bare_tp $probe" \
	bare_tracepoint functions ': bench_bare: .* nr=999 value=.* name="bare_tracepoint"$'
dynamic tprobe_1field dynamic_events \
	't:functions/bench_bare static_key_benchmark_bare_tp nr=$arg1:s32' \
	bare_tracepoint functions ': bench_bare: .* nr=999$'
dynamic eprobe_2fields dynamic_events \
	'e:functions/bench_hit static_key_benchmark/static_key_benchmark_hit nr=$nr:s32 value=$value:u64' \
	tracepoint_enabled functions ': bench_hit: .* nr=999 value='

if [ "$PATCHED" ]; then
	insn marker marker_dormant
	mark=static_key_benchmark:static_key_benchmark_mark
	shown=': static_key_benchmark_mark: nr=999 value=.* name=marker$'
	dynamic marker_4args marker_events $mark marker markers "$shown"
	action=$passing
	dynamic marker_filter marker_events $mark marker markers "$shown"
	action=$stack
	dynamic marker_stack marker_events $mark marker markers "$shown"
	action=
fi

# of_buffer NAME: a line of what the ring buffer says of itself.
of_buffer()
{
	sed -n "s/^$1: *//p" per_cpu/cpu0/stats
}

# reading FIGURE MODE FILE: what it takes to read an event, see reader.c.
reading()
{
	echo >trace
	echo 1 >events/static_key_benchmark/static_key_benchmark_hit/enable
	for round in 1 2 3 4; do
		cat "$bench/tracepoint_enabled" >/dev/null
	done
	echo 0 >events/static_key_benchmark/static_key_benchmark_hit/enable
	entries=$(of_buffer entries)
	[ "$entries" -gt 10000 ] || echo "@error insn.$1 there are only $entries events"
	/job/reader "$2" "$3" "$entries" "$1"
	left=$(of_buffer entries)
	[ "$3" = trace ] || [ "$left" -lt 200 ] || echo "@error insn.$1 $left events are left"
}

echo 1024 >buffer_size_kb
reading read_text read trace
reading read_text_pipe read trace_pipe
reading read_raw read per_cpu/cpu0/trace_pipe_raw
reading read_splice splice per_cpu/cpu0/trace_pipe_raw
reading read_mmap mmap per_cpu/cpu0/trace_pipe_raw
echo 64 >buffer_size_kb

# once FIGURE COMMAND...: what a command takes, with what starts it. The clock shows microseconds.
once()
{
	figure=$1
	shift
	begin=$(of_buffer 'now ts')
	"$@" >/dev/null || echo "@error insn.$figure $* fails"
	end=$(of_buffer 'now ts')
	echo "$end $begin" | awk -v figure="$figure" \
		'{ printf "@figure insn.%s %d\n", figure, ($1 - $2) * 1e9 }'
}

once load_module insmod /job/bench_functions.ko
once available_filter_functions cat available_filter_functions
grep -q '^bench_functions_4999 \[bench_functions\]$' available_filter_functions ||
	echo "@error insn.available_filter_functions a function of the module is missing"
