/*
 * nvidia_work.h - the slow thread's side of NVIDIA's GPUs: the library started, its GPUs read.
 *
 * The work and gpu_nvidia.c take turns (slow_task.h); it outlives the sampler when a call into the
 * driver never returns.
 */
#ifndef CAIRN_SAMPLER_NVIDIA_WORK_H
#define CAIRN_SAMPLER_NVIDIA_WORK_H

#include "nvidia_choice.h"
#include "nvidia_device.h"
#include "process_tree.h"
#include "settings.h"

struct nvidia_work {
	char path[SETTINGS_ROOT_MAX];
	struct nvidia_choice choice;
	bool is_loaded;
	bool is_started;
	bool is_final;                 /* there is no usable library */
	struct nvidia_backoff backoff; /* of starting the library */
	int cuda_version;
	unsigned installed_count; /* GPUs of the machine, chosen or not */
	size_t device_count;
	struct nvidia_device devices[SAMPLER_GPUS_MAX];
	bool is_fresh; /* the values were not taken yet */
	struct nvidia_values values[SAMPLER_GPUS_MAX];
	pid_t pids[PROCESS_TREE_PIDS_MAX];
	struct nvidia_context context;
};

/* NULL without memory. */
struct nvidia_work *nvidia_work_new(const struct settings *settings);

/* One turn, and the end, both in the slow thread. They take a struct nvidia_work. */
void nvidia_work_run(void *state);
void nvidia_work_free(void *state);

#endif
