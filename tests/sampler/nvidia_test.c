/* nvidia_test.c - NVIDIA's GPUs as a stand-in for the driver's library plays them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "nvml.h"

#define PATIENCE_S 120
#define H100 \
	"total 85899345920\nreserved 1073741824\nused 8589934592\ntemp 34\npower 350000\n" \
	"limit 700000\nsm_clock 1980\nmemory_clock 2619\ngraphics_clock 1975\n" \
	"corrected 3\nuncorrected 1\nencoder 7\ngpu 93\nmemory 41\n" \
	"result.fan 3\n" /* no fan on a module */

struct machine {
	struct fixture fixture;
	struct sampler_options options;
	struct sampler *sampler;
};

static struct sampler_row row;

static void play(const struct machine *machine, const char *scenario)
{
	char from[400], to[400];

	fixture_write(&machine->fixture, "scenario.new", "%s", scenario);
	snprintf(from, sizeof from, "%s/scenario.new", machine->fixture.root);
	snprintf(to, sizeof to, "%s/scenario", machine->fixture.root);
	assert_int_equal(rename(from, to), 0);
}

static int setup(void **state)
{
	struct machine *machine = calloc(1, sizeof *machine);
	char path[400];

	*state = machine;
	fixture_begin(&machine->fixture, "machine");
	fixture_write(&machine->fixture, "dev/nvidiactl", "%s", "");
	fixture_process(&machine->fixture, &(struct fixture_process){ .pid = 100, .threads = 1 });
	fixture_process(&machine->fixture, &(struct fixture_process){ .pid = 101, .parent = 100 });
	snprintf(path, sizeof path, "%s/scenario", machine->fixture.root);
	setenv("FAKE_NVML_SCENARIO", path, 1);
	machine->options = fixture_options(&machine->fixture, 100);
	machine->options.nvml_path = FAKE_NVML;
	return 0;
}

static int teardown(void **state)
{
	struct machine *machine = *state;

	sampler_free(machine->sampler);
	fixture_end(&machine->fixture);
	free(machine);
	return 0;
}

static void start(struct machine *machine, const char *scenario)
{
	play(machine, scenario);
	machine->sampler = sampler_new(&machine->options);
	assert_non_null(machine->sampler);
}

/* Takes rows until one has the value. */
static void sample_until(struct machine *machine, const char *name)
{
	double start_s = now_s();

	do {
		sampler_sample(machine->sampler, &row);
	} while (!row_has(&row, name) && now_s() - start_s < PATIENCE_S);
	assert_true(row_has(&row, name));
}

static void sample_until_gone(struct machine *machine, const char *name)
{
	double start_s = now_s();

	do {
		sampler_sample(machine->sampler, &row);
	} while (row_has(&row, name) && now_s() - start_s < PATIENCE_S);
	assert_false(row_has(&row, name));
}

struct expected {
	const char *name;
	double value; /* NaN: absent */
};

static void expect(const struct expected *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value = row_value(&row, rows[i].name);
		if (isnan(rows[i].value) ? !isnan(value) : !(fabs(value - rows[i].value) < 1e-6))
			fail_msg("%s is %g, not %g", rows[i].name, value, rows[i].value);
	}
}

#define EXPECT(...) \
	do { \
		const struct expected rows[] = { __VA_ARGS__ }; \
		expect(rows, sizeof rows / sizeof rows[0]); \
	} while (0)

static void test_layout(void **state)
{
	(void)state;
	assert_int_equal(NVML_STRUCT_VERSION(struct nvml_memory_v2, 2), 0x2000028);
	assert_int_equal(NVML_STRUCT_VERSION(struct nvml_temperature, 1), 0x100000c);
	assert_int_equal(sizeof(struct nvml_process_v1), 16);
	assert_int_equal(sizeof(struct nvml_process), 24);
	assert_int_equal(sizeof(struct nvml_gpm_metric), 40);
	assert_int_equal(offsetof(struct nvml_gpm_metrics, metrics), 24);
}

static void test_normal(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 2\n" H100 "1.gpu 5\n");
	sample_until(machine, "gpu.1.gpu");
	EXPECT({ "gpu.0.gpu", 93 }, { "gpu.0.memory", 41 }, { "gpu.1.gpu", 5 },
	       { "gpu.0.memoryAllocated", 10 }, { "gpu.0.memoryAllocatedBytes", 8589934592 },
	       { "gpu.0.temp", 34 }, { "gpu.0.powerWatts", 350 },
	       { "gpu.0.enforcedPowerLimitWatts", 700 }, { "gpu.0.powerPercent", 50 },
	       { "gpu.0.smClock", 1980 }, { "gpu.0.memoryClock", 2619 },
	       { "gpu.0.graphicsClock", 1975 }, { "gpu.0.correctedMemoryErrors", 3 },
	       { "gpu.0.uncorrectedMemoryErrors", 1 }, { "gpu.0.unCorrectedMemoryErrors", 1 },
	       { "gpu.0.encoderUtilization", 7 }, { "gpu.0.fanSpeed", NAN },
	       { "gpu.0.smActive", NAN }, { "gpu.process.0.gpu", NAN });
}

