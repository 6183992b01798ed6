// SPDX-License-Identifier: GPL-2.0-or-later
int two(void) { return no_such; }
