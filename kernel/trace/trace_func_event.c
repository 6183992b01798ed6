// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: a C prototype becomes a trace event.
 *
 * A line written to function_events in tracefs names a function and the
 * arguments or return value to record. It is turned into a struct
 * trace_event_call, which makes the event a regular trace event to user space,
 * and a struct trace_probe, see event_fetch.c and func_event_probe.c.
 *
 * The idea, and the first version of the language, are those of the function
 * based events proposed in 2018: https://lwn.net/Articles/747256/
 *
 * event_mutex protects the list of events and their members.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#define pr_fmt(fmt) "function_events: " fmt

#include <linux/glob.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rust_demangle.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/syscalls.h>

#include <asm/sections.h>
#include <asm/setup.h>
#include <asm/syscall.h>

#include <trace/syscall.h>

#include "func_event.h"
#include "trace.h"
#include "trace_dynevent.h"
#include "trace_output.h"

#undef C
#define C(name, errno, text)	text
static const char * const func_event_err_text[] = { FUNC_EVENT_ERRORS };

#undef C
#define C(name, errno, text)	errno
static const u8 func_event_errno[] = { FUNC_EVENT_ERRORS };

static struct dyn_event_operations func_event_ops;
static const struct event_def_file func_events_file;

static struct func_event *to_func_event(struct dyn_event *ev)
{
	return ev->ops == &func_event_ops ?
		container_of(ev, struct func_event, base.devent) : NULL;
}

static int func_event_reg_attach(struct fetch_event *base)
{
	return func_event_attach(container_of(base, struct func_event, base));
}

static void func_event_reg_detach(struct fetch_event *base)
{
	func_event_detach(container_of(base, struct func_event, base));
}

static int func_event_reg(struct trace_event_call *call, enum trace_reg type,
			  void *data)
{
	return fetch_reg(call, type, data, func_event_reg_attach,
			 func_event_reg_detach);
}

struct func_event_lookup {
	const char	*name;
	unsigned long	ip;
	unsigned int	nr_symbols;
	unsigned int	nr_traceable;
};

static int func_event_match_symbol(void *data, unsigned long addr)
{
	struct func_event_lookup *lookup = data;
	unsigned long ip = ftrace_location(addr);

	lookup->nr_symbols++;
	/* Aliases have the same ftrace location and count once. */
	if (ip && ip != lookup->ip) {
		lookup->ip = ip;
		lookup->nr_traceable++;
	}
	return 0;
}

static int func_event_match_module_symbol(void *data, const char *name,
					  unsigned long addr)
{
	struct func_event_lookup *lookup = data;

	return strcmp(lookup->name, name) ? 0 :
		func_event_match_symbol(data, addr);
}

#ifdef CONFIG_MODULES
static struct module *func_event_find_module(const char *name)
{
	guard(preempt)();
	return find_module(name);
}

static struct module *func_event_find_module_at(unsigned long ip)
{
	guard(preempt)();
	return __module_address(ip);
}

/*
 * True if @ip is not in a module that is coming or going, nor in init code of a
 * module: functions there are attached by the module notifier only, as
 * otherwise they might not be detached before their memory is freed.
 */
static bool func_event_is_stable(unsigned long ip)
{
	struct module *mod;

	guard(preempt)();
	mod = __module_address(ip);
	return !mod || (mod->state == MODULE_STATE_LIVE &&
			!within_module_init(ip, mod));
}
#else
static struct module *func_event_find_module(const char *name)
{
	return NULL;
}

static struct module *func_event_find_module_at(unsigned long ip)
{
	return NULL;
}

static bool func_event_is_stable(unsigned long ip)
{
	return true;
}
#endif

static enum func_event_err func_event_find_function(const char *module,
						    const char *name,
						    unsigned long *ip)
{
	struct func_event_lookup lookup = { .name = name };

	if (!module)
		kallsyms_on_each_match_symbol(func_event_match_symbol, name,
					      &lookup);
	module_kallsyms_on_each_symbol(module, func_event_match_module_symbol,
				       &lookup);

	if (!lookup.nr_symbols)
		return FUNC_EVENT_ERR_UNKNOWN_FUNCTION;
	if (!lookup.nr_traceable)
		return FUNC_EVENT_ERR_NOT_TRACEABLE;
	if (lookup.nr_traceable > 1)
		return FUNC_EVENT_ERR_SEVERAL_FUNCTIONS;

	*ip = lookup.ip;
	return FUNC_EVENT_ERR_OK;
}

#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
# if defined(CONFIG_X86_64)
#  define FUNC_EVENT_SYSCALL_WRAPPER	"__x64_sys_"
# elif defined(CONFIG_ARM64)
#  define FUNC_EVENT_SYSCALL_WRAPPER	"__arm64_sys_"
# elif defined(CONFIG_RISCV)
#  define FUNC_EVENT_SYSCALL_WRAPPER	"__riscv_sys_"
# elif defined(CONFIG_S390)
#  define FUNC_EVENT_SYSCALL_WRAPPER	"__s390x_sys_"
# else
#  define FUNC_EVENT_SYSCALL_WRAPPER	"sys_"
# endif
#endif

/*
 * Returns the name of the system call if @name is a name of its function: one
 * used by user space, by older kernels, or by the macros of SYSCALL_DEFINEx().
 * NULL otherwise.
 */
static const char *func_event_syscall_name(const char *name)
{
#ifdef FUNC_EVENT_SYSCALL_WRAPPER
	static const char * const prefixes[] = {
		"SyS_", "sys_", "__se_sys_", "__do_sys_",
		FUNC_EVENT_SYSCALL_WRAPPER,
	};

	for (int i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t len = str_has_prefix(name, prefixes[i]);

		if (len)
			return name + len;
	}
#endif
	return NULL;
}

#ifndef FUNC_EVENT_SYSCALL_WRAPPER
# define FUNC_EVENT_SYSCALL_WRAPPER ""
#endif

/*
 * On powerpc the wrappers have the prefix of other functions as well, so look
 * in the table of system calls.
 */
static bool func_event_is_syscall(unsigned long ip)
{
#ifdef CONFIG_PPC
	for (int i = 0; i < NR_syscalls; i++)
		if (ftrace_location((unsigned long)sys_call_table[i]) == ip)
			return true;
	return false;
#else
	return true;
#endif
}

static enum func_event_err func_event_find_stable(struct func_event *event)
{
	enum func_event_err err;

	err = func_event_find_function(event->module, event->symbol,
				       &event->ip);
	if (err || func_event_is_stable(event->ip))
		return err;
	event->ip = 0;
	return event->module ? FUNC_EVENT_ERR_OK :
			       FUNC_EVENT_ERR_UNKNOWN_FUNCTION;
}

/*
 * Find the function of an event. For a system call this is its wrapper, whose
 * argument is the registers with the arguments.
 */
static enum func_event_err func_event_resolve_function(struct func_event *event)
{
	const char *syscall = NULL;
	enum func_event_err err;

	if (!event->module)
		syscall = func_event_syscall_name(event->function);
	if (syscall) {
		event->symbol = kasprintf(GFP_KERNEL,
					  FUNC_EVENT_SYSCALL_WRAPPER "%s",
					  syscall);
		if (!event->symbol)
			return FUNC_EVENT_ERR_NO_MEMORY;

		err = func_event_find_function(NULL, event->symbol,
					       &event->ip);
		if (!err && func_event_is_syscall(event->ip)) {
			event->syscall = true;
			return FUNC_EVENT_ERR_OK;
		}
		kfree(event->symbol);
	}

	event->symbol = kstrdup(event->function, GFP_KERNEL);
	if (!event->symbol)
		return FUNC_EVENT_ERR_NO_MEMORY;

	if (event->module && !func_event_find_module(event->module))
		return FUNC_EVENT_ERR_OK;
	err = func_event_find_stable(event);

