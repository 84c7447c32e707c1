/*
 * nvidia_process.c - which of the GPU's processes belong to our tree, and their memory.
 *
 * Inside a container the driver may name processes by numbers of the host, or none at all. Those
 * match nothing here, and the gpu.process values are absent.
 */
#include "nvidia_device.h"

#include <math.h>
#include <string.h>

#define TRIES 3 /* the list can grow between two calls */
#define UTILIZATIONS_MAX \
	(sizeof((struct nvidia_context *)0)->utilizations / sizeof(struct nvml_process_utilization))
#define PROCESSES_MAX (sizeof((struct nvidia_context *)0)->processes / sizeof(struct nvml_process))

static bool is_ours(const struct nvidia_context *context, unsigned pid)
{
	for (size_t i = 0; i < context->pid_count; i++) {
		if ((unsigned)context->pids[i] == pid)
			return true;
	}
	return false;
}

/* The old list has smaller elements; they are spread out in place, the last one first. */
static int list_v1(nvml_process_v1_function *list, nvml_device handle, unsigned *count,
		   struct nvml_process *processes)
{
	void *bytes = processes;

	int result = list(handle, count, bytes);
	if (result != NVML_OK)
		return result;
	for (unsigned i = *count; i-- > 0;) {
		struct nvml_process_v1 process;
		memcpy(&process, (char *)bytes + i * sizeof process, sizeof process);
		processes[i] = (struct nvml_process){ .pid = process.pid,
						      .used_memory = process.used_memory };
	}
	return NVML_OK;
}

/* Appends to the processes from `first` on. */
static int list_once(nvml_process_function *list, nvml_process_v1_function *list_old,
		     const struct nvidia_device *device, struct nvidia_context *context,
		     unsigned first, unsigned *ret_count)
{
	unsigned count = (unsigned)PROCESSES_MAX - first;
	int result = NVML_FUNCTION_NOT_FOUND;

	if (list)
		result = list(device->handle, &count, context->processes + first);
	else if (list_old)
		result = list_v1(list_old, device->handle, &count, context->processes + first);
	if (result == NVML_OK)
		*ret_count = count <= PROCESSES_MAX - first ? first + count : first;
	return result;
}

static int list_processes(const struct nvidia_device *device, struct nvidia_context *context,
			  unsigned *ret_count)
{
	const struct nvml *nvml = &context->nvml;
	unsigned count = 0;

	int result = list_once(nvml->compute_processes, nvml->compute_processes_v1, device, context,
			       0, &count);
	if (result != NVML_OK)
		return result;
	result = list_once(nvml->graphics_processes, nvml->graphics_processes_v1, device, context,
			   count, &count);
	if (result != NVML_OK && !nvml_is_final(result))
		return result;
	*ret_count = count;
	return NVML_OK;
}

/* A process that computes and draws is in both lists. */
static bool is_repeated(const struct nvml_process *processes, unsigned at)
{
	const struct nvml_process *p = &processes[at];

	for (unsigned i = 0; i < at; i++) {
		const struct nvml_process *other = &processes[i];
		if (other->pid == p->pid && other->gpu_instance == p->gpu_instance &&
		    other->compute_instance == p->compute_instance)
			return true;
	}
	return false;
}

/* Memory of the tree's processes, of those on the instance if there is one. NaN: there are none, or it
 * is not known of all. */
static double add_up(const struct nvidia_context *context, const struct nvidia_mig *mig,
		     bool *ret_is_used)
{
	double sum = 0;
	bool is_known = true;

	*ret_is_used = false;
	for (unsigned i = 0; i < context->process_count; i++) {
		const struct nvml_process *process = &context->processes[i];
		if (!is_ours(context, process->pid) || is_repeated(context->processes, i))
			continue;
		if (mig && (process->gpu_instance != mig->gpu_instance ||
			    process->compute_instance != mig->compute_instance))
			continue;
		*ret_is_used = true;
		if (process->used_memory == NVML_VALUE_NOT_AVAILABLE)
			is_known = false;
		else
			sum += (double)process->used_memory;
	}
	return *ret_is_used && is_known ? sum : NAN;
}

int nvidia_process_read(struct nvidia_device *device, struct nvidia_context *context,
			struct nvidia_values *values)
{
	int result = NVML_INSUFFICIENT_SIZE;

	context->process_count = 0;
	for (int i = 0; i < TRIES && result == NVML_INSUFFICIENT_SIZE; i++)
		result = list_processes(device, context, &context->process_count);
	if (result == NVML_OK)
		values->process[NV_PROCESS_USED_BYTES] =
			add_up(context, NULL, &values->is_used_by_process);
	return result;
}

double nvidia_process_mig_bytes(const struct nvidia_context *context, const struct nvidia_mig *mig)
{
	bool is_used;

	return add_up(context, mig, &is_used);
}

/* A process of which the driver has several samples counts with its last one. */
static bool is_outdated(const struct nvml_process_utilization *samples, unsigned count, unsigned at)
{
	for (unsigned i = 0; i < count; i++) {
		if (samples[i].pid == samples[at].pid &&
		    (samples[i].time_us > samples[at].time_us ||
		     (samples[i].time_us == samples[at].time_us && i > at)))
			return true;
	}
	return false;
}

static void add_utilization(struct nvidia_device *device, const struct nvidia_context *context,
			    unsigned count, struct nvidia_values *values)
{
	const struct nvml_process_utilization *samples = context->utilizations;
	uint64_t after_us = device->process_time_us;
	double sm = 0, memory = 0;

	for (unsigned i = 0; i < count; i++) {
		if (samples[i].time_us > device->process_time_us)
			device->process_time_us = samples[i].time_us;
		if (samples[i].time_us <= after_us || !is_ours(context, samples[i].pid) ||
		    is_outdated(samples, count, i))
			continue;
		sm += samples[i].sm;
		memory += samples[i].memory;
	}
	if (!values->is_used_by_process)
		return;
	values->process[NV_PROCESS_UTILIZATION] = fmin(sm, 100);
	values->process[NV_PROCESS_MEMORY_UTILIZATION] = fmin(memory, 100);
}

/* The first reading only shows how far the driver's samples have come. Without new samples no process
 * did anything. */
int nvidia_process_read_utilization(struct nvidia_device *device, struct nvidia_context *context,
				    struct nvidia_values *values)
{
	unsigned count = UTILIZATIONS_MAX;
	bool is_first = device->process_time_us == 0;
	struct nvidia_values unused = { 0 };

	if (!context->nvml.process_utilization)
		return NVML_FUNCTION_NOT_FOUND;
	int result = context->nvml.process_utilization(device->handle, context->utilizations,
						       &count, device->process_time_us);
	if (result == NVML_NOT_FOUND)
		count = 0;
	else if (result != NVML_OK)
		return result;
	if (count > UTILIZATIONS_MAX)
		return NVML_INSUFFICIENT_SIZE;
	add_utilization(device, context, count, is_first && count > 0 ? &unused : values);
	return NVML_OK;
}
