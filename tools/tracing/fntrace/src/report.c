// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace report: a table of the functions, how often they were called and how long they took.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input.h"
#include "statistics.h"

enum unit {
	UNIT_NONE,
	UNIT_NS,
	/* A hundredth of a percent */
	UNIT_SHARE,
};

/*
 * struct field - a column of the table
 * @name: of the column and of the option
 * @value: of a function
 * @unit: of the value
 */
struct field {
	const char	*name;
	uint64_t	(*value)(const struct function *function);
	enum unit	unit;
};

static uint64_t get_total(const struct function *function)
{
	return function->total;
}

static uint64_t get_self(const struct function *function)
{
	return function->self;
}

static uint64_t get_share(const struct function *function)
{
	return function->share;
}

static uint64_t get_calls(const struct function *function)
{
	return function->calls;
}

static uint64_t get_min(const struct function *function)
{
	return function->min;
}

static uint64_t get_avg(const struct function *function)
{
	return function->sum / function->calls;
}

static uint64_t get_max(const struct function *function)
{
	return function->max;
}

/* What is counted together lies within what was measured. */
static uint64_t percentile(const struct function *function, unsigned int percent)
{
	uint64_t ns = histogram_percentile(&function->durations, percent);

	if (ns < function->min)
		return function->min;
	return ns > function->max ? function->max : ns;
}

static uint64_t get_p50(const struct function *function)
{
	return percentile(function, 50);
}

static uint64_t get_p90(const struct function *function)
{
	return percentile(function, 90);
}

static uint64_t get_p99(const struct function *function)
{
	return percentile(function, 99);
}

static const struct field fields[] = {
	{ "total", get_total, UNIT_NS },
	{ "self", get_self, UNIT_NS },
	{ "percent", get_share, UNIT_SHARE },
	{ "calls", get_calls, UNIT_NONE },
	{ "avg", get_avg, UNIT_NS },
	{ "min", get_min, UNIT_NS },
	{ "max", get_max, UNIT_NS },
	{ "p50", get_p50, UNIT_NS },
	{ "p90", get_p90, UNIT_NS },
	{ "p99", get_p99, UNIT_NS },
};

#define DEFAULT_FIELDS	"total,self,percent,calls,avg,max"
#define DIFF_FIELDS	"total,self,calls"
#define ENTRIES_FIELDS	"calls"
#define COLUMN_WIDTH	12

/*
 * struct row - a line of the table
 * @function: whose it is
 * @before: the same in the other trace; NULL: it was not called there
 * @only_before: @function is of the other trace, and was not called in this one
 * @key: by which rows are sorted, the largest first
 */
struct row {
	const struct function	*function;
	const struct function	*before;
	bool			only_before;
	uint64_t		key;
};

/*
 * struct report - what the command line says
 * @input: where the trace is
 * @shown: columns, up to a NULL
 * @sort: column by which rows are sorted
 * @lines: how many are shown; 0: all
 * @csv: write numbers for a program
 * @other: path of a trace to compare with; NULL: none
 */
struct report {
	struct input		input;
	const struct field	*shown[ARRAY_SIZE(fields) + 1];
	const struct field	*sort;
	size_t			lines;
	bool			csv;
	const char		*other;
};

/* Options without a letter. */
enum {
	OPTION_CSV = 256,
	OPTION_DIFF,
};

static const struct argp_option options[] = {
	{ "fields", 'f', "FIELDS", 0,
	  "Columns, separated by commas: total, self, percent, calls, avg, min, max, p50, p90, p99; "
	  "by default " DEFAULT_FIELDS ", and those with --diff are " DIFF_FIELDS, 0 },
	{ "sort", 's', "FIELD", 0, "Sort by this column; the default is the first one", 0 },
	{ "lines", 'n', "NUMBER", 0, "Show only so many functions", 0 },
	{ "diff", OPTION_DIFF, "INPUT", 0,
	  "Show by how much each function differs from another trace", 0 },
	{ "csv", OPTION_CSV, NULL, 0, "Comma-separated values, times in nanoseconds", 0 },
	{ }
};

static const struct argp_child children[] = {
	{ &input_argp, 0, NULL, 0 },
	{ }
};

static const struct field *find_field(const char *name, struct argp_state *state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	argp_error(state, "there is no field \"%s\"", name);
	return NULL;
}

static void parse_fields(struct report *report, const char *names, struct argp_state *state)
{
	char *copy = xstrdup(names), *name;
	size_t nr = 0, i;

	for (name = strtok(copy, ","); name; name = strtok(NULL, ",")) {
		const struct field *field = find_field(name, state);

		for (i = 0; i < nr; i++)
			if (report->shown[i] == field)
				argp_error(state, "the field \"%s\" is there twice", name);
		report->shown[nr++] = field;
	}
	if (!nr)
		argp_error(state, "-f has no field");
	report->shown[nr] = NULL;
	free(copy);
}

/* Where only entries were recorded, all times are 0. */
static const char *default_fields(const struct report *report)
{
	const struct trace *trace = report->input.trace;

	if (trace->nr_entries_only && trace->nr_entries_only == trace->nr_sources)
		return ENTRIES_FIELDS;
	return report->other ? DIFF_FIELDS : DEFAULT_FIELDS;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct report *report = state->input;
	char *end;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &report->input;
		break;
	case 'f':
		parse_fields(report, argument, state);
		break;
	case 's':
		report->sort = find_field(argument, state);
		break;
	case 'n':
		report->lines = strtoul(argument, &end, 10);
		if (end == argument || *end || *argument == '-')
			argp_error(state, "-n %s is not a number", argument);
		break;
	case OPTION_DIFF:
		report->other = argument;
		break;
	case OPTION_CSV:
		report->csv = true;
		break;
	case ARGP_KEY_END:
		if (!report->shown[0])
			parse_fields(report, default_fields(report), state);
		if (!report->sort)
			report->sort = report->shown[0];
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return strcmp(x->function->name, y->function->name);
}