static void test_no_driver(void **state)
{
	struct machine *machine = *state;

	fixture_remove(&machine->fixture, "dev/nvidiactl");
	start(machine, "gpus 1\n" H100);
	char *text = sampler_metadata_json(machine->sampler, 1000);
	assert_null(strstr(text, "gpu"));
	free(text);
	fixture_write(&machine->fixture, "proc/driver/nvidia/version", "NVRM\n");
	sampler_free(machine->sampler);
	start(machine, "gpus 1\n" H100);
	sample_until(machine, "gpu.0.gpu");
}

/* The driver is loaded after the sampler was made, as by the program's own first call. */
static void test_driver_comes_later(void **state)
{
	struct machine *machine = *state;

	fixture_remove(&machine->fixture, "dev/nvidiactl");
	start(machine, "gpus 1\n" H100);
	sampler_sample(machine->sampler, &row);
	assert_false(row_has(&row, "gpu.0.gpu"));
	fixture_write(&machine->fixture, "dev/nvidiactl", "%s", "");
	sample_until(machine, "gpu.0.gpu");
	char *text = sampler_metadata_json(machine->sampler, 10000);
	assert_non_null(strstr(text, "\"gpu_count\":1"));
	free(text);
}

static void test_turned_off(void **state)
{
	struct machine *machine = *state;

	machine->options.flags = SAMPLER_NO_GPU;
	start(machine, "gpus 1\n" H100);
	char *text = sampler_metadata_json(machine->sampler, 1000);
	assert_null(strstr(text, "gpu"));
	free(text);
}

static void test_choice(void **state)
{
	struct machine *machine = *state;
	static const int ids[] = { 3, 1, 77 };

	machine->options.gpu_ids = ids;
	machine->options.gpu_id_count = 3;
	start(machine, "gpus 4\n" H100 "3.temp 60\n");
	sample_until(machine, "gpu.3.gpu");
	EXPECT({ "gpu.0.gpu", NAN }, { "gpu.1.temp", 34 }, { "gpu.2.gpu", NAN },
	       { "gpu.3.temp", 60 });
}

/* What a GPU will never tell is asked only once. */
static void test_not_supported(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\n" H100 "result.ecc 3\nresult.power 4\nresult.sm_clock 13\n");
	sample_until(machine, "gpu.0.temp");
	EXPECT({ "gpu.0.gpu", 93 }, { "gpu.0.memoryAllocated", 10 }, { "gpu.0.powerWatts", NAN },
	       { "gpu.0.powerPercent", NAN }, { "gpu.0.enforcedPowerLimitWatts", 700 },
	       { "gpu.0.smClock", NAN }, { "gpu.0.correctedMemoryErrors", NAN });
	play(machine, "gpus 1\n" H100 "temp 35\n");
	for (int i = 0; i < 5; i++)
		sample_until(machine, "gpu.0.temp");
	EXPECT({ "gpu.0.powerWatts", NAN }, { "gpu.0.smClock", NAN });
}

/* A whole GPU that is cut into instances does not tell its utilization. */
static void test_instances(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\n" H100 "result.utilization 3\nresult.encoder 3\n");
	sample_until(machine, "gpu.0.temp");
	EXPECT({ "gpu.0.gpu", NAN }, { "gpu.0.memory", NAN }, { "gpu.0.memoryAllocated", 10 },
	       { "gpu.0.encoderUtilization", NAN });
}

/* Any other failure is tried again, less and less often. */
static void test_passing_failure(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\n" H100 "result.power 10\nresult.temperature 999\n"
		       "result.temperature_v 999\n");
	sample_until(machine, "gpu.0.gpu");
	EXPECT({ "gpu.0.powerWatts", NAN }, { "gpu.0.temp", NAN });
	play(machine, "gpus 1\n" H100);
	sample_until(machine, "gpu.0.powerWatts");
	sample_until(machine, "gpu.0.temp");
}

