// SPDX-License-Identifier: GPL-2.0
/*
 * The same events at the same times: do both versions write the same bytes?
 *
 * A sequence is made out of a seed, and does not depend on what the ring buffer
 * answers: both versions are asked the same until they differ.
 */
#include "test.h"

#define SEQUENCES	400
#define STEPS		1500

/* What a sequence may contain beyond writing and consuming */
enum {
	WITH_NESTING	= 1 << 0,
	WITH_DISCARD	= 1 << 1,
	WITH_CONTROL	= 1 << 2,
	WITH_RESIZE	= 1 << 3,
	WITH_BACKWARDS	= 1 << 4,
	WITH_PAGES	= 1 << 5,
	WITH_RANGE	= 1 << 6,
	/* Readers wait for a part of the buffer to be full */
	WITH_WATERMARK	= 1 << 7,
};

/* The memory of a buffer that outlives a reboot: both versions use the same. */
#define RANGE_SIZE	(24 * PAGE_SIZE)
static unsigned char range[RANGE_SIZE] __aligned(4096);

struct sequence {
	const struct rb_version	*version;
	struct trace_buffer	*buffer;
	struct trace_buffer	*other;
	struct rb_log		*log;
	unsigned long long	state;
	unsigned int		with;
	unsigned int		depth;
	unsigned int		number;
	unsigned int		context;
};

/* The clock's hook has no argument. */
static struct sequence *sequence_running;
/* How often a reader should have been woken */
static unsigned int sequence_unwoken;

static unsigned int draw(struct sequence *s, unsigned int below)
{
	s->state ^= s->state << 13;
	s->state ^= s->state >> 7;
	s->state ^= s->state << 17;
	return (s->state >> 11) % below;
}

static bool chance(struct sequence *s, unsigned int one_in)
{
	return !draw(s, one_in);
}

static const int context_offset[] = { 0, SOFTIRQ_OFFSET, HARDIRQ_OFFSET, NMI_OFFSET };

static void write_event(struct sequence *s);

/* Some writers that interrupt what runs */
static void interrupt(struct sequence *s)
{
	unsigned int context = s->context, above = ARRAY_SIZE(context_offset) - context;
	unsigned int n = 1 + draw(s, 3);

	/* Once in a while one that preempt_count() does not show yet */
	s->context += chance(s, 8) ? 0 : draw(s, above);
	if (s->context != context)
		sim_preempt_count += context_offset[s->context];
	s->depth++;

	while (n--) {
		if (chance(s, 3))
			sim_time += draw(s, 50);
		write_event(s);
	}

	s->depth--;
	if (s->context != context)
		sim_preempt_count -= context_offset[s->context];
	s->context = context;
}

static void clock_interrupt(void)
{
	interrupt(sequence_running);
}

static unsigned int draw_length(struct sequence *s)
{
	switch (draw(s, 16)) {
	case 0:
		return draw(s, 4200);
	case 1:
		return draw(s, 600);
	case 2:
		return 100 + draw(s, 24);
	default:
		return draw(s, 64);
	}
}

static void write_event(struct sequence *s)
{
	const struct rb_version *v = s->version;
	struct ring_buffer_event *event;
	unsigned int length = draw_length(s), number = s->number++;
	bool nest = chance(s, s->depth ? 8 : 30);

	if (s->depth < 4 && s->with & WITH_NESTING && chance(s, 12))
		sim_clock_hook = clock_interrupt;

	if (nest)
		v->nest_start(s->buffer);
	if (chance(s, 10)) {
		unsigned char data[4200];

		memset(data, number, sizeof(data));
		rb_log_value(s->log, v->write(s->buffer, length, data));
		goto out;
	}

	event = v->reserve(s->buffer, length);
	rb_log_value(s->log, !!event);
	if (!event)
		goto out;

	/* Nothing is read of what a record before it has left there. */
	memset(v->data(event), number, length);
	rb_log_value(s->log, v->length(event));
	rb_log_value(s->log, v->stamp(s->buffer, event));

	if (s->depth < 4 && s->with & WITH_NESTING && chance(s, 5))
		interrupt(s);
	if (s->with & WITH_DISCARD && chance(s, 6))
		v->discard(s->buffer, event);
	else
		v->commit(s->buffer);
out:
	if (nest)
		v->nest_end(s->buffer);
	sim_clock_hook = NULL;
}

