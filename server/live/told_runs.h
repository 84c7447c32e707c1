#ifndef TOLD_RUNS_H
#define TOLD_RUNS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct arena;

/* Runs that others are to be told of, each once, until they are taken; of too many only that. */
enum { TOLD_RUNS_MAX = 2048, TOLD_RUNS_PLACES = 2 * TOLD_RUNS_MAX };

struct told_runs {
	pthread_mutex_t lock;
	int64_t places[TOLD_RUNS_PLACES]; /* by hash; 0: free */
	uint32_t count;
};

void told_runs_init(struct told_runs *told);
void told_runs_deinit(struct told_runs *told);

/* True when there was none before. */
bool told_runs_add(struct told_runs *told, int64_t run_id);
bool told_runs_has_some(struct told_runs *told);

/* As texts of fewer than 8000 bytes, "runs 12 345" or "all"; how many. They are told no more. */
size_t told_runs_take(struct told_runs *told, struct arena *a, struct str **ret_texts);

#endif
