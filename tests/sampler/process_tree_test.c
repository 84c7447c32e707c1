/* process_tree_test.c - who belongs to the tree, and whose CPU time counts how often. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "process_table.h"
#include "process_tree.h"
#include "settings.h"

#define ROOT 100
#define SECOND_NS UINT64_C(1000000000)

struct bench {
	struct fixture fixture;
	struct settings settings;
	struct process_tree tree;
	uint64_t now_ns;
};

/* Opening this file fails, and is counted. */
static struct {
	const char *path; /* NULL: none */
	int error;
	int tries;
} refused;

int __real_openat(int dir_fd, const char *path, int flags, ...);
int __wrap_openat(int dir_fd, const char *path, int flags, ...);

int __wrap_openat(int dir_fd, const char *path, int flags, ...)
{
	if (!refused.path || strcmp(path, refused.path) != 0)
		return __real_openat(dir_fd, path, flags);
	refused.tries++;
	errno = refused.error;
	return -1;
}

static void put(struct bench *bench, int pid, int parent, uint64_t self, uint64_t children)
{
	fixture_process(&bench->fixture, &(struct fixture_process){
						 .pid = pid,
						 .parent = parent,
						 .self_ticks = self,
						 .children_ticks = children,
						 .threads = 2,
						 .start_ticks = 5000 + (uint64_t)pid,
						 .rss_pages = 10,
					 });
}

static void start(struct bench *bench, unsigned flags)
{
	struct sampler_options options = fixture_options(&bench->fixture, ROOT);

	options.flags = flags;
	assert_int_equal(settings_copy(&options, &bench->settings), 0);
	assert_int_equal(process_tree_init(&bench->tree, &bench->settings), 0);
	bench->now_ns = bench->tree.full_scan_ns;
}

static void scan(struct bench *bench)
{
	bench->now_ns += SECOND_NS;
	process_tree_scan(&bench->tree, bench->now_ns);
}

/* Two strangers, the root, a child and a grandchild. */
static int setup(void **state)
{
	struct bench *bench = calloc(1, sizeof *bench);

	*state = bench;
	fixture_begin(&bench->fixture, "");
	put(bench, 1, 0, 1000, 9000);
	put(bench, 50, 1, 1000, 0);
	put(bench, ROOT, 1, 100, 40);
	put(bench, 101, ROOT, 30, 0);
	put(bench, 102, 101, 20, 0);
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	refused.path = NULL;
	refused.tries = 0;
	process_tree_deinit(&bench->tree);
	fixture_end(&bench->fixture);
	free(bench);
	return 0;
}

static void test_members(void **state)
{
	struct bench *bench = *state;
	struct process_tree *tree = &bench->tree;

	start(bench, 0);
	assert_true(tree->alive);
	assert_int_equal(tree->pid_count, 3);
	assert_int_equal(tree->threads, 6);
	assert_int_equal(tree->rss_pages, 30);
	assert_int_equal(tree->cpu_ticks, 0);
	put(bench, 50, 1, 2000, 0);  /* a stranger works */
	put(bench, 102, 101, 27, 0); /* a grandchild works */
	put(bench, 103, 102, 5, 0);  /* and has a child */
	scan(bench);
	assert_int_equal(tree->pid_count, 4);
	assert_int_equal(tree->cpu_ticks, 7 + 5);
}

static void test_no_tree(void **state)
{
	struct bench *bench = *state;

	start(bench, SAMPLER_NO_PROCESS_TREE);
	assert_int_equal(bench->tree.pid_count, 1);
	put(bench, ROOT, 1, 103, 90);
	scan(bench);
	assert_int_equal(bench->tree.cpu_ticks, 3);
}

static void test_strange_names(void **state)
{
	struct bench *bench = *state;

	fixture_process(&bench->fixture, &(struct fixture_process){ .pid = 104,
								    .parent = ROOT,
								    .name = ") S 1 (",
								    .threads = 1,
								    .start_ticks = 9 });
	start(bench, 0);
	assert_int_equal(bench->tree.pid_count, 4);
}