static void test_unified_memory(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, "proc/meminfo",
		      "MemTotal: 1000 kB\nMemAvailable: 750 kB\n");
	start(machine, "gpus 2\n" H100 "0.result.memory 3\n1.total 0\n1.used 0\n1.reserved 0\n");
	sample_until(machine, "gpu.0.memoryAllocated");
	EXPECT({ "gpu.0.memoryAllocated", 25 }, { "gpu.0.memoryAllocatedBytes", 256000 },
	       { "gpu.1.memoryAllocated", 25 });
}

static void test_old_driver(void **state)
{
	struct machine *machine = *state;

	machine->options.nvml_path = FAKE_NVML_OLD;
	start(machine, "gpus 1\n" H100 "gpm 1\nprocess 0 101 1000\nprocess 0 5 77\n"
		       "process 0 100 500\n");
	sample_until(machine, "gpu.process.0.gpu");
	EXPECT({ "gpu.0.gpu", 93 },
	       { "gpu.0.memoryAllocatedBytes", 9663676416 }, /* with reserved */
	       { "gpu.0.temp", 34 }, { "gpu.0.smActive", NAN },
	       { "gpu.process.0.memoryUsedBytes", 1500 });
}

static void test_lost_and_back(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 2\n" H100);
	sample_until(machine, "gpu.1.temp");
	play(machine, "gpus 2\n" H100 "1.lost 1\n");
	sample_until_gone(machine, "gpu.1.temp");
	EXPECT({ "gpu.0.temp", 34 }, { "gpu.1.gpu", NAN }, { "gpu.1.memoryAllocated", NAN });
	play(machine, "gpus 2\n" H100);
	sample_until(machine, "gpu.1.temp");
}

/* The driver was reset under us: the library has to be started again. */
static void test_uninitialized(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\n" H100);
	sample_until(machine, "gpu.0.temp");
	play(machine, "gpus 1\n" H100 "result.memory 1\n");
	sample_until_gone(machine, "gpu.0.temp");
	play(machine, "gpus 1\n" H100);
	sample_until(machine, "gpu.0.temp");
}

static void test_late_driver(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\n" H100 "result.init 9\n");
	for (int i = 0; i < 3; i++)
		sampler_sample(machine->sampler, &row);
	assert_false(row_has(&row, "gpu.0.gpu"));
	play(machine, "gpus 1\n" H100);
	sample_until(machine, "gpu.0.gpu");
}

/* The list of processes grows between two calls; then it is had after all. */
static void test_processes(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 2\n" H100 "insufficient 2\nprocess 0 101 3000\nprocess 0 999 50000\n"
		       "graphics 0 101 3000\ngraphics 0 100 20\nprocess 1 999 7\n");
	sample_until(machine, "gpu.process.0.gpu");
	EXPECT({ "gpu.process.0.gpu", 93 }, { "gpu.process.0.memory", 41 },
	       { "gpu.process.0.memoryAllocated", 10 }, { "gpu.process.0.temp", 34 },
	       { "gpu.process.0.powerPercent", 50 }, { "gpu.process.0.memoryUsedBytes", 3020 },
	       { "gpu.process.0.smClock", NAN }, { "gpu.process.1.gpu", NAN });
}

static void test_process_memory_unknown(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\n" H100 "process 0 100 18446744073709551615\n");
	sample_until(machine, "gpu.process.0.gpu");
	EXPECT({ "gpu.process.0.memoryUsedBytes", NAN });
}

static void test_without_tree(void **state)
{
	struct machine *machine = *state;

	machine->options.flags = SAMPLER_NO_PROCESS_TREE;
	start(machine, "gpus 1\n" H100 "process 0 101 5\n");
	sample_until(machine, "gpu.0.gpu");
	EXPECT({ "gpu.process.0.gpu", NAN });
}

/* The value covers the time between two readings, so it comes with the second. */
static void test_gpm(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 2\n" H100 "0.gpm 1\n");
	sample_until(machine, "gpu.0.smActive");
	EXPECT({ "gpu.0.smActive", 2 }, { "gpu.0.smOccupancy", 3 }, { "gpu.0.pipeTensorActive", 5 },
	       { "gpu.0.pipeTensorHmmaActive", 7 }, { "gpu.0.dramActive", 10 },
	       { "gpu.0.pipeFp64Active", 11 }, { "gpu.0.pipeFp32Active", 12 },
	       { "gpu.0.pipeFp16Active", NAN }, { "gpu.0.pcieTxBytes", 20 * 1048576.0 },
	       { "gpu.0.pcieRxBytes", 21 * 1048576.0 }, { "gpu.0.nvlinkTxBytes", 61 * 1048576.0 },
	       { "gpu.0.nvlinkRxBytes", 60 * 1048576.0 }, { "gpu.1.smActive", NAN });
	for (int i = 0; i < 3; i++)
		sample_until(machine, "gpu.0.smActive"); /* samples stay in order */
}

