# SPDX-License-Identifier: GPL-2.0
#
# Copyright (C) 2026 The static-key tracepoints developers
#
# Helpers for tests that load and unload modules
#

# The -n option of kmod's modprobe is not known to busybox, but -D is to both.
present()
{
	[ -d "/sys/module/$1" ] || modprobe -q -D "$1" >/dev/null 2>&1
}

# A module that is built in cannot be loaded or removed.
loadable()
{
	[ -d "/sys/module/$1/holders" ] || ! [ -d "/sys/module/$1" ]
}

unload()
{
	if loadable "$1" && [ -d "/sys/module/$1" ]; then
		modprobe -q -r "$1"
	fi
}
