// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A PC: where output goes, how fast its clocks are, and its interrupts.
 */

#include "../kernel.h"

/* I/O ports */
#define CONSOLE		0x3f8
#define CHANNEL		0x2f8

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
#define APIC_EOI	0x0b0
#define APIC_SPURIOUS	0x0f0
#define APIC_ENABLE	0x100
#define APIC_COMMAND	0x300
#define APIC_SEND_INIT	0x000c4500	/* to all others */
#define APIC_SEND_SIPI	0x000c4600
#define APIC_CURRENT	0x390
#define APIC_DIVIDE	0x3e0
#define APIC_DIVIDE_1	0x0b

/* What QEMU passes to a PVH kernel. */
#define START_INFO_MAGIC	0x336ec578

struct start_info {
	uint32_t magic, version, flags, nr_modules;
	uint64_t modules, command_line;
};

/* The time stamp counter and the counter of the PIT, read at the same time. */
struct clocks {
	uint64_t counter;
	uint16_t pit;
};

static struct clocks boot_clocks;
uint64_t tsc_hz, apic_hz;

notrace const char *init_machine(unsigned long argument)
{
	const struct start_info *info = (const struct start_info *)argument;

	uart_init(CONSOLE);
	uart_init(CHANNEL);
	if (info->magic != START_INFO_MAGIC)
		die("not booted as a PVH kernel");
	return info->command_line ? (const char *)info->command_line : "";
}

notrace noreturn void stop_machine(bool success)
{
	io_write(DEBUG_EXIT, success ? EXIT_SUCCESS : EXIT_FAILURE);
	for (;;) {
		disable_interrupts();
		wait_for_interrupt();
	}
}

/* Output */

void console_send(char c)
{
	uart_send(CONSOLE, c);
}

void channel_send(char c)
{
	uart_send(CHANNEL, c);
}

char channel_receive(void)
{
	return uart_receive(CHANNEL);
}

void open_dump(void)
{
	if (io_read(DEBUGCON) != DEBUGCON)
		die("no debug console for the dump");
}

notrace void dump_send(const void *data, size_t size)
{
	asm volatile("rep outsb" : "+S" (data), "+c" (size) : "d" (DEBUGCON) : "memory");
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
		io_write(PIT_CONTROL, PIT_LATCH);
		pit = io_read(PIT_COUNTER);
		pit |= io_read(PIT_COUNTER) << 8;
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

static uint64_t measure_clocks(void)
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
uint64_t measure_counter(void)
{
	uint64_t hz, last;
	int i;

	io_write(PIT_CONTROL, PIT_RATE_MODE);
	io_write(PIT_COUNTER, 0);
	io_write(PIT_COUNTER, 0);
	apic_write(APIC_LVT_TIMER, APIC_MASKED | TIMER_VECTOR);
	apic_write(APIC_DIVIDE, APIC_DIVIDE_1);
	apic_write(APIC_INITIAL, ~0u);

	read_clocks(&boot_clocks);
	last = measure_clocks();
	for (i = 0; i < 50; i++) {
		hz = measure_clocks();
		if (hz > last - last / 1000 && hz < last + last / 1000) {
			tsc_hz = hz;
			return hz;
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
uint64_t measure_counter_again(uint64_t hz)
{
	struct clocks now;
	uint64_t delta, ticks;

	read_clocks(&now);
	delta = now.counter - boot_clocks.counter;
	if (delta / hz > 60)
		return hz;	/* the first rate could be off by half a round */
	ticks = delta * PIT_HZ / hz;
	ticks += (int16_t)(pit_ticks(&boot_clocks, &now) - ticks);
	return delta * PIT_HZ / ticks;
}

/* Interrupts */

static void enable_apic(void)
{
	apic_write(APIC_SPURIOUS, APIC_ENABLE | SPURIOUS_VECTOR);
}

void init_interrupts(void)
{
	unsigned long i;

	io_write(PIC1_MASK, 0xff);
	io_write(PIC2_MASK, 0xff);
	for (i = 0; i < NR_VECTORS; i++) {
		uint64_t addr = (unsigned long)stubs[i];

		/* A present interrupt gate of privilege 0. */
		idt[i][0] = (addr & 0xffff) | KERNEL_CODE << 16 | 0x8eull << 40 |
			    (addr >> 16 & 0xffff) << 48;
		idt[i][1] = addr >> 32;
	}
	enable_apic();
}

void init_cpu_interrupts(void)
{
	enable_apic();
	apic_write(APIC_DIVIDE, APIC_DIVIDE_1);
	apic_write(APIC_LVT_TIMER, TIMER_VECTOR);
}

void interrupt(const struct registers *regs)
{
	if (regs->vector == TIMER_VECTOR) {
		timer_interrupt();
		apic_write(APIC_EOI, 0);
	} else if (regs->vector != SPURIOUS_VECTOR) {
		die("nobody expects vector %lu", regs->vector);
	}
}

notrace void exception(const struct registers *regs)
{
	uint64_t cr2;

	asm volatile("movq %%cr2, %0" : "=r" (cr2));
	die("trap %lu error %lx at %lx, stack %lx, cr2 %lx", regs->vector, regs->error,
	    regs->rip, regs->rsp, cr2);
}

/* If there are more than two, boot.S holds the others. */
void boot_second_cpu(void)
{
	char *to = (char *)TRAMPOLINE;
	const char *from;

	for (from = trampoline; from < trampoline_end; from++)
		*to++ = *from;
	apic_write(APIC_COMMAND, APIC_SEND_INIT);
	delay_us(10000);
	apic_write(APIC_COMMAND, APIC_SEND_SIPI | TRAMPOLINE >> 12);
	delay_us(200);
	apic_write(APIC_COMMAND, APIC_SEND_SIPI | TRAMPOLINE >> 12);
}
