/*
 * nvidia_choice.c - see nvidia_choice.h.
 *
 * CUDA counts the fastest GPU first unless CUDA_DEVICE_ORDER says otherwise. Its indices mean ours only
 * if that variable says PCI_BUS_ID, or if all GPUs are of one model; else all are measured. Like CUDA,
 * the program's list ends at the first entry that names no GPU.
 */
#include "nvidia_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvidia_device.h"
#include "proc_file.h"

#define ENTRY_MAX 128

void nvidia_choice_begin(struct nvidia_choice *choice, const struct settings *settings)
{
	bool is_chosen = settings->gpu_id_count > 0 || settings->gpu_names[0];

	memset(choice, 0, sizeof *choice);
	if (!is_chosen && settings->has_cuda_visible) {
		choice->is_of_program = true;
		choice->is_ordered = settings->is_cuda_order_pci;
		memcpy(choice->names, settings->cuda_visible, sizeof choice->names);
		return;
	}
	choice->index_count = settings->gpu_id_count;
	memcpy(choice->indices, settings->gpu_ids, sizeof choice->indices);
	memcpy(choice->names, settings->gpu_names, sizeof choice->names);
}

/* The next entry without its blanks; false at the end of the list. One that is too long is "". */
static bool next_entry(const char **list, char ret_entry[ENTRY_MAX])
{
	const char *at = *list + strspn(*list, " ");
	size_t length = strcspn(at, ",");

	if (!**list)
		return false;
	*list = at + length + (at[length] == ',');
	while (length > 0 && at[length - 1] == ' ')
		length--;
	snprintf(ret_entry, ENTRY_MAX, "%.*s", length < ENTRY_MAX ? (int)length : 0, at);
	return true;
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_index(const char *entry)
{
	return entry[0] && entry[strspn(entry, "0123456789")] == '\0';
}

/* "/3", and moves on. */
static bool read_part(const char **text, uint64_t *ret_number)
{
	if (**text != '/')
		return false;
	++*text;
	return proc_number(text, ret_number);
}

/* "MIG-GPU-<UUID>/<GPU instance>/<compute instance>": whether it is on the device; the two numbers. */
static bool is_old_mig(const char *entry, const char *uuid, uint64_t *ret_gpu,
		       uint64_t *ret_compute)
{
	if (!begins_with(entry, "MIG-GPU-"))
		return false;
	const char *own = entry + strlen("MIG-");
	size_t length = strcspn(own, "/");
	const char *rest = own + length;
	return strlen(uuid) == length && strncmp(own, uuid, length) == 0 &&
	       read_part(&rest, ret_gpu) && read_part(&rest, ret_compute) && *rest == '\0';
}

static bool is_mig_entry(const char *entry, const char *gpu_uuid, const struct nvidia_mig *mig,
			 const char *mig_uuid)
{
	uint64_t gpu, compute;

	if (begins_with(entry, "MIG-GPU-"))
		return is_old_mig(entry, gpu_uuid, &gpu, &compute) && gpu == mig->gpu_instance &&
		       compute == mig->compute_instance;
	return begins_with(entry, "MIG-") && begins_with(mig_uuid, entry);
}

bool nvidia_choice_has_mig(const struct nvidia_choice *choice, const struct nvidia_device *device,
			   const struct nvidia_mig *mig, const char *uuid)
{
	const char *list = choice->names;
	char entry[ENTRY_MAX];

	while (next_entry(&list, entry)) {
		if (is_mig_entry(entry, device->uuid, mig, uuid))
			return true;
	}
	return false;
}

/* Whether an instance of the device has a UUID that begins so. */
static bool has_instance(const struct nvidia_device *device, const struct nvidia_context *context,
			 const char *entry)
{
	const struct nvml *nvml = &context->nvml;
	nvml_device instance;
	uint64_t gpu, compute;
	char uuid[96];

	if (is_old_mig(entry, device->uuid, &gpu, &compute))
		return true;
	if (!nvml->mig_by_index || !nvml->device_uuid || !device->handle)
		return false;
	for (unsigned i = 0; i < NV_MIGS_MAX; i++) {
		if (nvml->mig_by_index(device->handle, i, &instance) != NVML_OK ||
		    nvml->device_uuid(instance, uuid, sizeof uuid) != NVML_OK)
			continue;
		uuid[sizeof uuid - 1] = '\0';
		if (begins_with(uuid, entry))
			return true;
	}
	return false;
}

struct marks {
	bool is_chosen[NV_GPUS_ALL_MAX];
	bool is_by_mig[NV_GPUS_ALL_MAX];
};

/* The beginning of a UUID must be that of one GPU only. */
static bool mark_uuid(const char *entry, const struct nvidia_device *devices, size_t count,
		      struct marks *marks)
{
	size_t found = count, matches = 0;

	for (size_t i = 0; i < count; i++) {
		if (devices[i].uuid[0] && begins_with(devices[i].uuid, entry)) {
			found = i;
			matches++;
		}
	}
	if (matches == 1)
		marks->is_chosen[found] = true;
	return matches == 1;
}

static bool mark_instance(const char *entry, const struct nvidia_device *devices, size_t count,
			  const struct nvidia_context *context, struct marks *marks)
{
	for (size_t i = 0; i < count; i++) {
		if (!has_instance(&devices[i], context, entry))
			continue;
		marks->is_by_mig[i] = true;
		return true;
	}
	return false;
}

static bool mark_entry(const char *entry, const struct nvidia_device *devices, size_t count,
		       const struct nvidia_context *context, struct marks *marks)
{
	if (is_index(entry)) {
		unsigned long index = strtoul(entry, NULL, 10);
		if (index < count)
			marks->is_chosen[index] = true;
		return index < count;
	}
	if (begins_with(entry, "GPU-"))
		return mark_uuid(entry, devices, count, marks);
	return begins_with(entry, "MIG-") && mark_instance(entry, devices, count, context, marks);
}

static bool has_indices(const char *list)
{
	char entry[ENTRY_MAX];

	while (next_entry(&list, entry)) {
		if (is_index(entry))
			return true;
	}
	return false;
}

static bool is_one_model(const struct nvidia_device *devices, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (strcmp(devices[i].name, devices[0].name) != 0)
			return false;
	}
	return count < 2 || devices[0].name[0];
}

