#ifndef ROW_MATCH_H
#define ROW_MATCH_H

#include "db.h"
#include "json_rows.h"
#include "series_store.h"
#include "writer.h"

struct metric_cache;

/*
 * Which rows of a request a writer stored before, by what is in them: the same keys with the same values
 * at the same step (of events: at the same time). For senders whose rows nothing else identifies. Only
 * rows are looked at that may be the same, by their steps.
 */
struct row_match {
	struct db *db;
	struct codec *codec;
	struct metric_cache *metrics;
	int64_t project_id;
	const struct writer *writer; /* as it is now */
};

/* known[i]: the row is stored. `rows` have their axes; memory is the rows'. Outside a transaction. */
err_t row_match(const struct row_match *m, enum stream stream, const struct json_rows *rows,
		bool *known) __attribute__((nonnull, warn_unused_result));

#endif
