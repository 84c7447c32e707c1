/*
 * nvml.h - the part of NVIDIA's management library that is used, declared by ourselves.
 *
 * The library comes with the driver and is loaded when it is there; nothing of it is needed to
 * build. Layouts and numbers are its public binary interface. A function the driver's version
 * lacks is NULL, which means the same as "not supported".
 */
#ifndef CAIRN_SAMPLER_NVML_H
#define CAIRN_SAMPLER_NVML_H

#include <stdbool.h>

typedef struct nvml_device *nvml_device;
typedef struct nvml_gpm_sample *nvml_gpm_sample;

enum nvml_result {
	NVML_OK = 0,
	NVML_UNINITIALIZED = 1,
	NVML_INVALID_ARGUMENT = 2,
	NVML_NOT_SUPPORTED = 3,
	NVML_NO_PERMISSION = 4,
	NVML_NOT_FOUND = 6,
	NVML_INSUFFICIENT_SIZE = 7,
	NVML_TIMEOUT = 10,
	NVML_FUNCTION_NOT_FOUND = 13,
	NVML_GPU_IS_LOST = 15,
	NVML_RESET_REQUIRED = 16,
	NVML_VERSION_MISMATCH = 25,
	NVML_UNKNOWN = 999,
};

enum { NVML_CLOCK_GRAPHICS = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };
enum { NVML_ERROR_CORRECTED = 0, NVML_ERROR_UNCORRECTED = 1 };
enum { NVML_ECC_VOLATILE = 0 }; /* since the driver was loaded */
enum { NVML_LOCATION_DEVICE_MEMORY = 2 };
enum { NVML_SENSOR_GPU = 0 };
#define NVML_VALUE_NOT_AVAILABLE (~0ULL)

/* Why clocks are lower than they could be. */
enum nvml_clock_reason {
	NVML_CLOCK_SW_POWER_CAP = 0x4,
	NVML_CLOCK_HW_SLOWDOWN = 0x8,
	NVML_CLOCK_SYNC_BOOST = 0x10,
	NVML_CLOCK_SW_THERMAL = 0x20,
	NVML_CLOCK_HW_THERMAL = 0x40,
	NVML_CLOCK_HW_POWER_BRAKE = 0x80,
};

/* Numbers of fields for field_values. */
enum nvml_field {
	NVML_FIELD_NVLINK_CRC_FLIT_ERRORS = 38, /* of all links, as the next three */
	NVML_FIELD_NVLINK_CRC_DATA_ERRORS = 45,
	NVML_FIELD_NVLINK_REPLAYS = 52,
	NVML_FIELD_NVLINK_RECOVERIES = 59,
	NVML_FIELD_MEMORY_TEMPERATURE = 82,
	NVML_FIELD_NVLINK_DATA_TX =
		138, /* KiB since the driver was loaded; the scope is the link */
	NVML_FIELD_NVLINK_DATA_RX = 139,
	NVML_FIELD_PCIE_TX = 197, /* bytes */
	NVML_FIELD_PCIE_RX = 198,
};

enum nvml_value_type {
	NVML_DOUBLE = 0,
	NVML_UNSIGNED = 1,
	NVML_UNSIGNED_LONG = 2,
	NVML_UNSIGNED_LONG_LONG = 3,
	NVML_SIGNED_LONG_LONG = 4,
	NVML_SIGNED = 5,
};

/* Versioned structures carry their size and version in the first member. */
#define NVML_STRUCT_VERSION(type, number) ((unsigned)(sizeof(type) | ((number) << 24U)))

struct nvml_utilization {
	unsigned gpu;
	unsigned memory;
};

struct nvml_memory_v1 {
	unsigned long long total, free, used;
};

struct nvml_memory_v2 {
	unsigned version;
	unsigned long long total, reserved, free, used;
};

struct nvml_temperature {
	unsigned version;
	int sensor;
	int temperature;
};

struct nvml_process_v1 {
	unsigned pid;
	unsigned long long used_memory;
};

struct nvml_process {
	unsigned pid;
	unsigned long long used_memory;
	unsigned gpu_instance;
	unsigned compute_instance;
};

/* Utilization of one process between two times at which the driver looked. */
struct nvml_process_utilization {
	unsigned pid;
	unsigned long long time_us;
	unsigned sm, memory, encoder, decoder;
};