/* The thread that was left behind has woken up and ended what it used. */
static void wait_until_unused(void)
{
	int (*users)(void);
	void *library = dlopen(FAKE_NVML, RTLD_NOW);
	void *symbol = dlsym(library, "fake_nvml_users");

	assert_non_null(symbol);
	memcpy(&users, &symbol, sizeof users);
	while (users() > 0)
		sched_yield();
	dlclose(library);
}

/* A driver that hangs: rows come on time without the GPU, the end is not held up, and when the
 * driver wakes up the values are back. */
static void test_hang(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\n" H100);
	sample_until(machine, "gpu.0.gpu");
	play(machine, "gpus 1\nhang 1\n" H100);
	sample_until_gone(machine, "gpu.0.gpu");
	assert_true(row_has(&row, "memory_percent"));
	play(machine, "gpus 1\n" H100 "temp 77\n");
	sample_until(machine, "gpu.0.gpu");
	play(machine, "gpus 1\nhang 1\n" H100);
	sample_until_gone(machine, "gpu.0.gpu");
	double start_s = now_s();
	sampler_free(machine->sampler);
	machine->sampler = NULL;
	assert_true(now_s() - start_s < 5);
	play(machine, "gpus 1\n" H100);
	wait_until_unused();
}

/* The driver hangs when it is shut down: that, too, is the slow thread's business. */
static void test_hang_at_the_end(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\n" H100);
	sample_until(machine, "gpu.0.gpu");
	play(machine, "gpus 1\nhang_shutdown 1\n" H100);
	double start_s = now_s();
	sampler_free(machine->sampler);
	machine->sampler = NULL;
	assert_true(now_s() - start_s < 5);
	play(machine, "gpus 1\n" H100);
	wait_until_unused();
}

static void test_metadata(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 2\n" H100);
	char *text = sampler_metadata_json(machine->sampler, 10000);
	assert_non_null(
		strstr(text, "\"gpu\":\"NVIDIA H100 80GB HBM3\",\"gpu_count\":2,\"gpu_nvidia\":"
			     "[{\"name\":\"NVIDIA H100 80GB HBM3\",\"memoryTotal\":\"85899345920\","
			     "\"cudaCores\":16896,\"architecture\":\"Hopper\",\"uuid\":\"GPU-"));
	assert_non_null(strstr(text, "\"cudaVersion\":\"12.4\""));
	free(text);
}

/* Whatever bytes the driver gives as a name, the text is JSON. */
static void test_odd_name(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\nodd_name 1\nresult.uuid 3\n" H100);
	char *text = sampler_metadata_json(machine->sampler, 10000);
	assert_non_null(strstr(text, "\"gpu\":\"\\\"\\\\\\u0001\\u001f\\ufffd\\ufffd"));
	for (const char *at = text; *at; at++)
		assert_in_range(*at, 0x20, 0x7e);
	assert_null(strstr(text, "uuid"));
	free(text);
	sampler_free(machine->sampler);
	start(machine, "gpus 1\nresult.name 3\n" H100);
	text = sampler_metadata_json(machine->sampler, 10000);
	assert_null(strstr(text, "\"gpu\":"));
	assert_non_null(strstr(text, "\"gpu_nvidia\":[{\"memoryTotal\""));
	free(text);
}

/* One call fails with one code: its value is missing, the others are there. */
static void test_every_failure(void **state)
{
	static const int codes[] = { 2, 3, 4, 6, 10, 13, 25, 999 };
	static const struct {
		const char *call, *metric; /* NULL: nothing is missing */
	} rows[] = {
		{ "utilization", "gpu.0.memory" },
		{ "memory", NULL },      /* unified memory, where it is not supported */
		{ "temperature", NULL }, /* there are two calls for it */
		{ "temperature_v", NULL },
		{ "power", "gpu.0.powerPercent" },
		{ "limit", "gpu.0.enforcedPowerLimitWatts" },
		{ "sm_clock", "gpu.0.smClock" },
		{ "memory_clock", "gpu.0.memoryClock" },
		{ "graphics_clock", "gpu.0.graphicsClock" },
		{ "ecc", "gpu.0.uncorrectedMemoryErrors" },
		{ "encoder", "gpu.0.encoderUtilization" },
		{ "fan", "gpu.0.fanSpeed" },
		{ "processes", "gpu.process.0.temp" },
		{ "graphics", NULL },
		{ "gpm", "gpu.0.smActive" },
		{ "gpm_sample", "gpu.0.smActive" },
		{ "cuda", NULL },
	};
	struct machine *machine = *state;
	char scenario[600];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		for (size_t c = 0; c < sizeof codes / sizeof codes[0]; c++) {
			snprintf(scenario, sizeof scenario, "result.%s %d\ngpus 1\ngpm 1\n" H100,
				 rows[i].call, codes[c]);
			start(machine, scenario);
			sample_until(machine, "gpu.0.temp");
			sample_until(machine, i == 0 ? "gpu.0.smClock" : "gpu.0.gpu");
			if (rows[i].metric)
				assert_false(row_has(&row, rows[i].metric));
			sampler_free(machine->sampler);
			machine->sampler = NULL;
		}
	}
}