	/* Older kernels used SyS_x on all architectures. */
	if (err == FUNC_EVENT_ERR_UNKNOWN_FUNCTION &&
	    strstarts(event->function, "SyS_")) {
		memcpy(event->symbol, "sys_", 4);
		err = func_event_find_stable(event);
	}
	return err;
}

/* Parse context: the event that is created, and its fields. */
struct func_event_ctx {
	struct event_def_ctx	*base;
	struct func_event_def	def;
	struct func_event	*event;
	struct func_event_btf	*btf;
	unsigned int		nr_fields;
	/* Those of the definition, and all arguments of a function. */
	struct fetch_field	fields[FETCH_MAX_FIELDS + FUNC_EVENT_MAX_ARGS];
};

/* The final errno is set when the error is logged; -ENOMEM is not logged. */
static int func_event_fail(struct func_event_ctx *ctx, enum func_event_err err,
			   u16 pos)
{
	return err == FUNC_EVENT_ERR_NO_MEMORY ? -ENOMEM :
						 event_def_fail(ctx->base, err, pos);
}

static void func_event_put_ctx(struct func_event_ctx *ctx)
{
	for (int i = 0; i < ARRAY_SIZE(ctx->fields); i++)
		kfree(ctx->fields[i].name);
	func_event_btf_put(ctx->btf);
}

static enum func_event_err func_event_need_btf(struct func_event_ctx *ctx)
{
	const char *name = ctx->event->symbol;
	struct module *mod = NULL;
	enum func_event_err err;
	char *inner;

	if (!IS_ENABLED(CONFIG_FUNCTION_EVENTS_BTF))
		return FUNC_EVENT_ERR_NO_BTF;
	if (ctx->btf)
		return FUNC_EVENT_ERR_OK;

	if (ctx->event->syscall) {
		/*
		 * The prototype of the wrapper has only the registers; use that
		 * of __do_sys_*().
		 */
		inner = kasprintf(GFP_KERNEL, "__do_sys_%s",
				  name + strlen(FUNC_EVENT_SYSCALL_WRAPPER));
		if (!inner)
			return FUNC_EVENT_ERR_NO_MEMORY;

		err = func_event_btf_get(NULL, inner, &ctx->btf);
		kfree(inner);
		return err;
	}

	/*
	 * The kernel and a module may have functions of the same name; use the
	 * BTF of the right one.
	 */
	if (ctx->event->ip) {
		mod = func_event_find_module_at(ctx->event->ip);
	} else if (ctx->event->module) {
		mod = func_event_find_module(ctx->event->module);
		if (!mod)
			return FUNC_EVENT_ERR_NO_BTF_FUNCTION;
	}
	return func_event_btf_get(mod, name, &ctx->btf);
}

/*
 * True if @address is in init memory of the kernel; kallsyms keeps its symbols.
 */
static bool func_event_is_init_mem(unsigned long address)
{
	return init_section_contains((void *)address, 1);
}

/* Find the address of a symbol, first in the module of the event. */
static enum func_event_err func_event_find_symbol(struct func_event *event,
						  const char *name,
						  unsigned long *address)
{
	char *own;

	*address = 0;
	if (event->module) {
		own = kasprintf(GFP_KERNEL, "%s:%s", event->module, name);
		if (!own)
			return FUNC_EVENT_ERR_NO_MEMORY;
		*address = kallsyms_lookup_name(own);
		kfree(own);
	}
	if (!*address)
		*address = kallsyms_lookup_name(name);

	/*
	 * Init memory has been freed. func_event_free_init_mem() handles
	 * symbols that were found before.
	 */
	if (system_state >= SYSTEM_FREEING_INITMEM &&
	    func_event_is_init_mem(*address))
		*address = 0;

	return *address ? FUNC_EVENT_ERR_OK : FUNC_EVENT_ERR_UNKNOWN_SYMBOL;
}

static enum func_event_err
func_event_resolve_symbol(struct func_event_ctx *ctx,
			  const struct func_event_field_def *def,
			  struct fetch_field *field)
{
	char *symbol = event_def_span_dup(ctx->base, def->from);
	enum func_event_err err;

	if (!symbol)
		return FUNC_EVENT_ERR_NO_MEMORY;
	field->absolute = true;
	err = func_event_find_symbol(ctx->event, symbol, &field->address);
	kfree(symbol);
	return err;
}

/*
 * Set the dereferences of a field. A number or address is the source itself
 * unless it has an index. A string is at the address in the source or, with an
 * index, at the address of the indexed pointer.
 */
static enum func_event_err
func_event_set_access(const struct func_event_field_def *def,
		      struct fetch_field *field)
{
	bool string = fetch_is_string(field->type);
	u32 element = string ? sizeof(char *) : field->type->size;
	s64 at = def->offset + (s64)def->index * element;

	if (!def->has_index && !field->count && !string && !field->absolute &&
	    !def->late)
		return FUNC_EVENT_ERR_OK;
	if (at != (s32)at)
		return FUNC_EVENT_ERR_BAD_NUMBER;

	field->read = true;
	field->derefs[field->nr_derefs++] = at;
	if (string && def->has_index)
		field->derefs[field->nr_derefs++] = 0;
	return FUNC_EVENT_ERR_OK;
}

static int func_event_set_field_name(struct func_event_ctx *ctx,
				     const struct func_event_field_def *def,
				     struct fetch_field *field)
{
	bool after_word = true;
	const char *from;
	char *to;

	if (def->name.len)
		field->name = event_def_span_dup(ctx->base, def->name);
	else if (def->source == FUNC_EVENT_MEMBER)
		field->name = event_def_span_dup(ctx->base, def->from);
	else if (def->source == FUNC_EVENT_RETURN)
		field->name = kstrdup("ret", GFP_KERNEL);
	else
		field->name = kasprintf(GFP_KERNEL, "arg%d", def->arg + 1);
	if (!field->name)
		return -ENOMEM;

	/* skb->dev->name becomes skb_dev_name. */
	for (from = to = field->name; *from; from++) {
		bool word = text_is_word(*from);

		if (word || after_word)
			*to++ = word ? *from : '_';
		after_word = word;
	}
	*to = '\0';
	return 0;
}

/* The parser has checked only names that are in the definition. */
static int func_event_check_names(struct func_event_ctx *ctx)
{
	struct fetch_field *fields = ctx->fields;

	for (int i = 0; i < ctx->nr_fields; i++) {
		if (ctx->event->at_return && !strcmp(fields[i].name, "duration"))
			return func_event_fail(ctx, FUNC_EVENT_ERR_BAD_NAME,
					       fields[i].at);

		for (int j = 0; j < i; j++)
			if (!strcmp(fields[i].name, fields[j].name))
				return func_event_fail(ctx,
						       FUNC_EVENT_ERR_DUPLICATE_NAME,
						       fields[i].at);
	}
	return 0;
}

#ifdef CONFIG_FTRACE_SYSCALLS

/*
 * The metadata of the system call that the event is of, or NULL. The array of
 * them is in init memory, so take it from the event at its entry.
 */
static const struct syscall_metadata *
func_event_metadata(const struct func_event *event)
{
	const struct syscall_metadata *meta;
	struct trace_event_call *call;
	const char *name;

	lockdep_assert_held(&event_mutex);

	if (event->syscall)
		name = event->symbol + strlen(FUNC_EVENT_SYSCALL_WRAPPER);
	else if (!event->module && strstarts(event->symbol, "sys_"))
		name = event->symbol + strlen("sys_");
	else
		return NULL;

	list_for_each_entry(call, &ftrace_events, list) {
		if (call->class != &event_class_syscall_enter)
			continue;
		meta = call->data;
		if (!strcmp(meta->name + strlen("sys_"), name))
			return meta;
	}
	return NULL;
}

/*
 * Depending on the compiler, __user is an attribute: leave these out, and the space on
 * either side of them.
 */
