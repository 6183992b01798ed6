#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Function events with strings: of the kernel and of user space, those that do not fit, and
# those that cannot be printed.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/lib.sh

strings()
{
	check "strings" shows "test_func_string(string kernel, string user, int nr)" \
		'(kernel="in the kernel", user="1", nr=1)'
	check "strings as the source has them" \
		shows "test_func_string(const char *kernel, char const __user *user) -> char *" \
		'(kernel="in the kernel", user="1") -> ret="one" (ns)'
	check "addresses of characters" shows \
		"test_func_string(char *kernel, const unsigned char *user) -> const char **" \
		"(kernel=0x[0-9a-f]*[0-9a-f], user=0x[0-9a-f]*[0-9a-f]) -> ret=0x[0-9a-f]* (ns)"
	check "strings of user space" shows "test_func_string(NULL, ustring user)" '(user="1")'
	check "strings of user space that are the kernel's" \
		shows "test_func_string(ustring kernel)" '(kernel="(fault)")'
}

#
# Text that does not fit, or cannot be printed
#

# "texts ARGUMENTS LENGTH...": what a record shows of texts of these lengths: the length
# of each that is shown, and what is behind the quotation marks, in $TMP/texts.
texts()
{
	accepted "test_func_text$1" || return
	shift
	echo > trace
	echo 1 > events/functions/enable
	for length in "$@"; do
		write_text "$(letters "$length")"
	done
	echo 0 > events/functions/enable
	records test_func_text | awk '{
		while (match($0, /xx+/))
			$0 = substr($0, 1, RSTART - 1) RLENGTH substr($0, RSTART + RLENGTH)
		sub(/^[^(]*/, "")
		print
	}' | tr '\n' ' ' | sed -e 's/ $//' > "$TMP/texts"
	undefine
}

# "cuts ARGUMENTS PATTERN LENGTH...": PATTERN is what texts says.
cuts()
{
	arguments="$1"
	wanted="$2"
	shift 2
	texts "$arguments" "$@" || return
	case $(cat "$TMP/texts") in
	$wanted) ;;
	*) complain "$(cat "$TMP/texts")" ;;
	esac
}

text()
{
	check "strings that just fit, and longer ones" cuts "(string k)" \
		'(k="1022") (k="1023") (k="1023"...) (k="1023"...)' 1022 1023 1024 3000
	check "strings of user space that just fit, and longer ones" \
		cuts "(NULL, ustring u)" '(u="1023") (u="1023"...)' 1023 1024
	check "two strings, and numbers beside them" \
		cuts "(string k, NULL, string s | u64 n)" \
		'(k="1023", s="1023", n=*) (k="1023"..., s="1023"..., n=*)' 1023 1024
	check "strings that share the room of a record" \
		cuts "(string k, NULL, string s, string t, string b)" \
		"$(four_strings 986 '') $(four_strings 986 ...)" 986 987
	check "more than is made on the stack" large
	check "the return: a string that just fits, and longer ones" \
		cuts "(string k) -> void" \
		'(k="198") -> (ns) (k="198"...) -> (ns) (k="198"...) -> (ns)' 198 199 2000
	check "the return: two strings" cuts "(string k, NULL, string s) -> void" \
		'(k="94", s="94") -> (ns) (k="94"..., s="94"...) -> (ns)' 94 95
	check "the return: three strings" cuts "(string k, NULL, string s, string t) -> void" \
		"$(three_strings 62 '') $(three_strings 62 ...)" 62 63
	check "the return: what is returned" cuts "() -> string r" \
		'() -> r="1023" (ns) () -> r="1023"... (ns)' 1023 1024
	check "the return: strings at the entry and what is returned" \
		cuts "(string k) -> string r" '(k="194"...) -> r="1023"... (ns)' 1024
	check "the return: strings of user space are read again" \
		cuts "(NULL, ustring u) -> void" \
		'(u="199") -> (ns) (u="200") -> (ns) (u="1023") -> (ns) (u="1023"...) -> (ns)' \
		199 200 1023 1024
	check "the return: strings of the kernel and of user space" \
		cuts "(string k, ustring u) -> string r" \
		'(k="92"..., u="1000") -> r="1000" (ns)' 1000
	check "the return: several events of a function" share
	check "the return: more events than there is room for" share_of_five
	check "filters: strings that are cut" cut_filter
	check "the format file: strings that are cut" cut_format
	check "bytes that cannot be printed" escaped
	check "bytes that cannot be printed, in a record" kept_bytes
	check "bytes that cannot be printed, in an array" shows \
		"test_func_item(char[6] mac+6)" '(mac="\\020 0@P`")'
	check "long text that cannot be printed" long_escaped
}

