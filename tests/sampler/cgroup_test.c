/* cgroup_test.c - limits in every arrangement of control groups, and what rows make of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "cgroup.h"
#include "fixture.h"
#include "sampler_state.h"

#define MIB 1048576.0
#define GIB (1024 * MIB)

static const struct {
	const char *name;
	double limit_gib; /* 0: none */
	double cpus;      /* 0: none */
	double used_gib;
	double raw_gib;
} rows[] = {
	{ "v2_leaf", 8, 2.5, 4, 6 },
	{ "v2_slurm", 16, 4, 8, 12 },
	{ "v1", 4, 1.5, 2, 3 },
	{ "hybrid", 2, 0, 1, 1.5 },
	{ "container", 1, 0.5, 0.5, 0.75 },
	{ "unlimited", 0, 0, 31.25, 31.25 },
};

static void check_row(size_t i, unsigned flags, double used_gib)
{
	struct fixture fixture;
	static struct sampler_row row;

	fixture_begin(&fixture, rows[i].name);
	struct sampler_options options = fixture_options(&fixture, 100);
	options.flags = flags;
	struct sampler *sampler = sampler_new(&options);
	assert_non_null(sampler);
	assert_int_equal(sampler_sample(sampler, &row), 0);
	double total_gib = rows[i].limit_gib > 0 ? rows[i].limit_gib : 62.5;
	const struct cgroup *cgroup = &sampler->machine.cgroup;
	assert_true((double)cgroup->memory_limit_bytes == rows[i].limit_gib * GIB);
	assert_true(cgroup->cpu_limit == rows[i].cpus);
	assert_float_equal(row_value(&row, "memory_percent"), 100 * used_gib / total_gib, 0.001);
	assert_float_equal(row_value(&row, "proc.memory.availableMB"),
			   (total_gib - used_gib) * 1024, 0.01);
	assert_float_equal(row_value(&row, "proc.memory.percent"),
			   100 * 10 * MIB / (total_gib * GIB), 0.001);
	sampler_free(sampler);
	fixture_end(&fixture);
}

static void test_working_set(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_row(i, 0, rows[i].used_gib);
}

static void test_raw(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_row(i, SAMPLER_RAW_CGROUP_MEMORY, rows[i].raw_gib);
}

static void test_ignored(void **state)
{
	struct fixture fixture;
	static struct sampler_row row;

	(void)state;
	fixture_begin(&fixture, "v2_leaf");
	struct sampler_options options = fixture_options(&fixture, 100);
	options.flags = SAMPLER_NO_CGROUP;
	struct sampler *sampler = sampler_new(&options);
	sampler_sample(sampler, &row);
	assert_float_equal(row_value(&row, "memory_percent"), 50, 0.001);
	sampler_free(sampler);
	fixture_end(&fixture);
}

/* A pod can be resized while it runs; limits are read anew after a minute. */
static void test_resize(void **state)
{
	struct fixture fixture;
	struct settings settings;
	struct cgroup cgroup;
	uint64_t minute_ns = UINT64_C(60000000000);

	(void)state;
	fixture_begin(&fixture, "v2_leaf");
	struct sampler_options options = fixture_options(&fixture, 100);
	assert_int_equal(settings_copy(&options, &settings), 0);
	cgroup_init(&cgroup);
	cgroup_refresh(&cgroup, &settings, UINT64_MAX, 1);
	fixture_write(&fixture, "sys/fs/cgroup/user.slice/train.scope/memory.max", "%ld\n",
		      1L << 34);
	cgroup_refresh(&cgroup, &settings, UINT64_MAX, minute_ns);
	assert_int_equal(cgroup.memory_limit_bytes, 1L << 33);
	cgroup_refresh(&cgroup, &settings, UINT64_MAX, minute_ns + 1);
	assert_int_equal(cgroup.memory_limit_bytes, 1L << 34);
	cgroup_deinit(&cgroup);
	fixture_end(&fixture);
}