static void log_event(struct sequence *s, struct ring_buffer_event *event, u64 ts,
		      unsigned long lost)
{
	rb_log_value(s->log, !!event);
	if (!event)
		return;
	rb_log_value(s->log, event->type_len);
	rb_log_value(s->log, ts);
	rb_log_value(s->log, lost);
	if (event->type_len > RINGBUF_TYPE_DATA_TYPE_LEN_MAX)
		return;
	rb_log_value(s->log, s->version->length(event));
	rb_log_bytes(s->log, s->version->data(event), s->version->length(event));
}

static void read_some(struct sequence *s)
{
	const struct rb_version *v = s->version;
	int cpu = draw(s, SIM_NR_CPUS), n = draw(s, 40);
	struct buffer_data_read_page *page = NULL;
	struct ring_buffer_event *event;
	unsigned long lost;
	u64 ts;

	if (chance(s, 2)) {
		do {
			lost = 0;
			event = v->consume(s->buffer, cpu, &ts, &lost);
			log_event(s, event, ts, lost);
		} while (event && n--);
		return;
	}

	if (v->alloc_read_page(s->buffer, cpu, &page))
		return;
	n = v->read_page(s->buffer, page, chance(s, 3) ? draw(s, 4096) : 65536, cpu, draw(s, 2));
	rb_log_value(s->log, n);
	if (n >= 0)
		rb_log_bytes(s->log, v->read_page_data(page), PAGE_SIZE);
	v->free_read_page(s->buffer, cpu, page);
}

static void control(struct sequence *s)
{
	const struct rb_version *v = s->version;
	struct file file = { };
	poll_table table;
	unsigned int how;
	int cpu;

	/* Who waits for any event is woken by it, and not counted then. */
	switch (draw(s, s->with & WITH_WATERMARK ? 7 : 10)) {
	case 9:
		v->set_abs(s->buffer, draw(s, 2));
		break;
	case 1:
		v->disable(s->buffer);
		write_event(s);
		v->enable(s->buffer);
		break;
	case 2:
		v->disable_cpu(s->buffer, sim_cpu);
		write_event(s);
		v->enable_cpu(s->buffer, sim_cpu);
		break;
	case 3:
		v->off(s->buffer);
		write_event(s);
		v->on(s->buffer);
		break;
	case 4:
		v->overwrite(s->buffer, draw(s, 2));
		break;
	case 5:
		rb_log_value(s->log, v->swap_cpu(s->buffer, s->other, sim_cpu));
		break;
	case 6:
		if (chance(s, 8))
			v->reset_cpu(s->buffer, draw(s, SIM_NR_CPUS));
		break;
	case 0:
		v->nest_start(s->buffer);
		write_event(s);
		v->nest_end(s->buffer);
		break;
	case 7:
		how = v->poll(s->buffer, RING_BUFFER_ALL_CPUS, &file, &table, 0);
		rb_log_value(s->log, how);
		break;
	case 8:
		cpu = draw(s, SIM_NR_CPUS);
		how = v->poll(s->buffer, cpu, &file, &table, 0);
		rb_log_value(s->log, how);
		break;
	}
}

/*
 * A reader waits until @percent of the buffer is full, and a writer makes it so: then the
 * reader has to be woken. The base does so with the next event at the latest. @percent is
 * more than one page: for less, the reader waits until that page has ended.
 */
static void wait_for_watermark(struct sequence *s)
{
	const struct rb_version *v = s->version;
	unsigned int percent = 51 + draw(s, 50), works, before, behind;
	struct file file = { };
	poll_table table;

	before = v->poll(s->buffer, sim_cpu, &file, &table, percent);
	works = sim_irq_works;
	write_event(s);
	works -= sim_irq_works;
	behind = v->poll(s->buffer, sim_cpu, &file, &table, percent);

	rb_log_value(s->log, before);
	rb_log_value(s->log, behind);
	sequence_unwoken += !before && behind && !works;
}

