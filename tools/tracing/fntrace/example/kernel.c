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

#define NS_PER_SEC	1000000000ul
#define US_PER_SEC	1000000ul

/* I/O ports */
#define CONSOLE		0x3f8
#define CHANNEL		0x2f8
#define UART_DATA	0
#define UART_IER	1
#define UART_FCR	2
#define UART_LCR	3
#define UART_MCR	4
#define UART_LSR	5
#define LCR_8N1		0x03
#define LCR_DIVISOR	0x80
#define MCR_READY	0x03
#define LSR_RECEIVED	0x01
#define LSR_CAN_SEND	0x20

#define PIC1_MASK	0x21
#define PIC2_MASK	0xa1
#define PIT_COUNTER	0x40
#define PIT_CONTROL	0x43
#define PIT_RATE_MODE	0x34	/* counter 0, both bytes, begins anew at 0 */
#define PIT_LATCH	0x00	/* counter 0 */
#define PIT_HZ		1193182ul

#define DEBUGCON	0xe9	/* reads as its own number */
#define DEBUG_EXIT	0xf4	/* QEMU exits with 2 * value + 1 */
#define EXIT_SUCCESS	0x10
#define EXIT_FAILURE	0x11

/* Local APIC */
#define APIC_BASE	0xfee00000ul
#define APIC_EOI	0x0b0
#define APIC_SPURIOUS	0x0f0
#define APIC_ENABLE	0x100
#define APIC_COMMAND	0x300
#define APIC_SEND_INIT	0x000c4500	/* to all others */
#define APIC_SEND_SIPI	0x000c4600
#define APIC_LVT_TIMER	0x320
#define APIC_MASKED	0x10000
#define APIC_INITIAL	0x380
#define APIC_CURRENT	0x390
#define APIC_DIVIDE	0x3e0
#define APIC_DIVIDE_1	0x0b

#define MSR_GS_BASE	0xc0000101

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
	struct cpu *self;		/* first: found at %gs:0 */
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

/* The time stamp counter and the one of the PIT, read at the same time. */
struct clocks {
	uint64_t counter;
	uint16_t pit;
};

static struct clocks boot_clocks;
static uint64_t counter_hz;
static uint64_t apic_hz;
static bool finishing;

/* The machine. What is "inline" is, and nothing else: see the Makefile. */

static inline notrace void port_write(uint16_t port, uint8_t value)
{
	asm volatile("outb %0, %1" : : "a" (value), "Nd" (port) : "memory");
}

static inline notrace uint8_t port_read(uint16_t port)
{
	uint8_t value;

	asm volatile("inb %1, %0" : "=a" (value) : "Nd" (port) : "memory");
	return value;
}

static inline notrace void port_write_all(uint16_t port, const void *data, size_t size)
{
	asm volatile("rep outsb" : "+S" (data), "+c" (size) : "d" (port) : "memory");
}

static inline notrace void write_msr(uint32_t msr, uint64_t value)
{
	asm volatile("wrmsr" : : "c" (msr), "a" ((uint32_t)value), "d" ((uint32_t)(value >> 32)));
}

static inline notrace uint32_t apic_read(unsigned long reg)
{
	return load(*(uint32_t *)(APIC_BASE + reg));
}

static inline notrace void apic_write(unsigned long reg, uint32_t value)
{
	store(*(uint32_t *)(APIC_BASE + reg), value);
}

static inline notrace void relax(void)
{
	asm volatile("pause" : : : "memory");
}

static inline notrace void disable_interrupts(void)
{
	asm volatile("cli" : : : "memory");
}

static inline notrace void enable_interrupts(void)
{
	asm volatile("sti" : : : "memory");
}

static inline notrace void wait_for_interrupt(void)
{
	asm volatile("hlt" : : : "memory");
}

/* Keeps the compiler from knowing better than to call a function. */
static inline notrace unsigned long opaque(unsigned long value)
{
	asm volatile("" : "+r" (value));
	return value;
}

static inline notrace struct cpu *this_cpu(void)
{
	struct cpu *cpu;

	asm("movq %%gs:0, %0" : "=r" (cpu));
	return cpu;
}

static inline notrace void count(enum call call)
{
	this_cpu()->calls[call]++;
}