/* How much it is more, or less, than it was. */
static int64_t change(const struct row *row, const struct field *field)
{
	if (row->only_before)
		return -(int64_t)field->value(row->function);
	return field->value(row->function) - (row->before ? field->value(row->before) : 0);
}

static void add_row(const struct report *report, struct row *row)
{
	row->key = report->other ? (uint64_t)llabs(change(row, report->sort)) :
				   report->sort->value(row->function);
}

static struct row *make_rows(const struct report *report, const struct statistics *now,
			     const struct statistics *before, size_t *nr)
{
	struct row *rows = xalloc((now->nr + before->nr) * sizeof(*rows));
	size_t i;

	*nr = 0;
	for (i = 0; i < now->nr; i++) {
		rows[*nr].function = &now->list[i];
		rows[*nr].before = statistics_find(before, now->list[i].name);
		add_row(report, &rows[(*nr)++]);
	}
	for (i = 0; i < before->nr; i++) {
		if (statistics_find(now, before->list[i].name))
			continue;
		rows[*nr].function = &before->list[i];
		rows[*nr].only_before = true;
		add_row(report, &rows[(*nr)++]);
	}
	if (*nr)
		qsort(rows, *nr, sizeof(*rows), compare_rows);
	return rows;
}

/* A name may have commas, and quotes if somebody wants to do harm. */
static void put_csv_name(struct out *out, const char *name)
{
	out_printf(out, "\"");
	for (; *name; name++)
		out_printf(out, *name == '"' ? "\"\"" : "%c", *name);
	out_printf(out, "\"\n");
}

static void put_csv_value(struct out *out, const struct field *field, int64_t value)
{
	if (field->unit == UNIT_SHARE)
		out_printf(out, "%.2f,", value / 100.0);
	else
		out_printf(out, "%" PRId64 ",", value);
}

static void put_csv(struct out *out, const struct report *report, const struct row *row)
{
	const struct field *const *field;

	for (field = report->shown; *field; field++) {
		put_csv_value(out, *field, row->only_before ? 0 : (*field)->value(row->function));
		if (report->other)
			put_csv_value(out, *field, change(row, *field));
	}
	put_csv_name(out, row->function->name);
}

static void put_value(struct out *out, const struct field *field, uint64_t value,
		      const char *sign)
{
	char text[DURATION_SIZE], *signed_text;

	if (field->unit == UNIT_NS)
		format_duration(text, value);
	else if (field->unit == UNIT_SHARE)
		snprintf(text, sizeof(text), "%.2f %%", value / 100.0);
	else
		snprintf(text, sizeof(text), "%" PRIu64, value);
	signed_text = xasprintf("%s%s", sign, text);
	out_printf(out, "%*s ", COLUMN_WIDTH, signed_text);
	free(signed_text);
}

static void put_row(struct out *out, const struct report *report, const struct row *row)
{
	const struct field *const *field;

	for (field = report->shown; *field; field++) {
		put_value(out, *field, row->only_before ? 0 : (*field)->value(row->function), "");
		if (report->other) {
			int64_t by = change(row, *field);

			put_value(out, *field, llabs(by), by > 0 ? "+" : by < 0 ? "-" : "");
		}
	}
	out_printf(out, " ");
	out_clean(out, row->function->name);
	out_printf(out, "\n");
}

static void put_head(struct out *out, const struct report *report)
{
	const struct field *const *field;

	for (field = report->shown; *field; field++) {
		if (report->csv)
			out_printf(out, "%s,%s", (*field)->name, report->other ? "change," : "");
		else
			out_printf(out, "%*s %*s", COLUMN_WIDTH, (*field)->name,
				   report->other ? COLUMN_WIDTH + 1 : 0,
				   report->other ? "change " : "");
	}
	out_printf(out, report->csv ? "function\n" : " function\n");
}

static int put_table(const struct report *report, const struct statistics *now,
		     const struct statistics *before)
{
	struct out *out = out_open("-");
	struct row *rows;
	size_t i, nr;

	rows = make_rows(report, now, before, &nr);
	if (report->lines && nr > report->lines)
		nr = report->lines;
	put_head(out, report);
	for (i = 0; i < nr; i++) {
		if (report->csv)
			put_csv(out, report, &rows[i]);
		else
			put_row(out, report, &rows[i]);
	}
	free(rows);
	return out_close(out);
}

static int collect(struct input *input, struct statistics *statistics)
{
	int status = input_write(input, &statistics_writer, "-");

	statistics_take(statistics);
	return status;
}

int command_report(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[INPUT...]",
		.doc = "Show how often each function was called, and how long it took.",
		.children = children,
	};
	struct statistics now, before = { };
	struct report report = { };
	struct input other = { };
	int status = 0;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &report);
	if (report.other) {
		input_open(&other, report.other);
		filter_copy(&other.filter, &report.input.filter);
		status = collect(&other, &before);
	}
	status |= collect(&report.input, &now);
	status |= !!put_table(&report, &now, &before);
	statistics_free(&now);
	statistics_free(&before);
	return status;
}
