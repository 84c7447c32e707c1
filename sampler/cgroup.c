/* cgroup.c - see cgroup.h. Rejected: looking at the leaf only, and trusting that a mounted version
 * 2 tree means that it governs anything; hybrid hosts mount an empty one. */
#include "cgroup.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "cgroup_hierarchy.h"
#include "monotonic.h"
#include "settings.h"

#define REFRESH_NS (60 * NS_PER_S)
#define STAT_TEXT_MAX 8192
#define UNLIMITED_BYTES (INT64_MAX - 65535) /* version 1's way to say so, on the largest pages */

struct walk {
	char directory[CGROUP_DIRECTORY_MAX];
	size_t top; /* length of the mount point, where the walk ends */
};

void cgroup_init(struct cgroup *cgroup)
{
	*cgroup = (struct cgroup){ .memory_usage = PROC_FILE_NONE, .memory_stat = PROC_FILE_NONE };
}

void cgroup_deinit(struct cgroup *cgroup)
{
	proc_file_close(&cgroup->memory_usage);
	proc_file_close(&cgroup->memory_stat);
}

/* Starts at the leaf. Mounts below /sys are looked up in the settings' root. */
static bool walk_begin(struct walk *walk, const struct cgroup_hierarchy *h,
		       const struct settings *s)
{
	const char *point = h->mount_point;
	int n;

	if (!h->has_group || !h->has_mount)
		return false;
	if (strncmp(point, "/sys/", 5) == 0)
		n = snprintf(walk->directory, sizeof walk->directory, "%s%s", s->sys_root,
			     point + 4);
	else
		n = snprintf(walk->directory, sizeof walk->directory, "%s", point);
	walk->top = (size_t)n;
	n += snprintf(walk->directory + n, sizeof walk->directory - (size_t)n, "%s",
		      cgroup_hierarchy_below(h));
	return (size_t)n < sizeof walk->directory;
}

/* One directory up; false above the mount point. */
static bool walk_up(struct walk *walk)
{
	char *slash = strrchr(walk->directory, '/');

	if (!slash || (size_t)(slash - walk->directory) < walk->top)
		return false;
	*slash = '\0';
	return true;
}

static ssize_t read_file(const struct walk *walk, const char *name, char *ret, size_t size)
{
	char path[CGROUP_DIRECTORY_MAX + 64];

	if (!proc_path(path, sizeof path, walk->directory, "%s", name))
		return -1;
	return proc_read(AT_FDCWD, path, ret, size);
}

static void open_file(struct proc_file *file, const struct walk *walk, const char *name)
{
	char path[CGROUP_DIRECTORY_MAX + 64];

	proc_file_close(file);
	if (proc_path(path, sizeof path, walk->directory, "%s", name))
		proc_file_open(file, path);
}

struct memory_files {
	const char *limit;
	const char *usage;
	const char *inactive;
};

static const struct memory_files memory_files_v2 = { "memory.max", "memory.current",
						     "inactive_file" };
static const struct memory_files memory_files_v1 = { "memory.limit_in_bytes",
						     "memory.usage_in_bytes",
						     "total_inactive_file" };

static void keep_memory(struct cgroup *cgroup, const struct walk *walk, uint64_t limit,
			const struct memory_files *files)
{
	cgroup->memory_limit_bytes = limit;
	cgroup->inactive_name = files->inactive;
	open_file(&cgroup->memory_usage, walk, files->usage);
	open_file(&cgroup->memory_stat, walk, "memory.stat");
}

/* False when no directory on the way has the controller. `limit` starts as the host's memory: a
 * limit that is not below it limits nothing. */
static bool walk_memory(struct cgroup *cgroup, struct walk *walk, uint64_t limit,
			const struct memory_files *files)
{
	char text[64];
	bool found = false;
	bool limited = false;

	do {
		const char *at = text;
		uint64_t number;
		if (read_file(walk, files->limit, text, sizeof text) <= 0)
			continue;
		found = true;
		if (!proc_number(&at, &number) || number > limit || (number == limit && !limited))
			continue;
		limit = number;
		limited = true;
		keep_memory(cgroup, walk, limit, files);
	} while (walk_up(walk));
	return found;
}

/* The ancestor's quota wins if both are equal, as with memory: it is reached first. */
static void keep_cpu(struct cgroup *cgroup, const struct walk *walk, bool is_v1, uint64_t quota_us,
		     uint64_t period_us)
{
	if (quota_us == 0 || period_us == 0)
		return;
	double limit = (double)quota_us / (double)period_us;
	if (cgroup->cpu_limit != 0 && limit > cgroup->cpu_limit)
		return;
	cgroup->cpu_limit = limit;
	cgroup->directories.is_v1_cpu = is_v1;
	memcpy(cgroup->directories.cpu, walk->directory, sizeof walk->directory);
}

