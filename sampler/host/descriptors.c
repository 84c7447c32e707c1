/*
 * descriptors.c - "proc.fileDescriptors": open files of the process tree, and how near its root is to
 * its limit.
 *
 * Since Linux 6.2 the size of /proc/PID/fd is their number, so a process costs one call. On an older
 * kernel the folder must be read, which may have tens of thousands of entries: there only the root's
 * is, once a minute.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "monotonic.h"
#include "proc_file.h"
#include "process_tree.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define REFRESH_NS (60 * NS_PER_S)

struct descriptors {
	bool has_sizes;
	uint64_t refresh_ns; /* when to read the limit again */
	uint64_t limit;      /* 0: unknown or none */
	uint64_t of_root;    /* its open files */
};

/* The soft limit of the line "Max open files            1024                 1048576  files". */
static uint64_t read_limit(const struct settings *settings)
{
	static const char word[] = "Max open files";
	char path[SETTINGS_ROOT_MAX + 32], text[4096];
	uint64_t limit;

	if (!proc_path(path, sizeof path, settings->proc_root, "%d/limits", (int)settings->pid) ||
	    proc_read(AT_FDCWD, path, text, sizeof text) <= 0)
		return 0;
	const char *at = strstr(text, word);
	if (!at)
		return 0;
	at += strlen(word);
	return proc_number(&at, &limit) ? limit : 0;
}

struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* Without opendir, which allocates. */
static uint64_t count_entries(const char *path)
{
	_Alignas(struct entry) char buffer[32768];
	uint64_t count = 0;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	if (fd < 0)
		return 0;
	while ((n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *entry = (const void *)(buffer + at);
			count += entry->name[0] != '.';
			at += entry->length;
		}
	}
	close(fd);
	return count;
}

static bool fd_path(const struct settings *settings, pid_t pid, char *ret_path, size_t size)
{
	return proc_path(ret_path, size, settings->proc_root, "%d/fd", (int)pid);
}

/* True where the size of /proc/PID/fd is the number of open files. */
static bool has_sizes(const struct settings *settings)
{
	char path[SETTINGS_ROOT_MAX + 32];
	struct stat folder;
	struct statfs system;

	return fd_path(settings, settings->pid, path, sizeof path) && stat(path, &folder) == 0 &&
	       folder.st_size > 0 && statfs(path, &system) == 0 &&
	       system.f_type == PROC_SUPER_MAGIC;
}

static int descriptors_open(const struct settings *settings, void **ret_state)
{
	struct descriptors *descriptors = calloc(1, sizeof *descriptors);

	*ret_state = descriptors;
	if (!descriptors)
		return ENOMEM;
	descriptors->has_sizes = has_sizes(settings);
	return 0;
}

/* The folder of a process that has done nothing is not asked again, but the root's: opening a file takes less time than
 * the kernel counts. */
static uint64_t count_files(const struct sample *sample, pid_t pid)
{
	struct process *process = process_table_find(&sample->tree->now, pid);
	char path[SETTINGS_ROOT_MAX + 32];
	struct stat folder;

	bool is_root = pid == sample->settings->pid;
	if (process && process->is_idle && process->open_files > 0 && !is_root)
		return process->open_files;
	if (!fd_path(sample->settings, pid, path, sizeof path) || stat(path, &folder) != 0)
		return 0;
	if (process)
		process->open_files = (uint64_t)folder.st_size;
	return (uint64_t)folder.st_size;
}

static uint64_t sum_of_sizes(const struct sample *sample, uint64_t *ret_of_root)
{
	uint64_t sum = 0;

	*ret_of_root = 0;
	for (size_t i = 0; i < sample->tree->pid_count; i++) {
		uint64_t count = count_files(sample, sample->tree->pids[i]);
		sum += count;
		if (sample->tree->pids[i] == sample->settings->pid)
			*ret_of_root = count;
	}
	return sum;
}

/* Once a minute: the limit, and on older kernels the root's open files. */
static void refresh(struct descriptors *descriptors, const struct sample *sample)
{
	char path[SETTINGS_ROOT_MAX + 32];

	if (sample->now_ns < descriptors->refresh_ns)
		return;
	descriptors->refresh_ns = sample->now_ns + REFRESH_NS;
	descriptors->limit = read_limit(sample->settings);
	if (!descriptors->has_sizes &&
	    fd_path(sample->settings, sample->settings->pid, path, sizeof path))
		descriptors->of_root = count_entries(path);
}

static void descriptors_sample(void *state, const struct sample *sample)
{
	struct descriptors *descriptors = state;

	if (!sample->tree->alive)
		return;
	refresh(descriptors, sample);
	uint64_t sum = descriptors->has_sizes ? sum_of_sizes(sample, &descriptors->of_root)
					      : descriptors->of_root;
	if (sum > 0)
		sample_row_add(sample->row, "proc.fileDescriptors", (double)sum);
	if (descriptors->of_root > 0 && descriptors->limit > 0)
		sample_row_add(sample->row, "proc.fileDescriptorsPercent",
			       100 * (double)descriptors->of_root / (double)descriptors->limit);
}

const struct source source_descriptors = {
	.name = "descriptors",
	.open = descriptors_open,
	.sample = descriptors_sample,
	.close = free,
};