/* The driver was reset, and knows our handle no longer: it is asked for anew. */
static void test_stale_handle(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 2\n" H100);
	sample_until(machine, "gpu.0.temp");
	play(machine, "gpus 2\n0.reset 1\n" H100);
	sample_until_gone(machine, "gpu.0.temp");
	assert_true(row_has(&row, "gpu.1.temp"));
	sample_until(machine, "gpu.0.temp");
}

/* A row of as many GPUs as are measured, each used by the tree and telling all it can. */
static void test_many_gpus(void **state)
{
	static char scenario[8000];
	static const int ids[] = { 70 };
	struct machine *machine = *state;

	int length = snprintf(scenario, sizeof scenario, "gpus 72\ngpm 1\n%s", H100);
	for (int i = 0; i < 72; i++)
		length += snprintf(scenario + length, sizeof scenario - (size_t)length,
				   "process %d 101 5\n", i);
	start(machine, scenario);
	sample_until(machine, "gpu.63.smActive");
	assert_int_equal(row.dropped, 0);
	EXPECT({ "gpu.0.temp", 34 }, { "gpu.process.63.memoryUsedBytes", 5 },
	       { "gpu.64.temp", NAN });
	char *text = sampler_metadata_json(machine->sampler, 10000);
	assert_non_null(strstr(text, "\"gpu_count\":72,"));
	free(text);
	sampler_free(machine->sampler);
	machine->options.gpu_ids = ids;
	machine->options.gpu_id_count = 1;
	start(machine, scenario);
	sample_until(machine, "gpu.70.temp");
	assert_false(row_has(&row, "gpu.0.temp"));
}

/* No library, one that is text, one that cannot be loaded, one that lacks what is indispensable. */
static void test_no_library(void **state)
{
	struct machine *machine = *state;
	char text_file[400];
	const char *paths[] = { "/nowhere/libnvidia-ml.so.1", text_file, BROKEN_NVML_UNRESOLVED,
				BROKEN_NVML_INCOMPLETE };

	snprintf(text_file, sizeof text_file, "%s/scenario", machine->fixture.root);
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		machine->options.nvml_path = paths[i];
		start(machine, "gpus 1\n" H100);
		for (int n = 0; n < 3; n++)
			sampler_sample(machine->sampler, &row);
		assert_false(row_has(&row, "gpu.0.gpu"));
		assert_true(row_has(&row, "memory_percent"));
		char *text = sampler_metadata_json(machine->sampler, 10000);
		assert_null(strstr(text, "gpu"));
		free(text);
		sampler_free(machine->sampler);
		machine->sampler = NULL;
	}
}

#define GPU_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		GPU_TEST(test_normal),
		GPU_TEST(test_no_driver),
		GPU_TEST(test_driver_comes_later),
		GPU_TEST(test_turned_off),
		GPU_TEST(test_choice),
		GPU_TEST(test_not_supported),
		GPU_TEST(test_instances),
		GPU_TEST(test_passing_failure),
		GPU_TEST(test_unified_memory),
		GPU_TEST(test_old_driver),
		GPU_TEST(test_lost_and_back),
		GPU_TEST(test_uninitialized),
		GPU_TEST(test_late_driver),
		GPU_TEST(test_processes),
		GPU_TEST(test_process_memory_unknown),
		GPU_TEST(test_without_tree),
		GPU_TEST(test_gpm),
		GPU_TEST(test_hang),
		GPU_TEST(test_hang_at_the_end),
		GPU_TEST(test_metadata),
		GPU_TEST(test_odd_name),
		GPU_TEST(test_every_failure),
		GPU_TEST(test_stale_handle),
		GPU_TEST(test_many_gpus),
		GPU_TEST(test_no_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
