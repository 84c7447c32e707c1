#ifndef SPOOL_WRITER_H
#define SPOOL_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spool.h"
#include "spool_identity.h"

/*
 * Writes a writer's folder. For one thread. Frames are collected in memory and written together, whole or not at all: a
 * write that fails is cut off again, or the next one goes into a new segment. No locks, no mmap.
 */
struct spool_writer;

enum spool_result {
	SPOOL_OK = 0,
	SPOOL_FULL, /* the limit, the reserve or the disk: later it may succeed */
	SPOOL_NO_MEMORY,
	SPOOL_FAILED /* read-only, foreign, gone … */
};

/* The reserve is the part of the disk or the bytes that stay free, whichever is less. */
#define SPOOL_RESERVE_PART 0.05
#define SPOOL_RESERVE_BYTES (INT64_C(1) << 30)

struct spool_limits {
	uint64_t max_bytes; /* of the segments of this writer */
	double reserve_part;
	int64_t reserve_bytes;
};

/*
 * Makes the folders as needed, or goes on with the folder of the same stream, in a new segment. An identity without a
 * stream goes on with the first one that this writer has in this mode, or begins one. A folder that belongs
 * to somebody else, or that others may write, is refused. On failure NULL, with a line in `error`.
 */
struct spool_writer *spool_writer_open(const char *path, const struct spool_identity *identity,
				       const struct spool_limits *limits,
				       char error[static SPOOL_ERROR_SIZE])
	__attribute__((nonnull));

/* Neither writes nor removes anything. */
void spool_writer_close(struct spool_writer *writer);

/* Adds a frame in two pieces to those that wait in memory. False if there is no memory or it is too large. */
bool spool_writer_add(struct spool_writer *writer, enum spool_type type, const void *head,
		      size_t head_length, const void *body, size_t body_length)
	__attribute__((nonnull(1)));

/* Bytes of the frames that wait. */
size_t spool_writer_waiting(const struct spool_writer *writer) __attribute__((nonnull));

/* Writes the frames that wait. If it fails they are forgotten, and none is in the file. */
enum spool_result spool_writer_write(struct spool_writer *writer,
				     char error[static SPOOL_ERROR_SIZE]) __attribute__((nonnull));

/* The same beyond the limit and the reserve, for the last words of a writer: a few kilobytes. */
enum spool_result spool_writer_write_last(struct spool_writer *writer,
					  char error[static SPOOL_ERROR_SIZE])
	__attribute__((nonnull));

/* Sets the frames that wait aside, where none are: those that are added from now on come before them. */
void spool_writer_set_aside(struct spool_writer *writer) __attribute__((nonnull));
/* They wait again, behind the others. False without memory: they are still aside. */
bool spool_writer_take_back(struct spool_writer *writer) __attribute__((nonnull));

/* Forgets the frames that wait and those aside. */
void spool_writer_discard(struct spool_writer *writer) __attribute__((nonnull));

/*
 * fsync of all that was written, and of the folder where files were made. After an fsync that fails nobody knows what of the
 * frames since the one before is on the disk: they are written again into a new segment, now or by a later call, and
 * only success of that is SPOOL_OK. Until then they are kept in memory.
 */
enum spool_result spool_writer_sync(struct spool_writer *writer,
				    char error[static SPOOL_ERROR_SIZE]) __attribute__((nonnull));

/* Rewrites `alive`. */
void spool_writer_touch(struct spool_writer *writer) __attribute__((nonnull));

/* Whether somebody removed the folder or the segment that is written. */
bool spool_writer_is_gone(const struct spool_writer *writer) __attribute__((nonnull));

/* Then: makes the folder again. The index of the records goes on; what was not forced to the disk yet is written again. */
enum spool_result spool_writer_begin_again(struct spool_writer *writer, const char *path,
					   const struct spool_identity *identity,
					   char error[static SPOOL_ERROR_SIZE])
	__attribute__((nonnull));

/* Removes segments all of whose records are before this index, but never the one that is written; leaves the hint. */
void spool_writer_forget(struct spool_writer *writer, uint64_t records) __attribute__((nonnull));

/* The server has everything: removes the folder. The writer can only be closed then. */
void spool_writer_remove(struct spool_writer *writer) __attribute__((nonnull));

const char *spool_writer_folder(const struct spool_writer *writer) __attribute__((nonnull));
/* Index of the record that is written next; after opening a folder that was there, where it goes on. */
uint64_t spool_writer_record(const struct spool_writer *writer) __attribute__((nonnull));
/* Sets it, if the server has confirmed all before this record; the next write begins a segment. */
void spool_writer_begin_at(struct spool_writer *writer, uint64_t record) __attribute__((nonnull));
/* After opening: the last segment has an end that is not whole. If no process writes to it, that is what a kill left. */
bool spool_writer_is_unfinished(const struct spool_writer *writer) __attribute__((nonnull));
/* The last write failed because another process made the segment. */
bool spool_writer_was_overtaken(const struct spool_writer *writer) __attribute__((nonnull));
/* Bytes of all segments. */
uint64_t spool_writer_bytes(const struct spool_writer *writer) __attribute__((nonnull));

#endif
