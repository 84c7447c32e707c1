/*
 * source.h - what a source of numbers is: one file, one row in the table of sampler.c.
 *
 * A row is taken in two passes. `begin` sets slow things going in their own threads, `sample` adds
 * values; so a driver answers while the quick files are read. Sources share what several of them
 * need - the process tree, limits, the host's memory - through the sample, and nothing else.
 */
#ifndef CAIRN_SAMPLER_SOURCE_H
#define CAIRN_SAMPLER_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup;
struct host_memory;
struct info_text;
struct process_tree;
struct sampler_row;
struct settings;

/* One row in the making. */
struct sample {
	const struct settings *settings;
	const struct process_tree *tree;
	struct cgroup *cgroup;
	const struct host_memory *memory;
	uint64_t now_ns;      /* monotonic */
	uint64_t deadline_ns; /* until when slow things may be waited for */
	struct sampler_row *row;
};

/* Why a source has values, or none; one sentence. */
struct source_reason {
	bool is_found;
	char text[256];
};

__attribute__((format(printf, 2, 3))) void source_reason_set(struct source_reason *reason,
							     const char *format, ...);

struct source {
	const char *name;
	/* Counters begin here. 0 with a state, 0 with NULL where there is nothing to measure, or
	 * ENOMEM. */
	int (*open)(const struct settings *settings, void **ret_state);
	void (*begin)(void *state, const struct sample *sample); /* optional */
	void (*sample)(void *state, const struct sample *sample);
	/* Optional: members of the metadata. Called from any thread, beside `sample`. */
	void (*describe)(void *state, struct info_text *text, uint64_t deadline_ns);
	/* Optional: what was found, or what is missing. Without it there always is something to
	 * measure. Called beside `sample`, like `describe`; `state` may be NULL. */
	void (*explain)(void *state, const struct settings *settings,
			struct source_reason *ret_reason);
	/* Optional: threads shall end. Waits for nothing; `close` waits for them until the
	 * deadline. */
	void (*end)(void *state, uint64_t deadline_ns);
	void (*close)(void *state);
};

extern const struct source source_cpu;
extern const struct source source_memory;
extern const struct source source_process;
extern const struct source source_disk;
extern const struct source source_network;
extern const struct source source_pressure;
extern const struct source source_cgroup_events;
extern const struct source source_infiniband;
extern const struct source source_nfs;
extern const struct source source_cpu_cores;
extern const struct source source_cpu_temperature;
extern const struct source source_descriptors;
extern const struct source source_gpu_nvidia;
extern const struct source source_gpu_amd;
extern const struct source source_gpu_intel;
extern const struct source source_gaudi;
extern const struct source source_gpu_apple; /* on macOS */
extern const struct source source_ipu;
extern const struct source source_trainium;
extern const struct source source_tpu;
extern const struct source source_open_metrics;

#endif
