#include "series_api.h"

#include <stdlib.h>

#include "auth.h"
#include "json_out.h"
#include "json_rows.h"
#include "metric_cache.h"
#include "metric_store.h"
#include "page.h"
#include "reply.h"
#include "row_json.h"
#include "series_export.h"
#include "series_query.h"

/* ---- sampled ------------------------------------------------------------------------------------- */

static void write_bucket(struct json_out *o, const struct bucket *b, const struct axis *axis)
{
	json_out_object(o);
	axis_put(o, "x_first", axis, b->step_first);
	axis_put(o, "x_last", axis, b->step_last);
	json_out_put_real(o, "first", b->first);
	json_out_put_real(o, "last", b->last);
	json_out_put_finite(o, "min", b->min);
	json_out_put_finite(o, "max", b->max);
	json_out_put_finite(o, "mean", b->mean);
	json_out_put_int(o, "n", (int64_t)b->n);
	json_out_put_int(o, "nan", (int64_t)b->nan);
	json_out_put_int(o, "pinf", (int64_t)b->pinf);
	json_out_put_int(o, "ninf", (int64_t)b->ninf);
	json_out_object_end(o);
}

static void write_series(struct json_out *o, const struct series_query *query, struct str key,
			 const struct sampled *s)
{
	json_out_object(o);
	json_out_put_text(o, "key", key);
	if (s && query->split == SERIES_SPLIT_WRITER) {
		json_out_put_text(o, "label", labels_of(&query->labels, s->writer));
		json_out_put_int(o, "writer", s->writer);
	}
	json_out_key(o, "buckets");
	json_out_array(o);
	for (uint32_t i = 0; s && i < s->count; i++)
		write_bucket(o, &s->buckets[i], &query->axis);
	json_out_array_end(o);
	json_out_object_end(o);
}

/* In the order asked; a key without numbers has one series without buckets. */
static void write_key(struct json_out *o, const struct series_query *query, size_t which,
		      const struct sampled *series, size_t count)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (series[i].key_id != query->key_ids[which])
			continue;
		write_series(o, query, query->keys[which], &series[i]);
		any = true;
	}
	if (!any && query->split == SERIES_SPLIT_RUN)
		write_series(o, query, query->keys[which], NULL);
}

static err_t sample(struct request *q, const struct run_reader *reader,
		    const struct series_query *query, struct sampled_answer *ret_answer)
{
	int32_t *ids;
	struct sampled_ask ask = {
		.series = {
			.run_ids = &q->target->run_id,
			.run_count = 1,
			.stream = query->stream,
			.key_count = series_query_ids(query, q->arena, INT32_MAX, &ids),
			.writers = query->writers,
			.writer_count = query->writer_count,
			.branch = query->branch,
			.project_id = q->target->project_id,
		},
		.x = query->axis.x,
		.range = query->range,
		.buckets = query->buckets,
		.split = query->split,
	};

	ask.series.key_ids = ids;
	*ret_answer = (struct sampled_answer){ 0 };
	if (!ask.series.key_count || ask.range.from > ask.range.to)
		return NULL;
	return series_sampled(q->db, reader->codec, &ask, ret_answer);
}

static err_t reply_sampled(struct request *q, const struct run_reader *reader,
			   const struct series_query *query)
{
	struct json_out out = reply_json(q);
	struct sampled_answer answer;
	err_t e;

	e = sample(q, reader, query, &answer);
	if (e)
		return e;
	json_out_object(&out);
	json_out_put_text(&out, "x", query->axis.name);
	json_out_put_int(&out, "buckets", query->buckets);
	axis_put_aside(&out, &query->axis, &answer.aside);
	json_out_key(&out, "series");
	json_out_array(&out);
	for (size_t i = 0; i < query->key_count; i++)
		write_key(&out, query, i, answer.series, answer.count);
	json_out_array_end(&out);
	json_out_object_end(&out);
	return NULL;
}

static err_t show(struct request *q, enum stream stream)
{
	struct run_view *view = run_view_begin(q, q->arena);
	const struct run_reader *reader = run_view_of(view);
	struct series_query query;
	err_t e;

	e = series_query_read(q, stream, reader, &query);
	if (!e)
		e = query.format == SERIES_SAMPLED ? reply_sampled(q, reader, &query)
						   : series_export(q, reader, &query);
	run_view_end(view);
	return e;
}

err_t series_api_history(struct request *q)
{
	return show(q, STREAM_HISTORY);
}

err_t series_api_events(struct request *q)
{
	return show(q, STREAM_EVENTS);
}

/* ---- keys ---------------------------------------------------------------------------------------- */

enum { KEYS_LIMIT = 1000, KEYS_LIMIT_MAX = 10000 };

static void write_kinds(struct json_out *o, uint32_t kinds)
{
	static const char *const names[] = { "number", "nonfinite", "integer", "bool",
					     "null",   "string",    "array",   "object" };

	json_out_key(o, "kinds");
	json_out_array(o);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (kinds & 1u << i)
			json_out_text(o, str_of(names[i]));
	}
	json_out_array_end(o);
}

struct named_stat {
	struct str name;
	struct str whole; /* where the name is a shortened one; else empty */
	const struct key_stat *stat;
};

