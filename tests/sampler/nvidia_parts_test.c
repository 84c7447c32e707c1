/* nvidia_parts_test.c - links, instances (MIG), processes, energy and the choice of NVIDIA's GPUs, as a
 * stand-in for the driver's library plays them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "nvml.h"

#define GPU "total 1000\nused 100\ntemp 34\n"

static int setup(void **state)
{
	char path[400];

	machine_setup(state);
	struct machine *machine = *state;
	fixture_write(&machine->fixture, "dev/nvidiactl", "%s", "");
	snprintf(path, sizeof path, "%s/scenario", machine->fixture.root);
	setenv("FAKE_NVML_SCENARIO", path, 1);
	unsetenv("CUDA_VISIBLE_DEVICES");
	machine->options.nvml_path = FAKE_NVML;
	return 0;
}

static void play(struct machine *machine, const char *scenario)
{
	machine_rewrite(machine, "scenario", scenario);
}

static void start(struct machine *machine, const char *scenario)
{
	play(machine, scenario);
	sampler_free(machine->sampler);
	machine_start(machine);
}

/* Takes rows until the value is more than `least`. */
static double sample_until_above(struct machine *machine, const char *name, double least)
{
	double start_s = now_s();

	do
		machine_sample(machine);
	while (!(row_value(&row, name) > least) && now_s() - start_s < PATIENCE_S);
	assert_true(row_value(&row, name) > least);
	return row_value(&row, name);
}

static void test_layout(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct nvml_process_utilization), 32);
	assert_int_equal(sizeof(struct nvml_field_value), 40);
	assert_int_equal(offsetof(struct nvml_field_value, value), 32);
}

static void test_state(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\ndecoder 9\npcie_generation 5\npcie_width 16\npcie_replays 2\n"
		       "field.82 61\nreasons 68\n" GPU);
	machine_sample_until(machine, "gpu.0.temp");
	EXPECT({ "gpu.0.decoderUtilization", 9 }, { "gpu.0.pcieLinkGen", 5 },
	       { "gpu.0.pcieLinkWidth", 16 }, { "gpu.0.pcieReplayErrors", 2 },
	       { "gpu.0.memoryTemp", 61 }, { "gpu.0.throttle.swPowerCap", 1 },
	       { "gpu.0.throttle.hwThermal", 1 }, { "gpu.0.throttle.swThermal", 0 },
	       { "gpu.0.throttle.hwSlowdown", 0 }, { "gpu.0.throttle.syncBoost", 0 },
	       { "gpu.0.throttle.hwPowerBrake", 0 }, { "gpu.0.nvlinkErrors", NAN },
	       { "gpu.0.pcieTxBytes", NAN });
}

/* An old driver has the throttle reasons under their old name, and none of the newer functions. */
static void test_old_driver(void **state)
{
	struct machine *machine = *state;

	machine->options.nvml_path = FAKE_NVML_OLD;
	start(machine,
	      "gpus 1\nreasons 8\nlinks 2\nmig 1\n0.mig.0 11\nused 0 100 5 6 7\nprocess 0 100 5\n" GPU);
	machine_sample_until(machine, "gpu.process.0.memoryUsedBytes");
	EXPECT({ "gpu.0.throttle.hwSlowdown", 1 }, { "gpu.0.energyJoules", 0 },
	       { "gpu.0.nvlink.0.txBytes", NAN }, { "gpu.0.mig.0.memoryAllocated", NAN },
	       { "gpu.process.0.memoryUsedBytes", 5 }, { "gpu.process.0.utilization", NAN });
}

/* The driver's count starts again at 0 after a reset; ours goes on. */
static void test_energy(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\nenergy 5000000\n" GPU);
	machine_sample_until(machine, "gpu.0.energyJoules");
	EXPECT({ "gpu.0.energyJoules", 0 }, { "gpu.0.totalEnergyConsumption", 5000000 });
	play(machine, "gpus 1\nenergy 5002500\n" GPU);
	machine_sample_until_value(machine, "gpu.0.energyJoules", 2.5);
	play(machine, "gpus 1\nenergy 1000\n" GPU);
	machine_sample_until_value(machine, "gpu.0.energyJoules", 3.5);
	EXPECT({ "gpu.0.totalEnergyConsumption", 1000 });
}

