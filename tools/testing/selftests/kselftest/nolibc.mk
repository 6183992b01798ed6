# SPDX-License-Identifier: GPL-2.0-only
# Programs without a C library run in every guest. To be included before lib.mk.

CFLAGS += -Wall -Os -static -nostdlib -ffreestanding -fno-stack-protector \
	  -fno-asynchronous-unwind-tables -fno-ident \
	  $(KHDR_INCLUDES) -include ../../../include/nolibc/nolibc.h
LDLIBS += -lgcc
