/* sampler_state.h - the sampler itself, shared by sampler.c, sampler_thread.c and metadata.c. */
#ifndef CAIRN_SAMPLER_STATE_H
#define CAIRN_SAMPLER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cgroup.h"
#include "host_memory.h"
#include "process_tree.h"
#include "sampler.h"
#include "settings.h"

#define SAMPLER_SOURCES_MAX 24

/* Used only by the thread that takes rows: the caller, or the sampler thread while it runs. */
struct sampler_machine {
	struct process_tree tree;
	struct cgroup cgroup;
	struct host_memory memory;
};

struct sampler {
	struct settings settings;
	pid_t owner; /* the process that made it, not one forked from it */
	struct sampler_machine machine;
	void *states[SAMPLER_SOURCES_MAX]; /* of the sources; NULL: nothing to measure */

	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	atomic_bool is_running;
	bool stop;
	bool in_callback;
	bool has_ended;
	bool is_abandoned; /* sampler_stop waits no longer */
	bool is_orphaned;  /* the thread frees the sampler */
	sampler_callback *callback;
	void *callback_context;
	struct sampler_row row; /* the thread's */
};

/* Takes a row; `wait_ms` is how long slow sources may hold it up. */
void sampler_take(struct sampler *sampler, unsigned wait_ms, struct sampler_row *ret_row);

/* True when a thread that is stuck frees the sampler at its end. */
bool sampler_give_away(struct sampler *sampler);

/* Frees all of it; no thread uses it any more. */
void sampler_destroy(struct sampler *sampler);

struct info_text;
/* Writes what the sources know about the machine. */
void sampler_describe(struct sampler *sampler, struct info_text *text, uint64_t deadline_ns);

#endif
