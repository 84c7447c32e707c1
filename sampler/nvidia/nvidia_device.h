/*
 * nvidia_device.h - one NVIDIA GPU: what it is and the values of one reading.
 *
 * Everything here runs in the slow thread; a driver can take seconds to answer, or forever.
 */
#ifndef CAIRN_SAMPLER_NVIDIA_DEVICE_H
#define CAIRN_SAMPLER_NVIDIA_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nvml.h"

/* The indexes of the values; nvidia_metrics names them in the same order. */
enum nvidia_metric_id {
	NV_GPU,
	NV_MEMORY,
	NV_MEMORY_ALLOCATED,
	NV_MEMORY_ALLOCATED_BYTES,
	NV_TEMP,
	NV_POWER_WATTS,
	NV_POWER_LIMIT_WATTS,
	NV_POWER_PERCENT,
	NV_SM_CLOCK,
	NV_MEMORY_CLOCK,
	NV_GRAPHICS_CLOCK,
	NV_CORRECTED_ERRORS,
	NV_UNCORRECTED_ERRORS,
	NV_UNCORRECTED_ERRORS_ALIAS,
	NV_ENCODER,
	NV_FAN_SPEED,
	NV_SM_ACTIVE,
	NV_SM_OCCUPANCY,
	NV_TENSOR_ACTIVE,
	NV_TENSOR_HMMA_ACTIVE,
	NV_DRAM_ACTIVE,
	NV_FP64_ACTIVE,
	NV_FP32_ACTIVE,
	NV_FP16_ACTIVE,
	NV_PCIE_TX,
	NV_PCIE_RX,
	NV_NVLINK_TX,
	NV_NVLINK_RX,
	NV_METRIC_COUNT
};

/* The first ones are repeated as gpu.process.* when the process tree uses the GPU. */
#define NV_PROCESS_METRIC_COUNT (NV_POWER_PERCENT + 1)

extern const char *const nvidia_metric_names[NV_METRIC_COUNT];

/* Absent values are NaN. */
struct nvidia_values {
	double metrics[NV_METRIC_COUNT];
	double process_used_bytes; /* by the process tree */
	bool is_used_by_process;
};

/* How many readings to leave out after failures: 1, 2, 4 ... */
struct nvidia_backoff {
	unsigned failures;
	unsigned wait;
};

#define NV_READING_COUNT 14

struct nvidia_device {
	unsigned index;                /* NVIDIA's, in PCI order */
	nvml_device handle;            /* NULL: to be had again */
	struct nvidia_backoff backoff; /* of the whole GPU */
	unsigned unsupported;          /* one bit per reading, for good */
	struct nvidia_backoff readings[NV_READING_COUNT];

	bool is_described;
	char name[96];
	char uuid[96];
	uint64_t memory_bytes;
	unsigned cores;
	unsigned architecture;

	bool has_gpm;
	bool has_gpm_before; /* the sample of the last reading is there */
	unsigned gpm_newest;
	nvml_gpm_sample gpm_samples[2];
};

/* Everything a reading needs besides the device. */
struct nvidia_context {
	struct nvml nvml;
	uint64_t host_memory_total_bytes; /* for GPUs that share the host's memory */
	uint64_t host_memory_used_bytes;
	size_t pid_count; /* of the process tree */
	const pid_t *pids;
	bool is_uninitialized;       /* the library must be started again */
	struct nvml_gpm_metrics gpm; /* room to work in */
	struct nvml_process processes[1024];
};

bool nvidia_backoff_is_over(struct nvidia_backoff *backoff);
void nvidia_backoff_fail(struct nvidia_backoff *backoff);

void nvidia_device_describe(struct nvidia_device *device, struct nvidia_context *context);
void nvidia_device_read(struct nvidia_device *device, struct nvidia_context *context,
			struct nvidia_values *ret_values);
/* Ends what the device holds in the library. */
void nvidia_device_release(struct nvidia_device *device, struct nvidia_context *context);

/* nvidia_gpm.c: activity of the parts of the chip, Hopper and later. */
int nvidia_gpm_read(struct nvidia_device *device, struct nvidia_context *context,
		    struct nvidia_values *values);
void nvidia_gpm_release(struct nvidia_device *device, struct nvidia_context *context);

/* nvidia_process.c: whether and how much the process tree uses the GPU. */
int nvidia_process_read(struct nvidia_device *device, struct nvidia_context *context,
			struct nvidia_values *values);

#endif
