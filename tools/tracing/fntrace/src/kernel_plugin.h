/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of fntrace that reads and records traces of Linux, fntrace-kernel.so.
 *
 * It needs three libraries that nobody else does, so it is loaded when it is used, and who
 * only traces programs needs none of them.
 */
#ifndef FNTRACE_KERNEL_PLUGIN_H
#define FNTRACE_KERNEL_PLUGIN_H

#include "kernel.h"
#include "kernel_protocol.h"

#define KERNEL_PLUGIN_FILE	"fntrace-kernel.so"
/* The name of its struct kernel_plugin. */
#define KERNEL_PLUGIN_SYMBOL	"kernel_plugin"

/*
 * struct kernel_plugin - what it provides
 * @version: of fntrace, of which both must be
 * @decode: see kernel_protocol.h
 * @live_start: see kernel.h
 * @live_stop: see kernel.h
 */
struct kernel_plugin {
	const char		*version;
	void			(*decode)(const struct kernel_input *input, int fd);
	struct kernel_live	*(*live_start)(const struct kernel_options *options);
	int			(*live_stop)(struct kernel_live *live,
					     struct kernel_stats *stats);
};

extern const struct kernel_plugin kernel_plugin;

/*
 * kernel_plugin_load() - load it, if that was not done yet
 *
 * Return: NULL after a message was printed
 */
const struct kernel_plugin *kernel_plugin_load(void);

#endif /* FNTRACE_KERNEL_PLUGIN_H */
