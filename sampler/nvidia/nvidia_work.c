/* nvidia_work.c - see nvidia_work.h. */
#include "nvidia_work.h"

#include <stdlib.h>
#include <string.h>

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

void nvidia_work_run(void *state)
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

void nvidia_work_free(void *state)
{
	stop_library(state);
	free(state);
}

struct nvidia_work *nvidia_work_new(const struct settings *settings)
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