static void func_event_strip_attributes(char *text)
{
	static const char word[] = "__attribute__";
	char *at = text, *end;
	int depth;

	while ((at = strstr(at, word))) {
		depth = 0;
		for (end = at + strlen(word); *end; end++) {
			depth += (*end == '(') - (*end == ')');
			if (*end == ')' && !depth) {
				end++;
				break;
			}
		}

		end = skip_spaces(end);
		while (at > text && at[-1] == ' ')
			at--;
		*at++ = ' ';
		memmove(at, end, strlen(end) + 1);
	}
}

/*
 * A buffer whose length is in another argument is not a string. A type that
 * func_event_parse_c_type() does not know is a handle or a pointer.
 */
static const struct fetch_type *
func_event_metadata_type(const struct syscall_metadata *meta, int arg)
{
	char *text __free(kfree) = kstrdup(meta->types[arg], GFP_KERNEL);
	const struct fetch_type *type;

	if (!text)
		return NULL;
	func_event_strip_attributes(text);
	type = func_event_parse_c_type(text);
	if (type && fetch_is_string(type) && (meta->user_mask & BIT(arg)) &&
	    meta->user_arg_size >= 0 && !meta->user_arg_is_str)
		return &fetch_pointer_type;
	return type ?: fetch_integer(sizeof(long), FETCH_HEX);
}

/* All arguments of a system call. */
static int func_event_make_metadata_args(struct func_event_ctx *ctx,
					 const struct syscall_metadata *meta)
{
	struct fetch_field *field = ctx->fields;

	for (int i = 0; i < meta->nb_args; i++, field++) {
		if (i >= func_event_nr_args(ctx->event->syscall))
			return func_event_fail(ctx,
					       FUNC_EVENT_ERR_TOO_MANY_ARGS,
					       ctx->def.base.name.start);

		field->at = ctx->def.base.name.start;
		field->arg = i;
		field->type = func_event_metadata_type(meta, i);
		field->name = text_is_reserved(meta->args[i]) ?
			kasprintf(GFP_KERNEL, "arg%d", i + 1) :
			kstrdup(meta->args[i], GFP_KERNEL);

		ctx->nr_fields++;
		if (!field->type || !field->name)
			return -ENOMEM;

		if (fetch_is_string(field->type)) {
			field->read = true;
			field->nr_derefs = 1;
		}
	}
	return 0;
}

/*
 * True if a string is memory that a system call may fill: the source of the call
 * does not say that what the argument points to is constant. At the return, the
 * text is what is there then.
 */
static bool func_event_is_filled(const struct func_event *event,
				 const struct fetch_field *field)
{
	const struct syscall_metadata *meta;

	if (!event->at_return || field->arg < 0 || field->late ||
	    !fetch_is_string(field->type) || field->nr_derefs != 1 ||
	    field->derefs[0])
		return false;
	meta = func_event_metadata(event);
	return meta && field->arg < meta->nb_args &&
	       strchr(meta->types[field->arg], '*') &&
	       !strstr(meta->types[field->arg], "const");
}

/* Write the prototype of a system call. Returns 1, 0 if it is none, or -ENOMEM. */
static int func_event_show_syscall(const struct func_event *event, struct seq_file *m)
{
	const struct syscall_metadata *meta = func_event_metadata(event);

	if (!meta)
		return 0;
	seq_printf(m, "long %s(", event->function);
	for (int i = 0; i < meta->nb_args; i++) {
		char *type __free(kfree) = kstrdup(meta->types[i], GFP_KERNEL);

		if (!type)
			return -ENOMEM;
		func_event_strip_attributes(type);
		seq_printf(m, "%s%s%s%s", i ? ", " : "", strim(type),
			   strends(type, "*") ? "" : " ", meta->args[i]);
	}
	seq_puts(m, meta->nb_args ? ")\n" : "void)\n");
	return 1;
}

#else

struct syscall_metadata;

static int func_event_show_syscall(const struct func_event *event, struct seq_file *m)
{
	return 0;
}

static bool func_event_is_filled(const struct func_event *event,
				 const struct fetch_field *field)
{
	return false;
}

static const struct syscall_metadata *
func_event_metadata(const struct func_event *event)
{
	return NULL;
}

static int func_event_make_metadata_args(struct func_event_ctx *ctx,
					 const struct syscall_metadata *meta)
{
	return 0;
}

#endif

static int func_event_make_field(struct func_event_ctx *ctx,
				 const struct func_event_field_def *def,
				 struct fetch_field *field)
{
	enum func_event_err err = FUNC_EVENT_ERR_OK;
	u16 pos = def->from.len ? def->from.start : def->at;
	char *path;
	u16 in_path;
	int ret;

	field->at = def->at;
	field->late = def->late;
	field->type = def->type;
	field->count = def->count;
	field->arg = def->source == FUNC_EVENT_ARGUMENT ? def->arg : -1;
	field->absolute = def->source == FUNC_EVENT_ADDRESS;
	field->address = def->address;
	ret = func_event_set_field_name(ctx, def, field);
	if (ret)
		return ret;

	switch (def->source) {
	case FUNC_EVENT_MEMBER:
		err = func_event_need_btf(ctx);
		if (err)
			break;
		path = event_def_span_dup(ctx->base, def->from);
		if (!path)
			return -ENOMEM;
		err = func_event_btf_path(ctx->btf, path, field, &in_path);
		pos += in_path;
		kfree(path);
		if (!err && def->late && !field->read)
			err = FUNC_EVENT_ERR_ARG_AT_RETURN;
		break;
	case FUNC_EVENT_SYMBOL_ADDRESS:
		err = func_event_resolve_symbol(ctx, def, field);
		break;
	case FUNC_EVENT_RETURN:
		if (!field->type && func_event_metadata(ctx->event))
			/* All system calls return a long. */
			field->type = fetch_find_type("long", strlen("long"));
		else if (!field->type)
			err = func_event_need_btf(ctx) ?:
				func_event_btf_return(ctx->btf, field);
		/* BTF says that the function returns void. */
		if (!err && !field->type)
			err = FUNC_EVENT_ERR_NOT_A_VALUE;
		break;
	default:
		break;
	}

	if (err)
		return func_event_fail(ctx, err, pos);
	if (field->arg >= func_event_nr_args(ctx->event->syscall))
		return func_event_fail(ctx, FUNC_EVENT_ERR_TOO_MANY_ARGS,
				       def->at);

	if (def->source != FUNC_EVENT_MEMBER) {
		err = func_event_set_access(def, field);
		if (err)
			return func_event_fail(ctx, err, def->at);
		field->filled = func_event_is_filled(ctx->event, field);
	}

	return 0;
}

/* Without a parameter list, add all arguments of the BTF prototype. */
static int func_event_make_btf_args(struct func_event_ctx *ctx)
{
	u16 pos = ctx->def.base.name.start;
	enum func_event_err err = func_event_need_btf(ctx);
	struct fetch_field *field;

	for (int i = 0; !err && i < func_event_btf_nr_args(ctx->btf); i++) {
		if (i >= FUNC_EVENT_MAX_ARGS) {
			err = FUNC_EVENT_ERR_TOO_MANY_ARGS;
			break;
		}

		field = &ctx->fields[ctx->nr_fields++];
		field->at = pos;
		err = func_event_btf_arg(ctx->btf, i, field);
		if (!err && field->arg >= func_event_nr_args(ctx->event->syscall))
			err = FUNC_EVENT_ERR_TOO_MANY_ARGS;

		if (!err && !field->name) {
			field->name = kasprintf(GFP_KERNEL, "arg%d", i + 1);
			err = field->name ? FUNC_EVENT_ERR_OK :
					    FUNC_EVENT_ERR_NO_MEMORY;
		}
		if (!err && fetch_is_string(field->type)) {
			field->read = true;
			field->nr_derefs = 1;
		}
	}
	return err ? func_event_fail(ctx, err, pos) : 0;
}

