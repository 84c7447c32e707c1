/* docs_test.c - docs/metrics.md and the rows name the same metrics, each with unit and source. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fixture.h"

#define NAMES_MAX 200
#define NAME_MAX_BYTES 100
#define PATIENCE_S 120

struct names {
	size_t count;
	char names[NAMES_MAX][NAME_MAX_BYTES];
};

static struct names told, measured;
static struct names section; /* names of the section that is read */

static bool has(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->names[i], name) == 0)
			return true;
	}
	return false;
}

static void add(struct names *names, const char *name)
{
	if (has(names, name))
		return;
	assert_true(names->count < NAMES_MAX);
	snprintf(names->names[names->count++], NAME_MAX_BYTES, "%s", name);
}

/* "| `name`, `name` | unit | what | from |" */
static void read_table_line(char *line)
{
	char *cells[4], *rest = line, *name_rest;

	for (int i = 0; i < 4; i++) {
		strsep(&rest, "|");
		cells[i] = rest;
		assert_non_null(rest);
	}
	strsep(&rest, "|");
	for (int i = 0; i < 4; i++) {
		if (strspn(cells[i], " ") == strlen(cells[i]))
			fail_msg("an empty cell beside %s", cells[0]);
	}
	strtok_r(cells[0], "`", &name_rest);
	for (char *name; (name = strtok_r(NULL, "`", &name_rest)) != NULL;) {
		if (has(&section, name))
			fail_msg("%s is in one section twice", name);
		add(&section, name);
		add(&told, name);
		strtok_r(NULL, "`", &name_rest); /* what is between two names */
	}
}

static void read_docs(void)
{
	FILE *file = fopen(METRICS_MD, "r");
	char line[2000];
	bool is_elsewhere = false;

	assert_non_null(file);
	while (fgets(line, sizeof line, file) && strcmp(line, "## When rows are taken\n") != 0) {
		if (strncmp(line, "## ", 3) == 0) {
			section.count = 0;
			/* test_tpu.py and apple_test.c have those */
			is_elsewhere = strcmp(line, "## Google TPUs\n") == 0 ||
				       strcmp(line, "## Apple GPUs\n") == 0;
		}
		if (strncmp(line, "| `", 3) == 0 && !is_elsewhere)
			read_table_line(line);
	}
	fclose(file);
}

/* "gpu.0.temp" is told of as "gpu.{i}.temp", and so on. */
static void add_measured(const char *name, const char *path)
{
	static const char *const numbered[] = { "gpu.0.", "gpu.process.0.", "cpu.0.",
						"ipu.0.", "trn.0.",         "hpu.0." };
	static const struct {
		const char *part, *general;
	} parts[] = { { ".nvlink.0.", ".nvlink.{link}." }, { ".mig.0.", ".mig.{m}." } };
	const char *end = strrchr(name, '.');
	char general[NAME_MAX_BYTES];

	snprintf(general, sizeof general, "%s", name);
	for (size_t i = 0; i < sizeof numbered / sizeof numbered[0]; i++) {
		size_t length = strlen(numbered[i]);
		if (strncmp(name, numbered[i], length) == 0)
			snprintf(general, sizeof general, "%.*s{i}.%s", (int)length - 2, name,
				 name + length);
	}
	if (strncmp(name, "disk.", 5) == 0 && strncmp(name + 5, path, strlen(path)) == 0)
		snprintf(general, sizeof general, "disk.{path}%s", end);
	else if (strncmp(name, "disk.", 5) == 0 && end > name + 5)
		snprintf(general, sizeof general, "disk.{device}%s", end);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		char *part = strstr(general, parts[i].part), rest[NAME_MAX_BYTES];
		if (!part)
			continue;
		snprintf(rest, sizeof rest, "%s", part + strlen(parts[i].part));
		snprintf(part, sizeof general - (size_t)(part - general), "%s%s", parts[i].general,
			 rest);
	}
	if (strncmp(name, "infiniband.", 11) == 0)
		snprintf(general, sizeof general, "infiniband.{device}.{port}%s", end);
	add(&measured, general);
}

