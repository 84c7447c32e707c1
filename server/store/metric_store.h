#ifndef METRIC_STORE_H
#define METRIC_STORE_H

#include "db.h"
#include "db_row.h"

/* The dictionary of a project's metric names; a name keeps its number for ever. */
enum { METRICS_PER_PROJECT = 100000 };

struct metric {
	int32_t key_id;
	struct str name;
};

/* Those of the names that are known, in any order. */
err_t metric_store_list(struct db *db, int64_t project_id, const struct str *names, size_t count,
			struct metric **ret_metrics, size_t *ret_count);
err_t metric_store_names(struct db *db, int64_t project_id, const int32_t *key_ids, size_t count,
			 struct metric **ret_metrics, size_t *ret_count);
/*
 * Gives numbers to names that have none, in a transaction of its own; afterwards all are known.
 * ERR_UNPROCESSABLE when the project has METRICS_PER_PROJECT already.
 */
err_t metric_store_add(struct db *db, int64_t project_id, const struct str *names, size_t count);

/* A shortened name and the whole one (odd_name.h), of those names that are shortened. */
struct metric_whole {
	struct str name;
	struct str whole_name;
};
err_t metric_store_wholes(struct db *db, int64_t project_id, const struct str *names, size_t count,
			  struct metric_whole **ret_wholes, size_t *ret_count);
/* Those that are not known yet; of names that have numbers. */
err_t metric_store_save_wholes(struct db *db, int64_t project_id, const struct metric_whole *wholes,
			       size_t count);

#endif
