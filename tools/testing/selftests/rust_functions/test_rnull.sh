#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A driver in Rust, rnull, under tracing: its events, beside those of the block layer, and its
# functions, between those of C that call them and those of C that they call.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh
. "$DIR"/../kselftest/tracing_helpers.sh
. "$DIR"/../kselftest/event_helpers.sh

MODULE=rnull_mod
DISK=rnull_test
# What the names of functions have in them that are compiled for the driver.
DRIVER=5rnull13NullBlkDevice
QUEUE=17queue_rq_callback
# As they are shown with the option rust-names.
READABLE="<kernel::block::mq::operations::OperationsVTable<rnull::NullBlkDevice>>"
FE=function_events
SYSTEM=functions
RUNNING=
# That of the buffer of each CPU in KiB, if it was changed.
SIZE=

reset()
{
	echo 0 > tracing_on
	echo 0 > events/enable
	for file in events/rnull/*/filter; do
		echo 0 > "$file"
	done
	echo nop > current_tracer
	[ ! -e set_graph_function ] || echo > set_graph_function
	[ ! -e set_graph_notrace ] || echo > set_graph_notrace
	[ ! -e set_ftrace_pid ] || echo > set_ftrace_pid
	[ ! -e options/rust-names ] || echo 0 > options/rust-names
	[ ! -e dynamic_events ] || ! grep -q . dynamic_events || echo > dynamic_events
	[ -z "$SIZE" ] || echo "$SIZE" > buffer_size_kb
	SIZE=
	echo > trace
	echo 1 > tracing_on
}

remove_disks()
{
	for directory in "$CONFIG"/*/; do
		[ ! -d "$directory" ] || rmdir "$directory"
	done
}

tidy()
{
	reset
	remove_disks
}

clean_up()
{
	cd "$TRACING" || return
	[ ! -d events/rnull ] || tidy
	[ -n "$LOADED" ] || unload $MODULE
	cd /
	rm -rf "$TMP"
	unmount
}

# "symbol NAME": the function of this name that is compiled for the driver. Behind the name is
# the crate for which it is.
symbol()
{
	grep " [tT] .*\[$MODULE\]\$" /proc/kallsyms | cut -d ' ' -f 3 | cut -f 1 |
		grep "^_R.*$DRIVER.*$1" | head -n 1
}

# What configure makes of a disk, as its event shows it.
ATTRIBUTES="name=$DISK blocksize=512 size=16 rotational=1"

# "configure IRQMODE": a disk that is not there yet. $DEV is set by power_on.
configure()
{
	mkdir "$CONFIG/$DISK" &&
		echo 512 > "$CONFIG/$DISK/blocksize" &&
		echo 16 > "$CONFIG/$DISK/size" &&
		echo 1 > "$CONFIG/$DISK/rotational" &&
		echo "$1" > "$CONFIG/$DISK/irqmode"
}

power_on()
{
	echo 1 > "$CONFIG/$DISK/power" || return
	DEV="$(tr : , < "/sys/block/$DISK/dev")"
	# A scheduler could have another task pass the requests on.
	echo none > "/sys/block/$DISK/queue/scheduler" || return
	[ -b "/dev/$DISK" ] || complain "there is no /dev/$DISK"
}

disk()
{
	configure "$1" && power_on
}

# "write_blocks SIZE COUNT SEEK": straight to the disk, each block by a system call.
write_blocks()
{
	dd if=/dev/zero of="/dev/$DISK" bs="$1" count="$2" seek="$3" oflag=direct \
		2> "$TMP/said" || complain "$(cat "$TMP/said")"
}

read_blocks()
{
	dd if="/dev/$DISK" of=/dev/null bs="$1" count="$2" skip="$3" iflag=direct \
		2> "$TMP/said" || complain "$(cat "$TMP/said")"
}

# "records": the records in the trace, without what comes before the name of the event.
records()
{
	sed -n -e 's/^[^#].*\[[0-9]*\] [^:]*: \([a-z_]*: \)/\1/p' trace
}

# "recorded TEXT...": these are all records, one after the other.
recorded()
{
	records > "$TMP/found"
	printf '%s\n' "$@" > "$TMP/wanted"
	cmp -s "$TMP/found" "$TMP/wanted" && return
	head -n 20 "$TMP/found" | sed -e 's/^/# found: /'
	head -n 20 "$TMP/wanted" | sed -e 's/^/# wanted: /'
	return 1
}

#
# Events
#