static int func_event_make_fields(struct func_event_ctx *ctx)
{
	struct func_event *event = ctx->event;
	const struct syscall_metadata *meta;
	int ret, i;

	if (ctx->def.nr_args > func_event_nr_args(event->syscall))
		return func_event_fail(ctx, FUNC_EVENT_ERR_TOO_MANY_ARGS,
				       ctx->def.arg_at[func_event_nr_args(event->syscall)]);
	if (ctx->def.at_return && !IS_ENABLED(CONFIG_FUNCTION_EVENTS_RETURN))
		return func_event_fail(ctx, FUNC_EVENT_ERR_NO_RETURN,
				       ctx->def.base.name.start);

	if (!ctx->def.has_args) {
		meta = func_event_metadata(event);
		ret = meta ? func_event_make_metadata_args(ctx, meta) :
			     func_event_make_btf_args(ctx);
		if (ret)
			return ret;
	}

	event->nr_entry = ctx->nr_fields + ctx->def.nr_entry;
	for (i = 0; i < ctx->def.nr_fields; i++) {
		ret = func_event_make_field(ctx, &ctx->def.fields[i],
					    &ctx->fields[ctx->nr_fields++]);
		if (ret)
			return ret;
	}

	/* The parser has counted only those that are in the definition. */
	if (ctx->nr_fields > FETCH_MAX_FIELDS)
		return func_event_fail(ctx, FUNC_EVENT_ERR_TOO_MANY_FIELDS,
				       ctx->fields[FETCH_MAX_FIELDS].at);
	return func_event_check_names(ctx);
}

/*
 * An argument on the stack is memory that the stack pointer leads to: add the
 * dereference.
 */
static enum func_event_err func_event_read_stack(struct func_event *event,
						 struct fetch_field *field)
{
	int at = func_event_stack_offset(event->syscall, field->arg);

	if (at < 0)
		return FUNC_EVENT_ERR_OK;
	if (field->nr_derefs == FETCH_MAX_DEREFS)
		return FUNC_EVENT_ERR_TOO_DEEP;

	/* As in fetch_insert_copy(): a value may be smaller than its place. */
	if (!field->read && IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) &&
	    field->type->size < sizeof(long))
		at += sizeof(long) - field->type->size;

	memmove(&field->derefs[1], &field->derefs[0],
		field->nr_derefs * sizeof(field->derefs[0]));
	field->derefs[0] = at;
	field->nr_derefs++;
	field->read = true;
	return FUNC_EVENT_ERR_OK;
}

/* The field that is the time between entry and return. */
static int func_event_add_duration(struct func_event *event)
{
	struct fetch_field field = {
		.name = kstrdup("duration", GFP_KERNEL),
		.type = fetch_integer(sizeof(u64), FETCH_UNSIGNED),
	};
	int ret = field.name ? fetch_add_arg(&event->base, &field) : -ENOMEM;

	kfree(field.name);
	if (!ret)
		event->duration_offset = event->base.tp.size - sizeof(u64);
	return ret;
}

/* Place the bits, the fields and the duration. */
static int func_event_place_fields(struct func_event_ctx *ctx)
{
	struct func_event *event = ctx->event;
	int ret = fetch_begin_layout(&event->base, ctx->fields, ctx->nr_fields);

	for (int i = 0; !ret && i < ctx->nr_fields + event->at_return; i++) {
		int nr = i - (event->at_return && i > event->nr_entry);

		if (event->at_return && i == event->nr_entry) {
			ret = func_event_add_duration(event);
			if (ret == -E2BIG)
				return func_event_fail(ctx, FUNC_EVENT_ERR_ENTRY_TOO_LARGE,
						       ctx->def.base.name.start);
			continue;
		}
		ret = fetch_add_arg(&event->base, &ctx->fields[nr]);
		if (ret == -E2BIG)
			return func_event_fail(ctx, FUNC_EVENT_ERR_TOO_LARGE,
					       ctx->fields[nr].at);
	}
	return ret;
}

/*
 * Keep the arguments that are read at the return, each in one word. They have to be in
 * registers: where the stack was is not known any more.
 */
static int func_event_keep_words(struct func_event_ctx *ctx)
{
	struct func_event *event = ctx->event;
	struct trace_probe *entry = event->entry;
	unsigned int nr = 0;

	if (event->head_size == sizeof(struct func_event_frame))
		return 0;
	entry->entry_regs = kcalloc(FUNC_EVENT_MAX_ARGS, sizeof(*entry->entry_regs),
				    GFP_KERNEL);
	if (!entry->entry_regs)
		return -ENOMEM;

	for (int i = event->nr_entry; i < ctx->nr_fields; i++) {
		struct fetch_field *field = &ctx->fields[i];
		u16 from = func_event_arg_offset(event->syscall, max(field->arg, 0));
		unsigned int word = 0;

		if (!field->late)
			continue;
		while (word < nr && entry->entry_regs[word].from != from)
			word++;
		if (word == nr)
			fetch_insert_copy(entry->nr_entry_regs, entry->entry_regs,
					  sizeof(long), from, nr++ * sizeof(long));
		field->from = word * sizeof(long);
	}
	return 0;
}

/* How many words func_event_keep_words() is going to keep. */
static unsigned int func_event_nr_words(const struct func_event_ctx *ctx)
{
	unsigned long args = 0;

	for (int i = 0; i < ctx->nr_fields; i++)
		if (ctx->fields[i].late)
			args |= BIT(ctx->fields[i].arg);
	return hweight_long(args);
}

/* Compile what is fetched at the entry, and at the return. */
static int func_event_compile(struct func_event_ctx *ctx)
{
	struct func_event *event = ctx->event;
	int ret = 0;

	event->entry = fetch_new_part(&event->base, event->nr_entry);
	event->ret = fetch_new_part(&event->base, ctx->nr_fields - event->nr_entry);
	if (!event->entry || !event->ret)
		return -ENOMEM;
	/* What the entry has kept is cleared already. */
	event->ret->nr_gaps = 0;
	event->ret->nr_clear = 0;
	ret = func_event_keep_words(ctx);

	for (int i = 0; !ret && i < ctx->nr_fields; i++) {
		struct fetch_field *field = &ctx->fields[i];
		bool entry = i < event->nr_entry;

		if (!field->late)
			field->from = field->arg < 0 ? func_event_return_offset() :
				func_event_arg_offset(event->syscall, field->arg) +
				field->skip;
		ret = fetch_compile(entry ? event->entry : event->ret, field,
				    &event->base.tp.args[i + !entry],
				    event->syscall && entry && FUNC_EVENT_USER_ARGS);
	}
	return ret;
}

/*
 * Lay out the payload: the words of bits, the fields, then the strings; and
 * compile what is fetched.
 */
static int func_event_make_layout(struct func_event_ctx *ctx)
{
	unsigned int nr_strings = 0, room = FETCH_MAX_PAYLOAD, used, ret_room, words;
	struct func_event *event = ctx->event;
	enum func_event_err err;
	int ret;

	for (int i = 0; i < ctx->nr_fields; i++) {
		struct fetch_field *field = &ctx->fields[i];

		if (field->late)
			err = func_event_stack_offset(event->syscall, field->arg) < 0 ?
				FUNC_EVENT_ERR_OK : FUNC_EVENT_ERR_ARG_AT_RETURN;
		else
			err = field->arg < 0 ? FUNC_EVENT_ERR_OK :
					       func_event_read_stack(event, field);
		if (err)
			return func_event_fail(ctx, err, field->at);

		if (!fetch_is_string(field->type))
			continue;
		nr_strings++;
		/*
		 * For strings that the system call fills, only the address is kept
		 * until the return.
		 */
		if (field->filled)
			event->filled_size += sizeof(long);
		else if (i < event->nr_entry)
			event->nr_entry_strings++;
	}

	ret = func_event_place_fields(ctx);
	if (ret)
		return ret;
	used = event->base.tp.size + event->filled_size;
	event->kept_size = used;
	words = func_event_nr_words(ctx) * sizeof(long);
	event->head_size = sizeof(struct func_event_frame) + words;
	/* For the byte that tells whether a string was cut, see __get_data_size(). */
	if (event->at_return)
		room = FUNC_EVENT_MAX_KEPT - !!event->nr_entry_strings - words;
	if (used + event->nr_entry_strings * FETCH_MIN_STRING > room)
		return func_event_fail(ctx, event->at_return ?
				       FUNC_EVENT_ERR_ENTRY_TOO_LARGE :
				       FUNC_EVENT_ERR_TOO_LARGE,
				       ctx->def.base.name.start);

	/*
	 * Strings that are read at the return are appended to those of the
	 * entry, and so are those that are read again, which may be longer than
	 * at the entry.
	 */
	ret_room = FETCH_MAX_PAYLOAD - (event->nr_entry_strings ? room : used);

	ret = func_event_compile(ctx);
	if (ret)
		return ret;
	/* The place of the address of a string is in @used. */
	fetch_finish_part(event->entry, event->nr_entry_strings ?: !!event->filled_size,
			  max(room - used, FETCH_MIN_STRING));
	fetch_finish_part(event->ret, nr_strings, ret_room);
	return 0;
}

