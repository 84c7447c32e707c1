#ifndef ROW_MATCH_H
#define ROW_MATCH_H

#include "db.h"
#include "json_rows.h"
#include "run.h"
#include "tail_store.h"

struct metric_cache;

/*
 * Finds rows of a request that are stored already, by their content: the same keys with the same
 * values at the same step (events: at the same time), from any sender. For senders whose rows
 * nothing else identifies: a folder of a process that had a name may be synced without it. Rows
 * without a step are looked up by the moment at which they were logged (`_timestamp`). Only rows
 * that may be the same are read.
 */
struct row_match {
	struct db *db;
	struct codec *codec;
	struct metric_cache *metrics;
	int64_t project_id;
	const struct run *run; /* as it is now */
	int32_t found_lane;    /* is set: the lane of a row that is stored, or -1 */
};

/* known[i]: the row is stored. `rows` have their axes; memory is the rows'. Outside a transaction. */
err_t row_match(struct row_match *m, enum stream stream, const struct json_rows *rows, bool *known)
	__attribute__((nonnull, warn_unused_result));

#endif