/* What a child used while it lived was counted; its parent's sum must not count it again. */
static void test_dead_child(void **state)
{
	struct bench *bench = *state;
	struct process_tree *tree = &bench->tree;

	start(bench, 0);
	put(bench, 102, 101, 50, 0);
	scan(bench);
	assert_int_equal(tree->cpu_ticks, 30);
	fixture_process_remove(&bench->fixture, 102);
	put(bench, 101, ROOT, 30, 58); /* 8 more before it died */
	scan(bench);
	assert_int_equal(tree->cpu_ticks, 38);
}

/* Child and grandchild die between two scans; both arrive in the root's sum. */
static void test_dead_generations(void **state)
{
	struct bench *bench = *state;

	start(bench, 0);
	fixture_process_remove(&bench->fixture, 101);
	fixture_process_remove(&bench->fixture, 102);
	put(bench, ROOT, 1, 101, 40 + 30 + 20 + 6);
	scan(bench);
	assert_int_equal(bench->tree.cpu_ticks, 7);
}

/* A child that was born and died between two scans is known from its parent only. */
static void test_unseen_child(void **state)
{
	struct bench *bench = *state;

	start(bench, 0);
	put(bench, ROOT, 1, 100, 55);
	scan(bench);
	assert_int_equal(bench->tree.cpu_ticks, 15);
}

/* A parent that ignores SIGCHLD gets nothing from its children; nothing is taken from it. */
static void test_ungrateful_parent(void **state)
{
	struct bench *bench = *state;

	start(bench, 0);
	fixture_process_remove(&bench->fixture, 102);
	put(bench, 101, ROOT, 33, 0);
	scan(bench);
	assert_int_equal(bench->tree.cpu_ticks, 3);
	put(bench, 101, ROOT, 33, 4);
	scan(bench);
	put(bench, 101, ROOT, 33, 9);
	scan(bench);
	assert_int_equal(bench->tree.cpu_ticks, 8);
}

/* The parent was read just before it waited for the child. */
static void test_late_inheritance(void **state)
{
	struct bench *bench = *state;

	start(bench, 0);
	fixture_process_remove(&bench->fixture, 102);
	scan(bench);
	put(bench, 101, ROOT, 30, 22);
	scan(bench);
	assert_int_equal(bench->tree.cpu_ticks, 2);
}

static void test_zombie(void **state)
{
	struct bench *bench = *state;

	fixture_process(&bench->fixture, &(struct fixture_process){ .pid = 102,
								    .parent = 101,
								    .state = 'Z',
								    .self_ticks = 25,
								    .threads = 1,
								    .start_ticks = 5102,
								    .rss_pages = 0 });
	start(bench, 0);
	assert_int_equal(bench->tree.threads, 4);
	assert_int_equal(bench->tree.rss_pages, 20);
}

/* The kernel counts in statm, and may only estimate in stat. */
static void test_exact_memory(void **state)
{
	struct bench *bench = *state;

	fixture_write(&bench->fixture, "proc/101/statm", "5000 1234 300 4 0 500 0\n");
	fixture_write(&bench->fixture, "proc/102/statm", "%s", "");
	start(bench, 0);
	assert_int_equal(bench->tree.rss_pages, 10 + 1234 + 10);
}

/* While the kernel has given no new pid, /proc is not listed. Members that end are missed all the same. */
static void test_no_new_process(void **state)
{
	struct bench *bench = *state;
	char link[400], own[20];

	snprintf(link, sizeof link, "%s/self", bench->fixture.proc);
	snprintf(own, sizeof own, "%d", (int)getpid());
	assert_int_equal(symlink(own, link), 0);
	fixture_write(&bench->fixture, "proc/sys/kernel/ns_last_pid", "102\n");
	start(bench, 0);
	scan(bench);
	put(bench, 103, 101, 0, 0);
	fixture_process_remove(&bench->fixture, 102);
	scan(bench);
	assert_int_equal(bench->tree.pid_count, 2);
	fixture_write(&bench->fixture, "proc/sys/kernel/ns_last_pid", "103\n");
	scan(bench);
	assert_int_equal(bench->tree.pid_count, 3);
	put(bench, 104, 103, 0, 0);
	bench->now_ns += 60 * SECOND_NS;
	scan(bench);
	assert_int_equal(bench->tree.pid_count, 4);
	/* The file is of another namespace where "self" is another process. */
	process_tree_deinit(&bench->tree);
	assert_int_equal(unlink(link), 0);
	start(bench, 0);
	put(bench, 105, 103, 0, 0);
	scan(bench);
	assert_int_equal(bench->tree.pid_count, 5);
}