four_strings()
{
	printf '(k="%s"%s, s="%s"%s, t="%s"%s, b="%s"%s)' "$1" "$2" "$1" "$2" "$1" "$2" "$1" "$2"
}

three_strings()
{
	printf '(k="%s"%s, s="%s"%s, t="%s"%s) -> (ns)' "$1" "$2" "$1" "$2" "$1" "$2"
}

# None is lost: each has a part, and what is of user space is read again.
share()
{
	accepted "c:functions/one test_func_text(string k) -> void" &&
	accepted "c:functions/two test_func_text(string k, ustring u) -> void" || return
	echo 1 > events/functions/enable
	write_text "$(letters 40)"
	write_text "$(letters 500)"
	echo 0 > events/functions/enable
	found="$(for event in one two; do
			records $event | sed -e 's/^[^(]*//'
		done | awk '{
		while (match($0, /xx+/))
			$0 = substr($0, 1, RSTART - 1) RLENGTH substr($0, RSTART + RLENGTH)
		print
	}' | tr '\n' ';')"
	missed="$(grep -c missed $FE)"
	undefine
	one='(k="40") -> (ns);(k="78"...) -> (ns);'
	two='(k="40", u="40") -> (ns);(k="34"..., u="500") -> (ns);'
	case "$found $missed" in
	"$one$two 0") ;;
	*) complain "$found $missed" ;;
	esac
}

# One of them does not fit, and says so.
share_of_five()
{
	for event in one two three four five; do
		accepted "c:functions/$event test_func_text(NULL, ustring u) -> u64" || return
	done
	echo 1 > events/functions/enable
	write_text "$(letters 500)"
	echo 0 > events/functions/enable
	found="$(for event in one two three four five; do
			records $event | grep -c '(u="x\{500\}")'
		done | tr '\n' ' ')"
	missed="$(grep -c '# missed 1$' $FE)"
	undefine
	# Which of them it is depends on the order in which they are enabled.
	case "$found$missed" in
	'0 1 1 1 1 1' | '1 0 1 1 1 1' | '1 1 0 1 1 1' | '1 1 1 0 1 1' | '1 1 1 1 0 1') ;;
	*) complain "$found$missed" ;;
	esac
}

large()
{
	accepted "test_func_text(char[300] all | string k)" || return
	echo 1 > events/functions/enable
	write_text "$(letters 500)"
	echo 0 > events/functions/enable
	found="$(records test_func_text)"
	undefine
	case $found in
	*"(all=\"$(letters 300)\", k=\"$(letters 500)\")") ;;
	*) complain "$found" ;;
	esac
}

cut_filter()
{
	accepted "test_func_text(string k, NULL, char[4] four | string s)" || return
	found=
	for filter in '__cut != 0' '!(__cut & 1)' '__cut & 2' '__cut == 3' '__cut == 0'; do
		echo "$filter" > events/functions/test_func_text/filter || return
		echo > trace
		echo 1 > events/functions/enable
		write_text "$(letters 20)"
		write_text "$(letters 2000)"
		echo 0 > events/functions/enable
		found="$found$(records test_func_text | grep -c '(k="x\{20\}", four')"
		found="$found$(records test_func_text | grep -c '(k="x\{1023\}"\.\.\., four') "
	done
	undefine
	[ "$found" = "01 10 01 01 10 " ] || complain "$found"
}

