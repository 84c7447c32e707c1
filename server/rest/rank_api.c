/*
 * A key across the labels of a run: a row per label, a column per bucket. Columns are joined by the
 * axis asked for; else by the step metric that define_metric() gave the key, if the run has it; else by
 * the steps that the writers sent; else by time.
 */
#include "rank_api.h"

#include <math.h>
#include <stdlib.h>

#include "auth.h"
#include "db.h"
#include "labels.h"
#include "metric_cache.h"
#include "name.h"
#include "ranks.h"
#include "reply.h"
#include "run_documents.h"
#include "run_store.h"
#include "run_view.h"
#include "series_axis.h"
#include "series_query.h"
#include "series_sampled.h"
#include "series_steps.h"
#include "step_metric.h"

enum { COLUMNS_DEFAULT = 400 };

struct rank_query {
	struct str key;
	int32_t key_id;
	int32_t time_id;
	struct axis axis;
	struct series_range range;
	uint32_t columns;
	enum ranks_slow slow;
	struct lanes lanes; /* of the key and of the axis' own, */
	bool is_read;       /* where they had to be read to find the axis */
};

/* ---- the question ------------------------------------------------------------------------------- */

static err_t read_slow(struct request *q, struct rank_query *query)
{
	struct str slow = request_query(q, "slow");

	if (slow.at && !str_is(slow, "high") && !str_is(slow, "low"))
		return err_field(q->arena, ERR_INVALID, "slow", "must be high or low");
	query->slow = str_is(slow, "low") ? RANKS_SLOW_LOW : RANKS_SLOW_HIGH;
	return NULL;
}

static err_t read_key(struct request *q, const struct run_reader *reader, struct rank_query *query)
{
	struct str names[2] = { request_query(q, "key"), STR("_timestamp") };
	int32_t ids[2];
	err_t e;

	if (!names[0].at)
		return err_field(q->arena, ERR_INVALID, "key", "\"key\" is missing");
	e = name_check(q->arena, NAME_METRIC, "key", names[0]);
	if (!e)
		e = metric_cache_find(reader->metrics, q->db, q->target->project_id, names, 2, ids);
	query->key = names[0];
	query->key_id = e ? INT32_MAX : ids[0];
	query->time_id = e ? INT32_MAX : ids[1];
	return e;
}

/* The step metric that the config gives the key; INT32_MAX: none that the project knows. */
static err_t find_step_metric(struct request *q, const struct run_reader *reader,
			      const struct rank_query *query, struct str *ret_name, int32_t *ret_id)
{
	const struct json_doc *config;
	struct run *run;
	err_t e;

	*ret_id = INT32_MAX;
	e = run_store_get(q->db, q->target->run_id, &run);
	if (!e)
		e = run_documents_config(reader, run, &config);
	if (e)
		return e;
	*ret_name = step_metric_of(config, query->key);
	if (!ret_name->len || str_equal(*ret_name, query->key))
		return NULL;
	if (str_is(*ret_name, "_step") || str_is(*ret_name, "_timestamp"))
		return NULL; /* below */
	return metric_cache_find(reader->metrics, q->db, q->target->project_id, ret_name, 1,
				 ret_id);
}

static struct series_ask ask_of(struct request *q, int32_t key_id, int32_t also)
{
	int32_t ids[2] = { key_id < also ? key_id : also, key_id < also ? also : key_id };

	return (struct series_ask){
		.run_ids = &q->target->run_id,
		.run_count = 1,
		.stream = STREAM_HISTORY,
		.key_ids = arena_copy(q->arena, ids, sizeof(ids)),
		.key_count = also == INT32_MAX ? 1 : 2,
		.project_id = q->target->project_id,
	};
}

/* Its numbers are read once, whatever the axis is: what tells it is drawn as well. */
static err_t choose_name(struct request *q, const struct run_reader *reader,
			 struct rank_query *query, struct str *ret_name)
{
	struct series_ask ask;
	int32_t step_id;
	bool sent;
	err_t e = find_step_metric(q, reader, query, ret_name, &step_id);

