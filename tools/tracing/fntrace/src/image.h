/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images: files, or kernels, with the symbols in them.
 */
#ifndef FNTRACE_IMAGE_H
#define FNTRACE_IMAGE_H

#include "trace.h"

/*
 * image_find() - the image of a file, if there is one yet
 * @recording: directory of the recording that the file was mapped in, or NULL
 *
 * The same path may be another file in another recording.
 */
struct image *image_find(struct trace *trace, const char *path, const char *recording);

/*
 * image_new() - an image that gets its symbols by image_add()
 */
struct image *image_new(struct trace *trace, const char *path, const char *recording);
void image_free(struct image *image);

/*
 * image_add() - add a symbol; image_sort() follows the last one
 * @name: as the linker has it; copied
 */
void image_add(struct image *image, uint64_t addr, uint64_t size, const char *name);
void image_sort(struct image *image);

/*
 * image_find_symbol() - the address of a function, by the name that the linker has for it
 *
 * Return: false if there is none
 */
bool image_find_symbol(const struct image *image, const char *name, uint64_t *addr);

/*
 * image_add_segment() - add a part of the file that is executed
 */
void image_add_segment(struct image *image, uint64_t offset, uint64_t size, uint64_t addr);

/*
 * image_address() - the address in an image of what is at an offset in its file
 */
uint64_t image_address(const struct image *image, uint64_t offset);

/*
 * image_read() - read symbols and segments of an ELF file
 * @path: where the file is; the image may be named otherwise
 *
 * Return: NULL, or why it cannot be read
 */
const char *image_read(struct image *image, const char *path);

/*
 * image_read_symbols() - add the symbols of another file, as of the code it was stripped from
 *
 * image_sort() follows.
 *
 * Return: false if it has none
 */
bool image_read_symbols(struct image *image, const char *path);

/*
 * image_imports() - what an ELF file takes from others
 * @path: where the file is
 * @take: is called with the name of each symbol, as the linker has it
 *
 * Return: NULL, or why the file cannot be read
 */
const char *image_imports(const char *path, void (*take)(void *data, const char *name),
			  void *data);

/*
 * image_signs_addresses() - do functions of a program for arm64 sign the return address before
 * they call mcount()?
 *
 * mcount() cannot replace it then. GNU_PROPERTY_AARCH64_FEATURE_1_PAC does not say that: it is
 * missing if one of the object files has none, as those that start a program.
 */
bool image_signs_addresses(const char *path);

/*
 * image_build_id() - the number that the linker gave to an ELF file
 *
 * Return: hexadecimal digits, allocated; NULL if there is none, or it is no such file.
 */
char *image_build_id(const char *path);

/*
 * image_open() - the image of an ELF file, which is read if that was not done yet
 *
 * Return: the image; it has no symbols, and a @problem, if the file cannot be read.
 */
struct image *image_open(struct trace *trace, const char *path, const char *recording);

/*
 * image_tell() - tell the user about the @problem of an image, once
 *
 * Most files that are mapped are not traced, and nobody needs to know about them.
 */
void image_tell(struct image *image);

#endif /* FNTRACE_IMAGE_H */
