/* amd_test.c - AMD's GPUs: the kernel's files, what rocm-smi of many releases prints, and tools
 * that misbehave. */
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

#include "drm_clients.h"
#include "machine.h"
#include "monotonic.h"
#include "rocm_smi.h"

#define GIB 1073741824.0

static void write_file(struct machine *machine, int card, const char *file, const char *text)
{
	char path[200];

	snprintf(path, sizeof path, "sys/class/drm/card%d/device/%s", card, file);
	fixture_write(&machine->fixture, path, "%s\n", text);
}

struct file {
	const char *name;
	const char *text;
};

static void write_files(struct machine *machine, int card, const struct file *files)
{
	for (; files->name; files++)
		write_file(machine, card, files->name, files->text);
}

/* An accelerator whose memory has a sensor of its own. */
static const struct file accelerator[] = {
	{ "vendor", "0x1002" },
	{ "gpu_busy_percent", "87" },
	{ "mem_busy_percent", "41" },
	{ "mem_info_vram_total", "68702699520" },
	{ "mem_info_vram_used", "17175674880" },
	{ "mem_info_gtt_total", "137438953472" },
	{ "mem_info_gtt_used", "14680064" },
	{ "pp_mclk_od", "0" },
	{ "product_name", "AMD Instinct MI210" },
	{ "unique_id", "719d230578348e8c" },
	{ "ras/umc_err_count", "ue: 1\nce: 3" },
	{ "hwmon/hwmon4/temp1_label", "edge" },
	{ "hwmon/hwmon4/temp1_input", "45000" },
	{ "hwmon/hwmon4/temp2_label", "junction" },
	{ "hwmon/hwmon4/temp2_input", "52000" },
	{ "hwmon/hwmon4/temp3_label", "mem" },
	{ "hwmon/hwmon4/temp3_input", "60500" },
	{ "hwmon/hwmon4/power1_average", "150000000" },
	{ "hwmon/hwmon4/power1_cap", "300000000" },
	{ "hwmon/hwmon4/freq1_input", "1700000000" },
	{ "hwmon/hwmon4/freq2_input", "1600000000" },
	{ "hwmon/hwmon4/pwm1", "51" },
	{ "hwmon/hwmon4/pwm1_max", "255" },
	{ 0 },
};

/* A processor with a GPU in it: an edge sensor, no limit of power, more of the host's memory
 * than its own. */
static const struct file integrated[] = {
	{ "vendor", "0x1002" },
	{ "gpu_busy_percent", "19" },
	{ "mem_info_vram_total", "536870912" },
	{ "mem_info_vram_used", "268435456" },
	{ "mem_info_gtt_total", "1610612736" },
	{ "mem_info_gtt_used", "268435456" },
	{ "hwmon/hwmon2/temp1_label", "edge" },
	{ "hwmon/hwmon2/temp1_input", "31000" },
	{ "hwmon/hwmon2/power1_input", "7222000" },
	{ 0 },
};

static void set_address(struct machine *machine, int card, const char *address)
{
	char text[100];

	snprintf(text, sizeof text, "DRIVER=amdgpu\nPCI_SLOT_NAME=%s", address);
	write_file(machine, card, "uevent", text);
}

static void test_files_of_the_kernel(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, accelerator);
	set_address(machine, 0, "0000:03:00.0");
	machine_start(machine);
	machine_sample_until(machine, "gpu.0.gpu");
	EXPECT({ "gpu.0.gpu", 87 }, { "gpu.0.memoryReadWriteActivity", 41 },
	       { "gpu.0.memoryAllocated", 25 }, { "gpu.0.memoryAllocatedBytes", 17175674880 },
	       { "gpu.0.memoryOverDrive", 0 }, { "gpu.0.temp", 60.5 }, { "gpu.0.powerWatts", 150 },
	       { "gpu.0.enforcedPowerLimitWatts", 300 }, { "gpu.0.powerPercent", 50 },
	       { "gpu.0.smClock", 1700 }, { "gpu.0.memoryClock", 1600 }, { "gpu.0.fanSpeed", 20 },
	       { "gpu.0.correctedMemoryErrors", 3 }, { "gpu.0.uncorrectedMemoryErrors", 1 },
	       { "gpu.0.unCorrectedMemoryErrors", 1 }, { "gpu.process.0.gpu", NAN });
}