static bool func_event_is_char_array(const struct probe_arg *arg)
{
	return arg->count && arg->type->format == FETCH_CHAR;
}

/* Returns the conversion of a field in print_fmt; strings are quoted. */
static const char *func_event_conversion(const struct probe_arg *arg)
{
	if (func_event_is_char_array(arg))
		return "\\\"%s\\\"";
	return arg->count ? "%s" : fetch_conversion(arg->type);
}

/*
 * The next of the arguments that are in parentheses or behind the arrow, from @i on:
 * the duration is behind both. NULL if there is none.
 */
static const struct probe_arg *func_event_next_arg(const struct func_event *event, int *i)
{
	*i += event->at_return && *i == event->nr_entry;
	return *i < event->base.tp.nr_args ? &event->base.tp.args[(*i)++] : NULL;
}

/* What is printed before the argument at @i. */
static const char *func_event_separator(const struct func_event *event, int i)
{
	if (event->at_return && i == event->nr_entry)
		return ") -> ";
	return i ? ", " : "";
}

/*
 * True if there are fields behind the arrow. event->ret must not be used here:
 * records are printed without event_mutex, which protects that pointer.
 */
static bool func_event_has_returned(const struct func_event *event)
{
	return event->base.tp.nr_args > event->nr_entry + event->at_return;
}

/*
 * Write the print_fmt that corresponds to func_event_print(). Uses only what
 * the parser of libtraceevent understands.
 */
static void func_event_write_print_fmt(struct fetch_event *base,
				       struct seq_buf *s)
{
	struct func_event *event = container_of(base, struct func_event, base);
	const struct probe_arg *arg;

	seq_buf_printf(s, "\"%%ps->%s(", event->function);
	for (int i = 0, from = 0; (arg = func_event_next_arg(event, &i)); from = i)
		seq_buf_printf(s, "%s%s=%s%s", func_event_separator(event, from),
			       arg->name, func_event_conversion(arg),
			       fetch_has_suffix(arg) ? "%s" : "");

	if (!func_event_has_returned(event))
		seq_buf_puts(s, event->at_return ? ") ->" : ")");
	seq_buf_printf(s, "%s\", (void *)REC->__parent_ip",
		       event->at_return ? " (%lu ns)" : "");

	for (int i = 0; (arg = func_event_next_arg(event, &i));)
		fetch_print_fmt_arg(s, arg, func_event_is_char_array(arg));
	if (event->at_return)
		seq_buf_puts(s, ", REC->duration");
}

/* Hexadecimal, as libtraceevent prints __print_array(). */
static void func_event_print_array(struct trace_seq *s,
				   const struct probe_arg *arg,
				   const void *at)
{
	unsigned int size = arg->type->size;

	for (int i = 0; i < arg->count; i++)
		trace_seq_printf(s, "%s0x%llx", i ? "," : "{",
				 fetch_get_value(at + i * size, size));
	trace_seq_putc(s, '}');
}

static void func_event_print_arg(struct trace_seq *s,
				 const struct fetch_event *base,
				 const struct fetch_record *rec,
				 const struct probe_arg *arg)
{
	const void *at = rec->payload + arg->offset;
	bool whole = true;

	trace_seq_printf(s, "%s=", arg->name);
	if (func_event_is_char_array(arg))
		trace_seq_quote(s, at, arg->count);
	else if (arg->count)
		func_event_print_array(s, arg, at);
	else
		whole = fetch_print(s, arg->type, at, rec);

	if (whole)
		trace_seq_puts(s, fetch_suffix(base, arg, rec));
}

static void func_event_print_rust_names(struct trace_seq *s,
					struct func_event *event,
					unsigned long parent_ip)
{
	trace_seq_printf(s, "%s: ", trace_probe_name(&event->base.tp));
	if (!trace_seq_print_rust_func(s, TRACE_ITER(RUST_NAMES), "", parent_ip,
				       "->"))
		trace_seq_printf(s, "%ps->", (void *)parent_ip);
	if (s->full || !rust_demangle(&s->seq, event->function))
		trace_seq_puts(s, event->function);
	trace_seq_putc(s, '(');
}

static enum print_line_t func_event_print(struct trace_iterator *iter,
					  int flags,
					  struct trace_event *trace_event)
{
	struct fetch_event *base =
		fetch_event_of_call(container_of(trace_event, struct trace_event_call,
						 event));
	struct func_event *event = container_of(base, struct func_event, base);
	const struct fetch_record *rec = (const struct fetch_record *)iter->ent;
	struct trace_seq *s = &iter->seq;
	const struct probe_arg *arg;

	if (flags & TRACE_ITER(RUST_NAMES))
		func_event_print_rust_names(s, event, rec->ip);
	else
		trace_seq_printf(s, "%s: %ps->%s(", trace_probe_name(&base->tp),
				 (void *)rec->ip, event->function);
	for (int i = 0, from = 0; (arg = func_event_next_arg(event, &i)); from = i) {
		trace_seq_puts(s, func_event_separator(event, from));
		func_event_print_arg(s, base, rec, arg);
	}

	if (!func_event_has_returned(event))
		trace_seq_puts(s, event->at_return ? ") ->" : ")");
	if (event->at_return)
		trace_seq_printf(s, " (%llu ns)",
				 *(const u64 *)(rec->payload + event->duration_offset));
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static struct trace_event_functions func_event_print_funcs = {
	.trace = func_event_print,
};

static int func_event_define_fields(struct trace_event_call *call)
{
	return fetch_define_fields(call, "__parent_ip");
}

static struct trace_event_fields func_event_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = func_event_define_fields },
	{}
};

static void func_event_destroy(struct func_event *event)
{
	if (!event)
		return;
	fetch_free_part(event->entry);
	fetch_free_part(event->ret);
	kfree(event->function);
	kfree(event->symbol);
	kfree(event->module);
	fetch_free_event(&event->base);
	kfree(event);
}

/* With room for the arguments of all fields, and the duration. */
static struct func_event *func_event_alloc(const struct func_event_def *def)
{
	struct func_event *event;

	return kzalloc_flex(*event, base.tp.args, def->nr_fields + 1 +
			    (def->has_args ? 0 : FUNC_EVENT_MAX_ARGS));
}

static int func_event_set_name(struct func_event_ctx *ctx)
{
	const struct event_def *def = &ctx->def.base;
	struct func_event *event = ctx->event;

	event->function = event_def_span_dup(ctx->base, def->name);
	event->module = event_def_span_dup(ctx->base, def->module);
	if (!event->function || (def->module.len && !event->module))
		return -ENOMEM;
	return event_def_set_names(&func_events_file, ctx->base, def, &event->base);
}

struct func_event_copy {
	const char	*function;
	size_t		len;
	char		*name;
};

