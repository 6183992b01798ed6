// SPDX-License-Identifier: GPL-2.0-or-later
/* What static_batch.cocci must find, and what not. */
#include <linux/jump_label.h>
#include <linux/tracepoint.h>
#include <linux/cpu.h>

static struct item items[8];
static struct static_key_false lonely, lonelies[2];

static void all_on(void)
{
	int i;

	cpus_read_lock();
	jump_label_lock();
	for (i = 0; i < 8; i++)
		static_key_queue(&items[i].key.key, true);
	jump_label_apply();
	jump_label_unlock();
	cpus_read_unlock();
}

static void each_off(struct list_head *list)
{
	struct item *item;

	cpus_read_lock();
	jump_label_lock();
	list_for_each_entry(item, list, node) {
		if (item->on)
			static_key_queue(&item->key.key, false);
	}
	jump_label_apply();
	jump_label_unlock();
	cpus_read_unlock();
}

static void by_state(struct item *all, int nr, bool on)
{
	do {
		struct static_key_false *key = all[--nr].pointer;

		if (on)
			static_branch_enable(key);
		else
			static_branch_disable(key);
		static_key_disable(all[nr].other);
		static_key_enable(&all[nr].third);
	} while (nr);
}

static void calls(struct item *all, int nr)
{
	cpus_read_lock();
	static_call_lock();
	while (nr--)
		static_call_queue(all[nr].call, all[nr].tramp, all[nr].func);
	arch_static_call_apply();
	static_call_unlock();
	cpus_read_unlock();
}

static int probes(struct item *all, int nr)
{
	int n = 0, ret = 0;

	tracepoint_batch_begin();
	while (n < nr) {
		ret = tracepoint_probe_register(all[n].tp, probe, NULL);
		if (ret)
			break;
		n++;
	}
	tracepoint_batch_end();
	tracepoint_batch_begin();
	while (ret && n--)
		tracepoint_probe_unregister(all[n].tp, probe, NULL);
	tracepoint_batch_end();
	return 0;
}

static int leaves(struct item *all, int nr)
{
	int ret;

	for (int n = 0; n < nr; n++) {
		ret = tracepoint_probe_register(all[n].tp, probe, NULL);
		if (ret)
			return ret;
	}
	return 0;
}

static void both(struct item *all, int nr)
{
	for (int n = 0; n < nr; n++) {
		tracepoint_probe_unregister(all[n].tp, probe, NULL);
		static_branch_disable(&all[n].key);
	}
}

static void same_key(void)
{
	for (int i = 0; i < 3; i++) {
		static_branch_enable(&lonely);
		static_branch_enable(&items[0].key);
		static_branch_disable(&lonelies[1]);
	}
}

/* No batch has these. */
static void counted(struct item *all, int nr)
{
	for (int i = 0; i < nr; i++)
		static_branch_inc(&all[i].key);
	while (nr--)
		static_branch_dec(&all[nr].key);
}

static int one_of_them(struct item *all, int nr)
{
	for (int i = 0; i < nr; i++) {
		if (all[i].wanted) {
			static_branch_enable(&all[i].key);
			return 0;
		}
		if (all[i].traced)
			return tracepoint_probe_register(all[i].tp, probe, NULL);
	}
	while (nr--) {
		if (all[nr].unwanted) {
			static_branch_disable(&all[nr].key);
			break;
		}
	}
	return -ENOENT;
}

static void nested(struct item *all)
{
	cpus_read_lock();
	jump_label_lock();
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++)
			static_key_queue(&all[i * j].key.key, true);
	}
	jump_label_apply();
	jump_label_unlock();
	cpus_read_unlock();
}

static void batched(struct item *all)
{
	tracepoint_batch_begin();
	for (int i = 0; i < 3; i++)
		tracepoint_probe_register(all[i].tp, probe, NULL);
	tracepoint_batch_end();
}

static void twice(struct item *all, int nr)
{
	cpus_read_lock();
	jump_label_lock();
	for (int i = 0; i < nr; i++)
		static_key_queue(&all[i].key.key, true);
	jump_label_apply();
	jump_label_unlock();
	cpus_read_unlock();
	if (nr > 3) {
		cpus_read_lock();
		jump_label_lock();
		while (nr--)
			static_key_queue(&all[nr].key.key, false);
		jump_label_apply();
		jump_label_unlock();
		cpus_read_unlock();
	}
}