static void write_host(const struct fixture *fixture)
{
	static const char *const files[][2] = {
		{ "proc/100/limits", "Max open files 100 100 files" },
		{ "proc/100/fd/0", "" },
		{ "proc/meminfo",
		  "MemTotal: 9 kB\nMemAvailable: 5 kB\nHugePages_Total: 1\nHugePages_Free: 1\nHugepagesize: 1 kB" },
		{ "proc/100/cgroup", "0::/job" },
		{ "proc/100/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw" },
		{ "sys/fs/cgroup/job/cpu.max", "100000 100000" },
		{ "sys/fs/cgroup/job/cpu.stat", "nr_periods 1\nnr_throttled 0\nthrottled_usec 0" },
		{ "sys/fs/cgroup/job/memory.events", "oom_kill 0" },
		{ "proc/pressure/cpu", "some total=0\nfull total=0" },
		{ "proc/pressure/memory", "some total=0\nfull total=0" },
		{ "proc/pressure/io", "some total=0\nfull total=0" },
		{ "sys/class/hwmon/hwmon0/name", "k10temp" },
		{ "sys/class/hwmon/hwmon0/temp1_input", "1" },
		{ "sys/class/infiniband/a/ports/1/counters/port_rcv_data", "1" },
		{ "sys/class/infiniband/a/ports/1/counters/port_xmit_data", "1" },
		{ "sys/class/infiniband/a/ports/1/counters/port_rcv_errors", "1" },
		{ "sys/class/infiniband/a/ports/1/counters/link_downed", "1" },
		{ "proc/100/mountstats",
		  "device a:/b mounted on /b with fstype nfs\n\tbytes:\t1 2 3 4 5 6 7 8" },
	};

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		fixture_write(fixture, files[i][0], "%s\n", files[i][1]);
}

/* A machine that has everything. */
static void write_machine(const struct fixture *fixture)
{
	struct stat folder;
	char path[400];

	assert_int_equal(stat(fixture->root, &folder), 0);
	fixture_write(fixture, "proc/diskstats",
		      " 8 0 sda 1 0 5 0 1 0 5 0\n%u %u sda1 1 0 5 0 1 0 5 0\n",
		      major(folder.st_dev), minor(folder.st_dev));
	fixture_process(fixture, &(struct fixture_process){ .pid = 100, .threads = 1 });
	write_host(fixture);
	fixture_write(fixture, "dev/nvidiactl", "%s", "");
	fixture_write(
		fixture, "scenario",
		"gpus 1\ngpm 1\ngpm_all 1\ntotal 9\nused 4\nlimit 7\nprocess 0 100 5 11\nlinks 1\nfield.82 1\n"
		"field.38 1\nfield.138 1\nfield.139 1\nmig 1\n0.mig.0 11\n");
	snprintf(path, sizeof path, "%s/scenario", fixture->root);
	setenv("FAKE_NVML_SCENARIO", path, 1);
}

static void measure(void)
{
	static struct sampler_row row;
	struct fixture fixture;
	double start_s = now_s();
	bool is_whole = false;

	fixture_begin(&fixture, "machine");
	write_machine(&fixture);
	struct sampler_options options = fixture_options(&fixture, 100);
	const char *paths[] = { fixture.root };
	options.disk_paths = paths;
	options.disk_path_count = 1;
	options.nvml_path = FAKE_NVML;
	options.flags = SAMPLER_PER_CORE;
	unsigned ticks = 0;
	fixture_write(&fixture, "proc/stat", "cpu0 0 0 0 0 0 0 0 0\n");
	struct sampler *sampler = sampler_new(&options);
	while (!is_whole && now_s() - start_s < PATIENCE_S) {
		fixture_write(&fixture, "proc/stat", "cpu0 %u 0 0 0 0 0 0 0\n", ++ticks);
		sampler_sample(sampler, &row);
		is_whole = row_has(&row, "cpu") && row_has(&row, "pressure.io.full") &&
			   row_has(&row, "infiniband.a.1.recv") &&
			   row_has(&row, "gpu.0.smActive") &&
			   row_has(&row, "gpu.0.nvlink.0.txBytes") &&
			   row_has(&row, "gpu.0.mig.0.gpu");
		for (size_t i = 0; i < row.count; i++)
			add_measured(row.values[i].name, fixture.root);
	}
	assert_true(is_whole);
	sampler_free(sampler);
	fixture_end(&fixture);
}

