/*
 * nvidia_device.c - see nvidia_device.h.
 *
 * A reading is one call with one or two values. What the GPU does not offer is not asked again;
 * any other failure leaves the reading out for a while and then tries anew. A GPU that fell off
 * the bus is left alone as a whole, and its handle is fetched again.
 */
#include "nvidia_device.h"

#include <math.h>
#include <string.h>

#define BACKOFF_SHIFT_MAX 6
#define NOT_TRIED (-1) /* beside the library's results */

const char *const nvidia_metric_names[NV_METRIC_COUNT] = {
	[NV_GPU] = "gpu",
	[NV_MEMORY] = "memory",
	[NV_MEMORY_ALLOCATED] = "memoryAllocated",
	[NV_MEMORY_ALLOCATED_BYTES] = "memoryAllocatedBytes",
	[NV_TEMP] = "temp",
	[NV_POWER_WATTS] = "powerWatts",
	[NV_POWER_LIMIT_WATTS] = "enforcedPowerLimitWatts",
	[NV_POWER_PERCENT] = "powerPercent",
	[NV_SM_CLOCK] = "smClock",
	[NV_MEMORY_CLOCK] = "memoryClock",
	[NV_GRAPHICS_CLOCK] = "graphicsClock",
	[NV_CORRECTED_ERRORS] = "correctedMemoryErrors",
	[NV_UNCORRECTED_ERRORS] = "uncorrectedMemoryErrors",
	[NV_UNCORRECTED_ERRORS_ALIAS] = "unCorrectedMemoryErrors",
	[NV_ENCODER] = "encoderUtilization",
	[NV_DECODER] = "decoderUtilization",
	[NV_FAN_SPEED] = "fanSpeed",
	[NV_SM_ACTIVE] = "smActive",
	[NV_SM_OCCUPANCY] = "smOccupancy",
	[NV_TENSOR_ACTIVE] = "pipeTensorActive",
	[NV_TENSOR_HMMA_ACTIVE] = "pipeTensorHmmaActive",
	[NV_DRAM_ACTIVE] = "dramActive",
	[NV_FP64_ACTIVE] = "pipeFp64Active",
	[NV_FP32_ACTIVE] = "pipeFp32Active",
	[NV_FP16_ACTIVE] = "pipeFp16Active",
	[NV_PCIE_TX] = "pcieTxBytes",
	[NV_PCIE_RX] = "pcieRxBytes",
	[NV_NVLINK_TX] = "nvlinkTxBytes",
	[NV_NVLINK_RX] = "nvlinkRxBytes",
	[NV_NVLINK_ERRORS] = "nvlinkErrors",
	[NV_MEMORY_TEMP] = "memoryTemp",
	[NV_ENERGY_TOTAL] = "totalEnergyConsumption",
	[NV_ENERGY] = "energyJoules",
	[NV_PCIE_GENERATION] = "pcieLinkGen",
	[NV_PCIE_WIDTH] = "pcieLinkWidth",
	[NV_PCIE_REPLAYS] = "pcieReplayErrors",
	[NV_THROTTLE] = "throttle.swPowerCap",
	[NV_THROTTLE + 1] = "throttle.hwSlowdown",
	[NV_THROTTLE + 2] = "throttle.syncBoost",
	[NV_THROTTLE + 3] = "throttle.swThermal",
	[NV_THROTTLE + 4] = "throttle.hwThermal",
	[NV_THROTTLE + 5] = "throttle.hwPowerBrake",
};

const char *const nvidia_process_names[NV_PROCESS_COUNT] = {
	[NV_PROCESS_USED_BYTES] = "memoryUsedBytes",
	[NV_PROCESS_UTILIZATION] = "utilization",
	[NV_PROCESS_MEMORY_UTILIZATION] = "memoryUtilization",
};

bool nvidia_backoff_is_over(struct nvidia_backoff *backoff)
{
	if (backoff->wait == 0)
		return true;
	backoff->wait--;
	return false;
}

void nvidia_backoff_fail(struct nvidia_backoff *backoff)
{
	backoff->wait = 1U << backoff->failures;
	if (backoff->failures < BACKOFF_SHIFT_MAX)
		backoff->failures++;
}

static int read_utilization(struct nvidia_device *device, struct nvidia_context *context,
			    struct nvidia_values *values)
{
	struct nvml_utilization utilization;

