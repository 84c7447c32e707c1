#include "series_query.h"

#include <math.h>
#include <stdlib.h>

#include "auth.h"
#include "branch_store.h"
#include "key_list.h"
#include "metric_cache.h"
#include "name.h"
#include "run_store.h"

enum { BUCKETS_DEFAULT = 1000, SERIES_EVERY_MAX = 1000000000 };

/* ---- keys ------------------------------------------------------------------------------------------- */

err_t series_query_keys(struct request *q, const char *name, size_t most, struct str **ret_keys,
			size_t *ret_count)
{
	struct str rest = request_query(q, name);
	struct str *keys;
	size_t count = 0;

	*ret_count = 0;
	if (!rest.at)
		return NULL;
	keys = arena_new_array(q->arena, struct str, most);
	while (rest.at) {
		struct str key = key_list_next(q->arena, &rest);
		err_t e = name_check(q->arena, NAME_METRIC, name, key);

		if (e)
			return e;
		if (count == most)
			return err_field(q->arena, ERR_INVALID, name, "more than %zu keys", most);
		keys[count++] = key;
	}
	*ret_keys = keys;
	*ret_count = count;
	return NULL;
}

static err_t read_keys(struct request *q, struct series_query *query)
{
	return series_query_keys(q, "keys", SERIES_KEYS_MAX, &query->keys, &query->key_count);
}

/* Charts have no steps as values. Exact rows have them anyway, so only a request for nothing else is refused. */
static err_t check_steps(struct request *q, const struct series_query *query)
{
	size_t steps = 0;

	for (size_t i = 0; i < query->key_count; i++)
		steps += axis_is_steps(query->keys[i], query->stream);
	if (!steps || (query->format != SERIES_SAMPLED && steps < query->key_count))
		return NULL;
	return axis_refuse_steps(q->arena, "keys");
}

/* ---- the other parameters --------------------------------------------------------------------------
 *
 * A parameter that does not go with the format is an error, unless its value is its default: clients that are generated
 * from the contract send every default. */

static err_t read_format(struct request *q, struct series_query *query)
{
	static const char *const names[] = { "json", "ndjson", "csv" };
	static const char *const types[] = { "application/json", "application/x-ndjson", "text/csv",
					     NULL };
	struct str format = request_query(q, "format");

	if (!format.at) {
		bool wants_buckets = request_query(q, "buckets").at; /* whatever it accepts */

		query->format = wants_buckets ? SERIES_SAMPLED
					      : (enum series_format)request_accepts(q, types);
		return NULL;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (str_is(format, names[i])) {
			query->format = (enum series_format)i;
			return NULL;
		}
	}
	return err_field(q->arena, ERR_INVALID, "format",
			 "must be json, ndjson or csv, not \"%.*s\"", STR_ARG(format));
}

static err_t read_split(struct request *q, struct series_query *query)
{
	struct str split = request_query(q, "split");

	if (!split.at || str_is(split, "run"))
		query->split = SERIES_SPLIT_RUN;
	else if (str_is(split, "writer"))
		query->split = SERIES_SPLIT_WRITER;
	else
		return err_field(q->arena, ERR_INVALID, "split", "must be run or writer");
	return NULL;
}

static err_t read_position(struct request *q, const struct axis *axis, const char *name,
			   int64_t absent, int64_t *ret_position)
{
	struct str text = request_query(q, name);
	double number;

	*ret_position = absent;
	if (!text.at)
		return NULL;
	if (!str_to_double(text, &number))
		number = (double)NAN; /* which no axis has */
	return axis_position(q->arena, axis, name, number, ret_position);
}

err_t series_query_range(struct request *q, const struct axis *axis, struct series_range *ret_range)
{
	err_t e = read_position(q, axis, "from", INT64_MIN, &ret_range->from);

	return e ? e : read_position(q, axis, "to", INT64_MAX, &ret_range->to);
}

/* Exact rows are cut by steps, or seconds, as they are sampled without an `x`. */
static err_t read_axis(struct request *q, struct series_query *query)
{
	struct str x = request_query(q, "x");
	struct str scale = request_query(q, "scale");
	err_t e;

	if (query->format != SERIES_SAMPLED && (x.at || (scale.at && !str_is(scale, "linear"))))
		return err_field(q->arena, ERR_INVALID, x.at ? "x" : "scale",
				 "exact rows have no axis: omit it or \"format\"");
	e = axis_read(q->arena, x, scale, query->stream, &query->axis);
	return e ? e : series_query_range(q, &query->axis, &query->range);
}

static err_t read_buckets(struct request *q, struct series_query *query)
{
	int64_t buckets;
	err_t e;

	e = request_query_int(q, "buckets", 1, SAMPLE_MAX_BUCKETS, BUCKETS_DEFAULT, &buckets);
	if (e)
		return e;
	query->buckets = (uint32_t)buckets;
	if (query->format != SERIES_SAMPLED && buckets != BUCKETS_DEFAULT)
		return err_field(q->arena, ERR_INVALID, "buckets",
				 "exact rows have no buckets: omit \"buckets\" or \"format\"");
	if (query->format == SERIES_SAMPLED && !query->key_count) {
		struct err *missing =
			err_field(q->arena, ERR_INVALID, "keys", "\"keys\" is missing");

		missing->hint = "GET .../keys lists the keys; format=ndjson or csv returns all "
				"rows";
		return missing;
	}
	return NULL;
}

/* Reads where an export goes on. */
static err_t read_after(struct request *q, struct series_query *query)
{
	if (query->format == SERIES_SAMPLED && request_query(q, "after").at)
		return err_field(q->arena, ERR_INVALID, "after",
				 "\"after\" requires format=ndjson or csv");
	return request_query_int(q, "after", 0, INT64_MAX - 1, -1, &query->after);
}

