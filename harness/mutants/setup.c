// SPDX-License-Identifier: GPL-2.0-or-later
/* Behind init/main.c: the number of the mutant that is wanted. */
extern int harness_mutant;
int harness_mutant;
EXPORT_SYMBOL_GPL(harness_mutant);
static int __init harness_mutant_setup(char *text)
{
	return kstrtoint(text, 0, &harness_mutant);
}
early_param("mutant", harness_mutant_setup);
