// SPDX-License-Identifier: GPL-2.0
/*
 * A writer that is interrupted by writers and meets a reader, and a reader that
 * is overtaken by a writer, behind each of its instructions
 *
 * Every record has a number. All of them must be read, once, in the order of
 * their times, but those that the counters say are overwritten.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "step.h"
#include "test.h"

#define RECORDS		2000
#define PAGES		8
#define PAGE_DATA	(PAGE_SIZE - 16)

/* Where the writer starts: in the middle of a page, at its end, ... */
enum { MIDDLE, END, BEFORE_END, FIRST, LATE, FULL, STARTS };
static const char * const start_name[] = {
	"in the middle of a page", "at the end of a page", "before the end of a page",
	"on a new page", "after a long time", "over the oldest page"
};

/* ... and what interrupts it */
enum {
	ONE, TWO, FIRST_DISCARDED, DISCARDED, PAGEFUL, NMI, EARLY, SWAP, READER, PAGE_READER,
	ONE_AND_READER, WAITER, INTERRUPTS,
	/* For two interrupts */
	SWAP_AND_OLD
};

static const char * const interrupt_name[] = {
	"one record", "two records", "a discarded and a record", "a discarded record",
	"a page of records", "a record in an NMI", "a record before preempt_count() shows it",
	"a snapshot and a record", "a reader", "a reader of pages", "a record and a reader",
	"a reader that waits"
};

static const struct rb_version *version;
static struct trace_buffer *buffer, *snapshot;
static unsigned int start, kind;
static bool discard;
/* The writer is one of those that may write within a record. */
static bool nest;
/* Numbers of the records that were committed */
static bool written[RECORDS];
static unsigned int number;
/* Those that were read, the time of the last one, and what was wrong with them */
static bool seen[RECORDS];
static u64 last;
static int read_ret;
static bool read_by_page;
static struct buffer_data_read_page *read_page;
/* What a reader was told that waits until there is more than the page of the writer */
#define WATERMARK	(200 / PAGES)
static __poll_t polled = EPOLLIN;
/* Irq works when a reader began to wait */
static unsigned int polled_works;

/* What is wrong, as the status of the child */
enum {
	OK, TWICE, UNKNOWN, LOST, BACKWARDS, COUNTERS, CONTEXT, WARNED, NO_EVENT, ASLEEP,
};

static const char * const wrong[] = {
	"", "a record is read twice", "a record that nobody wrote", "a record is lost",
	"time goes backwards", "the counters do not agree", "a context stays taken",
	"a warning", "no record can be written afterwards", "a reader is not woken",
};

static int read_some(void);

static void write_record_to(struct trace_buffer *to, unsigned int length, bool keep)
{
	struct ring_buffer_event *event = version->reserve(to, length);
	/* In one instruction, as an interrupt does it as well */
	unsigned int this = __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED);

	if (!event)
		return;

	*(unsigned int *)version->data(event) = this;
	if (keep) {
		written[this] = true;
		version->commit(to);
	} else {
		version->discard(to, event);
	}
}

static void write_record(unsigned int length, bool keep)
{
	write_record_to(buffer, length, keep);
}

static __poll_t poll_buffer(void)
{
	struct file file = { };
	poll_table table;

	return version->poll(buffer, 0, &file, &table, WATERMARK);
}

static void reader_polls(void)
{
	polled_works = sim_irq_works;
	polled = poll_buffer();
}

/* A reader that waits for what is there by now must have been woken. */
static bool reader_sleeps(void)
{
	return !polled && sim_irq_works == polled_works && poll_buffer();
}

static void writer_prepare(void)
{
	/* A record of 28 bytes takes 32. */
	unsigned int fill = PAGE_DATA / 32, flags = start == FULL ? RB_FL_OVERWRITE : 0;

	sim_time = 1000;
	sim_step = 1;
	sim_cpu = 0;

	buffer = version->alloc(PAGES * PAGE_DATA, flags);
	snapshot = version->alloc(PAGES * PAGE_DATA, flags);

	if (version->alloc_read_page(buffer, 0, &read_page))
		exit(4);

	if (start == MIDDLE || start == LATE)
		fill /= 2;
	else if (start == BEFORE_END)
		fill--;
	else if (start == FIRST)
		fill = 0;
	else if (start == FULL)
		fill *= PAGES;

	while (fill--)
		write_record(28, true);
	if (start == LATE)
		sim_time += 1ULL << 30;
}

static void writer_run(void)
{
	if (nest)
		version->nest_start(buffer);
	write_record(28, !discard);
	if (nest)
		version->nest_end(buffer);
	write_record(28, true);
}

/* A reader waits for the writer, which stands still: there is nothing to see. */
static void reader_waits(void)
{
	_exit(OK);
}