/* True when all GPUs are measured. */
static bool is_all(const struct nvidia_choice *choice, const struct nvidia_device *devices,
		   size_t count)
{
	if (!choice->is_of_program)
		return choice->index_count == 0 && !choice->names[0];
	return has_indices(choice->names) && !choice->is_ordered && !is_one_model(devices, count);
}

static void mark_all(const struct nvidia_choice *choice, const struct nvidia_device *devices,
		     size_t count, const struct nvidia_context *context, struct marks *marks)
{
	const char *list = choice->names;
	char entry[ENTRY_MAX];

	for (size_t i = 0; i < choice->index_count; i++) {
		if (choice->indices[i] >= 0 && (size_t)choice->indices[i] < count)
			marks->is_chosen[choice->indices[i]] = true;
	}
	while (next_entry(&list, entry)) {
		if (!mark_entry(entry, devices, count, context, marks) && choice->is_of_program)
			return;
	}
}

size_t nvidia_choice_apply(const struct nvidia_choice *choice, struct nvidia_device *devices,
			   size_t count, struct nvidia_context *context)
{
	struct marks marks = { 0 };
	size_t kept = 0;

	for (size_t i = 0; choice->names[0] && i < count; i++) {
		if (context->nvml.device_by_index(devices[i].index, &devices[i].handle) == NVML_OK)
			nvidia_device_describe(&devices[i], context);
	}
	if (is_all(choice, devices, count))
		return count < SAMPLER_GPUS_MAX ? count : SAMPLER_GPUS_MAX;
	mark_all(choice, devices, count, context, &marks);
	for (size_t i = 0; i < count && kept < SAMPLER_GPUS_MAX; i++) {
		if (!marks.is_chosen[i] && !marks.is_by_mig[i])
			continue;
		devices[i].is_chosen_by_mig = !marks.is_chosen[i];
		devices[kept++] = devices[i];
	}
	return kept;
}