static void test_nvlink(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\nlinks 3\nlink_down 1\nfield.138 0\nfield.139 0\nfield.138.1 0\n"
		       "field.139.1 0\nfield.138.2 0\nfield.38 4\nfield.52 3\n" GPU);
	machine_sample_until(machine, "gpu.0.nvlink.0.txBytes");
	EXPECT({ "gpu.0.nvlink.0.txBytes", 0 }, { "gpu.0.nvlink.1.rxBytes", 0 },
	       { "gpu.0.nvlink.2.rxBytes", NAN }, { "gpu.0.nvlink.3.txBytes", NAN },
	       { "gpu.0.nvlinkTxBytes", 0 }, { "gpu.0.nvlinkErrors", 7 });
	play(machine, "gpus 1\nlinks 3\nfield.138 4000000\nfield.139 1000000\nfield.138.1 0\n"
		      "field.139.1 1000000\nfield.138.2 2000000\nfield.38 4\nfield.52 3\n" GPU);
	double tx = sample_until_above(machine, "gpu.0.nvlink.0.txBytes", 0);
	double rx = row_value(&row, "gpu.0.nvlink.0.rxBytes");
	assert_true(fabs(tx / rx - 4) < 1e-9);
	EXPECT({ "gpu.0.nvlink.2.txBytes", tx / 2 }, { "gpu.0.nvlinkTxBytes", tx * 1.5 },
	       { "gpu.0.nvlinkRxBytes", rx * 2 });
	/* One count starts again: it alone has no value, once. */
	play(machine, "gpus 1\nlinks 3\nfield.138 100\nfield.139 9000000\nfield.138.1 0\n"
		      "field.139.1 1000000\nfield.138.2 2000000\n" GPU);
	rx = sample_until_above(machine, "gpu.0.nvlink.0.rxBytes", 0);
	EXPECT({ "gpu.0.nvlink.0.txBytes", NAN }, { "gpu.0.nvlinkTxBytes", 0 },
	       { "gpu.0.nvlinkRxBytes", rx }, { "gpu.0.nvlinkErrors", NAN });
	machine_sample_until_value(machine, "gpu.0.nvlink.0.txBytes", 0);
}

/* The performance monitor's rates go before those of counts. */
static void test_pcie(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 2\n1.gpm 1\nfield.197 0\nfield.198 0\n" GPU);
	machine_sample_until(machine, "gpu.1.pcieTxBytes");
	EXPECT({ "gpu.0.pcieTxBytes", 0 }, { "gpu.0.pcieRxBytes", 0 },
	       { "gpu.1.pcieTxBytes", 20 * 1048576.0 });
	play(machine, "gpus 2\n1.gpm 1\nfield.197 1000\nfield.198 3000\n" GPU);
	double tx = sample_until_above(machine, "gpu.0.pcieTxBytes", 0);
	assert_true(fabs(row_value(&row, "gpu.0.pcieRxBytes") / tx - 3) < 1e-9);
	/* Counts of 32 bits run over too often to give rates. */
	start(machine, "gpus 1\nnarrow_fields 1\nfield.82 50\nfield.197 0\nfield.198 0\n" GPU);
	machine_sample_until(machine, "gpu.0.memoryTemp");
	machine_sample_until(machine, "gpu.0.memoryTemp");
	EXPECT({ "gpu.0.pcieTxBytes", NAN });
}

