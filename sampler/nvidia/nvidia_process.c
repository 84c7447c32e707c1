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

static void add_up(const struct nvidia_context *context, unsigned count,
		   struct nvidia_values *values)
{
	double sum = 0;
	bool is_known = true;

	for (unsigned i = 0; i < count; i++) {
		const struct nvml_process *process = &context->processes[i];
		if (!is_ours(context, process->pid) || is_repeated(context->processes, i))
			continue;
		values->is_used_by_process = true;
		if (process->used_memory == NVML_VALUE_NOT_AVAILABLE)
			is_known = false;
		else
			sum += (double)process->used_memory;
	}
	if (values->is_used_by_process && is_known)
		values->process_used_bytes = sum;
}

int nvidia_process_read(struct nvidia_device *device, struct nvidia_context *context,
			struct nvidia_values *values)
{
	unsigned count = 0;
	int result = NVML_INSUFFICIENT_SIZE;

	for (int i = 0; i < TRIES && result == NVML_INSUFFICIENT_SIZE; i++)
		result = list_processes(device, context, &count);
	if (result == NVML_OK)
		add_up(context, count, values);
	return result;
}