/* Before this, the hooks must be off: they ask for the current context. */
static notrace void set_cpu(unsigned long n)
{
	write_msr(MSR_GS_BASE, (unsigned long)&cpus[n]);
	store(cpus[n].self, &cpus[n]);
}

static notrace noreturn void stop_machine(uint8_t status)
{
	port_write(DEBUG_EXIT, status);
	for (;;) {
		disable_interrupts();
		wait_for_interrupt();
	}
}

/* The compiler calls these, and the backend may. */

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

notrace void *memcpy(void *to, const void *from, size_t size)
{
	void *start = to;

	asm volatile("rep movsb" : "+D" (to), "+S" (from), "+c" (size) : : "memory");
	return start;
}

notrace void *memset(void *to, int value, size_t size)
{
	void *start = to;

	asm volatile("rep stosb" : "+D" (to), "+c" (size) : "a" (value) : "memory");
	return start;
}

/* Serial ports */

static void uart_init(uint16_t port)
{
	port_write(port + UART_IER, 0);
	port_write(port + UART_LCR, LCR_DIVISOR);
	port_write(port + UART_DATA, 1);	/* 115200 baud */
	port_write(port + UART_IER, 0);
	port_write(port + UART_LCR, LCR_8N1);
	/*
	 * The FIFOs stay off: to turn them on would throw away what has arrived,
	 * and the host need not wait until this kernel is up.
	 */
	port_write(port + UART_MCR, MCR_READY);
}

static void send_char(uint16_t port, char c)
{
	while (!(port_read(port + UART_LSR) & LSR_CAN_SEND))
		relax();
	port_write(port + UART_DATA, c);
}

static char receive_char(uint16_t port)
{
	while (!(port_read(port + UART_LSR) & LSR_RECEIVED))
		relax();
	return port_read(port + UART_DATA);
}

static void send_string(uint16_t port, const char *s)
{
	while (*s)
		send_char(port, *s++);
}

