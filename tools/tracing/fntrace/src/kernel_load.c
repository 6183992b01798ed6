// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load fntrace-kernel.so when it is needed.
 */
#include "kernel_plugin.h"
#include "library.h"

const struct kernel_plugin *kernel_plugin_load(void)
{
	static const struct kernel_plugin *plugin;

	if (!plugin)
		plugin = library_load(KERNEL_PLUGIN_FILE, KERNEL_PLUGIN_SYMBOL,
				      "traces of the kernel");
	return plugin;
}