	if (e || str_is(*ret_name, "_step") || str_is(*ret_name, "_timestamp"))
		return e;
	ask = ask_of(q, query->key_id, step_id);
	e = series_lanes_read(q->db, reader->codec, &ask, &query->lanes);
	query->is_read = true;
	for (size_t i = 0; i < query->lanes.count; i++) {
		if (query->lanes.at[i].key_id == step_id)
			return e;
	}
	if (!e)
		e = series_steps_are_sent(q->db, reader->codec, &ask, &query->lanes, &sent);
	if (!e)
		*ret_name = sent ? STR("_step") : STR("_timestamp");
	return e;
}

/* By time, each row's stands beside the numbers. */
static err_t read_times(struct request *q, const struct run_reader *reader,
			struct rank_query *query)
{
	const struct series_ask ask = ask_of(q, query->time_id, INT32_MAX);

	if (!query->is_read || query->axis.x.axis != SERIES_TIME || query->time_id == INT32_MAX)
		return NULL;
	return series_lanes_add(q->db, reader->codec, &ask, &query->lanes);
}

static err_t choose_axis(struct request *q, const struct run_reader *reader,
			 struct rank_query *query)
{
	struct str x = request_query(q, "x");
	err_t e = NULL;

	if (!x.at)
		e = choose_name(q, reader, query, &x);
	if (!e)
		e = axis_read(q->arena, x, (struct str){ 0 }, STREAM_HISTORY, &query->axis);
	query->axis.x.key_id = query->time_id;
	if (!e && query->axis.x.axis == SERIES_KEY)
		e = metric_cache_find(reader->metrics, q->db, q->target->project_id,
				      &query->axis.name, 1, &query->axis.x.key_id);
	return e ? e : read_times(q, reader, query);
}

static err_t read_query(struct request *q, const struct run_reader *reader,
			struct rank_query *query)
{
	int64_t columns;
	err_t e;

	e = request_query_int(q, "columns", 1, SAMPLE_MAX_BUCKETS, COLUMNS_DEFAULT, &columns);
	if (!e)
		e = read_slow(q, query);
	if (!e)
		e = read_key(q, reader, query);
	if (!e)
		e = choose_axis(q, reader, query);
	if (!e)
		e = series_query_range(q, &query->axis, &query->range);
	query->columns = e ? 1 : (uint32_t)columns;
	return e;
}

/* ---- the table ---------------------------------------------------------------------------------- */

struct sheet {
	struct str *labels;          /* each once, in the order of their first writers */
	uint64_t *weights;           /* of values: how many numbers each is the mean of */
	struct series_range *ranges; /* of columns */
	struct ranks ranks;
};

static uint32_t row_of(struct sheet *s, struct str label)
{
	uint32_t i = 0;

	while (i < s->ranks.label_count && !str_equal(s->labels[i], label))
		i++;
	if (i == s->ranks.label_count)
		s->labels[s->ranks.label_count++] = label;
	return i;
}

static void add_bucket(struct sheet *s, uint32_t row, const struct bucket *b)
{
	size_t at = (size_t)row * s->ranks.column_count + b->at;
	struct series_range *range = &s->ranges[b->at];
	uint64_t all = s->weights[at] + b->n;

	if (!b->n)
		return;
	s->ranks.values[at] = s->weights[at]
				      ? s->ranks.values[at] + (b->mean - s->ranks.values[at]) *
								      ((double)b->n / (double)all)
				      : b->mean;
	s->weights[at] = all;
	range->from = b->step_first < range->from ? b->step_first : range->from;
	range->to = b->step_last > range->to ? b->step_last : range->to;
}

static struct sheet make_sheet(struct arena *a, const struct rank_query *query,
			       const struct sampled_answer *answer, const struct labels *labels)
{
	size_t cells = answer->count * (size_t)query->columns;
	struct sheet s = {
		.labels = arena_new_array(a, struct str, answer->count),
		.weights = arena_new_array(a, uint64_t, cells),
		.ranges = arena_new_array(a, struct series_range, query->columns),
		.ranks = { .column_count = query->columns,
			   .values = arena_new_array(a, double, cells),
			   .slow = query->slow },
	};

	for (size_t i = 0; i < cells; i++)
		s.ranks.values[i] = (double)NAN;
	for (uint32_t i = 0; i < query->columns; i++)
		s.ranges[i] = (struct series_range){ INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < answer->count; i++) {
		uint32_t row = row_of(&s, labels_of(labels, answer->series[i].writer));

		for (uint32_t k = 0; k < answer->series[i].count; k++)
			add_bucket(&s, row, &answer->series[i].buckets[k]);
	}
	return s;
}

