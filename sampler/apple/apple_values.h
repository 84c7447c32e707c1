/*
 * apple_values.h - what is measured of Apple's processors, and the rules that make values of counters
 * and of the JSON that macmon and apple_gpu_stats print. Nothing here needs macOS.
 */
#ifndef CAIRN_SAMPLER_APPLE_VALUES_H
#define CAIRN_SAMPLER_APPLE_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "apple_counters.h"
#include "readings.h"

/* In the order of the names in apple_values.c. */
enum apple_metric {
	APPLE_GPU,      /* % of the time in which the GPU worked */
	APPLE_GPU_FREQ, /* MHz, mean while it worked */
	APPLE_GPU_TEMP, /* °C */
	APPLE_GPU_WATTS,
	APPLE_GPU_POWER_PERCENT, /* of 16.5 W */
	APPLE_GPU_MEMORY,        /* % of the machine's memory */
	APPLE_CPU_TEMP,
	APPLE_CPU_WATTS,
	APPLE_ECPU_FREQ, /* cores for efficiency */
	APPLE_ECPU_PERCENT,
	APPLE_PCPU_FREQ, /* cores for performance */
	APPLE_PCPU_PERCENT,
	APPLE_ANE_WATTS, /* of the Neural Engine */
	APPLE_SYSTEM_WATTS,
	APPLE_MEMORY_USED, /* bytes */
	APPLE_MEMORY_PERCENT,
	APPLE_SWAP_USED,
	APPLE_SWAP_PERCENT,
	APPLE_METRIC_COUNT
};

void apple_values_clear(double values[APPLE_METRIC_COUNT]);

/* Adds what follows from two readings of the counters. */
void apple_values_between(const struct apple_counters *before, const struct apple_counters *now,
			  double values[APPLE_METRIC_COUNT]);

/* Adds the members of a JSON object that are known; false when there was none. */
bool apple_values_parse(const char *text, size_t length, double values[APPLE_METRIC_COUNT]);

/* Adds the values under W&B's names. */
void apple_values_add(const double values[APPLE_METRIC_COUNT], struct readings *readings);

#endif
