// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of markers: parsing of formats and definitions, and registering,
 * calling and unregistering of probes.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <kunit/test.h>
#include <linux/marker_probe.h>
#include <linux/module.h>
#include <linux/string.h>

#include "../kernel/trace/marker_parse.h"

struct format_case {
	const char	*text;
	enum marker_err	err;
	u16		pos;
	u8		nr_slots;
	/*
	 * Names and sizes of the arguments, as "pid:4 name:s"; s stands for a
	 * string, p for a pointer that is dereferenced.
	 */
	const char	*args;
};

static const struct format_case format_cases[] = {
	{ "", 0, 0, 0, "" },
	{ "text, 100%% of it", 0, 0, 0, "" },
	{ "pid %d name %s", 0, 0, 2, "pid:4 name:s" },
	{ "pid=%d name=%s", 0, 0, 2, "pid:4 name:s" },
	{ "pid: %d, name: '%s'", 0, 0, 2, "pid:4 name:s" },
	{ "flags 0x%x (dev %d:%d)", 0, 0, 3, "flags:4 dev:4 :4" },
	{ "%d%d", 0, 0, 2, ":4 :4" },
	{ "%dth %dth", 0, 0, 2, ":4 :4" },
	{ "3 %d 4a=%d", 0, 0, 2, ":4 a:4" },
	{ "c=%c hh=%hhd h=%hd l=%ld ll=%lld z=%zu t=%td", 0, 0, 7,
	  BITS_PER_LONG == 64 ? "c:1 hh:1 h:2 l:8 ll:8 z:8 t:8" :
	  "c:1 hh:1 h:2 l:4 ll:8 z:4 t:4" },
	{ "[%-5d|%05u|%+i|%#x|% d]", 0, 0, 5, ":4 :4 :4 :4 :4" },
	{ "a %.*s b %.5s", 0, 0, 3, "a:s b:s" },
	{ "mac %pM ip %pI4 ip6 %pI6c id %pUb hex %6ph", 0, 0, 5,
	  "mac:p1*6 ip:p1*4 ip6:p1*16 id:p1*16 hex:p1*6" },
	{ "x%", MARKER_ERR_FORMAT_CONVERSION, 1 },
	{ "%d %q", MARKER_ERR_FORMAT_CONVERSION, 3 },
	{ "%n", MARKER_ERR_FORMAT_CONVERSION, 0 },
	{ "%ls", MARKER_ERR_FORMAT_CONVERSION, 0 },
	{ "%f", MARKER_ERR_FORMAT_CONVERSION, 0 },
	{ "%*d", MARKER_ERR_FORMAT_STAR, 0 },
	{ "%.*d", MARKER_ERR_FORMAT_STAR, 0 },
	{ "%*s", MARKER_ERR_FORMAT_STAR, 0 },
	{ "%.70000s", 0, 0, 1, ":s" },
	{ "%pd", MARKER_ERR_FORMAT_POINTER, 0 },
	{ "%pIS", MARKER_ERR_FORMAT_POINTER, 0 },
	{ "%pV", MARKER_ERR_FORMAT_POINTER, 0 },
	{ "%ph", MARKER_ERR_FORMAT_POINTER, 0 },
	{ "%65ph", MARKER_ERR_FORMAT_POINTER, 0 },
	{ "%p4cc", MARKER_ERR_FORMAT_POINTER, 0 },
	{ "%d %p2", MARKER_ERR_FORMAT_POINTER, 3 },
	{ "%p_2", 0, 0, 1, BITS_PER_LONG == 64 ? ":8" : ":4" },
	{ "%000000000000000000d", MARKER_ERR_FORMAT_LONG, 0 },
};

