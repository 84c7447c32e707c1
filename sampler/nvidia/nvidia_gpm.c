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

static const struct {
	unsigned id;
	enum nvidia_mig_id metric;
} mig_metrics[] = {
	{ 1, NV_MIG_GPU },           { 2, NV_MIG_SM_ACTIVE },    { 3, NV_MIG_SM_OCCUPANCY },
	{ 5, NV_MIG_TENSOR_ACTIVE }, { 10, NV_MIG_DRAM_ACTIVE },
};

#define MIG_METRIC_COUNT (sizeof mig_metrics / sizeof mig_metrics[0])

static bool has_functions(const struct nvml *nvml)
{
	return nvml->gpm_support && nvml->gpm_sample_alloc && nvml->gpm_sample_free &&
	       nvml->gpm_sample_get && nvml->gpm_metrics_get;
}

void nvidia_gpm_release(struct nvidia_gpm *gpm, struct nvidia_context *context)
{
	for (int i = 0; i < 2; i++) {
		if (gpm->samples[i])
			context->nvml.gpm_sample_free(gpm->samples[i]);
	}
	*gpm = (struct nvidia_gpm){ 0 };
}

static int allocate(struct nvidia_gpm *gpm, const struct nvml *nvml)
{
	int result = NVML_OK;

	for (int i = 0; i < 2 && result == NVML_OK; i++) {
		if (!gpm->samples[i])
			result = nvml->gpm_sample_alloc(&gpm->samples[i]);
	}
	gpm->is_allocated = result == NVML_OK;
	return result;
}

static int prepare(struct nvidia_gpm *gpm, nvml_device handle, const struct nvml *nvml)
{
	struct nvml_gpm_support support = { .version = NVML_GPM_VERSION };

	if (!has_functions(nvml))
		return NVML_FUNCTION_NOT_FOUND;
	if (gpm->is_allocated)
		return NVML_OK;
	int result = nvml->gpm_support(handle, &support);
	if (result != NVML_OK)
		return result;
	return support.is_supported ? allocate(gpm, nvml) : NVML_NOT_SUPPORTED;
}

/* Asks for `count` of the context's metrics over the time between the two samples. */
static int compare(const struct nvidia_gpm *gpm, struct nvidia_context *context, size_t count)
{
	context->gpm.version = NVML_GPM_VERSION;
	context->gpm.count = (unsigned)count;
	context->gpm.from = gpm->samples[!gpm->newest];
	context->gpm.to = gpm->samples[gpm->newest];
	return context->nvml.gpm_metrics_get(&context->gpm);
}

/* `result` is that of taking the newest sample. True when there are two to compare. */
static bool take(struct nvidia_gpm *gpm, int result)
{
	bool can_compare = gpm->has_before;

	gpm->has_before = result == NVML_OK;
	return result == NVML_OK && can_compare;
}

static int read_metrics(const struct nvidia_gpm *gpm, struct nvidia_context *context,
			struct nvidia_values *values)
{
	struct nvml_gpm_metric *metrics = context->gpm.metrics;

	for (size_t i = 0; i < GPM_METRIC_COUNT; i++)
		metrics[i] = (struct nvml_gpm_metric){ .id = gpm_metrics[i].id };
	int result = compare(gpm, context, GPM_METRIC_COUNT);
	for (size_t i = 0; result == NVML_OK && i < GPM_METRIC_COUNT; i++) {
		if (metrics[i].result == NVML_OK)
			values->metrics[gpm_metrics[i].metric] = metrics[i].value *
								 gpm_metrics[i].scale;
	}
	return result;
}

int nvidia_gpm_read(struct nvidia_device *device, struct nvidia_context *context,
		    struct nvidia_values *values)
{
	struct nvidia_gpm *gpm = &device->gpm;
	int result = prepare(gpm, device->handle, &context->nvml);

	if (result != NVML_OK)
		return result;
	gpm->newest = !gpm->newest;
	result = context->nvml.gpm_sample_get(device->handle, gpm->samples[gpm->newest]);
	return take(gpm, result) ? read_metrics(gpm, context, values) : result;
}

static void read_mig_metrics(const struct nvidia_gpm *gpm, struct nvidia_context *context,
			     double values[NV_MIG_COUNT])
{
	struct nvml_gpm_metric *metrics = context->gpm.metrics;

	for (size_t i = 0; i < MIG_METRIC_COUNT; i++)
		metrics[i] = (struct nvml_gpm_metric){ .id = mig_metrics[i].id };
	if (compare(gpm, context, MIG_METRIC_COUNT) != NVML_OK)
		return;
	for (size_t i = 0; i < MIG_METRIC_COUNT; i++) {
		if (metrics[i].result == NVML_OK)
			values[mig_metrics[i].metric] = metrics[i].value;
	}
}

void nvidia_gpm_read_mig(struct nvidia_device *device, struct nvidia_mig *mig,
			 struct nvidia_context *context, double values[NV_MIG_COUNT])
{
	struct nvidia_gpm *gpm = &mig->gpm;

	if (!context->nvml.gpm_mig_sample_get ||
	    prepare(gpm, device->handle, &context->nvml) != NVML_OK)
		return;
	gpm->newest = !gpm->newest;
	int result = context->nvml.gpm_mig_sample_get(device->handle, mig->gpu_instance,
						      gpm->samples[gpm->newest]);
	if (take(gpm, result))
		read_mig_metrics(gpm, context, values);
}
