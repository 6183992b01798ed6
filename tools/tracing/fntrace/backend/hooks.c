// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the hooks jump to. libfntrace.so has linux/hooks.S in the place of this.
 */

#include "internal.h"

void *fntrace_mcount_hook = fntrace_off;
void *fntrace_fentry_hook = fntrace_fentry_off;
