// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A flame graph: where time went, summed over the whole trace, as an SVG file
 * that needs nothing else.
 *
 * A box is a path of calls, as wide as the time spent in it; what it called is
 * below it. Next to each other are the callees by name, not by time. A trace
 * is as long as it likes: what is kept are the different paths, and of these
 * not more than MAX_NODES.
 */
#include <stdlib.h>
#include <string.h>

#include "trace.h"

/* Paths that are told apart; 64 MiB. What calls beyond is time of the caller. */
#define MAX_NODES	1000000

/* The picture, in pixels. */
#define WIDTH		1200
#define MARGIN		10
#define ROW_HEIGHT	17
#define CHAR_WIDTH	7.3
#define TEXT_PAD	3
#define MAX_ROWS	1000

/*
 * Places are whole numbers of 1/10,000 pixel. Zooming shows boxes a thousand
 * times as wide, and a box stays inside its caller's whatever it is rounded to.
 */
#define UNITS		10000
#define MIN_UNITS	(UNITS / 10)
#define FULL_UNITS	((uint64_t)(WIDTH - 2 * MARGIN) * UNITS)

/* The box around everything. */
#define ALL		0

/* Stands for a path that got no node. ALL is nobody's callee. */
#define MERGED		0

/**
 * struct node - a path of calls: the last function of it
 * @symbol: the function
 * @name: what it is if it is no function: its @parent is ALL
 * @total: time in it, in nanoseconds
 * @inner: of this, time in what it called
 * @start: where its box begins, in nanoseconds
 * @calls: how often
 * @parent: the caller
 * @recent: the callee that was called last
 * @first: the first callee that has a box
 * @next: the next box of the same caller
 * @row: of its box
 * @level: of its first call
 */
struct node {
	union {
		const struct symbol	*symbol;
		char			*name;
	};
	uint64_t	total;
	uint64_t	inner;
	uint64_t	start;
	uint64_t	calls;
	uint32_t	parent;
	uint32_t	recent;
	uint32_t	first;
	uint32_t	next;
	uint32_t	row;
	uint32_t	level;
};

/**
 * struct flame_task - struct task.out
 * @root: the node of all calls of the task
 * @process: which the task was in when that was found; exec() changes it
 * @depth: calls that have not ended
 * @room: how many there is room for
 * @calls: their nodes or MERGED, and when they began
 */
struct flame_task {
	uint32_t		root;
	const struct process	*process;
	size_t			depth;
	size_t			room;
	struct {
		uint32_t	node;
		uint64_t	ns;
	} calls[];
};

static struct {
	struct out	*out;
	struct node	*nodes;
	uint32_t	nr_nodes;
	uint32_t	room;
	/* Nodes by caller and function; 0 is an empty place. */
	uint32_t	*table;
	uint32_t	table_size;
	/* Callees of a node while they are sorted. */
	uint32_t	*order;
	size_t		order_room;
	/* Calls without a node of their own, and boxes without a row. */
	uint64_t	merged;
	uint64_t	too_deep;
	uint32_t	last_row;
} flame;

static uint32_t hash_path(uint32_t parent, const struct symbol *symbol)
{
	uint64_t key = (uintptr_t)symbol / sizeof(*symbol) + ((uint64_t)parent << 36);

	key *= 0x9e3779b97f4a7c15ull;
	return key >> 32;
}

static void table_insert(uint32_t node)
{
	const struct node *at = &flame.nodes[node];
	uint32_t slot = hash_path(at->parent, at->symbol);

	while (flame.table[slot & (flame.table_size - 1)])
		slot++;
	flame.table[slot & (flame.table_size - 1)] = node;
}

static void table_grow(void)
{
	uint32_t i;

	free(flame.table);
	flame.table_size = flame.table_size ? 2 * flame.table_size : 4096;
	flame.table = xalloc(flame.table_size * sizeof(*flame.table));
	memset(flame.table, 0, flame.table_size * sizeof(*flame.table));
	for (i = 1; i < flame.nr_nodes; i++)
		if (flame.nodes[i].parent != ALL)
			table_insert(i);
}

