/*
 * nvidia_gpm.c - activity of the GPU's units and links, for Hopper and later.
 *
 * The library compares two samples. The one of the previous reading is kept, so nothing has to
 * sleep between two, and the value covers the whole interval. It gives rates of links in MiB/s.
 */
#include "nvidia_device.h"

#include <stddef.h>

#define BYTES_PER_MIB 1048576.0

struct gpm_metric {
	unsigned id; /* NVIDIA's */
	enum nvidia_metric_id metric;
	double scale;
};

static const struct gpm_metric gpm_metrics[] = {
	{ 2, NV_SM_ACTIVE, 1 },
	{ 3, NV_SM_OCCUPANCY, 1 },
	{ 5, NV_TENSOR_ACTIVE, 1 },
	{ 7, NV_TENSOR_HMMA_ACTIVE, 1 },
	{ 10, NV_DRAM_ACTIVE, 1 },
	{ 11, NV_FP64_ACTIVE, 1 },
	{ 12, NV_FP32_ACTIVE, 1 },
	{ 13, NV_FP16_ACTIVE, 1 },
	{ 20, NV_PCIE_TX, BYTES_PER_MIB },
	{ 21, NV_PCIE_RX, BYTES_PER_MIB },
	{ 61, NV_NVLINK_TX, BYTES_PER_MIB },
	{ 60, NV_NVLINK_RX, BYTES_PER_MIB },
};

#define GPM_METRIC_COUNT (sizeof gpm_metrics / sizeof gpm_metrics[0])

static bool has_functions(const struct nvml *nvml)
{
	return nvml->gpm_support && nvml->gpm_sample_alloc && nvml->gpm_sample_free &&
	       nvml->gpm_sample_get && nvml->gpm_metrics_get;
}

void nvidia_gpm_release(struct nvidia_device *device, struct nvidia_context *context)
{
	for (int i = 0; i < 2; i++) {
		if (device->gpm_samples[i])
			context->nvml.gpm_sample_free(device->gpm_samples[i]);
		device->gpm_samples[i] = NULL;
	}
	device->has_gpm = false;
	device->has_gpm_before = false;
}

static int prepare(struct nvidia_device *device, const struct nvml *nvml)
{
	struct nvml_gpm_support support = { .version = NVML_GPM_VERSION };

	if (!has_functions(nvml))
		return NVML_FUNCTION_NOT_FOUND;
	if (device->has_gpm)
		return NVML_OK;
	int result = nvml->gpm_support(device->handle, &support);
	if (result != NVML_OK)
		return result;
	if (!support.is_supported)
		return NVML_NOT_SUPPORTED;
	for (int i = 0; i < 2; i++) {
		if (!device->gpm_samples[i])
			result = nvml->gpm_sample_alloc(&device->gpm_samples[i]);
		if (result != NVML_OK)
			return result;
	}
	device->has_gpm = true;
	return NVML_OK;
}

static void keep_metrics(const struct nvml_gpm_metrics *gpm, struct nvidia_values *values)
{
	for (size_t i = 0; i < GPM_METRIC_COUNT; i++) {
		if (gpm->metrics[i].result == NVML_OK)
			values->metrics[gpm_metrics[i].metric] = gpm->metrics[i].value *
								 gpm_metrics[i].scale;
	}
}

static int compare(struct nvidia_device *device, struct nvidia_context *context,
		   struct nvidia_values *values)
{
	struct nvml_gpm_metrics *gpm = &context->gpm;

	gpm->version = NVML_GPM_VERSION;
	gpm->count = GPM_METRIC_COUNT;
	gpm->from = device->gpm_samples[!device->gpm_newest];
	gpm->to = device->gpm_samples[device->gpm_newest];
	for (size_t i = 0; i < GPM_METRIC_COUNT; i++)
		gpm->metrics[i] = (struct nvml_gpm_metric){ .id = gpm_metrics[i].id };
	int result = context->nvml.gpm_metrics_get(gpm);
	if (result == NVML_OK)
		keep_metrics(gpm, values);
	return result;
}

int nvidia_gpm_read(struct nvidia_device *device, struct nvidia_context *context,
		    struct nvidia_values *values)
{
	int result = prepare(device, &context->nvml);

	if (result != NVML_OK)
		return result;
	device->gpm_newest = !device->gpm_newest;
	result = context->nvml.gpm_sample_get(device->handle,
					      device->gpm_samples[device->gpm_newest]);
	if (result != NVML_OK) {
		device->has_gpm_before = false;
		return result;
	}
	bool can_compare = device->has_gpm_before;
	device->has_gpm_before = true;
	return can_compare ? compare(device, context, values) : NVML_OK;
}
