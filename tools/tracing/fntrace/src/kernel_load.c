// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load fntrace-kernel.so when it is needed.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_plugin.h"
#include "library.h"
#include "trace.h"

static const struct kernel_plugin *load(const char *path)
{
	const struct kernel_plugin *plugin = NULL;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (library)
		plugin = dlsym(library, KERNEL_PLUGIN_SYMBOL);
	if (!plugin) {
		warn("traces of the kernel need %s: %s", KERNEL_PLUGIN_FILE, dlerror());
		return NULL;
	}
	if (strcmp(plugin->version, VERSION)) {
		warn("%s is of fntrace %s, not %s", path, plugin->version, VERSION);
		return NULL;
	}
	return plugin;
}

const struct kernel_plugin *kernel_plugin_load(void)
{
	static const struct kernel_plugin *plugin;
	char *path;

	if (plugin)
		return plugin;
	path = library_find(KERNEL_PLUGIN_FILE);
	if (path)
		plugin = load(path);
	else
		warn("traces of the kernel need %s, which is not " LIBRARY_PLACES,
		     KERNEL_PLUGIN_FILE);
	free(path);
	return plugin;
}
