/*
 * fuzz_sampler_tools.c - any output of the vendors' tools that the sampler runs: every value is finite, names are bounded, and no more
 * devices come out than there is room for.
 */
#include <math.h>

#include "apple_values.h"
#include "fuzz.h"
#include "hl_smi.h"
#include "ipu_device.h"
#include "neuron_report.h"
#include "readings.h"
#include "rocm_smi.h"

enum { DEVICES_MAX = 4 };

static const char *const seeds[] = {
	"WARNING\n{\"card0\": {\"GPU use (%)\": \"5\", \"Average Graphics Package Power (W)\": \"N/A\", "
	"\"sclk clock speed:\": \"(800Mhz)\", \"Fan Level\": \"42%\"}, \"system\": {\"PID1\": \"a, 0\"}}",
	"[{\"id\": \"0\", \"clock\": \"1300MHz\", \"ipu power\": \"120W\", \"user process id\": \"7\"}]",
	"Device Info:\n  id: 0\n  average board temp: 36.2 C\n  link speed: 8 GT/s\n  ipu power: N/A\n",
	"0, 87 %, 77824 MiB, 98304 MiB, 41 C, 438 W, 3, 0\n1, N/A, 5, 98304, 1e9 C, W\r\n2, 1",
	"{\"temp\": {\"gpu_temp_avg\": 36.9}, \"gpu_usage\": [461, 0.02], \"gpu_power\": 1.7e-2, \"memory\": "
	"{\"ram_total\": 8, \"ram_usage\": 4, \"swap_total\": 0}}",
	"-+- Id: [0], target: [PCIe]\n-+- Id: [16], target: [Multi IPU]\n",
	"{\"neuron_runtime_data\":[{\"pid\":7,\"report\":{\"neuroncore_counters\":{\"neuroncores_in_use\":{\"0\":"
	"{\"neuroncore_utilization\":1.5e-05}}},\"memory_used\":{\"neuron_runtime_used_bytes\":{\"host\":1,"
	"\"usage_breakdown\":{\"host\":{\"tensors\":2},\"neuroncore_memory_usage\":{\"1\":{\"tensors\":3}}}}}}}],"
	"\"neuron_hardware_info\":{\"neuron_device_count\":1}}",
	NULL,
};

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	return fuzz_seed_text(seeds, i, bytes, size);
}

static void try_rocm_smi(const char *text, size_t size)
{
	struct rocm_smi_card cards[DEVICES_MAX];

	FUZZ_CHECK(rocm_smi_parse(text, size, cards, DEVICES_MAX) <= DEVICES_MAX);
}

static void try_ipu(const char *text, size_t size)
{
	struct ipu_device devices[DEVICES_MAX];
	unsigned ids[DEVICES_MAX];

	FUZZ_CHECK(ipu_devices_from_json(text, size, devices, DEVICES_MAX) <= DEVICES_MAX);
	FUZZ_CHECK(ipu_ids_from_list(text, ids, DEVICES_MAX) <= DEVICES_MAX);
	if (ipu_device_from_text(text, devices))
		FUZZ_CHECK(devices[0].count <= IPU_VALUES_MAX);
}

static void try_hl_smi(const char *text)
{
	struct hl_smi_device devices[DEVICES_MAX];
	size_t count = hl_smi_parse(text, devices, DEVICES_MAX);

	FUZZ_CHECK(count <= DEVICES_MAX);
	for (size_t i = 0; i < count; i++) {
		for (int v = 0; v < HL_SMI_VALUE_COUNT; v++)
			FUZZ_CHECK(isnan(devices[i].values[v]) ||
				   (devices[i].values[v] >= 0 && devices[i].values[v] < 1e19));
	}
}

static void try_apple(const char *text, size_t size)
{
	double values[APPLE_METRIC_COUNT];

	apple_values_clear(values);
	if (apple_values_parse(text, size, values))
		return;
	for (int i = 0; i < APPLE_METRIC_COUNT; i++)
		FUZZ_CHECK(isnan(values[i]));
}

static void try_neuron(const char *text, size_t size)
{
	static struct readings readings;
	pid_t pid = 7;
	struct device_input input = { .pid_count = 1, .pids = &pid };
	struct neuron_hardware hardware = { 0 };

	readings_begin(&readings);
	neuron_report_read(text, size, &input, &readings, &hardware);
	for (size_t i = 0; i < readings.count; i++) {
		FUZZ_CHECK(isfinite(readings.values[i].value));
		FUZZ_CHECK(strlen(readings.values[i].name) < READING_NAME_MAX);
	}
	readings_deinit(&readings);
	memset(&readings, 0, sizeof readings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	try_rocm_smi(text, size);
	try_ipu(text, size);
	try_hl_smi(text);
	try_apple(text, size);
	try_neuron(text, size);
	free(text);
	return 0;
}