static void test_integrated(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, integrated);
	machine_start(machine);
	machine_sample_until(machine, "gpu.0.gpu");
	EXPECT({ "gpu.0.memoryAllocated", 25 }, { "gpu.0.memoryAllocatedBytes", GIB / 2 },
	       { "gpu.0.temp", 31 }, { "gpu.0.powerWatts", 7.222 }, { "gpu.0.powerPercent", NAN },
	       { "gpu.0.memoryReadWriteActivity", NAN });
}

/* In the order of PCI addresses, each device once; connectors and other vendors' cards are none. */
static void test_cards_are_numbered_by_address(void **state)
{
	struct machine *machine = *state;
	static const struct file other[] = { { "vendor", "0x8086" },
					     { "gpu_busy_percent", "1" },
					     { 0 } };

	write_files(machine, 0, other);
	write_files(machine, 1, accelerator);
	write_files(machine, 2, accelerator);
	write_files(machine, 3, accelerator);
	set_address(machine, 1, "0000:83:00.0");
	set_address(machine, 2, "0000:03:00.0");
	set_address(machine, 3, "0000:03:00.0"); /* a part of the same device */
	write_file(machine, 1, "gpu_busy_percent", "11");
	write_file(machine, 2, "gpu_busy_percent", "22");
	write_file(machine, 3, "gpu_busy_percent", "22");
	fixture_write(&machine->fixture, "sys/class/drm/card1-DP-1/device/vendor", "0x1002\n");
	fixture_write(&machine->fixture, "sys/class/drm/renderD128/device/vendor", "0x1002\n");
	machine_start(machine);
	machine_sample_until(machine, "gpu.1.gpu");
	EXPECT({ "gpu.0.gpu", 22 }, { "gpu.1.gpu", 11 }, { "gpu.2.gpu", NAN });
}

static void test_chosen_cards(void **state)
{
	struct machine *machine = *state;
	static const int ids[] = { 1 };

	write_files(machine, 0, accelerator);
	write_files(machine, 1, integrated);
	set_address(machine, 0, "0000:03:00.0");
	set_address(machine, 1, "0000:63:00.0");
	machine->options.gpu_ids = ids;
	machine->options.gpu_id_count = 1;
	machine_start(machine);
	machine_sample_until(machine, "gpu.1.gpu");
	EXPECT({ "gpu.1.gpu", 19 }, { "gpu.0.gpu", NAN });
}

/* Reading would wake a card that sleeps, and drain a battery. */
static void test_sleeping_card(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, accelerator);
	write_files(machine, 1, accelerator);
	set_address(machine, 0, "0000:03:00.0");
	set_address(machine, 1, "0000:04:00.0");
	write_file(machine, 0, "power/runtime_status", "suspended");
	write_file(machine, 1, "power/runtime_status", "active");
	machine_start(machine);
	machine_sample_until(machine, "gpu.1.gpu");
	EXPECT({ "gpu.0.gpu", NAN }, { "gpu.0.memoryAllocated", NAN });
	write_file(machine, 0, "power/runtime_status", "active");
	machine_sample_until(machine, "gpu.0.gpu");
}

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

#define CLIENT(id, kib, compute_ns) \
	"drm-driver:\tamdgpu\ndrm-client-id:\t" id "\ndrm-pdev:\t0000:03:00.0\npasid:\t32770\n" \
	"drm-memory-vram:\t" kib " KiB\ndrm-memory-gtt:\t2048 KiB\n" \
	"drm-engine-gfx:\t0 ns\ndrm-engine-compute:\t" compute_ns " ns\n"