static void test_process_utilization(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 2\nprocess 0 100 5\nprocess 1 999 5\nused 0 101 1000 50 8\n" GPU);
	machine_sample_until(machine, "gpu.process.0.utilization");
	EXPECT({ "gpu.process.0.utilization", 0 }, { "gpu.process.1.utilization", NAN });
	play(machine, "gpus 2\nprocess 0 100 5\nused 0 101 1000 50 8\nused 0 101 2000 30 4\n"
		      "used 0 100 2000 25 3\nused 0 101 1900 99 99\nused 0 999 2000 45 9\n" GPU);
	sample_until_above(machine, "gpu.process.0.utilization", 0);
	EXPECT({ "gpu.process.0.utilization", 55 }, { "gpu.process.0.memoryUtilization", 7 });
	machine_sample_until_value(machine, "gpu.process.0.utilization", 0);
	play(machine, "gpus 2\nprocess 0 100 5\nused 0 101 3000 80 8\nused 0 100 3000 80 8\n" GPU);
	sample_until_above(machine, "gpu.process.0.utilization", 0);
	EXPECT({ "gpu.process.0.utilization", 100 }); /* roundings of the driver add up */
}

static void test_instances(void **state)
{
	struct machine *machine = *state;

	start(machine,
	      "gpus 2\n0.mig 1\n0.mig.0 71\n0.mig.3 92\n0.0.total 400\n0.0.used 300\n0.3.total 200\n"
	      "0.3.used 20\n0.gpm 1\n0.result.gpm_sample 3\n0.result.utilization 3\n"
	      "process 0 100 7 71\nprocess 0 101 8 71\nprocess 0 999 9 92\nmig 0\n" GPU);
	machine_sample_until(machine, "gpu.0.mig.0.smActive");
	EXPECT({ "gpu.0.mig.0.memoryAllocated", 75 }, { "gpu.0.mig.0.memoryAllocatedBytes", 300 },
	       { "gpu.0.mig.3.memoryAllocated", 10 }, { "gpu.0.mig.0.gpu", 1 },
	       { "gpu.0.mig.0.smActive", 2 }, { "gpu.0.mig.0.smOccupancy", 3 },
	       { "gpu.0.mig.0.pipeTensorActive", 5 }, { "gpu.0.mig.3.dramActive", 10 },
	       { "gpu.process.0.mig.0.memoryUsedBytes", 15 },
	       { "gpu.process.0.mig.3.memoryUsedBytes", NAN },
	       { "gpu.process.0.memoryUsedBytes", 15 }, { "gpu.0.smActive", NAN },
	       { "gpu.0.gpu", NAN }, { "gpu.0.mig.1.memoryAllocated", NAN },
	       { "gpu.1.mig.0.memoryAllocated", NAN }, { "gpu.0.temp", 34 });
}

/* Instances come and go; another one under the same index begins by itself. */
static void test_instances_change(void **state)
{
	struct machine *machine = *state;

	start(machine, "gpus 1\nmig 1\ngpm 1\n0.mig.0 11\n" GPU);
	machine_sample_until(machine, "gpu.0.mig.0.smActive");
	play(machine, "gpus 1\nmig 1\ngpm 1\n0.mig.1 21\n" GPU);
	machine_sample_until(machine, "gpu.0.mig.1.memoryAllocated");
	EXPECT({ "gpu.0.mig.0.memoryAllocated", NAN }, { "gpu.0.mig.1.smActive", NAN });
	machine_sample_until(machine, "gpu.0.mig.1.smActive");
	play(machine, "gpus 1\nmig 1\ngpm 1\n0.mig.1 31\n" GPU);
	machine_sample_until_gone(machine, "gpu.0.mig.1.smActive");
	EXPECT({ "gpu.0.mig.1.memoryAllocated", 10 });
	machine_sample_until(machine, "gpu.0.mig.1.smActive");
	/* The GPU is reset, and whole again. */
	play(machine, "gpus 1\nlost 1\n" GPU);
	machine_sample_until_gone(machine, "gpu.0.temp");
	play(machine, "gpus 1\ngpm 1\ngpu 50\n" GPU);
	machine_sample_until(machine, "gpu.0.smActive");
	EXPECT({ "gpu.0.mig.1.memoryAllocated", NAN }, { "gpu.0.gpu", 50 });
}

