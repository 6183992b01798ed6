// SPDX-License-Identifier: GPL-2.0
/*
 * The protocol of kernel/tracepoint.c, in all orders
 *
 * CPUs hit a tracepoint, while two tasks register and unregister two probes, in batches or
 * not, with and without memory, and wait with tracepoint_synchronize_unregister(). All
 * orders of their steps are tried, up to a number of operations of each task. A step is
 * what a CPU can see of another one: a load, a store, the begin of a change of the code,
 * and its end, when all CPUs have seen it. The code is that of the kernel as it is written
 * down here, by hand; what CPUs see in another order than it was written is not tried, see
 * Documentation/litmus-tests/tracepoint.
 *
 * This must hold in each state:
 *
 *  - no probe is called with the data of another one
 *  - no array is read after it was freed
 *  - no probe is called that was unregistered before a
 *    tracepoint_synchronize_unregister() that has returned
 *  - when a change has been made outside of a batch, and when there is no batch, the key
 *    and the call are right for the array
 *
 * Then the same without one part of the protocol at a time: now something of this must be
 * violated, or the model does not show that the part is needed.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With two, there are as many states after two operations as with one after three. */
#ifndef CPUS
#define CPUS 1
#endif
enum { TASKS = 2, PROBES = 2, ARRAYS = 6 };

/* What a place in an array is, and where the call goes, if not to a probe. */
enum { STUB = PROBES, NONE };
enum { ITERATOR = PROBES };
/* tracepoint::static_call_idle */
enum { IDLE_CALL = 0 };
#define NO_ARRAY	0xff

enum omission {
	NOTHING,
	/* of tp_publish() */
	OMIT_CALL_ITERATOR, OMIT_PENDING, OMIT_FIRST_IS_ANOTHER, PUBLISH_FIRST,
	/* of tracepoint_commit() */
	OMIT_WAIT, OMIT_KEY, OMIT_CALL, OMIT_TARGET, OMIT_OTHERS, FREE_AT_ONCE,
	/* of tp_rcu_cond_sync() and tracepoint_remove_func() */
	OMIT_STATE, OMIT_STUB_CALL,
	/* of the site */
	OMIT_SECTION, OMIT_NULL,
	/* of tracepoint_batch_end() and tracepoint_synchronize_unregister() */
	OMIT_BATCH_COMMIT, OMIT_SYNCHRONIZE,
	OMISSIONS
};

static const char *const omissions[] = {
	[OMIT_CALL_ITERATOR]	= "tp_call_iterator() before an array with another first probe",
	[OMIT_PENDING]		= "the grace period after another first probe",
	[OMIT_FIRST_IS_ANOTHER]	= "the grace period after the last probe",
	[PUBLISH_FIRST]		= "the order of tp_call_iterator() and the array",
	[OMIT_WAIT]		= "tp_rcu_cond_sync() before the call goes to a probe",
	[OMIT_KEY]		= "the key",
	[OMIT_CALL]		= "the static call",
	[OMIT_TARGET]		= "the iterator for more than one probe",
	[OMIT_OTHERS]		= "tracepoints that another task has changed in a batch",
	[FREE_AT_ONCE]		= "call_srcu() before an array is freed",
	[OMIT_STATE]		= "tp_rcu_get_state() of changes since the last one",
	[OMIT_STUB_CALL]	= "tp_call_iterator() when a probe became a stub",
	[OMIT_SECTION]		= "the critical section of the site",
	[OMIT_NULL]		= "the test for an array in the site",
	[OMIT_BATCH_COMMIT]	= "tracepoint_commit() at the end of a batch",
	[OMIT_SYNCHRONIZE]	= "the wait of tracepoint_synchronize_unregister()",
};

enum cpu_pc { OUTSIDE, ENABLED, READ_ARRAY, READ_DATA, CALL, ITERATE, NEXT, LEAVE };

enum task_pc {
	READY, LOCKED, PATCH_ITERATOR, PATCHED_ITERATOR, PUBLISH, PATCH_STUB, PATCHED_STUB,
	COMMIT, WAIT, PATCH, PATCHED, UNLOCK, SYNCHRONIZE,
};

/* The operation of a task */
enum { ADD, DEL, DEL_NO_MEMORY, END_BATCH };

struct cpu {
	uint8_t pc, in, array, data, next;
};

struct task {
	uint8_t pc, op, probe, old, new, left, removed, waits_for, waits, in_batch;
};

/* Its end waits for CPUs, if it is released: 1 in tp_released, 2 behind call_srcu(). */
struct array {
	uint8_t probes[PROBES], used, released, waits, freed;
};