/* A client that is shared after a fork counts once. */
static void test_process_tree(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, accelerator);
	set_address(machine, 0, "0000:03:00.0");
	open_card(machine, 100, 7, CLIENT("8", "1048576", "1000"));
	open_card(machine, 101, 7, CLIENT("8", "1048576", "1000"));
	open_card(machine, 101, 9, CLIENT("9", "524288", "500"));
	machine_start(machine);
	machine_sample_until(machine, "gpu.process.0.memoryUsedBytes");
	EXPECT({ "gpu.process.0.memoryUsedBytes", 1.5 * GIB }, { "gpu.process.0.gpu", 87 },
	       { "gpu.process.0.powerPercent", 50 });
	assert_false(row_value(&row, "gpu.process.0.utilization") >
		     0); /* nothing to compare with */
	machine_sample_until(machine, "gpu.process.0.utilization");
	EXPECT({ "gpu.process.0.utilization", 0 });
	open_card(machine, 101, 9, CLIENT("9", "524288", "999999999999999"));
	double start_s = now_s();
	do
		machine_sample_until(machine, "gpu.process.0.utilization");
	while (row_value(&row, "gpu.process.0.utilization") < 100 &&
	       now_s() - start_s < PATIENCE_S);
	EXPECT({ "gpu.process.0.utilization", 100 });
}

/* The files of a process that has not run are those of the last search. */
static void test_only_who_ran_is_searched(void **state)
{
	static struct drm_clients clients;
	struct machine *machine = *state;
	const pid_t pids[] = { 100, 101 };
	uint64_t ran_ns[] = { 1, 1 };
	struct device_input input = { .now_ns = 1, .pid_count = 2, .pids = pids, .ran_ns = ran_ns };
	struct settings settings;
	struct drm_use use;

	assert_int_equal(settings_copy(&machine->options, &settings), 0);
	open_card(machine, 100, 7, CLIENT("8", "1048576", "1000"));
	assert_int_equal(drm_clients_read(&clients, &settings, &input, &use, 1), 1);
	open_card(machine, 101, 9, CLIENT("9", "524288", "500"));
	input.now_ns += 30 * NS_PER_S;
	assert_int_equal(drm_clients_read(&clients, &settings, &input, &use, 1), 1);
	assert_true((double)use.memory_bytes == GIB);
	ran_ns[1] = input.now_ns + 1;
	input.now_ns += 30 * NS_PER_S;
	assert_int_equal(drm_clients_read(&clients, &settings, &input, &use, 1), 1);
	assert_true((double)use.memory_bytes == 1.5 * GIB);
}

static void test_metadata(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, accelerator);
	set_address(machine, 0, "0000:03:00.0");
	machine_start(machine);
	char *text = sampler_metadata_json(machine->sampler, PATIENCE_S * 1000);
	assert_non_null(strstr(
		text,
		"\"gpu\":\"AMD Instinct MI210\",\"gpu_count\":1,\"gpu_amd\":[{\"id\":\"card0\""));
	assert_non_null(strstr(text, "\"uniqueId\":\"719d230578348e8c\""));
	assert_non_null(strstr(text, "\"memoryTotal\":\"68702699520\""));
	free(text);
}

/* NVIDIA's driver may be loaded by the program's first call. */
static void test_nvidia_comes_later(void **state)
{
	struct machine *machine = *state;

	write_files(machine, 0, accelerator);
	machine->options.nvml_path = "/nowhere.so";
	machine_start(machine);
	machine_sample_until(machine, "gpu.0.gpu");
	fixture_write(&machine->fixture, "proc/driver/nvidia/version", "%s", "");
	machine_sample_until_gone(machine, "gpu.0.gpu");
}

static void restart(struct machine *machine)
{
	sampler_free(machine->sampler);
	machine_start(machine);
}

