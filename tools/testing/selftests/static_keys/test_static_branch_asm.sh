#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Static branches in assembly: runs the test module, and flips the key of the
# sample between its fast and its slow path.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/ktap_helpers.sh
. "$DIR"/../kselftest/module_helpers.sh

TEST=test_static_branch_asm
SAMPLE=static_branch_asm_sample
TEST_PARAMS=/sys/module/$TEST/parameters
PARAMS=/sys/module/$SAMPLE/parameters

# The init function of the test fails, and so does modprobe, if a check does. If
# the module is built in, its test has run.
test_passes()
{
	if loadable $TEST; then
		unload $TEST && modprobe $TEST && unload $TEST
	else
		[ "$(cat $TEST_PARAMS/errors)" -eq 0 ]
	fi
}

param_is()
{
	value="$(cat "$PARAMS/$1")"
	[ "$value" = "$2" ] && return
	ktap_print_msg "$1 is '$value', expected '$2'"
	return 1
}

# The parameter, the path, and that the slow path has run or has not.
takes_path()
{
	calls="$(cat $PARAMS/slow_calls)"
	if [ "$1" = slow ]; then
		param_is slow 1 && param_is path slow &&
			param_is slow_calls $((calls + 1))
	else
		param_is slow 0 && param_is path fast &&
			param_is slow_calls "$calls"
	fi
}

flips()
{
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo 1 > $PARAMS/slow && takes_path slow || return 1
		echo 0 > $PARAMS/slow && takes_path fast || return 1
	done
}

rejects()
{
	! (echo "$1" > $PARAMS/slow) 2>/dev/null
}

starts_slow()
{
	modprobe $SAMPLE slow=1 && takes_path slow
}

sample_tests()
{
	if loadable $SAMPLE; then
		ktap_test_result "sample: load" modprobe $SAMPLE
	else
		echo 0 > $PARAMS/slow
		ktap_test_skip "sample: load (built in)"
	fi
	ktap_test_result "sample: fast path at first" takes_path fast
	ktap_test_result "sample: follows its key" flips
	ktap_test_result "sample: rejects a bad value" rejects 2
	ktap_test_result "sample: unchanged by a bad value" takes_path fast
	if loadable $SAMPLE; then
		ktap_test_result "sample: unload" unload $SAMPLE
		ktap_test_result "sample: slow path when loaded with slow=1" starts_slow
		unload $SAMPLE
	else
		ktap_test_skip "sample: unload (built in)"
		ktap_test_skip "sample: slow path when loaded with slow=1 (built in)"
	fi
}

ktap_print_header

if [ "$(id -u)" -ne 0 ]; then
	ktap_skip_all "must be run as root"
	exit "$KSFT_SKIP"
fi
if ! present $TEST; then
	ktap_skip_all "module $TEST is not found"
	exit "$KSFT_SKIP"
fi

SAMPLE_NUM_TESTS=7
ktap_set_plan $((1 + SAMPLE_NUM_TESTS))

ktap_test_result "sites in assembly follow their keys" test_passes

if present $SAMPLE; then
	unload $SAMPLE
	sample_tests
else
	while [ "$KTAP_TESTNO" -le "$KSFT_NUM_TESTS" ]; do
		ktap_test_skip "sample: module $SAMPLE is not found"
	done
fi

ktap_finished