static int func_event_match_copy(void *data, const char *name,
				 unsigned long addr)
{
	struct func_event_copy *copy = data;

	if (strncmp(name, copy->function, copy->len) ||
	    name[copy->len] != '.' || !ftrace_location(addr))
		return 0;
	copy->name = kstrdup(name, GFP_KERNEL);
	return 1;
}

/*
 * The compiler may have replaced a function by a copy under another name, as
 * mm_init() by mm_init.isra.0().
 */
static enum func_event_err func_event_find_copy(struct func_event_ctx *ctx)
{
	struct func_event_copy copy = {
		.function = ctx->event->function,
		.len = strlen(ctx->event->function),
	};

	if (!ctx->event->module)
		kallsyms_on_each_symbol(func_event_match_copy, &copy);
	if (!copy.name)
		return FUNC_EVENT_ERR_UNKNOWN_FUNCTION;

	ctx->base->where = kasprintf(GFP_KERNEL, "function_events: %s", copy.name);
	kfree(copy.name);
	return FUNC_EVENT_ERR_ONLY_COPY;
}

static int func_event_make(struct func_event_ctx *ctx)
{
	struct trace_event_call *call;
	struct func_event *event;
	enum func_event_err err;
	int ret;

	lockdep_assert_held(&event_mutex);

	/* Events read kernel memory, as probe events do. */
	ret = security_locked_down(LOCKDOWN_KPROBES);
	if (ret)
		return ret;

	event = func_event_alloc(&ctx->def);
	if (!event)
		return -ENOMEM;
	ctx->event = event;
	ret = func_event_set_name(ctx);
	if (ret)
		goto error;

	err = func_event_resolve_function(event);
	if (err == FUNC_EVENT_ERR_UNKNOWN_FUNCTION)
		err = func_event_find_copy(ctx);
	if (err) {
		ret = func_event_fail(ctx, err, ctx->def.base.name.start);
		goto error;
	}

	event->at_return = ctx->def.at_return;
	ret = func_event_make_fields(ctx) ?: func_event_make_layout(ctx) ?:
		fetch_print_fmt(&event->base, func_event_write_print_fmt);
	if (ret)
		goto error;

	func_event_set_handlers(event);
	call = trace_probe_event_call(&event->base.tp);
	call->flags = TRACE_EVENT_FL_FPROBE;
	call->event.funcs = &func_event_print_funcs;
	call->class->fields_array = func_event_fields;
	call->class->reg = func_event_reg;
	ret = fetch_register_event(&event->base, &func_event_ops);
	if (!ret) {
		ctx->base->event = &event->base;
		return 0;
	}

error:
	func_event_destroy(event);
	return ret;
}

static int func_event_match_pattern(void *data, const char *name,
				    unsigned long addr)
{
	struct event_def_matches *pattern = data;

	if (!glob_match(pattern->text, name) || !ftrace_location(addr))
		return 0;
	/* Copies that the compiler has made may have fewer arguments. */
	if (strchr(name, '.') && !strchr(pattern->text, '.'))
		return 0;
	return event_def_add_match(pattern, name);
}

static int func_event_match(struct event_def_matches *pattern, const char *module)
{
	int ret = 0;

	if (!module)
		ret = kallsyms_on_each_symbol(func_event_match_pattern, pattern);
	if (!ret && IS_ENABLED(CONFIG_MODULES))
		ret = module_kallsyms_on_each_symbol(module, func_event_match_pattern,
						     pattern);
	return ret;
}

static int func_event_make_line(struct event_def_ctx *base)
{
	struct func_event_ctx *ctx __free(kfree) = kzalloc_obj(*ctx);
	int ret;

	if (!ctx)
		return -ENOMEM;

	ctx->base = base;
	base->err = func_event_parse(base->text, &ctx->def, &base->pos);
	if (base->err)
		return -EINVAL;
	if (ctx->def.base.is_pattern)
		return event_def_make_pattern(&func_events_file, base, &ctx->def.base);
	ret = func_event_make(ctx);
	func_event_put_ctx(ctx);
	return ret;
}

/*
 * create() of dynamic_events, where the first letter identifies the kind of
 * event.
 */
static int func_event_create(const char *text)
{
	if (!text_has_prefix(text, FUNC_EVENT_PREFIX))
		return -ECANCELED;
	return event_def_create(&func_events_file, text, false);
}

static int func_event_free(struct dyn_event *ev)
{
	struct func_event *event = to_func_event(ev);
	int ret;

	if (fetch_is_busy(ev))
		return -EBUSY;

	func_event_detach(event);
	ret = fetch_remove_event(&event->base);
	if (ret)
		return ret;
	func_event_destroy(event);
	return 0;
}

static void func_event_show_line(struct seq_file *m, struct func_event *event,
				 bool names)
{
	unsigned long missed = func_event_nr_missed(event);

	event_def_show(m, &func_events_file, &event->base, names);
	/*
	 * Everything after # is a comment, so that the line may be written
	 * back.
	 */
	if (event->mismatch)
		seq_printf(m, "\t# does not fit module %s", event->module);
	else if (!event->ip && event->module)
		seq_printf(m, "\t# waits for module %s", event->module);
	else if (!event->ip)
		seq_puts(m, "\t# its function is gone");

	if (missed)
		seq_printf(m, "\t# missed %lu", missed);
	seq_putc(m, '\n');
}

static int func_event_show(struct seq_file *m, struct dyn_event *ev)
{
	func_event_show_line(m, to_func_event(ev), true);
	return 0;
}

static struct dyn_event_operations func_event_ops = {
	.create		= func_event_create,
	.show		= func_event_show,
	.is_busy	= fetch_is_busy,
	.free		= func_event_free,
	.match		= fetch_match,
};

/*
 * True if @address is in memory that is being freed: that of a module that is
 * going, init memory of a module that has started or, if @mod is NULL, init
 * memory of the kernel.
 */
static bool func_event_memory_going(unsigned long address, struct module *mod)
{
#ifdef CONFIG_MODULES
	if (mod && mod->state == MODULE_STATE_LIVE)
		return within_module_init(address, mod);
	if (mod)
		return within_module(address, mod);
#endif
	return func_event_is_init_mem(address);
}

/* Where the absolute address of an argument is, or NULL if it has none. */
static unsigned long *func_event_address(const struct trace_probe *part, int i)
{
	struct fetch_insn *code = part->args[i].code;

	return code && code->op == FETCH_OP_IMM ? &code->immediate : NULL;
}

/* Clear absolute addresses in memory that is being freed. */
static void func_event_forget_addresses(struct func_event *event,
					struct trace_probe *part,
					struct module *mod)
{
	for (int i = 0; i < part->nr_args; i++) {
		unsigned long *address = func_event_address(part, i);

		if (!address || !func_event_memory_going(*address, mod))
			continue;
		WRITE_ONCE(*address, 0);
		event->is_stale = true;
	}
}

/**
 * func_event_free_init_mem() - release functions and symbols in init memory
 *
 * To be called before ftrace removes the records of init functions: the filter
 * of an ops that has a function unknown to ftrace cannot be changed any more.
 * The events of such functions stay, as they print the records in the ring
 * buffer, but are not hit any more.
 *
 * Context: Process context. May sleep. Waits for a grace period if there are
 *	such events.
 */
void __init func_event_free_init_mem(void)
{
	struct func_event *event;
	struct dyn_event *pos;

	mutex_lock(&event_mutex);
	fprobe_batch_begin();
	for_each_dyn_event(pos) {
		event = to_func_event(pos);
		if (!event)
			continue;

		func_event_forget_addresses(event, event->entry, NULL);
		func_event_forget_addresses(event, event->ret, NULL);
		if (!func_event_memory_going(event->ip, NULL))
			continue;
		func_event_detach(event);
		event->ip = 0;
	}
	fprobe_batch_end();
	fetch_wait();
	mutex_unlock(&event_mutex);
}

