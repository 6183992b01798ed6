// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small kernel that traces itself: two CPUs, interrupts, and messages that
 * are exchanged with a program of the host.
 *
 * It shows what an embedder has to do, and does what makes tracing difficult:
 * interrupts at any instruction, deep recursion, jumps out of many functions at
 * once, and functions that end in a jump to another. It counts its calls itself
 * and checks its results, so that a trace of it can be checked to the last record.
 *
 * Parameters on the command line, each as name=number:
 *
 *	overwrite	1: the oldest records are overwritten; 0: tracing ends when a
 *			buffer is full
 *	stream		1: send the records whenever a buffer is full; 0: at the end
 *	records		room in the buffer of each CPU
 *	frames		room on the shadow stack of each CPU
 *	repeat		how often each CPU does its work
 *	deep		levels of the deep recursion
 *	hz		timer interrupts per second
 *	messages	1: answer messages on the second serial port until it is told
 *			to quit
 */

#include <stdarg.h>
#include "kernel.h"

#define MAX_RECORDS	0x100000ul
#define MAX_FRAMES	0x2000ul

/* What a test compares with the trace. */
enum call {
	FIB, DESCEND, LEAP, LANDED, TAIL_FIRST, TAIL_SECOND, TAIL_THIRD, MANY_ARGUMENTS,
	TWO_RESULTS, INTERRUPTS_OFF, TIMER_INTERRUPT, HANDLE_MESSAGE, NR_CALLS
};

static const char * const call_names[NR_CALLS] = {
	"fib", "descend", "leap", "landed", "tail_first", "tail_second", "tail_third",
	"many_arguments", "two_results", "interrupts_off", "timer_interrupt", "handle_message",
};

struct cpu {
	struct cpu *self;		/* first; set when the CPU runs */
	struct fntrace_context context;
	struct fntrace_stack shadow;
	uint64_t calls[NR_CALLS];
	uint64_t due;			/* when the timer should interrupt */
	uint64_t latency_min, latency_max, latency_sum;
	struct jump jump;
	bool done, parked;
};

static struct cpu cpus[NUM_CPUS];
alignas(16) char stacks[NUM_CPUS][STACK_SIZE];

static struct fntrace_frame frames[NUM_CPUS][MAX_FRAMES];
static alignas(4096) char headers[NUM_CPUS][FNTRACE_HEADER_SIZE];
static alignas(4096) struct fntrace_record records[NUM_CPUS][MAX_RECORDS];

static struct {
	unsigned long overwrite, stream, records, frames, repeat, deep, hz, messages;
} params;

static uint64_t counter_hz;
static bool finishing;

/* Keeps the compiler from knowing better than to call a function. */
static inline notrace unsigned long opaque(unsigned long value)
{
	asm volatile("" : "+r" (value));
	return value;
}

static inline notrace void count(enum call call)
{
	this_cpu()->calls[call]++;
}

/* Before this, the hooks must be off: they ask for the current context. */
static notrace void set_cpu(unsigned long n)
{
	set_this_cpu(&cpus[n]);
	store(cpus[n].self, &cpus[n]);
}

/* The compiler calls these, and the backend may. */

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

notrace void *memcpy(void *to, const void *from, size_t size)
{
	const char *source = from;
	char *target = to;

	while (size--)
		*target++ = *source++;
	return to;
}

notrace void *memset(void *to, int value, size_t size)
{
	char *target = to;

	while (size--)
		*target++ = value;
	return to;
}

/* Output */

static void send_string(void (*send)(char c), const char *s)
{
	while (*s)
		send(*s++);
}

static void send_number(void (*send)(char c), unsigned long value, unsigned int base)
{
	char digits[24];
	char *p = &digits[sizeof(digits) - 1];

	*p = '\0';
	do {
		*--p = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	send_string(send, p);
}

/* Knows %s, %lu and %lx. */
static void vprint(const char *format, va_list args)
{
	for (; *format; format++) {
		if (*format == '\n')
			console_send('\r');
		if (*format != '%') {
			console_send(*format);
			continue;
		}
		if (*++format == 's')
			send_string(console_send, va_arg(args, const char *));
		else
			send_number(console_send, va_arg(args, unsigned long),
				    *++format == 'x' ? 16 : 10);
	}
}

static void print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprint(format, args);
	va_end(args);
}

/*
 * The trace may be what is broken: no hook may be called on the way to
 * fntrace_stop().
 */