	if (!context->nvml.utilization)
		return NVML_FUNCTION_NOT_FOUND;
	int result = context->nvml.utilization(device->handle, &utilization);
	if (result != NVML_OK)
		return result;
	values->metrics[NV_GPU] = utilization.gpu;
	values->metrics[NV_MEMORY] = utilization.memory;
	return NVML_OK;
}

static void set_memory(struct nvidia_values *values, uint64_t used, uint64_t total)
{
	values->metrics[NV_MEMORY_ALLOCATED] = 100.0 * (double)used / (double)total;
	values->metrics[NV_MEMORY_ALLOCATED_BYTES] = (double)used;
}

/* Version 2 does not count what the driver keeps for itself as used. */
int nvidia_memory_get(nvml_device handle, const struct nvidia_context *context, uint64_t *ret_used,
		      uint64_t *ret_total)
{
	const struct nvml *nvml = &context->nvml;
	struct nvml_memory_v2 v2 = { .version = NVML_STRUCT_VERSION(struct nvml_memory_v2, 2) };
	struct nvml_memory_v1 v1;
	int result = NVML_FUNCTION_NOT_FOUND;

	if (nvml->memory_v2)
		result = nvml->memory_v2(handle, &v2);
	if (result == NVML_OK) {
		*ret_used = v2.used;
		*ret_total = v2.total;
		return NVML_OK;
	}
	bool is_old = result == NVML_FUNCTION_NOT_FOUND || result == NVML_INVALID_ARGUMENT ||
		      result == NVML_VERSION_MISMATCH;
	if (!is_old || !nvml->memory_v1)
		return result;
	result = nvml->memory_v1(handle, &v1);
	if (result == NVML_OK) {
		*ret_used = v1.used;
		*ret_total = v1.total;
	}
	return result;
}

/* A GPU that has no memory of its own uses the host's. */
static int read_memory(struct nvidia_device *device, struct nvidia_context *context,
		       struct nvidia_values *values)
{
	uint64_t used = 0, total = 0;
	int result = nvidia_memory_get(device->handle, context, &used, &total);

	if (result != NVML_OK && result != NVML_NOT_SUPPORTED)
		return result;
	if (total == 0) {
		used = context->host_memory_used_bytes;
		total = context->host_memory_total_bytes;
	}
	if (total > 0)
		set_memory(values, used, total);
	return NVML_OK;
}

static int read_temperature(struct nvidia_device *device, struct nvidia_context *context,
			    struct nvidia_values *values)
{
	const struct nvml *nvml = &context->nvml;
	struct nvml_temperature t = { .version = NVML_STRUCT_VERSION(struct nvml_temperature, 1),
				      .sensor = NVML_SENSOR_GPU };
	unsigned degrees;

	if (nvml->temperature_v && nvml->temperature_v(device->handle, &t) == NVML_OK) {
		values->metrics[NV_TEMP] = t.temperature;
		return NVML_OK;
	}
	if (!nvml->temperature)
		return NVML_FUNCTION_NOT_FOUND;
	int result = nvml->temperature(device->handle, NVML_SENSOR_GPU, &degrees);
	if (result == NVML_OK)
		values->metrics[NV_TEMP] = degrees;
	return result;
}

static int read_unsigned(nvml_unsigned_function *function, struct nvidia_device *device,
			 double scale, double *ret_value)
{
	unsigned number;

	if (!function)
		return NVML_FUNCTION_NOT_FOUND;
	int result = function(device->handle, &number);
	if (result == NVML_OK)
		*ret_value = number * scale;
	return result;
}

static int read_power(struct nvidia_device *device, struct nvidia_context *context,
		      struct nvidia_values *values)
{
	return read_unsigned(context->nvml.power_usage, device, 1e-3,
			     &values->metrics[NV_POWER_WATTS]);
}

/* Comes after the usage. */
static int read_power_limit(struct nvidia_device *device, struct nvidia_context *context,
			    struct nvidia_values *values)
{
	double *limit = &values->metrics[NV_POWER_LIMIT_WATTS];
	int result = read_unsigned(context->nvml.power_limit, device, 1e-3, limit);

	if (result == NVML_OK && *limit > 0)
		values->metrics[NV_POWER_PERCENT] = 100 * values->metrics[NV_POWER_WATTS] / *limit;
	return result;
}