static uint32_t new_node(uint32_t parent)
{
	struct node *node;

	if (flame.nr_nodes == flame.room) {
		flame.room = flame.room ? 2 * flame.room : 1024;
		flame.nodes = xrealloc(flame.nodes, flame.room * sizeof(*flame.nodes));
	}
	node = &flame.nodes[flame.nr_nodes];
	memset(node, 0, sizeof(*node));
	node->parent = parent;
	return flame.nr_nodes++;
}

/* The node of a function that is called on the path @parent. */
static uint32_t find_node(uint32_t parent, const struct symbol *symbol, enum level level)
{
	uint32_t node = flame.nodes[parent].recent;
	uint32_t slot;

	if (node && flame.nodes[node].symbol == symbol)
		return node;

	for (slot = hash_path(parent, symbol);; slot++) {
		node = flame.table[slot & (flame.table_size - 1)];
		if (!node || (flame.nodes[node].parent == parent &&
			      flame.nodes[node].symbol == symbol))
			break;
	}
	if (!node) {
		if (flame.nr_nodes >= MAX_NODES)
			return MERGED;
		if (flame.nr_nodes >= flame.table_size / 2)
			table_grow();
		node = new_node(parent);
		flame.nodes[node].symbol = symbol;
		flame.nodes[node].level = level;
		table_insert(node);
	}
	flame.nodes[parent].recent = node;
	return node;
}

/* Tasks of the same name in programs of the same name share a box. */
static uint32_t find_root(const struct task *task)
{
	const struct process *process = task->process;
	const char *machine = process->machine->name;
	const char *exe = program_name(process);
	bool same;
	uint32_t i;
	char *name;

	same = !*task->name || !strcmp(task->name, exe);
	name = xasprintf("%s%s%s%s%s", machine, *machine ? ": " : "", exe,
			 same ? "" : " / ", same ? "" : task->name);
	for (i = 1; i < flame.nr_nodes; i++) {
		if (flame.nodes[i].parent == ALL && !strcmp(flame.nodes[i].name, name)) {
			free(name);
			return i;
		}
	}
	i = new_node(ALL);
	flame.nodes[i].name = name;
	return i;
}

static struct flame_task *grow_task(struct task *task)
{
	struct flame_task *own = task->out;
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

static void end_call(struct flame_task *own, uint64_t ns)
{
	uint32_t node;

	if (!own->depth)
		return;
	node = own->calls[--own->depth].node;
	if (node != MERGED)
		flame.nodes[node].total += ns - own->calls[own->depth].ns;
}

static void flame_begin(struct trace *trace, const struct options *options)
{
	(void)trace;
	memset(&flame, 0, sizeof(flame));
	flame.out = out_open(options->path);
	new_node(ALL);
	table_grow();
}

static void flame_event(const struct event *event)
{
	struct flame_task *own = event->task->out;
	uint32_t node;

	if (event->type == EVENT_EXIT && own) {
		end_call(own, event->ns);
		return;
	}
	if (event->type != EVENT_ENTRY)
		return;

	if (!own || own->depth == own->room)
		own = grow_task(event->task);
	if (!own->depth && own->process != event->task->process) {
		own->process = event->task->process;
		own->root = find_root(event->task);
	}
	node = own->depth ? own->calls[own->depth - 1].node : own->root;
	if (node != MERGED)
		node = find_node(node, event->symbol, event->level);
	if (node != MERGED)
		flame.nodes[node].calls++;
	else
		flame.merged++;
	own->calls[own->depth].node = node;
	own->calls[own->depth++].ns = event->ns;
}

static const char *node_name(const struct node *node)
{
	if (node == flame.nodes)
		return "all";
	return node->parent == ALL ? node->name : node->symbol->name;
}

static int compare_names(const void *a, const void *b)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	int order = strcmp(node_name(&flame.nodes[first]), node_name(&flame.nodes[second]));

