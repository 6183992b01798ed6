// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Record entry and exit of every instrumented function.
 *
 * The compiler puts a call of a hook at the beginning of each function. The
 * hook writes a record, keeps the return address of the function on a shadow
 * stack and puts that of fntrace_return() in its place, which writes the second
 * record and goes where the function wanted to. The trick with the return
 * address is that of the kernel's function graph tracer (kernel/trace/fgraph.c).
 *
 * Who may run at the same time, and why it is safe:
 *
 * A context belongs to one thread, or to one CPU. Other threads and CPUs never
 * touch it, so there are no locks. What may come in between at any instruction
 * is an interrupt (in a program: a signal) of the same CPU or thread, whose
 * handler may be instrumented and may be left by longjmp().
 *
 * Shadow stack: a handler that returns leaves the depth as it found it, so that
 * reading, adding one and writing is safe. What the handler writes is beyond the
 * depth that it found, so a frame is taken first and filled then. Until it is
 * filled its loc is 0, and stays so when it is given back; such a frame is
 * nobody's and is never looked at.
 *
 * Buffer: the handler moves buffer->next on. A record is taken by a compare and
 * exchange that fails if this happened after the counter was read, therefore
 * times in a buffer never go back. It is one instruction on x86, without a lock
 * prefix, and load and store exclusive elsewhere. FNTRACE_SHARED makes it an
 * atomic operation for embedders whose threads may change the CPU in a hook; then
 * a buffer must not be written over, or a record may be torn. buffer->busy keeps a
 * handler from making room while the code that it interrupted writes a record.
 *
 * fntrace_waits is changed by whoever calls a function that starts or stops the recording;
 * others see it with one of their next calls, which is soon enough.
 *
 * The hooks are reached through a pointer that is changed by one store. A
 * function that is in the hook when tracing stops is recorded; one that was
 * recorded at its entry is recorded at its exit.
 *
 * Everything here is compiled without floating point and vector registers: the
 * hooks save only the general ones.
 */

#include "internal.h"

/* Calls that are shorter than this, in units of the counter, are not wanted. */
static uint64_t fntrace_least;

/* Where functions return to. Not changed once a function is traced. */
static unsigned long fntrace_trampoline = (unsigned long)fntrace_return;

/* See fntrace_values(); NULL: no values are wanted. */
static size_t (*fntrace_store)(unsigned long func, enum fntrace_moment when,
			       const struct fntrace_registers *registers, uint8_t *to);

/* See fntrace_choose(); NULL: all functions are recorded. */
static unsigned int (*fntrace_judge)(unsigned long func);

bool fntrace_only;
bool fntrace_waits;
void (*fntrace_mcount_chosen_hook)(void) = fntrace_mcount_chosen;
void (*fntrace_fentry_chosen_hook)(void) = fntrace_fentry_chosen;

/*
 * struct values - what is recorded in front of an entry or exit
 * @size: bytes
 * @bytes: those of the caller, and as many more as fill the last record
 */
struct values {
	unsigned long	size;
	uint8_t		bytes[FNTRACE_VALUES_MAX + FNTRACE_DATA_BYTES];
};

