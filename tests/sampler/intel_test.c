/*
 * intel_test.c - Intel's GPUs by the files of i915 and xe. The files were put together from the
 * kernel's documentation: no such machine was at hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drm_busy.h"
#include "intel_sysfs.h"
#include "machine.h"

#define MIB 1048576.0
#define SECOND UINT64_C(1000000000)

struct file {
	const char *name; /* below the card */
	const char *text;
};

static void write_files(struct machine *machine, int card, const struct file *files)
{
	char path[200];

	for (; files->name; files++) {
		snprintf(path, sizeof path, "sys/class/drm/card%d/%s", card, files->name);
		fixture_write(&machine->fixture, path, "%s\n", files->text);
	}
}

/* A Data Center GPU: the driver xe, two tiles, memory of its own. */
static const struct file xe_card[] = {
	{ "device/vendor", "0x8086" },
	{ "device/device", "0x56c0" },
	{ "device/uevent", "DRIVER=xe\nPCI_CLASS=38000\nPCI_SLOT_NAME=0000:4d:00.0" },
	{ "device/tile0/physical_vram_size_bytes", "17179869184" },
	{ "device/tile1/physical_vram_size_bytes", "17179869184" },
	{ "device/tile0/gt0/gtidle/name", "gt0-rc" },
	{ "device/tile0/gt0/gtidle/idle_residency_ms", "5000" },
	{ "device/tile0/gt0/freq0/act_freq", "0" },
	{ "device/tile0/gt1/gtidle/idle_residency_ms", "0" },
	{ "device/tile0/gt1/freq0/act_freq", "1200" },
	{ "device/tile1/gt0/gtidle/idle_residency_ms", "5000" },
	{ "device/tile1/gt0/freq0/act_freq", "2050" },
	{ "device/hwmon/hwmon0/name", "nvme" },
	{ "device/hwmon/hwmon0/temp1_input", "99000" },
	{ "device/hwmon/hwmon3/name", "xe" },
	{ "device/hwmon/hwmon3/power1_max", "0" },
	{ "device/hwmon/hwmon3/power2_max", "150000000" },
	{ "device/hwmon/hwmon3/energy2_input", "1000000" },
	{ "device/hwmon/hwmon3/temp2_label", "pkg" },
	{ "device/hwmon/hwmon3/temp2_input", "56000" },
	{ "device/hwmon/hwmon3/temp3_label", "vram" },
	{ "device/hwmon/hwmon3/temp3_input", "62500" },
	{ 0 },
};

/* A GPU that is part of a processor: the driver i915, no sensors. */
static const struct file i915_integrated[] = {
	{ "device/vendor", "0x8086" },
	{ "device/device", "0x46a6" },
	{ "device/uevent", "DRIVER=i915\nPCI_SLOT_NAME=0000:00:02.0" },
	{ "gt/gt0/rc6_residency_ms", "100" },
	{ "gt/gt0/rps_act_freq_mhz", "700" },
	{ "power/rc6_residency_ms", "100" },
	{ "gt_act_freq_mhz", "1" },
	{ 0 },
};

/* A card of i915 with sensors, by a kernel from before cards had several parts. */
static const struct file i915_card[] = {
	{ "device/vendor", "0x8086" },
	{ "device/uevent", "DRIVER=i915\nPCI_SLOT_NAME=0000:03:00.0" },
	{ "power/rc6_residency_ms", "0" },
	{ "gt_act_freq_mhz", "2400" },
	{ "device/hwmon/hwmon1/name", "i915" },
	{ "device/hwmon/hwmon1/energy1_input", "5" },
	{ "device/hwmon/hwmon1/power1_rated_max", "190000000" },
	{ "device/hwmon/hwmon1/temp1_input", "48000" },
	{ 0 },
};