cut_format()
{
	accepted "test_func_text(string k, u8 u[0]) -> string r" || return
	format=events/functions/test_func_text/format
	fields="$(sed -n -e 's/^\tfield:\(.*\);\toffset.*/\1/p' $format | grep ' __[cf]')"
	print="$(sed -n 's/^print fmt: //p' $format)"
	undefine
	[ "$fields" = "u32 __fault
u32 __cut" ] || complain "$fields" || return
	case $print in
	*'k=\"%s\"%s, u=%u%s) -> r=\"%s\"%s ('*'(REC->__cut & 0x1) ? "..." : ""'*) ;;
	*) complain "$print" || return ;;
	esac
	case $print in
	*'__get_str(r), (REC->__cut & 0x2) ? "..." : ""'*) ;;
	*) complain "$print" ;;
	esac
}

# A line feed, escape, bell, quotation mark, backslash, an e with an accent, and DEL.
BYTES="$(printf 'one\ntwo\033[2K\007 "quoted\\" \303\251\177.')"
ESCAPED='one\ntwo\e[2K\a \"quoted\\\" \303\251\177.'

# In trace, and in trace_pipe.
escaped()
{
	accepted "test_func_text(string k, ustring u) -> string r" || return
	echo > trace
	echo 1 > events/functions/enable
	write_text "$BYTES"
	echo 0 > events/functions/enable
	found="$(records test_func_text)"
	lines="$(grep -c -v '^#' trace)"
	cat trace_pipe > "$TMP/pipe" &
	reader=$!
	for time in 1 2 3 4 5 6 7 8 9 10; do
		[ -s "$TMP/pipe" ] && break
		sleep 0.2
	done
	kill $reader
	wait $reader 2> /dev/null
	undefine
	wanted="->test_func_text(k=\"$ESCAPED\", u=\"$ESCAPED\") -> r=\"$ESCAPED\" (ns)"
	piped="$(sed -e 's/.*: test_func_text: [^ ]*\( \[[a-z_]*\]\)\?->/->/' \
		-e 's/ ([0-9]* ns)$/ (ns)/' "$TMP/pipe")"
	[ "$found" = "$wanted" ] && [ "$lines" -eq 1 ] || complain "$found" || return
	[ "$piped" = "$wanted" ] || complain "trace_pipe: $piped"
}

# As they are: a filter finds them, and so does who reads the records.
kept_bytes()
{
	accepted "test_func_text(string k)" || return
	echo 'k ~ "one?two?*2K?*quoted*"' > events/functions/test_func_text/filter || return
	echo > trace
	echo 1 > events/functions/enable
	write_text "$BYTES"
	write_text 'one\ntwo\e[2K'
	echo 0 > events/functions/enable
	found="$(records test_func_text | grep -c .)"
	readers=
	for cpu in per_cpu/cpu*; do
		dd if="$cpu"/trace_pipe_raw of="$TMP/raw_${cpu##*/}" bs=65536 count=1 2> /dev/null &
		readers="$readers $!"
	done
	sleep 0.5
	kill $readers 2> /dev/null
	wait $readers 2> /dev/null
	bytes="$(printf '%s' "$BYTES" | tr '\n' '+')"
	kept="$(cat "$TMP"/raw_* | tr '\n' '+' | tr '\0' '\n' | grep -c -F -e "$bytes")"
	undefine
	[ "$found $kept" = "1 1" ] || complain "$found, $kept"
}

# What fills the buffer would hide the record in trace_pipe.
long_escaped()
{
	accepted "test_func_text(string k, NULL, string s, string t | u64 after)" || return
	echo > trace
	echo 1 > events/functions/enable
	write_text "$(letters 1000 | tr x '\001')"
	echo 0 > events/functions/enable
	found="$(records test_func_text | sed -e 's/\(\\001\)\{442\}/442/g')"
	undefine
	case $found in
	'->test_func_text(k="442"..., s="442"..., t="442"..., after='[0-9]*')') ;;
	*) complain "$found" ;;
	esac
}

all()
{
	strings
	text
}

run_tests
