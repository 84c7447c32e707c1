/*
 * apple_test.c - the parts of Apple's GPU that do not need macOS: the rules for counters, the JSON of
 * tools, and the source with a stand-in for macOS, which this file has.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apple_values.h"
#include "machine.h"
#include "host_memory.h"
#include "monotonic.h"
#include "process_tree.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define SECOND UINT64_C(1000000000)

/* ---- the stand-in ----------------------------------------------------------------------------------- */

static bool is_shut;
static atomic_int reads;

void *apple_macos_open(void)
{
	return is_shut ? NULL : malloc(1);
}

/* Each reading is a second after the one before, with 5 J and half of the time more. */
bool apple_macos_read(void *macos, struct apple_counters *ret_counters)
{
	int n = 1 + atomic_fetch_add(&reads, 1);

	(void)macos;
	*ret_counters = (struct apple_counters){
		.now_ns = (uint64_t)n * SECOND,
		.utilization = 60,
		.gpu_bytes = 1e9,
		.machine_bytes = 8e9,
		.energies = { { n * INT64_C(5000000000), "nJ" }, { n * 2000, "mJ" }, { 0, "" } },
		.state_count = 2,
		.states = { { "OFF", n * 50 }, { "P1", n * 50 } },
		.clock_count = 1,
		.clocks_mhz = { 1398 },
	};
	return true;
}

void apple_macos_close(void *macos)
{
	free(macos);
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static char text[8192];

static size_t load(const char *name)
{
	char path[400];

	snprintf(path, sizeof path, "%s/apple/%s.json", FIXTURES, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = '\0';
	return length;
}

struct value {
	enum apple_metric metric;
	double value; /* NaN: absent */
};

static void expect(const double *values, const struct value *expected, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value = values[expected[i].metric];
		if (isnan(expected[i].value) ? !isnan(value)
					     : !(fabs(value - expected[i].value) < 1e-4))
			fail_msg("metric %d is %g, not %g", expected[i].metric, value,
				 expected[i].value);
	}
}
#define EXPECT_VALUES(values, ...) \
	do { \
		const struct value expected_[] = { __VA_ARGS__ }; \
		expect(values, expected_, sizeof expected_ / sizeof expected_[0]); \
	} while (0)

static void test_macmon(void **state)
{
	double values[APPLE_METRIC_COUNT];

	(void)state;
	apple_values_clear(values);
	size_t length = load("macmon");
	assert_true(apple_values_parse(text, length, values));
	EXPECT_VALUES(values, { APPLE_GPU, 9 }, { APPLE_GPU_FREQ, 461 },
		      { APPLE_GPU_TEMP, 36.95167 }, { APPLE_GPU_WATTS, 0.017451683 },
		      { APPLE_GPU_POWER_PERCENT, 0.10576777 }, { APPLE_GPU_MEMORY, NAN },
		      { APPLE_CPU_TEMP, 43.73614 }, { APPLE_CPU_WATTS, 0.20486385 },
		      { APPLE_ECPU_FREQ, 1100 }, { APPLE_ECPU_PERCENT, 18 },
		      { APPLE_PCPU_FREQ, 1800 }, { APPLE_PCPU_PERCENT, 4 }, { APPLE_ANE_WATTS, 0 },
		      { APPLE_SYSTEM_WATTS, 5.876533 }, { APPLE_MEMORY_USED, 20985479168 },
		      { APPLE_MEMORY_PERCENT, 81.4344 }, { APPLE_SWAP_USED, 2602434560 },
		      { APPLE_SWAP_PERCENT, 60.5927 });
}

static void test_other_releases(void **state)
{
	double values[APPLE_METRIC_COUNT];

	(void)state;
	apple_values_clear(values);
	size_t length = load("macmon_old");
	assert_true(apple_values_parse(text, length, values));
	EXPECT_VALUES(values, { APPLE_GPU, 2.1497859 }, { APPLE_GPU_FREQ, 461 },
		      { APPLE_ECPU_FREQ, 1181 }, { APPLE_ECPU_PERCENT, 8.2656614 },
		      { APPLE_PCPU_PERCENT, 1.5181795 }, { APPLE_SWAP_PERCENT, NAN });
	apple_values_clear(values);
	length = load("apple_gpu_stats");
	assert_true(apple_values_parse(text, length, values));
	EXPECT_VALUES(values, { APPLE_GPU, 30 }, { APPLE_GPU_MEMORY, 12 }, { APPLE_GPU_TEMP, 42.5 },
		      { APPLE_GPU_WATTS, 7.3 }, { APPLE_GPU_POWER_PERCENT, 100 * 7.3 / 16.5 },
		      { APPLE_GPU_FREQ, NAN });
}

/* A text that is cut anywhere gives no number that is not in it. */
static void test_odd_json(void **state)
{
	static const char *const odd[] = {
		"",
		"null",
		"7",
		"[1, 2]",
		"{}",
		"{\"gpu_power\": \"7\"}",
		"{\"gpu_power\": -7}",
		"{\"gpu_power\": NaN}",
		"{\"temp\": 7, \"memory\": [7]}",
		"{\"a\": {\"b\": {\"c\": {\"d\": 1}}}}",
		"{\"gpu_usage\": {\"1\"",
		"error: no M1",
	};
	double values[APPLE_METRIC_COUNT];

	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		apple_values_clear(values);
		if (apple_values_parse(odd[i], strlen(odd[i]), values))
			fail_msg("values in %s", odd[i]);
	}
	for (size_t length = load("macmon"); length-- > 0;) {
		apple_values_clear(values);
		apple_values_parse(text, length, values);
		assert_true(isnan(values[APPLE_GPU_FREQ]) || values[APPLE_GPU_FREQ] == 461);
		assert_true(isnan(values[APPLE_SYSTEM_WATTS]) ||
			    values[APPLE_SYSTEM_WATTS] == 5.876533);
	}
}

