// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library with one function, NAME; of names that are as long, everything is at the same
 * place. And with a constructor, if it is wanted.
 */
static int sink;

void NAME(void)
{
	sink++;
}

#ifdef CONSTRUCTOR
__attribute__((noipa)) static void called_first(void)
{
	sink++;
}

__attribute__((constructor)) static void constructor(void)
{
	called_first();
}
#endif
