/*
 * nvidia_choice.h - which GPUs and which instances (MIG) are measured.
 *
 * They are chosen by the user, else by CUDA_VISIBLE_DEVICES of the program, in CUDA's forms: an index,
 * "GPU-8932f937" (a UUID or the beginning of one), "MIG-" with the UUID of an instance, and the older
 * "MIG-GPU-<UUID>/<GPU instance>/<compute instance>".
 */
#ifndef CAIRN_SAMPLER_NVIDIA_CHOICE_H
#define CAIRN_SAMPLER_NVIDIA_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "settings.h"

struct nvidia_device;
struct nvidia_mig;
struct nvidia_context;

struct nvidia_choice {
	bool is_of_program;                 /* by CUDA_VISIBLE_DEVICES, not by the user */
	bool is_ordered;                    /* the program's indices are in PCI order */
	size_t index_count;                 /* chosen by the user */
	int indices[SAMPLER_GPUS_MAX];      /* -1: none */
	char names[SETTINGS_GPU_NAMES_MAX]; /* with "," between */
};

void nvidia_choice_begin(struct nvidia_choice *choice, const struct settings *settings);

/* Keeps those of `devices` that are chosen, in their order, and returns their count. Devices that have
 * no handle yet get one if they can. */
size_t nvidia_choice_apply(const struct nvidia_choice *choice, struct nvidia_device *devices,
			   size_t count, struct nvidia_context *context);

/* True when the instance of a device that was chosen for its instances is chosen. */
bool nvidia_choice_has_mig(const struct nvidia_choice *choice, const struct nvidia_device *device,
			   const struct nvidia_mig *mig, const char *uuid);

#endif