static void test_explanation(void **state)
{
	struct machine *machine = *state;
	char line[800], expected[800];

	machine_start(machine);
	machine_explain(machine, "gpu_amd", line, sizeof line);
	snprintf(expected, sizeof expected,
		 "gpu_amd: none: no card of vendor 0x1002 in %s/class/drm, and no %s/kfd",
		 machine->fixture.sys, machine->fixture.dev);
	assert_string_equal(line, expected);
	fixture_write(&machine->fixture, "dev/kfd", "%s", "");
	restart(machine);
	machine_explain(machine, "gpu_amd", line, sizeof line);
	assert_non_null(strstr(line, "there is no rocm-smi"));
	write_files(machine, 0, accelerator);
	restart(machine);
	machine_explain(machine, "gpu_amd", line, sizeof line);
	snprintf(expected, sizeof expected, "gpu_amd: found: 1 in %s/class/drm",
		 machine->fixture.sys);
	assert_string_equal(line, expected);
	fixture_write(&machine->fixture, "dev/nvidiactl", "%s", "");
	restart(machine);
	machine_explain(machine, "gpu_amd", line, sizeof line);
	assert_non_null(strstr(line, "none: NVIDIA's driver is loaded"));
}

static size_t parse_sample(const char *name, struct rocm_smi_card *ret_cards)
{
	static char text[65536];
	char path[400];

	snprintf(path, sizeof path, "%s/rocm_smi/%s.json", FIXTURES, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t length = fread(text, 1, sizeof text, file);
	fclose(file);
	return rocm_smi_parse(text, length, ret_cards, 8);
}

struct sample_values {
	const char *name;
	size_t cards;
	double gpu, activity, allocated, temp, watts, limit, clock; /* of card0; NaN: absent */
};

static void check(const char *name, const char *what, double value, double expected)
{
	if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) < 1e-6))
		fail_msg("%s: %s is %g, not %g", name, what, value, expected);
}

/* Values as they stand in the samples. */
static void test_releases_of_the_tool(void **state)
{
	static const struct sample_values samples[] = {
		{ "rx6700xt_rocm430", 1, 0, 0, 100 * 1622728704.0 / 12868124672, 46, 6, 211, 500 },
		{ "rx6700xt_rocm571", 1, 0, 0, NAN, 46, 6, 211, 500 },
		{ "rx6700xt_rocm602", 1, 0, 0, NAN, 46, NAN, 211, 500 },
		{ "rx6700xt_rocm612", 1, 0, 0, 100 * 1572745216.0 / 12868124672, 46, 6, 211, 0 },
		{ "mi100_rocm571", 6, 0, 0, NAN, 30, 39, 290, 300 },
		{ "mi100_rocm602", 4, 0, 0, NAN, 53, 36, 290, 300 },
		{ "mi210_rocm5", 1, 0, 0, NAN, 46, 41, 300, 800 },
		{ "mi250x2_rocm5", 2, 10, 0, NAN, 43, 89, 560, 800 },
		{ "mi250_rocm6", 1, 0, 0, 0, 53, 91, 560, NAN },
		{ "mi350_rocm7", 1, 98, NAN, 25, 61, 250, NAN, 172 },
		{ "mi50", 1, 0, 0, NAN, 35, 26, 225, 1725 },
		{ "radeon780m_rocm624", 1, 19, NAN, 87, 31, 7.222, NAN, 800 },
		{ "vega10", 1, 0, NAN, NAN, 92, 15, 170, 1269 },
	};
	struct rocm_smi_card cards[8];

	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
		const struct sample_values *s = &samples[i];
		assert_int_equal(parse_sample(s->name, cards), s->cards);
		const double *v = cards[0].reading.values;
		check(s->name, "gpu", v[AMD_GPU], s->gpu);
		check(s->name, "activity", v[AMD_MEMORY_ACTIVITY], s->activity);
		if (!isnan(s->allocated))
			check(s->name, "allocated", v[AMD_MEMORY_ALLOCATED], s->allocated);
		check(s->name, "temp", v[AMD_TEMP], s->temp);
		check(s->name, "watts", v[AMD_POWER_WATTS], s->watts);
		check(s->name, "limit", v[AMD_POWER_LIMIT_WATTS], s->limit);
		check(s->name, "percent", v[AMD_POWER_PERCENT], 100 * s->watts / s->limit);
		check(s->name, "clock", v[AMD_SHADER_CLOCK], s->clock);
	}
}

