/* accelerator_test.c - Graphcore's IPUs and AWS's Trainium by what their tools print. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipu_device.h"
#include "machine.h"
#include "neuron_report.h"

static char text[131072];

static size_t load(const char *name)
{
	char path[400];

	snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = '\0';
	return length;
}

static double ipu_value(const struct ipu_device *device, const char *name)
{
	for (size_t i = 0; i < device->count; i++) {
		if (strcmp(device->values[i].name, name) == 0)
			return device->values[i].value;
	}
	return NAN;
}

static void test_ipu_text(void **state)
{
	struct ipu_device device;

	(void)state;
	load("ipu/gc-info_C2.txt");
	assert_true(ipu_device_from_text(text, &device));
	assert_int_equal(device.id, 0);
	assert_int_equal(device.user, 38641);
	assert_string_equal(device.board, "C2");
	assert_true(ipu_value(&device, "average board temp (C)") == 36.2);
	assert_true(ipu_value(&device, "clock (MHz)") == 1300);
	assert_true(ipu_value(&device, "ipu utilisation (%)") == 99.96);
	assert_true(ipu_value(&device, "ipu utilisation (session) (%)") == 99.98);
	assert_true(ipu_value(&device, "total board power (W)") == 99.5);
	assert_true(ipu_value(&device, "link speed (GT/s)") == 8);
	assert_true(isnan(ipu_value(&device, "firmware version")));
	assert_true(isnan(ipu_value(&device, "ipu power (W)")));
}

static void test_ipu_text_without_power(void **state)
{
	struct ipu_device device;

	(void)state;
	load("ipu/gc-info_C600.txt");
	assert_true(ipu_device_from_text(text, &device));
	assert_true(isnan(ipu_value(&device, "ipu power (W)"))); /* "N/A" */
	assert_true(ipu_value(&device, "total board power (W)") == 12.6);
	assert_true(ipu_value(&device, "ipu utilisation (%)") == 0);
	assert_false(ipu_device_from_text("", &device));
	assert_false(ipu_device_from_text("clock: 5MHz\nno colon\n: \n", &device));
}

static void test_ipu_json(void **state)
{
	struct ipu_device devices[8];

	(void)state;
	size_t length = load("ipu/getDevices.json");
	assert_int_equal(ipu_devices_from_json(text, length, devices, 8), 3);
	assert_int_equal(devices[0].user, 456);
	assert_int_equal(devices[1].user, 123);
	assert_int_equal(devices[2].user, 0);
	assert_int_equal(devices[1].id, 1);
	assert_true(ipu_value(&devices[1], "average die temp (C)") == 39);
	assert_true(ipu_value(&devices[1], "ipu power (W)") == 120);
	assert_int_equal(ipu_devices_from_json(text, length, devices, 2), 2);
	for (size_t cut = 0; cut < length; cut++)
		assert_true(ipu_devices_from_json(text, cut, devices, 8) <= 3);
	static const char map[] =
		"{\"devices\": {\"0\": {\"id\": 7, \"clock\": \"20MHz\"}, \"1\": {}}}";
	assert_int_equal(ipu_devices_from_json(map, sizeof map - 1, devices, 8), 1);
	assert_int_equal(devices[0].id, 7);
}

#define IPU_VENDOR "sys/bus/pci/devices/0000:1a:00.0/vendor"

static const char ipu_list[] =
	"Graphcore device listing:\n\n-+- Id: [0], target: [PCIe], PCI Domain: [0000:1a:00.0]\n"
	"-+- Id: [12], target: [PCIe], PCI Domain: [0000:1b:00.0]\n"
	"-+- Id: [16], target: [Multi IPU]\n |--- PCIe Id: [0], DNC Id: [0], PCI Domain: [0000:1a:00.0]\n";

static void test_ipu_list(void **state)
{
	unsigned ids[4];

	(void)state;
	assert_int_equal(ipu_ids_from_list(ipu_list, ids, 4), 2);
	assert_int_equal(ids[1], 12);
	assert_int_equal(ipu_ids_from_list("", ids, 4), 0);
	assert_int_equal(ipu_ids_from_list("-+- Id: [x], -+- Id: [", ids, 4), 0);
}

