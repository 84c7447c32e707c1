/*
 * nvidia_mig.c - the instances of a GPU that is cut into some (MIG).
 *
 * An instance has memory and an activity of its own; power and temperature are the GPU's. The index is
 * the driver's, as in "0:1" of NVIDIA's container tools. Instances are listed at every reading: they
 * are made and removed while the driver runs, and a handle of before is no longer good.
 */
#include "nvidia_device.h"

#include <math.h>

#include "nvidia_choice.h"

const char *const nvidia_mig_names[NV_MIG_COUNT] = {
	[NV_MIG_GPU] = "gpu",
	[NV_MIG_MEMORY_ALLOCATED] = "memoryAllocated",
	[NV_MIG_MEMORY_ALLOCATED_BYTES] = "memoryAllocatedBytes",
	[NV_MIG_SM_ACTIVE] = "smActive",
	[NV_MIG_SM_OCCUPANCY] = "smOccupancy",
	[NV_MIG_TENSOR_ACTIVE] = "pipeTensorActive",
	[NV_MIG_DRAM_ACTIVE] = "dramActive",
	[NV_MIG_PROCESS_USED_BYTES] = "memoryUsedBytes",
};

static bool has_functions(const struct nvml *nvml)
{
	return nvml->mig_mode && nvml->mig_by_index && nvml->gpu_instance && nvml->compute_instance;
}

static unsigned count_max(const struct nvidia_device *device, const struct nvml *nvml)
{
	unsigned count;

	if (!nvml->mig_count_max || nvml->mig_count_max(device->handle, &count) != NVML_OK ||
	    count > NV_MIGS_MAX)
		return NV_MIGS_MAX;
	return count;
}

static void forget(struct nvidia_mig *mig, struct nvidia_context *context)
{
	nvidia_gpm_release(&mig->gpm, context);
	*mig = (struct nvidia_mig){ 0 };
}

/* Another instance under the same index does not continue what the one before it measured. */
static bool identify(struct nvidia_mig *mig, nvml_device handle, struct nvidia_context *context)
{
	unsigned gpu, compute;

	if (context->nvml.gpu_instance(handle, &gpu) != NVML_OK ||
	    context->nvml.compute_instance(handle, &compute) != NVML_OK)
		return false;
	if (mig->exists && (mig->gpu_instance != gpu || mig->compute_instance != compute))
		forget(mig, context);
	mig->exists = true;
	mig->gpu_instance = gpu;
	mig->compute_instance = compute;
	return true;
}

static bool is_chosen(const struct nvidia_device *device, const struct nvidia_mig *mig,
		      nvml_device handle, const struct nvidia_context *context)
{
	char uuid[96] = "";

	if (!device->is_chosen_by_mig)
		return true;
	if (!context->nvml.device_uuid ||
	    context->nvml.device_uuid(handle, uuid, sizeof uuid) != NVML_OK)
		uuid[0] = '\0';
	uuid[sizeof uuid - 1] = '\0';
	return nvidia_choice_has_mig(context->choice, device, mig, uuid);
}

static void read_memory(nvml_device handle, const struct nvidia_context *context,
			double values[NV_MIG_COUNT])
{
	uint64_t used, total;

	if (nvidia_memory_get(handle, context, &used, &total) != NVML_OK || total == 0)
		return;
	values[NV_MIG_MEMORY_ALLOCATED] = 100.0 * (double)used / (double)total;
	values[NV_MIG_MEMORY_ALLOCATED_BYTES] = (double)used;
}

/* The library's result of the handle. */
static int read_instance(struct nvidia_device *device, unsigned index,
			 struct nvidia_context *context, double values[NV_MIG_COUNT])
{
	struct nvidia_mig *mig = &device->migs[index];
	nvml_device handle;

	int result = context->nvml.mig_by_index(device->handle, index, &handle);
	if (result != NVML_OK || !identify(mig, handle, context)) {
		forget(mig, context);
		return result;
	}
	if (!is_chosen(device, mig, handle, context))
		return result;
	read_memory(handle, context, values);
	nvidia_gpm_read_mig(device, mig, context, values);
	values[NV_MIG_PROCESS_USED_BYTES] = nvidia_process_mig_bytes(context, mig);
	return result;
}

int nvidia_mig_read(struct nvidia_device *device, struct nvidia_context *context,
		    struct nvidia_values *values)
{
	unsigned current, pending;

	if (!has_functions(&context->nvml))
		return NVML_FUNCTION_NOT_FOUND;
	int result = context->nvml.mig_mode(device->handle, &current, &pending);
	if (result != NVML_OK)
		return result;
	unsigned count = current ? count_max(device, &context->nvml) : 0;
	for (unsigned i = 0; i < NV_MIGS_MAX; i++) {
		if (i >= count) {
			forget(&device->migs[i], context);
			continue;
		}
		result = read_instance(device, i, context, values->migs[i]);
		if (result == NVML_GPU_IS_LOST || result == NVML_UNINITIALIZED)
			return result;
	}
	return NVML_OK;
}

void nvidia_mig_release(struct nvidia_device *device, struct nvidia_context *context)
{
	for (unsigned i = 0; i < NV_MIGS_MAX; i++)
		forget(&device->migs[i], context);
}