static void describe(const struct format_case *c,
		     const struct marker_format *format, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < format->nr_args; i++) {
		const struct marker_arg *arg = &format->args[i];

		len += scnprintf(buf + len, size - len, "%s%.*s:", i ? " " : "",
				 arg->name.len, c->text + arg->name.start);
		if (fetch_is_string(arg->type))
			len += scnprintf(buf + len, size - len, "s");
		else
			len += scnprintf(buf + len, size - len, "%s%u",
					 arg->read ? "p" : "", arg->type->size);
		if (arg->count)
			len += scnprintf(buf + len, size - len, "*%u",
					 arg->count);
	}
}

static void marker_formats(struct kunit *test)
{
	struct marker_format *format =
		kunit_kzalloc(test, sizeof(*format), GFP_KERNEL);
	char buf[200];
	u16 pos;

	KUNIT_ASSERT_NOT_NULL(test, format);
	for (int i = 0; i < ARRAY_SIZE(format_cases); i++) {
		const struct format_case *c = &format_cases[i];

		KUNIT_EXPECT_EQ_MSG(test,
				    marker_parse_format(c->text, format, &pos),
				    c->err, "%s", c->text);
		KUNIT_EXPECT_EQ_MSG(test, pos, c->pos, "%s", c->text);
		if (c->err)
			continue;

		describe(c, format, buf, sizeof(buf));
		KUNIT_EXPECT_STREQ_MSG(test, buf, c->args, "%s", c->text);
		KUNIT_EXPECT_EQ_MSG(test, format->nr_slots, c->nr_slots, "%s",
				    c->text);
	}
}

/*
 * The maximum number of conversions, one more, and a format that is too long.
 */
static void marker_format_limits(struct kunit *test)
{
	struct marker_format *format =
		kunit_kzalloc(test, sizeof(*format), GFP_KERNEL);
	char *text = kunit_kzalloc(test, MARKER_MAX_FORMAT + 2, GFP_KERNEL);
	u16 pos;

	KUNIT_ASSERT_NOT_NULL(test, format);
	KUNIT_ASSERT_NOT_NULL(test, text);
	for (int i = 0; i < FETCH_MAX_FIELDS; i++)
		strcat(text, "%d");
	KUNIT_EXPECT_EQ(test, marker_parse_format(text, format, &pos),
			MARKER_ERR_OK);
	KUNIT_EXPECT_EQ(test, format->nr_args, FETCH_MAX_FIELDS);

	strcat(text, "%d");
	KUNIT_EXPECT_EQ(test, marker_parse_format(text, format, &pos),
			MARKER_ERR_FORMAT_TOO_MANY);
	KUNIT_EXPECT_EQ(test, pos, 2 * FETCH_MAX_FIELDS);

	memset(text, 'x', MARKER_MAX_FORMAT);
	KUNIT_EXPECT_EQ(test, marker_parse_format(text, format, &pos),
			MARKER_ERR_OK);
	text[MARKER_MAX_FORMAT] = 'x';
	KUNIT_EXPECT_EQ(test, marker_parse_format(text, format, &pos),
			MARKER_ERR_FORMAT_TOO_LONG);
}

struct line_case {
	const char	*text;
	enum marker_err	err;
	u16		pos;
	/* group/event module:names(fields) */
	const char	*parts;
};

static const struct line_case line_cases[] = {
	{ "marker", 0, 0, "/ :marker" },
	{ "  marker ( a , NULL,_, b ) # comment", 0, 0, "/ :marker(a,,,b)" },
	{ "marker()", 0, 0, "/ :marker()" },
	{ "m marker", 0, 0, "/ :marker" },
	{ "m:event marker", 0, 0, "/event :marker" },
	{ "m:my-group/event mod:marker|other", 0, 0,
	  "my-group/event mod:marker|other" },
	{ "m", 0, 0, "/ :m" },
	{ "", MARKER_ERR_NO_NAME, 0 },
	{ "m:event", MARKER_ERR_NO_NAME, 7 },
	{ "m:event marker(", MARKER_ERR_NO_FIELD, 15 },
	{ "m:9/event marker", MARKER_ERR_BAD_GROUP, 2 },
	{ "m:event! marker", MARKER_ERR_BAD_EVENT, 7 },
	{ "mod:", MARKER_ERR_NO_NAME, 4 },
	{ "marker|", MARKER_ERR_NO_NAME, 7 },
	{ "marker(a b)", MARKER_ERR_NO_PAREN, 9 },
	{ "marker(a, a)", MARKER_ERR_DUPLICATE_FIELD, 10 },
	{ "marker(common_pid)", MARKER_ERR_BAD_FIELD, 7 },
	{ "marker(__ip)", MARKER_ERR_BAD_FIELD, 7 },
	{ "marker(a) x", MARKER_ERR_TRAILING, 10 },
	{ "a|b|c|d|e|f|g|h|i", MARKER_ERR_TOO_MANY_NAMES, 16 },
};

