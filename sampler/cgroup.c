/* cgroup.c - see cgroup.h. Rejected: looking at the leaf only, and trusting that a mounted version
 * 2 tree means that it governs anything; hybrid hosts mount an empty one. */
#include "cgroup.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "monotonic.h"
#include "settings.h"

#define REFRESH_NS (60 * NS_PER_S)
#define GROUP_PATH_MAX 1024
#define DIRECTORY_MAX (SETTINGS_ROOT_MAX + 2 * GROUP_PATH_MAX)
#define STAT_TEXT_MAX 8192
#define UNLIMITED_BYTES (INT64_MAX - 65535) /* version 1's way to say so, on the largest pages */

/* One way to a limit: where its controller is mounted and which group of it is ours. */
struct hierarchy {
	const char *controller; /* NULL: version 2 */
	bool has_group;
	bool has_mount;
	bool mount_holds_group;
	char group[GROUP_PATH_MAX];
	char mount_root[GROUP_PATH_MAX];
	char mount_point[GROUP_PATH_MAX];
};

enum { UNIFIED, V1_MEMORY, V1_CPU, HIERARCHIES };

struct walk {
	char directory[DIRECTORY_MAX];
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

/* Is `word` one of "a,b,c"? */
static bool list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
			return true;
	}
	return false;
}

static bool copy(char *ret, size_t size, const char *text)
{
	size_t length = strlen(text);

	if (length >= size)
		return false;
	memcpy(ret, text, length + 1);
	return true;
}

/* "4:memory:/slurm/job_7" or "0::/user.slice" */
static void read_group_line(struct hierarchy *hierarchies, char *line)
{
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return;
	*controllers++ = '\0';
	*path++ = '\0';
	for (int i = 0; i < HIERARCHIES; i++) {
		struct hierarchy *h = &hierarchies[i];
		bool is_ours = h->controller ? list_has(controllers, h->controller)
					     : strcmp(line, "0") == 0 && !*controllers;
		if (is_ours)
			h->has_group = copy(h->group, sizeof h->group, path);
	}
}

/* False when the process is gone, or nothing can be opened right now. */
static bool read_groups(struct hierarchy *hierarchies, const struct settings *settings)
{
	char path[SETTINGS_ROOT_MAX + 32];
	struct proc_lines lines;
	char *line;

	if (!proc_path(path, sizeof path, settings->proc_root, "%d/cgroup", (int)settings->pid))
		return false;
	if (!proc_lines_open(&lines, path))
		return false;
	while ((line = proc_lines_next(&lines)) != NULL)
		read_group_line(hierarchies, line);
	proc_lines_close(&lines);
	return !lines.has_failed;
}

/* The part of the group's path below the mount's root; NULL when the group lies elsewhere. */
static const char *path_below(const char *group, const char *root)
{
	size_t length = strlen(root);

	if (strcmp(root, "/") == 0)
		return strncmp(group, "/..", 3) == 0 ? NULL : group;
	if (strncmp(group, root, length) != 0)
		return NULL;
	return group[length] == '/' || group[length] == '\0' ? group + length : NULL;
}

static void offer_mount(struct hierarchy *h, const char *root, const char *point)
{
	bool holds = path_below(h->group, root) != NULL;

	if (!h->has_group || (h->has_mount && (h->mount_holds_group || !holds)))
		return;
	h->has_mount = copy(h->mount_root, sizeof h->mount_root, root) &&
		       copy(h->mount_point, sizeof h->mount_point, point);
	h->mount_holds_group = holds;
}

/* "31 23 0:28 ROOT POINT options [tags] - TYPE device OPTIONS" */
static void read_mount_line(struct hierarchy *hierarchies, char *line)
{
	char *fields[5];
	char *rest = strstr(line, " - cgroup");
	char *state = NULL;

	if (!rest)
		return;
	*rest = '\0';
	rest += 3;
	for (int i = 0; i < 5; i++) {
		fields[i] = strtok_r(i ? NULL : line, " ", &state);
		if (!fields[i])
			return;
	}
	const char *type = strtok_r(rest, " ", &state);
	const char *device = strtok_r(NULL, " ", &state);
	const char *options = strtok_r(NULL, " ", &state);
	if (!type || !device || !options)
		return;
	for (int i = 0; i < HIERARCHIES; i++) {
		struct hierarchy *h = &hierarchies[i];
		bool fits = h->controller ? strcmp(type, "cgroup") == 0 &&
						    list_has(options, h->controller)
					  : strcmp(type, "cgroup2") == 0;
		if (fits)
			offer_mount(h, fields[3], fields[4]);
	}
}

