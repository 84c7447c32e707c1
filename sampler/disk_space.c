/* disk_space.c - see disk_space.h. One thread per path: a stuck one must not hide the others. */
#include "disk_space.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "settings.h"
#include "slow_task.h"

struct reading {
	char path[SETTINGS_DISK_PATH_MAX + 1];
	bool is_valid;
	bool is_fresh; /* not taken yet */
	struct disk_usage usage;
};

struct disk_space {
	struct slow_task *task;
	struct reading *reading; /* the task's state */
	bool has_late;
	struct disk_usage late; /* a reading that came after its row was closed */
};

/* Free space that only root may use counts neither as used nor as available. False for what has no
 * size: pseudo file systems, and stores that do not tell. */
static bool measure(const struct statvfs *space, struct disk_usage *ret_usage)
{
	uint64_t unit = space->f_frsize ? space->f_frsize : space->f_bsize;
	uint64_t used = space->f_blocks > space->f_bfree ? space->f_blocks - space->f_bfree : 0;
	uint64_t available = space->f_bavail < space->f_bfree ? space->f_bavail : space->f_bfree;
	uint64_t total_bytes;

	if (__builtin_mul_overflow(space->f_blocks, unit, &total_bytes) || total_bytes == 0)
		return false;
	*ret_usage = (struct disk_usage){ .total_bytes = total_bytes,
					  .used_bytes = used * unit,
					  .available_bytes = available * unit };
	return true;
}

static void read_space(void *state)
{
	struct reading *reading = state;
	struct statvfs space;
	struct stat file;

	reading->is_valid = false;
	reading->is_fresh = false;
	if (statvfs(reading->path, &space) != 0 || stat(reading->path, &file) != 0)
		return;
	if (!measure(&space, &reading->usage))
		return;
	reading->usage.device = file.st_dev;
	reading->is_valid = true;
	reading->is_fresh = true;
}

struct disk_space *disk_space_new(const char *path)
{
	struct disk_space *space = calloc(1, sizeof *space);
	struct reading *reading = calloc(1, sizeof *reading);

	if (space && reading) {
		strncpy(reading->path, path, sizeof reading->path - 1);
		space->reading = reading;
		space->task = slow_task_new(read_space, free, reading);
	}
	if (!space || !space->task) {
		free(space);
		free(reading);
		return NULL;
	}
	disk_space_begin(space);
	return space;
}

void disk_space_end(struct disk_space *space, uint64_t deadline_ns)
{
	slow_task_end(space->task, deadline_ns);
}

void disk_space_free(struct disk_space *space)
{
	if (!space)
		return;
	slow_task_free(space->task);
	free(space);
}

void disk_space_begin(struct disk_space *space)
{
	if (!slow_task_enter(space->task, 0))
		return;
	space->has_late = space->reading->is_valid && space->reading->is_fresh;
	space->late = space->reading->usage;
	slow_task_leave(space->task, SLOW_TASK_RUN);
}

bool disk_space_last(struct disk_space *space, uint64_t deadline_ns, struct disk_usage *ret_usage)
{
	if (!slow_task_enter(space->task, deadline_ns))
		return false;
	bool is_valid = space->reading->is_valid;
	if (is_valid)
		*ret_usage = space->reading->usage;
	slow_task_leave(space->task, SLOW_TASK_REST);
	return is_valid;
}

static bool take_late(struct disk_space *space, struct disk_usage *ret_usage)
{
	if (!space->has_late)
		return false;
	space->has_late = false;
	*ret_usage = space->late;
	return true;
}

bool disk_space_take(struct disk_space *space, uint64_t deadline_ns, struct disk_usage *ret_usage)
{
	if (!slow_task_enter(space->task, deadline_ns))
		return take_late(space, ret_usage);
	bool is_fresh = space->reading->is_valid && space->reading->is_fresh;
	if (is_fresh)
		*ret_usage = space->reading->usage;
	space->reading->is_fresh = false;
	space->has_late = false;
	slow_task_leave(space->task, SLOW_TASK_REST);
	return is_fresh;
}
