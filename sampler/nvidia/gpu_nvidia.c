/*
 * gpu_nvidia.c - "gpu.{i}.*" and "gpu.process.{i}.*" for NVIDIA's GPUs.
 *
 * The driver's library is loaded only where the driver's device or its entry in /proc exists; that is
 * looked for before each row, since the program's own first call may be what loads the driver. The
 * library is only ever called from the slow thread: loading takes hundreds of milliseconds, and any
 * call can hang when a GPU is ill. The rows' thread takes finished readings and goes on.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_memory.h"
#include "info_text.h"
#include "monotonic.h"
#include "nvidia_driver.h"
#include "nvidia_work.h"
#include "process_tree.h"
#include "sample_row.h"
#include "settings.h"
#include "slow_task.h"
#include "source.h"

#define METRIC_NAME_MAX 48
#define NVML_NAME "libnvidia-ml.so.1"
#define EXPLAIN_WAIT_NS (5 * NS_PER_S)

struct gpu_names {
	char metrics[NV_METRIC_COUNT][METRIC_NAME_MAX];
	char repeated[NV_PROCESS_METRIC_COUNT][METRIC_NAME_MAX];
	char process[NV_PROCESS_COUNT][METRIC_NAME_MAX];
	char links[NV_LINKS_MAX][NV_LINK_COUNT][METRIC_NAME_MAX];
	char migs[NV_MIGS_MAX][NV_MIG_COUNT][METRIC_NAME_MAX];
};

struct gpu_nvidia {
	struct slow_task *task;
	struct nvidia_work *work; /* the task's state */
	bool has_late;            /* a reading that came after its row was closed */
	struct nvidia_values late[SAMPLER_GPUS_MAX];
	size_t named_count;
	struct gpu_names names[SAMPLER_GPUS_MAX];
};

/* The state of the source; also while there is no driver. */
struct gpu_source {
	const struct settings *settings;
	_Atomic(struct gpu_nvidia *) gpu; /* NULL: no driver yet */
};

static struct gpu_nvidia *gpu_new(const struct settings *settings)
{
	struct gpu_nvidia *gpu = calloc(1, sizeof *gpu);
	struct nvidia_work *work = nvidia_work_new(settings);

	if (gpu && work)
		gpu->task = slow_task_new(nvidia_work_run, nvidia_work_free, work);
	if (!gpu || !gpu->task) {
		free(gpu);
		free(work);
		return NULL;
	}
	gpu->work = work;
	slow_task_enter(gpu->task, 0); /* it rests yet */
	slow_task_leave(gpu->task, SLOW_TASK_RUN);
	return gpu;
}

/* NULL without a driver, and without memory, which may be there at the next row. */
static struct gpu_nvidia *find_gpu(struct gpu_source *source)
{
	struct gpu_nvidia *gpu = atomic_load(&source->gpu);

	if (gpu || !nvidia_driver_exists(source->settings))
		return gpu;
	gpu = gpu_new(source->settings);
	atomic_store(&source->gpu, gpu);
	return gpu;
}

static int gpu_open(const struct settings *settings, void **ret_state)
{
	*ret_state = NULL;
	if (settings_has(settings, SAMPLER_NO_GPU))
		return 0;
	struct gpu_source *source = calloc(1, sizeof *source);
	if (!source)
		return ENOMEM;
	source->settings = settings;
	find_gpu(source);
	*ret_state = source;
	return 0;
}

static void gpu_end(void *state, uint64_t deadline_ns)
{
	struct gpu_nvidia *gpu = atomic_load(&((struct gpu_source *)state)->gpu);

	if (gpu)
		slow_task_end(gpu->task, deadline_ns);
}

static void gpu_close(void *state)
{
	struct gpu_source *source = state;
	struct gpu_nvidia *gpu = atomic_load(&source->gpu);

	if (gpu)
		slow_task_free(gpu->task);
	free(gpu);
	free(source);
}

static void make_link_names(struct gpu_names *names, unsigned index)
{
	for (int i = 0; i < NV_LINKS_MAX; i++) {
		snprintf(names->links[i][NV_LINK_TX], METRIC_NAME_MAX, "gpu.%u.nvlink.%d.txBytes",
			 index, i);
		snprintf(names->links[i][NV_LINK_RX], METRIC_NAME_MAX, "gpu.%u.nvlink.%d.rxBytes",
			 index, i);
	}
}

static void make_mig_names(struct gpu_names *names, unsigned index)
{
	for (int i = 0; i < NV_MIGS_MAX; i++) {
		for (int m = 0; m < NV_MIG_COUNT; m++)
			snprintf(names->migs[i][m], METRIC_NAME_MAX, "gpu.%s%u.mig.%d.%s",
				 m == NV_MIG_PROCESS_USED_BYTES ? "process." : "", index, i,
				 nvidia_mig_names[m]);
	}
}