	return order ? order : (first > second) - (first < second);
}

/* Where a time is in the picture. Never goes down when @ns goes up. */
static uint64_t units(uint64_t ns)
{
	uint64_t all = flame.nodes[ALL].total;

	return all ? (double)ns / all * FULL_UNITS : 0;
}

static uint64_t node_units(const struct node *node)
{
	return units(node->start + node->total) - units(node->start);
}

/*
 * Give boxes to the callees of a node that has one. So far its list has all of
 * them in no order; then, those that can be seen in the order of their names.
 */
static void place_callees(uint32_t parent)
{
	struct node *nodes = flame.nodes;
	uint64_t start = nodes[parent].start;
	uint32_t row = nodes[parent].row + 1;
	uint32_t *link = &nodes[parent].first;
	size_t nr = 0, i;
	uint32_t node;

	for (node = *link; node; node = nodes[node].next) {
		if (nr == flame.order_room) {
			flame.order_room = flame.order_room ? 2 * flame.order_room : 256;
			flame.order = xrealloc(flame.order,
					       flame.order_room * sizeof(*flame.order));
		}
		flame.order[nr++] = node;
	}
	if (nr > 1)
		qsort(flame.order, nr, sizeof(*flame.order), compare_names);
	for (i = 0; i < nr; i++) {
		node = flame.order[i];
		nodes[node].start = start;
		nodes[node].row = row;
		start += nodes[node].total;
		if (node_units(&nodes[node]) < MIN_UNITS)
			continue;
		if (row >= MAX_ROWS) {
			flame.too_deep++;
			continue;
		}
		if (row > flame.last_row)
			flame.last_row = row;
		*link = node;
		link = &nodes[node].next;
	}
	*link = 0;
}

/* The box after @node: its first callee's, or the next of one of its callers. */
static uint32_t next_box(uint32_t node)
{
	if (flame.nodes[node].first)
		return flame.nodes[node].first;
	while (node != ALL && !flame.nodes[node].next)
		node = flame.nodes[node].parent;
	return node == ALL ? ALL : flame.nodes[node].next;
}

static void place_boxes(struct trace *trace)
{
	struct node *nodes = flame.nodes;
	struct task *task;
	uint32_t i;

	for (task = trace->tasks; task; task = task->next)
		while (task->out && ((struct flame_task *)task->out)->depth)
			end_call(task->out, task->last_ns);

	/* Callees come after their callers. */
	for (i = flame.nr_nodes - 1; i != ALL; i--) {
		struct node *parent = &nodes[nodes[i].parent];

		if (nodes[i].parent == ALL)
			nodes[i].total = nodes[i].inner;
		else if (parent->parent == ALL)
			parent->calls += nodes[i].calls;
		parent->inner += nodes[i].total;
		nodes[i].next = parent->first;
		parent->first = i;
	}
	nodes[ALL].total = nodes[ALL].inner;

	i = ALL;
	do {
		place_callees(i);
		i = next_box(i);
	} while (i != ALL);
}

/* How wide a name is, in characters. */
static size_t text_width(const char *text)
{
	const unsigned char *from = (const unsigned char *)text;
	size_t width = 0;

	while (*from) {
		size_t size = utf8_size(from);

		width += size ? 1 : strlen("\\x00");
		from += size ? size : 1;
	}
	return width;
}

/* A name as XML, @width characters of it. What is no character is "\x..". */
static void write_xml(const char *text, size_t width)
{
	const unsigned char *from = (const unsigned char *)text;

	while (*from) {
		size_t size = utf8_size(from);
		size_t columns = size ? 1 : strlen("\\x00");

		if (columns > width)
			break;
		width -= columns;
		if (*from == '&')
			out_printf(flame.out, "&amp;");
		else if (*from == '<')
			out_printf(flame.out, "&lt;");
		else if (*from == '>')
			out_printf(flame.out, "&gt;");
		else if (size)
			out_write(flame.out, from, size);
		else
			out_printf(flame.out, "\\x%02x", *from);
		from += size ? size : 1;
	}
}

