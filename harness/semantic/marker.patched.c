// SPDX-License-Identifier: GPL-2.0-or-later
/* What marker.cocci must find, and what not. */
#include <linux/device.h>
#include <linux/printk.h>
#include <linux/marker.h>

static int several(struct device *dev, int nr, const char *name)
{
	MARK(several, "number %d name %s", nr, name);
	if (nr)
		MARK(several_2, "nothing");
	MARK(several_3, "device %s state %d", dev_name(dev), max(nr, 3));
	MARK(several_4, "device %s idle", dev_name(dev));
	MARK(several_5, "old %d", nr);
	return 0;
}

static void named_after_function(struct device *dev, int nr)
{
	MARK(named_after_function, "entry %d", nr);
	MARK(named_after_function_2, "device %s id %pUb mac %pM %pS",
	     dev_name(dev), dev, dev, several);
	MARK(named_after_function_3, "called with %d, 100%%", nr);
	MARK(named_after_function_4, "of %s: %d", __func__, nr);
}

static void no_markers(struct dentry *dentry, const char *fmt, int nr)
{
	pr_debug(fmt, nr);
	pr_debug("%s\n", __func__);
	pr_debug("\n");
	pr_debug("dentry %pd\n", dentry);
	pr_debug("width %*d\n", nr, nr);
	pr_debug("bytes %*ph\n", nr, dentry);
	pr_debug("code %p4cc\n", &nr);
	pr_info("told %d\n", nr);
	printk("no level %d\n", nr);
	printk(KERN_ERR "wrong %d\n", nr);
}
