#ifndef TOGETHER_RUNS_H
#define TOGETHER_RUNS_H

#include "request.h"
#include "run_store.h"
#include "search_store.h"

/* Runs that a query finds, or of a group ("filter", "group_by", "group"), of which numbers are summed up. */
struct together_runs {
	const struct run_info **infos; /* of those that may be seen */
	size_t count;
};

/* ERR_UNPROCESSABLE where it finds more than `most`. */
err_t together_runs_find(struct request *q, uint32_t most, struct together_runs *ret_runs)
	__attribute__((warn_unused_result));

/* Statistics of those of the numbers that are finite. */
struct search_numbers together_runs_sum(const double *numbers, size_t count);

#endif
