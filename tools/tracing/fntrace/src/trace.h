/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What readers, the merger and writers of fntrace share.
 *
 * Readers (one per format of input) make sources; trace_next() merges them by
 * time, repairs what does not nest and hands out one event after the other;
 * writers (one per format of output) take them. Nothing is kept per event, so
 * memory depends on how many tasks and symbols there are, not on how long the
 * trace is.
 */
#ifndef FNTRACE_TRACE_H
#define FNTRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* xstrdup(), xrealloc(), xasprintf(), ARRAY_SIZE() */
#define HAVE_DECL_BASENAME 1
#include <libiberty.h>

#define NSEC_PER_SEC	UINT64_C(1000000000)

/*
 * struct symbol - a function, or the name of an event
 * @addr: address relative to the image, of its first byte
 * @size: in bytes; 0 if unknown, then it reaches to the next symbol
 * @name: as people read it, demangled
 * @linkage: as the linker has it; NULL if that is @name
 * @image: what it is in; NULL if only its name is known, or it was not seen yet
 * @json: @name with what JSON wants escaped, without quotes
 * @json_len: strlen(json)
 * @id: 1, 2, 3 ... in the order in which they were first seen in the trace
 * @used: a writer has seen it (each writer runs alone)
 */
struct symbol {
	uint64_t	addr;
	uint64_t	size;
	char		*name;
	char		*linkage;
	const struct image *image;
	char		*json;
	unsigned int	json_len;
	unsigned int	id;
	bool		used;
};

/*
 * struct segment - a part of a file that is executed
 * @offset: where it is in the file
 * @size: in bytes
 * @addr: address of its first byte, relative to the image
 */
struct segment {
	uint64_t	offset;
	uint64_t	size;
	uint64_t	addr;
};

/*
 * enum image_hooks - what compilers make functions call to have them traced
 * @IMAGE_MCOUNT: mcount(), behind the prologue
 * @IMAGE_FENTRY: __fentry__(), in front of it
 * @IMAGE_REPORTS: __cyg_profile_func_enter()
 * @IMAGE_PATCHABLE: there is room for a call in front of the prologue
 */
enum image_hooks {
	IMAGE_MCOUNT	= 1,
	IMAGE_FENTRY	= 2,
	IMAGE_REPORTS	= 4,
	IMAGE_PATCHABLE	= 8,
};

/*
 * struct image - a file, or a kernel, with symbols; see image.h
 * @path: where it was; "[kernel]" and the like for what is no file
 * @recording: directory of the recording that it was mapped in, or NULL
 * @symbols: sorted by address
 * @segments: in the order of the file
 * @problem: why it has no symbols; NULL: it has, or that was told
 * @build_id: of image_build_id(); NULL if there is none
 * @stripped: it has at most the symbols that other files need of it
 * @hooks: which hooks functions in it call, enum image_hooks; 0: it is not traced
 */
struct image {
	char		*path;
	char		*recording;
	struct symbol	*symbols;
	size_t		nr_symbols;
	struct segment	*segments;
	size_t		nr_segments;
	char		*problem;
	char		*build_id;
	bool		stripped;
	unsigned int	hooks;
	struct image	*next;
};

/*
 * struct mapping - where an image is in an address space
 * @start: first address
 * @end: the address behind it
 * @bias: what to subtract from an address to have that of the symbol
 * @from: first time at which it is known to be there
 * @to: last time; both are in units of the source, 0 and UINT64_MAX if it is always there
 * @shared: another image was at some of these addresses at another time
 */
struct mapping {
	uint64_t	start;
	uint64_t	end;
	uint64_t	bias;
	uint64_t	from;
	uint64_t	to;
	struct image	*image;
	bool		shared;
};

/*
 * struct machine - whose time and process numbers these are
 * @name: "host", "guest"; empty for the only one
 * @index: 0, 1, 2...
 * @clock: how its counter and its time become that of the trace
 * @arch: enum fntrace_arch of its buffers; 0: it has none
 */
