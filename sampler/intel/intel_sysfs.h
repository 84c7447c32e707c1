/*
 * intel_sysfs.h - an Intel GPU by the files of the kernel's drivers i915 and xe: no tool, no library.
 *
 * The kernel's documentation "ABI/testing/sysfs-driver-intel-i915-hwmon", "…-intel-xe-hwmon" and the
 * drivers' files below gt/ have names and units. Power and how busy the GPU was are counters: they
 * have values from the second reading on.
 */
#ifndef CAIRN_SAMPLER_INTEL_SYSFS_H
#define CAIRN_SAMPLER_INTEL_SYSFS_H

#include <stdbool.h>
#include <stdint.h>

#include "drm_card.h"

#define INTEL_GTS_MAX 8
#define INTEL_FILE_MAX 64

/* In the order of intel_metric_names. */
enum intel_metric {
	INTEL_GPU,         /* % of the time in which a part of the GPU was awake */
	INTEL_TEMP,        /* °C of the package */
	INTEL_MEMORY_TEMP, /* °C */
	INTEL_POWER_WATTS,
	INTEL_POWER_LIMIT_WATTS,
	INTEL_POWER_PERCENT,
	INTEL_CLOCK, /* MHz of the fastest part */
	INTEL_METRIC_COUNT
};

/* A part of the GPU with engines of its own ("graphics technology"); files relative to the card. */
struct intel_gt {
	char idle[INTEL_FILE_MAX];  /* milliseconds in its sleep state */
	char clock[INTEL_FILE_MAX]; /* MHz */
};

struct intel_counters {
	uint64_t now_ns;
	bool has_energy;
	uint64_t energy_uj;
	unsigned gt_count; /* those that could be read; their numbers do not change */
	uint64_t idle_ms[INTEL_GTS_MAX];
};

struct intel_card {
	unsigned index; /* among Intel's cards, in the order of PCI addresses */
	struct drm_card drm;
	char card[DRM_DEVICE_PATH_MAX];
	char hwmon[DRM_DEVICE_PATH_MAX + 64];                 /* "": none */
	unsigned energy_input, temp_input, memory_temp_input; /* numbers of files; 0: none */
	unsigned gt_count;
	struct intel_gt gts[INTEL_GTS_MAX];
	struct intel_counters counters; /* of the last reading; now_ns is 0 before the first */
};

/* Looks for the card's sensors and parts. */
void intel_card_open(struct intel_card *card);

/* False, and nothing is known, when the card sleeps: reading would wake it. NaN: unknown. */
bool intel_card_read(struct intel_card *card, double ret_values[INTEL_METRIC_COUNT]);

/* The values that follow from counters. */
void intel_values_between(const struct intel_counters *before, const struct intel_counters *now,
			  double *ret_values);

/* A line of a file of the card's PCI device; false when there is none. */
bool intel_card_text(const struct intel_card *card, const char *file, char *ret_text, size_t size);

/* Bytes of the card's own memory, which xe tells; 0: unknown, or it uses the host's. */
uint64_t intel_card_memory(const struct intel_card *card);

#endif