/* A function that fails takes nothing but its own values. */
static void test_every_failure(void **state)
{
	static const int codes[] = { 2, 3, 4, 13, 999 };
	static const struct {
		const char *call, *metric;
	} calls[] = {
		{ "decoder", "gpu.0.decoderUtilization" },
		{ "energy", "gpu.0.energyJoules" },
		{ "reasons", "gpu.0.throttle.swThermal" },
		{ "pcie_generation", "gpu.0.pcieLinkGen" },
		{ "pcie_width", "gpu.0.pcieLinkWidth" },
		{ "pcie_replays", "gpu.0.pcieReplayErrors" },
		{ "fields", "gpu.0.memoryTemp" },
		{ "nvlink", "gpu.0.nvlink.0.txBytes" },
		{ "process_utilization", "gpu.process.0.utilization" },
		{ "mig", "gpu.0.mig.0.memoryAllocated" },
		{ "mig_handle", "gpu.0.mig.0.memoryAllocated" },
		{ "gpu_instance", "gpu.0.mig.0.memoryAllocated" },
		{ "gpm_mig_sample", "gpu.0.mig.0.smActive" },
	};
	struct machine *machine = *state;
	char scenario[600];

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		for (size_t c = 0; c < sizeof codes / sizeof codes[0]; c++) {
			snprintf(
				scenario, sizeof scenario,
				"gpus 1\nresult.%s %d\nlinks 1\nfield.82 5\nfield.138 1\nfield.139 1\nmig 1\n"
				"0.mig.0 11\ngpm 1\nprocess 0 100 5\nused 0 100 7 7 7\n" GPU,
				calls[i].call, codes[c]);
			start(machine, scenario);
			machine_sample_until(machine, "gpu.0.temp");
			machine_sample_until(machine, "gpu.process.0.memoryUsedBytes");
			assert_false(row_has(&row, calls[i].metric));
		}
	}
}

/* What is chosen; `expected` has a letter for each GPU, '1' for those that are measured. */
static void expect_choice(struct machine *machine, const char *expected)
{
	char name[32];

	for (int i = 0; expected[i]; i++) {
		snprintf(name, sizeof name, "gpu.%d.temp", i);
		if (row_has(&row, name) != (expected[i] == '1'))
			fail_msg("%s of \"%s\" or \"%s\"", name,
				 machine->options.devices ? machine->options.devices : "",
				 getenv("CUDA_VISIBLE_DEVICES"));
	}
}

/* UUIDs of the stand-in are GPU-00000000-…-0, GPU-00000000-…-1, GPU-00000001-…-2, GPU-00000001-…-3. */
#define UUID(half, index) "GPU-0000000" #half "-0000-0000-0000-00000000000" #index

static void test_choice(void **state)
{
	static const struct {
		const char *devices, *visible, *expected;
	} rows[] = {
		{ "gpu:0,2", NULL, "1010" },
		{ "gpu:1-2", NULL, "0110" },
		{ "gpu:3,tpu:0", "0", "0001" },
		{ "gpu:all", "0", "1111" },
		{ "tpu:0", NULL, "1111" },
		{ "gpu:" UUID(1, 3), NULL, "0001" },
		{ "gpu:" UUID(1, 2) "," UUID(0, 0), NULL, "1010" },
		{ "gpu:GPU-00000001,0", NULL, "1000" }, /* the beginning of two UUIDs */
		{ NULL, "1,0", "1100" },
		{ NULL, "2,7,3", "0010" }, /* as CUDA, it ends at what is no GPU */
		{ NULL, "1,-1,2", "0100" },
		{ NULL, UUID(0, 1) ", " UUID(1, 3), "0101" },
		{ NULL, "GPU-00000001-0000-0000-0000-000000000002,GPU-0,1", "0010" },
	};
	struct machine *machine = *state;

	machine->options.pid = 0; /* the variable of this process counts */
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		machine->options.devices = rows[i].devices;
		if (rows[i].visible)
			setenv("CUDA_VISIBLE_DEVICES", rows[i].visible, 1);
		else
			unsetenv("CUDA_VISIBLE_DEVICES");
		start(machine, "gpus 4\n" GPU);
		char name[32];
		snprintf(name, sizeof name, "gpu.%d.temp",
			 (int)(strchr(rows[i].expected, '1') - rows[i].expected));
		machine_sample_until(machine, name);
		expect_choice(machine, rows[i].expected);
	}
}