/* A process in a container, seen from outside: what it has mounted where is not what we have. */
static void test_seen_from_outside(void **state)
{
	struct fixture fixture;
	struct settings settings;
	struct cgroup cgroup;

	(void)state;
	fixture_begin(&fixture, "");
	fixture_write(&fixture, "proc/100/cgroup", "0::/docker/7f3abc\n");
	fixture_write(&fixture, "proc/100/mountinfo",
		      "700 690 0:26 /docker/7f3abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
	fixture_write(&fixture, "proc/self/mountinfo",
		      "31 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fixture_write(&fixture, "sys/fs/cgroup/docker/7f3abc/memory.max", "1073741824\n");
	struct sampler_options options = fixture_options(&fixture, 100);
	assert_int_equal(settings_copy(&options, &settings), 0);
	cgroup_init(&cgroup);
	cgroup_refresh(&cgroup, &settings, UINT64_MAX, 1);
	assert_int_equal(cgroup.memory_limit_bytes, 1 << 30);
	cgroup_deinit(&cgroup);
	fixture_end(&fixture);
}

/* The process ends before the last row: its group's limits are still those of the run. */
static void test_gone_process(void **state)
{
	struct fixture fixture;
	struct settings settings;
	struct cgroup cgroup;

	(void)state;
	fixture_begin(&fixture, "v2_leaf");
	struct sampler_options options = fixture_options(&fixture, 100);
	assert_int_equal(settings_copy(&options, &settings), 0);
	cgroup_init(&cgroup);
	cgroup_refresh(&cgroup, &settings, UINT64_MAX, 1);
	fixture_process_remove(&fixture, 100);
	cgroup_refresh(&cgroup, &settings, UINT64_MAX, UINT64_C(90000000000));
	assert_int_equal(cgroup.memory_limit_bytes, 1L << 33);
	assert_true(cgroup.cpu_limit == 2.5);
	cgroup_deinit(&cgroup);
	fixture_end(&fixture);
}

/* Version 1 writes a huge number for no limit, which also holds where the host's memory is unknown. */
static void test_unknown_host(void **state)
{
	static const char *const none[] = { "9223372036854771712", "9223372036854710272" };
	struct fixture fixture;

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		struct settings settings;
		struct cgroup cgroup;
		fixture_begin(&fixture, "hybrid");
		fixture_write(&fixture,
			      "sys/fs/cgroup/memory/process_api/0903/memory.limit_in_bytes", "%s\n",
			      none[i]);
		struct sampler_options options = fixture_options(&fixture, 100);
		settings_copy(&options, &settings);
		cgroup_init(&cgroup);
		cgroup_refresh(&cgroup, &settings, 0, 1);
		assert_int_equal(cgroup.memory_limit_bytes, 0);
		cgroup_deinit(&cgroup);
		fixture_end(&fixture);
	}
}

/* Where the limit is known but not the usage, the host's numbers would be wrong. */
static void test_unknown_usage(void **state)
{
	struct fixture fixture;
	static struct sampler_row row;

	(void)state;
	fixture_begin(&fixture, "v2_leaf");
	fixture_remove(&fixture, "sys/fs/cgroup/user.slice/train.scope/memory.current");
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	sampler_sample(sampler, &row);
	assert_false(row_has(&row, "memory_percent"));
	assert_false(row_has(&row, "proc.memory.availableMB"));
	assert_true(row_has(&row, "proc.memory.percent"));
	sampler_free(sampler);
	fixture_end(&fixture);
}

/* The process's group lies outside what the mount shows: its root is the best there is. */
static void test_foreign_group(void **state)
{
	struct fixture fixture;
	static const char *const groups[] = { "0::/docker/other", "0::/docker/7f3abc",
					      "0::/../../x" };

	(void)state;
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		struct settings settings;
		struct cgroup cgroup;
		fixture_begin(&fixture, "container");
		fixture_write(&fixture, "proc/100/cgroup", "%s\n", groups[i]);
		struct sampler_options options = fixture_options(&fixture, 100);
		settings_copy(&options, &settings);
		cgroup_init(&cgroup);
		cgroup_refresh(&cgroup, &settings, UINT64_MAX, 1);
		assert_int_equal(cgroup.memory_limit_bytes, 1 << 30);
		cgroup_deinit(&cgroup);
		fixture_end(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_working_set),       cmocka_unit_test(test_raw),
		cmocka_unit_test(test_ignored),           cmocka_unit_test(test_resize),
		cmocka_unit_test(test_foreign_group),     cmocka_unit_test(test_gone_process),
		cmocka_unit_test(test_seen_from_outside), cmocka_unit_test(test_unknown_host),
		cmocka_unit_test(test_unknown_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