static err_t needs_exact(struct request *q, const char *name)
{
	return err_field(q->arena, ERR_INVALID, name, "\"%s\" requires format=ndjson or csv", name);
}

static err_t read_every(struct request *q, struct series_query *query)
{
	err_t e = request_query_int(q, "every", 1, SERIES_EVERY_MAX, 1, &query->every);

	if (e)
		return e;
	if (query->format == SERIES_SAMPLED && query->every != 1)
		return needs_exact(q, "every");
	return NULL;
}

static err_t read_row(struct request *q, struct series_query *query)
{
	if (query->format == SERIES_SAMPLED && request_query(q, "row").at)
		return needs_exact(q, "row");
	return request_query_int(q, "row", 0, INT64_MAX - 1, -1, &query->row);
}

static err_t read_texts(struct request *q, struct series_query *query)
{
	struct str texts = request_query(q, "texts");

	if (texts.at && !str_is(texts, "short") && !str_is(texts, "whole"))
		return err_field(q->arena, ERR_INVALID, "texts", "must be short or whole");
	query->whole_texts = str_is(texts, "whole");
	if (query->format == SERIES_SAMPLED && query->whole_texts)
		return needs_exact(q, "texts");
	return NULL;
}

/* A run without branches has only branch 0. */
static err_t read_branch(struct request *q, struct series_query *query)
{
	struct branch_view view;
	int64_t number;
	struct run *run;
	err_t e = request_query_int(q, "branch", 0, INT32_MAX - 1, -1, &number);

	if (e || number < 0)
		return e;
	e = run_store_get(q->db, q->target->run_id, &run);
	if (!e && (run->branch || number))
		e = branch_store_view(q->db, q->target->run_id, (int32_t)number, &view);
	if (!e && number != run->branch)
		query->branch = (int32_t)number + 1;
	return e;
}

static err_t read_label(struct request *q, struct series_query *query)
{
	struct str label;
	err_t e;

	e = labels_asked(q, &label);
	if (!e && !label.at && query->format == SERIES_SAMPLED && query->split == SERIES_SPLIT_RUN)
		return NULL; /* no label is shown */
	if (!e)
		e = labels_read(q, &query->labels);
	if (!e)
		labels_find(&query->labels, q->arena, label, &query->writers, &query->writer_count);
	return e;
}

/* The numbers of the keys and of the axis. */
static err_t find_ids(struct request *q, const struct run_reader *reader,
		      struct series_query *query)
{
	struct str *names = arena_new_array(q->arena, struct str, query->key_count + 1);
	int32_t *ids = arena_new_array(q->arena, int32_t, query->key_count + 1);
	err_t e;

	for (size_t i = 0; i < query->key_count; i++)
		names[i] = query->keys[i];
	names[query->key_count] = axis_key_name(&query->axis);
	e = metric_cache_find(reader->metrics, q->db, q->target->project_id, names,
			      query->key_count + 1, ids);
	if (e)
		return e;
	query->key_ids = ids;
	query->axis.x.key_id = ids[query->key_count];
	return NULL;
}

err_t series_query_read(struct request *q, enum stream stream, const struct run_reader *reader,
			struct series_query *ret_query)
{
	struct series_query query = { .stream = stream };
	err_t e;

	e = read_keys(q, &query);
	if (!e)
		e = read_format(q, &query);
	if (!e)
		e = read_split(q, &query);
	if (!e)
		e = read_axis(q, &query);
	if (!e)
		e = check_steps(q, &query);
	if (!e)
		e = read_buckets(q, &query);
	if (!e)
		e = read_after(q, &query);
	if (!e)
		e = read_every(q, &query);
	if (!e)
		e = read_row(q, &query);
	if (!e)
		e = read_texts(q, &query);
	if (!e && stream == STREAM_HISTORY)
		e = read_branch(q, &query);
	if (!e)
		e = read_label(q, &query);
	if (e)
		return e;
	*ret_query = query;
	return find_ids(q, reader, ret_query);
}

err_t series_query_read_exact(struct request *q, const struct run_reader *reader,
			      struct series_query *ret_query)
{
	struct series_query query = { .stream = STREAM_HISTORY, .every = 1, .row = -1 };
	err_t e;

	e = read_keys(q, &query);
	if (!e)
		e = read_format(q, &query);
	if (!e && query.format == SERIES_SAMPLED && request_query(q, "format").at)
		e = err_field(q->arena, ERR_INVALID, "format", "must be ndjson or csv");
	if (!e && query.format == SERIES_SAMPLED)
		query.format = SERIES_NDJSON;
	if (!e)
		e = read_texts(q, &query);
	if (!e)
		e = read_axis(q, &query);
	if (!e && query.format == SERIES_CSV && !query.key_count)
		e = err_field(q->arena, ERR_INVALID, "keys",
			      "\"keys\" is required for CSV of several runs");
	if (e)
		return e;
	*ret_query = query;
	return find_ids(q, reader, ret_query);
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

size_t series_query_ids(const struct series_query *query, struct arena *a, int32_t also,
			int32_t **ret_ids)
{
	int32_t *ids = arena_new_array(a, int32_t, query->key_count + 1);
	size_t count = 0;
	size_t kept = 0;

	for (size_t i = 0; i < query->key_count; i++) {
		if (query->key_ids[i] != INT32_MAX)
			ids[count++] = query->key_ids[i];
	}
	if (also != INT32_MAX)
		ids[count++] = also;
	qsort(ids, count, sizeof(ids[0]), by_number);
	for (size_t i = 0; i < count; i++) {
		if (!kept || ids[kept - 1] != ids[i])
			ids[kept++] = ids[i];
	}
	*ret_ids = ids;
	return kept;
}
