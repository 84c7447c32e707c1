/* nvml.c - see nvml.h. */
#include "nvml.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct symbol {
	size_t offset;        /* in struct nvml */
	const char *names[2]; /* the newer first, of the same signature */
};

#define SYMBOL(member, ...) \
	{ \
		offsetof(struct nvml, member), \
		{ \
			__VA_ARGS__ \
		} \
	}

static const struct symbol symbols[] = {
	SYMBOL(init, "nvmlInit_v2", "nvmlInit"),
	SYMBOL(shutdown, "nvmlShutdown"),
	SYMBOL(cuda_version, "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"),
	SYMBOL(device_count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"),
	SYMBOL(device_by_index, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"),
	SYMBOL(device_name, "nvmlDeviceGetName"),
	SYMBOL(device_uuid, "nvmlDeviceGetUUID"),
	SYMBOL(device_architecture, "nvmlDeviceGetArchitecture"),
	SYMBOL(device_cores, "nvmlDeviceGetNumGpuCores"),
	SYMBOL(utilization, "nvmlDeviceGetUtilizationRates"),
	SYMBOL(memory_v1, "nvmlDeviceGetMemoryInfo"),
	SYMBOL(memory_v2, "nvmlDeviceGetMemoryInfo_v2"),
	SYMBOL(temperature, "nvmlDeviceGetTemperature"),
	SYMBOL(temperature_v, "nvmlDeviceGetTemperatureV"),
	SYMBOL(power_usage, "nvmlDeviceGetPowerUsage"),
	SYMBOL(power_limit, "nvmlDeviceGetEnforcedPowerLimit"),
	SYMBOL(clock, "nvmlDeviceGetClockInfo"),
	SYMBOL(memory_errors, "nvmlDeviceGetMemoryErrorCounter"),
	SYMBOL(encoder, "nvmlDeviceGetEncoderUtilization"),
	SYMBOL(decoder, "nvmlDeviceGetDecoderUtilization"),
	SYMBOL(energy, "nvmlDeviceGetTotalEnergyConsumption"),
	SYMBOL(clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
	       "nvmlDeviceGetCurrentClocksThrottleReasons"),
	SYMBOL(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration"),
	SYMBOL(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth"),
	SYMBOL(pcie_replays, "nvmlDeviceGetPcieReplayCounter"),
	SYMBOL(field_values, "nvmlDeviceGetFieldValues"),
	SYMBOL(nvlink_state, "nvmlDeviceGetNvLinkState"),
	SYMBOL(fan_speed, "nvmlDeviceGetFanSpeed_v2"),
	SYMBOL(compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3",
	       "nvmlDeviceGetComputeRunningProcesses_v2"),
	SYMBOL(graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses_v3",
	       "nvmlDeviceGetGraphicsRunningProcesses_v2"),
	SYMBOL(compute_processes_v1, "nvmlDeviceGetComputeRunningProcesses"),
	SYMBOL(graphics_processes_v1, "nvmlDeviceGetGraphicsRunningProcesses"),
	SYMBOL(process_utilization, "nvmlDeviceGetProcessUtilization"),
	SYMBOL(mig_mode, "nvmlDeviceGetMigMode"),
	SYMBOL(mig_count_max, "nvmlDeviceGetMaxMigDeviceCount"),
	SYMBOL(mig_by_index, "nvmlDeviceGetMigDeviceHandleByIndex"),
	SYMBOL(gpu_instance, "nvmlDeviceGetGpuInstanceId"),
	SYMBOL(compute_instance, "nvmlDeviceGetComputeInstanceId"),
	SYMBOL(gpm_support, "nvmlGpmQueryDeviceSupport"),
	SYMBOL(gpm_sample_alloc, "nvmlGpmSampleAlloc"),
	SYMBOL(gpm_sample_free, "nvmlGpmSampleFree"),
	SYMBOL(gpm_sample_get, "nvmlGpmSampleGet"),
	SYMBOL(gpm_mig_sample_get, "nvmlGpmMigSampleGet"),
	SYMBOL(gpm_metrics_get, "nvmlGpmMetricsGet"),
};

static void load_symbol(struct nvml *nvml, void *library, const struct symbol *symbol)
{
	for (int i = 0; i < 2 && symbol->names[i]; i++) {
		void *function = dlsym(library, symbol->names[i]);
		if (!function)
			continue;
		memcpy((char *)nvml + symbol->offset, &function, sizeof function);
		return;
	}
}

static void *open_library(const char *path)
{
	if (path[0])
		return dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	return library ? library : dlopen("libnvidia-ml.so", RTLD_NOW | RTLD_LOCAL);
}

bool nvml_load(struct nvml *nvml, const char *path)
{
	void *library = open_library(path);

	memset(nvml, 0, sizeof *nvml);
	if (!library)
		return false;
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
		load_symbol(nvml, library, &symbols[i]);
	return nvml->init && nvml->shutdown && nvml->device_count && nvml->device_by_index;
}

bool nvml_is_final(int result)
{
	return result == NVML_NOT_SUPPORTED || result == NVML_NO_PERMISSION ||
	       result == NVML_FUNCTION_NOT_FOUND;
}