/* The memory of a process that does nothing is read once a minute only; work, a page fault, or another size by the
 * kernel's estimate has it read again. */
static void test_idle_process(void **state)
{
	struct bench *bench = *state;

	fixture_write(&bench->fixture, "proc/101/statm", "100 50 1\n");
	start(bench, 0);
	scan(bench);
	uint64_t pages = bench->tree.rss_pages;
	fixture_write(&bench->fixture, "proc/101/statm", "100 60 1\n");
	scan(bench);
	assert_int_equal(bench->tree.rss_pages, pages);
	put(bench, 101, ROOT, 31, 0);
	scan(bench);
	assert_int_equal(bench->tree.rss_pages, pages + 10);
	fixture_write(&bench->fixture, "proc/101/statm", "100 70 1\n");
	scan(bench);
	assert_int_equal(bench->tree.rss_pages, pages + 10);
	bench->now_ns += 60 * SECOND_NS;
	scan(bench);
	assert_int_equal(bench->tree.rss_pages, pages + 20);
}

/* The first thread ended before the others, which go on. */
static void test_leader_gone(void **state)
{
	struct bench *bench = *state;

	fixture_process(&bench->fixture, &(struct fixture_process){ .pid = 102,
								    .parent = 101,
								    .state = 'Z',
								    .self_ticks = 25,
								    .threads = 3,
								    .start_ticks = 5102,
								    .rss_pages = 0 });
	start(bench, 0);
	assert_int_equal(bench->tree.threads, 4 + 3);
}

/* What may not be read (/proc mounted with hidepid) is not asked for at each scan. */
static void test_unreadable_stranger(void **state)
{
	struct bench *bench = *state;

	refused.path = "50/stat";
	refused.error = EACCES;
	start(bench, 0);
	for (int i = 0; i < 10; i++)
		scan(bench);
	assert_true(bench->tree.alive);
	assert_int_equal(bench->tree.pid_count, 3);
	assert_int_equal(refused.tries, 1);
}

static void test_unreadable_root(void **state)
{
	struct bench *bench = *state;

	refused.path = "100/stat";
	refused.error = EACCES;
	start(bench, 0);
	scan(bench);
	assert_false(bench->tree.alive);
}

/* Half a scan tells nothing, and what was used meanwhile cannot be told afterwards. */
static void test_out_of_files(void **state)
{
	struct bench *bench = *state;

	start(bench, 0);
	refused.path = "102/stat";
	refused.error = EMFILE;
	put(bench, 101, ROOT, 90, 0);
	scan(bench);
	assert_false(bench->tree.alive);
	refused.path = NULL;
	scan(bench);
	assert_true(bench->tree.alive);
	assert_false(bench->tree.counted);
	put(bench, 101, ROOT, 97, 0);
	scan(bench);
	assert_true(bench->tree.counted);
	assert_int_equal(bench->tree.cpu_ticks, 7);
}

/* A host with a thousand CPUs has tens of thousands of processes, most of them the kernel's. */
static void test_large_host(void **state)
{
	struct process_table table;

	(void)state;
	assert_int_equal(process_table_init(&table), 0);
	for (int pid = 1; pid <= 65536; pid++)
		assert_true(process_table_insert(&table, &(struct process){ .pid = pid }));
	assert_false(process_table_insert(&table, &(struct process){ .pid = 65537 }));
	for (int pid = 1; pid <= 65536; pid++)
		assert_int_equal(process_table_find(&table, pid)->pid, pid);
	process_table_deinit(&table);
}

static void test_vanished_root(void **state)
{
	struct bench *bench = *state;

	start(bench, 0);
	fixture_process_remove(&bench->fixture, ROOT);
	scan(bench);
	assert_false(bench->tree.alive);
	put(bench, ROOT, 1, 500, 0); /* only unreadable for a moment: time counts from here again */
	scan(bench);
	assert_true(bench->tree.alive);
	assert_int_equal(bench->tree.cpu_ticks, 0);
	put(bench, ROOT, 1, 501, 0);
	scan(bench);
	assert_int_equal(bench->tree.cpu_ticks, 1);
}