notrace noreturn void die(const char *format, ...)
{
	static bool dying;
	va_list args;

	disable_interrupts();
	fntrace_stop();
	/* The machine does not stop as it should. */
	while (dying)
		wait_for_interrupt();
	dying = true;
	print("panic: ");
	va_start(args, format);
	vprint(format, args);
	va_end(args);
	print("\n");
	stop_machine(false);
}

/* What the backend asks for. */

notrace struct fntrace_context *fntrace_current(void)
{
	return &this_cpu()->context;
}

/*
 * To a file or socket of the host: a part of a stream is the header and what is
 * in the buffer, and a dump has one part for each CPU.
 */
static notrace void send_buffer(const struct fntrace_header *buffer)
{
	uint64_t end = buffer->end;

	if (!buffer->wraps && buffer->next < end)
		end = buffer->next;
	dump_send(buffer, FNTRACE_HEADER_SIZE);
	dump_send((const void *)buffer->base, end - buffer->base);
}

/*
 * The CPUs have one port. No interrupt comes while it is in use: a handler that wants to
 * record would lose its records, as its buffer is full.
 */
notrace bool fntrace_grow(struct fntrace_header *buffer)
{
	unsigned long flags = save_interrupts();
	static int busy;

	while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		relax();
	send_buffer(buffer);
	store(busy, 0);
	buffer->older += buffer->end - buffer->base;
	store(buffer->next, buffer->base);
	restore_interrupts(flags);
	return true;
}

notrace void fntrace_fault(const char *why)
{
	die("%s", why);
}

/* Command line */

static const char *find_param(const char *line, const char *name)
{
	while (*line) {
		const char *p = line, *n = name;

		while (*n && *p == *n) {
			p++;
			n++;
		}
		if (!*n && *p == '=')
			return p + 1;
		while (*line && *line != ' ')
			line++;
		while (*line == ' ')
			line++;
	}
	return NULL;
}

static unsigned long get_param(const char *line, const char *name, unsigned long value,
			       unsigned long min, unsigned long max)
{
	const char *p = find_param(line, name);

	if (!p)
		return value;
	value = 0;
	do {
		if (*p < '0' || *p > '9')
			die("%s= wants a number", name);
		value = value * 10 + *p - '0';
		if (value > max)
			break;
		p++;
	} while (*p && *p != ' ');
	if (value < min || value > max)
		die("%s= must be from %lu to %lu", name, min, max);
	return value;
}

static void read_params(const char *line)
{
	params.overwrite = get_param(line, "overwrite", 0, 0, 1);
	params.stream = get_param(line, "stream", 0, 0, 1);
	params.records = get_param(line, "records", MAX_RECORDS, 1, MAX_RECORDS);
	params.frames = get_param(line, "frames", MAX_FRAMES / 2, 1, MAX_FRAMES);
	params.repeat = get_param(line, "repeat", 4, 1, 1000000);
	/* A level takes less than 64 bytes of the stack. */
	params.deep = get_param(line, "deep", 2500, 0, STACK_SIZE / 64 - 512);
	params.hz = get_param(line, "hz", 1000, 1, 10000);
	params.messages = get_param(line, "messages", 0, 0, 1);
}

/* Tracing */

static struct fntrace_header *buffer_of(unsigned long n)
{
	return (struct fntrace_header *)headers[n];
}

#ifdef PATCHABLE
/* Text is writable here, and no other CPU runs yet. */
static notrace int write_text(void *addr, const void *code, size_t size)
{
	memcpy(addr, code, size);
	sync_code(addr, size);
	return 0;
}
#endif

static void prepare_cpu(unsigned long n)
{
	struct fntrace_header *buffer = buffer_of(n);
	struct cpu *cpu = &cpus[n];

	cpu->shadow.frames = frames[n];
	cpu->shadow.max = params.frames;
	cpu->shadow.low = (unsigned long)stacks[n];
	cpu->shadow.high = (unsigned long)stacks[n + 1];

	fntrace_buffer_init(buffer, records[n], params.records * sizeof(records[n][0]),
			    params.stream ? FNTRACE_GROW :
			    params.overwrite ? FNTRACE_OVERWRITE : FNTRACE_STOP);
	buffer->cpu = n;
	buffer->pid = 0;
	buffer->tid = 0;
	buffer->addr_high = (unsigned long)prepare_cpu >> 48 << 48;
	memcpy(buffer->name, "cpu0", 5);
	buffer->name[3] += n;

	cpu->context.stack = &cpu->shadow;
	cpu->context.buffer = buffer;
	cpu->latency_min = ~0ul;
}

