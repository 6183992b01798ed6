#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Print how many of 100 functions of the kernel ftrace can trace, of those in Rust and of
# those in C:
#
#	rust 99.8
#	c 75.4
#
# Of functions that are not init code. Parts of functions, and what objtool and the
# compiler put in front of them, are none.

TRACING=/sys/kernel/tracing
for language in rust c; do
	awk -v wanted=$language '
		{ language = $NF ~ /^_R/ ? "rust" : "c" }
		FILENAME ~ /available_filter_functions$/ {
			if (NF == 1 && language == wanted)
				listed++
			next
		}
		$3 == "_sinittext" { init = 1 }
		$3 == "_einittext" { init = 0 }
		NF == 3 && !init && $2 ~ /^[tT]$/ && $3 !~ /^__(pfx|cfi)_|\.cold/ &&
				language == wanted && !seen[$1]++ {
			all++
		}
		END { printf "%s %.1f\n", wanted, 100 * listed / (all ? all : 1) }
	' $TRACING/available_filter_functions /proc/kallsyms
done
