// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A flame graph: where time went, summed over the whole trace, as an SVG file
 * that needs nothing else.
 *
 * A box is a path of calls, as wide as the time spent in it; what it called is
 * below it. Next to each other are the callees by name, not by time.
 */
#include <stdlib.h>
#include <string.h>

#include "paths.h"

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

/*
 * struct box - of a path of calls
 * @start: where it begins, in nanoseconds
 * @row: below which others
 */
struct box {
	uint64_t	start;
	uint32_t	row;
};

static struct {
	struct out	*out;
	struct paths	paths;
	/* By the number of the path. */
	struct box	*boxes;
	/* Callees of a path while they are sorted. */
	uint32_t	*order;
	size_t		order_room;
	/* Boxes without a row. */
	uint64_t	too_deep;
	uint32_t	last_row;
} flame;

static void flame_begin(struct trace *trace, const char *path)
{
	(void)trace;
	memset(&flame, 0, sizeof(flame));
	flame.out = out_open(path);
	paths_begin(&flame.paths, true);
}

static void flame_event(const struct event *event)
{
	paths_event(&flame.paths, event);
}

static int compare_names(const void *a, const void *b)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	int order = strcmp(paths_name(&flame.paths, first), paths_name(&flame.paths, second));

	return order ? order : (first > second) - (first < second);
}

/* Where a time is in the picture. Never goes down when @ns goes up. */
static uint64_t units(uint64_t ns)
{
	uint64_t all = flame.paths.list[PATHS_ALL].total;

	return all ? (double)ns / all * FULL_UNITS : 0;
}

static uint64_t box_units(uint32_t number)
{
	uint64_t start = flame.boxes[number].start;

	return units(start + flame.paths.list[number].total) - units(start);
}

/*
 * Give boxes to the callees of a path that has one. So far its list has all of
 * them; then, those that can be seen in the order of their names.
 */
static void place_callees(uint32_t parent)
{
	struct path *list = flame.paths.list;
	uint64_t start = flame.boxes[parent].start;
	uint32_t row = flame.boxes[parent].row + 1;
	uint32_t *link = &list[parent].first;
	size_t nr = 0, i;
	uint32_t number;

	for (number = *link; number; number = list[number].next) {
		if (nr == flame.order_room) {
			flame.order_room = flame.order_room ? 2 * flame.order_room : 256;
			flame.order = xrealloc(flame.order,
					       flame.order_room * sizeof(*flame.order));
		}
		flame.order[nr++] = number;
	}
	if (nr > 1)
		qsort(flame.order, nr, sizeof(*flame.order), compare_names);
	for (i = 0; i < nr; i++) {
		number = flame.order[i];
		flame.boxes[number].start = start;
		flame.boxes[number].row = row;
		start += list[number].total;
		if (box_units(number) < MIN_UNITS)
			continue;
		if (row >= MAX_ROWS) {
			flame.too_deep++;
			continue;
		}
		if (row > flame.last_row)
			flame.last_row = row;
		*link = number;
		link = &list[number].next;
	}
	*link = 0;
}

/* The box after one: its first callee's, or the next of one of its callers. */
static uint32_t next_box(uint32_t number)
{
	const struct path *list = flame.paths.list;

	if (list[number].first)
		return list[number].first;
	while (number != PATHS_ALL && !list[number].next)
		number = list[number].parent;
	return number == PATHS_ALL ? PATHS_ALL : list[number].next;
}

static void place_boxes(void)
{
	uint32_t number = PATHS_ALL;

	flame.boxes = xalloc(flame.paths.nr * sizeof(*flame.boxes));
	do {
		place_callees(number);
		number = next_box(number);
	} while (number != PATHS_ALL);
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
	char text[DURATION_SIZE];

	out_printf(flame.out, "%s", format_duration(text, ns));
}

/* Grey for what is no function, blue for the kernel, else yellow to red. */
static unsigned int box_colour(uint32_t number)
{
	uint32_t hash = 2166136261u;
	const char *c;

	if (!paths_is_function(&flame.paths, number))
		return 0xd4d4d4;
	for (c = paths_name(&flame.paths, number); *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619;
	hash ^= hash >> 15;
	if (flame.paths.list[number].level == LEVEL_KERNEL)
		return (130 + hash % 50) << 16 | (170 + (hash >> 8) % 50) << 8 |
		       (220 + (hash >> 16) % 30);
	return (222 + hash % 30) << 16 | (145 + (hash >> 8) % 85) << 8 |
	       (85 + (hash >> 16) % 55);
}

static void write_box(uint32_t number, unsigned int top)
{
	const struct path *path = &flame.paths.list[number];
	const char *name = paths_name(&flame.paths, number);
	uint64_t all = flame.paths.list[PATHS_ALL].total;
	uint64_t x = units(flame.boxes[number].start) + MARGIN * UNITS;
	uint64_t width = number == PATHS_ALL ? FULL_UNITS : box_units(number);
	unsigned int y = top + flame.boxes[number].row * ROW_HEIGHT;
	double room = (double)width / UNITS - 2 * TEXT_PAD;
	size_t fit = room > 0 ? room / CHAR_WIDTH : 0;

	out_printf(flame.out, "<g><title>");
	write_xml(name, SIZE_MAX);
	out_printf(flame.out, "\n");
	write_time(path->total);
	out_printf(flame.out, " (%.2f %%), ", all ? 100.0 * path->total / all : 100);
	if (paths_is_function(&flame.paths, number)) {
		write_time(path->total - path->inner);
		out_printf(flame.out, " of its own, ");
	}
	out_printf(flame.out, "%llu calls</title><rect x=\"%u.%04u\" y=\"%u\" width=\"%u.%04u\"",
		   (unsigned long long)path->calls, (unsigned int)(x / UNITS),
		   (unsigned int)(x % UNITS), y, (unsigned int)(width / UNITS),
		   (unsigned int)(width % UNITS));
	out_printf(flame.out, " height=\"%u\" fill=\"#%06x\"/>", ROW_HEIGHT - 1,
		   box_colour(number));
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

	if (flame.paths.merged)
		notes[nr++] = xasprintf("%llu calls count as their callers: over %u paths",
					(unsigned long long)flame.paths.merged, PATHS_MAX);
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
	char *notes[3];
	size_t nr_notes = make_notes(trace, notes), i;
	uint32_t number = PATHS_ALL;

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
	write_time(flame.paths.list[PATHS_ALL].total);
	out_printf(flame.out, " in %llu calls</text>\n",
		   (unsigned long long)paths_calls(&flame.paths));
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
	do {
		write_box(number, top);
		number = next_box(number);
	} while (number != PATHS_ALL);
	out_printf(flame.out, "</g>\n<script><![CDATA[\n");
	out_write(flame.out, script, sizeof(script) - 1);
	out_printf(flame.out, "]]></script>\n</svg>\n");
}

static int flame_end(struct trace *trace)
{
	paths_finish(&flame.paths);
	place_boxes();
	write_svg(trace);
	paths_free(&flame.paths);
	free(flame.boxes);
	free(flame.order);
	return out_close(flame.out);
}

const struct writer flame_writer = {
	.name	= "flame",
	.summary = true,
	.ends	= true,
	.begin	= flame_begin,
	.event	= flame_event,
	.end	= flame_end,
};
