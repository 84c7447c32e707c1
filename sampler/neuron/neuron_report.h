/*
 * neuron_report.h - a line of AWS's neuron-monitor: one JSON document about all Neuron runtimes.
 *
 * The user guide of neuron-monitor has the format. Members that it adds later are skipped.
 */
#ifndef CAIRN_SAMPLER_NEURON_REPORT_H
#define CAIRN_SAMPLER_NEURON_REPORT_H

#include <stddef.h>

#include "device_source.h"

struct neuron_hardware {
	unsigned device_count;
	unsigned cores_per_device;
	char device_type[32]; /* "": not said */
};

/* Adds the values of the runtimes that belong to the process tree; those of several runtimes are
 * added up. A line that is cut, or no JSON, gives nothing. True when the line was whole. */
bool neuron_report_read(const char *line, size_t length, const struct device_input *input,
			struct readings *readings, struct neuron_hardware *hardware);

#endif
