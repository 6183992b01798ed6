// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The serial ports of a PC, which other machines have on their PCI bus, and some as their
 * console.
 */

#include "kernel.h"

#define UART_DATA	0
#define UART_IER	1
#define UART_LCR	3
#define UART_MCR	4
#define UART_LSR	5
#define LCR_8N1		0x03
#define LCR_DIVISOR	0x80
#define MCR_READY	0x03
#define LSR_RECEIVED	0x01
#define LSR_CAN_SEND	0x20

void uart_init(unsigned long base)
{
	io_write(base + UART_IER, 0);
	io_write(base + UART_LCR, LCR_DIVISOR);
	io_write(base + UART_DATA, 1);	/* 115200 baud */
	io_write(base + UART_IER, 0);
	io_write(base + UART_LCR, LCR_8N1);
	/*
	 * The FIFOs stay as they are: to change that would throw away what has arrived,
	 * and the host need not wait until this kernel is up.
	 */
	io_write(base + UART_MCR, MCR_READY);
}

void uart_send(unsigned long base, char c)
{
	while (!(io_read(base + UART_LSR) & LSR_CAN_SEND))
		relax();
	io_write(base + UART_DATA, c);
}

char uart_receive(unsigned long base)
{
	while (!(io_read(base + UART_LSR) & LSR_RECEIVED))
		relax();
	return io_read(base + UART_DATA);
}
