/*
 * process_tree.h - a process and all its descendants, and the CPU time they used.
 *
 * One pass over /proc yields pid -> parent; the tree follows from it. The kernel's own list of
 * children was rejected: it holds only those forked by one thread, and asking every thread costs
 * more than the pass. A process once known to be outside is not read again while its inode in
 * /proc stays the same, so a pass over many strangers is one directory listing; now and then
 * everything is read again. Where the kernel says which pid it gave last, the directory is listed from the
 * pid of the last scan to that one: listing all of it costs as much as reading half of it. The kernel's
 * position in /proc is the pid and a constant, which a whole listing shows.
 *
 * A process whose CPU clock did not advance has not run, so its stat is as before, but for its parent. Asking for the
 * clock costs a tenth of reading stat.
 *
 * CPU time is kept as a sum that only grows. A child that dies between two scans shows up in its
 * parent's time of waited-for children; what was counted while it lived is subtracted from that.
 */
#ifndef CAIRN_SAMPLER_PROCESS_TREE_H
#define CAIRN_SAMPLER_PROCESS_TREE_H

#include <dirent.h>

#include "process_table.h"

#define PROCESS_TREE_PIDS_MAX 4096

struct settings;

struct process_tree {
	const struct settings *settings;
	DIR *proc; /* NULL: /proc is not there */
	struct process_table now;
	struct process_table before;
	bool scanned;    /* the root was found once */
	bool continuous; /* `before` is the last scan, whole; else nothing can be compared */
	bool incomplete; /* out of file descriptors or memory during a scan */
	bool gone;       /* the pid belongs to another process now */
	uint64_t root_start_ticks;
	uint64_t full_scan_ns;
	bool is_full;      /* the last scan read everything anew */
	bool has_last_pid; /* the kernel tells of new processes, for this /proc */
	bool has_clocks; /* the processes of this /proc have clocks, and positions by their pids */
	uint64_t last_pid;   /* given to a process or thread before the last scan; 0: unknown */
	long pid_offset;     /* from a pid to its position in /proc; 0: unknown, -1: none */
	size_t listed_count; /* processes after the last whole listing */

	/* Found by the last scan. */
	bool alive;
	bool counted;       /* cpu_ticks covers the time since the scan before this one */
	uint64_t cpu_ticks; /* used since the first scan, where it was counted */
	uint64_t threads;
	uint64_t rss_pages;
	size_t pid_count; /* bounded: the rest of a huge tree is counted but not listed */
	pid_t pids[PROCESS_TREE_PIDS_MAX];
	uint64_t ran_ns[PROCESS_TREE_PIDS_MAX];
};

/* Also makes the first scan, from which time counts. 0 or ENOMEM. */
int process_tree_init(struct process_tree *tree, const struct settings *settings);
void process_tree_deinit(struct process_tree *tree);
void process_tree_scan(struct process_tree *tree, uint64_t now_ns);

#endif
