/*
 * disk.c - how full the chosen file systems are, and the traffic of disks.
 *
 * Each device that holds a chosen path has traffic of its own in the rows. It is found by device
 * number; comparing names of mount points was rejected ("/database" is not on "/data").
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "disk_space.h"
#include "disk_traffic.h"
#include "info_text.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define BYTES_PER_GIB 1073741824.0
#define METRIC_NAME_MAX (SETTINGS_DISK_PATH_MAX + 32)

struct disk_path {
	struct disk_space *space;
	char percent_name[METRIC_NAME_MAX];
	char gigabytes_name[METRIC_NAME_MAX];
};

struct disk {
	const struct settings *settings;
	struct disk_traffic *traffic;
	size_t path_count;
	struct disk_path paths[SAMPLER_DISK_PATHS_MAX];
};

static void disk_end(void *state, uint64_t deadline_ns)
{
	struct disk *disk = state;

	for (size_t i = 0; i < disk->path_count; i++)
		disk_space_end(disk->paths[i].space, deadline_ns);
}

static void disk_close(void *state)
{
	struct disk *disk = state;

	for (size_t i = 0; i < disk->path_count; i++)
		disk_space_free(disk->paths[i].space);
	disk_traffic_free(disk->traffic);
	free(disk);
}

static int open_path(struct disk_path *path, const char *name)
{
	snprintf(path->percent_name, sizeof path->percent_name, "disk.%s.usagePercent", name);
	snprintf(path->gigabytes_name, sizeof path->gigabytes_name, "disk.%s.usageGB", name);
	path->space = disk_space_new(name);
	return path->space ? 0 : ENOMEM;
}

static int open_paths(struct disk *disk)
{
	for (size_t i = 0; i < disk->settings->disk_path_count; i++) {
		int e = open_path(&disk->paths[i], disk->settings->disk_paths[i]);
		if (e)
			return e;
		disk->path_count++;
	}
	return 0;
}

static int disk_open(const struct settings *settings, void **ret_state)
{
	struct disk *disk = calloc(1, sizeof *disk);

	if (!disk)
		return ENOMEM;
	disk->settings = settings;
	disk->traffic = disk_traffic_new(settings);
	int e = disk->traffic ? open_paths(disk) : ENOMEM;
	if (e) {
		disk_close(disk);
		return e;
	}
	*ret_state = disk;
	return 0;
}

static void disk_begin(void *state, const struct sample *sample)
{
	struct disk *disk = state;

	(void)sample;
	for (size_t i = 0; i < disk->path_count; i++)
		disk_space_begin(disk->paths[i].space);
}

static void add_usage(struct disk *disk, const struct disk_path *path, const struct sample *sample)
{
	struct disk_usage usage;

	if (!disk_space_take(path->space, sample->deadline_ns, &usage))
		return;
	disk_traffic_show(disk->traffic, usage.device);
	double used = (double)usage.used_bytes;
	double usable = used + (double)usage.available_bytes;
	if (usable > 0)
		sample_row_add(sample->row, path->percent_name, 100 * used / usable);
	sample_row_add(sample->row, path->gigabytes_name, used / BYTES_PER_GIB);
}

static void disk_sample(void *state, const struct sample *sample)
{
	struct disk *disk = state;

	for (size_t i = 0; i < disk->path_count; i++)
		add_usage(disk, &disk->paths[i], sample);
	disk_traffic_sample(disk->traffic, sample->row);
}

static void disk_describe(void *state, struct info_text *text, uint64_t deadline_ns)
{
	struct disk *disk = state;
	struct disk_usage usage;

	info_object_begin(text, "disk");
	for (size_t i = 0; i < disk->path_count; i++) {
		if (!disk_space_last(disk->paths[i].space, deadline_ns, &usage))
			continue;
		info_object_begin(text, disk->settings->disk_paths[i]);
		info_bytes(text, "total", usage.total_bytes);
		info_bytes(text, "used", usage.used_bytes);
		info_object_end(text);
	}
	info_object_end(text);
}

const struct source source_disk = {
	.name = "disk",
	.open = disk_open,
	.begin = disk_begin,
	.sample = disk_sample,
	.describe = disk_describe,
	.end = disk_end,
	.close = disk_close,
};
