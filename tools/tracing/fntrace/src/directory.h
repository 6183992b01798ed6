/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories of recordings and of uftrace: which files in them may be removed.
 */
#ifndef FNTRACE_DIRECTORY_H
#define FNTRACE_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "convert -f uftrace" writes this file first, with this text in it, so that its directory
 * can be told from others. It gets the names that belong to no file in the end.
 */
#define DIRECTORY_MARK		"other.sym"
#define DIRECTORY_MARK_TEXT	"# path name: /other\n"
/* Readings of the counter and the clock, which each recording of this machine has. */
#define DIRECTORY_CLOCK		"clock"
/* What other machines sent: a recording of each, see peers.h. */
#define DIRECTORY_MACHINES	"machines"
/* The name of the machine that records, if others send something. */
#define DIRECTORY_HOST		"host"
/* How much more the counter of such a machine counts, as KVM's files of these names have it. */
#define DIRECTORY_TSC_OFFSET	"tsc-offset"
/* In that file, instead of a number: what the host's kernel recorded has the offsets. */
#define DIRECTORY_TSC_KVM	"kvm"
#define DIRECTORY_TSC_RATIO	"tsc-scaling-ratio"
#define DIRECTORY_TSC_BITS_SUFFIX "-frac-bits"
#define DIRECTORY_TSC_RATIO_BITS (DIRECTORY_TSC_RATIO DIRECTORY_TSC_BITS_SUFFIX)
/* Names of threads, for which uftrace's files have no room. */
#define DIRECTORY_THREADS	"threads.txt"

/*
 * directory_is_name() - is this a name that a recording or uftrace gives to a file?
 * directory_is_records_name() - is it of what a thread recorded?
 * directory_is_maps_name() - is it of what was mapped in a process that was recorded?
 * directory_is_symbols_name() - is it of the symbols of a file that was traced?
 * directory_is_control_name() - does "fntrace control" reach a process through it?
 * directory_is_sent_name() - is it sent along with the records ("record --to")?
 */
bool directory_is_name(const char *name);
bool directory_is_records_name(const char *name);
bool directory_is_maps_name(const char *name);
bool directory_is_symbols_name(const char *name);
bool directory_is_control_name(const char *name);
bool directory_is_sent_name(const char *name);

/*
 * directory_is_empty() - is there a directory without a file in it?
 */
bool directory_is_empty(const char *path);

/*
 * directory_is_recording() - is there a recording, of fntrace or of uftrace, and nothing
 * else?
 */
bool directory_is_recording(const char *path);

/*
 * directory_is_converted() - did "convert -f uftrace" write everything that is in it?
 */
bool directory_is_converted(const char *path);

/*
 * directory_has_kernel() - is there a kernel's trace in it?
 */
bool directory_has_kernel(const char *path);

/*
 * directory_has_machines() - are there recordings of other machines in it?
 * directory_machines() - which ones
 * @paths: set to their directories, to be freed, and the array as well if there are any
 *
 * Return: their number; the user was told if they cannot be read.
 */
bool directory_has_machines(const char *path);
int directory_machines(const char *path, char ***paths);

/*
 * directory_has_records() - did a process of a recording trace anything?
 * directory_has_maps() - did libfntrace.so run in one?
 * directory_has_uftrace() - are there records in the format of uftrace?
 */
bool directory_has_records(const char *path);
bool directory_has_maps(const char *path);
bool directory_has_uftrace(const char *path);

/*
 * directory_begin() - make the directory of a new recording
 *
 * A recording that is there gets the name DIR.old, and what had this name DIR.older. If the
 * directory cannot be made, the user is told, and fntrace ends.
 *
 * Return: true if there was a recording; either of the following has to be called then
 */
bool directory_begin(const char *path);

/*
 * directory_keep() - the new recording is one: remove DIR.older
 * directory_undo() - it is not: remove it, and give the others the names that they had
 */
void directory_keep(const char *path);
void directory_undo(const char *path);

/*
 * directory_make() - directory_begin() and directory_keep()
 */
void directory_make(const char *path);

/*
 * directory_save() - write a small file
 *
 * If it cannot be written, the user is told, and fntrace ends.
 */
void directory_save(const char *path, const char *name, const char *text);

/*
 * directory_clean() - remove the files with names that a recording or uftrace gives
 */
void directory_clean(const char *path);

/*
 * directory_missing() - how many threads have no file, as none could be made?
 * @path: the directory of a recording
 *
 * Return: as many as its processes have counted, before directory_remove_controls()
 */
uint64_t directory_missing(const char *path);

/*
 * directory_remove_controls() - remove the files of processes that have ended
 *
 * A process removes its own, unless it was killed or became another program.
 */
void directory_remove_controls(const char *path);

/*
 * directory_remove() - remove a recording with its directory
 *
 * Return: false if something is left.
 */
bool directory_remove(const char *path);

#endif /* FNTRACE_DIRECTORY_H */
