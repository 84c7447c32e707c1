#ifndef METRIC_SUMS_H
#define METRIC_SUMS_H

#include "run_documents.h"
#include "sample.h"

enum { METRIC_SUMS_CELLS_MAX = 4000 }; /* metrics of runs that one query reads cells of */

/*
 * Aggregates of metrics over the histories of runs, all writers together: one bucket of all values,
 * with the last, the least, the greatest, the mean and the counts. They are in the statistics of
 * keys; if NaN, an infinity or a text is among the values, or their sum is not a number, they are
 * computed from cells.
 */
struct metric_sums_ask {
	const int64_t *run_ids; /* ascending, each once */
	size_t run_count;
	const int32_t *key_ids; /* ascending, each once */
	size_t key_count;
	int64_t project_id;
};

/*
 * ret_sums[run * key_count + key]; without a number it is empty. The caller provides the array.
 * ERR_UNPROCESSABLE of "keys" if more cells would be read than the limit of a query.
 */
err_t metric_sums_read(const struct run_reader *r, const struct metric_sums_ask *ask,
		       struct bucket *ret_sums) __attribute__((warn_unused_result));

/*
 * The version of a run's sums: they change only with it. For the runs of the project, in no order.
 */
struct metric_age {
	int64_t run_id;
	int64_t next_row;
	int32_t branch;
};
err_t metric_sums_ages(struct db *db, int64_t project_id, const int64_t *run_ids, size_t count,
		       struct metric_age **ret_ages, size_t *ret_count)
	__attribute__((warn_unused_result));

/* Whether there is any number. */
bool metric_sums_has(const struct bucket *sum);

#endif