/* A device of another user has no values; attributes that do not change are in the first row. */
static void test_ipu_rows(void **state)
{
	struct machine *machine = *state;
	char line[800];

	fixture_write(&machine->fixture, IPU_VENDOR, "0x1d95\n");
	fixture_write(&machine->fixture, "list", "%s", ipu_list);
	fixture_write(&machine->fixture, "0",
		      "id: 0\nclock: 1300MHz\nlink width: 8\nuser process id: 101\n");
	fixture_write(&machine->fixture, "12", "id: 12\nclock: 1300MHz\nuser process id: 4242\n");
	machine_tool(machine, "gc-info",
		     "cd \"${0%/*}/..\"\ncase \"$*\" in --list-devices) cat list ;; "
		     "\"-d $2 --device-info\") cat $2 ;; *) exit 1 ;; esac");
	machine_start(machine);
	machine_explain(machine, "ipu", line, sizeof line);
	assert_non_null(strstr(line, "found: by "));
	machine_sample_until(machine, "ipu.0.clock (MHz)");
	EXPECT({ "ipu.0.clock (MHz)", 1300 }, { "ipu.0.link width", 8 },
	       { "ipu.12.clock (MHz)", NAN });
	machine_sample_until_gone(machine, "ipu.0.link width");
	machine_sample_until(machine, "ipu.0.clock (MHz)");
	EXPECT({ "ipu.0.link width", NAN });
}

static void test_ipu_inventory(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, IPU_VENDOR, "0x1d95\n");
	machine_tool(
		machine, "gc-inventory",
		"[ \"$*\" = --json ] && echo '[{\"id\": \"3\", \"ipu power\": \"120W\", \"user process id\": \"100\"}]'");
	machine_start(machine);
	machine_sample_until(machine, "ipu.3.ipu power (W)");
	EXPECT({ "ipu.3.ipu power (W)", 120 });
}

static struct readings readings;

static double reading(const char *name)
{
	for (size_t i = 0; i < readings.count; i++) {
		if (strcmp(readings.values[i].name, name) == 0)
			return readings.values[i].value;
	}
	return NAN;
}

static bool read_report(const char *line, size_t length, pid_t pid,
			struct neuron_hardware *hardware)
{
	struct device_input input = { .pid_count = 1, .pids = &pid };

	readings_begin(&readings);
	return neuron_report_read(line, length, &input, &readings, hardware);
}

static int teardown_readings(void **state)
{
	(void)state;
	readings_deinit(&readings);
	memset(&readings, 0, sizeof readings);
	return 0;
}

static void test_neuron_report(void **state)
{
	struct neuron_hardware hardware = { 0 };

	(void)state;
	load("neuron_monitor/trn1.jsonl");
	size_t length = strcspn(text, "\n");
	assert_true(read_report(text, length, 1337, &hardware));
	assert_true(fabs(reading("trn.0.neuroncore_utilization") - 1.3631567613356375) < 1e-15);
	assert_true(reading("trn.1.neuroncore_utilization") == 0);
	assert_true(reading("trn.host_total_memory_usage") == 610705408);
	assert_true(reading("trn.neuron_device_total_memory_usage") == 102298328);
	assert_true(reading("trn.host_memory_usage.application_memory") == 609656832);
	assert_true(reading("trn.host_total_memory_usage.dma_buffers") == 1048576);
	assert_true(reading("trn.0.neuroncore_memory_usage.model_code") == 101125344);
	assert_true(reading("trn.1.neuroncore_memory_usage.tensors") == 0);
	assert_int_equal(hardware.device_count, 1);
	assert_int_equal(hardware.cores_per_device, 2);
	assert_true(read_report(text, length, 4242, &hardware));
	assert_int_equal(readings.count, 0);
}

static void test_neuron_report_trn2(void **state)
{
	struct neuron_hardware hardware = { 0 };

	(void)state;
	size_t length = load("neuron_monitor/trn2.json");
	assert_true(read_report(text, length, 4242, &hardware));
	assert_true(reading("trn.1.neuroncore_utilization") == 42.02);
	assert_string_equal(hardware.device_type, "trainium2");
	assert_int_equal(hardware.device_count, 16);
	length = load("neuron_monitor/idle.json");
	assert_true(read_report(text, length, 4242, &hardware));
	assert_int_equal(readings.count, 0);
}