/* ---- counters --------------------------------------------------------------------------------------- */

static const struct apple_counters first = {
	.now_ns = SECOND,
	.utilization = NAN,
	.gpu_bytes = NAN,
	.machine_bytes = NAN,
	.energies = { { 1000, "mJ" }, { 5000, "uJ" }, { 7, "nJ" } },
	.state_count = 4,
	.states = { { "OFF", 100 }, { "P1", 10 }, { "P2", 20 }, { "IDLE", 0 } },
	.clock_count = 2,
	.clocks_mhz = { 400, 1200 },
};

static void test_counters(void **state)
{
	struct apple_counters now = first;
	double values[APPLE_METRIC_COUNT];

	(void)state;
	now.now_ns = 3 * SECOND;
	now.energies[APPLE_ENERGY_GPU].amount = 9000;
	now.energies[APPLE_ENERGY_CPU].amount = 4005000;
	now.energies[APPLE_ENERGY_ANE].amount = 1000000007;
	now.states[0].residency = 140;
	now.states[1].residency = 20;
	now.states[2].residency = 50;
	now.states[3].residency = 20;
	now.gpu_bytes = 3e9;
	now.machine_bytes = 12e9;
	apple_values_clear(values);
	apple_values_between(&first, &now, values);
	EXPECT_VALUES(values, { APPLE_GPU_WATTS, 4 }, { APPLE_GPU_POWER_PERCENT, 400 / 16.5 },
		      { APPLE_CPU_WATTS, 2 }, { APPLE_ANE_WATTS, 0.5 }, { APPLE_GPU, 40 },
		      { APPLE_GPU_FREQ, 1000 }, { APPLE_GPU_MEMORY, 25 }, { APPLE_GPU_TEMP, NAN });
	now.utilization = 55; /* what macOS says of it */
	apple_values_between(&first, &now, values);
	EXPECT_VALUES(values, { APPLE_GPU, 55 });
}

/* Each makes some values impossible and leaves the others. */
static void test_odd_counters(void **state)
{
	struct apple_counters before = { .now_ns = 0 }, now = first;
	double values[APPLE_METRIC_COUNT];

	(void)state;
	apple_values_clear(values);
	apple_values_between(&before, &first, values); /* the first reading */
	EXPECT_VALUES(values, { APPLE_GPU_WATTS, NAN }, { APPLE_GPU, NAN });
	now.now_ns = 2 * SECOND;
	now.energies[APPLE_ENERGY_GPU].amount = 999; /* it went back */
	strcpy(now.energies[APPLE_ENERGY_CPU].unit, "kWh");
	strcpy(now.energies[APPLE_ENERGY_ANE].unit, "");
	now.states[1].residency += 10;
	now.clock_count = 1; /* another table than that of the states */
	apple_values_clear(values);
	apple_values_between(&first, &now, values);
	EXPECT_VALUES(values, { APPLE_GPU_WATTS, NAN }, { APPLE_CPU_WATTS, NAN },
		      { APPLE_ANE_WATTS, NAN }, { APPLE_GPU, 100 }, { APPLE_GPU_FREQ, NAN });
	now.states[0].residency = 1;
	apple_values_clear(values);
	apple_values_between(&first, &now, values);
	EXPECT_VALUES(values, { APPLE_GPU, NAN });
	now = first;
	now.now_ns = 2 * SECOND;
	now.state_count = 3;
	apple_values_clear(values);
	apple_values_between(&first, &now, values);
	EXPECT_VALUES(values, { APPLE_GPU, NAN }, { APPLE_GPU_WATTS, 0 });
}

/* ---- the names --------------------------------------------------------------------------------------- */

static struct readings all;

static bool is_measured(const char *name)
{
	for (size_t i = 0; i < all.count; i++) {
		if (strcmp(all.values[i].name, name) == 0)
			return true;
	}
	return false;
}

