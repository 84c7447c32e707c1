/*
 * disk.c - how full the chosen file systems are, and what was read and written since the start.
 *
 * Traffic is summed over whole disks: a partition, a logical volume and the disk below them carry
 * the same bytes. In addition each device that holds a chosen path has its own pair, found by
 * device number; comparing names of mount points was rejected ("/database" is not on "/data").
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "counter.h"
#include "disk_space.h"
#include "info_text.h"
#include "proc_file.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define DEVICES_MAX 256
#define DEVICE_NAME_MAX 32
#define TEXT_MAX (64 * 1024)
#define SECTOR_BYTES 512.0 /* of /proc/diskstats, whatever the device's own */
#define BYTES_PER_MIB 1048576.0
#define BYTES_PER_GIB 1073741824.0
#define METRIC_NAME_MAX (SETTINGS_DISK_PATH_MAX + 32)

struct device {
	char name[DEVICE_NAME_MAX];
	dev_t number;
	bool is_whole;
	bool holds_path;
	struct counter read; /* sectors */
	struct counter written;
	char read_name[DEVICE_NAME_MAX + 16];
	char written_name[DEVICE_NAME_MAX + 16];
};

struct disk_path {
	struct disk_space *space;
	char percent_name[METRIC_NAME_MAX];
	char gigabytes_name[METRIC_NAME_MAX];
};

struct disk {
	const struct settings *settings;
	struct proc_file file;
	size_t path_count;
	struct disk_path paths[SAMPLER_DISK_PATHS_MAX];
	size_t device_count;
	struct device devices[DEVICES_MAX];
	uint64_t read_sectors; /* of all whole disks */
	uint64_t written_sectors;
	char text[TEXT_MAX];
};

/* Devices made of memory, of files or of other disks. */
static bool is_composed(const char *name)
{
	static const char *const prefixes[] = { "loop", "ram", "zram", "dm-", "md" };

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

/* Whole disks, and nothing else, have a directory in /sys/block; '/' is written '!' there. */
static bool is_whole_disk(const struct settings *settings, const char *name)
{
	char path[SETTINGS_ROOT_MAX + 64];
	char file_name[DEVICE_NAME_MAX];

	if (is_composed(name))
		return false;
	for (size_t i = 0; i < sizeof file_name; i++) {
		file_name[i] = name[i] == '/' ? '!' : name[i];
		if (!name[i])
			break;
	}
	return proc_path(path, sizeof path, settings->sys_root, "block/%s", file_name) &&
	       access(path, F_OK) == 0;
}

static struct device *find_device(struct disk *disk, const char *name)
{
	for (size_t i = 0; i < disk->device_count; i++) {
		if (strcmp(disk->devices[i].name, name) == 0)
			return &disk->devices[i];
	}
	return NULL;
}

static void add_device(struct disk *disk, const char *name, uint64_t read, uint64_t written)
{
	if (disk->device_count == DEVICES_MAX)
		return;
	struct device *device = &disk->devices[disk->device_count++];
	memcpy(device->name, name, strlen(name) + 1); /* fits: copy_device_name saw to it */
	snprintf(device->read_name, sizeof device->read_name, "disk.%s.in", name);
	snprintf(device->written_name, sizeof device->written_name, "disk.%s.out", name);
	device->is_whole = is_whole_disk(disk->settings, name);
	counter_begin(&device->read, read);
	counter_begin(&device->written, written);
}

static void count_device(struct disk *disk, struct device *device, uint64_t read, uint64_t written)
{
	uint64_t more_read = counter_update(&device->read, read);
	uint64_t more_written = counter_update(&device->written, written);

	if (!device->is_whole)
		return;
	disk->read_sectors += more_read;
	disk->written_sectors += more_written;
}

static bool copy_device_name(const char *at, char *ret_name)
{
	size_t length = 0;

	at += strspn(at, " ");
	for (; at[length] > ' ' && at[length] < 0x7f; length++) {
		if (length + 1 >= DEVICE_NAME_MAX)
			return false;
		ret_name[length] = at[length];
	}
	ret_name[length] = '\0';
	return length > 0 && at[length] == ' ';
}

/* "254 0 vda reads merged SECTORS_READ ms writes merged SECTORS_WRITTEN ..." */
static void read_line(struct disk *disk, const char *line)
{
	char name[DEVICE_NAME_MAX];
	uint64_t major_number, minor_number, read, written;
	const char *at = line;

	if (!proc_number(&at, &major_number) || !proc_number(&at, &minor_number))
		return;
	if (!copy_device_name(at, name))
		return;
	for (int i = 0; i < 3; i++)
		at = proc_skip_word(at);
	if (!proc_number(&at, &read))
		return;
	for (int i = 0; i < 3; i++)
		at = proc_skip_word(at);
	if (!proc_number(&at, &written))
		return;
	struct device *device = find_device(disk, name);
	if (device)
		count_device(disk, device, read, written);
	else
		add_device(disk, name, read, written);
	device = find_device(disk, name);
	if (device)
		device->number = makedev((unsigned)major_number, (unsigned)minor_number);
}

static bool read_devices(struct disk *disk)
{
	char *state = NULL;

	if (proc_file_read(&disk->file, disk->text, sizeof disk->text) <= 0)
		return false;
	for (char *line = strtok_r(disk->text, "\n", &state); line;
	     line = strtok_r(NULL, "\n", &state))
		read_line(disk, line);
	return true;
}

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
	proc_file_close(&disk->file);
	free(disk);
}

