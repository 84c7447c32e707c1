/* settings.h - the options of a sampler, checked, completed and copied; they never change. */
#ifndef CAIRN_SAMPLER_SETTINGS_H
#define CAIRN_SAMPLER_SETTINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "device_choice.h"
#include "sampler.h"

#define SETTINGS_DISK_PATH_MAX 400 /* bytes; the path is part of a metric's name */
#define SETTINGS_ROOT_MAX 512
#define SETTINGS_TOOL_PATH_MAX 4096
#define SETTINGS_PORTS_MAX 128
#define SETTINGS_LIST_MAX 4096
#define SETTINGS_GPU_NAMES_MAX DEVICE_GPU_NAMES_MAX
#define SETTINGS_WAIT_MAX_MS 250

struct settings {
	pid_t pid;
	unsigned interval_ms;
	unsigned flags;
	char disk_paths[SAMPLER_DISK_PATHS_MAX][SETTINGS_DISK_PATH_MAX + 1];
	size_t disk_path_count;
	int gpu_ids[SAMPLER_GPUS_MAX];
	size_t gpu_id_count;                    /* 0: all, unless there are names; a GPU -1: none */
	char gpu_names[SETTINGS_GPU_NAMES_MAX]; /* UUIDs, or beginnings, with "," between */
	struct device_choice devices;           /* of the other kinds; GPUs are above, too */
	bool has_cuda_visible;                  /* CUDA_VISIBLE_DEVICES of the program counts */
	bool is_cuda_order_pci;
	char cuda_visible[SETTINGS_GPU_NAMES_MAX];
	char proc_root[SETTINGS_ROOT_MAX];
	char sys_root[SETTINGS_ROOT_MAX];
	char dev_root[SETTINGS_ROOT_MAX];
	char tpu_ports[SETTINGS_PORTS_MAX]; /* "8431,8432" */
	char open_metrics
		[SETTINGS_LIST_MAX]; /* endpoints.h; the next two metrics_filter.h, endpoints.h */
	char open_metrics_filters[SETTINGS_LIST_MAX];
	char open_metrics_headers[SETTINGS_LIST_MAX];
	char ca_file[SETTINGS_ROOT_MAX];   /* "": the system's */
	char nvml_path[SETTINGS_ROOT_MAX]; /* "": the usual names */
	unsigned tool_period_ms;           /* the least time between two runs of a tool */
	bool has_remote_ipus; /* the environment names IPUs that are no devices of this host */
	char tool_path[SETTINGS_TOOL_PATH_MAX]; /* folders with ":" between */
};

/* 0 or EINVAL. NULL options are the defaults. */
int settings_copy(const struct sampler_options *options, struct settings *ret_settings);

/* How long slow sources may hold up a row: half an interval, so that the next one is not late. */
static inline unsigned settings_wait_ms(const struct settings *s)
{
	unsigned half_ms = s->interval_ms / 2;

	return half_ms < SETTINGS_WAIT_MAX_MS ? half_ms : SETTINGS_WAIT_MAX_MS;
}

static inline bool settings_has(const struct settings *s, enum sampler_flag flag)
{
	return s->flags & (unsigned)flag;
}

#endif
