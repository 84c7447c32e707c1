/*
 * disk_traffic.c - see disk_traffic.h.
 *
 * The sum is over whole disks: a partition, a logical volume and the disk below them carry the same
 * bytes. Every device is followed, though, since any of them may turn out to hold a chosen path.
 */
#include "disk_traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "counter.h"
#include "proc_file.h"
#include "sample_row.h"
#include "settings.h"

#define DEVICES_MAX 1024
#define DEVICE_NAME_MAX 64
#define SHOWN_MAX (2 * SAMPLER_DISK_PATHS_MAX) /* a path may move to another device */
#define SECTOR_BYTES 512.0                     /* of /proc/diskstats, whatever the device's own */
#define BYTES_PER_MIB 1048576.0

struct device {
	char name[DEVICE_NAME_MAX];
	dev_t number;
	unsigned pass; /* in which it was last there */
	bool is_whole;
	bool is_shown;
	char head_name[32];  /* "": not a path of NVMe multipath */
	struct counter read; /* sectors */
	struct counter written;
};

/* Names of metrics outlive what becomes of the device. */
struct shown {
	const struct device *device;
	char read_name[DEVICE_NAME_MAX + 16];
	char written_name[DEVICE_NAME_MAX + 16];
};

struct disk_traffic {
	const struct settings *settings;
	struct proc_lines lines;
	unsigned pass;
	bool has_whole_disk; /* without /sys nobody knows which they are */
	uint64_t read_sectors;
	uint64_t written_sectors;
	size_t shown_count;
	struct shown shown[SHOWN_MAX];
	size_t next; /* devices come in the same order each time */
	size_t device_count;
	struct device devices[DEVICES_MAX];
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
	char path[SETTINGS_ROOT_MAX + DEVICE_NAME_MAX + 16];
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

/* Passes over a word and the digits that follow; NULL: it is not there. */
static const char *past_number(const char *text, const char *word)
{
	size_t length = strlen(word);
	size_t digits;

	if (!text || strncmp(text, word, length) != 0)
		return NULL;
	digits = strspn(text + length, "0123456789");
	return digits ? text + length + digits : NULL;
}

/* "nvme0c1n2" is one of the paths to "nvme0n2", which is itself in the list. */
static void name_head(struct device *device)
{
	const char *subsystem_end = past_number(device->name, "nvme");
	const char *controller_end = past_number(subsystem_end, "c");
	const char *space_end = past_number(controller_end, "n");

	if (space_end && !*space_end)
		snprintf(device->head_name, sizeof device->head_name, "%.*s%s",
			 (int)(subsystem_end - device->name), device->name, controller_end);
}

static struct device *find_device(struct disk_traffic *traffic, const char *name)
{
	for (size_t i = 0; i < traffic->device_count; i++) {
		size_t at = (traffic->next + i) % traffic->device_count;
		if (strcmp(traffic->devices[at].name, name) != 0)
			continue;
		traffic->next = at + 1;
		return &traffic->devices[at];
	}
	return NULL;
}

/* A free slot, or that of a device that is gone and has no values of its own. */
static struct device *find_slot(struct disk_traffic *traffic)
{
	if (traffic->device_count < DEVICES_MAX)
		return &traffic->devices[traffic->device_count++];
	for (size_t i = 0; i < DEVICES_MAX; i++) {
		struct device *device = &traffic->devices[i];
		if (device->pass + 1 < traffic->pass && !device->is_shown)
			return device;
	}
	return NULL;
}

static struct device *add_device(struct disk_traffic *traffic, const char *name)
{
	struct device *device = find_slot(traffic);