# "fields EVENT FIELD...": in this order, behind the common ones.
fields()
{
	event="$1"
	shift
	sed -n -e '/common_/d' -e 's/^\tfield:\(.*\);\toffset.*/\1/p' \
		events/rnull/"$event"/format > "$TMP/found"
	printf '%s\n' "$@" | cmp -s - "$TMP/found" && return
	sed -e 's/^/# found: /' "$TMP/found"
	return 1
}

formats()
{
	# shellcheck disable=SC2046
	[ "$(echo $(ls -d events/rnull/*/))" = "events/rnull/rnull_add_disk/ \
events/rnull/rnull_complete_rq/ events/rnull/rnull_del_disk/ events/rnull/rnull_queue_rq/" ] ||
		complain "$(ls events/rnull)" || return
	fields rnull_add_disk "u64 size" "u32 dev" "u32 blocksize" "__data_loc char[] name" \
		"bool rotational" "u8 irqmode" &&
	fields rnull_del_disk "u32 dev" &&
	fields rnull_queue_rq "u64 sector" "u32 dev" "u32 tag" "bool last" &&
	fields rnull_complete_rq "u64 sector" "u32 dev" "u32 tag" "u8 irqmode"
}

added()
{
	configure 1 && echo 1 > events/rnull/enable && power_on || return
	# What is powered is neither added once more nor changed.
	echo 1 > "$CONFIG/$DISK/power" || return
	echo 0 > "$CONFIG/$DISK/power" || return
	recorded "rnull_add_disk: $DEV $ATTRIBUTES irqmode=softirq" "rnull_del_disk: $DEV"
}

directory_removed()
{
	configure 0 && echo 1 > events/rnull/enable && power_on && remove_disks || return
	recorded "rnull_add_disk: $DEV $ATTRIBUTES irqmode=none" "rnull_del_disk: $DEV"
}

# The name is one that a directory can have and a disk cannot.
not_added()
{
	name=$DISK$DISK$DISK$DISK
	mkdir "$CONFIG/$name" && echo 1 > events/rnull/enable || return
	! echo 1 2> /dev/null > "$CONFIG/$name/power" || complain "there is a disk $name" || return
	[ -z "$(records)" ] || complain "$(records)"
}

# The tags are those of queue_rq, and the others have to have the same.
requests_inline()
{
	disk 0 || return
	echo 1 > events/rnull/enable
	write_blocks 4096 2 5 && read_blocks 4096 1 7 || return
	echo 0 > events/rnull/enable
	# shellcheck disable=SC2046
	set -- $(records | sed -n -e 's/^rnull_queue_rq: .* tag=\([0-9]*\) .*/\1/p')
	recorded "rnull_queue_rq: $DEV sector=40 tag=$1 last=1" \
		"rnull_complete_rq: $DEV sector=40 tag=$1 irqmode=none" \
		"rnull_queue_rq: $DEV sector=48 tag=$2 last=1" \
		"rnull_complete_rq: $DEV sector=48 tag=$2 irqmode=none" \
		"rnull_queue_rq: $DEV sector=56 tag=$3 last=1" \
		"rnull_complete_rq: $DEV sector=56 tag=$3 irqmode=none"
}

requests_softirq()
{
	disk 1 || return
	echo 1 > events/rnull/enable
	write_blocks 4096 1 5 || return
	echo 0 > events/rnull/enable
	tag="$(records | sed -n -e 's/^rnull_queue_rq: .* tag=\([0-9]*\) .*/\1/p')"
	recorded "rnull_queue_rq: $DEV sector=40 tag=$tag last=1" \
		"rnull_complete_rq: $DEV sector=40 tag=$tag irqmode=softirq" || return
	# With a queue for one CPU only, the block layer calls the driver itself.
	[ "$(grep -c ^processor /proc/cpuinfo)" -gt 1 ] || return 0
	grep -q '\] ..[sH]..* rnull_complete_rq: ' trace || complain "$(grep rnull_ trace)"
}

# The same request in all four events.
beside_block()
{
	[ -d events/block/block_rq_issue ] || { skip "no events of the block layer"; return; }
	disk 0 || return
	for event in rnull/enable block/block_rq_issue/enable block/block_rq_complete/enable; do
		echo 1 > events/$event
	done
	write_blocks 4096 1 5 || return
	echo 0 > events/enable
	records | sed -e 's/ [WF]*S* 4096 ()/ 4096/' -e 's/ [WF]*S* ()//' -e 's/ tag=[0-9]*//' \
		-e 's/ + 8 .*/ + 8/' > "$TMP/found"
	printf '%s\n' "block_rq_issue: $DEV 4096 40 + 8" \
		"rnull_queue_rq: $DEV sector=40 last=1" \
		"rnull_complete_rq: $DEV sector=40 irqmode=none" \
		"block_rq_complete: $DEV 40 + 8" > "$TMP/wanted"
	cmp -s "$TMP/found" "$TMP/wanted" && return
	records | sed -e 's/^/# /'
	return 1
}

