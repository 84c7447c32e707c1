/*
 * Values of metrics at the step where another was best, of a few runs, or over those of a group: a chunk or two of each
 * are read.
 */
#include "metric_best_api.h"

#include <math.h>
#include <string.h>

#include "arena.h"
#include "auth.h"
#include "etag.h"
#include "json_out.h"
#include "metric_best.h"
#include "metric_keys.h"
#include "run_goals.h"
#include "search_query.h"
#include "selected_runs.h"
#include "series_ask.h"

struct best_query {
	struct metric_keys of;
	struct metric_keys by;
	struct metric_keys all; /* of, and by as the last */
	bool has_goal;
	bool is_told; /* the goal of each run */
	enum best_goal goal;
	int64_t *ids; /* of those that may be seen */
	struct str *names;
	enum best_goal *goals;
	size_t count;
	struct best_value *values; /* [run * all.id_count + id_index] */
};

/* ---- the question -------------------------------------------------------------------------------- */

static err_t read_goal(struct request *q, struct best_query *query)
{
	struct str goal = request_query(q, "goal");

	if (goal.at && !str_is(goal, "min") && !str_is(goal, "max"))
		return err_field(q->arena, ERR_INVALID, "goal", "must be min or max");
	query->has_goal = goal.at;
	query->goal = str_is(goal, "min") ? BEST_MIN : BEST_MAX;
	return NULL;
}

static err_t read_query(struct request *q, struct best_query *query)
{
	struct metric_keys *all = &query->all;
	err_t e = metric_keys_read(q, "of", METRIC_BEST_KEYS_MAX, &query->of);

	if (!e)
		e = metric_keys_read(q, "by", 1, &query->by);
	if (!e)
		e = read_goal(q, query);
	if (e)
		return e;
	all->count = query->of.count + 1;
	all->names = arena_new_array(q->arena, struct str, all->count);
	memcpy(all->names, query->of.names, query->of.count * sizeof(*all->names));
	all->names[query->of.count] = query->by.names[0];
	return NULL;
}

/* ---- what there is ------------------------------------------------------------------------------- */

static void take_runs(struct request *q, const struct run_info **infos, size_t count,
		      struct best_query *query)
{
	query->ids = arena_new_array(q->arena, int64_t, count + 1);
	query->names = arena_new_array(q->arena, struct str, count + 1);
	for (size_t i = 0; i < count; i++) {
		if (!series_ask_may_see(q->target, infos[i]))
			continue;
		query->ids[query->count] = infos[i]->run_id;
		query->names[query->count++] = infos[i]->name;
	}
}

static err_t find_named(struct request *q, struct best_query *query)
{
	struct selected_runs runs = { 0 };
	err_t e = selected_runs_read_names(q, METRIC_BEST_RUNS_MAX, &runs);

	if (!e)
		e = selected_runs_find_named(q, q->primary, &runs);
	if (!e)
		take_runs(q, runs.infos, runs.count, query);
	return e;
}

static err_t find_together(struct request *q, struct best_query *query)
{
	struct selected_runs runs;
	err_t e = selected_runs_find_filtered(q, METRIC_BEST_TOGETHER_MAX, &runs);

	if (!e)
		take_runs(q, runs.infos, runs.count, query);
	return e;
}

/* Asked for, or what the runs' own definitions say; `is_told`: also where no run has the metric. */
static err_t find_goals(const struct run_reader *reader, struct request *q,
			struct best_query *query)
{
	const struct run_goals_ask ask = { query->ids, query->count, query->by.names[0] };
	const bool is_read = query->is_told || query->all.id_index[query->of.count] >= 0;

	query->goals = arena_new_array(q->arena, enum best_goal, query->count + 1);
	if (!query->has_goal && is_read)
		return run_goals_read(reader->db, &ask, query->goals);
	for (size_t i = 0; i < query->count; i++)
		query->goals[i] = query->goal;
	return NULL;
}

