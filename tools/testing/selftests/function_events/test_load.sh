#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Many function events at once, and definitions of which nothing may be left behind.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

all()
{
	w=test_func_wide
	check "many are disabled and removed at once" many
	check "20 functions of the kernel at once" script load.sh 2 20
	check "undoes what there is no memory for" without_memory
	check "definitions with errors leave nothing behind" script fuzz.sh 300
}

# How many functions of $TMP/many call something.
many_enabled()
{
	sed -e 's/ .*//' enabled_functions | grep -cxFf "$TMP/many"
}

# A hundred, half of them at the return. Waiting for one at a time takes half a minute.
many()
{
	nr=0
	: > "$TMP/many"
	for name in $(sed -e 's/ .*//' available_filter_functions | sort | uniq -u |
			grep '^\(tty\|proc\|kernfs\|sysfs\|pid\|uart\)_[a-z_]*$'); do
		arrow="$([ $((nr % 2)) = 0 ] || echo ' -> void')"
		echo "$name()$arrow" >> $FE || continue
		echo "$name" >> "$TMP/many"
		nr=$((nr + 1))
		[ $nr -lt 100 ] || break
	done 2> /dev/null
	[ $nr -eq 100 ] || { skip "no hundred functions"; return; }
	echo > trace
	from=$(now)
	echo 1 > events/functions/enable || return
	on=$(now)
	enabled=$(many_enabled)
	# Of proc, and of sysfs and kernfs.
	cat /proc/self/maps /proc/tty/drivers /sys/kernel/mm/*/enabled > /dev/null 2>&1
	ls -l /sys/kernel > /dev/null
	begin=$(now)
	echo 0 > events/functions/enable
	off=$(now)
	hit=$(sed -n 's/^[^#].*: \([a-z_]*\): [^ ]*->\1().*/\1/p' trace | sort -u |
		grep -cxFf "$TMP/many")
	echo > trace
	cat /proc/self/maps > /dev/null
	later=$(grep -c '()' trace)
	removed=$(now)
	echo > $FE
	end=$(now)
	echo "# enabled in $((on - from))0 ms, disabled in $((off - begin))0 ms," \
		"removed in $((end - removed))0 ms, $hit were hit"
	lacks . $FE || return
	checks_itself || [ $((off - begin + end - removed)) -lt 300 ] || return
	[ $enabled -eq 100 ] && [ $hit -ge 10 ] && [ $later -eq 0 ] &&
		[ "$(many_enabled)" -eq 0 ] ||
		complain "$enabled enabled, $hit hit, $later later, $(many_enabled) left"
}

without_memory()
{
	set -- "$w(int a, u32 first[0] | x8[2] b) -> s64 ret" "SyS_openat(int dfd, string path)" \
		"$MODULE:$w(x64 a = test_func_event_data) -> void" "test_func_n?n*(NULL)"
	[ ! -e /sys/kernel/btf/$MODULE ] || set -- "$@" "$w ->" "test_func_item(item->next->name)"
	each_allocation_fails "$@"
}

run_tests