struct machine {
	char		*name;
	struct clock	*clock;
	uint32_t	arch;
	unsigned int	index;
	struct machine	*next;
};

#define SYMBOL_CACHE	4096

/*
 * struct process - an address space
 * @machine: where it runs
 * @pid: its number there; 0 for a kernel
 * @session: counts what was executed under this number
 * @first_ns: time of its first event, if @session is not 0
 * @exe: path of the program, or a name
 * @out: for the writer; freed with free() at the end
 * @maps: later ones win over earlier ones of the same time
 * @cache: symbols looked up last, by address; @from to @to is when they were there, @shared
 *	as in struct mapping
 * @same_hash: of trace.c
 */
struct process {
	struct machine	*machine;
	uint32_t	pid;
	uint32_t	session;
	uint64_t	first_ns;
	char		*exe;
	void		*out;
	struct mapping	*maps;
	size_t		nr_maps;
	struct {
		uint64_t	addr;
		uint64_t	from;
		uint64_t	to;
		struct symbol	*symbol;
		bool		shared;
	} cache[SYMBOL_CACHE];
	struct process	*next;
	struct process	*same_hash;
};

/* Whose call it is: the kernel's are inside the program's. */
enum level {
	LEVEL_PROGRAM,
	LEVEL_KERNEL,
};

/*
 * struct frame - a call that has not ended
 * @symbol: the function
 * @process: what @addr belongs to
 * @addr: an address in it; 0 if its source knows only its name
 * @ns: when it began
 * @inner: how long calls inside of it took that have ended, in nanoseconds
 * @depth: what its source says
 * @level: whose it is
 */
struct frame {
	struct symbol	*symbol;
	struct process	*process;
	uint64_t	addr;
	uint64_t	ns;
	uint64_t	inner;
	uint32_t	depth;
	uint32_t	level;
};

/*
 * struct task - a thread, or a CPU of a kernel that has none
 * @process: its address space; exec() changes it, and so does another process that gets
 *	the number of a thread which ended
 * @source: of trace_next(): which one had its last event with a process
 * @tid: its number on its machine
 * @name: what it is called
 * @frames: calls that have not ended, outermost first
 * @depth: how many
 * @last_ns: time of its last event
 * @out: for the writer; freed with free() at the end
 * @filter: for the filter
 */
struct task {
	struct process	*process;
	const struct source *source;
	uint32_t	tid;
	char		name[32];
	struct frame	*frames;
	size_t		depth;
	size_t		room;
	uint64_t	last_ns;
	void		*out;
	void		*filter;
	struct task	*next;
	struct task	*same_hash;
};

/*
 * enum value_kind - what a value is for formats that know types
 * @VALUE_TEXT: only a text
 * @VALUE_STRING: a string
 * @VALUE_SIGNED: an integer
 * @VALUE_UNSIGNED: as well
 * @VALUE_FLOAT: a finite number
 */
enum value_kind {
	VALUE_TEXT,
	VALUE_STRING,
	VALUE_SIGNED,
	VALUE_UNSIGNED,
	VALUE_FLOAT,
};

/*
 * struct value - of an argument, or what was returned
 * @name: of the argument; NULL for what was returned
 * @text: as people read it, with quotes
 * @string: of VALUE_STRING, without quotes
 * @integer: of VALUE_SIGNED and VALUE_UNSIGNED
 * @number: of VALUE_FLOAT
 * @kind: what it is
 */
struct value {
	char		*name;
	char		*text;
	char		*string;
	uint64_t	integer;
	double		number;
	enum value_kind	kind;
};

/*
 * struct values - those of a call
 */
struct values {
	size_t		nr;
	struct value	*list;
};

enum event_type {
	EVENT_ENTRY,	/* a function begins */
	EVENT_EXIT,	/* a function ends */
	EVENT_LOST,	/* @count calls are missing here */
	EVENT_POINT,	/* a trace event: @symbol is its name, @text its fields */
};

