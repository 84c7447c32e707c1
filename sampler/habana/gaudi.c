/*
 * gaudi.c - "hpu.{i}.*" for Habana's Gaudi, by hl-smi. The kernel's files have neither how busy a
 * device is nor how full its memory is.
 */
#include <math.h>
#include <stdlib.h>

#include "device_source.h"
#include "hl_smi.h"
#include "info_text.h"
#include "pci_devices.h"
#include "tool.h"

#define DEVICES_MAX 64
#define OUTPUT_MAX (64 * 1024)
#define TOOL_NAME "hl-smi"
#define TOOL_FOLDER "/usr/bin"
#define TOOL_TIMEOUT_MS 5000

struct gaudis {
	struct settings settings;
	char tool[TOOL_PATH_MAX]; /* "": there is none */
	bool is_old;              /* the tool knows the short query only */
	struct tool_turns turns;
	size_t count;
	struct hl_smi_device devices[DEVICES_MAX];
	char output[OUTPUT_MAX];
};

static const char *const metric_names[HL_SMI_VALUE_COUNT] = {
	[HL_SMI_UTILIZATION] = "utilization",
	[HL_SMI_MEMORY_USED] = "memoryAllocatedBytes",
	[HL_SMI_TEMP] = "temp",
	[HL_SMI_POWER] = "powerWatts",
	[HL_SMI_CORRECTED_ERRORS] = "correctedMemoryErrors",
	[HL_SMI_UNCORRECTED_ERRORS] = "uncorrectedMemoryErrors",
};

static bool gaudi_find(const struct settings *settings, struct source_reason *ret_reason)
{
	if (settings_has(settings, SAMPLER_NO_GPU)) {
		source_reason_set(ret_reason, "switched off by --no-gpu");
		return false;
	}
	if (pci_has_vendor(settings, PCI_VENDOR_HABANA))
		return true;
	source_reason_set(ret_reason, "no device of vendor 0x1da3 in %s/bus/pci/devices",
			  settings->sys_root);
	return false;
}

static void *gaudi_open(const struct settings *settings, struct source_reason *ret_reason)
{
	struct gaudis *gaudis = calloc(1, sizeof *gaudis);

	if (!gaudis)
		return NULL;
	gaudis->settings = *settings;
	ret_reason->is_found = tool_find(settings, TOOL_NAME, TOOL_FOLDER, gaudis->tool);
	if (ret_reason->is_found) {
		source_reason_set(ret_reason, "by %s", gaudis->tool);
	} else {
		gaudis->tool[0] = '\0';
		source_reason_set(ret_reason, "there are devices, but no " TOOL_NAME " in PATH");
	}
	return gaudis;
}

static bool run(struct gaudis *gaudis, const struct device_input *input)
{
	const char *query = gaudis->is_old ? HL_SMI_QUERY_SHORT : HL_SMI_QUERY;
	const char *const arguments[] = { gaudis->tool, "-Q", query, "-f", "csv,noheader", NULL };
	enum tool_result result = tool_run(arguments, TOOL_TIMEOUT_MS, input->stop, gaudis->output,
					   sizeof gaudis->output);

	gaudis->count = 0;
	if (result == TOOL_OK)
		gaudis->count = hl_smi_parse(gaudis->output, gaudis->devices, DEVICES_MAX);
	return result == TOOL_OK || result == TOOL_FAILED;
}

/* A tool that refuses a query is asked the other one, and from then on the one that it answered. */
static void run_either(struct gaudis *gaudis, const struct device_input *input)
{
	if (!run(gaudis, input) || gaudis->count > 0)
		return;
	gaudis->is_old = !gaudis->is_old;
	run(gaudis, input);
}

static void add_device(const struct hl_smi_device *device, struct readings *readings)
{
	const double *v = device->values;

	for (int i = 0; i < HL_SMI_VALUE_COUNT; i++) {
		if (metric_names[i])
			readings_add(readings, v[i], "hpu.%u.%s", device->index, metric_names[i]);
	}
	if (v[HL_SMI_MEMORY_TOTAL] > 0)
		readings_add(readings, 100 * v[HL_SMI_MEMORY_USED] / v[HL_SMI_MEMORY_TOTAL],
			     "hpu.%u.memoryAllocated", device->index);
}

static void gaudi_read(void *devices, const struct device_input *input, struct readings *readings)
{
	struct gaudis *gaudis = devices;

	if (!gaudis->tool[0] || !tool_is_due(&gaudis->turns, input->now_ns))
		return;
	run_either(gaudis, input);
	tool_was_run(&gaudis->turns, &gaudis->settings, input->now_ns, gaudis->count > 0);
	for (size_t i = 0; i < gaudis->count; i++)
		add_device(&gaudis->devices[i], readings);
}

static void gaudi_describe(const void *devices, struct info_text *text)
{
	const struct gaudis *gaudis = devices;

	if (gaudis->count == 0)
		return;
	info_object_begin(text, "hpu");
	info_string(text, "vendor", "Habana");
	info_number(text, "count", gaudis->count);
	if (gaudis->devices[0].values[HL_SMI_MEMORY_TOTAL] > 0)
		info_bytes(text, "memoryTotal",
			   (uint64_t)gaudis->devices[0].values[HL_SMI_MEMORY_TOTAL]);
	info_object_end(text);
}

static const struct device_kind gaudi_kind = {
	.find = gaudi_find,
	.open = gaudi_open,
	.read = gaudi_read,
	.describe = gaudi_describe,
	.close = free,
};

DEVICE_SOURCE(source_gaudi, "gaudi", gaudi_kind);
