/* SPDX-License-Identifier: GPL-2.0 */
/* What the sources here refer to and nobody defines. */
#include <linux/jump_label.h>

DECLARE_STATIC_KEY_FALSE(far_off_key);
DECLARE_STATIC_KEY_TRUE(far_on_key);

void hit(int where);
