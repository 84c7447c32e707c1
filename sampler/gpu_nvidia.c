/*
 * gpu_nvidia.c - "gpu.{i}.*" and "gpu.process.{i}.*" for NVIDIA's GPUs.
 *
 * The driver's library is loaded only where the driver's device or its entry in /proc exists, and
 * only ever called from the slow thread: loading takes hundreds of milliseconds, and any call can
 * hang when a GPU is ill. The rows' thread takes finished readings and goes on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_memory.h"
#include "info_text.h"
#include "nvidia_device.h"
#include "process_tree.h"
#include "sample_row.h"
#include "settings.h"
#include "slow_task.h"
#include "source.h"

#define METRIC_NAME_MAX 48

/* What the slow thread works on; it outlives the source when a call never returns. */
struct nvidia_work {
	char path[SETTINGS_ROOT_MAX];
	int wanted[SAMPLER_GPUS_MAX];
	size_t wanted_count; /* 0: all */
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

struct gpu_names {
	char metrics[NV_METRIC_COUNT][METRIC_NAME_MAX];
	char process[NV_PROCESS_METRIC_COUNT][METRIC_NAME_MAX];
	char process_used[METRIC_NAME_MAX];
};

struct gpu_nvidia {
	struct slow_task *task;
	struct nvidia_work *work; /* the task's state */
	bool has_late;            /* a reading that came after its row was closed */
	struct nvidia_values late[SAMPLER_GPUS_MAX];
	size_t named_count;
	struct gpu_names names[SAMPLER_GPUS_MAX];
};

static bool is_wanted(const struct nvidia_work *work, unsigned index)
{
	for (size_t i = 0; i < work->wanted_count; i++) {
		if ((unsigned)work->wanted[i] == index)
			return true;
	}
	return work->wanted_count == 0;
}

/* The list is made once; after a restart of the library only the handles are new. */
static void list_devices(struct nvidia_work *work)
{
	for (unsigned i = 0; i < work->installed_count; i++) {
		if (work->device_count == SAMPLER_GPUS_MAX)
			return;
		if (is_wanted(work, i))
			work->devices[work->device_count++].index = i;
	}
}

static bool start_library(struct nvidia_work *work)
{
	struct nvml *nvml = &work->context.nvml;

	if (!work->is_loaded)
		work->is_loaded = nvml_load(nvml, work->path);
	work->is_final = !work->is_loaded;
	if (work->is_final)
		return false;
	if (nvml->init() != NVML_OK) {
		nvidia_backoff_fail(&work->backoff);
		return false;
	}
	if (nvml->device_count(&work->installed_count) != NVML_OK) {
		nvml->shutdown();
		nvidia_backoff_fail(&work->backoff);
		return false;
	}
	if (!nvml->cuda_version || nvml->cuda_version(&work->cuda_version) != NVML_OK)
		work->cuda_version = 0;
	if (work->device_count == 0)
		list_devices(work);
	work->backoff = (struct nvidia_backoff){ 0 };
	return true;
}

static void stop_library(struct nvidia_work *work)
{
	if (!work->is_started)
		return;
	for (size_t i = 0; i < work->device_count; i++) {
		nvidia_device_release(&work->devices[i], &work->context);
		work->devices[i].handle = NULL;
	}
	work->context.nvml.shutdown();
	work->is_started = false;
}

/* One turn of the slow thread. */
static void read_devices(void *state)
{
	struct nvidia_work *work = state;

	work->is_fresh = false;
	if (work->is_final || !nvidia_backoff_is_over(&work->backoff))
		return;
	if (!work->is_started)
		work->is_started = start_library(work);
	if (!work->is_started)
		return;
	work->context.is_uninitialized = false;
	for (size_t i = 0; i < work->device_count; i++)
		nvidia_device_read(&work->devices[i], &work->context, &work->values[i]);
	if (work->context.is_uninitialized)
		stop_library(work);
	work->is_fresh = true;
}

static void free_work(void *state)
{
	stop_library(state);
	free(state);
}

static bool driver_exists(const struct settings *settings)
{
	char path[SETTINGS_ROOT_MAX + 32];

	if (proc_path(path, sizeof path, settings->dev_root, "nvidiactl") &&
	    access(path, F_OK) == 0)
		return true;
	return proc_path(path, sizeof path, settings->proc_root, "driver/nvidia") &&
	       access(path, F_OK) == 0;
}

static struct nvidia_work *work_new(const struct settings *settings)
{
	struct nvidia_work *work = calloc(1, sizeof *work);

