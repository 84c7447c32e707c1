/*
 * hl_smi.h - what "hl-smi -Q HL_SMI_QUERY -f csv,noheader" prints of Habana's Gaudi devices.
 *
 * A line for each device: "0, 87 %, 24576 MiB, 98304 MiB, 41 C, 356 W, 0, 0". Older releases know
 * fewer queries, and refuse all of them if they do not know one: HL_SMI_QUERY_SHORT is for those.
 */
#ifndef CAIRN_SAMPLER_HL_SMI_H
#define CAIRN_SAMPLER_HL_SMI_H

#include <stddef.h>

#define HL_SMI_QUERY_SHORT \
	"index,utilization.aip,memory.used,memory.total,temperature.aip,power.draw"
#define HL_SMI_QUERY \
	HL_SMI_QUERY_SHORT \
	",ecc.errors.corrected.volatile.total,ecc.errors.uncorrected.volatile.total"

enum hl_smi_value {
	HL_SMI_UTILIZATION, /* % */
	HL_SMI_MEMORY_USED, /* bytes */
	HL_SMI_MEMORY_TOTAL,
	HL_SMI_TEMP,  /* °C */
	HL_SMI_POWER, /* W */
	HL_SMI_CORRECTED_ERRORS,
	HL_SMI_UNCORRECTED_ERRORS,
	HL_SMI_VALUE_COUNT
};

struct hl_smi_device {
	unsigned index;
	double values[HL_SMI_VALUE_COUNT]; /* NaN: unknown */
};

/* The devices of the whole lines; at most `max`. A line that is cut, or no device's, is left out. */
size_t hl_smi_parse(const char *text, struct hl_smi_device *ret_devices, size_t max);

#endif
