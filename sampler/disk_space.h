/* disk_space.h - how full a file system is. It may be on a network and hang: see slow_task.h. */
#ifndef CAIRN_SAMPLER_DISK_SPACE_H
#define CAIRN_SAMPLER_DISK_SPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct disk_space;

struct disk_usage {
	uint64_t total_bytes;
	uint64_t used_bytes;
	uint64_t available_bytes; /* to ordinary users */
	dev_t device;             /* on which the file system lies */
};

/* NULL without memory. The path is copied. The first reading begins at once. */
struct disk_space *disk_space_new(const char *path);
/* As slow_task_end and slow_task_free. */
void disk_space_end(struct disk_space *space, uint64_t deadline_ns);
void disk_space_free(struct disk_space *space);

/* Starts a reading, unless the last one is still stuck. */
void disk_space_begin(struct disk_space *space);

/* The reading, once: false while it is not there or was taken before. */
bool disk_space_take(struct disk_space *space, uint64_t deadline_ns, struct disk_usage *ret_usage);

/* The last reading; may be had any number of times. */
bool disk_space_last(struct disk_space *space, uint64_t deadline_ns, struct disk_usage *ret_usage);

#endif
