/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Markers: named hooks in the code that probes can be registered for.
 *
 * See Documentation/trace/markers.rst.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * The name, and a format string instead of a type per marker, are those of the
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

/*
 * Longest name of a marker, including the null byte. It becomes an event name.
 */
#define MARKER_MAX_NAME	64

/**
 * typedef marker_probe_func - the function of a marker probe
 * @data: as it was given to marker_probe_register()
 * @call: describes this hit; va_arg() on @call->args gets the arguments
 *
 * Context: That of the marker, which may be any context, NMI included;
 *	preemption is disabled.
 */
typedef void marker_probe_func(void *data, struct marker_call *call);

/**
 * struct marker_probe - a probe for markers
 * @func: called when a marker is hit
 * @format: the marker must have this format; NULL if @func reads the format of
 *	the marker
 */
struct marker_probe {
	marker_probe_func	*func;
	const char		*format;
};

/* A registered probe, in the array that markers call; private. */
struct marker_probe_call {
	marker_probe_func	*func;
	void			*data;
};

/**
 * struct marker - a marker
 * @key: enabled while the marker has probes
 * @name: of the marker
 * @format: of the marker's arguments, as for printf()
 * @probes: array of probes, terminated by one without func; NULL if there are
 *	none. Protected by RCU.
 *
 * The section __markers has one for each MARK() in the source. All sites that
 * the compiler makes of one MARK(), by inlining or unrolling, share it; each
 * has its own entry in the jump table. All fields except @name and @format are
 * private.
 */
struct marker {
	struct static_key_false			key;
	const char				*name;
	const char				*format;
	const struct marker_probe_call __rcu	*probes;
};

/* Arguments that all 64-bit architectures pass in registers, beside the marker. */
#define MARKER_NR_FIRST	4

/**
 * struct marker_call - one hit of a marker
 * @marker: the marker
 * @ip: address of the site: the return address of the call of __mark_hit()
 * @frame: frame address of __mark_hit(), see marker_event_where()
 * @args: the arguments, after the default argument promotions
 * @first: on 64-bit kernels, the first arguments again, each as a long; what follows the
 *	last one is undefined
 */
struct marker_call {
	const struct marker	*marker;
	unsigned long		ip;
	const unsigned long	*frame;
	va_list			args;
	unsigned long	first[MARKER_NR_FIRST];
};

static inline __printf(1, 2) void __mark_check_format(const char *format, ...)
{
}

#ifdef CONFIG_MARKERS

static __always_inline u32 __mark_hash_1(u32 hash, const char *format,
					 size_t size, size_t at)
{
	return hash * 0x01000193 ^
	       (unsigned char)format[at < size ? at : size - 1];
}

static __always_inline u32 __mark_hash_4(u32 hash, const char *format,
					 size_t size, size_t at)
{
	hash = __mark_hash_1(hash, format, size, at);
	hash = __mark_hash_1(hash, format, size, at + 1);
	hash = __mark_hash_1(hash, format, size, at + 2);
	return __mark_hash_1(hash, format, size, at + 3);
}

static __always_inline u32 __mark_hash_16(u32 hash, const char *format,
					  size_t size, size_t at)
{
	hash = __mark_hash_4(hash, format, size, at);
	hash = __mark_hash_4(hash, format, size, at + 4);
	hash = __mark_hash_4(hash, format, size, at + 8);
	return __mark_hash_4(hash, format, size, at + 12);
}

/*
 * FNV-1 of the length of a format and of its first 64 characters, see
 * https://datatracker.ietf.org/doc/html/draft-eastlake-fnv. The compiler must
 * be able to evaluate it, hence no loop. Formats that differ but have the same
 * hash are found when the kernel starts or the module is loaded.
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
 * MARK() - define a marker
 * @name: of the marker, without quotation marks; begins with the name of the
 *	subsystem
 * @format: a string literal that describes the arguments, as for printf()
 * @args: the arguments
 *
 * As long as no probe is registered this is a NOP, and @args are not evaluated.
 * Markers of the same name must have the same format. Within a file the
 * assembler checks this: it stores the hash of the format in a symbol per name,
 * and reports an error if a later site has another one. Across files, the
 * kernel says so when it starts or the module is loaded, and the later marker
 * cannot be used.
 *
 * Context: Any context, NMI included. No probe is called where RCU is not
 *	watching, or on a CPU that is going offline.
 */
#define MARK(name, format, args...)					\
	do {								\
		static const char __mark_format_##name[] __aligned(1) =	\
			"" format;					\
		static struct marker __marker_##name			\
		__section("__markers")					\
		__aligned(__alignof__(struct marker)) = {		\
			STATIC_KEY_FALSE_INIT, #name,			\
			__mark_format_##name,				\
		};							\
									\
		static_assert(sizeof(#name) <= MARKER_MAX_NAME);	\
		if (0)							\
			__mark_check_format(__mark_format_##name, ##args); \
		if (static_branch_unlikely(&__marker_##name.key)) {	\
			asm_inline(					\
				".ifndef .L__mark_" #name "\n\t"	\
				".set .L__mark_" #name ", %c0\n\t"	\
				".elseif .L__mark_" #name " - %c0\n\t"	\
				".error \"marker " #name " has another format in this file\"\n\t" \
				".endif"				\
				: : "i" (__mark_hash(__mark_format_##name, \
					 sizeof(__mark_format_##name)))); \
			__mark_hit(&__marker_##name, ##args);		\
			/* No tail call: marker_call.ip is in here. */	\
			asm("");					\
		}							\
	} while (0)

int marker_probe_register(const char *name, const struct marker_probe *probe,
			  void *data);
int marker_probe_unregister(const char *name, const struct marker_probe *probe,
			    void *data);
int marker_probe_unregister_nosync(const char *name,
				   const struct marker_probe *probe,
				   void *data);

/*
 * Called with a marker, its module or NULL, and the argument of
 * marker_for_each(). A value other than 0 ends the iteration.
 */
typedef int (*marker_fn)(struct marker *marker, struct module *mod, void *arg);

void marker_lock(void);
void marker_unlock(void);
int marker_for_each(marker_fn fn, void *arg);
bool marker_is_first(struct marker *marker, struct module *mod);
char *marker_get_format(const char *name);
bool marker_has_format(const char *name, const char *format);
void marker_batch_begin(void);
void marker_batch_end(void);

#else

#define MARK(name, format, args...)					\
	do {								\
		static_assert(sizeof(#name) <= MARKER_MAX_NAME);	\
		if (0)							\
			__mark_check_format("" format, ##args);		\
	} while (0)

static inline int marker_probe_register(const char *name,
					const struct marker_probe *probe,
					void *data)
{
	return -EOPNOTSUPP;
}

static inline int marker_probe_unregister(const char *name,
					  const struct marker_probe *probe,
					  void *data)
{
	return -EOPNOTSUPP;
}

static inline void marker_batch_begin(void)
{
}

static inline void marker_batch_end(void)
{
}

#endif

#endif /* _LINUX_MARKER_H */