static void make_names(struct gpu_names *names, unsigned index)
{
	for (int i = 0; i < NV_METRIC_COUNT; i++)
		snprintf(names->metrics[i], METRIC_NAME_MAX, "gpu.%u.%s", index,
			 nvidia_metric_names[i]);
	for (int i = 0; i < NV_PROCESS_METRIC_COUNT; i++)
		snprintf(names->repeated[i], METRIC_NAME_MAX, "gpu.process.%u.%s", index,
			 nvidia_metric_names[i]);
	for (int i = 0; i < NV_PROCESS_COUNT; i++)
		snprintf(names->process[i], METRIC_NAME_MAX, "gpu.process.%u.%s", index,
			 nvidia_process_names[i]);
	make_link_names(names, index);
	make_mig_names(names, index);
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
	struct gpu_nvidia *gpu = find_gpu(state);

	if (!gpu || !slow_task_enter(gpu->task, 0))
		return;
	struct nvidia_work *work = gpu->work;
	name_devices(gpu);
	gpu->has_late = work->is_fresh;
	memcpy(gpu->late, work->values, sizeof gpu->late);
	give_inputs(work, sample);
	slow_task_leave(gpu->task, SLOW_TASK_RUN);
}

static void add_parts(const struct gpu_names *names, const struct nvidia_values *values,
		      struct sampler_row *row)
{
	for (int i = 0; i < NV_LINKS_MAX; i++) {
		for (int m = 0; m < NV_LINK_COUNT; m++)
			sample_row_add(row, names->links[i][m], values->links[i][m]);
	}
	for (int i = 0; i < NV_MIGS_MAX; i++) {
		for (int m = 0; m < NV_MIG_COUNT; m++)
			sample_row_add(row, names->migs[i][m], values->migs[i][m]);
	}
}

static void add_device(const struct gpu_names *names, const struct nvidia_values *values,
		       struct sampler_row *row)
{
	for (int m = 0; m < NV_METRIC_COUNT; m++)
		sample_row_add(row, names->metrics[m], values->metrics[m]);
	add_parts(names, values, row);
	if (!values->is_used_by_process)
		return;
	for (int m = 0; m < NV_PROCESS_METRIC_COUNT; m++)
		sample_row_add(row, names->repeated[m], values->metrics[m]);
	for (int m = 0; m < NV_PROCESS_COUNT; m++)
		sample_row_add(row, names->process[m], values->process[m]);
}

static void add_values(const struct gpu_nvidia *gpu, const struct nvidia_values *values,
		       struct sampler_row *row)
{
	for (size_t i = 0; i < gpu->named_count; i++)
		add_device(&gpu->names[i], &values[i], row);
}

static void gpu_sample(void *state, const struct sample *sample)
{
	struct gpu_nvidia *gpu = atomic_load(&((struct gpu_source *)state)->gpu);

	if (!gpu)
		return;
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
	struct gpu_nvidia *gpu = atomic_load(&((struct gpu_source *)state)->gpu);

	if (!gpu || !slow_task_enter(gpu->task, deadline_ns))
		return;
	describe_devices(gpu->work, text);
	slow_task_leave(gpu->task, SLOW_TASK_REST);
}

static void explain_work(const struct nvidia_work *work, struct source_reason *ret_reason)
{
	ret_reason->is_found = work->device_count > 0;
	if (work->device_count > 0)
		source_reason_set(ret_reason, "%zu of %u, by %s", work->device_count,
				  work->installed_count, work->path[0] ? work->path : NVML_NAME);
	else if (!work->is_loaded)
		source_reason_set(ret_reason,
				  "the driver is there, but its library cannot be loaded: %s",
				  work->path[0] ? work->path : NVML_NAME);
	else if (work->choice.is_of_program && work->installed_count > 0)
		source_reason_set(ret_reason,
				  "CUDA_VISIBLE_DEVICES, \"%.60s\", chooses none of the %u GPUs",
				  work->choice.names, work->installed_count);
	else
		source_reason_set(ret_reason, "the driver has no GPU, or not the chosen ones");
}

static void gpu_explain(void *state, const struct settings *settings,
			struct source_reason *ret_reason)
{
	struct gpu_source *source = state;
	struct gpu_nvidia *gpu = source ? atomic_load(&source->gpu) : NULL;

	ret_reason->is_found = false;
	if (!source)
		source_reason_set(ret_reason, "switched off by --no-gpu");
	else if (!gpu)
		source_reason_set(ret_reason, "no %s/nvidiactl and no %s/driver/nvidia",
				  settings->dev_root, settings->proc_root);
	else if (!slow_task_enter(gpu->task, monotonic_ns() + EXPLAIN_WAIT_NS))
		source_reason_set(ret_reason, "the driver does not respond");
	else {
		explain_work(gpu->work, ret_reason);
		slow_task_leave(gpu->task, SLOW_TASK_REST);
	}
}

const struct source source_gpu_nvidia = {
	.name = "gpu_nvidia",
	.open = gpu_open,
	.begin = gpu_begin,
	.sample = gpu_sample,
	.describe = gpu_describe,
	.explain = gpu_explain,
	.end = gpu_end,
	.close = gpu_close,
};