/* Several runtimes of one tree are added up; the pid may come last. */
static void test_neuron_runtimes(void **state)
{
	static const char line[] =
		"{\"neuron_runtime_data\":[{\"report\":{\"memory_used\":{\"neuron_runtime_used_bytes\":{\"host\":5}}},"
		"\"pid\":7},{\"pid\":7,\"report\":{\"memory_used\":{\"neuron_runtime_used_bytes\":{\"host\":6}}}},"
		"{\"pid\":8,\"report\":{\"memory_used\":{\"neuron_runtime_used_bytes\":{\"host\":900}}}},"
		"{\"pid\":7,\"report\":null},null]}";
	struct neuron_hardware hardware = { 0 };

	(void)state;
	assert_true(read_report(line, sizeof line - 1, 7, &hardware));
	assert_true(reading("trn.host_total_memory_usage") == 11);
	for (size_t cut = 0; cut < sizeof line - 2; cut++) {
		assert_false(read_report(line, cut, 7, &hardware));
		assert_int_equal(readings.count, 0);
	}
}

/* The child is given its configuration, and prints a line in pieces. */
static void test_neuron_child(void **state)
{
	struct machine *machine = *state;
	char script[1200];

	fixture_write(&machine->fixture, "dev/neuron0", "%s", "");
	snprintf(
		script, sizeof script,
		"grep -q memory_used \"$2\" || exit 1\necho 'not JSON'\nprintf '%s'\nsleep 0.2\nprintf '%s\\n'\n"
		"sleep 1000",
		"{\"neuron_runtime_data\":[{\"pid\":101,\"report\":{\"neuroncore_counters\":{\"neuroncores_in_use\":",
		"{\"0\":{\"neuroncore_utilization\":42.5}}}}}]}");
	machine_tool(machine, "neuron-monitor", script);
	machine_start(machine);
	machine_sample_until(machine, "trn.0.neuroncore_utilization");
	EXPECT({ "trn.0.neuroncore_utilization", 42.5 });
}

/* One that ends is started again; a line beyond the limit is left out whole. */
static void test_neuron_child_ends(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, "dev/neuron0", "%s", "");
	machine_tool(machine, "neuron-monitor", "exit 0");
	machine_start(machine);
	machine_sample(machine);
	machine_tool(
		machine, "neuron-monitor",
		"head -c 9000000 /dev/zero | tr '\\0' x; echo; echo '"
		"{\"neuron_runtime_data\":[{\"pid\":101,\"report\":{\"neuroncore_counters\":{\"neuroncores_in_use\":"
		"{\"0\":{\"neuroncore_utilization\":7}}}}}]}'; sleep 1000");
	machine_sample_until(machine, "trn.0.neuroncore_utilization");
	EXPECT({ "trn.0.neuroncore_utilization", 7 });
}

#define CORE(device, core) \
	"sys/devices/virtual/neuron_device/neuron" device "/neuron_core" core \
	"/stats/memory_usage/device_mem/"

/* Without the tool the driver's files are read; cores are counted on through the devices. */
static void test_neuron_files(void **state)
{
	struct machine *machine = *state;
	char line[800];

	fixture_write(&machine->fixture, CORE("0", "0") "tensors/present", "5\n");
	fixture_write(&machine->fixture, CORE("0", "1") "tensors/present", "6\n");
	fixture_write(&machine->fixture, CORE("1", "0") "model_code/present", "7\n");
	machine_start(machine);
	machine_explain(machine, "trainium", line, sizeof line);
	assert_non_null(strstr(line, "no neuron-monitor"));
	machine_sample_until(machine, "trn.2.neuroncore_memory_usage.model_code");
	EXPECT({ "trn.0.neuroncore_memory_usage.tensors", 5 },
	       { "trn.1.neuroncore_memory_usage.tensors", 6 },
	       { "trn.2.neuroncore_memory_usage.model_code", 7 });
}

#define WITH_READINGS(test) cmocka_unit_test_teardown(test, teardown_readings)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipu_text),     cmocka_unit_test(test_ipu_text_without_power),
		cmocka_unit_test(test_ipu_json),     cmocka_unit_test(test_ipu_list),
		ON_MACHINE(test_ipu_rows),           ON_MACHINE(test_ipu_inventory),
		WITH_READINGS(test_neuron_report),   WITH_READINGS(test_neuron_report_trn2),
		WITH_READINGS(test_neuron_runtimes), ON_MACHINE(test_neuron_child),
		ON_MACHINE(test_neuron_child_ends),  ON_MACHINE(test_neuron_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