static void test_xe(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, xe_card);
	machine_start(machine);
	machine_sample_until(machine, "gpu.0.powerWatts");
	EXPECT({ "gpu.0.gpu", 100 }, { "gpu.0.temp", 56 }, { "gpu.0.memoryTemp", 62.5 },
	       { "gpu.0.powerWatts", 0 }, { "gpu.0.enforcedPowerLimitWatts", 150 },
	       { "gpu.0.powerPercent", 0 }, { "gpu.0.smClock", 2050 },
	       { "gpu.0.memoryAllocated", NAN }, { "gpu.process.0.gpu", NAN });
	machine_rewrite(machine, "sys/class/drm/card0/device/hwmon/hwmon3/energy2_input",
			"900000000000\n");
	double start_s = now_s();
	do
		machine_sample_until(machine, "gpu.0.powerWatts");
	while (row_value(&row, "gpu.0.powerWatts") == 0 && now_s() - start_s < PATIENCE_S);
	assert_true(row_value(&row, "gpu.0.powerPercent") > 0);
}

static void test_i915(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, i915_card);
	write_files(machine, 1, i915_integrated);
	machine_start(machine);
	machine_sample_until(machine, "gpu.1.powerWatts");
	EXPECT({ "gpu.0.gpu", 100 }, { "gpu.0.smClock", 700 }, { "gpu.0.temp", NAN },
	       { "gpu.0.powerWatts", NAN }, { "gpu.1.smClock", 2400 }, { "gpu.1.temp", 48 },
	       { "gpu.1.enforcedPowerLimitWatts", 190 }, { "gpu.1.memoryTemp", NAN });
}

/* ---- what follows from counters ------------------------------------------------------------------- */

struct counted {
	const char *what;
	struct intel_counters before, now;
	double watts, gpu;
};

static void test_counters(void **state)
{
	static const struct counted cases[] = {
		{ "the first reading", { 0 }, { SECOND, true, 5, 1, { 5 } }, NAN, NAN },
		{ "two seconds",
		  { SECOND, true, 5000000, 2, { 1000, 500 } },
		  { 3 * SECOND, true, 305000000, 2, { 3000, 1000 } },
		  150,
		  75 },
		{ "no energy",
		  { SECOND, false, 0, 1, { 0 } },
		  { 2 * SECOND, false, 0, 1, { 1000 } },
		  NAN,
		  0 },
		{ "counters that went back",
		  { SECOND, true, 900, 1, { 900 } },
		  { 2 * SECOND, true, 100, 1, { 100 } },
		  NAN,
		  NAN },
		{ "more rest than time",
		  { SECOND, true, 0, 1, { 0 } },
		  { 2 * SECOND, true, 1000000, 1, { 1007 } },
		  1,
		  0 },
		{ "another number of parts",
		  { SECOND, true, 0, 1, { 0 } },
		  { 2 * SECOND, true, 0, 2, { 0, 0 } },
		  0,
		  NAN },
		{ "no time",
		  { SECOND, true, 0, 1, { 0 } },
		  { SECOND, true, 7, 1, { 0 } },
		  NAN,
		  NAN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double values[INTEL_METRIC_COUNT] = {
			[INTEL_GPU] = NAN, [INTEL_POWER_WATTS] = NAN
		};
		intel_values_between(&cases[i].before, &cases[i].now, values);
		if (!(values[INTEL_POWER_WATTS] == cases[i].watts ||
		      (isnan(values[INTEL_POWER_WATTS]) && isnan(cases[i].watts))) ||
		    !(values[INTEL_GPU] == cases[i].gpu ||
		      (isnan(values[INTEL_GPU]) && isnan(cases[i].gpu))))
			fail_msg("%s: %g W, %g %%", cases[i].what, values[INTEL_POWER_WATTS],
				 values[INTEL_GPU]);
	}
}

/* ---- the process tree ------------------------------------------------------------------------------ */

static void open_card(struct machine *machine, int pid, int fd, const char *fdinfo)
{
	char path[400];

	snprintf(path, sizeof path, "proc/%d/fdinfo/%d", pid, fd);
	fixture_write(&machine->fixture, path, "pos:\t0\nflags:\t02100002\n%s", fdinfo);
	snprintf(path, sizeof path, "%s/proc/%d/fd", machine->fixture.root, pid);
	mkdir(path, 0755);
	snprintf(path, sizeof path, "%s/proc/%d/fd/%d", machine->fixture.root, pid, fd);
	unlink(path);
	assert_int_equal(symlink("/dev/dri/renderD128", path), 0);
}

#define XE_CLIENT(id, resident, rcs, total) \
	"drm-driver:\txe\ndrm-client-id:\t" id "\ndrm-pdev:\t0000:4d:00.0\n" \
	"drm-total-system:\t0\ndrm-total-gtt:\t192 KiB\ndrm-total-vram0:\t999 MiB\n" \
	"drm-resident-vram0:\t" resident " MiB\ndrm-total-stolen:\t0\n" \
	"drm-cycles-rcs:\t" rcs "\ndrm-total-cycles-rcs:\t" total "\n" \
	"drm-cycles-vcs:\t0\ndrm-total-cycles-vcs:\t" total "\ndrm-engine-capacity-vcs:\t2\n"
#define I915_CLIENT(render_ns) \
	"drm-driver:\ti915\ndrm-client-id:\t7\ndrm-pdev:\t0000:00:02.0\n" \
	"drm-total-system0:\t96 MiB\ndrm-shared-system0:\t8 MiB\ndrm-active-system0:\t0\n" \
	"drm-resident-system0:\t80 MiB\ndrm-purgeable-system0:\t1 MiB\n" \
	"drm-total-stolen-system0:\t4 MiB\ndrm-engine-render:\t" render_ns " ns\n" \
	"drm-engine-video:\t0 ns\ndrm-engine-capacity-video:\t2\n"

static void test_process_tree_of_xe(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, xe_card);
	open_card(machine, 100, 7, XE_CLIENT("3", "512", "1000", "100000"));
	open_card(machine, 101, 7, XE_CLIENT("3", "512", "1000", "100000")); /* shared: one */
	open_card(machine, 101, 9, XE_CLIENT("4", "256", "500", "100000"));
	machine_start(machine);
	machine_sample_until(machine, "gpu.process.0.memoryUsedBytes");
	EXPECT({ "gpu.process.0.memoryUsedBytes", 768 * MIB }, { "gpu.process.0.temp", 56 },
	       { "gpu.process.0.enforcedPowerLimitWatts", 150 },
	       { "gpu.process.0.utilization", NAN }); /* no cycles have passed */
}