/* What a reader on the other CPU sees of the writer */
static void reader_meets(bool pages)
{
	int count = sim_preempt_count;

	sim_wait_hook = reader_waits;
	sim_cpu = 1;
	sim_preempt_count = 0;
	read_by_page = pages;
	read_ret = read_some();
	sim_cpu = 0;
	sim_preempt_count = count;
	sim_wait_hook = NULL;
}

static void writer_interrupt(void)
{
	unsigned int n;

	if (kind == READER || kind == PAGE_READER) {
		reader_meets(kind == PAGE_READER);
		return;
	}
	if (kind == WAITER) {
		reader_polls();
		return;
	}

	/* The first instructions of an interrupt are traced before irq_enter(). */
	if (kind != EARLY)
		sim_preempt_count += kind == NMI ? NMI_OFFSET : HARDIRQ_OFFSET;
	switch (kind) {
	case TWO:
		write_record(12, true);
		fallthrough;
	case ONE:
	case NMI:
	case EARLY:
	case ONE_AND_READER:
		write_record(28, true);
		break;
	case FIRST_DISCARDED:
		write_record(28, false);
		write_record(12, true);
		break;
	case DISCARDED:
		write_record(28, false);
		break;
	case SWAP:
		version->swap_cpu(buffer, snapshot, 0);
		write_record(28, true);
		break;
	case SWAP_AND_OLD:
		version->swap_cpu(buffer, snapshot, 0);
		break;
	case PAGEFUL:
		for (n = 0; n < PAGE_DATA / 32 + 1; n++)
			write_record(28, true);
		break;
	}

	if (kind == ONE_AND_READER)
		reader_meets(false);
	if (kind != EARLY)
		sim_preempt_count -= kind == NMI ? NMI_OFFSET : HARDIRQ_OFFSET;
}

static int see_record(struct ring_buffer_event *event)
{
	unsigned int this = *(unsigned int *)version->data(event);

	if (this >= number || !written[this])
		return UNKNOWN;
	if (seen[this])
		return TWICE;
	seen[this] = true;
	return OK;
}

static int read_all(struct trace_buffer *from)
{
	struct ring_buffer_event *event;
	u64 ts;
	int ret;

	while ((event = version->consume(from, 0, &ts, NULL))) {
		if (event->type_len > RINGBUF_TYPE_DATA_TYPE_LEN_MAX)
			continue;

		ret = see_record(event);
		if (ret)
			return ret;
		if (ts < last)
			return BACKWARDS;
		last = ts;
	}
	return OK;
}

/* Whether each record that was written was read, or overwritten */
static int none_is_lost(void)
{
	unsigned long lost = version->overrun_cpu(buffer, 0) + version->overrun_cpu(snapshot, 0);
	unsigned int i;

	for (i = 0; i < number; i++) {
		if (written[i] == seen[i])
			continue;
		if (!lost--)
			return LOST;
	}
	return lost ? COUNTERS : OK;
}

static int writer_check(void)
{
	unsigned int i, before = number;
	unsigned long count = 0;
	int ret;

	if (read_ret)
		return read_ret;
	if (sim_preempt_count)
		return CONTEXT;
	if (reader_sleeps())
		return ASLEEP;

	for (i = 0; i < number; i++)
		count += written[i] && !seen[i];
	count -= version->overrun_cpu(buffer, 0) + version->overrun_cpu(snapshot, 0);
	if (version->entries_cpu(buffer, 0) + version->entries_cpu(snapshot, 0) != count)
		return COUNTERS;

	/* All of them, before the next commit can make up for a missing one */
	ret = read_all(snapshot);
	/* The second interrupt writes to both. */
	if (kind == SWAP_AND_OLD)
		last = 0;
	if (!ret)
		ret = read_all(buffer);
	if (!ret)
		ret = none_is_lost();
	if (ret)
		return ret;

	write_record(28, true);
	if (!written[before])
		return NO_EVENT;
	ret = read_all(buffer);
	if (!ret)
		ret = none_is_lost();
	if (ret)
		return ret;

	if (version->entries_cpu(buffer, 0))
		return COUNTERS;
	/* Refused if ring_buffer_nest_end() has not undone ring_buffer_nest_start(). */
	if (version->swap_cpu(buffer, snapshot, 0))
		return CONTEXT;
	return sim_warnings ? WARNED : OK;
}

static const char *why(int how)
{
	return how < 0 || how >= (int)ARRAY_SIZE(wrong) ? "it dies" : wrong[how];
}