/* CUDA's order of GPUs that differ is not ours, unless it was told to be. */
static void test_cuda_order(void **state)
{
	struct machine *machine = *state;

	machine->options.pid = 0;
	setenv("CUDA_VISIBLE_DEVICES", "1", 1);
	start(machine, "gpus 2\n0.other_model 1\n" GPU);
	machine_sample_until(machine, "gpu.0.temp");
	expect_choice(machine, "11");
	setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
	start(machine, "gpus 2\n0.other_model 1\n" GPU);
	machine_sample_until(machine, "gpu.1.temp");
	expect_choice(machine, "01");
	unsetenv("CUDA_DEVICE_ORDER");
}

/* A program that may use no GPU has no values of GPUs, and the reason is told. */
static void test_none(void **state)
{
	struct machine *machine = *state;
	char line[300];

	machine->options.pid = 0;
	setenv("CUDA_VISIBLE_DEVICES", "", 1);
	start(machine, "gpus 2\n" GPU);
	machine_explain(machine, "gpu_nvidia", line, sizeof line);
	assert_non_null(
		strstr(line, "none: CUDA_VISIBLE_DEVICES, \"\", chooses none of the 2 GPUs"));
	machine->options.devices = "gpu:none";
	start(machine, "gpus 2\n" GPU);
	machine_explain(machine, "gpu_nvidia", line, sizeof line);
	assert_non_null(strstr(line, "not the chosen ones"));
}

/* Of another program its environment counts. */
static void test_other_program(void **state)
{
	static const char environment[] =
		"SECRET=x\0MY_CUDA_VISIBLE_DEVICES=0\0CUDA_VISIBLE_DEVICES=1\0";
	struct machine *machine = *state;
	char path[400];

	setenv("CUDA_VISIBLE_DEVICES", "0", 1);
	snprintf(path, sizeof path, "%s/proc/100/environ", machine->fixture.root);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fwrite(environment, 1, sizeof environment - 1, file);
	assert_int_equal(fclose(file), 0);
	start(machine, "gpus 2\n" GPU);
	machine_sample_until(machine, "gpu.1.temp");
	expect_choice(machine, "01");
}

/* GPU 1 has the instances 0 and 2; an instance is chosen with its GPU. */
static void test_chosen_instance(void **state)
{
	static const char *const lists[] = {
		"gpu:MIG-00000021-0000-0000-0000-000000000001",
		"gpu:MIG-00000021",
		"gpu:MIG-" UUID(0, 1) "/2/1",
	};
	struct machine *machine = *state;

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		machine->options.devices = lists[i];
		start(machine, "gpus 2\n1.mig 1\n1.mig.0 11\n1.mig.2 21\nmig 0\n" GPU);
		machine_sample_until(machine, "gpu.1.mig.2.memoryAllocated");
		EXPECT({ "gpu.1.mig.0.memoryAllocated", NAN }, { "gpu.1.temp", 34 },
		       { "gpu.0.temp", NAN });
	}
}

#define GPU_TEST(name) cmocka_unit_test_setup_teardown(name, setup, machine_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		GPU_TEST(test_state),
		GPU_TEST(test_old_driver),
		GPU_TEST(test_energy),
		GPU_TEST(test_nvlink),
		GPU_TEST(test_pcie),
		GPU_TEST(test_process_utilization),
		GPU_TEST(test_instances),
		GPU_TEST(test_instances_change),
		GPU_TEST(test_every_failure),
		GPU_TEST(test_choice),
		GPU_TEST(test_cuda_order),
		GPU_TEST(test_none),
		GPU_TEST(test_other_program),
		GPU_TEST(test_chosen_instance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
