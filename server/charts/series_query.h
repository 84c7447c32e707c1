#ifndef SERIES_QUERY_H
#define SERIES_QUERY_H

#include "labels.h"
#include "request.h"
#include "run_view.h"
#include "series_axis.h"
#include "series_sampled.h"

/* The query of a request for history or events. */
enum series_format { SERIES_SAMPLED, SERIES_NDJSON, SERIES_CSV }; /* as in read_format() */

struct series_query {
	enum stream stream;
	enum series_format format;
	struct str *keys; /* as asked */
	size_t key_count;
	int32_t *key_ids; /* of each key; INT32_MAX: the project has no such key */
	struct labels labels;
	int32_t *writers;
	size_t writer_count;
	struct axis axis;
	struct series_range range; /* positions on it */
	int64_t after;             /* exact rows behind this one; -1: all */
	int64_t every;             /* every n-th exact row is shown; 1: all */
	int64_t row;               /* exact: this one alone; -1: all */
	bool whole_texts;          /* exact: also long ones */
	uint32_t buckets;
	enum series_split split;
	int32_t branch; /* as in series_ask */
};

enum { SERIES_KEYS_MAX = 1000 };

/* Reads and checks all of it, and finds the numbers of names. */
err_t series_query_read(struct request *q, enum stream stream, const struct run_reader *reader,
			struct series_query *ret_query) __attribute__((warn_unused_result));

/* The query of a request for the rows of a whole project: keys, format, range. */
err_t series_query_read_exact(struct request *q, const struct run_reader *reader,
			      struct series_query *ret_query) __attribute__((warn_unused_result));

/* Reads names of metrics with commas in between, at most `most`. No names if the parameter is missing. */
err_t series_query_keys(struct request *q, const char *name, size_t most, struct str **ret_keys,
			size_t *ret_count) __attribute__((warn_unused_result));

/* "from" and "to" of the query, as positions on the axis. */
err_t series_query_range(struct request *q, const struct axis *axis, struct series_range *ret_range)
	__attribute__((warn_unused_result));

/* Returns the numbers of keys that exist: ascending, each once. also: one more, or INT32_MAX. */
size_t series_query_ids(const struct series_query *query, struct arena *a, int32_t also,
			int32_t **ret_ids);

#endif
