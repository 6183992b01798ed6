// SPDX-License-Identifier: GPL-2.0-or-later
int two(void);
int two(void) { return 2; }
