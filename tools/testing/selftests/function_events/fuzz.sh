#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# fuzz.sh LINES [FILE DEFINITIONS GROUP...]: so many definitions with errors are written to
# FILE, function_events if there is none; after that everything has to be as it was. To be
# run as root, in the tracing directory, without dynamic events there.
#
# Copyright (C) 2026 The static-key tracepoints developers

LINES="${1:?how many lines?}"
DIR="$(dirname "$(readlink -f "$0")")"
FILE="${2:-function_events}"
DEFINITIONS="${3:-$DIR/definitions}"
shift $(($# < 3 ? $# : 3))
[ $# != 0 ] || set -- functions
. "$DIR"/../kselftest/tracing_helpers.sh
# KiB that are not given back. What is freed at last is not seen at once, and probe events
# have more caches.
LIMIT=512
[ "$FILE" != dynamic_events ] || LIMIT=1024

# "write_lines LINES SEED GROUP..."
write_lines()
{
	"$DIR/write_mutated" "$FILE" "$DEFINITIONS" "$@"
}

# What there is to see of events.
state()
{
	cat "$FILE" dynamic_events available_events
	find events | sort
}

# KiB of the kernel's own objects.
memory()
{
	sync
	sleep 3
	echo 3 > /proc/sys/vm/drop_caches
	awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo
}

TMP="$(mktemp -d)" || exit
trap 'rm -rf "$TMP"' EXIT
[ ! -e $LEAKS ] || echo clear > $LEAKS
state > "$TMP/before" || exit
# The first lines fill caches.
write_lines $((LINES / 5 + 1)) 1 "$@" > /dev/null || exit
before=$(memory)
write_lines "$LINES" 2 "$@" || exit
after=$(memory)
state > "$TMP/after"
cmp "$TMP/before" "$TMP/after" || exit
echo "$before KiB before, $after KiB after"
if [ -e $LEAKS ]; then
	# It says what leaks, and KASAN, which is often there as well, keeps what is freed.
	no_leaks || { echo "memory has leaked"; exit 1; }
else
	[ $((after - before)) -lt $LIMIT ] || { echo "memory is lost"; exit 1; }
fi
