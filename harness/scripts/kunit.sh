# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's log with the suites of KUnit, without the times. Tests of %p are skipped before
# there is randomness, which who waits for it makes.

timeout 60 head -c 1 /dev/random >/dev/null
modprobe test_static_batch
modprobe test_marker_kunit
modprobe test_rust_demangle_kunit
modprobe maccess_kunit
modprobe string_kunit
modprobe printf_kunit
dmesg | sed 's/^\[ *[0-9.][0-9.]*\] //'
