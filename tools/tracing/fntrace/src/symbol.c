// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which function is at an address?
 *
 * Names are demangled by libiberty, which knows C++ and both of Rust's schemes.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <demangle.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

static char *json_escape(const char *name, unsigned int *len)
{
	size_t size = strlen(name);
	char *text = xalloc(JSON_MAX * size + 1);

	*len = put_json(text, &name, size) - text;
	return text;
}

/* A name may be made so that it has no end when it is written out. */
#define DEMANGLED_MAX	4096

struct demangled {
	size_t	len;
	char	text[DEMANGLED_MAX + 1];
};

static void take_part(const char *text, size_t len, void *data)
{
	struct demangled *name = data;

	if (len > DEMANGLED_MAX - name->len)
		len = DEMANGLED_MAX - name->len;
	memcpy(name->text + name->len, text, len);
	name->len += len;
}

char *symbol_demangle(const char *name)
{
	struct demangled plain = { };
	char *hash;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return NULL;
	if (!rust_demangle_callback(name, DMGL_AUTO, take_part, &plain)) {
		plain.len = 0;
		if (!cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, take_part,
						&plain))
			return NULL;
	}
	plain.text[plain.len] = 0;
	/* Rust's have a hash of the crate at the end, which is of no use to readers. */
	hash = strrchr(plain.text, ':');
	if (hash && hash[1] == 'h' && strlen(hash) == 18 && hash > plain.text &&
	    hash[-1] == ':' && strspn(hash + 2, "0123456789abcdef") == 16)
		hash[-1] = 0;
	return xstrdup(plain.text);
}

/* What is not needed for most of the symbols of a library. */
static struct symbol *see(struct trace *trace, struct symbol *symbol)
{
	char *plain;

	if (!symbol->id) {
		plain = symbol_demangle(symbol->name);
		if (plain) {
			symbol->linkage = symbol->name;
			symbol->name = plain;
		}
		symbol->json = json_escape(symbol->name, &symbol->json_len);
		symbol->id = ++trace->nr_symbols;
	}
	return symbol;
}

void process_map(struct process *process, const struct mapping *map)
{
	struct mapping *other;
	bool shared = false;
	size_t i;

	for (i = 0; i < process->nr_maps; i++) {
		other = &process->maps[i];
		if (map->start >= other->end || map->end <= other->start)
			continue;
		if (other->image != map->image || other->bias != map->bias) {
			other->shared = true;
			shared = true;
			continue;
		}
		if (other->start != map->start || other->end != map->end)
			continue;
		if (other->from == map->from && other->to == map->to)
			return;
		if (map->from && other->to == map->from - 1) {
			other->to = map->to;
			return;
		}
	}
	if (!(process->nr_maps & (process->nr_maps - 1)))
		process->maps = xrealloc(process->maps, sizeof(*map) *
					 (process->nr_maps ? 2 * process->nr_maps : 1));
	process->maps[process->nr_maps] = *map;
	process->maps[process->nr_maps++].shared = shared;
}

static struct symbol *image_symbol(struct image *image, uint64_t addr)
{
	size_t low = 0, high = image->nr_symbols;
	struct symbol *symbol;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->symbols[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	symbol = &image->symbols[low - 1];
	if (symbol->size && addr - symbol->addr >= symbol->size)
		return NULL;
	return symbol;
}

/*
 * What is known of an address without a name: where it is in its file. This does not change
 * from one run to the next, and other tools can look it up.
 */
static void put_place(char *name, size_t size, const struct mapping *map, uint64_t addr)
{
	const char *slash = strrchr(map->image->path, '/');

	snprintf(name, size, "%s+0x%" PRIx64, slash ? slash + 1 : map->image->path,
		 addr - map->bias);
}

/* Names without a place: events, and addresses nobody knows. */
struct name {
	struct symbol	symbol;
	struct name	*next;
};

static struct symbol *named(struct trace *trace, const char *text)
{
	struct name **table = trace->name_table, *name;
	size_t hash = 5381;
	const char *p;

