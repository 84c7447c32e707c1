/* process_tree.c - see process_tree.h. */
#include "process_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monotonic.h"
#include "proc_file.h"
#include "proc_stat.h"
#include "settings.h"

#define FULL_SCAN_NS (60 * NS_PER_S)
#define STAT_TEXT_MAX 1024 /* about 350 bytes in practice */

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

/* A pid that vanished meanwhile is simply not there. */
static void read_process(struct process_tree *tree, pid_t pid, uint64_t inode)
{
	char path[32];
	char text[STAT_TEXT_MAX];
	struct proc_stat stat;

	snprintf(path, sizeof path, "%d/stat", (int)pid);
	errno = 0;
	if (proc_read_line(dirfd(tree->proc), path, text, sizeof text) <= 0) {
		tree->incomplete |= errno == EMFILE || errno == ENFILE || errno == ENOMEM;
		if ((errno == EACCES || errno == EPERM) && pid != tree->settings->pid)
			remember_stranger(tree, pid, inode);
		return;
	}
	if (!proc_stat_parse(text, &stat))
		return;
	bool dead = is_dead(&stat);
	process_table_insert(&tree->now, &(struct process){
						 .pid = pid,
						 .parent = stat.parent,
						 .inode = inode,
						 .start_ticks = stat.start_ticks,
						 .self_ticks = stat.self_ticks,
						 .children_ticks = stat.children_ticks,
						 .faults = stat.faults,
						 .threads = dead ? 0 : (uint32_t)stat.threads,
						 .rss_pages = dead ? 0 : stat.rss_pages,
					 });
}

static pid_t pid_of_name(const char *name)
{
	uint64_t number;

	if (!proc_number(&name, &number) || *name || number > INT32_MAX)
		return 0;
	return (pid_t)number;
}

static void read_entry(struct process_tree *tree, const struct dirent *entry, bool full)
{
	pid_t pid = pid_of_name(entry->d_name);

	if (pid == 0 || process_table_find(&tree->now, pid))
		return;
	const struct process *known = process_table_find(&tree->before, pid);
	if (!full && known && known->kind == PROCESS_OUTSIDER && known->inode == entry->d_ino)
		process_table_insert(&tree->now, known);
	else
		read_process(tree, pid, entry->d_ino);
}

/* True when processes or threads were made since the last scan, or that is not known. */
static bool has_new_processes(struct process_tree *tree)
{
	char text[32];
	const char *at = text;
	uint64_t before = tree->last_pid;

	tree->last_pid = 0;
	if (tree->has_last_pid &&
	    proc_read_line(dirfd(tree->proc), "sys/kernel/ns_last_pid", text, sizeof text) > 0)
		proc_number(&at, &tree->last_pid);
	return tree->is_full || !tree->continuous || tree->last_pid == 0 ||
	       tree->last_pid != before;
}

/* Strangers that ended stay in the table; they change nothing. */
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

static void list_processes(struct process_tree *tree)
{
	const struct dirent *entry;

	rewinddir(tree->proc);
	while ((entry = readdir(tree->proc)) != NULL)
		read_entry(tree, entry, tree->is_full);
}

static void read_processes(struct process_tree *tree, uint64_t now_ns)
{
	tree->is_full = now_ns - tree->full_scan_ns >= FULL_SCAN_NS;
	if (tree->is_full)
		tree->full_scan_ns = now_ns;
	read_process(tree, tree->settings->pid, 0); /* has a place however many there are */
	if (settings_has(tree->settings, SAMPLER_NO_PROCESS_TREE))
		return;
	if (has_new_processes(tree))
		list_processes(tree);
	else
		read_known(tree);
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

/* A process that used no CPU time and asked for no page has its memory and its files as before. It is
 * looked at once a minute all the same: its pages may have been taken away, and a moment of work is less
 * than the kernel counts. */
static bool is_idle(const struct process_tree *tree, const struct process *now,
		    const struct process *before)
{
	return !tree->is_full && before && before->kind == PROCESS_MEMBER &&
	       now->self_ticks == before->self_ticks && now->faults == before->faults &&
	       now->rss_pages == before->rss_pages && now->threads == before->threads;
}

static void add_member(struct process_tree *tree, struct process *process)
{
	bool whole_tree = !settings_has(tree->settings, SAMPLER_NO_PROCESS_TREE);
	const struct process *before = same_process(&tree->before, process);

	if (!whole_tree)
		process->children_ticks = 0;
	if (tree->continuous)
		tree->cpu_ticks += used_ticks(process, before);
	tree->threads += process->threads;
	process->is_idle = is_idle(tree, process, before);
	process->open_files = before ? before->open_files : 0;
	process->resident_pages = process->is_idle ? before->resident_pages
						   : resident_pages(tree, process);
	tree->rss_pages += process->resident_pages;
	if (tree->pid_count < PROCESS_TREE_PIDS_MAX)
		tree->pids[tree->pid_count++] = process->pid;
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
			add_member(tree, process);
	}
	tree->counted = tree->continuous;
	tree->continuous = true;
	tree->alive = true;
}
