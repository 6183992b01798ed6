/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The linker's names for the begin and the end of section "outer" of unusual.c. */
extern char __start_outer[], __stop_outer[];
