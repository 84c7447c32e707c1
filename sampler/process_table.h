/*
 * process_table.h - processes by pid: open addressing, twice as many slots as processes.
 *
 * It grows by doubling up to a limit and never shrinks, so a steady machine allocates nothing.
 */
#ifndef CAIRN_SAMPLER_PROCESS_TABLE_H
#define CAIRN_SAMPLER_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_TABLE_SLOTS_FIRST 1024
#define PROCESS_TABLE_SLOTS_MAX 131072

enum process_kind { PROCESS_UNKNOWN, PROCESS_MEMBER, PROCESS_OUTSIDER };

struct process {
	pid_t pid; /* 0: an empty slot */
	pid_t parent;
	enum process_kind kind;
	uint32_t threads;
	uint64_t inode;
	uint64_t clock_ns; /* its CPU time just before stat was read; 0: unknown */
	uint64_t start_ticks;
	uint64_t self_ticks;
	uint64_t children_ticks;
	uint64_t rss_pages; /* as stat estimates them */
	uint64_t faults;
	uint64_t resident_pages; /* of a member, exactly */
	uint64_t ran_ns;         /* of a member: the last scan at which it was not idle */
	uint64_t open_files;     /* of a member; the source "descriptors" keeps it here */
	bool is_same;            /* its clock says that it has not run since stat was read */
	bool is_idle;            /* it has done nothing since the last scan, as far as is known */
	uint64_t debt_ticks;     /* of members that died since the last scan, counted before */
	uint64_t leftover_ticks; /* debt that did not show up in children_ticks yet */
};

struct process_table {
	struct process *slots;
	size_t slot_count; /* a power of two */
	size_t count;
};

/* 0 or ENOMEM. */
int process_table_init(struct process_table *table);
void process_table_deinit(struct process_table *table);
void process_table_clear(struct process_table *table);

/* NULL when there is none. */
struct process *process_table_find(const struct process_table *table, pid_t pid);

/* A copy of the process goes in; its pid must not be there yet. False when the table is full. */
bool process_table_insert(struct process_table *table, const struct process *process);

#endif