/*
 * Our own mounts: it is through them that files are opened, and their roots are told in the same terms
 * as the process's group. The process may be in a container that has others.
 */
static bool open_mounts(struct proc_lines *lines, const struct settings *settings)
{
	char path[SETTINGS_ROOT_MAX + 32];

	if (proc_path(path, sizeof path, settings->proc_root, "self/mountinfo") &&
	    proc_lines_open(lines, path))
		return true;
	return proc_path(path, sizeof path, settings->proc_root, "%d/mountinfo",
			 (int)settings->pid) &&
	       proc_lines_open(lines, path);
}

static bool read_mounts(struct hierarchy *hierarchies, const struct settings *settings)
{
	struct proc_lines lines;
	char *line;

	if (!open_mounts(&lines, settings))
		return false;
	while ((line = proc_lines_next(&lines)) != NULL)
		read_mount_line(hierarchies, line);
	proc_lines_close(&lines);
	return !lines.has_failed;
}

/* Starts at the leaf. Mounts below /sys are looked up in the settings' root. */
static bool walk_begin(struct walk *walk, const struct hierarchy *h, const struct settings *s)
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
	const char *below = path_below(h->group, h->mount_root);
	if (!below || strcmp(below, "/") == 0)
		below = "";
	n += snprintf(walk->directory + n, sizeof walk->directory - (size_t)n, "%s", below);
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
	char path[DIRECTORY_MAX + 64];

	if (!proc_path(path, sizeof path, walk->directory, "%s", name))
		return -1;
	return proc_read(AT_FDCWD, path, ret, size);
}

static void open_file(struct proc_file *file, const struct walk *walk, const char *name)
{
	char path[DIRECTORY_MAX + 64];

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

static void keep_cpu(struct cgroup *cgroup, uint64_t quota_us, uint64_t period_us)
{
	if (quota_us == 0 || period_us == 0)
		return;
	double limit = (double)quota_us / (double)period_us;
	if (cgroup->cpu_limit == 0 || limit < cgroup->cpu_limit)
		cgroup->cpu_limit = limit;
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
			keep_cpu(cgroup, quota_us, period_us);
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
			keep_cpu(cgroup, quota_us, period_us);
	} while (walk_up(walk));
}

static void find_limits(struct cgroup *cgroup, const struct hierarchy *hierarchies,
			const struct settings *settings, uint64_t host_total_bytes)
{
	const struct hierarchy *unified = &hierarchies[UNIFIED];
	uint64_t most = host_total_bytes ? host_total_bytes : UNLIMITED_BYTES - 1;
	struct walk walk;
	bool found = false;

	if (walk_begin(&walk, unified, settings))
		found = walk_memory(cgroup, &walk, most, &memory_files_v2);
	if (!found && walk_begin(&walk, &hierarchies[V1_MEMORY], settings))
		walk_memory(cgroup, &walk, most, &memory_files_v1);
	found = false;
	if (walk_begin(&walk, unified, settings))
		found = walk_cpu_v2(cgroup, &walk);
	if (!found && walk_begin(&walk, &hierarchies[V1_CPU], settings))
		walk_cpu_v1(cgroup, &walk);
}

void cgroup_refresh(struct cgroup *cgroup, const struct settings *settings,
		    uint64_t host_total_bytes, uint64_t now_ns)
{
	struct hierarchy hierarchies[HIERARCHIES] = {
		[V1_MEMORY] = { .controller = "memory" },
		[V1_CPU] = { .controller = "cpu" },
	};

	if (settings_has(settings, SAMPLER_NO_CGROUP))
		return;
	if (cgroup->is_read && now_ns - cgroup->read_ns < REFRESH_NS)
		return;
	cgroup->is_read = true;
	cgroup->read_ns = now_ns;
	if (!read_groups(hierarchies, settings) || !read_mounts(hierarchies, settings))
		return;
	cgroup->memory_limit_bytes = 0;
	cgroup->cpu_limit = 0;
	find_limits(cgroup, hierarchies, settings, host_total_bytes);
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