/* A text that is cut anywhere never crashes and gives only whole cards. */
static void test_output_is_cut(void **state)
{
	static const char whole[] =
		"WARNING: odd\n{\"card0\": {\"GPU use (%)\": \"55\"}, \"card1\": {\"GPU use (%)\": 66}}";
	struct rocm_smi_card cards[8];

	(void)state;
	for (size_t length = 0; length <= sizeof whole - 1; length++) {
		size_t count = rocm_smi_parse(whole, length, cards, 8);
		for (size_t i = 0; i < count; i++)
			assert_true(cards[i].reading.values[AMD_GPU] == (i == 0 ? 55 : 66));
	}
	assert_int_equal(rocm_smi_parse(whole, sizeof whole - 1, cards, 8), 2);
	assert_int_equal(rocm_smi_parse(whole, sizeof whole - 1, cards, 1), 1);
}

static void test_tool_instead_of_files(void **state)
{
	struct machine *machine = *state;
	char script[700], line[400];

	fixture_write(&machine->fixture, "dev/kfd", "%s", "");
	snprintf(script, sizeof script,
		 "[ \"$*\" = '-a --json' ] && cat %s/rocm_smi/mi250x2_rocm5.json", FIXTURES);
	machine_tool(machine, "rocm-smi", script);
	machine_start(machine);
	machine_explain(machine, "gpu_amd", line, sizeof line);
	assert_non_null(strstr(line, "/bin/rocm-smi"));
	machine_sample_until(machine, "gpu.1.gpu");
	EXPECT({ "gpu.0.gpu", 10 }, { "gpu.1.gpu", 20 }, { "gpu.0.temp", 43 },
	       { "gpu.0.powerWatts", 89 }, { "gpu.0.memoryReadWriteActivity", 0 },
	       { "gpu.0.memoryAllocated", NAN });
}

/* While the tool fails or hangs the other values come, and it is asked again. */
static void test_tool_misbehaves(void **state)
{
	static const char *const scripts[] = {
		"exit 1",
		"echo '{\"card0\": {\"GPU use (%)\": \"5'",
		"head -c 2000000 /dev/zero",
		"sleep 1000",
	};
	struct machine *machine = *state;

	fixture_write(&machine->fixture, "dev/kfd", "%s", "");
	for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
		machine_tool(machine, "rocm-smi", scripts[i]);
		machine_start(machine);
		for (int n = 0; n < 3; n++) {
			machine_sample(machine);
			EXPECT({ "gpu.0.gpu", NAN });
			assert_true(row_has(&row, "memory_percent"));
		}
		machine_tool(machine, "rocm-smi", "echo '{\"card0\": {\"GPU use (%)\": \"77\"}}'");
		machine_sample_until(machine, "gpu.0.gpu");
		EXPECT({ "gpu.0.gpu", 77 });
		sampler_free(machine->sampler);
		machine->sampler = NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(test_files_of_the_kernel),
		ON_MACHINE(test_integrated),
		ON_MACHINE(test_cards_are_numbered_by_address),
		ON_MACHINE(test_chosen_cards),
		ON_MACHINE(test_sleeping_card),
		ON_MACHINE(test_process_tree),
		ON_MACHINE(test_only_who_ran_is_searched),
		ON_MACHINE(test_metadata),
		ON_MACHINE(test_nvidia_comes_later),
		ON_MACHINE(test_explanation),
		cmocka_unit_test(test_releases_of_the_tool),
		cmocka_unit_test(test_output_is_cut),
		ON_MACHINE(test_tool_instead_of_files),
		ON_MACHINE(test_tool_misbehaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