static err_t read_values(const struct run_reader *reader, struct request *q,
			 struct best_query *query)
{
	int32_t by = query->all.id_index[query->of.count];
	const struct metric_best_ask ask = {
		.run_ids = query->ids,
		.goals = query->goals,
		.run_count = by < 0 ? 0 : query->count,
		.key_ids = query->all.ids,
		.key_count = query->all.id_count,
		.by = (size_t)by,
		.project_id = q->target->project_id,
	};

	query->values = arena_new_array(q->arena, struct best_value,
					query->count * query->all.id_count + 1);
	return metric_best_read(reader, &ask, query->values);
}

static err_t read_best(struct request *q, err_t (*find)(struct request *, struct best_query *),
		       struct best_query *query)
{
	struct run_reader reader = run_view_reader(q);
	err_t e = read_query(q, query);

	if (!e)
		e = find(q, query);
	if (!e)
		e = metric_keys_find(q, &reader, &query->all);
	if (!e)
		e = find_goals(&reader, q, query);
	if (!e)
		e = read_values(&reader, q, query);
	return e;
}

/* ---- run by run ---------------------------------------------------------------------------------- */

static const struct best_value *value_of(const struct best_query *query, size_t run, size_t key)
{
	static const struct best_value none = { 0 };
	int32_t index = query->all.id_index[key];

	return index < 0 ? &none : &query->values[run * query->all.id_count + (size_t)index];
}

static void write_value(struct json_out *o, const struct best_value *value)
{
	if (!value->is_there) {
		json_out_null(o);
		return;
	}
	json_out_object(o);
	json_out_put_real(o, "value", value->number);
	json_out_put_int(o, "step", value->step);
	json_out_object_end(o);
}

static void write_run(struct json_out *o, const struct best_query *query, size_t run)
{
	const struct best_value *best = value_of(query, run, query->of.count);

	json_out_object(o);
	json_out_put_text(o, "id", query->names[run]);
	json_out_put_text(o, "goal", query->goals[run] == BEST_MIN ? STR("min") : STR("max"));
	json_out_key(o, "best");
	write_value(o, best);
	json_out_key(o, "values");
	json_out_array(o);
	for (size_t i = 0; i < query->of.count; i++)
		write_value(o, value_of(query, run, i));
	json_out_array_end(o);
	json_out_object_end(o);
}

err_t metric_best_api_list(struct request *q)
{
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);
	struct best_query query = { .is_told = true };
	err_t e = read_best(q, find_named, &query);

	if (e)
		return e;
	json_out_object(&out);
	json_out_key(&out, "items");
	json_out_array(&out);
	for (size_t i = 0; i < query.count; i++)
		write_run(&out, &query, i);
	json_out_array_end(&out);
	json_out_object_end(&out);
	return etag_reply(q, "application/json", body);
}

/* ---- together ------------------------------------------------------------------------------------ */

/* numbers: room for one of each run. */
static void write_sums(struct json_out *o, const struct best_query *query, size_t key,
		       double *numbers)
{
	struct search_numbers sums;

	for (size_t run = 0; run < query->count; run++) {
		const struct best_value *value = value_of(query, run, key);

		numbers[run] = value->is_there ? value->number : (double)NAN;
	}
	sums = selected_runs_sum(numbers, query->count);
	search_query_write_numbers(o, &sums);
}

err_t metric_best_api_together(struct request *q)
{
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);
	struct best_query query = { .count = 0 };
	err_t e = read_best(q, find_together, &query);
	double *numbers;

	if (e)
		return e;
	numbers = arena_new_array(q->arena, double, query.count + 1);
	json_out_object(&out);
	json_out_put_int(&out, "runs", (int64_t)query.count);
	json_out_key(&out, "best");
	write_sums(&out, &query, query.of.count, numbers);
	json_out_key(&out, "values");
	json_out_array(&out);
	for (size_t i = 0; i < query.of.count; i++)
		write_sums(&out, &query, i, numbers);
	json_out_array_end(&out);
	json_out_object_end(&out);
	return etag_reply(q, "application/json", body);
}