/*
 * struct event - what happened
 * @ns: when, on the clock of the whole trace
 * @task: where
 * @symbol: which function, or the name of an event
 * @process: what @addr belongs to; NULL if that is the process of the task
 * @addr: an address in the function; 0 if its source knows only its name
 * @text: fields of an event as text; NULL if there are none. Valid until the
 *	next call of the source.
 * @values: arguments of an entry, or the result of an exit; NULL if they were not recorded.
 *	Valid as long as @text.
 * @count: how many calls were lost
 * @begun: of an end: when the call began
 * @inner: of an end: how much of its time the calls inside of it took, in nanoseconds
 * @depth: before trace_next(): what the source says; after it: calls around
 *	this one, 0 for the outermost, the same at entry and exit
 * @type: what it is
 * @level: whose call
 * @repaired: not in the trace; an end that is missing there
 */
struct event {
	uint64_t	ns;
	struct task	*task;
	struct symbol	*symbol;
	struct process	*process;
	uint64_t	addr;
	const char	*text;
	const struct values *values;
	uint64_t	count;
	uint64_t	begun;
	uint64_t	inner;
	uint32_t	depth;
	enum event_type	type;
	enum level	level;
	bool		repaired;
};

struct trace;

/*
 * struct source - events of one input that are in the order of time
 * @next: provides the next event, its time on the clock of the whole trace.
 *	Returns false at the end.
 * @close: frees what the source has, with the source itself
 * @machine: whose clock it has
 * @name: what the task of its events is called, if it has one task; NULL keeps the name
 * @total: bytes there are to read, for the progress line; 0 if unknown
 * @done: bytes read
 *
 * A task that is in several files of an input is several sources: the merger
 * is the one place where things are put in order.
 */
struct source {
	bool		(*next)(struct source *source, struct event *event);
	void		(*close)(struct source *source);
	struct machine	*machine;
	const char	*name;
	uint64_t	total;
	uint64_t	done;
	/* The merger's. */
	struct event	head;
};

/*
 * struct trace - everything that was opened
 * @descriptions: of values, see values.h
 * @nr_entries_only: sources without ends of calls
 * @nr_open: sources that are not at their end; they are the first ones, a heap
 * @first_ns: time of the first event, as soon as it was read
 * @nr_lost: calls that the tracer could not record
 * @nr_lost_growing: of these, the ones whose buffers should have got more room
 * @nr_too_deep: of these, the ones for which the shadow stack had no room
 * @nr_orphans: ends of calls that began before the trace
 * @nr_repaired: ends that were put in
 * @nr_backwards: times that were earlier than the one before
 * @nr_bad: records that are none
 * @nr_unread: inputs that were not read, or not to their end; what is wrong was told
 */
struct trace {
	struct machine	*machines;
	struct process	*processes;
	struct task	*tasks;
	struct image	*images;
	struct description *descriptions;
	struct source	**sources;
	size_t		nr_sources;
	size_t		nr_entries_only;
	size_t		nr_open;
	unsigned int	nr_symbols;
	uint64_t	first_ns;
	uint64_t	nr_events;
	uint64_t	nr_lost;
	uint64_t	nr_lost_growing;
	uint64_t	nr_too_deep;
	uint64_t	nr_orphans;
	uint64_t	nr_backwards;
	uint64_t	nr_repaired;
	uint64_t	nr_bad;
	uint64_t	nr_unread;
	/* Of trace.c and symbol.c. */
	struct task	*task_table[4096];
	struct process	*process_table[4096];
	struct process	*last_process;
	struct name	*name_table[16384];
	unsigned int	nr_unknown;
	bool		begun;
	bool		taken;
};

/* trace.c */

/*
 * trace_machine() - the machine of this name, made if there is none yet
 */
struct machine *trace_machine(struct trace *trace, const char *name);

/*
 * trace_process() - the process of this number, made if there is none yet
 * @exe: path or name; NULL if not known
 */
struct process *trace_process(struct trace *trace, struct machine *machine,
			      uint32_t pid, const char *exe);

