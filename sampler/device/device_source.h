/*
 * device_source.h - a kind of device that is read in a thread of its own: one descriptor, one file.
 *
 * A kind says whether the machine has such devices, opens them, and reads them into named values;
 * everything that all kinds share is here: the thread, late values, choice, metadata, the end.
 *
 *     source_X (a row in sampler.c) ---> device_open(&kind) ---> find; thread: open, read, read ...
 *
 * `find` is asked at the start and then once a minute until there are devices: a driver may be
 * loaded later.
 */
#ifndef CAIRN_SAMPLER_DEVICE_SOURCE_H
#define CAIRN_SAMPLER_DEVICE_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "readings.h"
#include "settings.h"
#include "source.h"

/* Facts about the program for one reading, copied for the thread. */
struct device_input {
	uint64_t now_ns; /* monotonic */
	uint64_t host_memory_total_bytes;
	uint64_t host_memory_used_bytes;
	size_t pid_count;
	const pid_t *pids;      /* of the process tree */
	const uint64_t *ran_ns; /* the scan that saw of each that it had run since the one before */
	const atomic_bool *stop; /* the sampler ends: nothing should be waited for any more */
};

struct device_kind {
	const char *
		prefix; /* of its metrics' names, by which devices are chosen; NULL: they are not */
	/* True when the machine has such devices, by files of /dev and /sys alone: it is asked in the
	 * program's thread. `ret_reason` says what was found, or what is missing. */
	bool (*find)(const struct settings *settings, struct source_reason *ret_reason);
	/* In the thread, as all that follows but `describe`. NULL: tried again at the next row.
	 * `ret_reason`, which begins as that of `find`, may say by what the devices are read. */
	void *(*open)(const struct settings *settings, struct source_reason *ret_reason);
	void (*read)(void *devices, const struct device_input *input, struct readings *readings);
	/* Optional: members of the metadata, from memory alone: the thread waits meanwhile. */
	void (*describe)(const void *devices, struct info_text *text);
	/* Optional: replaces the reason when the devices were read once; from memory alone. */
	void (*explain)(const void *devices, struct source_reason *ret_reason);
	void (*close)(void *devices);
};

/* The functions of a struct source; `open` calls device_open with its kind. */
int device_open(const struct device_kind *kind, const struct settings *settings, void **ret_state);
void device_begin(void *state, const struct sample *sample);
void device_sample(void *state, const struct sample *sample);
void device_describe(void *state, struct info_text *text, uint64_t deadline_ns);
void device_explain(void *state, const struct settings *settings, struct source_reason *ret_reason);
void device_end(void *state, uint64_t deadline_ns);
void device_close(void *state);

/* The row of a kind in the table of sources. */
#define DEVICE_SOURCE(variable, title, kind) \
	static int variable##_open(const struct settings *settings, void **ret_state) \
	{ \
		return device_open(&(kind), settings, ret_state); \
	} \
	const struct source variable = { \
		.name = title, \
		.open = variable##_open, \
		.begin = device_begin, \
		.sample = device_sample, \
		.describe = device_describe, \
		.explain = device_explain, \
		.end = device_end, \
		.close = device_close, \
	}

#endif