static int resize(struct sequence *s)
{
	unsigned long size = (2 + draw(s, 8)) * 4080;

	return s->version->resize(s->buffer, size, RING_BUFFER_ALL_CPUS);
}

static void advance(struct sequence *s)
{
	unsigned int how = draw(s, 200);

	if (how < 1)
		sim_time += 1ULL << 27;
	else if (how < 2)
		sim_time += (unsigned long long)draw(s, 1 << 20) << 20;
	else if (how < 3)
		sim_time += (1ULL << 27) - 1;
	else if (how < 5 && s->with & WITH_BACKWARDS)
		sim_time -= draw(s, 1000);
	else if (how >= 20)
		sim_time += draw(s, 5000);
}

static void run_sequence(const struct rb_version *version, struct rb_log *log,
			 unsigned long long seed, unsigned int with)
{
	struct sequence s = {
		.version = version,
		.log = log,
		.state = seed * 0x9e3779b97f4a7c15ULL + 1,
		.with = with,
	};
	int cpu;

	log->length = 0;
	sequence_running = &s;
	sim_cpu = 0;
	sim_preempt_count = 0;
	sim_irq_works = 0;
	sim_time = 1000 + (chance(&s, 4) ? 1ULL << 60 : 0);

	memset(range, 0, sizeof(range));
	if (with & WITH_RANGE)
		s.buffer = version->alloc_range(range, sizeof(range));
	else
		s.buffer = version->alloc((2 + draw(&s, 6)) * 4080, draw(&s, 2));
	s.other = version->alloc(4 * 4080, RB_FL_OVERWRITE);

	for (int step = 0; step < STEPS; step++) {
		advance(&s);
		switch (draw(&s, 24)) {
		case 0:
			read_some(&s);
			break;
		case 1:
			if (with & WITH_CONTROL)
				control(&s);
			break;
		case 2:
			sim_cpu = draw(&s, SIM_NR_CPUS);
			break;
		case 3:
			if (with & WITH_RESIZE && chance(&s, 8))
				rb_log_value(log, resize(&s));
			else if (with & WITH_RESIZE && chance(&s, 16))
				rb_log_value(log, version->set_order(s.buffer, draw(&s, 3)));
			break;
		case 4:
			if (with & WITH_WATERMARK) {
				wait_for_watermark(&s);
				break;
			}
			fallthrough;
		default:
			write_event(&s);
		}

		if (with & WITH_PAGES && step % 16 == 0)
			for (cpu = 0; cpu < SIM_NR_CPUS; cpu++)
				version->dump(s.buffer, cpu, log);
	}

	if (with & WITH_RANGE)
		rb_log_bytes(log, range, sizeof(range));
	/* With WITH_WATERMARK, ours need not wake with the same event as the base. */
	if (!(with & WITH_WATERMARK))
		rb_log_value(log, sim_irq_works);
	rb_log_value(log, sim_preempt_count);
	for (cpu = 0; cpu < SIM_NR_CPUS; cpu++) {
		version->dump(s.buffer, cpu, log);
		version->dump(s.other, cpu, log);
	}

	version->free(s.buffer);
	version->free(s.other);
}

static bool compare_versions(const char *name, unsigned int with, unsigned int sequences,
			     const struct rb_version *base_version,
			     const struct rb_version *our_version)
{
	struct rb_log base = { }, ours = { };
	size_t bytes = 0, same = 0;
	unsigned int seed, warnings = 0;

	for (seed = 1; seed <= sequences; seed++) {
		sim_warnings = 0;
		run_sequence(base_version, &base, seed, with);
		warnings += sim_warnings;
		sim_warnings = 0;
		sequence_unwoken = 0;
		run_sequence(our_version, &ours, seed, with);
		warnings -= sim_warnings;

		while (same < base.length && same < ours.length &&
		       base.data[same] == ours.data[same])
			same++;
		if (same != base.length || same != ours.length || warnings || sequence_unwoken)
			break;

		bytes += same;
		same = 0;
	}

	printf("# %zu bytes in %u sequences\n", bytes, seed - 1);
	test_result(seed > sequences, name,
		    "sequence %u: byte %zu of %zu and %zu, %d warnings, %u readers not woken",
		    seed, same, base.length, ours.length, warnings, sequence_unwoken);
	free(base.data);
	free(ours.data);
	return seed > sequences;
}