static void show_parts(const struct line_case *c, const struct marker_def *def,
		       char *buf, size_t size)
{
	size_t len;

	len = scnprintf(buf, size, "%.*s/%.*s %.*s:", def->base.group.len,
			c->text + def->base.group.start, def->base.event.len,
			c->text + def->base.event.start, def->base.module.len,
			c->text + def->base.module.start);
	for (int i = 0; i < def->nr_names; i++)
		len += scnprintf(buf + len, size - len, "%s%.*s", i ? "|" : "",
				 def->names[i].len,
				 c->text + def->names[i].start);

	if (!def->has_fields)
		return;

	len += scnprintf(buf + len, size - len, "(");
	for (int i = 0; i < def->nr_fields; i++)
		len += scnprintf(buf + len, size - len, "%s%.*s", i ? "," : "",
				 def->fields[i].len,
				 c->text + def->fields[i].start);
	scnprintf(buf + len, size - len, ")");
}

static void marker_definitions(struct kunit *test)
{
	struct marker_def *def = kunit_kzalloc(test, sizeof(*def), GFP_KERNEL);
	char buf[200];
	u16 pos;

	KUNIT_ASSERT_NOT_NULL(test, def);
	for (int i = 0; i < ARRAY_SIZE(line_cases); i++) {
		const struct line_case *c = &line_cases[i];

		KUNIT_EXPECT_EQ_MSG(test,
				    marker_parse_event(c->text, def, &pos),
				    c->err, "%s", c->text);
		KUNIT_EXPECT_EQ_MSG(test, pos, c->pos, "%s", c->text);
		if (c->err)
			continue;

		show_parts(c, def, buf, sizeof(buf));
		KUNIT_EXPECT_STREQ_MSG(test, buf, c->parts, "%s", c->text);
	}
}

/* The data of the probes that were called, in order. */
static char calls[64];
static int evaluated;

static int evaluate(int value)
{
	evaluated++;
	return value;
}

static noinline void hit(int nr)
{
	MARK(test_marker_kunit, "nr %d wide %lld name %s small %hhu",
	     evaluate(nr), -1LL - nr, "name", (unsigned char)nr);
}

/* A second site of the same name. */
static noinline void hit_again(int nr)
{
	MARK(test_marker_kunit, "nr %d wide %lld name %s small %hhu", nr,
	     -1LL - nr, "name", (unsigned char)nr);
}

DEFINE_MARKER_PROBE4(typed_probe, "nr %d wide %lld name %s small %hhu", int, nr,
		     long long, wide, const char *, name, unsigned char, small)
{
	bool right = wide == -1LL - nr && !strcmp(name, "name") &&
		     small == (unsigned char)nr;

	strlcat(calls, right ? data : "!", sizeof(calls));
}

static void any_func(void *data, struct marker_call *call)
{
	bool right = !strcmp(call->marker->name, "test_marker_kunit") &&
		     call->ip;
	int nr = va_arg(call->args, int);

	right = right && va_arg(call->args, long long) == -1LL - nr;
	right = right && !strcmp(va_arg(call->args, const char *), "name");
	strlcat(calls, right ? data : "!", sizeof(calls));
}

