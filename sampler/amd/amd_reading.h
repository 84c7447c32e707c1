/*
 * amd_reading.h - one reading of an AMD GPU, from the kernel's files or from rocm-smi.
 *
 * A value that is not known is NaN and is left out of the row.
 */
#ifndef CAIRN_SAMPLER_AMD_READING_H
#define CAIRN_SAMPLER_AMD_READING_H

#include <math.h>

#include "readings.h"

/* In the order of amd_metric_names. */
enum amd_metric {
	AMD_GPU,              /* % of the time in which the GPU was busy */
	AMD_MEMORY_ALLOCATED, /* % of the memory */
	AMD_MEMORY_ALLOCATED_BYTES,
	AMD_MEMORY_ACTIVITY,  /* % of the time in which memory was read or written */
	AMD_MEMORY_OVERDRIVE, /* % by which the memory clock was raised */
	AMD_TEMP,             /* °C of the memory, else the hottest spot, else the edge */
	AMD_POWER_WATTS,
	AMD_POWER_LIMIT_WATTS,
	AMD_POWER_PERCENT,
	AMD_SHADER_CLOCK,     /* MHz */
	AMD_MEMORY_CLOCK,     /* MHz */
	AMD_FAN_SPEED,        /* % */
	AMD_CORRECTED_ERRORS, /* of the memory, since the driver was loaded */
	AMD_UNCORRECTED_ERRORS,
	AMD_METRIC_COUNT
};

struct amd_reading {
	double values[AMD_METRIC_COUNT];
};

static inline void amd_reading_clear(struct amd_reading *reading)
{
	for (int i = 0; i < AMD_METRIC_COUNT; i++)
		reading->values[i] = NAN;
}

/* Computes the percentages that follow from other values. */
static inline void amd_reading_complete(struct amd_reading *reading)
{
	double *v = reading->values;

	if (isnan(v[AMD_POWER_PERCENT]) && v[AMD_POWER_LIMIT_WATTS] > 0)
		v[AMD_POWER_PERCENT] = 100 * v[AMD_POWER_WATTS] / v[AMD_POWER_LIMIT_WATTS];
}

#endif