static void write_time(uint64_t ns)
{
	if (ns >= NSEC_PER_SEC)
		out_printf(flame.out, "%.3f s", ns / 1e9);
	else if (ns >= 1000000)
		out_printf(flame.out, "%.3f ms", ns / 1e6);
	else
		out_printf(flame.out, "%.3f us", ns / 1e3);
}

/* Grey for what is no function, blue for the kernel, else yellow to red. */
static unsigned int node_colour(const struct node *node)
{
	uint32_t hash = 2166136261u;
	const char *c;

	if (node == flame.nodes || node->parent == ALL)
		return 0xd4d4d4;
	for (c = node->symbol->name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619;
	hash ^= hash >> 15;
	if (node->level == LEVEL_KERNEL)
		return (130 + hash % 50) << 16 | (170 + (hash >> 8) % 50) << 8 |
		       (220 + (hash >> 16) % 30);
	return (222 + hash % 30) << 16 | (145 + (hash >> 8) % 85) << 8 |
	       (85 + (hash >> 16) % 55);
}

static void write_box(const struct node *node, unsigned int top)
{
	const char *name = node_name(node);
	uint64_t all = flame.nodes[ALL].total;
	uint64_t x = units(node->start) + MARGIN * UNITS;
	uint64_t width = node == flame.nodes ? FULL_UNITS : node_units(node);
	unsigned int y = top + node->row * ROW_HEIGHT;
	double room = (double)width / UNITS - 2 * TEXT_PAD;
	size_t fit = room > 0 ? room / CHAR_WIDTH : 0;

	out_printf(flame.out, "<g><title>");
	write_xml(name, SIZE_MAX);
	out_printf(flame.out, "\n");
	write_time(node->total);
	out_printf(flame.out, " (%.2f %%), ", all ? 100.0 * node->total / all : 100);
	if (node->parent != ALL) {
		write_time(node->total - node->inner);
		out_printf(flame.out, " of its own, ");
	}
	out_printf(flame.out, "%llu calls</title><rect x=\"%u.%04u\" y=\"%u\" width=\"%u.%04u\"",
		   (unsigned long long)node->calls, (unsigned int)(x / UNITS),
		   (unsigned int)(x % UNITS), y, (unsigned int)(width / UNITS),
		   (unsigned int)(width % UNITS));
	out_printf(flame.out, " height=\"%u\" fill=\"#%06x\"/>", ROW_HEIGHT - 1,
		   node_colour(node));
	if (fit >= 3) {
		bool whole = text_width(name) <= fit;

		out_printf(flame.out, "<text x=\"%.1f\" y=\"%u\">", (double)x / UNITS + TEXT_PAD,
			   y + ROW_HEIGHT - 5);
		write_xml(name, whole ? fit : fit - 2);
		out_printf(flame.out, "%s</text>", whole ? "" : "..");
	}
	out_printf(flame.out, "</g>\n");
}

/*
 * A click makes a box as wide as the picture, with its callers above it; a
 * search marks the boxes whose names match. Boxes are in the file in the order
 * of a walk through the tree, so of boxes inside each other the outer one is
 * first, and only its time is added up. All that is wide enough has a text in
 * the file; other texts are made when zooming makes a box wider.
 */
static const char script[] =
"'use strict';\n"
"(function () {\n"
"const svg = document.getElementById('fntrace');\n"
"const left = +svg.dataset.left, width = +svg.dataset.width;\n"
"const tiny = 0.00005, pad = +svg.dataset.pad, charWidth = +svg.dataset.char;\n"
"const found = document.getElementById('found');\n"
"const boxes = [];\n"
"for (const g of document.getElementById('boxes').children) {\n"
"	const rect = g.querySelector('rect');\n"
"	boxes.push({ g, rect, text: g.querySelector('text'),\n"
"		     name: g.querySelector('title').textContent.split('\\n')[0],\n"
"		     x: +rect.getAttribute('x'), y: +rect.getAttribute('y'),\n"
"		     w: +rect.getAttribute('width'), fill: rect.getAttribute('fill') });\n"
"}\n"
"function show(box, x, w) {\n"
"	const fit = Math.floor((w - 2 * pad) / charWidth);\n"
"	box.g.style.display = '';\n"
"	box.rect.setAttribute('x', x);\n"
"	box.rect.setAttribute('width', w);\n"
"	if (!box.text && fit >= 3) {\n"
"		box.text = document.createElementNS(svg.namespaceURI, 'text');\n"
"		box.text.setAttribute('y', box.y + 12);\n"
"		box.g.appendChild(box.text);\n"
"	}\n"
"	if (!box.text)\n"
"		return;\n"
"	const name = Array.from(box.name);\n"
"	box.text.setAttribute('x', x + pad);\n"
"	box.text.textContent = fit < 3 ? '' : name.length <= fit ? box.name :\n"
"			       name.slice(0, fit - 2).join('') + '..';\n"
"}\n"
"function zoom(to) {\n"
"	const scale = width / to.w;\n"
"	for (const box of boxes) {\n"
"		const caller = box.y < to.y && box.x <= to.x + tiny &&\n"
"			       box.x + box.w >= to.x + to.w - tiny;\n"
"		if (caller)\n"
"			show(box, left, width);\n"
"		else if (box === to || (box.y > to.y && box.x >= to.x - tiny &&\n"
"					box.x + box.w <= to.x + to.w + tiny))\n"
"			show(box, left + (box.x - to.x) * scale, box.w * scale);\n"
"		else\n"
"			box.g.style.display = 'none';\n"
"		box.g.style.opacity = caller ? 0.5 : 1;\n"
"	}\n"
"}\n"
"function search() {\n"
"	const what = prompt('Functions to mark (a regular expression):', '');\n"
"	let match, sum = 0, end = 0;\n"
"	if (what === null)\n"
"		return;\n"
"	try {\n"
"		const expression = new RegExp(what);\n"
"		match = name => what && expression.test(name);\n"
"	} catch (error) {\n"
"		match = name => name.includes(what);\n"
"	}\n"
"	for (const box of boxes) {\n"
"		const marked = match(box.name);\n"
"		box.rect.setAttribute('fill', marked ? '#d050e0' : box.fill);\n"
"		if (marked && box.x >= end - tiny) {\n"
"			sum += box.w;\n"
"			end = box.x + box.w;\n"
"		}\n"
"	}\n"
"	found.textContent = what ? (100 * sum / width).toFixed(2) + ' % marked' : '';\n"
"}\n"
"for (const box of boxes)\n"
"	box.g.addEventListener('click', () => zoom(box));\n"
"document.getElementById('search').addEventListener('click', search);\n"
"document.getElementById('reset').addEventListener('click', () => zoom(boxes[0]));\n"
"document.addEventListener('keydown', event => {\n"
"	if (event.key === 'f' && (event.ctrlKey || event.metaKey)) {\n"
"		event.preventDefault();\n"
"		search();\n"
"	} else if (event.key === 'Escape') {\n"
"		zoom(boxes[0]);\n"
"	}\n"
"});\n"
"document.getElementById('buttons').style.display = '';\n"
"})();\n";

static const char style[] =
"text { font: 12px monospace; fill: #202020; pointer-events: none; white-space: pre; }\n"
"#boxes g, #search, #reset { cursor: pointer; pointer-events: auto; }\n"
"#boxes g:hover rect { stroke: #202020; stroke-width: 0.8; }\n"
"#search, #reset { text-decoration: underline; }\n";

/* What the picture does not show: the user is told, and so is who looks at it. */
static size_t make_notes(const struct trace *trace, char **notes)
{
	size_t nr = 0, i;

	if (flame.merged)
		notes[nr++] = xasprintf("%llu calls count as their callers: over %u paths",
					(unsigned long long)flame.merged, MAX_NODES);
	if (flame.too_deep)
		notes[nr++] = xasprintf("%llu boxes and their callees are left out: over %u rows",
					(unsigned long long)flame.too_deep, MAX_ROWS);
	for (i = 0; i < nr; i++)
		warn("flame graph: %s", notes[i]);
	if (trace->nr_lost)
		notes[nr++] = xasprintf("%llu calls were lost when this was recorded",
					(unsigned long long)trace->nr_lost);
	return nr;
}

static void write_svg(const struct trace *trace)
{
	unsigned int top = MARGIN + 2 * ROW_HEIGHT, height;
	uint64_t calls = flame.merged;
	char *notes[3];
	size_t nr_notes = make_notes(trace, notes), i;
	uint32_t node;

	for (node = 0; node < flame.nr_nodes; node++)
		if (node != ALL && flame.nodes[node].parent != ALL)
			calls += flame.nodes[node].calls;
	top += nr_notes * ROW_HEIGHT;
	height = top + (flame.last_row + 1) * ROW_HEIGHT + MARGIN;

	out_printf(flame.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	out_printf(flame.out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"fntrace\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\"",
		   WIDTH, height, WIDTH, height);
	out_printf(flame.out,
		   " data-left=\"%u\" data-width=\"%u\" data-pad=\"%u\" data-char=\"%.1f\">\n",
		   MARGIN, WIDTH - 2 * MARGIN, TEXT_PAD, CHAR_WIDTH);
	out_printf(flame.out, "<title>fntrace flame graph</title>\n<style>\n");
	out_write(flame.out, style, sizeof(style) - 1);
	out_printf(flame.out, "</style>\n<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n",
		   WIDTH, height);

	out_printf(flame.out, "<text x=\"%u\" y=\"%u\">", MARGIN, MARGIN + ROW_HEIGHT - 5);
	write_time(flame.nodes[ALL].total);
	out_printf(flame.out, " in %llu calls</text>\n", (unsigned long long)calls);
	out_printf(flame.out, "<g id=\"buttons\" style=\"display:none\" text-anchor=\"end\">");
	out_printf(flame.out, "<text id=\"found\" x=\"%u\" y=\"%u\"/>", WIDTH - 160,
		   MARGIN + ROW_HEIGHT - 5);
	out_printf(flame.out, "<text id=\"search\" x=\"%u\" y=\"%u\">search</text>", WIDTH - 90,
		   MARGIN + ROW_HEIGHT - 5);
	out_printf(flame.out, "<text id=\"reset\" x=\"%u\" y=\"%u\">reset zoom</text></g>\n",
		   WIDTH - MARGIN, MARGIN + ROW_HEIGHT - 5);
	for (i = 0; i < nr_notes; i++) {
		out_printf(flame.out, "<text x=\"%u\" y=\"%zu\">%s</text>\n", MARGIN,
			   MARGIN + (i + 2) * ROW_HEIGHT - 5, notes[i]);
		free(notes[i]);
	}

	out_printf(flame.out, "<g id=\"boxes\">\n");
	node = ALL;
	do {
		write_box(&flame.nodes[node], top);
		node = next_box(node);
	} while (node != ALL);
	out_printf(flame.out, "</g>\n<script><![CDATA[\n");
	out_write(flame.out, script, sizeof(script) - 1);
	out_printf(flame.out, "]]></script>\n</svg>\n");
}

static int flame_end(struct trace *trace)
{
	uint32_t i;

	place_boxes(trace);
	write_svg(trace);
	for (i = 1; i < flame.nr_nodes; i++)
		if (flame.nodes[i].parent == ALL)
			free(flame.nodes[i].name);
	free(flame.nodes);
	free(flame.table);
	free(flame.order);
	return out_close(flame.out);
}

const struct writer flame_writer = {
	.name	= "flame",
	.begin	= flame_begin,
	.event	= flame_event,
	.end	= flame_end,
};