struct card_file {
	const char *name; /* below the card's device */
	const char *text;
};

/* Takes rows of a machine with one card, which the process uses, until one has the value. */
static void measure_card(const struct card_file *files, const char *fdinfo, const char *last)
{
	static struct sampler_row row;
	struct fixture fixture;
	char path[400];
	double start_s = now_s();

	fixture_begin(&fixture, "machine");
	for (; files->name; files++) {
		snprintf(path, sizeof path, "sys/class/drm/card0/device/%s", files->name);
		fixture_write(&fixture, path, "%s\n", files->text);
	}
	fixture_process(&fixture, &(struct fixture_process){ .pid = 100, .threads = 1 });
	fixture_write(&fixture, "proc/100/fdinfo/7", "%s", fdinfo);
	snprintf(path, sizeof path, "%s/proc/100/fd", fixture.root);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof path, "%s/proc/100/fd/7", fixture.root);
	assert_int_equal(symlink("/dev/dri/renderD128", path), 0);
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	do {
		sampler_sample(sampler, &row);
		for (size_t i = 0; i < row.count; i++)
			add_measured(row.values[i].name, "/");
	} while (!row_has(&row, last) && now_s() - start_s < PATIENCE_S);
	sampler_free(sampler);
	fixture_end(&fixture);
}

/* A machine for each vendor, since all number cards from 0. */
static void measure_cards(void)
{
	static const struct card_file amd[] = {
		{ "vendor", "0x1002" },
		{ "uevent", "PCI_SLOT_NAME=0000:03:00.0" },
		{ "gpu_busy_percent", "1" },
		{ "mem_busy_percent", "1" },
		{ "mem_info_vram_used", "1" },
		{ "mem_info_vram_total", "2" },
		{ "pp_mclk_od", "0" },
		{ "ras/umc_err_count", "ue: 0\nce: 0" },
		{ "hwmon/hwmon1/temp1_label", "edge" },
		{ "hwmon/hwmon1/temp1_input", "1" },
		{ "hwmon/hwmon1/power1_average", "1" },
		{ "hwmon/hwmon1/power1_cap", "1" },
		{ "hwmon/hwmon1/freq1_input", "1" },
		{ "hwmon/hwmon1/freq2_input", "1" },
		{ "hwmon/hwmon1/pwm1", "1" },
		{ "hwmon/hwmon1/pwm1_max", "255" },
		{ 0 },
	};
	static const struct card_file intel[] = {
		{ "vendor", "0x8086" },
		{ "uevent", "PCI_SLOT_NAME=0000:03:00.0" },
		{ "tile0/gt0/gtidle/idle_residency_ms", "1" },
		{ "tile0/gt0/freq0/act_freq", "1" },
		{ "hwmon/hwmon1/name", "xe" },
		{ "hwmon/hwmon1/energy1_input", "1" },
		{ "hwmon/hwmon1/power1_max", "1" },
		{ "hwmon/hwmon1/temp2_label", "pkg" },
		{ "hwmon/hwmon1/temp2_input", "1" },
		{ "hwmon/hwmon1/temp3_label", "vram" },
		{ "hwmon/hwmon1/temp3_input", "1" },
		{ 0 },
	};
#define CLIENT "drm-client-id:\t1\ndrm-pdev:\t0000:03:00.0\n"

	measure_card(amd, CLIENT "drm-memory-vram:\t1 KiB\ndrm-engine-gfx:\t0 ns\n",
		     "gpu.process.0.utilization");
	measure_card(intel, CLIENT "drm-total-vram0:\t1 KiB\ndrm-engine-rcs:\t0 ns\n",
		     "gpu.process.0.utilization");
}

