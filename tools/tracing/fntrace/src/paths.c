// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths of calls: who called whom, how often and how long, summed over the whole trace.
 */
#include <stdlib.h>
#include <string.h>

#include "paths.h"

/**
 * struct paths_task - struct task.out
 * @root: the path of all calls of the task
 * @process: which the task was in when that was found; exec() changes it
 * @depth: calls that have not ended
 * @room: how many there is room for
 * @calls: their paths, or PATHS_MERGED
 */
struct paths_task {
	uint32_t		root;
	const struct process	*process;
	size_t			depth;
	size_t			room;
	uint32_t		calls[];
};

static uint32_t hash_path(uint32_t parent, const struct symbol *symbol)
{
	uint64_t key = (uintptr_t)symbol / sizeof(*symbol) + ((uint64_t)parent << 36);

	key *= 0x9e3779b97f4a7c15ull;
	return key >> 32;
}

static void table_insert(struct paths *paths, uint32_t number)
{
	const struct path *path = &paths->list[number];
	uint32_t slot = hash_path(path->parent, path->symbol);

	while (paths->table[slot & (paths->table_size - 1)])
		slot++;
	paths->table[slot & (paths->table_size - 1)] = number;
}

static void table_grow(struct paths *paths)
{
	uint32_t i;

	free(paths->table);
	paths->table_size = paths->table_size ? 2 * paths->table_size : 4096;
	paths->table = xalloc(paths->table_size * sizeof(*paths->table));
	for (i = 0; i < paths->nr; i++)
		if (paths_is_function(paths, i))
			table_insert(paths, i);
}

static uint32_t new_path(struct paths *paths, uint32_t parent)
{
	struct path *path;

	if (paths->nr == paths->room) {
		paths->room = paths->room ? 2 * paths->room : 1024;
		paths->list = xrealloc(paths->list, paths->room * sizeof(*paths->list));
	}
	path = &paths->list[paths->nr];
	memset(path, 0, sizeof(*path));
	path->parent = parent;
	return paths->nr++;
}

uint32_t paths_find(struct paths *paths, uint32_t parent, const struct symbol *symbol,
		    enum level level)
{
	uint32_t number = paths->list[parent].recent;
	uint32_t slot;

	if (number && paths->list[number].symbol == symbol)
		return number;

	for (slot = hash_path(parent, symbol);; slot++) {
		number = paths->table[slot & (paths->table_size - 1)];
		if (!number || (paths->list[number].parent == parent &&
				paths->list[number].symbol == symbol))
			break;
	}
	if (!number) {
		if (paths->nr >= PATHS_MAX)
			return PATHS_MERGED;
		if (paths->nr >= paths->table_size / 2)
			table_grow(paths);
		number = new_path(paths, parent);
		paths->list[number].symbol = symbol;
		paths->list[number].level = level;
		table_insert(paths, number);
	}
	paths->list[parent].recent = number;
	return number;
}

static char *root_name(const struct paths *paths, const struct task *task)
{
	const char *machine = task->process->machine->name;
	const char *exe = program_name(task->process);
	bool thread = paths->threads && *task->name && strcmp(task->name, exe);

	return xasprintf("%s%s%s%s%s", machine, *machine ? ": " : "", exe, thread ? " / " : "",
			 thread ? task->name : "");
}

uint32_t paths_find_root(struct paths *paths, char *name)
{
	uint32_t i, hash = 5381;
	const char *p;

	for (p = name; *p; p++)
		hash = hash * 33 + (unsigned char)*p;
	hash %= ARRAY_SIZE(paths->roots);
	for (i = paths->roots[hash]; i; i = paths->list[i].next) {
		if (!strcmp(paths->list[i].name, name)) {
			free(name);
			return i;
		}
	}
	i = new_path(paths, PATHS_ALL);
	paths->list[i].name = name;
	paths->list[i].next = paths->roots[hash];
	paths->roots[hash] = i;
	return i;
}

static struct paths_task *grow_task(struct task *task)
{
	struct paths_task *own = task->out;
	size_t room = own ? 2 * own->room : 64;

	own = xrealloc(task->out, sizeof(*own) + room * sizeof(own->calls[0]));
	if (!task->out) {
		own->process = NULL;
		own->depth = 0;
	}
	own->room = room;
	task->out = own;
	return own;
}

static void begin_call(struct paths *paths, const struct event *event)
{
	struct paths_task *own = event->task->out;
	uint32_t number;

	if (!own || own->depth == own->room)
		own = grow_task(event->task);
	if (!own->depth && own->process != event->task->process) {
		own->process = event->task->process;
		/* Tasks of the same name share a path, and so do programs. */
		own->root = paths_find_root(paths, root_name(paths, event->task));
	}
	number = own->depth ? own->calls[own->depth - 1] : own->root;
	if (number != PATHS_MERGED)
		number = paths_find(paths, number, event->symbol, event->level);
	if (number != PATHS_MERGED)
		paths->list[number].calls++;
	else
		paths->merged++;
	own->calls[own->depth++] = number;
}

static void end_call(struct paths *paths, const struct event *event)
{
	struct paths_task *own = event->task->out;
	uint32_t number;

	if (!own || !own->depth)
		return;
	number = own->calls[--own->depth];
	if (number != PATHS_MERGED)
		paths->list[number].total += event->ns - event->begun;
}

void paths_begin(struct paths *paths, bool threads)
{
	memset(paths, 0, sizeof(*paths));
	paths->threads = threads;
	new_path(paths, PATHS_ALL);
	table_grow(paths);
}

void paths_event(struct paths *paths, const struct event *event)
{
	if (event->type == EVENT_ENTRY)
		begin_call(paths, event);
	else if (event->type == EVENT_EXIT)
		end_call(paths, event);
}

void paths_finish(struct paths *paths)
{
	uint32_t i;

	for (i = paths->nr - 1; i != PATHS_ALL; i--) {
		struct path *path = &paths->list[i], *parent = &paths->list[path->parent];

		if (!paths_is_function(paths, i))
			path->total = path->inner;
		else if (!paths_is_function(paths, path->parent))
			parent->calls += path->calls;
		parent->inner += path->total;
	}
	paths->list[PATHS_ALL].total = paths->list[PATHS_ALL].inner;
	paths_link(paths);
}

void paths_link(struct paths *paths)
{
	uint32_t i;

	for (i = paths->nr - 1; i != PATHS_ALL; i--) {
		struct path *path = &paths->list[i], *parent = &paths->list[path->parent];

		path->next = parent->first;
		parent->first = i;
	}
}

uint64_t paths_calls(const struct paths *paths)
{
	uint64_t calls = paths->merged;
	uint32_t i;

	for (i = 0; i < paths->nr; i++)
		if (paths_is_function(paths, i))
			calls += paths->list[i].calls;
	return calls;
}

const char *paths_name(const struct paths *paths, uint32_t number)
{
	if (number == PATHS_ALL)
		return "all";
	return paths_is_function(paths, number) ? paths->list[number].symbol->name :
						  paths->list[number].name;
}

void paths_free(struct paths *paths)
{
	uint32_t i;

	for (i = 1; i < paths->nr; i++)
		if (!paths_is_function(paths, i))
			free(paths->list[i].name);
	free(paths->list);
	free(paths->table);
}