/* cpu.max: "150000 100000" or "max 100000" */
static bool walk_cpu_v2(struct cgroup *cgroup, struct walk *walk)
{
	char text[64];
	bool found = false;

	do {
		const char *at = text;
		uint64_t quota_us, period_us;
		if (read_file(walk, "cpu.max", text, sizeof text) <= 0)
			continue;
		found = true;
		if (proc_number(&at, &quota_us) && proc_number(&at, &period_us))
			keep_cpu(cgroup, walk, false, quota_us, period_us);
	} while (walk_up(walk));
	return found;
}

/* A quota of -1 is none. */
static void walk_cpu_v1(struct cgroup *cgroup, struct walk *walk)
{
	char quota[64], period[64];

	do {
		const char *quota_at = quota, *period_at = period;
		uint64_t quota_us, period_us;
		if (read_file(walk, "cpu.cfs_quota_us", quota, sizeof quota) <= 0 ||
		    read_file(walk, "cpu.cfs_period_us", period, sizeof period) <= 0)
			continue;
		if (proc_number(&quota_at, &quota_us) && proc_number(&period_at, &period_us))
			keep_cpu(cgroup, walk, true, quota_us, period_us);
	} while (walk_up(walk));
}

static void find_limits(struct cgroup *cgroup, const struct cgroup_hierarchy *hierarchies,
			const struct settings *settings, uint64_t host_total_bytes)
{
	const struct cgroup_hierarchy *unified = &hierarchies[CGROUP_UNIFIED];
	uint64_t most = host_total_bytes ? host_total_bytes : UNLIMITED_BYTES - 1;
	struct walk walk;
	bool found = false;

	if (walk_begin(&walk, unified, settings))
		found = walk_memory(cgroup, &walk, most, &memory_files_v2);
	if (!found && walk_begin(&walk, &hierarchies[CGROUP_V1_MEMORY], settings))
		walk_memory(cgroup, &walk, most, &memory_files_v1);
	found = false;
	if (walk_begin(&walk, unified, settings))
		found = walk_cpu_v2(cgroup, &walk);
	if (!found && walk_begin(&walk, &hierarchies[CGROUP_V1_CPU], settings))
		walk_cpu_v1(cgroup, &walk);
}

/* The group that counts kills: the leaf, of version 2 where the controller is there. */
static void find_memory_events(struct cgroup_directories *d,
			       const struct cgroup_hierarchy *hierarchies,
			       const struct settings *settings)
{
	static const int order[] = { CGROUP_UNIFIED, CGROUP_V1_MEMORY };
	static const char *const files[] = { "memory.events", "memory.oom_control" };
	char text[64];
	struct walk walk;

	for (int i = 0; i < 2; i++) {
		if (!walk_begin(&walk, &hierarchies[order[i]], settings) ||
		    read_file(&walk, files[i], text, sizeof text) <= 0)
			continue;
		memcpy(d->memory, walk.directory, sizeof walk.directory);
		d->is_v1_memory = i == 1;
		return;
	}
}

void cgroup_refresh(struct cgroup *cgroup, const struct settings *settings,
		    uint64_t host_total_bytes, uint64_t now_ns)
{
	struct cgroup_hierarchy hierarchies[CGROUP_HIERARCHIES];

	if (settings_has(settings, SAMPLER_NO_CGROUP))
		return;
	if (cgroup->is_read && now_ns - cgroup->read_ns < REFRESH_NS)
		return;
	cgroup->is_read = true;
	cgroup->read_ns = now_ns;
	if (!cgroup_hierarchies_read(hierarchies, settings))
		return;
	cgroup->memory_limit_bytes = 0;
	cgroup->cpu_limit = 0;
	memset(&cgroup->directories, 0, sizeof cgroup->directories);
	find_limits(cgroup, hierarchies, settings, host_total_bytes);
	find_memory_events(&cgroup->directories, hierarchies, settings);
}

/* The number after "name " at the start of a line of memory.stat; 0 when it is not there. */
static uint64_t inactive_bytes(const struct cgroup *cgroup)
{
	char text[STAT_TEXT_MAX];
	size_t length = strlen(cgroup->inactive_name);
	uint64_t bytes;

	if (proc_file_read(&cgroup->memory_stat, text, sizeof text) <= 0)
		return 0;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, cgroup->inactive_name, length) != 0 || line[length] != ' ')
			continue;
		const char *at = line + length;
		return proc_number(&at, &bytes) ? bytes : 0;
	}
	return 0;
}

bool cgroup_memory_used(const struct cgroup *cgroup, const struct settings *settings,
			uint64_t *ret_bytes)
{
	char text[64];
	const char *at = text;
	uint64_t usage;

	if (proc_file_read(&cgroup->memory_usage, text, sizeof text) <= 0 ||
	    !proc_number(&at, &usage))
		return false;
	uint64_t inactive =
		settings_has(settings, SAMPLER_RAW_CGROUP_MEMORY) ? 0 : inactive_bytes(cgroup);
	*ret_bytes = usage > inactive ? usage - inactive : 0;
	return true;
}
