/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Markers: named places in the code that somebody may connect a probe to.
 *
 * See Documentation/trace/markers.rst.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * The name, and a format string instead of a type for each place, are those of the
 * Linux Kernel Markers of 2006: https://lwn.net/Articles/200059/
 */
#ifndef _LINUX_MARKER_H
#define _LINUX_MARKER_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/stdarg.h>
#include <linux/types.h>

struct marker_call;
struct module;

/* Longest name of a marker, with the null byte: it becomes the name of an event. */
#define MARKER_MAX_NAME	64

/**
 * typedef marker_probe_func - what a marker calls
 * @data: as it was given to marker_probe_register()
 * @call: what is known of this call; va_arg() on its args gets the arguments
 *
 * Context: that of the marker, which may be any; preemption is disabled.
 */
typedef void marker_probe_func(void *data, struct marker_call *call);

/**
 * struct marker_probe - a probe for markers
 * @func: called when a marker is hit
 * @format: that the marker must have; NULL if @func looks at the marker's format
 */
struct marker_probe {
	marker_probe_func	*func;
	const char		*format;
};

/* A probe that is registered; private. */
struct marker_probe_call {
	marker_probe_func	*func;
	void			*data;
};

/**
 * struct marker - a marker of the code
 * @key: on if there are probes
 * @name: of the marker
 * @format: of the marker's arguments, as for printf()
 * @probes: what is called, up to one without function; NULL if there are none. RCU.
 *
 * In the section __markers there is one for each MARK() of the source that has sites. All
 * sites that the compiler makes of one MARK() share it; each has its entry in the jump
 * table. All fields are private but @name and @format.
 */
struct marker {
	struct static_key_false			key;
	const char				*name;
	const char				*format;
	const struct marker_probe_call __rcu	*probes;
};

/**
 * struct marker_call - one hit of a marker
 * @marker: the marker
 * @ip: where it is: the address that the call returns to
 * @frame: the frame of the function that was called there, see marker_event_where()
 * @args: the arguments, after the usual promotions
 */
struct marker_call {
	const struct marker	*marker;
	unsigned long		ip;
	const unsigned long	*frame;
	va_list			args;
};

static inline __printf(1, 2) void __mark_check_format(const char *format, ...)
{
}

#ifdef CONFIG_MARKERS

static __always_inline u32 __mark_hash_1(u32 hash, const char *format, size_t size, size_t at)
{
	return hash * 0x01000193 ^ (unsigned char)format[at < size ? at : size - 1];
}

static __always_inline u32 __mark_hash_4(u32 hash, const char *format, size_t size, size_t at)
{
	hash = __mark_hash_1(hash, format, size, at);
	hash = __mark_hash_1(hash, format, size, at + 1);
	hash = __mark_hash_1(hash, format, size, at + 2);
	return __mark_hash_1(hash, format, size, at + 3);
}

static __always_inline u32 __mark_hash_16(u32 hash, const char *format, size_t size, size_t at)
{
	hash = __mark_hash_4(hash, format, size, at);
	hash = __mark_hash_4(hash, format, size, at + 4);
	hash = __mark_hash_4(hash, format, size, at + 8);
	return __mark_hash_4(hash, format, size, at + 12);
}

/*
 * FNV-1 of a format's length and its first 64 characters, see
 * https://datatracker.ietf.org/doc/html/draft-eastlake-fnv, for the compiler to work
 * out; hence no loop. A difference that does not show here is found when the
 * marker is loaded.
 */
static __always_inline u32 __mark_hash(const char *format, size_t size)
{
	u32 hash = size;

	hash = __mark_hash_16(hash, format, size, 0);
	hash = __mark_hash_16(hash, format, size, 16);
	hash = __mark_hash_16(hash, format, size, 32);
	return __mark_hash_16(hash, format, size, 48);
}

void __mark_hit(struct marker *marker, ...);

/**
 * MARK() - a place that a probe can be connected to
 * @name: of the marker, not in quotation marks; begins with that of the subsystem
 * @format: a string literal; says what the arguments are, as for printf()
 * @args: the arguments
 *
 * As long as nobody registers a probe this is a no-op, and @args are not evaluated.
 * Sites of the same name must have the same format: it is an error of the assembler if
 * they do not within a file, and the kernel refuses to load a module if they do not. (For
 * the former, the assembler remembers the hash of each name up to the end of the file.)
 *
 * Context: any, NMI included. Where RCU is not watching, and on CPUs that are going
 * offline, no probe is called.
 */
#define MARK(name, format, args...)						\
	do {									\
		static const char __mark_format_##name[] __aligned(1) = "" format; \
		static struct marker __marker_##name				\
		__section("__markers") __aligned(__alignof__(struct marker)) = { \
			STATIC_KEY_FALSE_INIT, #name, __mark_format_##name,	\
		};								\
										\
		static_assert(sizeof(#name) <= MARKER_MAX_NAME);		\
		if (0)								\
			__mark_check_format(__mark_format_##name, ##args);	\
		if (static_branch_unlikely(&__marker_##name.key)) {		\
			asm_inline(						\
				".ifndef .L__mark_" #name "\n\t"		\
				".set .L__mark_" #name ", %c0\n\t"		\
				".elseif .L__mark_" #name " - %c0\n\t"		\
				".error \"marker " #name " has another format in this file\"\n\t" \
				".endif"					\
				: : "i" (__mark_hash(__mark_format_##name,	\
						     sizeof(__mark_format_##name)))); \
			__mark_hit(&__marker_##name, ##args);			\
			/* Else it may be a jump, and nobody knew from where. */ \
			asm("");						\
		}								\
	} while (0)

int marker_probe_register(const char *name, const struct marker_probe *probe, void *data);
int marker_probe_unregister(const char *name, const struct marker_probe *probe, void *data);
int marker_probe_unregister_nosync(const char *name, const struct marker_probe *probe,
				   void *data);

/* Called with a marker, and its module or NULL; a value other than 0 ends it. */
typedef int (*marker_fn)(struct marker *marker, struct module *mod, void *arg);

void marker_lock(void);
void marker_unlock(void);
int marker_for_each(marker_fn fn, void *arg);
unsigned int marker_nr_sites(const struct marker *marker, struct module *mod);
char *marker_get_format(const char *name);
bool marker_has_format(const char *name, const char *format);

#else

#define MARK(name, format, args...)						\
	do {									\
		static_assert(sizeof(#name) <= MARKER_MAX_NAME);		\
		if (0)								\
			__mark_check_format("" format, ##args);			\
	} while (0)

static inline int marker_probe_register(const char *name, const struct marker_probe *probe,
					void *data)
{
	return -EOPNOTSUPP;
}

static inline int marker_probe_unregister(const char *name, const struct marker_probe *probe,
					  void *data)
{
	return -EOPNOTSUPP;
}

#endif

#endif /* _LINUX_MARKER_H */
