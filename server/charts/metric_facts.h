#ifndef METRIC_FACTS_H
#define METRIC_FACTS_H

#include "run_documents.h"

/*
 * What metrics were over the histories of many runs, as of `…/metrics`, for who asks for the same runs again and
 * again: kept in memory by the rows and the branch that the run had, so that a run that goes on is read anew and the
 * others are not. Bounded; what was read first gives way. Serves all threads.
 */
struct metric_facts;
struct buf;
struct memory;

/* What is kept counts in the memory. */
struct metric_facts *metric_facts_new(struct memory *memory);
void metric_facts_free(struct metric_facts *facts);
void metric_facts_metrics(struct metric_facts *facts, struct buf *text);

/* NaN where there is none; infinities are none in the middle of numbers, and the last value as it is. */
struct metric_fact {
	double last, min, max, mean;
};

struct metric_facts_ask {
	int64_t project_id;
	const int64_t *run_ids; /* ascending, each once */
	size_t run_count;
	const int32_t *key_ids; /* ascending, each once */
	size_t key_count;
	int64_t deadline_us; /* monotonic */
};
/*
 * ret_facts[run * key_count + key]: room for all of them is the caller's. What was read before the deadline is kept,
 * so that who asks again goes on from there. ERR_BUSY: many have to be read, and so many questions as may do that at
 * once are under way, or one of the same project, still after a while or where too many wait for that.
 */
err_t metric_facts_read(struct metric_facts *facts, const struct run_reader *r,
			const struct metric_facts_ask *ask, struct metric_fact *ret_facts)
	__attribute__((warn_unused_result));

#endif
