# SPDX-License-Identifier: GPL-2.0-or-later
# Run the tests in /job/tests one by one, each for at most LIMIT seconds.

cd /selftests/ftrace || exit 1
for test in $(cat /job/tests); do
	echo "ftracetest: begin $test" >/dev/kmsg
	echo "@begin $test"
	timeout -s KILL "$LIMIT" ./ftracetest -l /tmp/log "test.d/$test" >/tmp/out 2>&1
	status=$?
	# A test that was killed leaves its last line without an end.
	if ! grep -q '\[PASS\]' /tmp/out; then
		tail -q -n 60 /tmp/out /tmp/log/*-log.* 2>/dev/null | sed 's/^/# /'
		echo
	fi
	if [ $status -eq 137 ]; then
		echo "@outcome TIMEOUT"
	else
		sed -n 's/^\[[0-9]*\].*\[\([A-Z]*\)\]$/@outcome \1/p' /tmp/out
	fi
	rm -rf /tmp/log /tmp/out
	echo "ftracetest: end $test" >/dev/kmsg
	echo "@end $test"
done
exit 0