#ifdef CONFIG_MODULES

/* True if records of both events have the same layout and field names. */
static bool func_event_same_layout(const struct func_event *event,
				   const struct func_event *other)
{
	if (event->base.tp.nr_args != other->base.tp.nr_args ||
	    event->nr_entry != other->nr_entry)
		return false;

	for (int i = 0; i < event->base.tp.nr_args; i++) {
		const struct probe_arg *a = &event->base.tp.args[i],
				       *b = &other->base.tp.args[i];

		if (strcmp(a->name, b->name) || a->count != b->count ||
		    a->type != b->type || a->offset != b->offset ||
		    a->bit != b->bit)
			return false;
	}
	return true;
}

/*
 * Both parts have the same fields. Readers see the old or the new addresses.
 */
static void func_event_copy_addresses(struct trace_probe *to, struct trace_probe *from)
{
	for (int i = 0; i < to->nr_args; i++) {
		unsigned long *address = func_event_address(to, i);

		if (address)
			WRITE_ONCE(*address, *func_event_address(from, i));
	}
}

/*
 * Compile the definition of @event again. Returns the event that is made, which has
 * neither names nor a class, or an error pointer.
 */
static struct func_event *func_event_compile_again(struct func_event *event)
{
	/* A prototype that looks like a prefix needs one; others may be too long for it. */
	char *text __free(kfree) =
		kasprintf(GFP_KERNEL, "%s%s",
			  text_has_prefix(event->base.definition,
					  FUNC_EVENT_PREFIX) ? "c " : "",
			  event->base.definition);
	struct func_event_ctx *ctx __free(kfree) =
		kzalloc_obj(*ctx);
	struct event_def_ctx base = { .text = text };
	struct func_event *made;
	int ret;

	if (!text || !ctx)
		return ERR_PTR(-ENOMEM);
	ctx->base = &base;
	if (func_event_parse(text, &ctx->def, &base.pos))
		return ERR_PTR(-EINVAL);
	made = func_event_alloc(&ctx->def);
	if (!made)
		return ERR_PTR(-ENOMEM);

	ctx->event = made;
	made->ip = event->ip;
	made->syscall = event->syscall;
	made->at_return = event->at_return;
	made->symbol = event->symbol;
	made->module = event->module;

	ret = func_event_make_fields(ctx) ?: func_event_make_layout(ctx);
	func_event_put_ctx(ctx);
	made->symbol = NULL;
	made->module = NULL;

	if (!ret && !func_event_same_layout(event, made))
		ret = -EINVAL;
	if (!ret)
		return made;
	func_event_destroy(made);
	return ERR_PTR(ret);
}

/*
 * Update what an event fetches: addresses of symbols and offsets of
 * members may have changed since it was compiled. The layout of its records
 * must not change.
 */
static int func_event_update(struct func_event *event)
{
	struct func_event *made = func_event_compile_again(event);

	if (IS_ERR(made))
		return PTR_ERR(made);

	if (fprobe_is_registered(&event->fp)) {
		func_event_copy_addresses(event->entry, made->entry);
		func_event_copy_addresses(event->ret, made->ret);
	} else {
		/* A CPU may still use the old parts. */
		fetch_wait();
		swap(event->entry, made->entry);
		swap(event->ret, made->ret);
	}

	event->is_stale = false;
	func_event_destroy(made);
	return 0;
}

static bool func_event_names_module(struct func_event *event,
				    struct module *mod)
{
	return event->module && !strcmp(event->module, mod->name);
}

/*
 * Called when a module is coming, and again when it is live, for events that
 * were defined in between. An event that fails the first time is skipped until
 * the module is going.
 */
static void func_event_module_coming(struct func_event *event,
				     struct module *mod)
{
	enum func_event_err err;
	int ret;

	if (event->ip || event->mismatch ||
	    !func_event_names_module(event, mod))
		return;

	err = func_event_find_function(event->module, event->symbol,
				       &event->ip);
	if (err) {
		pr_warn("%s:%s: %s\n", event->module, event->function,
			func_event_err_text[err]);
		event->mismatch = true;
		return;
	}

	/* The function is in init code, which is about to be freed. */
	if (mod->state == MODULE_STATE_LIVE &&
	    within_module_init(event->ip, mod)) {
		event->ip = 0;
		return;
	}

	ret = func_event_update(event);
	if (ret) {
		pr_warn("%s:%s is not as it was defined: %d\n", event->module,
			event->function, ret);
		event->ip = 0;
		/*
		 * -ENOMEM is not permanent: it is tried again when the module
		 * is live.
		 */
		event->mismatch = ret == -EINVAL;
		return;
	}

	if (!trace_probe_is_enabled(&event->base.tp))
		return;
	ret = func_event_attach(event);
	if (ret)
		pr_warn("%s:%s cannot be traced: %d\n", event->module,
			event->function, ret);
}

static void func_event_disable_everywhere(struct func_event *event)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	mutex_lock(&trace_types_lock);
	list_for_each_entry(tr, &ftrace_trace_arrays, list)
		list_for_each_entry(file, &tr->events, list)
			if (file->event_call == trace_probe_event_call(&event->base.tp))
				trace_event_enable_disable(file, 0, 0);
	mutex_unlock(&trace_types_lock);
}

/*
 * An event whose definition does not name the module is removed with it, unless
 * it is in use. True if it was removed.
 */
static bool func_event_remove_going(struct func_event *event,
				    struct module *mod)
{
	event->ip = 0;
	if (event->module)
		return false;
	if (!func_event_free(&event->base.devent))
		return true;
	pr_warn("%s is in use and stays, without its module %s\n",
		trace_probe_name(&event->base.tp), mod->name);
	return false;
}

/*
 * Disable all events of functions in memory that is being freed, with one grace
 * period. True if an event was removed.
 */
static bool func_event_module_going(struct module *mod)
{
	struct dyn_event *pos, *next;
	struct func_event *event;
	bool some = false, gone = false;

	fprobe_batch_begin();
	for_each_dyn_event(pos) {
		event = to_func_event(pos);
		if (!event || !func_event_memory_going(event->ip, mod))
			continue;
		some = true;
		func_event_detach(event);
		if (!event->module)
			func_event_disable_everywhere(event);
	}
	fprobe_batch_end();

	if (!some)
		return false;

	fetch_wait();
	for_each_dyn_event_safe(pos, next) {
		event = to_func_event(pos);
		if (event && func_event_memory_going(event->ip, mod))
			gone |= func_event_remove_going(event, mod);
	}
	return gone;
}

static int func_event_module_notify(struct notifier_block *nb,
				    unsigned long state, void *data)
{
	struct module *mod = data;
	struct func_event *event;
	struct dyn_event *pos;

	mutex_lock(&event_mutex);
	/*
	 * Another event may get the event type of a removed one, and must not
	 * print its records.
	 */
	if (state != MODULE_STATE_COMING && func_event_module_going(mod))
		tracing_reset_all_online_cpus();

	for_each_dyn_event(pos) {
		event = to_func_event(pos);
		if (!event)
			continue;

		if (state != MODULE_STATE_GOING)
			func_event_module_coming(event, mod);
		else if (func_event_names_module(event, mod))
			event->mismatch = false;

		if (state != MODULE_STATE_COMING) {
			func_event_forget_addresses(event, event->entry, mod);
			func_event_forget_addresses(event, event->ret, mod);
		} else if (event->is_stale) {
			/*
			 * Fails, and is tried again, if this is not the module
			 * of the symbol.
			 */
			func_event_update(event);
		}
	}
	mutex_unlock(&event_mutex);
	return NOTIFY_OK;
}

/*
 * Priority -1: after the notifier of BTF, which loads the types of the module.
 */
static struct notifier_block func_event_module_nb = {
	.notifier_call = func_event_module_notify,
	.priority = -1,
};

static void __init func_event_watch_modules(void)
{
	register_module_notifier(&func_event_module_nb);
}