static void test_reused_root(void **state)
{
	struct bench *bench = *state;
	struct fixture_process other = {
		.pid = ROOT, .parent = 1, .self_ticks = 7, .threads = 1, .start_ticks = 777777
	};

	start(bench, 0);
	fixture_process(&bench->fixture, &other);
	scan(bench);
	assert_false(bench->tree.alive);
	other.self_ticks = 70;
	fixture_process(&bench->fixture, &other);
	scan(bench);
	assert_false(bench->tree.alive);
	assert_int_equal(bench->tree.cpu_ticks, 0);
}

/* The child's pid belongs to another child now. */
static void test_reused_child(void **state)
{
	struct bench *bench = *state;

	start(bench, 0);
	fixture_process_remove(&bench->fixture, 102);
	fixture_process(&bench->fixture, &(struct fixture_process){ .pid = 102,
								    .parent = 101,
								    .self_ticks = 4,
								    .threads = 1,
								    .start_ticks = 777777 });
	put(bench, 101, ROOT, 30, 21);
	scan(bench);
	assert_int_equal(bench->tree.cpu_ticks, 1 + 4);
}

/* A child was seen in /proc before the process that had forked it: they are found with the next scan. */
static void test_unseen_parent(void **state)
{
	struct bench *bench = *state;

	put(bench, 201, 200, 3, 0);
	put(bench, 202, 201, 3, 0);
	start(bench, 0);
	assert_int_equal(bench->tree.pid_count, 3);
	put(bench, 200, ROOT, 3, 0);
	scan(bench);
	assert_int_equal(bench->tree.pid_count, 6);
}

/* A stranger's pid comes back as a child of ours: the folder is another one, so it is read. */
static void test_reused_stranger(void **state)
{
	struct bench *bench = *state;

	start(bench, 0);
	fixture_process_remove(&bench->fixture, 50);
	scan(bench);
	put(bench, 50, ROOT, 2, 0);
	scan(bench);
	assert_int_equal(bench->tree.pid_count, 4);
}

/* Parents that go in a circle cannot occur in one moment, but in one pass over /proc. */
static void test_circle(void **state)
{
	struct bench *bench = *state;

	put(bench, 201, 202, 0, 0);
	put(bench, 202, 203, 0, 0);
	put(bench, 203, 201, 0, 0);
	start(bench, 0);
	assert_int_equal(bench->tree.pid_count, 3);
}

static void test_many_processes(void **state)
{
	struct bench *bench = *state;

	for (int pid = 1000; pid < 2500; pid++)
		put(bench, pid, pid == 1000 ? ROOT : pid - 1, 1, 0);
	start(bench, 0);
	assert_int_equal(bench->tree.pid_count, 1503);
	scan(bench);
	assert_int_equal(bench->tree.pid_count, 1503);
	assert_int_equal(bench->tree.cpu_ticks, 0);
}

static void test_no_proc(void **state)
{
	struct bench *bench = *state;

	fixture_remove(&bench->fixture, "proc");
	start(bench, 0);
	scan(bench);
	assert_false(bench->tree.alive);
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(test_members),
		TREE_TEST(test_no_tree),
		TREE_TEST(test_strange_names),
		TREE_TEST(test_dead_child),
		TREE_TEST(test_dead_generations),
		TREE_TEST(test_unseen_child),
		TREE_TEST(test_ungrateful_parent),
		TREE_TEST(test_late_inheritance),
		TREE_TEST(test_zombie),
		TREE_TEST(test_exact_memory),
		TREE_TEST(test_no_new_process),
		TREE_TEST(test_idle_process),
		TREE_TEST(test_leader_gone),
		TREE_TEST(test_unreadable_stranger),
		TREE_TEST(test_unreadable_root),
		TREE_TEST(test_out_of_files),
		cmocka_unit_test(test_large_host),
		TREE_TEST(test_vanished_root),
		TREE_TEST(test_reused_root),
		TREE_TEST(test_reused_child),
		TREE_TEST(test_unseen_parent),
		TREE_TEST(test_reused_stranger),
		TREE_TEST(test_circle),
		TREE_TEST(test_many_processes),
		TREE_TEST(test_no_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
