#ifndef ATTEMPT_STORE_H
#define ATTEMPT_STORE_H

#include "db.h"
#include "db_row.h"

/* Config and summary of earlier attempts of a run, as they were when another process began it again. */
enum { ATTEMPTS_KEPT = 20 /* of a run, the last ones */ };

struct attempt_info {
	int32_t attempt;
	int16_t state; /* of the run, when it had ended */
	int64_t row_count;
	timestamp_us ended_at; /* 0: it is not known */
	timestamp_us kept_at;
};

struct attempt_documents {
	struct str config;
	struct str summary;
};

/* An attempt that is kept already stays as it is; beyond ATTEMPTS_KEPT the oldest are deleted. */
err_t attempt_store_keep(struct db *db, int64_t run_id, const struct attempt_info *info,
			 const struct attempt_documents *documents)
	__attribute__((warn_unused_result));

/* By number, those after `after`. */
err_t attempt_store_list(struct db *db, int64_t run_id, int32_t after, int64_t limit,
			 struct attempt_info **ret_rows, size_t *ret_count)
	__attribute__((warn_unused_result));

/* NULL: none are kept for this attempt. */
err_t attempt_store_find(struct db *db, int64_t run_id, int32_t attempt,
			 struct attempt_documents **ret_documents)
	__attribute__((warn_unused_result));

#endif