struct state {
	struct cpu cpu[CPUS];
	struct task task[TASKS];
	struct array arrays[ARRAYS];
	uint8_t funcs;
	/* What CPUs may see: two values while the code is patched. */
	uint8_t call[2], key[2];
	/* tracepoints_mutex, tp_batch_mutex, and tp_batch_task; the number of the task + 1 */
	uint8_t mutex, batch_mutex, batch_task;
	/* Whether it is in tp_pending, and whose change that was */
	uint8_t pending, changed_by;
	/* tp_transition_snapshot */
	uint8_t snap_pending, snap_ongoing, snap_waits;
	/* Probes that must not be called. */
	uint8_t gone;
};

static enum omission omitted;
static const char *violation;

/* --- states ---------------------------------------------------------------- */

static struct state *queue;
static size_t nr_states, max_states;
static uint32_t *table;
static size_t table_size;

static uint64_t hash(const struct state *s)
{
	const uint8_t *byte = (const uint8_t *)s;
	uint64_t value = 14695981039346656037ULL;

	for (size_t i = 0; i < sizeof(*s); i++)
		value = (value ^ byte[i]) * 1099511628211ULL;
	return value ^ value >> 32;
}

/* Where a state is in the table, or where it goes. */
static uint32_t *find(const struct state *s)
{
	size_t i = hash(s) % table_size;

	while (table[i] && memcmp(&queue[table[i] - 1], s, sizeof(*s)))
		i = (i + 1) % table_size;
	return &table[i];
}

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "no memory\n");
		exit(2);
	}
	return memory;
}

/* Keep a state that is new. */
static void reach(const struct state *s)
{
	uint32_t *place = find(s);

	if (*place)
		return;
	if (nr_states == max_states) {
		max_states *= 2;
		queue = must(realloc(queue, max_states * sizeof(*queue)));
	}
	queue[nr_states++] = *s;
	*place = nr_states;
	if (nr_states * 2 > table_size) {
		free(table);
		table_size *= 2;
		table = must(calloc(table_size, sizeof(*table)));
		for (size_t nr = 0; nr < nr_states; nr++)
			*find(&queue[nr]) = nr + 1;
	}
}

static void violated(const char *what)
{
	if (!violation)
		violation = what;
}

/* --- arrays, and who waits for readers ------------------------------------- */

static int length(const struct state *s, uint8_t array)
{
	int n = 0;

	while (n < PROBES && s->arrays[array].probes[n] != NONE)
		n++;
	return n;
}

/* The data of a place: that of its probe, also if a stub is there by now. */
static uint8_t data_of(uint8_t place)
{
	return place >> 4;
}

static uint8_t func_of(uint8_t place)
{
	return place & 0xf;
}

static uint8_t first(const struct state *s, uint8_t array)
{
	return func_of(s->arrays[array].probes[0]);
}

static uint8_t place_of(uint8_t probe)
{
	return probe << 4 | probe;
}

static bool has(const struct state *s, uint8_t array, uint8_t probe)
{
	for (int i = 0; array != NO_ARRAY && i < length(s, array); i++)
		if (func_of(s->arrays[array].probes[i]) == probe)
			return true;
	return false;
}

static uint8_t allocate(struct state *s)
{
	for (uint8_t array = 0; array < ARRAYS; array++) {
		bool held = s->arrays[array].used && !s->arrays[array].freed;

		/* It must be noticed if a CPU reads one that was freed. */
		for (int i = 0; i < CPUS; i++)
			held |= s->cpu[i].array == array;
		if (held)
			continue;
		s->arrays[array] = (struct array){ .used = 1 };
		memset(s->arrays[array].probes, NONE, PROBES);
		return array;
	}
	fprintf(stderr, "too few arrays\n");
	exit(2);
}

/* The CPUs that are in a critical section */
static uint8_t readers(const struct state *s)
{
	uint8_t mask = 0;

	for (int i = 0; i < CPUS; i++)
		mask |= s->cpu[i].in << i;
	return mask;
}

static void free_arrays(struct state *s)
{
	for (int nr = 0; nr < ARRAYS; nr++) {
		struct array *array = &s->arrays[nr];
		bool held = false;

		if (!array->used || array->released != 2 || array->waits)
			continue;
		array->freed = 1;
		for (int i = 0; i < CPUS; i++)
			held |= s->cpu[i].array == nr;
		if (!held) {
			/* So that there are fewer states. */
			*array = (struct array){ .used = 0 };
			memset(array->probes, NONE, PROBES);
		}
	}
}

