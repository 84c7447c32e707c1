/*
 * device_choice.h - which devices of each kind are measured: "gpu:0,2,tpu:1-3".
 *
 * A kind is the first part of its metrics' names, so "tpu:1" is what "tpu.1.dutyCycle" is of. Numbers and
 * ranges follow their kind; "all" and "none" stand for all and none of it. A kind that is not mentioned is
 * measured as a whole. GPUs are chosen by UUID, too (nvidia/nvidia_choice.h).
 */
#ifndef CAIRN_SAMPLER_DEVICE_CHOICE_H
#define CAIRN_SAMPLER_DEVICE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#define DEVICE_CHOICES_MAX 64
#define DEVICE_INDEX_MAX 1000
#define DEVICE_KIND_MAX 8         /* bytes with the NUL */
#define DEVICE_GPU_NAMES_MAX 1024 /* bytes of all UUIDs together, with the NUL */

struct device_range {
	char kind[DEVICE_KIND_MAX];
	unsigned first, last; /* first > last: none */
};

struct device_choice {
	size_t count;
	struct device_range ranges[DEVICE_CHOICES_MAX];
	bool is_every_gpu;                    /* "gpu:all", whatever the program may use */
	char gpu_names[DEVICE_GPU_NAMES_MAX]; /* UUIDs with "," between */
};

/* False when the text is not such a list, or too long. "" chooses nothing: all are measured. */
bool device_choice_parse(const char *text, struct device_choice *ret_choice);

/* Is the device of this kind measured? */
bool device_choice_has(const struct device_choice *choice, const char *kind, unsigned index);

/* Is no device of this kind measured, whatever there is? */
bool device_choice_is_none(const struct device_choice *choice, const char *kind);

/* Is a metric of this name measured? Names of the forms "tpu.1.X" and "gpu.process.1.X" are of a device,
 * all others always are. */
bool device_choice_has_metric(const struct device_choice *choice, const char *name);

#endif