static int read_clock(struct nvidia_device *device, struct nvidia_context *context, int type,
		      double *ret_mhz)
{
	unsigned mhz;

	if (!context->nvml.clock)
		return NVML_FUNCTION_NOT_FOUND;
	int result = context->nvml.clock(device->handle, type, &mhz);
	if (result == NVML_OK)
		*ret_mhz = mhz;
	return result;
}

static int read_sm_clock(struct nvidia_device *device, struct nvidia_context *context,
			 struct nvidia_values *values)
{
	return read_clock(device, context, NVML_CLOCK_SM, &values->metrics[NV_SM_CLOCK]);
}

static int read_memory_clock(struct nvidia_device *device, struct nvidia_context *context,
			     struct nvidia_values *values)
{
	return read_clock(device, context, NVML_CLOCK_MEMORY, &values->metrics[NV_MEMORY_CLOCK]);
}

static int read_graphics_clock(struct nvidia_device *device, struct nvidia_context *context,
			       struct nvidia_values *values)
{
	return read_clock(device, context, NVML_CLOCK_GRAPHICS,
			  &values->metrics[NV_GRAPHICS_CLOCK]);
}

/* Since the driver was loaded: the count over the GPU's life never clears after a repair. */
static int read_errors(struct nvidia_device *device, struct nvidia_context *context, int type,
		       double *ret_count)
{
	unsigned long long count;

	if (!context->nvml.memory_errors)
		return NVML_FUNCTION_NOT_FOUND;
	int result = context->nvml.memory_errors(device->handle, type, NVML_ECC_VOLATILE,
						 NVML_LOCATION_DEVICE_MEMORY, &count);
	if (result == NVML_OK)
		*ret_count = (double)count;
	return result;
}

static int read_corrected(struct nvidia_device *device, struct nvidia_context *context,
			  struct nvidia_values *values)
{
	return read_errors(device, context, NVML_ERROR_CORRECTED,
			   &values->metrics[NV_CORRECTED_ERRORS]);
}

/* Two spellings of the name are in use. */
static int read_uncorrected(struct nvidia_device *device, struct nvidia_context *context,
			    struct nvidia_values *values)
{
	int result = read_errors(device, context, NVML_ERROR_UNCORRECTED,
				 &values->metrics[NV_UNCORRECTED_ERRORS]);

	values->metrics[NV_UNCORRECTED_ERRORS_ALIAS] = values->metrics[NV_UNCORRECTED_ERRORS];
	return result;
}

static int read_encoder(struct nvidia_device *device, struct nvidia_context *context,
			struct nvidia_values *values)
{
	unsigned percent, period;

	if (!context->nvml.encoder)
		return NVML_FUNCTION_NOT_FOUND;
	int result = context->nvml.encoder(device->handle, &percent, &period);
	if (result == NVML_OK)
		values->metrics[NV_ENCODER] = percent;
	return result;
}

static int read_fan(struct nvidia_device *device, struct nvidia_context *context,
		    struct nvidia_values *values)
{
	unsigned percent;

	if (!context->nvml.fan_speed)
		return NVML_FUNCTION_NOT_FOUND;
	int result = context->nvml.fan_speed(device->handle, 0, &percent);
	if (result == NVML_OK)
		values->metrics[NV_FAN_SPEED] = percent;
	return result;
}

typedef int reading_function(struct nvidia_device *, struct nvidia_context *,
			     struct nvidia_values *);

/* Counted links come before the performance monitor, which replaces them where it has values;
 * instances come after the processes, whose list they use. */
static reading_function *const readings[] = {
	read_utilization,
	read_memory,
	read_temperature,
	read_power,
	read_power_limit,
	read_sm_clock,
	read_memory_clock,
	read_graphics_clock,
	read_corrected,
	read_uncorrected,
	read_encoder,
	nvidia_state_decoder,
	read_fan,
	nvidia_state_energy,
	nvidia_state_throttle,
	nvidia_state_pcie_generation,
	nvidia_state_pcie_width,
	nvidia_state_pcie_replays,
	nvidia_links_read_fields,
	nvidia_links_read_nvlink,
	nvidia_process_read,
	nvidia_process_read_utilization,
	nvidia_gpm_read,
	nvidia_mig_read,
};

_Static_assert(sizeof readings / sizeof readings[0] == NV_READING_COUNT, "one back-off each");

static bool is_lost(int result)
{
	return result == NVML_GPU_IS_LOST || result == NVML_RESET_REQUIRED ||
	       result == NVML_UNINITIALIZED;
}