# One system call, many requests, of which the driver is told that more will follow.
batch()
{
	disk 0 || return
	echo 1 > events/rnull/rnull_queue_rq/enable
	write_blocks 4M 1 0 || return
	echo 0 > events/rnull/rnull_queue_rq/enable
	records > "$TMP/found"
	grep -q 'last=0$' "$TMP/found" && tail -n 1 "$TMP/found" | grep -q 'last=1$' && return
	sed -e 's/^/# /' "$TMP/found"
	return 1
}

filter()
{
	disk 0 || return
	echo 'sector == 48 && last == 1' > events/rnull/rnull_queue_rq/filter &&
	echo 'irqmode != 0' > events/rnull/rnull_complete_rq/filter || return
	echo 1 > events/rnull/enable
	write_blocks 4096 4 4 || return
	echo 0 > events/rnull/enable
	records | sed -e 's/tag=[0-9]*/tag/' > "$TMP/found"
	[ "$(cat "$TMP/found")" = "rnull_queue_rq: $DEV sector=48 tag last=1" ] ||
		complain "$(cat "$TMP/found")"
}

events()
{
	check "the events and their fields" formats
	check "a disk is added and removed" added
	check "a disk whose directory is removed" directory_removed
	check "a disk that cannot be added" not_added
	check "requests that end at once" requests_inline
	check "requests that end in a softirq" requests_softirq
	check "the requests of the block layer's events" beside_block
	check "more requests follow" batch
	check "filters" filter
}

#
# Functions
#

tracer()
{
	grep -qw "$1" available_tracers || skip "no tracer $1"
}

traced()
{
	[ -n "$(symbol $QUEUE)" ] || { complain "no symbol $QUEUE"; return 1; }
	grep -q "^$(symbol $QUEUE)[[:space:]]" available_filter_functions ||
		skip "no functions of Rust in ftrace"
}

# "nested FUNCTION...": in $TMP/graph, the last one is called from the one before it, or from
# what that calls, and so on. The depth is that of the indentation.
nested()
{
	printf '%s\n' "$@" > "$TMP/chain"
	awk '
		FILENAME != graph { chain[++links] = $0; next }
		!/^ *[^ }]/ { next }
		{
			match($0, /^ */)
			depth = RLENGTH
			name = substr($0, depth + 1)
			# With the module behind the name.
			sub(/( \[[^]]*\])?\(\).*/, "", name)
			while (top && depths[top] >= depth)
				top--
			depths[++top] = depth
			names[top] = name
			link = 1
			for (i = 1; i <= top; i++)
				if (names[i] == chain[link] && ++link > links && i == top)
					found = 1
		}
		END { exit !found }
	' graph="$TMP/graph" "$TMP/chain" "$TMP/graph" && return
	head -n 100 "$TMP/graph" | sed -e 's/^/# /'
	return 1
}

# "graph FUNCTION COMMAND...": what is called from this function while COMMAND runs. That is many
# times as much with PREEMPT_RT, and in kernels that check themselves, most of it there to find out
# who allocates memory.
graph()
{
	if checks_itself && grep -qx stack_trace_save available_filter_functions; then
		echo stack_trace_save > set_graph_notrace || return
	fi
	SIZE="$(tr -cd '0-9 ' < buffer_size_kb | sed 's/.* //')"
	echo 16384 > buffer_size_kb || return
	echo "$1" > set_graph_function &&
	echo function_graph > current_tracer &&
	echo 1 > options/rust-names || return
	shift
	echo > trace
	"$@" || return
	echo 0 > tracing_on
	sed -n -e 's/^[^#|]*|  //p' trace > "$TMP/graph"
}

# From the system call through Rust into C and back.
graph_inline()
{
	tracer function_graph && traced || return
	disk 0 || return
	graph ksys_write write_blocks 4096 1 5 &&
	nested ksys_write vfs_write blk_mq_submit_bio "$READABLE::queue_rq_callback" \
		blk_mq_end_request &&
	# Back in C, in the same system call.
	sed -n "\$!{/queue_rq_callback/,\$p}" "$TMP/graph" > "$TMP/rest" &&
	sed -n '/^  *}/,$p' "$TMP/rest" | grep -q '();$' || complain "it does not return"
}

