/*
 * amd_sysfs.h - an AMD GPU by the files of the kernel's driver amdgpu: no tool, no library.
 *
 * The kernel's documentation "AMDGPU driver information" and "hwmon interfaces" have names and
 * units.
 */
#ifndef CAIRN_SAMPLER_AMD_SYSFS_H
#define CAIRN_SAMPLER_AMD_SYSFS_H

#include <stdbool.h>

#include "amd_reading.h"
#include "drm_card.h"

#define AMD_SENSOR_NAME_MAX 16
#define AMD_SENSORS_MAX 8

struct amd_card {
	unsigned index; /* among AMD's cards, in the order of PCI addresses */
	struct drm_card drm;
	char hwmon[DRM_DEVICE_PATH_MAX + 64]; /* "": none */
	unsigned temp_input;                  /* number of the file; 0: none */
	bool is_integrated;                   /* uses the host's memory beside its own */
};

/* Looks for the card's sensors. */
void amd_card_open(struct amd_card *card);

/* False, and all is unknown, when the card sleeps: reading would wake it. */
bool amd_card_read(const struct amd_card *card, struct amd_reading *ret_reading);

/* True when the card is switched off to save power. */
bool amd_card_is_asleep(const struct amd_card *card);

/* A line of a file of the card's device; false when there is none. */
bool amd_card_text(const struct amd_card *card, const char *file, char *ret_text, size_t size);

#endif
