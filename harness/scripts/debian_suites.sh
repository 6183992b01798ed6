# SPDX-License-Identifier: GPL-2.0-or-later
# The suites of others in a Debian system: "@suite NAME", what it prints, "@status STATUS".

job=$PWD

# suite NAME SECONDS COMMAND...: in the directory that it is called in
suite()
{
	echo "@suite $1"
	shift
	timeout -k 20 "$@" 2>&1
	echo "@status $?"
}

# Modules that patch functions, and a program that is patched: built here, for the kernel that
# runs, with its headers.
cd livepatch || exit
make -C "/lib/modules/$(uname -r)/build" M="$PWD/test_modules" modules >/dev/console 2>&1
gcc -o test_klp-call_getpid test_klp-call_getpid.c
suite livepatch 1800 sh -c 'for test in test-*.sh; do ./$test; done'

cd "$job/selftests" || exit
# The ring buffer's last: they leave tracing off.
for name in $(cut -d : -f 1 kselftest-list.txt | uniq | grep -vx ring-buffer) ring-buffer; do
	suite "kselftest-$name" 3600 ./run_kselftest.sh -c "$name"
done

cd "$job" || exit
suite perf-test 1800 perf test trace probe ftrace event
suite stress-ng-ftrace 300 stress-ng --ftrace --pipe 2 --fork 2 --timeout 20