static void send_number(uint16_t port, unsigned long value, unsigned int base)
{
	char digits[24];
	char *p = &digits[sizeof(digits) - 1];

	*p = '\0';
	do {
		*--p = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	send_string(port, p);
}

/* Knows %s, %lu and %lx. */
static void vprint(const char *format, va_list args)
{
	for (; *format; format++) {
		if (*format == '\n')
			send_char(CONSOLE, '\r');
		if (*format != '%') {
			send_char(CONSOLE, *format);
			continue;
		}
		if (*++format == 's')
			send_string(CONSOLE, va_arg(args, const char *));
		else
			send_number(CONSOLE, va_arg(args, unsigned long),
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
static notrace noreturn void die(const char *format, ...)
{
	va_list args;

	disable_interrupts();
	fntrace_stop();
	print("panic: ");
	va_start(args, format);
	vprint(format, args);
	va_end(args);
	print("\n");
	stop_machine(EXIT_FAILURE);
}

/* What the backend asks for. */

notrace struct fntrace_context *fntrace_current(void)
{
	return &this_cpu()->context;
}

/*
 * Byte by byte to a file or socket of the host: a part of a stream is the header and what is
 * in the buffer, and a dump has one part for each CPU.
 */
static notrace void send_buffer(const struct fntrace_header *buffer)
{
	uint64_t end = buffer->end;

	if (!buffer->wraps && buffer->next < end)
		end = buffer->next;
	port_write_all(DEBUGCON, buffer, FNTRACE_HEADER_SIZE);
	port_write_all(DEBUGCON, (const void *)buffer->base, end - buffer->base);
}

/*
 * The CPUs have one port. No interrupt comes while it is in use: a handler that wants to
 * record would lose its records, as its buffer is full.
 */
notrace bool fntrace_grow(struct fntrace_header *buffer)
{
	static bool busy;
	uint64_t flags;

	asm volatile("pushfq; popq %0; cli" : "=r" (flags) : : "memory");
	while (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
		relax();
	send_buffer(buffer);
	store(busy, false);
	buffer->older += buffer->end - buffer->base;
	store(buffer->next, buffer->base);
	asm volatile("pushq %0; popfq" : : "r" (flags) : "memory", "cc");
	return true;
}

notrace void fntrace_fault(const char *why)
{
	die("%s", why);
}

/* Command line */

/* What QEMU passes to a PVH kernel. */
#define START_INFO_MAGIC	0x336ec578

struct start_info {
	uint32_t magic, version, flags, nr_modules;
	uint64_t modules, command_line;
};

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

static void read_params(const struct start_info *info)
{
	const char *line = "";

	if (info->magic != START_INFO_MAGIC)
		die("not booted as a PVH kernel");
	if (info->command_line)
		line = (const char *)info->command_line;

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

	if (port_read(DEBUGCON) != DEBUGCON)
		die("no debug console for the dump");

	for (n = 0; n < NUM_CPUS; n++) {
		buffer_of(n)->counter_hz = counter_hz;
		send_buffer(buffer_of(n));
	}
}

/* Clocks */

/*
 * A virtual machine may lose its CPU at any time. The reading that took least is
 * the one to believe.
 */
static void read_clocks(struct clocks *clocks)
{
	uint64_t shortest = ~0ul;
	int i;

	for (i = 0; i < 16; i++) {
		uint64_t before, after;
		uint16_t pit;

		before = fntrace_counter();
		port_write(PIT_CONTROL, PIT_LATCH);
		pit = port_read(PIT_COUNTER);
		pit |= port_read(PIT_COUNTER) << 8;
		after = fntrace_counter();
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		clocks->counter = before + shortest / 2;
		clocks->pit = pit;
	}
}

/* The PIT counts down, and is back where it was after 55 ms. */
static uint16_t pit_ticks(const struct clocks *from, const struct clocks *to)
{
	return from->pit - to->pit;
}

static uint64_t measure_counter(void)
{
	struct clocks from, to;
	uint32_t apic_from, apic_to;
	uint64_t hz;

	read_clocks(&from);
	apic_from = apic_read(APIC_CURRENT);
	do {
		read_clocks(&to);
	} while (pit_ticks(&from, &to) < PIT_HZ / 50);
	apic_to = apic_read(APIC_CURRENT);

	hz = (to.counter - from.counter) * PIT_HZ / pit_ticks(&from, &to);
	apic_hz = (apic_from - apic_to) * PIT_HZ / pit_ticks(&from, &to);
	return hz;
}

/*
 * If the CPU was away for long, the PIT went past its end meanwhile, and nothing
 * tells. Two measurements that agree are not both wrong by a multiple.
 */
static void calibrate(void)
{
	uint64_t hz, last;
	int i;

	port_write(PIT_CONTROL, PIT_RATE_MODE);
	port_write(PIT_COUNTER, 0);
	port_write(PIT_COUNTER, 0);
	apic_write(APIC_LVT_TIMER, APIC_MASKED | TIMER_VECTOR);
	apic_write(APIC_DIVIDE, APIC_DIVIDE_1);
	apic_write(APIC_INITIAL, ~0u);

	read_clocks(&boot_clocks);
	last = measure_counter();
	for (i = 0; i < 50; i++) {
		hz = measure_counter();
		if (hz > last - last / 1000 && hz < last + last / 1000) {
			counter_hz = hz;
			return;
		}
		last = hz;
		apic_write(APIC_INITIAL, ~0u);
	}
	die("the clocks do not agree");
}

/*
 * Over the whole run the rate can be told better. How many ticks the PIT made is
 * known from the first rate to within less than half a round, and its counter
 * tells the rest.
 */
static void calibrate_again(void)
{
	struct clocks now;
	uint64_t delta, ticks;

	read_clocks(&now);
	delta = now.counter - boot_clocks.counter;
	if (delta / counter_hz > 60)
		return;		/* the first rate could be off by half a round */
	ticks = delta * PIT_HZ / counter_hz;
	ticks += (int16_t)(pit_ticks(&boot_clocks, &now) - ticks);
	counter_hz = delta * PIT_HZ / ticks;
}

static void delay_us(uint64_t us)
{
	uint64_t end = fntrace_counter() + us * counter_hz / US_PER_SEC;

	while (fntrace_counter() < end)
		relax();
}

/* Interrupts */

static void setup_interrupts(void)
{
	unsigned long i;

	port_write(PIC1_MASK, 0xff);
	port_write(PIC2_MASK, 0xff);
	for (i = 0; i < NR_VECTORS; i++) {
		uint64_t addr = (unsigned long)stubs[i];

		/* A present interrupt gate of privilege 0. */
		idt[i][0] = (addr & 0xffff) | KERNEL_CODE << 16 | 0x8eull << 40 |
			    (addr >> 16 & 0xffff) << 48;
		idt[i][1] = addr >> 32;
	}
}

static void enable_apic(void)
{
	apic_write(APIC_SPURIOUS, APIC_ENABLE | SPURIOUS_VECTOR);
}

/*
 * One interrupt at a time, so that it is known when it was due. A timer that runs
 * on its own would only tell how late an interrupt is modulo the period.
 */
static void arm_timer(void)
{
	this_cpu()->due = fntrace_counter() + counter_hz / params.hz;
	apic_write(APIC_INITIAL, apic_hz / params.hz);
}

static void start_timer(void)
{
	apic_write(APIC_DIVIDE, APIC_DIVIDE_1);
	apic_write(APIC_LVT_TIMER, TIMER_VECTOR);
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

	/* The two clocks are not that exact. */
	if (now > cpu->due)
		latency = (now - cpu->due) * 1000 / (counter_hz / US_PER_SEC);
	if (latency < cpu->latency_min)
		cpu->latency_min = latency;
	if (latency > cpu->latency_max)
		cpu->latency_max = latency;
	cpu->latency_sum += latency;
	fntrace_mark(latency & FNTRACE_MARK_NUMBER);
}

static void timer_interrupt(void)
{
	uint64_t now = fntrace_counter();

	count(TIMER_INTERRUPT);
	note_latency(now);
	arm_timer();
	apic_write(APIC_EOI, 0);
}

void interrupt(const struct registers *regs)
{
	if (regs->vector == TIMER_VECTOR)
		timer_interrupt();
	else if (regs->vector != SPURIOUS_VECTOR)
		die("nobody expects vector %lu", regs->vector);
}

notrace void exception(const struct registers *regs)
{
	uint64_t cr2;

	asm volatile("movq %%cr2, %0" : "=r" (cr2));
	die("trap %lu error %lx at %lx, stack %lx, cr2 %lx", regs->vector, regs->error,
	    regs->rip, regs->rsp, cr2);
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
	while ((c = receive_char(CHANNEL)) != '\n') {
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
	send_number(CHANNEL, number, 10);
	send_char(CHANNEL, '\n');
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
	store(this_cpu()->parked, true);
	for (;;)
		wait_for_interrupt();
}

static void run_second_cpu(void)
{
	enable_apic();
	start_timer();
	work();
	store(this_cpu()->done, true);
	idle_until(&finishing);
	park();
}

/* If there are more than two, boot.S holds the others. */
static void start_second_cpu(void)
{
	int i;

	memcpy((void *)TRAMPOLINE, trampoline, trampoline_end - trampoline);
	apic_write(APIC_COMMAND, APIC_SEND_INIT);
	delay_us(10000);
	apic_write(APIC_COMMAND, APIC_SEND_SIPI | TRAMPOLINE >> 12);
	delay_us(200);
	apic_write(APIC_COMMAND, APIC_SEND_SIPI | TRAMPOLINE >> 12);

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

	calibrate_again();
	print("counter_hz %lu\n", counter_hz);
	for (n = 0; n < NUM_CPUS; n++)
		report(n);
	write_dump();
	print("done\n");
	stop_machine(EXIT_SUCCESS);
}

static void run(void)
{
	setup_interrupts();
	enable_apic();
	/* To send a buffer may take longer than the PIT needs for a round. */
	if (params.stream)
		fntrace_stop();
	calibrate();
	fntrace_start();
	start_second_cpu();
	start_timer();
	work();
	idle_until(&cpus[1].done);
	if (params.messages)
		answer_messages();
	finish();
}

notrace void boot_cpu(uint32_t start_info)
{
	set_cpu(0);
	uart_init(CONSOLE);
	uart_init(CHANNEL);
	read_params((const struct start_info *)(unsigned long)start_info);
	start_tracing();
	run();
	die("run() returned");
}

notrace void second_cpu(void)
{
	set_cpu(1);
	run_second_cpu();
	die("run_second_cpu() returned");
}