static void leave(struct state *s, int nr)
{
	uint8_t others = ~(1 << nr);

	s->cpu[nr] = (struct cpu){ .array = NO_ARRAY };
	for (int array = 0; array < ARRAYS; array++)
		s->arrays[array].waits &= others;
	s->snap_waits &= others;
	for (int i = 0; i < TASKS; i++)
		s->task[i].waits &= others;
	free_arrays(s);
}

static void call_probe(const struct state *s, uint8_t probe, uint8_t data)
{
	if (probe != data)
		violated("a probe has the data of another one");
	if (s->gone & 1 << probe)
		violated("a probe is called that is gone");
}

/* --- a CPU hits the tracepoint --------------------------------------------- */

static void look(const struct state *s, uint8_t array)
{
	if (s->arrays[array].freed || !s->arrays[array].used)
		violated("an array is read that was freed");
}

/* trace_NAME(), __do_trace_NAME() and __traceiter_NAME() */
static void cpu_steps(const struct state *from, int nr)
{
	struct state next = *from, *s = &next;
	struct cpu *cpu = &s->cpu[nr];

	switch (cpu->pc) {
	case OUTSIDE:
		if (!s->key[0] && !s->key[1])
			return;
		cpu->pc = ENABLED;
		break;
	case ENABLED:
		cpu->in = omitted != OMIT_SECTION;
		cpu->pc = READ_ARRAY;
		break;
	case READ_ARRAY:
		cpu->array = s->funcs;
		cpu->pc = READ_DATA;
		if (s->funcs == NO_ARRAY)
			cpu->pc = omitted == OMIT_NULL ? CALL : LEAVE;
		break;
	case READ_DATA:
		look(s, cpu->array);
		cpu->data = data_of(s->arrays[cpu->array].probes[0]);
		cpu->pc = CALL;
		break;
	case CALL:
		for (int i = 0; i < 2; i++) {
			struct state called = *from;

			called.cpu[nr].pc = LEAVE;
			if (from->call[i] == ITERATOR)
				called.cpu[nr].pc = ITERATE;
			else if (omitted == OMIT_NULL && cpu->array == NO_ARRAY)
				violated("a probe is called without an array");
			else
				call_probe(from, from->call[i], cpu->data);
			reach(&called);
		}
		return;
	case ITERATE:
		cpu->array = s->funcs;
		cpu->data = 0;
		cpu->next = 0;
		cpu->pc = s->funcs == NO_ARRAY ? LEAVE : NEXT;
		break;
	case NEXT:
		look(s, cpu->array);
		if (cpu->next < length(s, cpu->array)) {
			uint8_t place = s->arrays[cpu->array].probes[cpu->next++];

			if (func_of(place) != STUB)
				call_probe(s, func_of(place), data_of(place));
		} else {
			cpu->pc = LEAVE;
		}
		break;
	case LEAVE:
		leave(s, nr);
		break;
	}
	reach(s);
}

/* --- a task changes the probes --------------------------------------------- */

static uint8_t target(const struct state *s)
{
	if (s->funcs != NO_ARRAY && (length(s, s->funcs) == 1 || omitted == OMIT_TARGET))
		return first(s, s->funcs);
	return ITERATOR;
}

static bool goes_to(const struct state *s, uint8_t where)
{
	return s->call[0] == where && s->call[1] == where;
}

/* The call goes to a single probe that would get the data of another one. */
static bool call_misfits(const struct state *s, uint8_t array)
{
	return array != NO_ARRAY && !goes_to(s, first(s, array)) && !goes_to(s, ITERATOR);
}

/* tracepoint_commit(), or what follows if there is a batch of this task */
static uint8_t published(struct state *s, int nr)
{
	if (!s->pending)
		s->changed_by = nr;
	s->pending = 1;
	return s->batch_task == nr + 1 ? UNLOCK : COMMIT;
}

/* func_add() and func_remove() */
static void change(struct state *s, struct task *task)
{
	int n = 0;

	task->old = s->funcs;
	task->new = NO_ARRAY;
	if (task->op == ADD) {
		s->gone &= ~(1 << task->probe);
		for (int i = 0; i < TASKS; i++) {
			s->task[i].removed &= ~(1 << task->probe);
			s->task[i].waits_for &= ~(1 << task->probe);
		}
		task->new = allocate(s);
	}
	for (int i = 0; task->old != NO_ARRAY && i < length(s, task->old); i++) {
		uint8_t place = s->arrays[task->old].probes[i];

		if (func_of(place) == STUB || (task->op != ADD && func_of(place) == task->probe))
			continue;
		if (task->new == NO_ARRAY)
			task->new = allocate(s);
		s->arrays[task->new].probes[n++] = place;
	}
	if (task->op == ADD)
		s->arrays[task->new].probes[n] = place_of(task->probe);
}