struct nvml_field_value {
	unsigned field;
	unsigned scope;
	long long time_us;
	long long latency_us;
	int type; /* enum nvml_value_type */
	int result;
	union {
		double d;
		unsigned u;
		unsigned long ul;
		unsigned long long ull;
		long long sll;
		int i;
	} value;
};

struct nvml_gpm_support {
	unsigned version;
	unsigned is_supported;
};

struct nvml_gpm_metric {
	unsigned id;
	int result;
	double value;
	struct {
		char *short_name, *long_name, *unit;
	} information;
};

/* The number of metrics grew with the library's versions; this has room for all of them. */
#define NVML_GPM_METRICS_MAX 512
#define NVML_GPM_VERSION 1

struct nvml_gpm_metrics {
	unsigned version;
	unsigned count;
	nvml_gpm_sample from;
	nvml_gpm_sample to;
	struct nvml_gpm_metric metrics[NVML_GPM_METRICS_MAX];
};

typedef int nvml_plain_function(void);
typedef int nvml_video_function(nvml_device, unsigned *percent, unsigned *period);
typedef int nvml_long_function(nvml_device, unsigned long long *);
typedef int nvml_unsigned_function(nvml_device, unsigned *);
typedef int nvml_text_function(nvml_device, char *, unsigned);
typedef int nvml_process_function(nvml_device, unsigned *count, struct nvml_process *);
typedef int nvml_process_v1_function(nvml_device, unsigned *count, struct nvml_process_v1 *);

struct nvml {
	nvml_plain_function *init;
	nvml_plain_function *shutdown;
	int (*cuda_version)(int *);
	int (*device_count)(unsigned *);
	int (*device_by_index)(unsigned, nvml_device *);
	nvml_text_function *device_name;
	nvml_text_function *device_uuid;
	nvml_unsigned_function *device_architecture;
	nvml_unsigned_function *device_cores;
	int (*utilization)(nvml_device, struct nvml_utilization *);
	int (*memory_v1)(nvml_device, struct nvml_memory_v1 *);
	int (*memory_v2)(nvml_device, struct nvml_memory_v2 *);
	int (*temperature)(nvml_device, int sensor, unsigned *);
	int (*temperature_v)(nvml_device, struct nvml_temperature *);
	nvml_unsigned_function *power_usage;
	nvml_unsigned_function *power_limit;
	int (*clock)(nvml_device, int type, unsigned *);
	int (*memory_errors)(nvml_device, int type, int counter, int location,
			     unsigned long long *);
	nvml_video_function *encoder;
	nvml_video_function *decoder;
	nvml_long_function *energy;
	nvml_long_function *clock_reasons;
	nvml_unsigned_function *pcie_generation;
	nvml_unsigned_function *pcie_width;
	nvml_unsigned_function *pcie_replays;
	int (*field_values)(nvml_device, int count, struct nvml_field_value *);
	int (*nvlink_state)(nvml_device, unsigned link, unsigned *is_active);
	int (*fan_speed)(nvml_device, unsigned fan, unsigned *percent);
	nvml_process_function *compute_processes;
	nvml_process_function *graphics_processes;
	nvml_process_v1_function *compute_processes_v1;
	nvml_process_v1_function *graphics_processes_v1;
	int (*process_utilization)(nvml_device, struct nvml_process_utilization *, unsigned *count,
				   unsigned long long after_us);
	int (*mig_mode)(nvml_device, unsigned *current, unsigned *pending);
	nvml_unsigned_function *mig_count_max;
	int (*mig_by_index)(nvml_device, unsigned, nvml_device *);
	nvml_unsigned_function *gpu_instance;
	nvml_unsigned_function *compute_instance;
	int (*gpm_support)(nvml_device, struct nvml_gpm_support *);
	int (*gpm_sample_alloc)(nvml_gpm_sample *);
	int (*gpm_sample_free)(nvml_gpm_sample);
	int (*gpm_sample_get)(nvml_device, nvml_gpm_sample);
	int (*gpm_mig_sample_get)(nvml_device, unsigned gpu_instance, nvml_gpm_sample);
	int (*gpm_metrics_get)(struct nvml_gpm_metrics *);
};

/* Loads the library; `path` "" means its usual names. It stays loaded: unloading a driver's
 * library under a call that may still run is not safe. False when it or what is indispensable is
 * missing. */
bool nvml_load(struct nvml *nvml, const char *path);

/* Will this never work, however often it is tried? */
bool nvml_is_final(int result);

#endif
