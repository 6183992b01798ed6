// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What fntrace-kernel.so provides to the program that loads it.
 */
#include "kernel_plugin.h"

const struct kernel_plugin kernel_plugin = {
	.version = VERSION,
	.decode = kernel_decode,
	.live_start = kernel_live_start,
	.live_stop = kernel_live_stop,
};
