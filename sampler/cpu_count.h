/* cpu_count.h - how many CPUs there are and how many may be used. */
#ifndef CAIRN_SAMPLER_CPU_COUNT_H
#define CAIRN_SAMPLER_CPU_COUNT_H

struct settings;

/* Logical CPUs that are online; at least 1. */
unsigned cpu_count_online(const struct settings *settings);

/* Returns the number of CPUs the process may run on, or of those online if that is not known. */
unsigned cpu_count_allowed(const struct settings *settings);

/* Distinct cores; as many as are online when the topology is not known. */
unsigned cpu_count_cores(const struct settings *settings);

#endif
