#ifndef METRIC_SUMMARY_CACHE_H
#define METRIC_SUMMARY_CACHE_H

#include "run_documents.h"

/*
 * A cache of metric summaries: the last value, minimum, maximum and mean of a metric over the history of a run, as in
 * GET …/metrics. The number of rows and the branch of the run are part of an entry's key, so a run that has grown is
 * read again and the others are not. The cache is bounded and evicts its oldest entries. Any thread.
 */
struct metric_summary_cache;
struct buf;
struct memory;

/* Entries count in the memory. */
struct metric_summary_cache *metric_summary_cache_new(struct memory *memory);
void metric_summary_cache_free(struct metric_summary_cache *cache);
void metric_summary_cache_metrics(struct metric_summary_cache *cache, struct buf *text);

/* NaN: none. Infinities do not count in min, max and mean; the last value is as it was sent. */
struct metric_summary {
	double last, min, max, mean;
};

struct metric_summary_ask {
	int64_t project_id;
	const int64_t *run_ids; /* ascending, each once */
	size_t run_count;
	const int32_t *key_ids; /* ascending, each once */
	size_t key_count;
	int64_t deadline_us; /* monotonic */
};
/*
 * Fills ret_summaries[run * key_count + key], which the caller allocates. What was read before the deadline stays in the
 * cache, so the next call goes on from there. ERR_BUSY: many runs have to be read, and as many such scans as may run at
 * once are running, or one of the same project, and it did not end soon or too many wait for it.
 */
err_t metric_summary_cache_read(struct metric_summary_cache *cache, const struct run_reader *r,
				const struct metric_summary_ask *ask,
				struct metric_summary *ret_summaries)
	__attribute__((warn_unused_result));

#endif
