/* proc_stat.h - one line of /proc/<pid>/stat. */
#ifndef CAIRN_SAMPLER_PROC_STAT_H
#define CAIRN_SAMPLER_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	char state;
	pid_t parent;
	uint64_t faults;         /* pages that the process has asked for first, minor and major */
	uint64_t self_ticks;     /* user and system time of the process */
	uint64_t children_ticks; /* the same of children that died and were waited for */
	uint64_t threads;
	uint64_t start_ticks; /* with the pid, who this process is */
	uint64_t rss_pages;
};

/* The name of the program may hold anything, also ") R 1": parsing starts after the last ')'. */
bool proc_stat_parse(const char *text, struct proc_stat *ret_stat);

#endif