static void tp_publish(struct state *s, struct task *task, int nr)
{
	bool another;

	s->funcs = task->new;
	if (task->old == NO_ARRAY)
		another = false;
	else if (task->new == NO_ARRAY)
		another = omitted != OMIT_FIRST_IS_ANOTHER;
	else
		another = data_of(s->arrays[task->new].probes[0]) !=
			  data_of(s->arrays[task->old].probes[0]);
	if (another && omitted != OMIT_PENDING)
		s->snap_pending = 1;
	if (task->old != NO_ARRAY)
		s->arrays[task->old].released = 1;
	if (task->op != ADD)
		task->removed |= 1 << task->probe;
	task->pc = published(s, nr);
}

static void tp_rcu_get_state(struct state *s)
{
	if (!s->snap_pending)
		return;
	s->snap_pending = 0;
	if (omitted == OMIT_STATE && s->snap_ongoing)
		return;
	s->snap_waits = readers(s);
	s->snap_ongoing = 1;
}

static void begin(const struct state *from, int nr, uint8_t op, uint8_t probe)
{
	struct state next = *from;
	struct task *task = &next.task[nr];

	task->op = op;
	task->probe = probe;
	task->left--;
	task->pc = LOCKED;
	next.mutex = nr + 1;
	reach(&next);
}

/* What a task may do next */
static void choose(const struct state *from, int nr)
{
	const struct task *task = &from->task[nr];
	struct state next = *from;

	if (task->left && !from->mutex) {
		for (uint8_t probe = 0; probe < PROBES; probe++) {
			if (!has(from, from->funcs, probe)) {
				begin(from, nr, ADD, probe);
				continue;
			}
			begin(from, nr, DEL, probe);
			/* A single probe is removed without memory. */
			if (length(from, from->funcs) > 1)
				begin(from, nr, DEL_NO_MEMORY, probe);
		}
		if (!task->in_batch && !from->batch_mutex) {
			next.task[nr].in_batch = 1;
			next.task[nr].left--;
			next.batch_mutex = nr + 1;
			next.batch_task = nr + 1;
			reach(&next);
		}
	}
	if (task->in_batch && !from->mutex) {
		next = *from;
		next.task[nr].op = END_BATCH;
		next.task[nr].pc = omitted == OMIT_BATCH_COMMIT ? UNLOCK : COMMIT;
		next.mutex = nr + 1;
		next.batch_task = 0;
		reach(&next);
	}
	if (task->removed) {
		next = *from;
		next.task[nr].waits_for = task->removed;
		next.task[nr].removed = 0;
		next.task[nr].waits = omitted == OMIT_SYNCHRONIZE ? 0 : readers(from);
		next.task[nr].pc = SYNCHRONIZE;
		reach(&next);
	}
}

/* The key and the call fit the array. */
static void check_code(const struct state *s)
{
	bool enabled = s->funcs != NO_ARRAY;
	uint8_t wanted = ITERATOR;

	if (s->key[0] != enabled || s->key[1] != enabled)
		violated("the key is not right for the array");
	if (!enabled)
		return;
	if (length(s, s->funcs) == 1)
		wanted = first(s, s->funcs);
	if (!goes_to(s, wanted))
		violated("the call is not right for the array");
}