static const struct marker_probe any_probe = {
	.func = any_func,
};

DEFINE_MARKER_PROBE1(wrong_probe, "nr %u", unsigned int, nr)
{
	strlcat(calls, "wrong", sizeof(calls));
}

DEFINE_MARKER_PROBE1(waiting_probe, "nr %d", int, nr)
{
}

static const char name[] = "test_marker_kunit";

static void expect_calls(struct kunit *test, const char *wanted)
{
	calls[0] = '\0';
	hit(300);
	KUNIT_EXPECT_STREQ(test, calls, wanted);
}

static void marker_probes(struct kunit *test)
{
	evaluated = 0;
	expect_calls(test, "");
	KUNIT_EXPECT_EQ(test, evaluated, 0);

	KUNIT_ASSERT_EQ(test, marker_probe_register(name, &typed_probe, "a"),
			0);
	expect_calls(test, "a");
	KUNIT_EXPECT_EQ(test, evaluated, 1);
	KUNIT_ASSERT_EQ(test, marker_probe_register(name, &any_probe, "b"), 0);
	KUNIT_ASSERT_EQ(test, marker_probe_register(name, &typed_probe, "c"),
			0);
	/*
	 * Arguments are evaluated once per hit, however many probes are called.
	 */
	expect_calls(test, "abc");
	KUNIT_EXPECT_EQ(test, evaluated, 2);
	calls[0] = '\0';
	hit_again(-5);
	KUNIT_EXPECT_STREQ(test, calls, "abc");

	KUNIT_EXPECT_EQ(test, marker_probe_unregister(name, &typed_probe, "a"),
			0);
	expect_calls(test, "bc");
	KUNIT_EXPECT_EQ(test, marker_probe_unregister(name, &any_probe, "b"),
			0);
	KUNIT_EXPECT_EQ(test, marker_probe_unregister(name, &typed_probe, "c"),
			0);
	expect_calls(test, "");
	KUNIT_EXPECT_EQ(test, evaluated, 3);
}

static void marker_probe_errors(struct kunit *test)
{
	char *long_name = kunit_kzalloc(test, MARKER_MAX_NAME + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, long_name);
	memset(long_name, 'x', MARKER_MAX_NAME);
	KUNIT_EXPECT_EQ(test, marker_probe_register(name, &wrong_probe, NULL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, marker_probe_register("", &any_probe, NULL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test,
			marker_probe_register(long_name, &any_probe, NULL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, marker_probe_unregister(name, &wrong_probe, NULL),
			-ENOENT);
	KUNIT_EXPECT_EQ(test,
			marker_probe_unregister("no_such_marker", &any_probe,
						NULL),
			-ENOENT);

	KUNIT_ASSERT_EQ(test, marker_probe_register(name, &typed_probe, "a"),
			0);
	KUNIT_EXPECT_EQ(test, marker_probe_register(name, &typed_probe, "a"),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, marker_probe_unregister(name, &typed_probe, "b"),
			-ENOENT);
	expect_calls(test, "a");
	KUNIT_EXPECT_EQ(test, marker_probe_unregister(name, &typed_probe, "a"),
			0);

	/* A marker that may be loaded later. */
	KUNIT_EXPECT_EQ(test,
			marker_probe_register("no_such_marker", &waiting_probe,
					      NULL),
			0);
	KUNIT_EXPECT_EQ(test,
			marker_probe_unregister("no_such_marker",
						&waiting_probe, NULL),
			0);
}

static struct kunit_case marker_cases[] = {
	KUNIT_CASE(marker_formats),
	KUNIT_CASE(marker_format_limits),
	KUNIT_CASE(marker_definitions),
	KUNIT_CASE(marker_probes),
	KUNIT_CASE(marker_probe_errors),
	{}
};

static struct kunit_suite marker_suite = {
	.name = "marker",
	.test_cases = marker_cases,
};

kunit_test_suite(marker_suite);

MODULE_DESCRIPTION("KUnit tests of markers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
