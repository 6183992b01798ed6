// SPDX-License-Identifier: GPL-2.0-or-later
/* What marker.cocci must find, and what not. */
#include <linux/device.h>
#include <linux/printk.h>

static int several(struct device *dev, int nr, const char *name)
{
	pr_debug("number %d name %s\n", nr, name);
	if (nr)
		pr_debug("nothing\n");
	dev_dbg(dev, "state %d\n", max(nr, 3));
	dev_dbg(dev, "idle\n");
	printk(KERN_DEBUG "old %d\n", nr);
	return 0;
}

static void named_after_function(struct device *dev, int nr)
{
	pr_debug("%s: entry %d\n", __func__, nr);
	dev_dbg(dev, "%s: id %pUb mac %pM %pS\n", __func__, dev, dev, several);
	pr_debug("%s() called with %d, 100%%\n", __func__, nr);
	pr_debug("of %s: %d\n", __func__, nr);
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