/*
 * trace_session() - as well, of what was executed under a number as the Nth
 */
struct process *trace_session(struct trace *trace, struct machine *machine,
			      uint32_t pid, uint32_t session, const char *exe);

/*
 * out_id() - a number of a process or thread in the whole trace
 *
 * Those of the second machine are beyond all of the first.
 */
static inline uint64_t out_id(const struct machine *machine, uint32_t id)
{
	return id + (uint64_t)machine->index * 10000000;
}

/*
 * program_name() - the last part of a program's path, "?" if it is not known
 */
const char *program_name(const struct process *process);

/*
 * trace_task() - the task of this number, made if there is none yet
 * @process: where it belongs if it is new, until an event says otherwise
 * @name: NULL keeps what is known
 *
 * Sources of the same machine share tasks; so the kernel's side of a thread is
 * inside the program's.
 */
struct task *trace_task(struct trace *trace, struct process *process,
			uint32_t tid, const char *name);

/*
 * trace_add_source() - merge one more source
 */
void trace_add_source(struct trace *trace, struct source *source);

/*
 * trace_next() - the next event of all sources
 * @event: filled in
 *
 * Per task, entries and exits nest: an end without a beginning is left out and
 * counted, a missing one is put in. Time of a task never goes back: what comes
 * late gets the time of what was before it, and is counted. Where a task gets another
 * process, calls in the one before end.
 *
 * Return: false at the end.
 */
bool trace_next(struct trace *trace, struct event *event);

/*
 * trace_end_call() - end the innermost call of a task that has not ended
 * @event: filled in: an end at the time of the last event of the task
 *
 * Return: false if all calls have ended.
 */
bool trace_end_call(struct task *task, struct event *event);

/*
 * trace_close() - free everything
 */
void trace_close(struct trace *trace);

/* symbol.c */

/*
 * process_map() - put an image into an address space
 * @map: copied; one that is there already and ended right before @map begins is prolonged
 */
void process_map(struct process *process, const struct mapping *map);

/*
 * process_symbol() - the function at an address
 * @addr: set to 0 if other functions were there at other times: then only the name says
 *	which one it is
 * @when: time of the call, in the units of the mappings. If nothing is known to be at the
 *	address then, what was there last before that is taken, else what came next.
 *
 * Return: never NULL; an address nobody knows becomes a symbol called "<addr>".
 */
struct symbol *process_symbol(struct trace *trace, struct process *process,
			      uint64_t *addr, uint64_t when);

/*
 * symbol_demangle() - a name of C++ or of Rust, in both of its schemes, as people read it
 *
 * Return: to be freed; NULL if it is none
 */
char *symbol_demangle(const char *name);

/*
 * event_symbol() - the name of an event, or a function known by name only
 *
 * Return: the same symbol for the same name.
 */
struct symbol *event_symbol(struct trace *trace, const char *name);

/*
 * symbol_names() - the symbols of event_symbol() that a writer marked as used
 * @used: filled in; room for all that have an id
 *
 * Return: how many
 */
size_t symbol_names(struct trace *trace, struct symbol **used);

/* Of trace_close(). */
void symbol_names_free(struct trace *trace);

/* util.c */

/*
 * warn() - one line on standard error, "fntrace: ..."
 */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * warn_about() - from now on, messages begin with what they are about; NULL: they do not
 */
void warn_about(const char *what);

/*
 * die() - warn() and exit with status 1
 */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Zeroed memory; never NULL. */
void *xalloc(size_t size);

/*
 * struct out - buffered output to a file or a pipe
 *
 * Writing never fails for the caller: the first error is kept, later output is
 * dropped, and out_close() reports it.
 */
struct out {
	int		fd;
	int		error;
	char		*path;
	char		*buffer;
	size_t		used;
};

#define OUT_SIZE	(256 * 1024)

/*
 * out_open() - "-" is standard output
 */
struct out *out_open(const char *path);
void out_flush(struct out *out);

