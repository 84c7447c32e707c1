#ifndef ROW_MATCH_H
#define ROW_MATCH_H

#include "db.h"
#include "json_rows.h"
#include "series_store.h"
#include "run.h"

struct metric_cache;

/*
 * Which rows of a request are stored already, by what is in them: the same keys with the same values at the same
 * step (of events: at the same time), whoever sent them. For senders whose rows nothing else identifies:
 * a folder of a process that had a name may be synced without it. Of rows that tell no step the moment at which
 * they were logged (`_timestamp`) tells where to look. Only rows are read that may be the same.
 */
struct row_match {
	struct db *db;
	struct codec *codec;
	struct metric_cache *metrics;
	int64_t project_id;
	const struct run *run; /* as it is now */
	int32_t found_lane;    /* is set: whose a row was that is stored, or -1 */
};

/* known[i]: the row is stored. `rows` have their axes; memory is the rows'. Outside a transaction. */
err_t row_match(struct row_match *m, enum stream stream, const struct json_rows *rows, bool *known)
	__attribute__((nonnull, warn_unused_result));

#endif
