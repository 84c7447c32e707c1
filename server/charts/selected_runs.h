#ifndef SELECTED_RUNS_H
#define SELECTED_RUNS_H

#include "json_out.h"
#include "request.h"
#include "run_store.h"
#include "search.h"

/* The runs that the query of a request selects: by name ("ids") or by filter ("filter", "group_by", "group"). */
struct selected_runs {
	struct str *names; /* of "ids": each once, in the order they came */
	size_t name_count;
	const struct run_info **infos;
	size_t count;
};

/* Reads "ids", names with commas in between. ERR_INVALID: no name, an invalid one, or more than `most`. */
err_t selected_runs_read_names(struct request *q, size_t most, struct selected_runs *ret_runs)
	__attribute__((warn_unused_result));

/* Finds the runs of the names, in that order, also deleted runs and runs that the caller may not see. */
err_t selected_runs_find_named(struct request *q, struct db *db, struct selected_runs *runs)
	__attribute__((warn_unused_result));

/* Finds the runs that match the filter and that the caller may see. ERR_UNPROCESSABLE: more than `most`. */
err_t selected_runs_find_filtered(struct request *q, uint32_t most, struct selected_runs *ret_runs)
	__attribute__((warn_unused_result));

/* Returns statistics of the finite ones of these numbers. */
struct search_numbers selected_runs_sum(const double *numbers, size_t count);

/* The values of the runs of a list under the keys of its parameter "keys". */
enum { SELECTED_RUNS_KEYS_MAX = 64 };

struct selected_runs_values {
	struct filter_path keys[SELECTED_RUNS_KEYS_MAX];
	size_t key_count;
	struct search_value *found; /* [run * key_count + key] */
};

err_t selected_runs_read_keys(struct request *q, struct selected_runs_values *ret_values)
	__attribute__((warn_unused_result));
err_t selected_runs_find_values(struct request *q, struct selected_runs_values *values,
				const int64_t *run_ids, size_t count)
	__attribute__((warn_unused_result));
/* Writes the run's members "values" and, if some values are null, "nulls"; nothing without keys. */
void selected_runs_write_values(struct json_out *o, const struct selected_runs_values *values,
				size_t run);

#endif