/* Is *@word still @old? Then make it @new. */
static inline bool replace(uint64_t *word, uint64_t old, uint64_t new)
{
#if defined(__x86_64__) && !defined(FNTRACE_SHARED)
	bool done;

	__asm__ __volatile__("cmpxchgq %3, %1"
			     : "=@ccz" (done), "+m" (*word), "+a" (old)
			     : "r" (new)
			     : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(word, &old, new, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

static inline bool inside(const struct fntrace_stack *stack, unsigned long addr)
{
	return addr >= stack->low && addr < stack->high;
}

/*
 * Only addresses of one stack can be compared. What is outside of the known
 * bounds is a signal's stack, or a coroutine's.
 */
static inline bool same_stack(const struct fntrace_stack *stack,
			      unsigned long a, unsigned long b)
{
	return inside(stack, a) && inside(stack, b);
}

/*
 * Whether the code that this handler has interrupted is writing a record. A writer
 * keeps its stack pointer in buffer->busy; one that is not above @here on the same
 * stack was left by longjmp().
 */
static inline bool is_busy(const struct fntrace_context *context, unsigned long here)
{
	unsigned long who = READ(context->buffer->busy);

	return unlikely(who) && !(who <= here && same_stack(context->stack, who, here));
}

/* Bytes of the records that values take. */
static inline always_inline unsigned long room_of(const struct values *values)
{
	unsigned long records;

	if (!values)
		return 0;
	records = (values->size + FNTRACE_DATA_BYTES - 1) / FNTRACE_DATA_BYTES;
	return records * sizeof(struct fntrace_data);
}

/* Fill records that were taken. */
static void fill_values(struct fntrace_data *data, const struct values *values)
{
	unsigned long left = room_of(values) / sizeof(*data), i;
	const uint8_t *from = values->bytes;
	uint16_t first = FNTRACE_DATA_FIRST;

	for (; left; left--, data++) {
		for (i = 0; i < sizeof(data->first); i++)
			data->first[i] = *from++;
		for (i = 0; i < sizeof(data->rest); i++)
			data->rest[i] = *from++;
		data->what = first | left << 2 | FNTRACE_MARK;
		first = 0;
	}
}

/* What is left of the room is too little: nobody must read what was there before. */
static void fill_room(struct fntrace_header *buffer)
{
	struct fntrace_data *data;
	uint64_t next;

	while ((next = READ(buffer->next)) < buffer->end) {
		if (!replace(&buffer->next, next, next + sizeof(*data)))
			continue;
		data = (struct fntrace_data *)next;
		data->what = FNTRACE_DATA_NONE;
	}
}

/*
 * The buffer has no room. A record that was taken but is not filled yet must not be
 * moved or overwritten, so a handler loses what it has, if it came in between. It may
 * also have come just before, and made the room that is wanted here.
 *
 * @extra: bytes in front of the record
 */
static slow_path bool make_room(struct fntrace_context *context, unsigned long extra)
{
	struct fntrace_header *buffer = context->buffer;
	unsigned long here = stack_pointer();
	bool done = true;

	if (buffer->mode == FNTRACE_STOP || buffer->base + extra >= buffer->end ||
	    is_busy(context, here))
		return false;
	WRITE(buffer->busy, here);
	barrier();
	if (READ(buffer->next) + extra >= buffer->end) {
		if (extra)
			fill_room(buffer);
		if (buffer->mode == FNTRACE_OVERWRITE) {
			WRITE(buffer->next, buffer->base);
			buffer->wraps++;
		} else {
			done = fntrace_grow(buffer);
		}
	}
	barrier();
	WRITE(buffer->busy, 0);
	return done;
}

/* If there is room and nobody comes in between. */
static inline always_inline
bool record_now(struct fntrace_context *context, enum fntrace_type type, unsigned long depth,
		uint64_t value, const struct values *values)
{
	unsigned long extra = room_of(values);
	struct fntrace_header *buffer = context->buffer;
	unsigned long here = stack_pointer();
	bool inner = is_busy(context, here), done = false;
	struct fntrace_record *record;
	uint64_t next, time;

	if (likely(!inner))
		WRITE(buffer->busy, here);
	barrier();
	next = READ(buffer->next);
	if (likely(next + extra < buffer->end)) {
		time = counter();
		if (likely(replace(&buffer->next, next, next + extra + sizeof(*record)))) {
			record = (struct fntrace_record *)(next + extra);
			if (values)
				fill_values((struct fntrace_data *)next, values);
			WRITE(record->what, value << FNTRACE_ADDR_SHIFT |
					    (uint16_t)(depth << 2) | type);
			/* Last, for who reads the buffer meanwhile: a new time has a new @what. */
			__atomic_store_n(&record->time, time, __ATOMIC_RELEASE);
			done = true;
		}
	}
	barrier();
	if (likely(!inner))
		WRITE(buffer->busy, 0);
	return done;
}

static slow_path bool record_with(struct fntrace_context *context, enum fntrace_type type,
				  unsigned long depth, uint64_t value,
				  const struct values *values)
{
	unsigned long extra = room_of(values);

	while (!record_now(context, type, depth, value, values))
		if (READ(context->buffer->next) + extra >= context->buffer->end &&
		    !make_room(context, extra))
			return false;
	return true;
}

static slow_path bool record(struct fntrace_context *context, enum fntrace_type type,
			     unsigned long depth, uint64_t value)
{
	while (!record_now(context, type, depth, value, NULL))
		if (READ(context->buffer->next) >= context->buffer->end &&
		    !make_room(context, 0))
			return false;
	return true;
}

/* Where the values begin that are in front of the record at @next. */
static uint64_t begin_of_values(const struct fntrace_header *buffer, uint64_t next)
{
	const struct fntrace_data *data = (const struct fntrace_data *)next;
	unsigned int left = 0;

	while ((uint64_t)data > buffer->base && (data[-1].what & 3) == FNTRACE_MARK &&
	       FNTRACE_DATA_LEFT(data[-1].what) == left + 1) {
		data--;
		left++;
		if (data->what & FNTRACE_DATA_FIRST)
			return (uint64_t)data;
	}
	return next;
}

/*
 * Take back the last record, if it is the entry of the call that ends now, and that was
 * short; not if it has gone elsewhere. buffer->busy keeps a handler from making room
 * meanwhile, so if buffer->next is as it was, so is the record. Where older records are
 * written over, it is read as the oldest one until the next one takes its place: its time
 * says that it is none.
 *
 * @values: there may be values in front of it
 */
static inline bool take_back(struct fntrace_context *context, unsigned long depth,
			     uint64_t value, bool values)
{
	struct fntrace_header *buffer = context->buffer;
	unsigned long here = stack_pointer();
	bool inner = is_busy(context, here), done = false;
	struct fntrace_record *record;
	uint64_t next, to, what, time;

	if (!fntrace_least)
		return false;
	what = value << FNTRACE_ADDR_SHIFT | (uint16_t)(depth << 2) | FNTRACE_ENTRY;
	if (likely(!inner))
		WRITE(buffer->busy, here);
	barrier();
	next = READ(buffer->next);
	if (next > buffer->base && next <= buffer->end) {
		record = (struct fntrace_record *)next - 1;
		time = record->time;
		if (record->what == what && counter() - time < fntrace_least) {
			WRITE(record->time, 0);
			to = next - sizeof(*record);
			if (values)
				to = begin_of_values(buffer, to);
			done = replace(&buffer->next, next, to);
			if (!done)
				WRITE(record->time, time);
		}
	}
	barrier();
	if (likely(!inner))
		WRITE(buffer->busy, 0);
	return done;
}

/* Word by word: for a structure, a compiler may call memcpy(). */
static inline void copy_frame(struct fntrace_frame *to, const struct fntrace_frame *from)
{
	WRITE(to->ret, from->ret);
	WRITE(to->func, from->func);
#ifdef __aarch64__
	WRITE(to->fp, from->fp);
#endif
	WRITE(to->loc, from->loc);
}

static inline unsigned long where(const struct fntrace_frame *frame)
{
	return (unsigned long)frame->loc & ~FRAME_BITS;
}

static inline unsigned long *slot_of(const struct fntrace_frame *frame)
{
	return (unsigned long *)where(frame);
}

static inline bool is_gone(const struct fntrace_frame *frame)
{
	return (unsigned long)READ(frame->loc) == FRAME_GONE;
}

static inline bool is_lost(const struct fntrace_frame *frame)
{
	return (unsigned long)frame->loc & FRAME_LOST;
}

static inline bool has_slot(const struct fntrace_frame *frame)
{
	return frame->loc && !((unsigned long)frame->loc & (FRAME_NO_SLOT | FRAME_REPORTS));
}

static inline bool reports(const struct fntrace_frame *frame)
{
	return (unsigned long)frame->loc & FRAME_REPORTS;
}

/* With loc it becomes a frame, so that is the last. */
static inline void fill_frame(struct fntrace_frame *frame, unsigned long loc,
			      unsigned long ret, unsigned long func)
{
	frame->ret = ret;
	frame->func = func;
#ifdef __aarch64__
	frame->fp = loc & (FRAME_NO_SLOT | FRAME_REPORTS) ? 0 :
		    ((unsigned long *)(loc & ~FRAME_BITS))[-1];
#endif
	barrier();
	WRITE(frame->loc, (unsigned long *)loc);
	barrier();
}

/*
 * Is this the frame that returns with these pointers? The slot, or what stands for
 * it, is right below the stack pointer then. On arm64 a slot is anywhere in the frame,
 * but the frame pointer is its caller's again.
 */
static inline bool returns(const struct fntrace_frame *frame, unsigned long sp,
			   unsigned long fp)
{
#if defined(__x86_64__)
	return ((unsigned long)frame->loc & ~FRAME_LOST) == sp - sizeof(long);
#elif defined(__aarch64__)
	if (has_slot(frame))
		return frame->fp == fp;
#endif
	return where(frame) == sp - sizeof(long) && !reports(frame);
}

/* The same of a call that is recorded, which on x86 is one comparison. */
static inline bool ends(const struct fntrace_frame *frame, unsigned long sp, unsigned long fp)
{
#ifdef __x86_64__
	return (unsigned long)frame->loc == sp - sizeof(long);
#else
	return !is_lost(frame) && returns(frame, sp, fp);
#endif
}

/*
 * On riscv64 a function that has a variable number of arguments keeps those that came in
 * registers, up to 8 words, between its frame pointer and where the frame of its caller
 * begins. mcount() knows the one, and a return the other. A frame inside of it that was left
 * may be as near, so the outermost that may be meant is the one. Only that of a function
 * that was jumped to from the end of another may be further inside.
 */
#define REGISTERS_KEPT	(8 * sizeof(long))

static inline bool may_return(const struct fntrace_frame *frame, unsigned long sp)
{
#ifdef __riscv
	return has_slot(frame) && sp - sizeof(long) - where(frame) <= REGISTERS_KEPT;
#else
	return false;
#endif
}

/* Is it the frame at @depth that returns? */
static inline bool returns_at(const struct fntrace_stack *stack, unsigned long depth,
			      unsigned long sp, unsigned long fp)
{
	const struct fntrace_frame *frame = &stack->frames[depth];

	if (returns(frame, sp, fp))
		return true;
	return may_return(frame, sp) && (!depth || frame->ret == fntrace_trampoline ||
					 !may_return(frame - 1, sp));
}

/* What is not used need not be passed on, which takes a register of every call. */
static inline unsigned long fp_of_caller(unsigned long fp)
{
#ifdef __aarch64__
	return fp;
#else
	return 0;
#endif
}

/*
 * Does a call at @loc prove that a frame was left? If it is below on the same stack,
 * or at the same place. Functions that report and are inlined into one another have
 * one place; but if the hook is called from the same instruction again (@ret), it is
 * another call of the same one.
 *
 * On arm64 a function that is about to return has given its frame up, and an interrupt
 * may have its own there. So only what is below its caller's frame is certain, and that
 * two functions with a frame of the same caller are not both alive.
 */
static inline bool is_left(const struct fntrace_stack *stack, const struct fntrace_frame *frame,
			   unsigned long loc, unsigned long ret)
{
	unsigned long at = where(frame), here = loc & ~FRAME_BITS;

	if (is_gone(frame))
		return true;
	if (!at)
		return false;
#ifdef __aarch64__
	if (has_slot(frame)) {
		if (!(loc & (FRAME_NO_SLOT | FRAME_REPORTS)) &&
		    ((unsigned long *)here)[-1] == frame->fp)
			return true;
		return same_stack(stack, frame->fp, here) && frame->fp <= here;
	}
#endif
	if (at == here)
		return !(reports(frame) && loc & FRAME_REPORTS && frame->ret != ret);
	return at < here && same_stack(stack, at, here);
}

/* The innermost frame, which is at @depth. */
static inline void give_back(struct fntrace_stack *stack, unsigned long depth)
{
	WRITE(stack->frames[depth].loc, NULL);
	barrier();
	WRITE(stack->depth, depth);
}

/* The frames from @left on were left without returning. */
static slow_path void end_from(struct fntrace_context *context, unsigned long left)
{
	struct fntrace_stack *stack = context->stack;

	while (stack->depth > left) {
		struct fntrace_frame *top = &stack->frames[stack->depth - 1];

		if (!is_lost(top))
			record(context, FNTRACE_EXIT, stack->depth - 1, top->func);
		give_back(stack, stack->depth - 1);
	}
}

/* Drop what was left without returning: the outermost that was, and all inside of it. */
static slow_path
void prune(struct fntrace_context *context, unsigned long loc, unsigned long ret)
{
	struct fntrace_stack *stack = context->stack;
	unsigned long i, at, here = loc & ~FRAME_BITS, left = stack->depth;

	for (i = stack->depth; i-- > 0; ) {
		at = where(&stack->frames[i]);
		if (is_left(stack, &stack->frames[i], loc, ret))
			left = i;
		else if (!at || at > here || !same_stack(stack, at, here))
			break;
	}
	end_from(context, left);
}

/* No page is smaller. */
#define FRAME_PAGE	(~4095ul)

/*
 * May the slot of a frame be read, by code whose stack pointer is @here? What is on the
 * same stack, yes. Another stack may be gone: a coroutine called swapcontext() and never
 * got back, a handler was left by siglongjmp(), and who owned the stack unmapped it.
 * There is no other sign of that, and such a frame cannot be dropped either: as long as
 * its stack is there, somebody may return to it.
 *
 * @page: that of the last slot that was found readable, as the next is mostly there too
 */
static slow_path bool may_read(const struct fntrace_stack *stack,
			       const struct fntrace_frame *frame, unsigned long here,
			       unsigned long *page)
{
	unsigned long at = where(frame);

	if (!stack->readable || same_stack(stack, here, at) || (at & FRAME_PAGE) == *page)
		return true;
	if (!stack->readable(slot_of(frame)))
		return false;
	*page = at & FRAME_PAGE;
	return true;
}

/*
 * Take the frames under control again that are still alive when a function is
 * entered at @loc. A slot that has another value than it was given is no slot
 * any more. From the outermost on: a function and the one it became by a tail
 * call share a slot, and what the second one returns to is the trampoline.
 *
 * @loc: with its FRAME_BITS
 * @ret: as that of prune()
 */
static slow_path
void attach(struct fntrace_context *context, unsigned long loc, unsigned long ret)
{
	struct fntrace_stack *stack = context->stack;
	unsigned long i, page = 0;

	stack->detached = false;
	prune(context, loc, ret);
	for (i = 0; i < stack->depth; i++) {
		struct fntrace_frame *frame = &stack->frames[i];

		if (has_slot(frame) && may_read(stack, frame, loc & ~FRAME_BITS, &page) &&
		    *slot_of(frame) == frame->ret)
			*slot_of(frame) = fntrace_trampoline;
	}
}

/* Is this the frame of the function that jumped to one at @loc, and has ended with that? */
static inline bool was_jumped_from(const struct fntrace_frame *frame, unsigned long loc)
{
#ifdef __aarch64__
	/* Its slot is in its own frame, of whatever size that is; see is_left(). */
	if (has_slot(frame) && !is_lost(frame) && !(loc & FRAME_BITS))
		return ((unsigned long *)loc)[-1] == frame->fp;
#endif
	return (unsigned long)frame->loc == loc && !reports(frame);
}

/*
 * So many functions that jumped to one another have frames of their own, and are shown inside
 * of one another, as they call each other in the source.
 */
#define JUMPS_KEPT	8

/*
 * The innermost frame is that of a function that ended in a jump to this one, which goes on
 * with it: chains of such jumps, of an interpreter say, have no end. In between the frame is
 * hidden, so that a handler that is left by longjmp() does not have one end recorded twice.
 */
static slow_path bool take_over(struct fntrace_context *context, unsigned long loc,
				unsigned long func, const struct values *values)
{
	struct fntrace_stack *stack = context->stack;
	unsigned long depth = stack->depth - 1;
	struct fntrace_frame *frame = &stack->frames[depth];

	WRITE(frame->loc, (unsigned long *)(loc | FRAME_LOST));
	barrier();
	if (!take_back(context, depth, frame->func, true))
		record(context, FNTRACE_EXIT, depth, frame->func);
	WRITE(frame->func, func);
	if (record_with(context, FNTRACE_ENTRY, depth, func, values)) {
		barrier();
		WRITE(frame->loc, (unsigned long *)loc);
	} else {
		context->buffer->lost++;
	}
	return true;
}

/* Whatever it takes. Returns false if the call is not traced. */
static slow_path bool enter_slowly(struct fntrace_context *context, unsigned long loc,
				   unsigned long ret, unsigned long func,
				   const struct values *values)
{
	struct fntrace_stack *stack = context->stack;
	unsigned long at = loc & ~FRAME_BITS;
	struct fntrace_frame *frame;
	unsigned long depth;

	if (stack->detached)
		attach(context, loc, ret);

	/*
	 * A return address that is the trampoline's already is that of a function
	 * which ended in a jump to this one: it goes on, whatever the places are.
	 */
	depth = stack->depth;
	if (depth >= JUMPS_KEPT && ret == fntrace_trampoline &&
	    was_jumped_from(&stack->frames[depth - 1], loc) &&
	    was_jumped_from(&stack->frames[depth - JUMPS_KEPT], loc))
		return take_over(context, loc, func, values);
	if (depth && where(&stack->frames[depth - 1]) <= at && ret != fntrace_trampoline) {
		prune(context, loc, ret);
		depth = stack->depth;
	}

	if (depth >= stack->max && depth >= stack->room) {
		context->buffer->too_deep++;
		context->buffer->lost++;
		return false;
	}

	frame = &stack->frames[depth];
	if (depth >= stack->max) {
		/* Not wanted, but its end must not be taken for that of another call. */
		if (!(loc & FRAME_REPORTS))
			return false;
		loc |= FRAME_LOST;
	}
	WRITE(stack->depth, depth + 1);
	barrier();
	if (!(loc & FRAME_LOST) && !record_with(context, FNTRACE_ENTRY, depth, func, values)) {
		context->buffer->lost++;
		if (!(loc & FRAME_REPORTS)) {
			give_back(stack, depth);
			return false;
		}
		loc |= FRAME_LOST;
	}
	fill_frame(frame, loc, ret, func);
	return true;
}

/* Is it deeper than what is wanted, and nothing else is to be done? */
static inline bool is_unwanted(const struct fntrace_stack *stack, unsigned long depth,
			       unsigned long loc)
{
	return depth >= stack->max && depth < stack->room && !(loc & FRAME_REPORTS) &&
	       !stack->detached && where(&stack->frames[depth - 1]) > (loc & ~FRAME_BITS);
}

/* There is no shadow stack. */
static __attribute__((noinline))
bool enter_only(struct fntrace_context *context, unsigned long func)
{
	WRITE(context->buffer->flags, FNTRACE_ENTRIES_ONLY);
	if (unlikely(!record_now(context, FNTRACE_ENTRY, 0, func, NULL)) &&
	    !record(context, FNTRACE_ENTRY, 0, func))
		context->buffer->lost++;
	return false;
}

/*
 * Nearly always nothing special has to be done, and then nothing is called from
 * here, so that few registers have to be saved.
 */
static inline always_inline
bool enter(struct fntrace_context *context, unsigned long loc, unsigned long ret,
	   unsigned long func, const struct values *values)
{
	struct fntrace_stack *stack = context->stack;
	unsigned long depth = stack->depth;
	struct fntrace_frame *frame = &stack->frames[depth];

	if (unlikely(stack->detached || depth >= stack->max ||
		     (depth && where(frame - 1) <= (loc & ~FRAME_BITS)))) {
		if (!(stack->max | stack->room))
			return enter_only(context, func);
		if (is_unwanted(stack, depth, loc))
			return false;
		return enter_slowly(context, loc, ret, func, values);
	}

	WRITE(stack->depth, depth + 1);
	barrier();
	if (unlikely(!record_now(context, FNTRACE_ENTRY, depth, func, values))) {
		give_back(stack, depth);
		return enter_slowly(context, loc, ret, func, values);
	}
	fill_frame(frame, loc, ret, func);
	return true;
}

/* The return address is on the stack. @context is the answer of fntrace_current(). */
void fntrace_enter_slot(struct fntrace_context *context, unsigned long *slot,
			unsigned long func)
{
	if (context && enter(context, (unsigned long)slot, *slot, func, NULL))
		*slot = fntrace_trampoline;
}

/* It is in a register. Returns what to have there. */
unsigned long fntrace_enter_register(struct fntrace_context *context, unsigned long ret,
				     unsigned long func, unsigned long sp)
{
	if (context && enter(context, (sp - sizeof(long)) | FRAME_NO_SLOT, ret, func,
			     NULL))
		return fntrace_trampoline;
	return ret;
}

/*
 * Is what happens now inside of a call that is hidden? Its frame is the innermost one then, as
 * nothing inside of it gets one, but for functions that report their ends: they get a frame
 * that is hidden as well.
 */
static inline bool is_hidden(const struct fntrace_stack *stack)
{
	const struct fntrace_frame *top = &stack->frames[stack->depth - 1];

	return stack->depth && is_lost(top) && !is_gone(top) && top->ret;
}

/*
 * A frame of a call that is not recorded. Its end must be known: what is called later is
 * recorded again, or the end would be taken for that of another call.
 *
 * @ret: 0: what it calls may be recorded
 */
static bool hide(struct fntrace_stack *stack, unsigned long loc, unsigned long ret,
		 unsigned long func)
{
	unsigned long depth = stack->depth;

	/* What is deeper is not recorded either. */
	if (depth >= (stack->room ? stack->room : stack->max))
		return false;
	WRITE(stack->depth, depth + 1);
	barrier();
	fill_frame(&stack->frames[depth], loc | FRAME_LOST, ret, func);
	return true;
}

/*
 * What becomes of a call: it is recorded if @chosen is set; else the answer says whether it
 * has a frame.
 *
 * An outermost frame is that of a function with FNTRACE_ONLY, if there are such, so what is
 * called while there is a frame that is not hidden is inside of one.
 */
static bool choose(struct fntrace_context *context, unsigned long loc, unsigned long ret,
		   unsigned long func, bool *chosen)
{
	struct fntrace_stack *stack = context->stack;
	unsigned int verdict = fntrace_judge(func);

	*chosen = false;
	if (unlikely(stack->detached))
		attach(context, loc, ret);
	if (stack->depth && where(&stack->frames[stack->depth - 1]) <= (loc & ~FRAME_BITS) &&
	    ret != fntrace_trampoline)
		prune(context, loc, ret);

	if (verdict & FNTRACE_STOP_AT)
		WRITE(fntrace_waits, true);
	else if (verdict & FNTRACE_START_AT)
		WRITE(fntrace_waits, false);
	if (verdict & FNTRACE_WITHOUT)
		return hide(stack, loc, ret, func);
	if (is_hidden(stack))
		return loc & FRAME_REPORTS && hide(stack, loc, ret, func);
	if (READ(fntrace_waits) || READ(stack->unwanted))
		return loc & FRAME_REPORTS && stack->depth && hide(stack, loc, 0, func);
	*chosen = !fntrace_only || stack->depth || verdict & FNTRACE_ONLY;
	return false;
}

/* enter() where functions are chosen. */
static __attribute__((noinline))
bool enter_chosen(struct fntrace_context *context, unsigned long loc, unsigned long ret,
		  unsigned long func)
{
	bool chosen, framed = choose(context, loc, ret, func, &chosen);

	return chosen ? enter(context, loc, ret, func, NULL) : framed;
}

void fntrace_enter_slot_chosen(struct fntrace_context *context, unsigned long *slot,
			       unsigned long func)
{
	if (context && enter_chosen(context, (unsigned long)slot, *slot, func))
		*slot = fntrace_trampoline;
}

unsigned long fntrace_enter_register_chosen(struct fntrace_context *context, unsigned long ret,
					    unsigned long func, unsigned long sp)
{
	if (context && enter_chosen(context, (sp - sizeof(long)) | FRAME_NO_SLOT, ret, func))
		return fntrace_trampoline;
	return ret;
}

unsigned long fntrace_general(const struct fntrace_registers *registers, unsigned int number,
			      enum fntrace_moment when)
{
#if defined(__x86_64__)
	/* rdi, rsi, rdx, rcx, r8, r9; or rax, rdx: where SAVE put them, from the lowest on. */
	static const uint8_t arguments[] = { 4, 5, 6, 7, 3, 2, 0, 0 };
	static const uint8_t results[] = { 8, 6, 0, 0, 0, 0, 0, 0 };

	number = when == FNTRACE_AT_EXIT ? results[number & 7] : arguments[number & 7];
#elif defined(__riscv)
	/* ra is in front of them. */
	number++;
#endif
	return registers->general[number];
}

/* The values that are wanted of a call. Returns false if there are none. */
static inline bool get_values(struct values *values, unsigned long func,
			      enum fntrace_moment when,
			      const struct fntrace_registers *registers)
{
	values->size = fntrace_store(func, when, registers, values->bytes);
	return values->size && values->size <= FNTRACE_VALUES_MAX;
}

/* enter() with values. Those of calls that are not recorded need not be found. */
static __attribute__((noinline))
bool enter_with_values(struct fntrace_context *context, unsigned long loc, unsigned long ret,
		       unsigned long func, enum fntrace_moment when,
		       const struct fntrace_registers *registers)
{
	struct values values;
	bool chosen, framed;

	if (fntrace_judge) {
		framed = choose(context, loc, ret, func, &chosen);
		if (!chosen)
			return framed;
	}
	if (context->stack->depth >= context->stack->max ||
	    !get_values(&values, func, when, registers))
		return enter(context, loc, ret, func, NULL);
	return enter(context, loc, ret, func, &values);
}

void fntrace_enter_mcount_values(struct fntrace_context *context, unsigned long *slot,
				 unsigned long func, const unsigned long *general,
				 const unsigned long *floating)
{
	struct fntrace_registers registers = { general, floating, slot + 1 };

	if (context && enter_with_values(context, (unsigned long)slot, *slot, func,
					 FNTRACE_AFTER_PROLOGUE, &registers))
		*slot = fntrace_trampoline;
}

void fntrace_enter_slot_values(struct fntrace_context *context, unsigned long *slot,
			       unsigned long func, const unsigned long *general,
			       const unsigned long *floating)
{
	struct fntrace_registers registers = { general, floating, slot + 1 };

	if (context && enter_with_values(context, (unsigned long)slot, *slot, func,
					 FNTRACE_AT_ENTRY, &registers))
		*slot = fntrace_trampoline;
}

unsigned long fntrace_enter_register_values(struct fntrace_context *context, unsigned long ret,
					    unsigned long func, unsigned long sp,
					    const unsigned long *general,
					    const unsigned long *floating)
{
	struct fntrace_registers registers = { general, floating, (unsigned long *)sp };

	if (context && enter_with_values(context, (sp - sizeof(long)) | FRAME_NO_SLOT, ret,
					 func, FNTRACE_AT_ENTRY, &registers))
		return fntrace_trampoline;
	return ret;
}

/* The exit of a call, with values if @registers are given and it has some. */
static __attribute__((noinline))
bool record_exit(struct fntrace_context *context, unsigned long depth, unsigned long func,
		 const struct fntrace_registers *registers)
{
	struct values values;

	if (!registers || !get_values(&values, func, FNTRACE_AT_EXIT, registers))
		return record(context, FNTRACE_EXIT, depth, func);
	return record_with(context, FNTRACE_EXIT, depth, func, &values);
}

/*
 * @stack->moving: its owner moves frames, or somebody else looks for one. The owner may be
 * interrupted by a handler that moves frames as well; one that is left by longjmp() leaves
 * it behind, which is why nobody waits for ever.
 */
enum { MOVING_NOBODY, MOVING_OWNER, MOVING_OTHER };

#define MOVING_SPINS	1000000

static slow_path bool begin_moving(struct fntrace_stack *stack, unsigned int who)
{
	unsigned int i, now;

	for (i = 0; i < MOVING_SPINS; i++) {
		now = MOVING_NOBODY;
		if (__atomic_compare_exchange_n(&stack->moving, &now, who, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		if (who == MOVING_OWNER && now == MOVING_OWNER)
			return false;
	}
	return false;
}

static slow_path void end_moving(struct fntrace_stack *stack, bool begun)
{
	if (begun)
		__atomic_store_n(&stack->moving, MOVING_NOBODY, __ATOMIC_RELEASE);
}

/*
 * No frame is larger. On arm64 a frame is recognised by the frame pointer of its caller,
 * which is 0 at the beginning of a coroutine: of one whose frame is elsewhere, too.
 */
#define MOVING_FRAME	(8ul << 20)

/* From the innermost on, as frames are moved outwards. */
static struct fntrace_frame *find_returning(struct fntrace_stack *stack, unsigned long sp,
					    unsigned long fp)
{
	unsigned long i;

	for (i = READ(stack->depth); i-- > 0; )
		if (returns_at(stack, i, sp, fp) &&
		    sp - where(&stack->frames[i]) < MOVING_FRAME)
			return &stack->frames[i];
	return NULL;
}

bool fntrace_take(struct fntrace_stack *stack, unsigned long sp, unsigned long fp,
		  struct fntrace_frame *frame, unsigned long *depth)
{
	bool begun = begin_moving(stack, MOVING_OTHER);
	struct fntrace_frame *found = find_returning(stack, sp, fp);

	if (found) {
		copy_frame(frame, found);
		*depth = found - stack->frames;
	}
	end_moving(stack, begun);
	return found;
}

void fntrace_drop(struct fntrace_stack *stack, unsigned long sp, unsigned long fp)
{
	bool begun = begin_moving(stack, MOVING_OTHER);
	struct fntrace_frame *found = find_returning(stack, sp, fp);

	if (found)
		WRITE(found->loc, (unsigned long *)FRAME_GONE);
	end_moving(stack, begun);
}

bool fntrace_returns_here(unsigned long ret)
{
	return ret == fntrace_trampoline;
}

void fntrace_uncover(struct fntrace_stack *stack, unsigned long from, unsigned long to)
{
	bool begun = begin_moving(stack, MOVING_OTHER);
	unsigned long i, at, page = 0;

	for (i = READ(stack->depth); i-- > 0; ) {
		struct fntrace_frame *frame = &stack->frames[i];

		at = where(frame);
		if (has_slot(frame) && at >= from && at < to && !inside(stack, at) &&
		    may_read(stack, frame, from, &page) &&
		    *slot_of(frame) == fntrace_trampoline)
			*slot_of(frame) = frame->ret;
	}
	end_moving(stack, begun);
}

/*
 * The frame that returns is not simply the last one. What was entered later on the same
 * stack was left. If it was jumped to from another function at its end, that one ends
 * too, and says where to. Frames of other stacks between them stay.
 *
 * @registers: what was returned, if values are wanted; else NULL
 */
static slow_path
unsigned long leave_several(struct fntrace_context *context, unsigned long sp,
			    unsigned long fp, const struct fntrace_registers *registers)
{
	struct fntrace_stack *stack = context->stack;
	unsigned long i, kept, first = stack->depth, ret = fntrace_trampoline;
	bool begun;

	for (i = stack->depth; i-- > 0 && ret == fntrace_trampoline; ) {
		if (returns_at(stack, i, sp, fp)) {
			first = i;
			ret = stack->frames[i].ret;
		}
	}
	/* What is not here was entered with another shadow stack. Its end is not recorded. */
	if (ret == fntrace_trampoline &&
	    (!stack->elsewhere || !stack->elsewhere(sp, fp_of_caller(fp), &ret)))
		fntrace_fault("a function returned that was never entered");

	begun = begin_moving(stack, MOVING_OWNER);
	for (i = stack->depth; i-- > first; ) {
		struct fntrace_frame *frame = &stack->frames[i];
		bool returned = returns_at(stack, i, sp, fp);

		if (!returned && !is_gone(frame) &&
		    !same_stack(stack, where(frame), sp - 1))
			continue;
		if (!is_lost(frame))
			record_exit(context, i, frame->func, returned ? registers : NULL);
		frame->loc = NULL;
	}
	for (i = kept = first; i < stack->depth; i++) {
		struct fntrace_frame *frame = &stack->frames[i];

		if (!frame->loc)
			continue;
		if (i != kept) {
			copy_frame(&stack->frames[kept], frame);
			frame->loc = NULL;
		}
		kept++;
	}
	barrier();
	WRITE(stack->depth, kept);
	end_moving(stack, begun);
	return ret;
}

/* Whatever it takes. */
static slow_path unsigned long leave_slowly(struct fntrace_context *context,
					    unsigned long sp, unsigned long fp,
					    const struct fntrace_registers *registers)
{
	struct fntrace_stack *stack;
	struct fntrace_frame *top;
	unsigned long ret;

	if (!context)
		fntrace_fault("a function returned to code that has no context");
	stack = context->stack;
	top = &stack->frames[stack->depth - 1];
	/* A call that is hidden, and nothing was left inside of it. */
	if (stack->depth && is_lost(top) && returns(top, sp, fp) &&
	    top->ret != fntrace_trampoline) {
		ret = top->ret;
		give_back(stack, stack->depth - 1);
		return ret;
	}
	return leave_several(context, sp, fp, registers);
}

/* The innermost frame returns. If its call was short, that is not recorded. */
static __attribute__((noinline))
unsigned long leave_unless_short(struct fntrace_context *context, unsigned long sp,
				 unsigned long fp)
{
	struct fntrace_stack *stack = context->stack;
	unsigned long depth = stack->depth - 1, ret = stack->frames[depth].ret;
	unsigned long func = stack->frames[depth].func;

	if (!take_back(context, depth, func, false) &&
	    !record_now(context, FNTRACE_EXIT, depth, func, NULL))
		return leave_slowly(context, sp, fp, NULL);
	give_back(stack, depth);
	return ret;
}

/*
 * A function returned to the trampoline; @sp is the stack pointer it left, @fp the
 * frame pointer (of arm64 only). Returns where it wanted to go.
 */
unsigned long fntrace_leave(struct fntrace_context *context, unsigned long sp,
			    unsigned long fp)
{
	struct fntrace_stack *stack;
	struct fntrace_frame *top;
	unsigned long depth, ret;

	if (unlikely(!context))
		return leave_slowly(context, sp, fp, NULL);
	stack = context->stack;
	depth = stack->depth - 1;
	if (unlikely(depth >= stack->max))
		return leave_slowly(context, sp, fp, NULL);

	top = &stack->frames[depth];
	ret = top->ret;
	if (unlikely(!ends(top, sp, fp) || ret == fntrace_trampoline))
		return leave_slowly(context, sp, fp, NULL);
	if (unlikely(READ(fntrace_least)))
		return leave_unless_short(context, sp, fp);
	if (unlikely(!record_now(context, FNTRACE_EXIT, depth, top->func, NULL)))
		return leave_slowly(context, sp, fp, NULL);
	give_back(stack, depth);
	return ret;
}

/* The same for those who also record values. */
unsigned long fntrace_leave_values(struct fntrace_context *context, unsigned long sp,
				   unsigned long fp, const unsigned long *general,
				   const unsigned long *floating)
{
	struct fntrace_registers registers = { general, floating, NULL };
	struct fntrace_stack *stack;
	struct fntrace_frame *top;
	unsigned long depth, ret;

	if (!context)
		return leave_slowly(context, sp, fp, &registers);
	stack = context->stack;
	depth = stack->depth - 1;
	if (depth >= stack->max)
		return leave_slowly(context, sp, fp, &registers);
	top = &stack->frames[depth];
	ret = top->ret;
	if (!ends(top, sp, fp) || ret == fntrace_trampoline)
		return leave_slowly(context, sp, fp, &registers);
	if (!take_back(context, depth, top->func, true))
		record_exit(context, depth, top->func, &registers);
	give_back(stack, depth);
	return ret;
}

/*
 * -finstrument-functions: the function tells both its beginning and its end, and
 * its return address is left alone. Its place is its stack pointer when it called
 * the hook: above the slots of all that it calls.
 */
void __cyg_profile_func_enter(void *func, void *site)
{
	struct fntrace_context *context;
	unsigned long loc;

	if (!fntrace_running())
		return;
	context = fntrace_current();
	if (!context)
		return;
	loc = ((unsigned long)__builtin_frame_address(0) + 2 * sizeof(long)) | FRAME_REPORTS;
	if (fntrace_judge)
		enter_chosen(context, loc, (unsigned long)__builtin_return_address(0),
			     (unsigned long)func);
	else
		enter(context, loc, (unsigned long)__builtin_return_address(0),
		      (unsigned long)func, NULL);
}

void __cyg_profile_func_exit(void *func, void *site)
{
	struct fntrace_context *context = fntrace_current();
	unsigned long i, at;

	if (!context || !context->stack->depth)
		return;
	/*
	 * Not found: it was entered when tracing was off. What is inside of it was
	 * left by longjmp(); a frame for which this is not certain ends the search,
	 * as somebody may still return to it.
	 */
	at = (unsigned long)__builtin_frame_address(0) + 2 * sizeof(long);
	for (i = context->stack->depth; i-- > 0; ) {
		struct fntrace_frame *frame = &context->stack->frames[i];

		if (reports(frame) && frame->func == (unsigned long)func)
			break;
		if (is_gone(frame))
			continue;
		if (!i || !frame->loc ||
		    (!reports(frame) && !(where(frame) < at &&
					  same_stack(context->stack, where(frame), at))))
			return;
	}
	while (context->stack->depth > i) {
		struct fntrace_frame *top = &context->stack->frames[context->stack->depth - 1];

		if (!is_lost(top) &&
		    !take_back(context, context->stack->depth - 1, top->func, true))
			record(context, FNTRACE_EXIT, context->stack->depth - 1, top->func);
		give_back(context->stack, context->stack->depth - 1);
	}
}

void fntrace_buffer_init(struct fntrace_header *buffer, void *records,
			 size_t size, enum fntrace_mode mode)
{
	static const char magic[sizeof(buffer->magic)] = FNTRACE_MAGIC;
	size_t i;

	for (i = 0; i < sizeof(magic); i++)
		buffer->magic[i] = magic[i];
	buffer->byte_order = FNTRACE_BYTE_ORDER;
	buffer->version = fntrace_store ? FNTRACE_VERSION_VALUES : FNTRACE_VERSION;
	buffer->header_size = FNTRACE_HEADER_SIZE;
#if defined(__x86_64__)
	buffer->arch = FNTRACE_ARCH_X86_64;
#elif defined(__aarch64__)
	buffer->arch = FNTRACE_ARCH_ARM64;
#else
	buffer->arch = FNTRACE_ARCH_RISCV64;
#endif
	buffer->mode = mode;
	buffer->anchor = (uintptr_t)fntrace_buffer_init;
	buffer->base = (uintptr_t)records;
	buffer->older = 0;
	buffer->end = buffer->base + size;
	barrier();
	buffer->next = buffer->base;
}

void *fntrace_mcount_started(void)
{
#ifdef __x86_64__
	if (fntrace_store)
		return fntrace_mcount_values;
#endif
	return fntrace_judge ? fntrace_mcount_chosen_hook : fntrace_mcount_on;
}

void *fntrace_fentry_started(void)
{
	if (fntrace_store)
		return fntrace_fentry_values;
	return fntrace_judge ? fntrace_fentry_chosen_hook : fntrace_fentry_on;
}

void fntrace_start(void)
{
	__atomic_store_n(&fntrace_fentry_hook, fntrace_fentry_started(), __ATOMIC_RELEASE);
	__atomic_store_n(&fntrace_mcount_hook, fntrace_mcount_started(), __ATOMIC_RELEASE);
}

void fntrace_stop(void)
{
	__atomic_store_n(&fntrace_mcount_hook, (void *)fntrace_off, __ATOMIC_RELEASE);
	__atomic_store_n(&fntrace_fentry_hook, (void *)fntrace_fentry_off, __ATOMIC_RELEASE);
}

bool fntrace_running(void)
{
	return READ(fntrace_mcount_hook) != (void *)fntrace_off;
}

void fntrace_drop_short(uint64_t ticks)
{
	WRITE(fntrace_least, ticks);
}

void fntrace_values(size_t (*store)(unsigned long func, enum fntrace_moment when,
				    const struct fntrace_registers *registers, uint8_t *to))
{
	fntrace_store = store;
	fntrace_trampoline = (unsigned long)fntrace_return_values;
}

void fntrace_choose(unsigned int (*judge)(unsigned long func), unsigned int verdicts)
{
	fntrace_only = verdicts & FNTRACE_ONLY;
	fntrace_waits = verdicts & FNTRACE_START_AT;
	fntrace_judge = judge;
}

bool fntrace_mark(uint64_t value)
{
	struct fntrace_context *context = fntrace_current();

	return context && !(fntrace_judge && READ(context->stack->unwanted)) &&
	       record(context, FNTRACE_MARK, 0, value);
}

void fntrace_detach(struct fntrace_stack *stack)
{
	unsigned long here = (unsigned long)__builtin_frame_address(0);
	unsigned long i, *word, *end, page = 0;

	if (stack->uncover)
		stack->uncover(here);
	if (stack->detached)
		return;
	stack->detached = true;
	for (i = stack->depth; i-- > 0; ) {
		struct fntrace_frame *frame = &stack->frames[i];

		if (!frame->loc || reports(frame))
			continue;
		if (has_slot(frame)) {
			if (may_read(stack, frame, stack_pointer(), &page) &&
			    *slot_of(frame) == fntrace_trampoline)
				*slot_of(frame) = frame->ret;
			continue;
		}
		/*
		 * Where the function saved the register nobody knows, but it is between
		 * the frame inside and this one, and only there is this value.
		 */
		if (!same_stack(stack, here, where(frame)))
			continue;
		word = (unsigned long *)here;
		for (end = (unsigned long *)where(frame); word <= end; word++)
			if (*word == fntrace_trampoline)
				*word = frame->ret;
		here = where(frame);
	}
}

void fntrace_attach(struct fntrace_context *context)
{
	if (context->stack->detached)
		attach(context, (unsigned long)__builtin_frame_address(0) | FRAME_NO_SLOT, 0);
}

void fntrace_caught(struct fntrace_context *context, unsigned long sp)
{
	struct fntrace_stack *stack = context->stack;
	unsigned long i, at, left = stack->depth;

	for (i = stack->depth; i-- > 0; ) {
		at = where(&stack->frames[i]);
		if (is_gone(&stack->frames[i]) || (at && at < sp && same_stack(stack, at, sp)))
			left = i;
		else
			break;
	}
	end_from(context, left);
	fntrace_attach(context);
}
