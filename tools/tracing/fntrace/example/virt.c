// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What QEMU's machines "virt" of arm64 and riscv64 have in common.
 */

#include "virt.h"

/* Device tree: a header of words, and then nodes and their properties, also of words. */
#define TREE_MAGIC	0xd00dfeed
#define TREE_NODES	2		/* words of the header */
#define TREE_STRINGS	3
#define BEGIN_NODE	1
#define END_NODE	2
#define PROPERTY	3
#define NOTHING		4

/* Operations of semihosting */
#define OPEN		0x01
#define WRITE		0x05
#define EXIT		0x18
#define OPEN_FOR_WRITING 4
#define EXITED		0x20026		/* the second word is a status */

/* Configuration space */
#define PCI_DEVICES	32
#define PCI_DEVICE(n)	((unsigned long)(n) << 15)
#define PCI_ID		0x00
#define PCI_COMMAND	0x04
#define PCI_COMMAND_IO	0x01
#define PCI_BAR0	0x10
#define PCI_SERIAL	0x00021b36	/* device and vendor */
#define PCI_SERIAL_PORT	0x1000		/* where it is to be */

static unsigned long channel;
static long dump;

/* Device tree */

uint32_t get_cell(const void *value)
{
	const uint8_t *p = value;

	return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static bool equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Whatever has @size bytes ends where the next word begins. */
static const uint8_t *skip(const uint8_t *p, unsigned long size)
{
	return p + ((size + 3) & ~3ul);
}

const void *find_property(const void *tree, const char *node, const char *name)
{
	const uint8_t *header = tree, *p, *names;
	unsigned int depth = 0;
	bool inside = false;

	if (get_cell(header) != TREE_MAGIC)
		die("no device tree at %lx", (unsigned long)tree);
	p = header + get_cell(header + 4 * TREE_NODES);
	names = header + get_cell(header + 4 * TREE_STRINGS);
	for (;;) {
		uint32_t what = get_cell(p);

		p += 4;
		if (what == BEGIN_NODE) {
			const char *end = (const char *)p;

			if (++depth == 2)
				inside = equal(end, node);
			while (*end++)
				;
			p = skip(p, end - (const char *)p);
		} else if (what == END_NODE) {
			if (--depth == 1)
				inside = false;
		} else if (what == PROPERTY) {
			uint32_t size = get_cell(p);
			const char *own = (const char *)names + get_cell(p + 4);

			p += 8;
			if (inside && depth == 2 && equal(own, name))
				return p;
			p = skip(p, size);
		} else if (what != NOTHING) {
			return NULL;
		}
	}
}

/* Messages */

static unsigned long find_serial(unsigned long config)
{
	unsigned int n;

	for (n = 0; n < PCI_DEVICES; n++)
		if (io_read32(config + PCI_DEVICE(n) + PCI_ID) == PCI_SERIAL)
			return config + PCI_DEVICE(n);
	return 0;
}

/* Without messages nobody needs it, and it may be missing. */
void init_channel(unsigned long config, unsigned long ports)
{
	unsigned long device = find_serial(config);

	if (!device)
		return;
	io_write32(device + PCI_BAR0, PCI_SERIAL_PORT);
	io_write32(device + PCI_COMMAND, PCI_COMMAND_IO);
	channel = ports + PCI_SERIAL_PORT;
	uart_init(channel);
}

void channel_send(char c)
{
	uart_send(channel, c);
}

char channel_receive(void)
{
	if (!channel)
		die("no serial port for messages");
	return uart_receive(channel);
}

/*
 * What is recorded: to a file in the working directory of the debugger. Its standard output
 * is what newer OpenSBI takes for its console (1.6 does, 1.1 does not).
 */

void open_dump(void)
{
	static const char name[] = "kernel.fntrace";
	const unsigned long parameters[] = {
		(unsigned long)name, OPEN_FOR_WRITING, sizeof(name) - 1
	};

	dump = debugger(OPEN, parameters);
	if (dump < 0)
		die("no debugger for the dump");
}

/* It says how much it did not write. */
notrace void dump_send(const void *data, size_t size)
{
	unsigned long parameters[] = { dump, (unsigned long)data, size };

	while (parameters[2]) {
		unsigned long left = debugger(WRITE, parameters);

		if (left >= parameters[2])
			die("the debugger does not take the dump");
		parameters[1] += parameters[2] - left;
		parameters[2] = left;
	}
}

notrace noreturn void stop_machine(bool success)
{
	const unsigned long parameters[] = { EXITED, !success };

	debugger(EXIT, parameters);
	for (;;) {
		disable_interrupts();
		wait_for_interrupt();
	}
}
