/*
 * cgroup.h - the limits that control groups set on a process: version 2, version 1, or both.
 *
 * A batch system often sets its limit on an ancestor of the process's own group, so the walk goes
 * from the leaf to the root of the mount and keeps the tightest finite limit, together with the
 * usage of that same directory. Of equal limits the ancestor's wins: it is reached first.
 */
#ifndef CAIRN_SAMPLER_CGROUP_H
#define CAIRN_SAMPLER_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "cgroup_hierarchy.h"
#include "proc_file.h"
#include "settings.h"

#define CGROUP_DIRECTORY_MAX (SETTINGS_ROOT_MAX + 2 * CGROUP_PATH_MAX)

/* Groups whose limits are felt: the one with the tightest quota of CPU, and the process's own for
 * memory. "" where there is none. */
struct cgroup_directories {
	char cpu[CGROUP_DIRECTORY_MAX];
	char memory[CGROUP_DIRECTORY_MAX];
	bool is_v1_cpu;
	bool is_v1_memory;
};

struct cgroup {
	bool is_read;
	uint64_t read_ns;
	uint64_t memory_limit_bytes; /* 0: none below the host's memory */
	double cpu_limit;            /* in CPUs; 0: none */
	const char *inactive_name;   /* in memory.stat */
	struct proc_file memory_usage;
	struct proc_file memory_stat;
	struct cgroup_directories directories;
};

void cgroup_init(struct cgroup *cgroup);
void cgroup_deinit(struct cgroup *cgroup);

/* Reads the limits anew when they are older than a minute. Those of a process that is gone stay. */
void cgroup_refresh(struct cgroup *cgroup, const struct settings *settings,
		    uint64_t host_total_bytes, uint64_t now_ns);

/* Memory in use where the limit is set; page cache that can be dropped does not count unless the
 * settings want it. False when it cannot be read; there must be a limit. */
bool cgroup_memory_used(const struct cgroup *cgroup, const struct settings *settings,
			uint64_t *ret_bytes);

#endif
