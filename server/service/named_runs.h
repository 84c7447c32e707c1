#ifndef NAMED_RUNS_H
#define NAMED_RUNS_H

#include "request.h"
#include "run_store.h"

/* Runs that a query names: "ids", with commas between. */
struct named_runs {
	struct str *names; /* each once, in the order they came */
	size_t name_count;
	const struct run_info **infos; /* of those that there are, in that order */
	size_t count;
};

/* The names, at most so many; ERR_INVALID where there is none. */
err_t named_runs_read(struct request *q, size_t most, struct named_runs *ret_runs)
	__attribute__((warn_unused_result));

/* The runs: deleted ones, too, and those that who asks may not see. */
err_t named_runs_find(struct request *q, struct db *db, struct named_runs *runs)
	__attribute__((warn_unused_result));

#endif
