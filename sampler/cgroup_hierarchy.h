/*
 * cgroup_hierarchy.h - where the control groups of a process are to be found.
 *
 * Version 2 is one hierarchy, version 1 one per controller; hybrid hosts have both.
 */
#ifndef CAIRN_SAMPLER_CGROUP_HIERARCHY_H
#define CAIRN_SAMPLER_CGROUP_HIERARCHY_H

#include <stdbool.h>

struct settings;

#define CGROUP_PATH_MAX 1024

/* One way to a limit: where its controller is mounted and which group of it is ours. */
struct cgroup_hierarchy {
	const char *controller; /* NULL: version 2 */
	bool has_group;
	bool has_mount;
	bool mount_holds_group;
	char group[CGROUP_PATH_MAX];
	char mount_root[CGROUP_PATH_MAX];
	char mount_point[CGROUP_PATH_MAX];
};

enum { CGROUP_UNIFIED, CGROUP_V1_MEMORY, CGROUP_V1_CPU, CGROUP_HIERARCHIES };

/* Fills all of them. False when the process is gone, or nothing can be opened right now. */
bool cgroup_hierarchies_read(struct cgroup_hierarchy *ret_hierarchies,
			     const struct settings *settings);

/* The part of the group's path below the root of its mount; "" for that root, which is also the best
 * there is where the group lies elsewhere. */
const char *cgroup_hierarchy_below(const struct cgroup_hierarchy *hierarchy);

#endif