static void write_key_stat(struct json_out *o, const struct named_stat *named, enum stream stream)
{
	const struct key_stat *stat = named->stat;
	const struct row_form form = { .stream = stream };
	struct row_value last = { 0, stat->is_text, stat->number, stat->text };

	json_out_object(o);
	json_out_put_text(o, "key", named->name);
	if (named->whole.len)
		json_out_put_text(o, "whole_key", named->whole);
	json_out_put_int(o, "count", (int64_t)stat->row_count);
	json_out_key(o, "last");
	row_json_write_value(o, &last);
	if (key_stat_is_shortened(stat))
		row_json_put_href(o, "last_href", stat->row_last, named->name, &form);
	write_kinds(o, stat->kinds);
	if (stream == STREAM_EVENTS)
		json_out_put_null(o, "step_last");
	else
		json_out_put_int(o, "step_last", stat->step_last);
	json_out_object_end(o);
}

static int by_name(const void *a, const void *b)
{
	return str_compare(((const struct named_stat *)a)->name,
			   ((const struct named_stat *)b)->name);
}

static err_t read_named(struct request *q, enum stream stream, struct named_stat **ret_stats,
			size_t *ret_count)
{
	struct run_reader reader = run_view_reader(q);
	struct key_stats *stats = arena_new_of(q->arena, struct key_stats);
	struct named_stat *named;
	struct str *names;
	int32_t *ids;
	err_t e;

	e = run_documents_keys(&reader, q->target->project_id, q->target->run_id, stream, stats);
	if (e)
		return e;
	ids = arena_new_array(q->arena, int32_t, stats->count);
	names = arena_new_array(q->arena, struct str, stats->count);
	named = arena_new_array(q->arena, struct named_stat, stats->count);
	for (uint32_t i = 0; i < stats->count; i++)
		ids[i] = (int32_t)stats->items[i].key_id;
	e = metric_cache_names(reader.metrics, q->db, q->target->project_id, ids, stats->count,
			       names);
	if (e)
		return e;
	*ret_count = 0;
	for (uint32_t i = 0; i < stats->count; i++) {
		if (!str_is(names[i], "_timestamp")) /* an axis, no metric */
			named[(*ret_count)++] =
				(struct named_stat){ .name = names[i], .stat = &stats->items[i] };
	}
	qsort(named, *ret_count, sizeof(named[0]), by_name);
	*ret_stats = named;
	return NULL;
}

/* Few names are as long as a shortened one: only with such a name is the database asked. */
static err_t read_wholes(struct request *q, struct named_stat *stats, size_t count)
{
	struct str *names = arena_new_array(q->arena, struct str, count);
	struct metric_whole *wholes;
	size_t asked = 0;
	size_t found;
	err_t e;

	for (size_t i = 0; i < count; i++) {
		if (stats[i].name.len + 4 > JSON_KEY_MAX_BYTES)
			names[asked++] = stats[i].name;
	}
	if (!asked)
		return NULL;
	e = metric_store_wholes(q->db, q->target->project_id, names, asked, &wholes, &found);
	for (size_t i = 0; !e && i < found; i++) {
		const struct named_stat wanted = { .name = wholes[i].name };
		struct named_stat *stat = bsearch(&wanted, stats, count, sizeof(stats[0]), by_name);

		if (stat)
			stat->whole = wholes[i].whole_name;
	}
	return e;
}

static err_t read_stream(struct request *q, enum stream *ret_stream)
{
	struct str stream = request_query(q, "stream");

	if (stream.at && !str_is(stream, "history") && !str_is(stream, "events"))
		return err_field(q->arena, ERR_INVALID, "stream", "must be history or events");
	*ret_stream = str_is(stream, "events") ? STREAM_EVENTS : STREAM_HISTORY;
	return NULL;
}

/* Returns the first of them behind the position where the page before ended. */
static size_t first_after(const struct named_stat *stats, size_t count, struct str after)
{
	size_t i = 0;

	while (after.len && i < count && str_compare(stats[i].name, after) <= 0)
		i++;
	return i;
}

static void reply_keys(struct request *q, struct page *page, enum stream stream,
		       const struct named_stat *stats, size_t count)
{
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown; i++)
		write_key_stat(&page->out, &stats[i], stream);
	if (page->has_more)
		page_set_cursor(q, page, "%.*s", STR_ARG(stats[page->shown - 1].name));
	page_end(q, page);
}

err_t series_api_keys(struct request *q)
{
	struct named_stat *stats;
	enum stream stream;
	struct page page;
	size_t count;
	size_t first;
	err_t e;

	e = page_read_limited(q, KEYS_LIMIT, KEYS_LIMIT_MAX, &page);
	if (!e)
		e = read_stream(q, &stream);
	if (!e)
		e = read_named(q, stream, &stats, &count);
	if (e)
		return e;
	first = first_after(stats, count, page.after);
	count -= first;
	e = read_wholes(q, &stats[first], count < (size_t)page.limit ? count : (size_t)page.limit);
	if (!e)
		reply_keys(q, &page, stream, &stats[first], count);
	return e;
}