/*
 * out_room() - a place for @size bytes (at most OUT_SIZE) to be filled and
 * taken by out_take()
 */
static inline char *out_room(struct out *out, size_t size)
{
	if (out->used + size > OUT_SIZE)
		out_flush(out);
	return out->buffer + out->used;
}

static inline void out_take(struct out *out, const char *end)
{
	out->used = end - out->buffer;
}

void out_write(struct out *out, const void *data, size_t size);
void out_printf(struct out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * out_clean() - write text without what a terminal would take for a command
 */
void out_clean(struct out *out, const char *text);

/*
 * out_close() - write what is left
 *
 * Return: 0, or an errno; a message was printed.
 */
int out_close(struct out *out);

/* Bytes of what format_duration() makes. */
#define DURATION_SIZE	32

/*
 * format_duration() - a duration as people read it: "12.345 us"
 *
 * Return: @text
 */
char *format_duration(char text[DURATION_SIZE], uint64_t ns);

/*
 * put_number() - decimal digits of @value
 *
 * Return: where they end. At most 20 bytes.
 */
char *put_number(char *to, uint64_t value);

/*
 * put_text() - the bytes of a string that is known to fit
 */
char *put_text(char *to, const char *text, size_t len);

/*
 * utf8_size() - bytes of a character that can be shown
 * @text: where it begins
 *
 * Return: 0 if that is a control character, or not UTF-8 (RFC 3629), or what XML
 * does not allow.
 */
size_t utf8_size(const void *text);

/* Bytes that put_json() makes of one, at most. */
#define JSON_MAX	6

/*
 * put_json() - text as the inside of a JSON string; no NUL follows
 * @to: room for JSON_MAX times @size + 3 bytes
 * @text: set to what comes behind; NUL ends it
 * @size: bytes to take; a character that begins in them is taken as a whole
 *
 * Return: where it ends.
 */
char *put_json(char *to, const char **text, size_t size);

/*
 * put_clean() - text without what a terminal would take for a command
 * @to: four times as much room as there is text
 * @text: set to what comes behind
 * @stop: the end is the first character at or behind this, or a NUL
 *
 * Return: where it ends.
 */
char *put_clean(char *to, const char **text, const char *stop);

/*
 * remove_tree() - remove a directory with all that is in it
 */
void remove_tree(const char *path);

/*
 * fork_unwaited() - fork(), for who waits for any child, but not for this one
 *
 * It sends no signal when it ends, and waitpid() does not find it without __WCLONE. There must
 * not be other threads.
 */
pid_t fork_unwaited(void);

/* reader.c */

/*
 * open_input_file() - open a file to read, if it is one
 *
 * Not a pipe, which would have to be waited for, nor a device, for which being opened
 * may mean something: a trace may name any path.
 *
 * Return: a descriptor, or -1 with errno.
 */
int open_input_file(const char *path);

/*
 * struct reader - read a part of a file from its beginning to its end
 * @failed: the end could not be reached; a message was printed
 *
 * All readers together have a fixed amount of memory for what they read ahead.
 */
struct reader {
	const char	*path;
	uint64_t	from;
	uint64_t	to;
	char		*buffer;
	size_t		size;
	size_t		used;
	size_t		have;
	bool		failed;
};

/*
 * reader_open() - bytes @from to @to of a file
 * @path: stays the caller's, until reader_close()
 */
void reader_open(struct reader *reader, const char *path, uint64_t from, uint64_t to);

/*
 * reader_get() - the next @size bytes
 *
 * Return: where they are until the next call, or NULL if there are not so many.
 */
const void *reader_get(struct reader *reader, size_t size);

/*
 * reader_is_at_end() - is there no more?
 */
bool reader_is_at_end(const struct reader *reader);
void reader_close(struct reader *reader);

/*
 * read_file() - all of a small file
 *
 * Return: its text, NUL terminated, or NULL with errno
 */
char *read_file(const char *path, size_t *size);

/* raw.c: what the backend writes */

/*
 * raw_open_dir() - a directory of "fntrace record", or one whose recorder died
 * raw_open_dump() - a file of buffers, as a kernel sends them
 * @image: ELF file with the kernel's symbols, or NULL; not used where programs were recorded
 * @offset: where the kernel ran minus where @image has it; NULL: as the recording says
 *
 * Return: false if there is nothing in it; a message was printed.
 */
bool raw_open_dir(struct trace *trace, struct machine *machine, const char *path,
		  const char *image, const uint64_t *offset);
bool raw_open_dump(struct trace *trace, struct machine *machine, const char *path,
		   const char *image, const uint64_t *offset);

/*
 * raw_open_clock() - the readings of counter and clock that are in such a directory
 */
void raw_open_clock(struct machine *machine, const char *path);

/* No header is larger, and no buffer has room for more: see the options of "fntrace record". */
#define RAW_HEADER_MAX	(1u << 20)
#define RAW_ROOM_MAX	(UINT64_C(1) << 36)

/*
 * raw_is_header() - can it be the header of a buffer that this machine writes?
 *
 * A program may have written over it.
 */
struct fntrace_header;
bool raw_is_header(const struct fntrace_header *header);

/*
 * raw_is_moved() - were the records of a buffer just moved behind it?
 * @begin: where they are in the file
 * @older: bytes of the records behind the buffer; 0: there are none
 * @used: bytes of those in the buffer
 *
 * If the program was killed right then, they are in both places.
 */
bool raw_is_moved(int fd, uint64_t begin, uint64_t older, uint64_t used);

/*
 * struct raw_summary - how much there is in a recording, as its headers say
 * @threads: that have a buffer
 * @records: in these
 * @lost: calls that could not be recorded
 * @too_deep: of these, the ones for which the shadow stack had no room
 * @arch: enum fntrace_arch of the last one; 0: there is none
 * @counter_hz: units of its counter in a second; 0: not known
 * @entries_only: there are no records of exits in it
 */
struct raw_summary {
	uint64_t	threads;
	uint64_t	records;
	uint64_t	lost;
	uint64_t	too_deep;
	uint32_t	arch;
	uint64_t	counter_hz;
	bool		entries_only;
};

/*
 * raw_summarise() - add up the headers of a recording
 * @pid: of the threads of this process; 0: of all
 */
struct raw_summary raw_summarise(const char *path, uint32_t pid);

/*
 * raw_summarise_dump() - those of a file of buffers; nothing if it is none
 */
struct raw_summary raw_summarise_dump(const char *path);

/*
 * raw_has_counter() - are there times of a machine that only its counter says?
 */
bool raw_has_counter(const struct trace *trace, const struct machine *machine);

/*
 * raw_marks() - marks of messages that a machine sent or received
 * @marks: allocated, to be freed
 *
 * Context: clock_finish() was called.
 * Return: how many
 */
struct clock_mark;
size_t raw_marks(struct trace *trace, struct machine *machine, struct clock_mark **marks);

/* uftrace.c: a directory of uftrace */
bool uftrace_open(struct trace *trace, struct machine *machine, const char *path);

/* Writers */

/*
 * struct writer - a format of output
 * @name: what the user calls it
 * @summary: nothing is written before the end
 * @ends: it gets an end of each call, also of those that have not ended
 * @begin: start; sources are open, no event was read. @path is "-" for standard output
 * @event: one event
 * @end: finish. Returns 0 or an errno; a message was printed.
 */
struct writer {
	const char	*name;
	bool		summary;
	bool		ends;
	void		(*begin)(struct trace *trace, const char *path);
	void		(*event)(const struct event *event);
	int		(*end)(struct trace *trace);
};

extern const struct writer uftrace_writer, chrome_writer, perfetto_writer,
			   flame_writer, list_writer, graph_writer;

/* list_writer shows times since the first event of the trace. */
extern bool list_elapsed;

#endif /* FNTRACE_TRACE_H */
