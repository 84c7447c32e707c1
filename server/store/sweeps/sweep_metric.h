#ifndef SWEEP_METRIC_H
#define SWEEP_METRIC_H

#include "run_documents.h"

/*
 * Reads a metric of runs: finite numbers of its history, all writers together, in the order of rows. Sums come from cells; the
 * values themselves are read only if asked for.
 */
struct sweep_history {
	int64_t run_id;
	bool wants_values; /* set by the caller, as run_id */
	double lowest;     /* NaN: none, as the next two */
	double highest;
	double latest;
	int64_t steps;
	const double *values; /* if wanted */
	bool is_gone;         /* it left the project, and has no values here */
	err_t damage; /* its stored data is damaged, and no values were read; NULL: it is whole */
};
struct sweep_metric_ask {
	int64_t project_id;
	struct str name;
};
/* A run that left the project, or whose stored data is damaged, has no values: it does not hide those of others. */
err_t sweep_metric_read(const struct run_reader *r, const struct sweep_metric_ask *ask,
			struct sweep_history *histories, size_t count)
	__attribute__((warn_unused_result));

/* Its finite number in the summary; NaN: none. "a.b" is also the member b of the object a. */
err_t sweep_metric_summary(const struct run_reader *r, const struct run *run, struct str name,
			   double *ret_value) __attribute__((warn_unused_result));

/* Whether an error is of the stored data of a run, and not of the database. */
bool sweep_metric_is_damage(err_t e);

#endif