graph_softirq()
{
	tracer function_graph && traced || return
	[ "$(grep -c ^processor /proc/cpuinfo)" -gt 1 ] || { skip "one CPU"; return; }
	disk 1 || return
	graph blk_done_softirq write_blocks 4096 1 5 &&
	nested blk_done_softirq "$READABLE::complete_callback" blk_mq_end_request
}

# What is done for a disk that is added, below the write to its directory.
graph_power()
{
	tracer function_graph && traced || return
	configure 0 || return
	graph configfs_write_iter power_on &&
	grep -q "^ .* \[$MODULE\]() {\$" "$TMP/graph" &&
	nested configfs_write_iter device_add_disk
}

# "hits EVENT TEXT": for three requests, the event is recorded as often, with this text.
hits()
{
	disk 0 || return
	echo 1 > events/"$1"/enable && write_blocks 4096 3 5 || return
	echo 0 > events/"$1"/enable
	[ "$(grep -c "$2" trace)" -eq 3 ] && return
	grep -v '^#' trace | head -n 5 | sed -e 's/^/# /'
	return 1
}

function_event()
{
	[ -e $FE ] || { skip "no function events"; return; }
	traced || return
	define "c:rnull_queue $(symbol $QUEUE)(NULL, x64 bd) -> u8 status" ||
		complain "$(cat "$TMP/said")" || return
	echo 1 > options/rust-names
	hits functions/rnull_queue "rnull_queue: .*->$READABLE::queue_rq_callback(bd=.* -> status=0"
}

has_fprobes()
{
	[ -e dynamic_events ] && grep -q 'f\[.*%return' README || skip "no fprobe events"
}

# The second argument is a struct blk_mq_queue_data, a pointer and a bool.
fprobe()
{
	has_fprobes && traced || return
	echo "f:rnull_queue $(symbol $QUEUE) last=+8(\$arg2):u8" >> dynamic_events &&
	hits fprobes/rnull_queue 'rnull_queue: .* last=1'
}

fprobe_return()
{
	has_fprobes && traced || return
	echo "f:rnull_queued $(symbol $QUEUE)%return status=\$retval:u8" >> dynamic_events &&
	hits fprobes/rnull_queued 'rnull_queued: .* status=0'
}

kprobe()
{
	[ -e kprobe_events ] || { skip "no kprobe events"; return; }
	traced || return
	echo "p:rnull_queue $(symbol $QUEUE) last=+8(\$arg2):u8" >> kprobe_events &&
	hits kprobes/rnull_queue 'rnull_queue: .* last=1'
}

functions()
{
	check "function graph: a system call, the driver, the block layer" graph_inline
	check "function graph: a softirq, the driver, the block layer" graph_softirq
	check "function graph: configfs, the driver, the block layer" graph_power
	check "function event" function_event
	check "fprobe" fprobe
	check "fprobe at the return" fprobe_return
	check "kprobe" kprobe
}

unloaded()
{
	loadable $MODULE || { skip "the driver is built in"; return; }
	remove_disks
	unload $MODULE
	[ ! -d events/rnull ] || { complain "its events are still there"; return 1; }
	modprobe $MODULE && [ -d events/rnull ]
}

all()
{
	events
	functions
	check "the events go with the module" unloaded
	check "the kernel did not complain" clean_log
}

#
# Main
#

TMP="$(mktemp -d)" || exit "$KSFT_FAIL"

ktap_print_header

[ "$(id -u)" -eq 0 ] || skip_all "must be run as root"
present $MODULE || skip_all "there is no module $MODULE"
find_mount configfs /sys/kernel/config || skip_all "there is no configfs"
CONFIG="$FOUND/rnull"
find_tracing || skip_all "there is no tracefs"
cd "$TRACING" || exit "$KSFT_FAIL"
[ ! -e $FE ] || ! grep -q . $FE || skip_all "there are function events already"
[ ! -d "$CONFIG" ] || [ -z "$(ls -d "$CONFIG"/*/ 2> /dev/null)" ] ||
	skip_all "there are disks of rnull already"

LOADED=
[ ! -d /sys/module/$MODULE ] || LOADED=y
trap clean_up EXIT
modprobe $MODULE || exit "$KSFT_FAIL"
[ -d events/rnull ] || skip_all "the driver has no events"
mark_log
all
ktap_set_plan "$KSFT_NUM_TESTS"
RUNNING=y
all
ktap_finished