static void test_steps(const struct step_case *c, const char *name)
{
	struct step_result base, ours;

	version = &rb_version_ours;
	if (!step_interrupt(c, &ours)) {
		test_skip(name, "needs a processor that traps behind each instruction");
		return;
	}

	if (test_base) {
		version = &rb_version_base;
		step_interrupt(c, &base);
		printf("# base: wrong at %ld of %ld instructions%s%s\n", base.bad, base.steps,
		       base.bad ? ": " : "", why(base.how));
	}

	if (c->second)
		printf("# %ld instructions, %ld pairs of interrupts\n", ours.steps, ours.pairs);
	else
		printf("# %ld instructions\n", ours.steps);

	test_result(!ours.bad, name, "at %ld of %ld instructions: %s", ours.bad, ours.steps,
		    why(ours.how));
}

/* Two interrupts: one in the other, or one after the other */
static unsigned long state_before;
static bool absolute;

static void pair_prepare(void)
{
	writer_prepare();
	version->set_abs(buffer, absolute);
	state_before = version->state(buffer, 0);
}

static void pair_run(void)
{
	write_record(28, true);
}

/* Where an interrupt finds something that it would not have found an instruction before */
static bool state_changes(void)
{
	unsigned long before = state_before;

	state_before = version->state(buffer, 0);
	return state_before != before;
}

static bool nothing_yet(void)
{
	return version->state(buffer, 0) == state_before;
}

static void second_nmi(void)
{
	sim_preempt_count += NMI_OFFSET;
	write_record(12, true);
	sim_preempt_count -= NMI_OFFSET;
}

/* Into what the snapshot is by now */
static void second_old(void)
{
	sim_preempt_count += HARDIRQ_OFFSET;
	write_record_to(snapshot, 12, true);
	sim_preempt_count -= HARDIRQ_OFFSET;
}

static void test_pairs(void)
{
	struct step_case c = {
		.prepare = pair_prepare,
		.run = pair_run,
		.interrupt = writer_interrupt,
		.here = state_changes,
		.second = second_nmi,
		.check = writer_check,
	};
	char name[128];

	discard = false;
	nest = false;
	kind = ONE;

	for (start = 0; start <= END; start++) {
		snprintf(name, sizeof(name),
			 "nested: written %s, interrupted by one record and an NMI",
			 start_name[start]);
		test_steps(&c, name);
	}

	start = MIDDLE;
	kind = SWAP_AND_OLD;
	c.here = nothing_yet;
	c.second = second_old;
	test_steps(&c, "nested: a snapshot, and a record into it");

	absolute = true;
	test_steps(&c, "nested: a snapshot, and a record into it, with absolute times");
	absolute = false;
}

void test_nested(void)
{
	const struct step_case c = {
		.prepare = writer_prepare,
		.run = writer_run,
		.interrupt = writer_interrupt,
		.check = writer_check,
	};
	static const char * const how[] = { "written", "discarded", "nested" };
	char name[128];
	int i;

	for (i = 0; i < ARRAY_SIZE(how); i++) {
		discard = i == 1;
		nest = i == 2;
		/* It is the context that differs if nested, not what becomes of the page. */
		for (start = 0; start < (nest ? BEFORE_END : STARTS); start++) {
			for (kind = 0; kind < INTERRUPTS; kind++) {
				snprintf(name, sizeof(name), "nested: %s %s, interrupted by %s",
					 how[i], start_name[start], interrupt_name[kind]);
				test_steps(&c, name);
			}
		}
	}

	test_pairs();
}

/* A reader on the other CPU */
static void reader_prepare(void)
{
	writer_prepare();
	/* Leave the reader on the page that the writer is on. */
	read_ret = read_all(buffer);
	if (start == MIDDLE)
		write_record(28, true);
}

static int read_pages(void)
{
	struct buffer_data_read_page *page = read_page;
	struct ring_buffer_event *event;
	unsigned char *data;
	unsigned long commit, pos;
	int ret;

	while (version->read_page(buffer, page, PAGE_SIZE, 0, 0) >= 0) {
		data = version->read_page_data(page);
		commit = *(unsigned long *)(data + 8) & 0xfffff;
		for (pos = 0; pos < commit; ) {
			event = (void *)(data + 16 + pos);
			if (event->type_len > RINGBUF_TYPE_DATA_TYPE_LEN_MAX) {
				if (event->type_len == RINGBUF_TYPE_PADDING)
					pos += 4 + event->array[0];
				else
					pos += 8;
				continue;
			}

			ret = see_record(event);
			if (ret)
				return ret;
			pos += 4 + 4 * event->type_len;
		}
	}
	return OK;
}

static int read_some(void)
{
	return read_by_page ? read_pages() : read_all(buffer);
}

static void reader_run(void)
{
	sim_cpu = 1;
	if (!read_ret)
		read_ret = read_some();
	sim_cpu = 0;
}

