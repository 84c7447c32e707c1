#ifndef METRIC_BEST_H
#define METRIC_BEST_H

#include "best_value.h"
#include "run_documents.h"

/*
 * The best value of a key in each run, and the values of other keys at its step
 * (series/best_value.h), all writers together. For each key a run's cells are read, and the chunks
 * with the values they point at: three statements for a run at most, however many keys, and some
 * more for each that was rewound or forked.
 */
struct metric_best_ask {
	const int64_t *run_ids;
	const enum best_goal *goals; /* of each */
	size_t run_count;
	const int32_t *key_ids; /* ascending, each once */
	size_t key_count;
	size_t by; /* the index of the key to optimize */
	int64_t project_id;
};

/* ret_values[run * key_count + key]. The caller provides the array. */
err_t metric_best_read(const struct run_reader *r, const struct metric_best_ask *ask,
		       struct best_value *ret_values) __attribute__((warn_unused_result));

#endif