static int open_path(struct disk_path *path, const char *name)
{
	snprintf(path->percent_name, sizeof path->percent_name, "disk.%s.usagePercent", name);
	snprintf(path->gigabytes_name, sizeof path->gigabytes_name, "disk.%s.usageGB", name);
	path->space = disk_space_new(name);
	return path->space ? 0 : ENOMEM;
}

static int disk_open(const struct settings *settings, void **ret_state)
{
	char path[SETTINGS_ROOT_MAX + 16];
	struct disk *disk = calloc(1, sizeof *disk);

	if (!disk)
		return ENOMEM;
	disk->settings = settings;
	disk->file = PROC_FILE_NONE;
	if (proc_path(path, sizeof path, settings->proc_root, "diskstats"))
		proc_file_open(&disk->file, path);
	read_devices(disk);
	for (size_t i = 0; i < settings->disk_path_count; i++) {
		int e = open_path(&disk->paths[i], settings->disk_paths[i]);
		if (e) {
			disk_close(disk);
			return e;
		}
		disk->path_count++;
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

static void mark_device(struct disk *disk, dev_t number)
{
	for (size_t i = 0; i < disk->device_count; i++) {
		if (disk->devices[i].number == number)
			disk->devices[i].holds_path = true;
	}
}

static void add_usage(struct disk *disk, const struct disk_path *path, const struct sample *sample)
{
	struct disk_usage usage;

	if (!disk_space_take(path->space, sample->deadline_ns, &usage))
		return;
	mark_device(disk, usage.device);
	double used = (double)usage.used_bytes;
	double usable = used + (double)usage.available_bytes;
	if (usable > 0)
		sample_row_add(sample->row, path->percent_name, 100 * used / usable);
	sample_row_add(sample->row, path->gigabytes_name, used / BYTES_PER_GIB);
}

static double megabytes(uint64_t sectors)
{
	return (double)sectors * SECTOR_BYTES / BYTES_PER_MIB;
}

static void add_traffic(struct disk *disk, struct sampler_row *row)
{
	if (!read_devices(disk))
		return;
	sample_row_add(row, "disk.in", megabytes(disk->read_sectors));
	sample_row_add(row, "disk.out", megabytes(disk->written_sectors));
	for (size_t i = 0; i < disk->device_count; i++) {
		const struct device *device = &disk->devices[i];
		if (!device->holds_path)
			continue;
		sample_row_add(row, device->read_name, megabytes(device->read.since_start));
		sample_row_add(row, device->written_name, megabytes(device->written.since_start));
	}
}

static void disk_sample(void *state, const struct sample *sample)
{
	struct disk *disk = state;

	for (size_t i = 0; i < disk->path_count; i++)
		add_usage(disk, &disk->paths[i], sample);
	add_traffic(disk, sample->row);
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