	if (!device)
		return NULL;
	*device = (struct device){ .is_whole = is_whole_disk(traffic->settings, name) };
	memcpy(device->name, name, strlen(name) + 1); /* fits: copy_name saw to it */
	name_head(device);
	traffic->has_whole_disk |= device->is_whole;
	return device;
}

/* Kernels before 6.4 count what goes over a path there and only there, later ones at the head too. */
static bool is_counted_at_head(struct disk_traffic *traffic, const struct device *device)
{
	const struct device *head = device->head_name[0] ? find_device(traffic, device->head_name)
							 : NULL;

	return head && (head->read.last > 0 || head->written.last > 0);
}

static void count(struct disk_traffic *traffic, struct device *device, uint64_t read,
		  uint64_t written)
{
	uint64_t more_read = counter_update(&device->read, read);
	uint64_t more_written = counter_update(&device->written, written);

	if (!device->is_whole || is_counted_at_head(traffic, device))
		return;
	traffic->read_sectors += more_read;
	traffic->written_sectors += more_written;
}

static bool copy_name(const char *at, char *ret_name)
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
static void read_line(struct disk_traffic *traffic, const char *line)
{
	char name[DEVICE_NAME_MAX];
	uint64_t major_number, minor_number, read, written;
	const char *at = line;

	if (!proc_number(&at, &major_number) || !proc_number(&at, &minor_number))
		return;
	if (!copy_name(at, name))
		return;
	for (int i = 0; i < 3; i++)
		at = proc_skip_word(at);
	if (!proc_number(&at, &read))
		return;
	for (int i = 0; i < 3; i++)
		at = proc_skip_word(at);
	if (!proc_number(&at, &written))
		return;
	struct device *device = find_device(traffic, name);
	if (device) {
		count(traffic, device, read, written);
	} else {
		device = add_device(traffic, name);
		if (!device)
			return;
		counter_begin(&device->read, read);
		counter_begin(&device->written, written);
	}
	device->pass = traffic->pass;
	device->number = makedev((unsigned)major_number, (unsigned)minor_number);
}

/* Tried again while there is no file descriptor to spare. */
static void open_file(struct disk_traffic *traffic)
{
	char path[SETTINGS_ROOT_MAX + 16];

	if (traffic->lines.fd < 0 &&
	    proc_path(path, sizeof path, traffic->settings->proc_root, "diskstats"))
		proc_lines_open(&traffic->lines, path);
}

static bool read_devices(struct disk_traffic *traffic)
{
	char *line;

	open_file(traffic);
	traffic->pass++;
	traffic->next = 0;
	proc_lines_rewind(&traffic->lines);
	while ((line = proc_lines_next(&traffic->lines)) != NULL)
		read_line(traffic, line);
	return !traffic->lines.has_failed;
}

struct disk_traffic *disk_traffic_new(const struct settings *settings)
{
	struct disk_traffic *traffic = calloc(1, sizeof *traffic);

	if (!traffic)
		return NULL;
	traffic->settings = settings;
	traffic->lines.fd = -1;
	read_devices(traffic);
	return traffic;
}

void disk_traffic_free(struct disk_traffic *traffic)
{
	if (!traffic)
		return;
	proc_lines_close(&traffic->lines);
	free(traffic);
}

static void show(struct disk_traffic *traffic, struct device *device)
{
	if (traffic->shown_count == SHOWN_MAX)
		return;
	struct shown *shown = &traffic->shown[traffic->shown_count++];
	snprintf(shown->read_name, sizeof shown->read_name, "disk.%s.in", device->name);
	snprintf(shown->written_name, sizeof shown->written_name, "disk.%s.out", device->name);
	shown->device = device;
	device->is_shown = true;
}

void disk_traffic_show(struct disk_traffic *traffic, dev_t number)
{
	for (size_t i = 0; i < traffic->device_count; i++) {
		struct device *device = &traffic->devices[i];
		if (device->number == number && device->pass == traffic->pass && !device->is_shown)
			show(traffic, device);
	}
}

static double megabytes(uint64_t sectors)
{
	return (double)sectors * SECTOR_BYTES / BYTES_PER_MIB;
}

void disk_traffic_sample(struct disk_traffic *traffic, struct sampler_row *row)
{
	if (!read_devices(traffic))
		return;
	if (traffic->has_whole_disk) {
		sample_row_add(row, "disk.in", megabytes(traffic->read_sectors));
		sample_row_add(row, "disk.out", megabytes(traffic->written_sectors));
	}
	for (size_t i = 0; i < traffic->shown_count; i++) {
		const struct shown *shown = &traffic->shown[i];
		sample_row_add(row, shown->read_name, megabytes(shown->device->read.since_start));
		sample_row_add(row, shown->written_name,
			       megabytes(shown->device->written.since_start));
	}
}