static void reader_interrupt(void)
{
	int cpu = sim_cpu, count = sim_preempt_count;

	sim_cpu = 0;
	sim_preempt_count = 0;
	writer_interrupt();
	sim_cpu = cpu;
	sim_preempt_count = count;
}

static int reader_check(void)
{
	if (!read_ret)
		read_ret = read_some();
	if (!read_ret)
		read_ret = none_is_lost();
	if (read_ret)
		return read_ret;
	if (version->entries_cpu(buffer, 0))
		return COUNTERS;
	return sim_warnings ? WARNED : OK;
}

/* A reader that begins to wait while a writer ends the page */
static void waiter_run(void)
{
	sim_cpu = 1;
	reader_polls();
	sim_cpu = 0;
}

static int waiter_check(void)
{
	return reader_sleeps() ? ASLEEP : sim_warnings ? WARNED : OK;
}

static void test_waiter(void)
{
	const struct step_case c = {
		.prepare = writer_prepare,
		.run = waiter_run,
		.interrupt = reader_interrupt,
		.check = waiter_check,
	};

	start = MIDDLE;
	kind = PAGEFUL;
	test_steps(&c, "reader: begins to wait while the writer ends the page");
}

/* A reader that runs while the writer does, on another processor if there is one */
#define THREAD_RECORDS	400000U

static bool writer_done;
/* What the reader has found: how many records, and what is wrong */
static unsigned long thread_read;
static int thread_ret;

static void *thread_reader(void *unused)
{
	struct ring_buffer_event *event;
	unsigned int this, next = 0;
	unsigned long lost;
	bool done;
	u64 ts, last = 0;

	(void)unused;
	sim_cpu = 1;

	for (;;) {
		done = READ_ONCE(writer_done);
		/* Empty after the writer's end is empty. Pairs with test_thread(). */
		smp_rmb();
		lost = 0;
		event = version->consume(buffer, 0, &ts, &lost);
		if (!event) {
			if (done)
				return NULL;
			continue;
		}
		if (event->type_len > RINGBUF_TYPE_DATA_TYPE_LEN_MAX)
			continue;

		this = *(unsigned int *)version->data(event);
		if (this != next + lost)
			thread_ret = this < next ? TWICE : LOST;
		if (ts < last)
			thread_ret = BACKWARDS;

		next = this + 1;
		last = ts;
		thread_read++;
	}
}

static void test_thread(bool overwrite)
{
	struct ring_buffer_event *event;
	unsigned int written = 0, tried = 0;
	unsigned long lost;
	char name[128];
	pthread_t reader;

	version = &rb_version_ours;
	sim_cpu = 0;
	buffer = version->alloc(PAGES * PAGE_DATA, overwrite ? RB_FL_OVERWRITE : 0);
	thread_read = 0;
	thread_ret = OK;
	sim_time = 1000;
	sim_step = 1;
	writer_done = false;

	if (pthread_create(&reader, NULL, thread_reader, NULL))
		exit(4);

	while (written < THREAD_RECORDS) {
		/* On one processor it is the reader's turn now. */
		if (++tried % 256 == 0)
			sched_yield();
		event = version->reserve(buffer, 4 + tried % 60);
		if (!event) {
			sched_yield();
			continue;
		}
		*(unsigned int *)version->data(event) = written++;
		version->commit(buffer);
	}

	/* All that was written before. Pairs with thread_reader(). */
	smp_wmb();
	WRITE_ONCE(writer_done, true);
	pthread_join(reader, NULL);

	lost = version->overrun_cpu(buffer, 0);
	if (!thread_ret && thread_read + lost != written)
		thread_ret = LOST;
	if (!thread_ret && sim_warnings)
		thread_ret = WARNED;

	printf("# %u written, %lu read, %lu lost\n", written, thread_read, lost);
	snprintf(name, sizeof(name), "reader: beside a writer that %s",
		 overwrite ? "overwrites" : "stops at its end");
	test_result(!thread_ret, name, "%s", why(thread_ret));
	version->free(buffer);
}

void test_reader(void)
{
	const struct step_case c = {
		.prepare = reader_prepare,
		.run = reader_run,
		.interrupt = reader_interrupt,
		.check = reader_check,
	};
	char name[128];
	int pages;

	kind = PAGEFUL;
	for (pages = 0; pages < 2; pages++) {
		for (start = 0; start < LATE; start++) {
			snprintf(name, sizeof(name), "reader: of %s, overtaken %s",
				 pages ? "pages" : "records", start_name[start]);
			read_by_page = pages;
			test_steps(&c, name);
		}
	}

	test_waiter();
	test_thread(false);
	test_thread(true);
}