#else

static void __init func_event_watch_modules(void)
{
}

#endif

static int func_events_remove(const char *text)
{
	struct func_event_def *def __free(kfree) =
		kmalloc_obj(*def);
	struct event_def_ctx ctx = { .text = text };

	if (!def)
		return -ENOMEM;
	ctx.err = func_event_parse(text, def, &ctx.pos);
	return event_def_remove_line(&func_events_file, &ctx, &def->base,
				     def->has_args || def->at_return);
}

static const struct event_def_file func_events_file = {
	.name		= "function_events",
	.letter		= FUNC_EVENT_PREFIX,
	.group		= "functions",
	.max_text	= FUNC_EVENT_MAX_TEXT,
	.ops		= &func_event_ops,
	.make		= func_event_make_line,
	.match		= func_event_match,
	.remove		= func_events_remove,
	.err_text	= func_event_err_text,
	.err_errno	= func_event_errno,
	.err_too_long	= FUNC_EVENT_ERR_TOO_LONG,
	.err_group	= FUNC_EVENT_ERR_BAD_GROUP,
	.err_event	= FUNC_EVENT_ERR_BAD_EVENT,
	.err_exists	= FUNC_EVENT_ERR_EVENT_EXISTS,
	.err_too_many	= FUNC_EVENT_ERR_PATTERN_TOO_MANY,
	.err_none	= FUNC_EVENT_ERR_PATTERN_NONE,
	.err_module	= FUNC_EVENT_ERR_PATTERN_MODULE,
};

static int func_events_run_line(const char *text)
{
	return event_def_run_line(&func_events_file, text);
}

static ssize_t func_events_write(struct file *file, const char __user *ubuf,
				 size_t count, loff_t *ppos)
{
	return event_def_write(&func_events_file, file, ubuf, count, ppos,
			       func_events_run_line);
}

static int func_events_show(struct seq_file *m, void *v)
{
	struct func_event *event = to_func_event(v);

	if (event)
		func_event_show_line(m, event,
				     !event_def_has_default_name(&func_events_file,
								 &event->base,
								 event->function));
	return 0;
}

static const struct seq_operations func_events_seq_ops = {
	.start	= dyn_event_seq_start,
	.next	= dyn_event_seq_next,
	.stop	= dyn_event_seq_stop,
	.show	= func_events_show,
};

static int func_events_open(struct inode *inode, struct file *file)
{
	int ret = event_def_check_open();

	if (ret)
		return ret;
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		ret = dyn_events_release_all(&func_event_ops);
		if (ret)
			return ret;
	}
	return seq_open(file, &func_events_seq_ops);
}

static const struct file_operations func_events_fops = {
	.owner		= THIS_MODULE,
	.open		= func_events_open,
	.read		= seq_read,
	.write		= func_events_write,
	.llseek		= seq_lseek,
	.release	= seq_release,
};

static int func_event_show_prototype(struct func_event_ctx *ctx, struct seq_file *m)
{
	u16 pos = ctx->def.base.name.start, in_path = 0;
	struct func_event *event = ctx->event;
	enum func_event_err err;
	char *path;
	int ret;

	event->function = event_def_span_dup(ctx->base, ctx->def.base.name);
	event->module = event_def_span_dup(ctx->base, ctx->def.base.module);
	if (!event->function || (ctx->def.base.module.len && !event->module))
		return -ENOMEM;

	err = func_event_resolve_function(event);
	ret = err || ctx->def.nr_fields ? 0 : func_event_show_syscall(event, m);
	if (ret)
		return min(ret, 0);
	err = err ?: func_event_need_btf(ctx);
	if (!err && !ctx->def.nr_fields)
		func_event_btf_show(ctx->btf, event->function, m);

	for (int i = 0; !err && i < ctx->def.nr_fields; i++) {
		const struct func_event_field_def *def = &ctx->def.fields[i];

		pos = def->at;
		if (def->source != FUNC_EVENT_MEMBER) {
			err = FUNC_EVENT_ERR_UNKNOWN_ARGUMENT;
			break;
		}
		path = event_def_span_dup(ctx->base, def->from);
		err = path ? func_event_btf_show_members(ctx->btf, path, m, &in_path) :
			     FUNC_EVENT_ERR_NO_MEMORY;
		kfree(path);
		pos += in_path;
	}
	return err ? func_event_fail(ctx, err, pos) : 0;
}

static int func_event_make_prototype(struct event_def_ctx *base, struct seq_file *m)
{
	struct func_event_ctx *ctx __free(kfree) = kzalloc_obj(*ctx);
	int ret = -ENOMEM;

	if (!ctx)
		return -ENOMEM;

	ctx->base = base;
	base->err = func_event_parse(base->text, &ctx->def, &base->pos);
	if (base->err)
		return -EINVAL;
	ctx->event = func_event_alloc(&ctx->def);
	if (ctx->event)
		ret = func_event_show_prototype(ctx, m);
	func_event_put_ctx(ctx);
	func_event_destroy(ctx->event);
	return ret;
}

/* Each open file has the line that was written to it last. */
static int func_event_prototype_show(struct seq_file *m, void *v)
{
	struct event_def_ctx ctx = { .text = m->private };
	struct event_def_file self = func_events_file;
	int ret;

	if (!ctx.text) {
		seq_puts(m, "# Write a function, or function(argument->member), and read again.\n");
		return 0;
	}

	guard(mutex)(&event_mutex);
	ret = func_event_make_prototype(&ctx, m);
	self.name = "function_prototype";
	return ctx.err ? event_def_log_error(&self, &ctx) : ret;
}

static ssize_t func_event_prototype_write(struct file *file, const char __user *ubuf,
					  size_t count, loff_t *ppos)
{
	struct seq_file *m = file->private_data;
	char *text;

	if (count > FUNC_EVENT_MAX_TEXT)
		return -E2BIG;
	text = memdup_user_nul(ubuf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	text[strcspn(text, "\n")] = '\0';

	mutex_lock(&m->lock);
	swap(text, *(char **)&m->private);
	mutex_unlock(&m->lock);
	kfree(text);
	/* The next read starts at the beginning. */
	*ppos = 0;
	return count;
}

static int func_event_prototype_open(struct inode *inode, struct file *file)
{
	return event_def_check_open() ?:
		single_open(file, func_event_prototype_show, NULL);
}

static int func_event_prototype_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	kfree(m->private);
	return single_release(inode, file);
}

static const struct file_operations func_event_prototype_fops = {
	.owner		= THIS_MODULE,
	.open		= func_event_prototype_open,
	.read		= seq_read,
	.write		= func_event_prototype_write,
	.llseek		= seq_lseek,
	.release	= func_event_prototype_release,
};

static bool func_events_ready __initdata;

static __init int func_events_init_file(void)
{
	int ret = tracing_init_dentry();

	if (ret || !func_events_ready)
		return 0;
	trace_create_file("function_events", TRACE_MODE_WRITE, NULL, NULL,
			  &func_events_fops);
	trace_create_file("function_prototype", TRACE_MODE_WRITE, NULL, NULL,
			  &func_event_prototype_fops);
	return 0;
}
fs_initcall(func_events_init_file);

static char func_events_boot[COMMAND_LINE_SIZE] __initdata;

static int __init func_events_set_boot(char *str)
{
	strscpy(func_events_boot, str, sizeof(func_events_boot));
	return 1;
}
__setup("function_events=", func_events_set_boot);

/* The initcall level of the other dynamic events. */
static __init int func_events_init(void)
{
	int ret;

	ret = func_event_init() ?: dyn_event_register(&func_event_ops);
	if (ret)
		return ret;
	func_events_ready = true;
	func_event_watch_modules();
	/* Boot events are enabled at once, as those of kprobe_event= are. */
	event_def_boot_lines(&func_events_file, func_events_boot);
	return 0;
}
core_initcall(func_events_init);
