/*
 * descriptors.c - "proc.fileDescriptors": open files of the process tree, and how near a process is
 * to its limit.
 *
 * Since Linux 6.2 the size of /proc/PID/fd is their number, so a process costs one call. On an
 * older kernel the folder would have to be read, thousands of entries for some trees: there only the root's is.
 */
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "monotonic.h"
#include "proc_file.h"
#include "process_tree.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define LIMIT_AGAIN_NS (60 * NS_PER_S)

struct descriptors {
	uint64_t limit_ns; /* when to read the limit again */
	uint64_t limit;    /* 0: unknown or none */
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

static uint64_t count_entries(const char *path)
{
	uint64_t count = 0;
	DIR *dir = opendir(path);

	if (!dir)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

/* False when the process is gone, or its files cannot be counted cheaply. */
static bool count_files(const struct settings *settings, pid_t pid, bool is_root,
			uint64_t *ret_count)
{
	char path[SETTINGS_ROOT_MAX + 32];
	struct stat folder;

	if (!proc_path(path, sizeof path, settings->proc_root, "%d/fd", (int)pid) ||
	    stat(path, &folder) != 0)
		return false;
	*ret_count = (uint64_t)folder.st_size;
	if (*ret_count == 0 && is_root)
		*ret_count = count_entries(path);
	return *ret_count > 0;
}

static int descriptors_open(const struct settings *settings, void **ret_state)
{
	(void)settings;
	*ret_state = calloc(1, sizeof(struct descriptors));
	return *ret_state ? 0 : ENOMEM;
}

static void descriptors_sample(void *state, const struct sample *sample)
{
	struct descriptors *descriptors = state;
	const struct process_tree *tree = sample->tree;
	uint64_t sum = 0, most = 0, count;

	if (!tree->alive)
		return;
	if (sample->now_ns >= descriptors->limit_ns) {
		descriptors->limit_ns = sample->now_ns + LIMIT_AGAIN_NS;
		descriptors->limit = read_limit(sample->settings);
	}
	for (size_t i = 0; i < tree->pid_count; i++) {
		if (!count_files(sample->settings, tree->pids[i],
				 tree->pids[i] == sample->settings->pid, &count))
			continue;
		sum += count;
		most = count > most ? count : most;
	}
	if (sum == 0)
		return;
	sample_row_add(sample->row, "proc.fileDescriptors", (double)sum);
	if (descriptors->limit > 0)
		sample_row_add(sample->row, "proc.fileDescriptorsPercent",
			       100 * (double)most / (double)descriptors->limit);
}

const struct source source_descriptors = {
	.name = "descriptors",
	.open = descriptors_open,
	.sample = descriptors_sample,
	.close = free,
};