/* The names in the first cell of a line of the table; how many. */
static size_t check_line(char *line)
{
	size_t count = 0;
	char *rest;

	line[1 + strcspn(line + 1, "|")] = '\0';
	strtok_r(line, "`", &rest);
	for (char *name; (name = strtok_r(NULL, "`", &rest)) != NULL; count++) {
		if (!is_measured(name))
			fail_msg("docs/metrics.md tells of %s, which is not measured", name);
		strtok_r(NULL, "`", &rest); /* what is between two names */
	}
	return count;
}

static void test_documented_names(void **state)
{
	double values[APPLE_METRIC_COUNT];
	char line[2000];
	bool is_here = false;
	size_t count = 0;

	(void)state;
	for (int i = 0; i < APPLE_METRIC_COUNT; i++)
		values[i] = 1;
	readings_begin(&all);
	apple_values_add(values, &all);
	FILE *file = fopen(METRICS_MD, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		if (strncmp(line, "## ", 3) == 0)
			is_here = strcmp(line, "## Apple GPUs\n") == 0;
		if (is_here && strncmp(line, "| `", 3) == 0)
			count += check_line(line);
	}
	fclose(file);
	assert_int_equal(count, APPLE_METRIC_COUNT);
	readings_deinit(&all);
}

/* ---- the source ------------------------------------------------------------------------------------- */

static const struct settings *settings_of(struct machine *machine)
{
	static struct settings settings;

	assert_int_equal(settings_copy(&machine->options, &settings), 0);
	return &settings;
}

/* A row of this source alone; it is in no table but that of macOS. */
static void take_row(void *source, const struct settings *settings)
{
	static struct process_tree tree;
	static struct host_memory memory;
	struct sample sample = {
		.settings = settings,
		.tree = &tree,
		.memory = &memory,
		.now_ns = monotonic_ns(),
		.row = &row,
	};

	sample.deadline_ns = sample.now_ns + SECOND;
	sample_row_begin(&row);
	source_gpu_apple.begin(source, &sample);
	source_gpu_apple.sample(source, &sample);
}

static void take_rows_until(void *source, const struct settings *settings, const char *name)
{
	double start_s = now_s();

	do
		take_row(source, settings);
	while (!row_has(&row, name) && now_s() - start_s < PATIENCE_S);
	assert_true(row_has(&row, name));
}

static void explain(void *source, const struct settings *settings, const char *expected)
{
	struct source_reason reason = { .is_found = true };

	source_gpu_apple.explain(source, settings, &reason);
	if (!strstr(reason.text, expected))
		fail_msg("\"%s\" is not in \"%s\"", expected, reason.text);
}

static void test_source(void **state)
{
	struct machine *machine = *state;
	const struct settings *settings = settings_of(machine);
	void *source;

	is_shut = false;
	assert_int_equal(source_gpu_apple.open(settings, &source), 0);
	take_rows_until(source, settings, "gpu.0.powerWatts");
	EXPECT({ "gpu.0.gpu", 60 }, { "gpu.0.powerWatts", 5 }, { "gpu.0.powerPercent", 500 / 16.5 },
	       { "gpu.0.freq", 1398 }, { "gpu.0.memoryAllocated", 12.5 }, { "cpu.powerWatts", 2 },
	       { "ane.power", NAN }, { "gpu.0.temp", NAN });
	explain(source, settings, "by IOKit and IOReport");
	source_gpu_apple.end(source, 0);
	source_gpu_apple.close(source);
}

static void test_source_with_macmon(void **state)
{
	struct machine *machine = *state;
	const struct settings *settings = settings_of(machine);
	char script[600];
	void *source;

	is_shut = true;
	snprintf(script, sizeof script, "[ \"$*\" = 'pipe -s 1' ] && cat %s/apple/macmon.json",
		 FIXTURES);
	machine_tool(machine, "macmon", script);
	assert_int_equal(source_gpu_apple.open(settings, &source), 0);
	take_rows_until(source, settings, "gpu.0.temp");
	EXPECT({ "gpu.0.gpu", 9 }, { "cpu.avg_temp", 43.73614 }, { "cpu.ecpu_percent", 18 },
	       { "memory.used", 20985479168 }, { "system.powerWatts", 5.876533 });
	explain(source, settings, "by /");
	source_gpu_apple.end(source, 0);
	source_gpu_apple.close(source);
}

static void test_nothing_there(void **state)
{
	struct machine *machine = *state;
	const struct settings *settings = settings_of(machine);
	void *source;

	is_shut = true;
	assert_int_equal(source_gpu_apple.open(settings, &source), 0);
	take_row(source, settings);
	assert_int_equal(row.count, 0);
	explain(source, settings, "no IOAccelerator and no macmon");
	source_gpu_apple.end(source, 0);
	source_gpu_apple.close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_macmon),
		cmocka_unit_test(test_other_releases),
		cmocka_unit_test(test_odd_json),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_odd_counters),
		cmocka_unit_test(test_documented_names),
		ON_MACHINE(test_source),
		ON_MACHINE(test_source_with_macmon),
		ON_MACHINE(test_nothing_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