static void write_tool(const struct fixture *fixture, const char *name, const char *output)
{
	char path[400];

	snprintf(path, sizeof path, "bin/%s", name);
	fixture_write(fixture, path, "#!/bin/sh\ncat << 'END'\n%s\nEND\n%s", output,
		      strcmp(name, "neuron-monitor") == 0 ? "sleep 1000\n" : "");
	snprintf(path, sizeof path, "%s/bin/%s", fixture->root, name);
	assert_int_equal(chmod(path, 0755), 0);
}

/* A machine whose accelerators have tools. */
static void measure_tools(void)
{
	static const char ipus[] =
		"-+- Id: [0]\nid: 0\nuser process id: 100\naverage board temp: 1 C\naverage die temp: 1 C\n"
		"clock: 1MHz\nipu power: 1W\ntotal board power: 1 W\nipu utilisation: 1%\n"
		"ipu utilisation (session): 1%";
	static const char neuron[] =
		"{\"neuron_runtime_data\":[{\"pid\":100,\"report\":{\"neuroncore_counters\":{\"neuroncores_in_use\":"
		"{\"0\":{\"neuroncore_utilization\":1}}},\"memory_used\":{\"neuron_runtime_used_bytes\":{\"host\":1,"
		"\"neuron_device\":1,\"usage_breakdown\":{\"host\":{\"application_memory\":1,\"constants\":1,"
		"\"dma_buffers\":1,\"tensors\":1},\"neuroncore_memory_usage\":{\"0\":{\"constants\":1,\"model_code\":1,"
		"\"model_shared_scratchpad\":1,\"runtime_memory\":1,\"tensors\":1}}}}}}}]}";
	static const char gaudi[] = "0, 1 %, 1 MiB, 2 MiB, 1 C, 1 W, 0, 0";
	static struct sampler_row row;
	struct fixture fixture;
	char path[400];
	bool has_ipu = false, has_neuron = false, has_gaudi = false;
	double start_s = now_s();

	fixture_begin(&fixture, "machine");
	fixture_process(&fixture, &(struct fixture_process){ .pid = 100, .threads = 1 });
	fixture_write(&fixture, "dev/neuron0", "%s", "");
	fixture_write(&fixture, "sys/bus/pci/devices/0/vendor", "0x1d95\n");
	fixture_write(&fixture, "sys/bus/pci/devices/1/vendor", "0x1da3\n");
	write_tool(&fixture, "gc-info", ipus);
	write_tool(&fixture, "hl-smi", gaudi);
	write_tool(&fixture, "neuron-monitor", neuron);
	struct sampler_options options = fixture_options(&fixture, 100);
	snprintf(path, sizeof path, "%s/bin", fixture.root);
	options.tool_path = path;
	struct sampler *sampler = sampler_new(&options);
	while (!(has_ipu && has_neuron && has_gaudi) && now_s() - start_s < PATIENCE_S) {
		sampler_sample(sampler, &row);
		for (size_t i = 0; i < row.count; i++)
			add_measured(row.values[i].name, "/");
		has_ipu |= row_has(&row, "ipu.0.clock (MHz)");
		has_neuron |= row_has(&row, "trn.0.neuroncore_utilization");
		has_gaudi |= row_has(&row, "hpu.0.utilization");
	}
	sampler_free(sampler);
	fixture_end(&fixture);
}

static void test_same_names(void **state)
{
	(void)state;
	read_docs();
	measure();
	measure_cards();
	measure_tools();
	for (size_t i = 0; i < measured.count; i++) {
		if (!has(&told, measured.names[i]))
			fail_msg("docs/metrics.md does not tell of %s", measured.names[i]);
	}
	for (size_t i = 0; i < told.count; i++) {
		if (!has(&measured, told.names[i]))
			fail_msg("docs/metrics.md tells of %s, which is not measured",
				 told.names[i]);
	}
	assert_true(told.count > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