	if (!work)
		return NULL;
	memcpy(work->path, settings->nvml_path, sizeof work->path);
	memcpy(work->wanted, settings->gpu_ids, sizeof work->wanted);
	work->wanted_count = settings->gpu_id_count;
	work->context.pids = work->pids;
	return work;
}

static int gpu_open(const struct settings *settings, void **ret_state)
{
	*ret_state = NULL;
	if (settings_has(settings, SAMPLER_NO_GPU) || !driver_exists(settings))
		return 0;
	struct gpu_nvidia *gpu = calloc(1, sizeof *gpu);
	struct nvidia_work *work = work_new(settings);
	if (gpu && work)
		gpu->task = slow_task_new(read_devices, free_work, work);
	if (!gpu || !gpu->task) {
		free(gpu);
		free(work);
		return ENOMEM;
	}
	gpu->work = work;
	slow_task_enter(gpu->task, 0); /* it rests yet */
	slow_task_leave(gpu->task, SLOW_TASK_RUN);
	*ret_state = gpu;
	return 0;
}

static void gpu_end(void *state, uint64_t deadline_ns)
{
	slow_task_end(((struct gpu_nvidia *)state)->task, deadline_ns);
}

static void gpu_close(void *state)
{
	struct gpu_nvidia *gpu = state;

	slow_task_free(gpu->task);
	free(gpu);
}

static void make_names(struct gpu_names *names, unsigned index)
{
	for (int i = 0; i < NV_METRIC_COUNT; i++)
		snprintf(names->metrics[i], METRIC_NAME_MAX, "gpu.%u.%s", index,
			 nvidia_metric_names[i]);
	for (int i = 0; i < NV_PROCESS_METRIC_COUNT; i++)
		snprintf(names->process[i], METRIC_NAME_MAX, "gpu.process.%u.%s", index,
			 nvidia_metric_names[i]);
	snprintf(names->process_used, METRIC_NAME_MAX, "gpu.process.%u.memoryUsedBytes", index);
}

/* The list of devices grows once, when the library has started. */
static void name_devices(struct gpu_nvidia *gpu)
{
	while (gpu->named_count < gpu->work->device_count) {
		make_names(&gpu->names[gpu->named_count],
			   gpu->work->devices[gpu->named_count].index);
		gpu->named_count++;
	}
}

static void give_inputs(struct nvidia_work *work, const struct sample *sample)
{
	const struct process_tree *tree = sample->tree;

	work->context.host_memory_total_bytes = sample->memory->total_bytes;
	work->context.host_memory_used_bytes = host_memory_used_bytes(sample->memory);
	work->context.pid_count = tree->alive ? tree->pid_count : 0;
	memcpy(work->pids, tree->pids, work->context.pid_count * sizeof tree->pids[0]);
}

static void gpu_begin(void *state, const struct sample *sample)
{
	struct gpu_nvidia *gpu = state;
	struct nvidia_work *work = gpu->work;

	if (!slow_task_enter(gpu->task, 0))
		return;
	name_devices(gpu);
	gpu->has_late = work->is_fresh;
	memcpy(gpu->late, work->values, sizeof gpu->late);
	give_inputs(work, sample);
	slow_task_leave(gpu->task, SLOW_TASK_RUN);
}

static void add_values(const struct gpu_nvidia *gpu, const struct nvidia_values *values,
		       struct sampler_row *row)
{
	for (size_t i = 0; i < gpu->named_count; i++) {
		const struct gpu_names *names = &gpu->names[i];
		for (int m = 0; m < NV_METRIC_COUNT; m++)
			sample_row_add(row, names->metrics[m], values[i].metrics[m]);
		if (!values[i].is_used_by_process)
			continue;
		for (int m = 0; m < NV_PROCESS_METRIC_COUNT; m++)
			sample_row_add(row, names->process[m], values[i].metrics[m]);
		sample_row_add(row, names->process_used, values[i].process_used_bytes);
	}
}

static void gpu_sample(void *state, const struct sample *sample)
{
	struct gpu_nvidia *gpu = state;

	if (slow_task_enter(gpu->task, sample->deadline_ns)) {
		name_devices(gpu);
		if (gpu->work->is_fresh)
			add_values(gpu, gpu->work->values, sample->row);
		gpu->work->is_fresh = false;
		slow_task_leave(gpu->task, SLOW_TASK_REST);
	} else if (gpu->has_late) {
		add_values(gpu, gpu->late, sample->row);
	}
	gpu->has_late = false;
}

static const char *architecture_name(unsigned architecture)
{
	static const char *const names[] = {
		[2] = "Kepler", [3] = "Maxwell", [4] = "Pascal", [5] = "Volta",      [6] = "Turing",
		[7] = "Ampere", [8] = "Ada",     [9] = "Hopper", [10] = "Blackwell",
	};

	return architecture < sizeof names / sizeof names[0] ? names[architecture] : NULL;
}

static void describe_device(const struct nvidia_device *device, struct info_text *text)
{
	const char *architecture = architecture_name(device->architecture);

	info_object_begin(text, NULL);
	if (device->name[0])
		info_string(text, "name", device->name);
	if (device->memory_bytes > 0)
		info_bytes(text, "memoryTotal", device->memory_bytes);
	if (device->cores > 0)
		info_number(text, "cudaCores", device->cores);
	if (architecture)
		info_string(text, "architecture", architecture);
	if (device->uuid[0])
		info_string(text, "uuid", device->uuid);
	info_object_end(text);
}

static void describe_devices(const struct nvidia_work *work, struct info_text *text)
{
	char version[32];

	if (work->device_count == 0 || !work->devices[0].is_described)
		return;
	if (work->devices[0].name[0])
		info_string(text, "gpu", work->devices[0].name);
	info_number(text, "gpu_count", work->installed_count);
	info_array_begin(text, "gpu_nvidia");
	for (size_t i = 0; i < work->device_count; i++) {
		if (work->devices[i].is_described)
			describe_device(&work->devices[i], text);
	}
	info_array_end(text);
	if (work->cuda_version <= 0)
		return;
	snprintf(version, sizeof version, "%d.%d", work->cuda_version / 1000,
		 work->cuda_version % 1000 / 10);
	info_string(text, "cudaVersion", version);
}

static void gpu_describe(void *state, struct info_text *text, uint64_t deadline_ns)
{
	struct gpu_nvidia *gpu = state;

	if (!slow_task_enter(gpu->task, deadline_ns))
		return;
	describe_devices(gpu->work, text);
	slow_task_leave(gpu->task, SLOW_TASK_REST);
}

const struct source source_gpu_nvidia = {
	.name = "gpu_nvidia",
	.open = gpu_open,
	.begin = gpu_begin,
	.sample = gpu_sample,
	.describe = gpu_describe,
	.end = gpu_end,
	.close = gpu_close,
};