	for (p = text; *p; p++)
		hash = hash * 33 + (unsigned char)*p;
	hash %= ARRAY_SIZE(trace->name_table);
	for (name = table[hash]; name; name = name->next)
		if (!strcmp(name->symbol.name, text))
			return &name->symbol;
	name = xalloc(sizeof(*name));
	name->symbol.name = xstrdup(text);
	name->next = table[hash];
	table[hash] = name;
	return see(trace, &name->symbol);
}

size_t symbol_names(struct trace *trace, struct symbol **used)
{
	struct name *name;
	size_t i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(trace->name_table); i++)
		for (name = trace->name_table[i]; name; name = name->next)
			if (name->symbol.used)
				used[nr++] = &name->symbol;
	return nr;
}

void symbol_names_free(struct trace *trace)
{
	struct name *name;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(trace->name_table); i++)
		while ((name = trace->name_table[i])) {
			trace->name_table[i] = name->next;
			free(name->symbol.name);
			free(name->symbol.linkage);
			free(name->symbol.json);
			free(name);
		}
}

#define UNKNOWN_MAX	100000

struct symbol *event_symbol(struct trace *trace, const char *name)
{
	return named(trace, name);
}

/*
 * Who was at an address at a time, and from when to when is that the answer?
 *
 * What is mapped then, the later one of several; else what was mapped last before that,
 * and else what comes first. @nameless: set to a mapping of it that has no symbol for it.
 */
static struct symbol *find_symbol(struct process *process, uint64_t addr, uint64_t when,
				  uint64_t *from, uint64_t *to, bool *shared,
				  const struct mapping **nameless)
{
	struct symbol *symbol, *past = NULL, *future = NULL;
	uint64_t past_to = 0, future_from = UINT64_MAX;
	size_t i;

	*shared = false;
	for (i = process->nr_maps; i-- > 0; ) {
		struct mapping *map = &process->maps[i];

		if (addr < map->start || addr >= map->end)
			continue;
		if (map->image->problem)
			image_tell(map->image);
		symbol = image_symbol(map->image, addr - map->bias);
		if (!symbol) {
			if (!*nameless || (when >= map->from && when <= map->to))
				*nameless = map;
			continue;
		}
		symbol->image = map->image;
		*shared |= map->shared;
		if (when >= map->from && when <= map->to) {
			*from = map->from;
			*to = map->to;
			return symbol;
		}
		if (when > map->to && (!past || map->to > past_to)) {
			past = symbol;
			past_to = map->to;
		} else if (when < map->from && (!future || map->from < future_from)) {
			future = symbol;
			future_from = map->from;
		}
	}
	if (!past && !future && *nameless && when >= (*nameless)->from && when <= (*nameless)->to) {
		*from = (*nameless)->from;
		*to = (*nameless)->to;
		return NULL;
	}
	*from = past ? past_to + 1 : 0;
	*to = future ? future_from - 1 : UINT64_MAX;
	return past ? past : future;
}

struct symbol *process_symbol(struct trace *trace, struct process *process, uint64_t *addr,
			      uint64_t when)
{
	unsigned int slot = (*addr ^ *addr >> 12) % SYMBOL_CACHE;
	const struct mapping *nameless = NULL;
	uint64_t from, to, where = *addr;
	struct symbol *symbol;
	unsigned int before;
	char name[320];
	bool shared;

	if (process->cache[slot].addr == where && process->cache[slot].symbol &&
	    when >= process->cache[slot].from && when <= process->cache[slot].to) {
		if (process->cache[slot].shared)
			*addr = 0;
		return process->cache[slot].symbol;
	}

	symbol = find_symbol(process, where, when, &from, &to, &shared, &nameless);
	if (symbol) {
		see(trace, symbol);
	} else {
		/* So many functions no program has; these are addresses of no function. */
		if (trace->nr_unknown < UNKNOWN_MAX && nameless)
			put_place(name, sizeof(name), nameless, where);
		else if (trace->nr_unknown < UNKNOWN_MAX)
			snprintf(name, sizeof(name), "<%" PRIx64 ">", where);
		else
			snprintf(name, sizeof(name), "<unknown>");
		before = trace->nr_symbols;
		symbol = named(trace, name);
		trace->nr_unknown += trace->nr_symbols - before;
		if (nameless)
			symbol->image = nameless->image;
	}
	process->cache[slot].addr = where;
	process->cache[slot].from = from;
	process->cache[slot].to = to;
	process->cache[slot].symbol = symbol;
	process->cache[slot].shared = shared;
	if (shared)
		*addr = 0;
	return symbol;
}