/* ---- the answer --------------------------------------------------------------------------------- */

static void write_column(struct json_out *o, const struct sheet *s, const struct axis *axis,
			 uint32_t at, const struct rank_column *c)
{
	json_out_object(o);
	json_out_put_int(o, "at", at);
	axis_put(o, "x_first", axis, s->ranges[at].from);
	axis_put(o, "x_last", axis, s->ranges[at].to);
	json_out_put_finite(o, "mean", c->mean);
	json_out_put_finite(o, "min", c->min);
	json_out_put_finite(o, "max", c->max);
	json_out_put_finite(o, "median", c->median);
	json_out_put_finite(o, "spread", c->spread);
	json_out_put_text(o, "slowest", s->labels[c->slowest]);
	json_out_key(o, "missing");
	json_out_array(o);
	for (uint32_t i = 0; i < s->ranks.label_count && c->labels < s->ranks.label_count; i++) {
		if (isnan(s->ranks.values[(size_t)i * s->ranks.column_count + at]))
			json_out_text(o, s->labels[i]);
	}
	json_out_array_end(o);
	json_out_object_end(o);
}

/* Its values in the columns that are shown. */
static void write_label(struct json_out *o, const struct sheet *s, uint32_t row,
			const struct rank_label *l, const struct rank_column *columns)
{
	json_out_object(o);
	json_out_put_text(o, "label", s->labels[row]);
	json_out_put_finite(o, "mean", l->mean);
	json_out_put_real(o, "far", l->far);
	json_out_put_real(o, "slow", l->slow);
	json_out_key(o, "values");
	json_out_array(o);
	for (uint32_t i = 0; i < s->ranks.column_count; i++) {
		double x = s->ranks.values[(size_t)row * s->ranks.column_count + i];

		if (!columns[i].labels)
			continue;
		if (isnan(x))
			json_out_null(o);
		else
			json_out_real(o, x);
	}
	json_out_array_end(o);
	json_out_object_end(o);
}

static void reply_sheet(struct request *q, const struct rank_query *query, const struct sheet *s)
{
	struct rank_column *columns =
		arena_new_array(q->arena, struct rank_column, s->ranks.column_count);
	struct rank_label *labels =
		arena_new_array(q->arena, struct rank_label, s->ranks.label_count);
	struct json_out o = reply_json(q);

	ranks_measure(q->arena, &s->ranks, columns, labels);
	json_out_object(&o);
	json_out_put_text(&o, "key", query->key);
	json_out_put_text(&o, "x", query->axis.name);
	json_out_key(&o, "columns");
	json_out_array(&o);
	for (uint32_t i = 0; i < s->ranks.column_count; i++) {
		if (columns[i].labels)
			write_column(&o, s, &query->axis, i, &columns[i]);
	}
	json_out_array_end(&o);
	json_out_key(&o, "labels");
	json_out_array(&o);
	for (uint32_t i = 0; i < s->ranks.label_count; i++)
		write_label(&o, s, i, &labels[i], columns);
	json_out_array_end(&o);
	json_out_object_end(&o);
}

err_t rank_api_show(struct request *q)
{
	struct run_reader reader = run_view_reader(q);
	struct rank_query query = { 0 };
	struct sampled_answer answer = { 0 };
	struct labels labels;
	struct sheet sheet;
	err_t e = read_query(q, &reader, &query);
	struct sampled_ask ask = {
		.series = { .run_ids = &q->target->run_id,
			    .run_count = 1,
			    .stream = STREAM_HISTORY,
			    .key_ids = &query.key_id,
			    .key_count = 1,
			    .project_id = q->target->project_id },
		.x = query.axis.x,
		.range = query.range,
		.buckets = query.columns,
		.split = SERIES_SPLIT_WRITER,
		.lanes = query.is_read ? &query.lanes : NULL,
		.empty_too = true, /* who is silent in the range is missing in it */
	};

	if (!e)
		e = labels_read(q, &labels);
	if (!e && query.key_id != INT32_MAX && query.range.from <= query.range.to)
		e = series_sampled(q->db, reader.codec, &ask, &answer);
	if (e)
		return e;
	sheet = make_sheet(q->arena, &query, &answer, &labels);
	reply_sheet(q, &query, &sheet);
	return NULL;
}