static void start_tracing(void)
{
	unsigned long n;

	for (n = 0; n < NUM_CPUS; n++)
		prepare_cpu(n);
#ifdef PATCHABLE
	if (fntrace_patch(patchable_start, patchable_end, NULL, write_text) <= 0)
		die("no function could be patched");
#endif
	fntrace_start();
}

/* What has not been sent yet. */
static void write_dump(void)
{
	unsigned long n;

	for (n = 0; n < NUM_CPUS; n++) {
		buffer_of(n)->counter_hz = counter_hz;
		send_buffer(buffer_of(n));
	}
}

/* Time */

void delay_us(uint64_t us)
{
	uint64_t end = fntrace_counter() + us * counter_hz / US_PER_SEC;

	while (fntrace_counter() < end)
		relax();
}

/*
 * One interrupt at a time, so that it is known when it was due. A timer that runs
 * on its own would only tell how late an interrupt is modulo the period.
 */
static void arm_timer(void)
{
	struct cpu *cpu = this_cpu();

	cpu->due = fntrace_counter() + counter_hz / params.hz;
	set_timer(cpu->due);
}

static void start_timer(void)
{
	init_cpu_interrupts();
	arm_timer();
	enable_interrupts();
}

/*
 * The mark, in nanoseconds, stands in the trace inside of what ran instead of
 * the interrupt.
 */
static void note_latency(uint64_t now)
{
	struct cpu *cpu = this_cpu();
	uint64_t latency = 0;

	/* A timer with a clock of its own is not that exact. */
	if (now > cpu->due)
		latency = (now - cpu->due) * NS_PER_SEC / counter_hz;
	if (latency < cpu->latency_min)
		cpu->latency_min = latency;
	if (latency > cpu->latency_max)
		cpu->latency_max = latency;
	cpu->latency_sum += latency;
	fntrace_mark(latency & FNTRACE_MARK_NUMBER);
}

void timer_interrupt(void)
{
	uint64_t now = fntrace_counter();

	count(TIMER_INTERRUPT);
	note_latency(now);
	arm_timer();
}

/* Work whose calls can be counted */

static unsigned long fib(unsigned long n)
{
	unsigned long a, b;

	count(FIB);
	if (n < 2)
		return n;
	a = fib(n - 1);
	b = opaque(fib(n - 2));
	return a + b;
}

static unsigned long descend(unsigned long levels)
{
	count(DESCEND);
	if (!levels)
		return 0;
	return opaque(descend(levels - 1)) + 1;
}

static void leap(unsigned long levels)
{
	count(LEAP);
	if (levels)
		leap(levels - 1);
	else
		jump_to(&this_cpu()->jump);
	opaque(0);
}

static void landed(void)
{
	count(LANDED);
}

/* None of the functions that are left returns. */
static void jump(void)
{
	if (jump_set(&this_cpu()->jump)) {
		landed();
		return;
	}
	leap(9);
	die("leap() returned");
}

static unsigned long tail_third(unsigned long value)
{
	count(TAIL_THIRD);
	return opaque(value) + 1;
}

static unsigned long tail_second(unsigned long value)
{
	count(TAIL_SECOND);
	return tail_third(opaque(value) + 1);
}

static unsigned long tail_first(unsigned long value)
{
	count(TAIL_FIRST);
	return tail_second(opaque(value) + 1);
}

/* More of them than there are registers for arguments. */
static unsigned long many_arguments(unsigned long a, unsigned long b, unsigned long c,
				    unsigned long d, unsigned long e, unsigned long f,
				    unsigned long g, unsigned long h)
{
	count(MANY_ARGUMENTS);
	return opaque(a) + 10 * (b + 10 * (c + 10 * (d + 10 * (e + 10 * (f + 10 * (g + 10 * h))))));
}

struct two {
	unsigned long first, second;
};

static struct two two_results(unsigned long value)
{
	struct two two = { .first = opaque(value), .second = opaque(~value) };

	count(TWO_RESULTS);
	return two;
}

/* The one to blame for a late interrupt. */
static void interrupts_off(void)
{
	count(INTERRUPTS_OFF);
	disable_interrupts();
	delay_us(3 * US_PER_SEC / params.hz);
	enable_interrupts();
}