static void task_steps(const struct state *from, int nr)
{
	struct state next = *from, *s = &next;
	struct task *task = &s->task[nr];
	bool enable = s->funcs != NO_ARRAY;

	switch (task->pc) {
	case READY:
		choose(from, nr);
		return;
	case LOCKED:
		if (task->op == DEL_NO_MEMORY) {
			for (int i = 0; i < length(s, s->funcs); i++)
				if (func_of(s->arrays[s->funcs].probes[i]) == task->probe)
					s->arrays[s->funcs].probes[i] = task->probe << 4 | STUB;
			task->removed |= 1 << task->probe;
			task->pc = omitted == OMIT_STUB_CALL || goes_to(s, ITERATOR) ?
				   UNLOCK : PATCH_STUB;
			break;
		}
		change(s, task);
		task->pc = PUBLISH;
		if (call_misfits(s, task->new) && omitted != OMIT_CALL_ITERATOR)
			task->pc = omitted == PUBLISH_FIRST ? PUBLISH : PATCH_ITERATOR;
		break;
	case PATCH_ITERATOR:
	case PATCH_STUB:
		s->call[1] = ITERATOR;
		task->pc++;
		break;
	case PATCHED_ITERATOR:
		s->call[0] = s->call[1];
		task->pc = omitted == PUBLISH_FIRST ? published(s, nr) : PUBLISH;
		break;
	case PUBLISH:
		tp_publish(s, task, nr);
		if (omitted == PUBLISH_FIRST && call_misfits(s, task->new))
			task->pc = PATCH_ITERATOR;
		break;
	case PATCHED_STUB:
		s->call[0] = s->call[1];
		task->pc = UNLOCK;
		break;
	case COMMIT:
		task->pc = PATCH;
		if (!s->pending || (omitted == OMIT_OTHERS && s->changed_by != nr)) {
			task->pc = UNLOCK;
		} else if (target(s) != ITERATOR && !goes_to(s, target(s)) &&
			   omitted != OMIT_WAIT) {
			tp_rcu_get_state(s);
			if (s->snap_ongoing)
				task->pc = WAIT;
		}
		break;
	case WAIT:
		if (s->snap_waits)
			return;
		s->snap_ongoing = 0;
		task->pc = PATCH;
		break;
	case PATCH:
		s->pending = 0;
		if (!goes_to(s, target(s)) && (enable || !goes_to(s, IDLE_CALL)) &&
		    omitted != OMIT_CALL)
			s->call[1] = target(s);
		if (omitted != OMIT_KEY)
			s->key[1] = enable;
		task->pc = PATCHED;
		break;
	case PATCHED:
		s->call[0] = s->call[1];
		s->key[0] = s->key[1];
		tp_rcu_get_state(s);
		for (int array = 0; array < ARRAYS; array++) {
			if (s->arrays[array].released != 1)
				continue;
			s->arrays[array].released = 2;
			s->arrays[array].waits = omitted == FREE_AT_ONCE ? 0 : readers(s);
		}
		free_arrays(s);
		task->pc = UNLOCK;
		break;
	case UNLOCK:
		/* What only made a stub leaves the changes of a batch to that. */
		if (s->batch_task != nr + 1 && task->op != DEL_NO_MEMORY)
			check_code(s);
		if (task->op == END_BATCH) {
			s->batch_mutex = 0;
			task->in_batch = 0;
		}
		s->mutex = 0;
		*task = (struct task){
			.left = task->left,
			.removed = task->removed,
			.in_batch = task->in_batch,
		};
		break;
	case SYNCHRONIZE:
		if (task->waits)
			return;
		s->gone |= task->waits_for;
		task->waits_for = 0;
		task->pc = READY;
		break;
	}
	reach(s);
}

/* --- all states ------------------------------------------------------------ */

static void clear(void)
{
	free(queue);
	free(table);
	nr_states = 0;
	max_states = 1 << 16;
	table_size = 1 << 18;
	queue = must(malloc(max_states * sizeof(*queue)));
	table = must(calloc(table_size, sizeof(*table)));
	violation = NULL;
}

static void run(int operations)
{
	struct state start;

	clear();
	memset(&start, 0, sizeof(start));
	for (int i = 0; i < CPUS; i++)
		start.cpu[i].array = NO_ARRAY;
	for (int i = 0; i < TASKS; i++)
		start.task[i].left = operations;
	for (int i = 0; i < ARRAYS; i++)
		memset(start.arrays[i].probes, NONE, PROBES);
	start.funcs = NO_ARRAY;
	start.call[0] = IDLE_CALL;
	start.call[1] = IDLE_CALL;

	reach(&start);
	for (size_t nr = 0; nr < nr_states && !violation; nr++) {
		/* reach() may move the queue. */
		struct state s = queue[nr];

		if (!s.mutex && !s.batch_mutex)
			check_code(&s);
		for (int i = 0; i < CPUS; i++)
			cpu_steps(&s, i);
		for (int i = 0; i < TASKS; i++)
			task_steps(&s, i);
	}
}

int main(int argc, char **argv)
{
	int operations = argc > 1 ? atoi(argv[1]) : 3, status;

	printf("TAP version 13\n1..%d\n", OMISSIONS);
	run(operations);
	status = !!violation;
	printf("# %zu states: %s\n", nr_states, violation ?: "nothing is violated");
	printf("%sok 1 %d operations of each task\n", violation ? "not " : "", operations);
	for (omitted = NOTHING + 1; omitted < OMISSIONS; omitted++) {
		/* Most are noticed in a few operations. */
		for (int few = 1; few <= operations; few++) {
			run(few);
			if (violation)
				break;
		}
		status |= !violation;
		printf("# %zu states: %s\n", nr_states, violation ?: "nothing is violated");
		printf("%sok %d without %s\n", violation ? "" : "not ", omitted + 1,
		       omissions[omitted]);
	}
	return status;
}
