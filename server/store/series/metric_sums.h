#ifndef METRIC_SUMS_H
#define METRIC_SUMS_H

#include "run_documents.h"
#include "sample.h"

enum { METRIC_SUMS_CELLS_MAX = 4000 }; /* metrics of runs that one question reads cells of */

/*
 * What metrics were over the histories of runs, all writers together: one bucket of all values, of which the
 * last, the least, the greatest, the mean and the counts are told. They stand in the statistics of keys; where
 * NaN, an infinity or a text is among the values, or their sum is no number, cells tell them.
 */
struct metric_sums_ask {
	const int64_t *run_ids; /* ascending, each once */
	size_t run_count;
	const int32_t *key_ids; /* ascending, each once */
	size_t key_count;
	int64_t project_id;
};

/*
 * ret_sums[run * key_count + key]; without a number it is empty. Room for all of them is the caller's.
 * ERR_UNPROCESSABLE of "keys" where more cells would be read than one question may.
 */
err_t metric_sums_read(const struct run_reader *r, const struct metric_sums_ask *ask,
		       struct bucket *ret_sums) __attribute__((warn_unused_result));

/* What the sums of a run are as of: they change with it alone. Of those of the project, in no order. */
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
