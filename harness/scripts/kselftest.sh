# SPDX-License-Identifier: GPL-2.0-or-later
# Run the COLLECTIONS of kselftests, with OPTIONS of its runner.

cd /selftests || exit 1
for name in $COLLECTIONS; do
	grep "^$name:" kselftest-list.txt | sed -e 's/^/@test /'
	set -- "$@" -c $name
done
./run_kselftest.sh $OPTIONS "$@"