static int read_one(struct nvidia_device *device, struct nvidia_context *context, int number,
		    struct nvidia_values *values)
{
	struct nvidia_backoff *backoff = &device->readings[number];

	if (device->unsupported & (1U << number) || !nvidia_backoff_is_over(backoff))
		return NOT_TRIED;
	int result = readings[number](device, context, values);
	if (result == NVML_OK)
		*backoff = (struct nvidia_backoff){ 0 };
	else if (nvml_is_final(result))
		device->unsupported |= 1U << number;
	else if (!is_lost(result))
		nvidia_backoff_fail(backoff);
	return result;
}

static void clear(double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		values[i] = NAN;
}

static void clear_values(struct nvidia_values *values)
{
	values->is_used_by_process = false;
	clear(values->metrics, NV_METRIC_COUNT);
	clear(values->process, NV_PROCESS_COUNT);
	for (int i = 0; i < NV_LINKS_MAX; i++)
		clear(values->links[i], NV_LINK_COUNT);
	for (int i = 0; i < NV_MIGS_MAX; i++)
		clear(values->migs[i], NV_MIG_COUNT);
}

/* A GPU that comes back may be in another mode, so that it is asked for everything once more. */
static void lose(struct nvidia_device *device, struct nvidia_context *context, int result)
{
	context->is_uninitialized |= result == NVML_UNINITIALIZED;
	device->handle = NULL;
	device->unsupported = 0;
	device->link_mask = 0;
	device->gpm.has_before = false;
	nvidia_mig_release(device, context);
	nvidia_backoff_fail(&device->backoff);
}

static bool find_handle(struct nvidia_device *device, struct nvidia_context *context)
{
	if (device->handle)
		return true;
	int result = context->nvml.device_by_index(device->index, &device->handle);
	if (result == NVML_OK)
		return true;
	lose(device, context, result);
	return false;
}

/* False when the GPU, or all that could be asked, failed. */
static bool read_all(struct nvidia_device *device, struct nvidia_context *context,
		     struct nvidia_values *values)
{
	int tried = 0, failed = 0;

	for (int i = 0; i < NV_READING_COUNT; i++) {
		int result = read_one(device, context, i, values);
		if (is_lost(result)) {
			lose(device, context, result);
			return false;
		}
		tried += result != NOT_TRIED;
		failed += result != NOT_TRIED && result != NVML_OK && !nvml_is_final(result);
	}
	if (failed == 0 || failed < tried)
		return true;
	lose(device, context, NVML_UNKNOWN); /* as with a handle from before the driver's reset */
	return false;
}

void nvidia_device_read(struct nvidia_device *device, struct nvidia_context *context,
			struct nvidia_values *ret_values)
{
	clear_values(ret_values);
	context->process_count = 0;
	if (!nvidia_backoff_is_over(&device->backoff) || !find_handle(device, context))
		return;
	nvidia_device_describe(device, context);
	if (read_all(device, context, ret_values))
		device->backoff = (struct nvidia_backoff){ 0 };
	else
		clear_values(ret_values); /* half a reading would look like a whole one */
}

static void read_text(nvml_text_function *function, nvml_device handle, char *ret, size_t size)
{
	ret[0] = '\0';
	if (!function || function(handle, ret, (unsigned)size) != NVML_OK)
		ret[0] = '\0';
	ret[size - 1] = '\0';
}

static unsigned read_property(nvml_unsigned_function *function, nvml_device handle)
{
	unsigned number;

	return function && function(handle, &number) == NVML_OK ? number : 0;
}

void nvidia_device_describe(struct nvidia_device *device, struct nvidia_context *context)
{
	const struct nvml *nvml = &context->nvml;
	uint64_t used;

	if (device->is_described || !device->handle)
		return;
	device->is_described = true;
	read_text(nvml->device_name, device->handle, device->name, sizeof device->name);
	read_text(nvml->device_uuid, device->handle, device->uuid, sizeof device->uuid);
	if (nvidia_memory_get(device->handle, context, &used, &device->memory_bytes) != NVML_OK)
		device->memory_bytes = 0;
	device->cores = read_property(nvml->device_cores, device->handle);
	device->architecture = read_property(nvml->device_architecture, device->handle);
}

void nvidia_device_release(struct nvidia_device *device, struct nvidia_context *context)
{
	nvidia_mig_release(device, context);
	nvidia_gpm_release(&device->gpm, context);
}
