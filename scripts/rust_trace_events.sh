#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The static-key tracepoints developers
#
# Write the header of trace events that are defined in Rust.
#
#	rust_trace_events.sh OBJCOPY OBJECT
#
# trace_event! leaves the definitions, in C, in a section of the object. They
# become a header like those in include/trace/events. What is not of the order
# of the compiler comes first: the system, which is one for the whole object.

set -e

objcopy=$1
object=$2
name=$(basename "$object" .o)
# In the names of macros.
macro=$(echo "$name" | tr -c 'A-Za-z0-9\n' _)

# A section that is not there is no error of objcopy, but leaves no file.
section=$(mktemp)
text=$(mktemp)
trap 'rm -f "$section" "$text"' EXIT
$objcopy --dump-section .discard.trace_events="$section" "$object" /dev/null 2>/dev/null || :
# With -Zmin-function-alignment, rustc aligns each of the texts as well.
tr -d '\0' < "$section" > "$text"
if [ ! -s "$text" ]; then
	echo "error: $object has no trace events" >&2
	exit 1
fi

system=$(sed -n 's/^#define TRACE_SYSTEM //p' "$text" | sort -u)
case $system in
'')
	echo "error: no trace event in $object says 'system: NAME'" >&2
	exit 1 ;;
*[!A-Za-z0-9_-]*)
	echo "error: $object has trace events of several systems:" $system >&2
	exit 1 ;;
esac

# In the names of variables, which C takes from the system, there is no '-'.
variable=
case $system in
*-*)
	variable="
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR $(echo "$system" | tr - _)" ;;
esac

exports=$(sed -n 's/^#define RUST_TRACE_EXPORT \(.*\)/ export(\1)/p' "$text" | tr -d '\n')

cat <<END
/* Trace events that are defined in Rust. Generated, do not edit. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM $system$variable

#if !defined(_TRACE_RUST_$macro) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_RUST_$macro

#include <linux/tracepoint.h>

/* For $name.trace.c: the tracepoints that are exported. */
#define RUST_TRACE_EXPORTS_$macro(export)$exports

END
sed '/^#define \(TRACE_SYSTEM\|RUST_TRACE_EXPORT\) /d' "$text"
cat <<END

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE $name.trace
#include <trace/define_trace.h>
END