static void work(void)
{
	unsigned long i;

	for (i = 0; i < params.repeat; i++) {
		struct two two;

		if (fib(opaque(15)) != 610)
			die("fib() is wrong");
		if (descend(params.deep) != params.deep)
			die("descend() is wrong");
		jump();
		if (tail_first(opaque(i)) != i + 3)
			die("tail_first() is wrong");
		if (many_arguments(opaque(1), 2, 3, 4, 5, 6, 7, 8) != 87654321)
			die("many_arguments() is wrong");
		two = two_results(opaque(i));
		if (two.first != i || two.second != ~i)
			die("two_results() is wrong");
		interrupts_off();
	}
}

/* Messages */

/* Returns false if it is told to quit. */
static bool receive_message(uint64_t *number)
{
	char c;

	*number = 0;
	while ((c = channel_receive()) != '\n') {
		if (c == 'q')
			return false;
		if (c < '0' || c > '9')
			die("a message has a character %lx", (unsigned long)(unsigned char)c);
		*number = *number * 10 + c - '0';
	}
	fntrace_mark(FNTRACE_RECEIVE | *number);
	return true;
}

static void send_message(uint64_t number)
{
	fntrace_mark(FNTRACE_SEND | number);
	send_number(channel_send, number, 10);
	channel_send('\n');
}

static uint64_t make_answer(uint64_t number)
{
	return opaque(number) + 1;
}

static void handle_message(uint64_t number)
{
	uint64_t answer;

	count(HANDLE_MESSAGE);
	answer = make_answer(number);
	send_message(answer);
}

static void answer_messages(void)
{
	uint64_t number;

	print("ready for messages\n");
	while (receive_message(&number))
		handle_message(number);
	send_string(channel_send, "q\n");
}

/* The course of events */

static void idle_until(bool *flag)
{
	while (!load(*flag))
		wait_for_interrupt();
}

/* Counters and records agree as of now: no interrupt comes any more. */
static noreturn void park(void)
{
	disable_interrupts();
	stop_timer();
	store(this_cpu()->parked, true);
	for (;;)
		wait_for_interrupt();
}

static void run_second_cpu(void)
{
	start_timer();
	work();
	store(this_cpu()->done, true);
	idle_until(&finishing);
	park();
}

static void start_second_cpu(void)
{
	int i;

	boot_second_cpu();
	for (i = 0; i < 5000 && !load(cpus[1].self); i++)
		delay_us(1000);
	if (!load(cpus[1].self))
		die("the second CPU does not start");
}

static void report(unsigned long n)
{
	const struct fntrace_header *buffer = buffer_of(n);
	const struct cpu *cpu = &cpus[n];
	uint64_t ticks = cpu->calls[TIMER_INTERRUPT];
	unsigned long i;

	if (buffer->next == buffer->base && !buffer->wraps && !buffer->older)
		die("cpu%lu recorded nothing", n);
	for (i = 0; i < NR_CALLS; i++)
		print("calls cpu%lu %s %lu\n", n, call_names[i], cpu->calls[i]);
	if (ticks)
		print("latency cpu%lu min %lu mean %lu max %lu ns\n", n, cpu->latency_min,
		      cpu->latency_sum / ticks, cpu->latency_max);
	print("buffer cpu%lu records %lu wraps %lu lost %lu too_deep %lu\n", n,
	      (buffer->next - buffer->base + buffer->older) / sizeof(struct fntrace_record),
	      buffer->wraps, buffer->lost, buffer->too_deep);
}

static noreturn void finish(void)
{
	unsigned long n;

	store(finishing, true);
	while (!load(cpus[1].parked))
		relax();
	disable_interrupts();
	fntrace_stop();

	counter_hz = measure_counter_again(counter_hz);
	print("counter_hz %lu\n", counter_hz);
	for (n = 0; n < NUM_CPUS; n++)
		report(n);
	write_dump();
	print("done\n");
	stop_machine(true);
}

static void run(void)
{
	init_interrupts();
	open_dump();
	/* To send a buffer may take longer than the PIT of a PC needs for a round. */
	if (params.stream)
		fntrace_stop();
	counter_hz = measure_counter();
	fntrace_start();
	start_timer();
	start_second_cpu();
	work();
	idle_until(&cpus[1].done);
	if (params.messages)
		answer_messages();
	finish();
}

notrace noreturn void boot_cpu(unsigned long argument)
{
	set_cpu(0);
	read_params(init_machine(argument));
	start_tracing();
	run();
	die("run() returned");
}

notrace noreturn void second_cpu(void)
{
	set_cpu(1);
	run_second_cpu();
	die("run_second_cpu() returned");
}
