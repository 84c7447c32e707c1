/*
 * sampler.h - numbers about the machine and one process tree, for a run's charts.
 *
 * A sampler reads /proc, /sys, file systems, drivers and tools of vendors and makes rows of (name,
 * value). It lives inside somebody else's process, so it keeps these promises:
 *
 * - it never prints, aborts, raises signals, or changes the process's settings; its threads block
 *   all signals. Where a vendor's tool must be run it is a child of the process, which gets a SIGCHLD
 *   when the tool ends;
 * - memory is bounded: well under 1 MiB on an ordinary machine, nothing is allocated per sample;
 * - what may hang (a network file system, a driver, a tool) runs in a thread of its own; while it is
 *   stuck its names are missing from the rows, and nothing else waits for it;
 * - a value that cannot be read is absent; NaN and infinity never occur.
 *
 * Names are the well-known ones without the "system." prefix: "cpu", "proc.memory.rssMB",
 * "disk./.usagePercent", "gpu.0.gpu" ... docs/metrics.md lists them all with units and formulas.
 *
 * After fork() the sampler is the parent's: in the child sampler_stop and sampler_free do nothing,
 * so an exit handler that calls them is harmless, and the others refuse.
 */
#ifndef CAIRN_SAMPLER_H
#define CAIRN_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SAMPLER_INTERVAL_MIN_MS 100
#define SAMPLER_INTERVAL_DEFAULT_MS 15000
#define SAMPLER_ROW_MAX 6144 /* values in a row; what does not fit is counted as dropped */
#define SAMPLER_DISK_PATHS_MAX 16
#define SAMPLER_GPUS_MAX 64
#define SAMPLER_METADATA_MAX 65536 /* bytes of sampler_metadata_json's answer */

enum sampler_flag {
	SAMPLER_NO_PROCESS_TREE = 1 << 0,   /* only the process itself, not its descendants */
	SAMPLER_NO_CGROUP = 1 << 1,         /* ignore limits of control groups */
	SAMPLER_RAW_CGROUP_MEMORY = 1 << 2, /* count page cache that can be dropped as used */
	SAMPLER_PHYSICAL_NETWORK = 1 << 3,  /* skip virtual interfaces, not only the loopback */
	SAMPLER_NO_GPU = 1 << 4,
	SAMPLER_PER_CORE = 1 << 5, /* a value for each CPU of the host, too */
};

/* All zero is the default. Strings and arrays are copied by sampler_new. */
struct sampler_options {
	pid_t pid;                     /* root of the process tree; 0: the calling process */
	unsigned interval_ms;          /* of sampler_start; 0: the default; raised to the least */
	unsigned flags;                /* enum sampler_flag */
	const char *const *disk_paths; /* usage of these file systems; none: "/" */
	size_t disk_path_count;
	const int *gpu_ids; /* indices of GPUs in PCI order; none: all */
	size_t gpu_id_count;
	/* Devices by kind, as "gpu:0,2,tpu:1-3,ipu:none" or "gpu:GPU-8932f937"; a kind that is not
	 * mentioned is measured as a whole, but GPUs as CUDA_VISIBLE_DEVICES of the program says, unless
	 * "gpu:all" is chosen. Together with gpu_ids. */
	const char *devices;
	const char *proc_root; /* NULL: "/proc"; the other roots exist for tests, too */
	const char *sys_root;  /* NULL: "/sys" */
	const char *dev_root;  /* NULL: "/dev" */
	const char *nvml_path; /* NULL: libnvidia-ml.so.1, then libnvidia-ml.so */
	/* Ports of libtpu's metric services, with "," between; NULL: as TPU_RUNTIME_METRICS_PORTS says,
	 * else 8431. */
	const char *tpu_ports;
	unsigned tool_period_ms; /* least time between two runs of a tool; 0: 10 s */
	const char *tool_path;   /* folders of vendors' tools, with ":" between; NULL: PATH */
	/* Endpoints of metrics, as "NAME=URL NAME=URL" or a JSON object {NAME: URL}, which of their series
	 * are wanted, and headers they are sent, as lines "NAME: VALUE" or a JSON object. NULL: as
	 * CAIRN_OPEN_METRICS, CAIRN_OPEN_METRICS_FILTERS and CAIRN_OPEN_METRICS_HEADERS say.
	 * docs/metrics.md has the forms. */
	const char *open_metrics;
	const char *open_metrics_filters;
	const char *open_metrics_headers;
	const char *
		ca_file; /* PEM certificates that endpoints are trusted by; NULL: CAIRN_CA_FILE, else the
				system's */
};

struct sampler_value {
	const char *name; /* lives as long as the sampler */
	double value;     /* finite */
};

struct sampler_row {
	double timestamp_s; /* Unix time at which the row was taken */
	size_t count;
	size_t dropped; /* values for which there was no room */
	struct sampler_value values[SAMPLER_ROW_MAX];
};

struct sampler;

/* Called by the sampler's thread with a row that is valid during the call. It should be quick:
 * sampler_stop waits for it. */
typedef void sampler_callback(void *context, const struct sampler_row *row);

/* Returns NULL, or a constant sentence on what is wrong with the devices, or with what is said of endpoints by the
 * options and the environment; sampler_new refuses them. */
const char *sampler_options_fault(const struct sampler_options *options);

/* Is this a list as `devices` of the options has it? */
bool sampler_is_device_list(const char *list);

/* Counters ("since the start") begin here. NULL and errno: ENOMEM, or EINVAL for options beyond
 * the limits. A machine on which nothing can be read gives empty rows, not an error. */
struct sampler *sampler_new(const struct sampler_options *options);

/* Stops the thread if need be. Accepts NULL. When drivers or file systems are stuck it waits 100 ms
 * for all of them together, and leaves their threads and memory behind until they come free. */
void sampler_free(struct sampler *sampler);

/* Takes one row now; needs no thread. Waits at most 250 ms for slow sources, or half the interval if
 * that is less. 0, or EBUSY while the thread of sampler_start runs and in a forked child. */
int sampler_sample(struct sampler *sampler, struct sampler_row *ret_row);

/* Starts one thread that calls back within a second, then once an interval on the monotonic clock
 * without drift, and once more at sampler_stop. 0 or an errno value. */
int sampler_start(struct sampler *sampler, sampler_callback *callback, void *context);

/* Takes the last row, then ends the thread. A second call does nothing. Must not be called from
 * the callback. Stuck drivers and file systems hold it up by 300 ms at most: 250 of a row that
 * is being taken, 50 of the last one. Where even /proc hangs the thread is left behind after two
 * seconds; it does not call back any more, and the sampler can only be freed. */
void sampler_stop(struct sampler *sampler);

/* Returns facts that do not change during a run as a JSON object: os, host, executable, cpu_count,
 * cpu_count_logical, memory, disk, gpu, gpu_count, gpu_nvidia, cudaVersion, slurm; unknown members
 * are absent. Waits at most `wait_ms` for slow sources. Safe beside the running thread. The text is
 * freed by the caller with free(); NULL without memory and in a forked child. */
char *sampler_metadata_json(struct sampler *sampler, unsigned wait_ms);

/* Returns a line for each source: "NAME: found" or "NAME: none", and why, such as "gpu_amd:
 * none: no card of vendor 0x1002 in /sys/class/drm, and no /dev/kfd". Safe beside the running
 * thread. The text is freed by the caller with free(); NULL without memory and in a forked
 * child. */
char *sampler_explain(struct sampler *sampler);

#ifdef __cplusplus
}
#endif

#endif
