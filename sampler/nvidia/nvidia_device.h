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

#include "counter.h"
#include "nvml.h"

struct nvidia_choice;

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
	NV_DECODER,
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
	NV_NVLINK_ERRORS,
	NV_MEMORY_TEMP,
	NV_ENERGY_TOTAL,
	NV_ENERGY,
	NV_PCIE_GENERATION,
	NV_PCIE_WIDTH,
	NV_PCIE_REPLAYS,
	NV_THROTTLE, /* as many as there are reasons */
	NV_THROTTLE_END = NV_THROTTLE + 6,
	NV_METRIC_COUNT = NV_THROTTLE_END
};

/* The first ones are repeated as gpu.process.* when the process tree uses the GPU. */
#define NV_PROCESS_METRIC_COUNT (NV_POWER_PERCENT + 1)

extern const char *const nvidia_metric_names[NV_METRIC_COUNT];

/* Values of the process tree on one GPU that are its own, not the GPU's. */
enum nvidia_process_id {
	NV_PROCESS_USED_BYTES,
	NV_PROCESS_UTILIZATION,
	NV_PROCESS_MEMORY_UTILIZATION,
	NV_PROCESS_COUNT
};

extern const char *const nvidia_process_names[NV_PROCESS_COUNT];

enum nvidia_link_id { NV_LINK_TX, NV_LINK_RX, NV_LINK_COUNT };

#define NV_LINKS_MAX 18

/* Values of an instance of a GPU (MIG). */
enum nvidia_mig_id {
	NV_MIG_GPU,
	NV_MIG_MEMORY_ALLOCATED,
	NV_MIG_MEMORY_ALLOCATED_BYTES,
	NV_MIG_SM_ACTIVE,
	NV_MIG_SM_OCCUPANCY,
	NV_MIG_TENSOR_ACTIVE,
	NV_MIG_DRAM_ACTIVE,
	NV_MIG_PROCESS_USED_BYTES,
	NV_MIG_COUNT
};

extern const char *const nvidia_mig_names[NV_MIG_COUNT];

#define NV_MIGS_MAX 8

/* Absent values are NaN. */
struct nvidia_values {
	double metrics[NV_METRIC_COUNT];
	bool is_used_by_process;
	double process[NV_PROCESS_COUNT];
	double links[NV_LINKS_MAX][NV_LINK_COUNT];
	double migs[NV_MIGS_MAX][NV_MIG_COUNT];
};

/* How many readings to leave out after failures: 1, 2, 4 ... */
struct nvidia_backoff {
	unsigned failures;
	unsigned wait;
};

#define NV_READING_COUNT 24
#define NV_GPUS_ALL_MAX 256 /* of a machine, among which is chosen */

/* Two samples of the performance monitor, of a GPU or of an instance, which are compared. */
struct nvidia_gpm {
	bool is_allocated;
	bool has_before; /* the sample of the last reading is there */
	unsigned newest;
	nvml_gpm_sample samples[2];
};

/* A count of the driver at the last reading. */
struct nvidia_count {
	bool has_before;
	uint64_t before;
	uint64_t time_ns;
};

struct nvidia_mig {
	bool exists;
	unsigned gpu_instance, compute_instance;
	struct nvidia_gpm gpm;
};

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

	struct nvidia_gpm gpm;
	bool has_energy_before;
	struct counter energy; /* mJ */
	struct nvidia_count pcie[NV_LINK_COUNT];
	struct nvidia_count links[NV_LINKS_MAX][NV_LINK_COUNT];
	uint32_t link_mask;       /* 0: to be asked for */
	uint64_t process_time_us; /* of the newest utilization of a process */
	bool is_chosen_by_mig;    /* only for the sake of instances that were chosen */
	struct nvidia_mig migs[NV_MIGS_MAX];
};

