/* nvidia_work.c - see nvidia_work.h. */
#include "nvidia_work.h"

#include <stdlib.h>
#include <string.h>

#include "monotonic.h"

/* The list is made once; after a restart of the library only the handles are new. */
static void list_devices(struct nvidia_work *work)
{
	size_t count = work->installed_count < NV_GPUS_ALL_MAX ? work->installed_count
							       : NV_GPUS_ALL_MAX;
	struct nvidia_device *all = count > 0 ? calloc(count, sizeof *all) : NULL;

	if (!all)
		return;
	for (size_t i = 0; i < count; i++)
		all[i].index = (unsigned)i;
	work->device_count = nvidia_choice_apply(&work->choice, all, count, &work->context);
	memcpy(work->devices, all, work->device_count * sizeof *all);
	free(all);
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
	work->context.now_ns = monotonic_ns();
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
	nvidia_choice_begin(&work->choice, settings);
	work->context.choice = &work->choice;
	work->context.pids = work->pids;
	return work;
}