/* Without memory of its own the host's is counted. */
static void test_process_tree_of_i915(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, i915_integrated);
	open_card(machine, 101, 5, I915_CLIENT("1000"));
	machine_start(machine);
	machine_sample_until(machine, "gpu.process.0.utilization");
	EXPECT({ "gpu.process.0.memoryUsedBytes", 80 * MIB }, { "gpu.process.0.utilization", 0 });
	open_card(machine, 101, 5, I915_CLIENT("999999999999999"));
	machine_sample_until_value(machine, "gpu.process.0.utilization", 100);
}

struct busy_case {
	const char *what;
	struct drm_engine before, now;
	double percent; /* after two seconds */
};

static void test_busy(void **state)
{
	static const struct busy_case cases[] = {
		{ "time", { "render", .busy_ns = 5 }, { "render", .busy_ns = SECOND + 5 }, 50 },
		{ "two engines", { "video" }, { "video", .busy_ns = SECOND, .capacity = 2 }, 25 },
		{ "cycles",
		  { "rcs", .busy_cycles = 100, .passed_cycles = 1000 },
		  { "rcs", .busy_cycles = 400, .passed_cycles = 2000 },
		  30 },
		{ "four engines with cycles",
		  { "ccs", .busy_cycles = 0, .passed_cycles = 1000 },
		  { "ccs", .busy_cycles = 2000, .passed_cycles = 2000, .capacity = 4 },
		  50 },
		{ "more than all",
		  { "rcs", .passed_cycles = 1 },
		  { "rcs", .busy_cycles = 9, .passed_cycles = 2 },
		  100 },
		{ "no cycle passed",
		  { "rcs", .busy_cycles = 1, .passed_cycles = 5 },
		  { "rcs", .busy_cycles = 2, .passed_cycles = 5 },
		  NAN },
		{ "a client ended", { "render", .busy_ns = 9 }, { "render", .busy_ns = 5 }, NAN },
		{ "another engine", { "copy" }, { "render", .busy_ns = 5 }, NAN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct drm_busy busy = { .address = "" };
		struct drm_use use = { .address = "0000:03:00.0",
				       .engine_count = 1,
				       .engines = { cases[i].before } };
		assert_true(isnan(drm_busy_percent(&busy, &use, SECOND)));
		use.engines[0] = cases[i].now;
		double percent = drm_busy_percent(&busy, &use, 3 * SECOND);
		if (!(percent == cases[i].percent || (isnan(percent) && isnan(cases[i].percent))))
			fail_msg("%s: %g %%", cases[i].what, percent);
	}
}

/* ---- which cards ------------------------------------------------------------------------------------ */

static void test_chosen_cards(void **state)
{
	struct machine *machine = *state;
	const int ids[] = { 1 };

	write_files(machine, 0, i915_card);
	write_files(machine, 1, i915_integrated);
	machine->options.gpu_ids = ids;
	machine->options.gpu_id_count = 1;
	machine_start(machine);
	machine_sample_until(machine, "gpu.1.smClock");
	EXPECT({ "gpu.0.smClock", NAN }, { "gpu.1.smClock", 2400 });
}

static void test_sleeping_card(void **state)
{
	static const struct file asleep[] = { { "device/power/runtime_status", "suspended" },
					      { 0 } };
	static const struct file awake[] = { { "device/power/runtime_status", "active" }, { 0 } };
	struct machine *machine = *state;

	write_files(machine, 0, xe_card);
	write_files(machine, 0, asleep);
	write_files(machine, 1, i915_card);
	machine_start(machine);
	machine_sample_until(machine, "gpu.0.powerWatts");
	EXPECT({ "gpu.0.smClock", 2400 }, { "gpu.1.smClock", NAN });
	write_files(machine, 0, awake);
	machine_sample_until(machine, "gpu.1.smClock");
}

static void test_metadata(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, xe_card);
	machine_start(machine);
	char *text = sampler_metadata_json(machine->sampler, PATIENCE_S * 1000);
	assert_non_null(strstr(
		text, "\"gpu\":\"Intel GPU 0x56c0\",\"gpu_count\":1,\"gpu_intel\":["
		      "{\"device\":\"0x56c0\",\"driver\":\"xe\",\"pciAddress\":\"0000:4d:00.0\","
		      "\"memoryTotal\":\"34359738368\"}]"));
	free(text);
}