/* Everything a reading needs besides the device. */
struct nvidia_context {
	struct nvml nvml;
	uint64_t now_ns; /* monotonic */
	const struct nvidia_choice *choice;
	uint64_t host_memory_total_bytes; /* for GPUs that share the host's memory */
	uint64_t host_memory_used_bytes;
	size_t pid_count; /* of the process tree */
	const pid_t *pids;
	bool is_uninitialized;       /* the library must be started again */
	struct nvml_gpm_metrics gpm; /* room to work in */
	unsigned process_count;      /* of the GPU that is read */
	struct nvml_process processes[1024];
	struct nvml_process_utilization utilizations[1024];
};

bool nvidia_backoff_is_over(struct nvidia_backoff *backoff);
void nvidia_backoff_fail(struct nvidia_backoff *backoff);

void nvidia_device_describe(struct nvidia_device *device, struct nvidia_context *context);
void nvidia_device_read(struct nvidia_device *device, struct nvidia_context *context,
			struct nvidia_values *ret_values);
/* Ends what the device holds in the library. */
void nvidia_device_release(struct nvidia_device *device, struct nvidia_context *context);

/* The memory of a device, or of an instance. */
int nvidia_memory_get(nvml_device handle, const struct nvidia_context *context, uint64_t *ret_used,
		      uint64_t *ret_total);

/* Returns how much a count grew, per second; NaN at first, and when it went back, as after a reset. */
double nvidia_count_rate(struct nvidia_count *count, uint64_t now, uint64_t now_ns);

/* nvidia_gpm.c: activity of the parts of the chip, Hopper and later. */
int nvidia_gpm_read(struct nvidia_device *device, struct nvidia_context *context,
		    struct nvidia_values *values);
/* Reads an instance; its values are those of a whole GPU that an instance has, too. */
void nvidia_gpm_read_mig(struct nvidia_device *device, struct nvidia_mig *mig,
			 struct nvidia_context *context, double values[NV_MIG_COUNT]);
void nvidia_gpm_release(struct nvidia_gpm *gpm, struct nvidia_context *context);

/* nvidia_process.c: whether and how much the process tree uses the GPU. */
int nvidia_process_read(struct nvidia_device *device, struct nvidia_context *context,
			struct nvidia_values *values);
int nvidia_process_read_utilization(struct nvidia_device *device, struct nvidia_context *context,
				    struct nvidia_values *values);
/* Memory of the tree's processes on an instance, by the list of the last nvidia_process_read. NaN
 * without one. */
double nvidia_process_mig_bytes(const struct nvidia_context *context, const struct nvidia_mig *mig);

/* nvidia_state.c: decoder, energy, why clocks are low, the PCIe link. */
int nvidia_state_decoder(struct nvidia_device *device, struct nvidia_context *context,
			 struct nvidia_values *values);
int nvidia_state_energy(struct nvidia_device *device, struct nvidia_context *context,
			struct nvidia_values *values);
int nvidia_state_throttle(struct nvidia_device *device, struct nvidia_context *context,
			  struct nvidia_values *values);
int nvidia_state_pcie_generation(struct nvidia_device *device, struct nvidia_context *context,
				 struct nvidia_values *values);
int nvidia_state_pcie_width(struct nvidia_device *device, struct nvidia_context *context,
			    struct nvidia_values *values);
int nvidia_state_pcie_replays(struct nvidia_device *device, struct nvidia_context *context,
			      struct nvidia_values *values);

/* nvidia_links.c: what the driver counts in fields: traffic of PCIe and NVLink, and more. */
int nvidia_links_read_fields(struct nvidia_device *device, struct nvidia_context *context,
			     struct nvidia_values *values);
int nvidia_links_read_nvlink(struct nvidia_device *device, struct nvidia_context *context,
			     struct nvidia_values *values);

/* nvidia_mig.c: the instances of a GPU that is cut into some. They come and go while the driver runs. */
int nvidia_mig_read(struct nvidia_device *device, struct nvidia_context *context,
		    struct nvidia_values *values);
void nvidia_mig_release(struct nvidia_device *device, struct nvidia_context *context);

#endif
