/* process_tree.c - see process_tree.h. */
#include "process_tree.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "monotonic.h"
#include "proc_file.h"
#include "proc_stat.h"
#include "settings.h"

#define FULL_SCAN_NS (60 * NS_PER_S)
#define STAT_TEXT_MAX 1024 /* about 350 bytes in practice */
#define FORKS_AT_ONCE 64   /* processes that have a pid, but are not in /proc yet */
#define CLOCK_OF(pid) ((clockid_t)((~(unsigned)(pid) << 3) | 2)) /* as the kernel numbers them */

/* The kernel's answer is of the namespace of this process; another /proc, as of the host inside a
 * container, has another "self". */
static bool is_own_proc(const struct settings *settings)
{
	char path[SETTINGS_ROOT_MAX + 16], link[32], own[32];

	if (!proc_path(path, sizeof path, settings->proc_root, "self"))
		return false;
	ssize_t length = readlink(path, link, sizeof link - 1);
	link[length > 0 ? length : 0] = '\0';
	snprintf(own, sizeof own, "%d", (int)getpid());
	return strcmp(link, own) == 0;
}

static bool is_kernels(const char *proc_root)
{
	struct statfs system;

	return statfs(proc_root, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

int process_tree_init(struct process_tree *tree, const struct settings *settings)
{
	memset(tree, 0, sizeof *tree);
	tree->settings = settings;
	int e = process_table_init(&tree->now);
	if (!e)
		e = process_table_init(&tree->before);
	if (e)
		return e;
	tree->has_last_pid = is_own_proc(settings);
	tree->has_clocks = tree->has_last_pid && is_kernels(settings->proc_root);
	process_tree_scan(tree, monotonic_ns());
	return 0;
}

void process_tree_deinit(struct process_tree *tree)
{
	if (tree->proc)
		closedir(tree->proc);
	process_table_deinit(&tree->now);
	process_table_deinit(&tree->before);
	tree->proc = NULL;
}

/* A process that we may not read is not our child; it is skipped from now on. */
static void remember_stranger(struct process_tree *tree, pid_t pid, uint64_t inode)
{
	process_table_insert(&tree->now, &(struct process){ .pid = pid,
							    .inode = inode,
							    .kind = PROCESS_OUTSIDER });
}

/* The first thread may have ended before the others: then the process lives, though it looks dead. */
static bool is_dead(const struct proc_stat *stat)
{
	return stat->state == 'X' || (stat->state == 'Z' && stat->threads <= 1);
}

static uint64_t clock_of(const struct process_tree *tree, pid_t pid)
{
	struct timespec time;

	if (!tree->has_clocks || clock_gettime(CLOCK_OF(pid), &time) != 0)
		return 0;
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

static bool read_stat(struct process_tree *tree, struct process *process)
{
	char path[32], text[STAT_TEXT_MAX];
	struct proc_stat stat;

	snprintf(path, sizeof path, "%d/stat", (int)process->pid);
	errno = 0;
	if (proc_read_line(dirfd(tree->proc), path, text, sizeof text) <= 0) {
		tree->incomplete |= errno == EMFILE || errno == ENFILE || errno == ENOMEM;
		return false;
	}
	if (!proc_stat_parse(text, &stat))
		return false;
	bool dead = is_dead(&stat);
	process->parent = stat.parent;
	process->start_ticks = stat.start_ticks;
	process->self_ticks = stat.self_ticks;
	process->children_ticks = stat.children_ticks;
	process->faults = stat.faults;
	process->threads = dead ? 0 : (uint32_t)stat.threads;
	process->rss_pages = dead ? 0 : stat.rss_pages;
	process->is_same = false;
	return true;
}

/* A pid that vanished meanwhile is simply not there. */
static void read_process(struct process_tree *tree, pid_t pid, uint64_t inode)
{
	struct process process = { .pid = pid, .inode = inode, .clock_ns = clock_of(tree, pid) };
	const struct process *known = process_table_find(&tree->before, pid);

	if (known && known->clock_ns > 0 && known->clock_ns == process.clock_ns) {
		process = *known;
		process.kind = PROCESS_UNKNOWN;
		process.inode = inode;
		process.is_same = true;
		process.debt_ticks = 0;
		process.leftover_ticks = 0;
		process_table_insert(&tree->now, &process);
	} else if (read_stat(tree, &process)) {
		process_table_insert(&tree->now, &process);
	} else if ((errno == EACCES || errno == EPERM) && pid != tree->settings->pid) {
		remember_stranger(tree, pid, inode);
	}
}

static pid_t pid_of_name(const char *name)
{
	uint64_t number;

	if (!proc_number(&name, &number) || *name || number > INT32_MAX)
		return 0;
	return (pid_t)number;
}

/* A stranger that ended may be in the table under a pid that another process has now. */
static void read_entry(struct process_tree *tree, pid_t pid, const struct dirent *entry)
{
	const struct process *found = process_table_find(&tree->now, pid);
	if (found && (found->kind != PROCESS_OUTSIDER || found->inode == entry->d_ino))
		return;
	const struct process *known = process_table_find(&tree->before, pid);
	if (!tree->is_full && known && known->kind == PROCESS_OUTSIDER &&
	    known->inode == entry->d_ino)
		process_table_insert(&tree->now, known);
	else
		read_process(tree, pid, entry->d_ino);
}

static uint64_t read_last_pid(const struct process_tree *tree)
{
	char text[32];
	const char *at = text;
	uint64_t pid = 0;

	if (tree->has_last_pid &&
	    proc_read_line(dirfd(tree->proc), "sys/kernel/ns_last_pid", text, sizeof text) > 0)
		proc_number(&at, &pid);
	return pid;
}

/* Strangers that ended stay in the table until their pid is given again. */
static void read_known(struct process_tree *tree)
{
	for (size_t i = 0; i < tree->before.slot_count; i++) {
		const struct process *known = &tree->before.slots[i];
		if (known->pid == 0 || process_table_find(&tree->now, known->pid))
			continue;
		if (known->kind == PROCESS_OUTSIDER)
			process_table_insert(&tree->now, known);
		else
			read_process(tree, known->pid, known->inode);
	}
}

/* In the kernel's /proc all positions differ from their pids by the same number. */
static void learn_offset(struct process_tree *tree, long position, pid_t pid)
{
	if (tree->pid_offset == 0)
		tree->pid_offset = position - pid;
	else if (tree->pid_offset != position - pid)
		tree->pid_offset = -1;
}

static void list_all(struct process_tree *tree)
{
	const struct dirent *entry;

	tree->pid_offset = tree->has_clocks ? 0 : -1;
	rewinddir(tree->proc);
	for (long at = 0; (entry = readdir(tree->proc)) != NULL; at = telldir(tree->proc)) {
		pid_t pid = pid_of_name(entry->d_name);
		if (pid == 0)
			continue;
		learn_offset(tree, at, pid);
		read_entry(tree, pid, entry);
	}
	tree->listed_count = tree->now.count;
}

/* Processes with a pid that was given since the last scan. */
static void list_new(struct process_tree *tree, uint64_t before)
{
	uint64_t first = before > FORKS_AT_ONCE ? before - FORKS_AT_ONCE : 1;
	const struct dirent *entry;

	seekdir(tree->proc, (long)first + tree->pid_offset);
	while ((entry = readdir(tree->proc)) != NULL) {
		pid_t pid = pid_of_name(entry->d_name);
		if (pid <= 0 || (uint64_t)pid > tree->last_pid)
			return;
		read_entry(tree, pid, entry);
	}
}

/* Pids begin again from small ones: then the new ones may be any. Strangers that ended are forgotten when all is
 * listed. */
static bool must_list_all(const struct process_tree *tree, uint64_t before)
{
	if (tree->is_full || !tree->continuous || before == 0 || tree->last_pid < before)
		return true;
	return tree->last_pid > before &&
	       (tree->pid_offset <= 0 || tree->before.count > 2 * tree->listed_count);
}

/* Known processes are read before the new ones, which they may have forked. */
static void find_processes(struct process_tree *tree)
{
	uint64_t before = tree->last_pid;

	tree->last_pid = read_last_pid(tree);
	if (must_list_all(tree, before)) {
		list_all(tree);
		return;
	}
	read_known(tree);
	if (tree->last_pid > before)
		list_new(tree, before);
}

/* A process whose parent ended has another one, though it has not run. */
static void read_orphans(struct process_tree *tree)
{
	for (size_t i = 0; i < tree->now.slot_count; i++) {
		struct process *process = &tree->now.slots[i];
		if (process->kind == PROCESS_OUTSIDER || !process->is_same)
			continue;
		const struct process *parent = process_table_find(&tree->now, process->parent);
		const struct process *was = process_table_find(&tree->before, process->parent);
		if (!parent || !was || parent->start_ticks != was->start_ticks)
			read_stat(tree, process);
	}
}

static void read_processes(struct process_tree *tree, uint64_t now_ns)
{
	tree->is_full = now_ns - tree->full_scan_ns >= FULL_SCAN_NS;
	if (tree->is_full)
		tree->full_scan_ns = now_ns;
	read_process(tree, tree->settings->pid, 0); /* has a place however many there are */
	if (settings_has(tree->settings, SAMPLER_NO_PROCESS_TREE))
		return;
	find_processes(tree);
	read_orphans(tree);
}

/*
 * Climbs to the first ancestor whose kind is known; all on the way are of that kind. Where one is
 * missing that kind stays unknown, so they are read again: it may have been forked while /proc was
 * being listed, behind the point reached by then.
 */
static void resolve_kind(const struct process_table *now, struct process *process)
{
	struct process *at = process;
	size_t steps = 0;
	pid_t missing = 0;

	while (at && at->kind == PROCESS_UNKNOWN && steps++ <= now->count) {
		missing = at->parent;
		at = process_table_find(now, at->parent);
	}
	if (!at && missing != 0)
		return;
	enum process_kind kind = at && at->kind == PROCESS_MEMBER ? PROCESS_MEMBER
								  : PROCESS_OUTSIDER;
	for (at = process; at && at->kind == PROCESS_UNKNOWN;) {
		at->kind = kind;
		at = process_table_find(now, at->parent);
	}
}

/* False when the root is not there or its pid belongs to another process now. */
static bool find_members(struct process_tree *tree)
{
	struct process *root = process_table_find(&tree->now, tree->settings->pid);

	if (!root || tree->incomplete)
		return false;
	if (!tree->scanned)
		tree->root_start_ticks = root->start_ticks;
	tree->scanned = true;
	tree->gone = root->start_ticks != tree->root_start_ticks;
	if (tree->gone)
		return false;
	root->kind = PROCESS_MEMBER;
	for (size_t i = 0; i < tree->now.slot_count; i++) {
		struct process *process = &tree->now.slots[i];
		if (process->pid != 0)
			resolve_kind(&tree->now, process);
	}
	return true;
}

/* The same process in the other table, or NULL. */
static struct process *same_process(const struct process_table *table, const struct process *p)
{
	struct process *other = process_table_find(table, p->pid);

	return other && other->start_ticks == p->start_ticks ? other : NULL;
}

/* The time of a member that died went to its nearest ancestor that still lives. */
static void hand_over(struct process_tree *tree, const struct process *dead)
{
	const struct process *at = dead;

	for (size_t steps = 0; steps <= tree->before.count; steps++) {
		at = process_table_find(&tree->before, at->parent);
		if (!at || at->kind != PROCESS_MEMBER)
			return;
		struct process *heir = same_process(&tree->now, at);
		if (heir) {
			heir->debt_ticks += dead->self_ticks + dead->children_ticks;
			return;
		}
	}
}

static void settle_the_dead(struct process_tree *tree)
{
	for (size_t i = 0; i < tree->before.slot_count; i++) {
		const struct process *process = &tree->before.slots[i];
		if (process->pid == 0 || process->kind != PROCESS_MEMBER)
			continue;
		if (!same_process(&tree->now, process))
			hand_over(tree, process);
	}
}

static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/*
 * Returns the ticks that a member and its waited-for children used since the last scan. A parent can be
 * read just before it waits for a child that has ended by the time the child would be read: that debt is
 * kept for one scan. A parent that never waits is not charged longer than that.
 */
static uint64_t used_ticks(struct process *process, const struct process *before)
{
	if (!before || before->kind != PROCESS_MEMBER)
		return process->self_ticks + process->children_ticks;
	uint64_t self = grown(process->self_ticks, before->self_ticks);
	uint64_t children = grown(process->children_ticks, before->children_ticks);
	uint64_t owed = process->debt_ticks + before->leftover_ticks;
	uint64_t unpaid = grown(owed, children);
	process->leftover_ticks = unpaid < process->debt_ticks ? unpaid : process->debt_ticks;
	return self + grown(children, owed);
}

/* Kernels since 6.2 only estimate what stat says; with many CPUs that can be wrong by gigabytes. */
static uint64_t resident_pages(const struct process_tree *tree, const struct process *process)
{
	char path[32], text[STAT_TEXT_MAX];
	uint64_t pages;

	if (process->threads == 0)
		return 0;
	snprintf(path, sizeof path, "%d/statm", (int)process->pid);
	if (proc_read_line(dirfd(tree->proc), path, text, sizeof text) <= 0)
		return process->rss_pages;
	const char *at = proc_skip_word(text);
	return proc_number(&at, &pages) ? pages : process->rss_pages;
}

/* A process that has not run has its memory and its files as before. If its clock is not known, the ticks and pages of
 * its stat tell, and it is looked at once a minute all the same: a moment of work is less than a tick. */
static bool is_idle(const struct process_tree *tree, const struct process *now,
		    const struct process *before)
{
	if (!before || before->kind != PROCESS_MEMBER)
		return false;
	if (now->clock_ns > 0)
		return now->is_same;
	return !tree->is_full && now->self_ticks == before->self_ticks &&
	       now->faults == before->faults && now->rss_pages == before->rss_pages &&
	       now->threads == before->threads;
}

static void list_member(struct process_tree *tree, const struct process *process)
{
	if (tree->pid_count == PROCESS_TREE_PIDS_MAX)
		return;
	tree->pids[tree->pid_count] = process->pid;
	tree->ran_ns[tree->pid_count++] = process->ran_ns;
}

static void add_member(struct process_tree *tree, struct process *process, uint64_t now_ns)
{
	bool whole_tree = !settings_has(tree->settings, SAMPLER_NO_PROCESS_TREE);
	const struct process *before = same_process(&tree->before, process);

	if (!whole_tree)
		process->children_ticks = 0;
	if (tree->continuous)
		tree->cpu_ticks += used_ticks(process, before);
	tree->threads += process->threads;
	process->is_idle = is_idle(tree, process, before);
	process->ran_ns = process->is_idle ? before->ran_ns : now_ns;
	process->open_files = before ? before->open_files : 0;
	/* Its pages may have been taken away. */
	bool is_known = process->is_idle && !tree->is_full;
	process->resident_pages = is_known ? before->resident_pages : resident_pages(tree, process);
	tree->rss_pages += process->resident_pages;
	list_member(tree, process);
}

static void swap_tables(struct process_tree *tree)
{
	struct process_table table = tree->before;

	tree->before = tree->now;
	tree->now = table;
	process_table_clear(&tree->now);
}

void process_tree_scan(struct process_tree *tree, uint64_t now_ns)
{
	tree->alive = false;
	tree->counted = false;
	if (!tree->proc)
		tree->proc =
			opendir(tree->settings->proc_root); /* needs a file descriptor to spare */
	if (!tree->proc || tree->gone)
		return;
	swap_tables(tree);
	tree->incomplete = false;
	read_processes(tree, now_ns);
	if (!find_members(tree)) {
		tree->continuous = false;
		return;
	}
	settle_the_dead(tree);
	tree->threads = 0;
	tree->rss_pages = 0;
	tree->pid_count = 0;
	for (size_t i = 0; i < tree->now.slot_count; i++) {
		struct process *process = &tree->now.slots[i];
		if (process->pid != 0 && process->kind == PROCESS_MEMBER)
			add_member(tree, process, now_ns);
	}
	tree->counted = tree->continuous;
	tree->continuous = true;
	tree->alive = true;
}
