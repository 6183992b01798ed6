/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffers and other files that a machine sends, one part after the other.
 *
 * A part is a header and the records that the buffer has at that time. A machine sends all of
 * a buffer at the end, or a part whenever it is full; then fntrace_header.older counts the
 * bytes of the parts before. Each buffer becomes a file of a recording, which is complete up
 * to the last record that arrived at any time. "fntrace record --to" sends the other files of
 * its recording as well (struct fntrace_file).
 */
#ifndef FNTRACE_STREAM_H
#define FNTRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream;

/*
 * struct stream_summary - what arrived
 * @buffers: files that were written for them
 * @files: parts of other files
 * @ended: the sender has sent all there is; said only by one who sends other files
 * @skipped: bytes that belong to no part
 * @missing: bytes of records that were sent, as later parts say, but did not arrive
 * @cut_off: parts that ended early
 */
struct stream_summary {
	uint64_t	buffers;
	uint64_t	files;
	bool		ended;
	uint64_t	skipped;
	uint64_t	missing;
	uint64_t	cut_off;
};

/*
 * stream_open() - write what stream_put() gets to files in a directory
 */
struct stream *stream_open(const char *directory);

/*
 * stream_put() - the next bytes
 *
 * If they cannot be written, the user is told, and fntrace ends.
 */
void stream_put(struct stream *stream, const void *data, size_t size);

/*
 * stream_has_ended() - has the sender said that there is no more?
 */
bool stream_has_ended(const struct stream *stream);

/*
 * stream_close() - there are no more
 */
struct stream_summary stream_close(struct stream *stream);

#endif /* FNTRACE_STREAM_H */
