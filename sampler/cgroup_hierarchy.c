/* cgroup_hierarchy.c - see cgroup_hierarchy.h. */
#include "cgroup_hierarchy.h"

#include <string.h>

#include "proc_file.h"
#include "settings.h"

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
static void read_group_line(struct cgroup_hierarchy *hierarchies, char *line)
{
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return;
	*controllers++ = '\0';
	*path++ = '\0';
	for (int i = 0; i < CGROUP_HIERARCHIES; i++) {
		struct cgroup_hierarchy *h = &hierarchies[i];
		bool is_ours = h->controller ? list_has(controllers, h->controller)
					     : strcmp(line, "0") == 0 && !*controllers;
		if (is_ours)
			h->has_group = copy(h->group, sizeof h->group, path);
	}
}

/* False when the process is gone, or nothing can be opened right now. */
static bool read_groups(struct cgroup_hierarchy *hierarchies, const struct settings *settings)
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

static void offer_mount(struct cgroup_hierarchy *h, const char *root, const char *point)
{
	bool holds = path_below(h->group, root) != NULL;

	if (!h->has_group || (h->has_mount && (h->mount_holds_group || !holds)))
		return;
	h->has_mount = copy(h->mount_root, sizeof h->mount_root, root) &&
		       copy(h->mount_point, sizeof h->mount_point, point);
	h->mount_holds_group = holds;
}

/* "31 23 0:28 ROOT POINT options [tags] - TYPE device OPTIONS" */
static void read_mount_line(struct cgroup_hierarchy *hierarchies, char *line)
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
	for (int i = 0; i < CGROUP_HIERARCHIES; i++) {
		struct cgroup_hierarchy *h = &hierarchies[i];
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

static bool read_mounts(struct cgroup_hierarchy *hierarchies, const struct settings *settings)
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

bool cgroup_hierarchies_read(struct cgroup_hierarchy *ret_hierarchies,
			     const struct settings *settings)
{
	memset(ret_hierarchies, 0, CGROUP_HIERARCHIES * sizeof *ret_hierarchies);
	ret_hierarchies[CGROUP_V1_MEMORY].controller = "memory";
	ret_hierarchies[CGROUP_V1_CPU].controller = "cpu";
	return read_groups(ret_hierarchies, settings) && read_mounts(ret_hierarchies, settings);
}

const char *cgroup_hierarchy_below(const struct cgroup_hierarchy *hierarchy)
{
	const char *below = path_below(hierarchy->group, hierarchy->mount_root);

	return below && strcmp(below, "/") != 0 ? below : "";
}