static bool compare(const char *name, unsigned int with)
{
	return compare_versions(name, with, SEQUENCES, &rb_version_base, &rb_version_ours);
}

/* ring_buffer_nest_end() has to find the buffer that ring_buffer_nest_start() found. */
static void swap_nested(void)
{
	const struct rb_version *v = &rb_version_ours;
	struct trace_buffer *buffer = v->alloc(4 * 4080, RB_FL_OVERWRITE);
	struct trace_buffer *other = v->alloc(4 * 4080, RB_FL_OVERWRITE);
	int within, behind;

	sim_cpu = 0;

	v->nest_start(buffer);
	within = v->swap_cpu(buffer, other, sim_cpu);
	v->nest_end(buffer);
	behind = v->swap_cpu(buffer, other, sim_cpu);

	test_result(within == -EBUSY && !behind, "pages: no swap of a buffer that is nested into",
		    "%d, and behind it %d", within, behind);
	v->free(buffer);
	v->free(other);
}

/* The validator looks at what is on the page before each event. */
static void validate(void)
{
	const struct rb_version *v = &rb_version_ours_validate;
	struct trace_buffer *buffer = v->alloc(4 * 4080, RB_FL_OVERWRITE);
	struct ring_buffer_event *event, *first = NULL;
	bool before, behind;

	sim_cpu = 0;
	sim_time = 1000;
	sim_step = 7;
	for (int i = 0; i < 3; i++) {
		event = v->reserve(buffer, 8);
		if (event)
			v->commit(buffer);
		/* The first one of a page has the time of the page. */
		if (i == 1)
			first = event;
	}

	before = event;
	if (first)
		first->time_delta++;

	/* Finds it, and switches recording off. */
	event = v->reserve(buffer, 8);
	if (event)
		v->commit(buffer);
	event = v->reserve(buffer, 8);
	behind = event;
	if (event)
		v->commit(buffer);

	sim_step = 0;
	test_result(before && !behind, "pages: the validator of time stamps finds a wrong one",
		    "%d events, and %d behind it", before, behind);
	v->free(buffer);
}

/* What both versions do if configured otherwise */
static void compare_variants(void)
{
	static const struct {
		const char *name;
		const struct rb_version *base, *ours;
	} variants[] = {
		{ "pages: events that are aligned to 8 bytes",
		  &rb_version_base_align8, &rb_version_ours_align8 },
		{ "pages: NMIs that cannot write", &rb_version_base_nonmi, &rb_version_ours_nonmi },
		{ "pages: buffers that cannot be swapped",
		  &rb_version_base_noswap, &rb_version_ours_noswap },
		{ "pages: with the validator of time stamps",
		  &rb_version_base_validate, &rb_version_ours_validate },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(variants); i++) {
		/* The validator does not like clocks that go backwards. */
		compare_versions(variants[i].name,
				 WITH_NESTING | WITH_DISCARD | WITH_CONTROL | WITH_PAGES, 100,
				 variants[i].base, variants[i].ours);
	}
}

void test_pages(void)
{
	swap_nested();
	compare("pages: events of one writer", WITH_PAGES);
	compare("pages: nested writers", WITH_NESTING | WITH_PAGES);
	compare("pages: discarded events", WITH_NESTING | WITH_DISCARD | WITH_PAGES);
	compare("pages: a clock that goes backwards",
		WITH_NESTING | WITH_DISCARD | WITH_BACKWARDS | WITH_PAGES);
	compare("pages: buffers that get switched off, swapped, reset and waited for",
		WITH_NESTING | WITH_DISCARD | WITH_CONTROL);
	compare("pages: a buffer that outlives a reboot",
		WITH_NESTING | WITH_DISCARD | WITH_BACKWARDS | WITH_PAGES | WITH_RANGE);
	compare("pages: buffers that get resized",
		WITH_NESTING | WITH_DISCARD | WITH_CONTROL | WITH_BACKWARDS | WITH_RESIZE);
	compare("pages: readers that wait for a watermark",
		WITH_NESTING | WITH_DISCARD | WITH_CONTROL | WITH_WATERMARK);
	compare_variants();
	validate();
}
