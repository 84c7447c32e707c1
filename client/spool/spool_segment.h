#ifndef SPOOL_SEGMENT_H
#define SPOOL_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "spool.h"

/* Files of segments in an open folder, and their heads. For the files of this library only. */

#define SPOOL_SEGMENT_NAME_SIZE 16

void segment_name(uint64_t number, char name[static SPOOL_SEGMENT_NAME_SIZE]);

/* The number in a name such as 00000001.log; 0 for any other name. */
uint64_t segment_number(const char *name) __attribute__((nonnull));

/* Calls `take` for each segment in the folder, in no order. 0 or an errno value. */
int segment_each(int folder_fd, void (*take)(void *context, uint64_t number), void *context)
	__attribute__((nonnull(2)));

/* The least number above `after`; 0 if there is none. Returns 0 or an errno value. */
int segment_find_next(int folder_fd, uint64_t after, uint64_t *ret_number) __attribute__((nonnull));

/* Opens a segment to read; -1 with errno. Anything but a file is refused with EINVAL. */
int segment_open(int folder_fd, uint64_t number);

struct segment_head {
	uint64_t number, record; /* record: index of the first one */
	uint32_t flags;
	uint32_t frame; /* number of the first one */
};

void segment_write_head(char head[static SPOOL_HEAD_BYTES], const struct segment_head *from)
	__attribute__((nonnull));

/* NULL if the head of this segment is well, else what is wrong with it. */
const char *segment_read_head(const char head[static SPOOL_HEAD_BYTES], uint64_t number,
			      struct segment_head *ret_head) __attribute__((nonnull));

/* Opens a writer's folder; -1 with a line in `error` if that fails, or it belongs to another user. */
int segment_open_folder(const char *folder, char error[static SPOOL_ERROR_SIZE])
	__attribute__((nonnull));

#endif