static void expect_reason(struct machine *machine, const char *reason)
{
	char line[800], expected[400];

	machine_start(machine);
	machine_explain(machine, "gpu_intel", line, sizeof line);
	snprintf(expected, sizeof expected, "gpu_intel: %s", reason);
	if (strncmp(line, expected, strlen(expected)) != 0)
		fail_msg("%s", line);
	sampler_free(machine->sampler);
	machine->sampler = NULL;
}

static void test_explanation(void **state)
{
	static const struct file amd[] = { { "device/vendor", "0x1002" }, { 0 } };
	struct machine *machine = *state;

	expect_reason(machine, "none: no card of vendor 0x8086 in ");
	write_files(machine, 0, i915_card);
	write_files(machine, 1, xe_card);
	expect_reason(machine, "found: 2 in ");
	write_files(machine, 2, amd);
	expect_reason(machine, "none: there are AMD's GPUs");
	fixture_write(&machine->fixture, "proc/driver/nvidia/version", "%s", "");
	expect_reason(machine, "none: NVIDIA's driver is loaded");
	machine->options.flags |= SAMPLER_NO_GPU;
	expect_reason(machine, "none: switched off by --no-gpu");
}

static void test_others_come_later(void **state)
{
	static const struct file amd[] = { { "device/vendor", "0x1002" }, { 0 } };
	struct machine *machine = *state;

	write_files(machine, 0, xe_card);
	machine_start(machine);
	machine_sample_until(machine, "gpu.0.smClock");
	write_files(machine, 1, amd);
	machine_sample_until_gone(machine, "gpu.0.smClock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(test_xe),
		ON_MACHINE(test_i915),
		cmocka_unit_test(test_counters),
		ON_MACHINE(test_process_tree_of_xe),
		ON_MACHINE(test_process_tree_of_i915),
		cmocka_unit_test(test_busy),
		ON_MACHINE(test_chosen_cards),
		ON_MACHINE(test_sleeping_card),
		ON_MACHINE(test_metadata),
		ON_MACHINE(test_explanation),
		ON_MACHINE(test_others_come_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
