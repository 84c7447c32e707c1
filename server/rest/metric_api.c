/*
 * Columns of the list of runs: what a metric was over a run's history, and over those of a group's runs. From the
 * statistics of keys, so no values are read.
 */
#include "metric_api.h"

#include <math.h>
#include <stdlib.h>

#include "auth.h"
#include "etag.h"
#include "json_out.h"
#include "metric_keys.h"
#include "metric_sums.h"
#include "search_query.h"
#include "selected_runs.h"
#include "series_ask.h"

/* Runs that may be seen, and what their metrics were. */
struct metric_runs {
	struct str *names;
	int64_t *ids; /* ascending */
	size_t count;
	struct bucket *sums; /* [run * id_count + id_index] */
};

struct one_run {
	struct str name;
	int64_t id;
};

static int by_id(const void *a, const void *b)
{
	const struct one_run *x = a;
	const struct one_run *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct metric_runs new_runs(struct request *q, struct one_run *some, size_t count)
{
	struct metric_runs runs = {
		.names = arena_new_array(q->arena, struct str, count + 1),
		.ids = arena_new_array(q->arena, int64_t, count + 1),
		.count = count,
	};

	qsort(some, count, sizeof(some[0]), by_id);
	for (size_t i = 0; i < count; i++) {
		runs.names[i] = some[i].name;
		runs.ids[i] = some[i].id;
	}
	return runs;
}

/* The keys that are asked for, the runs that `find` finds, and what the keys were there. */
static err_t read_sums(struct request *q, err_t (*find)(struct request *, struct metric_runs *),
		       struct metric_keys *keys, struct metric_runs *runs)
{
	struct run_reader reader = run_view_reader(q);
	struct metric_sums_ask ask;
	err_t e = metric_keys_read(q, "keys", METRIC_KEYS_MAX, keys);

	if (!e)
		e = find(q, runs);
	if (!e)
		e = metric_keys_find(q, &reader, keys);
	if (e)
		return e;
	ask = (struct metric_sums_ask){
		.run_ids = runs->ids,
		.run_count = runs->count,
		.key_ids = keys->ids,
		.key_count = keys->id_count,
		.project_id = q->target->project_id,
	};
	runs->sums = arena_new_array(q->arena, struct bucket, runs->count * keys->id_count + 1);
	return metric_sums_read(&reader, &ask, runs->sums);
}

/* NULL: the run has no number of it. */
static const struct bucket *sum_of(const struct metric_runs *runs, const struct metric_keys *keys,
				   size_t run, size_t key)
{
	const struct bucket *sum;

	if (keys->id_index[key] < 0)
		return NULL;
	sum = &runs->sums[run * keys->id_count + (size_t)keys->id_index[key]];
	return metric_sums_has(sum) ? sum : NULL;
}

/* ---- run by run ---------------------------------------------------------------------------------- */

static err_t find_named(struct request *q, struct metric_runs *ret_runs)
{
	struct selected_runs named = { 0 };
	struct one_run *some;
	size_t count = 0;
	err_t e = selected_runs_read_names(q, METRIC_RUNS_MAX, &named);

	if (!e)
		e = selected_runs_find_named(q, q->primary, &named);
	if (e)
		return e;
	some = arena_new_array(q->arena, struct one_run, named.count + 1);
	for (size_t i = 0; i < named.count; i++) {
		if (series_ask_may_see(q->target, named.infos[i]))
			some[count++] =
				(struct one_run){ named.infos[i]->name, named.infos[i]->run_id };
	}
	*ret_runs = new_runs(q, some, count);
	return NULL;
}

static void write_sum(struct json_out *o, const struct bucket *sum)
{
	if (!sum) {
		json_out_null(o);
		return;
	}
	json_out_object(o);
	json_out_put_real(o, "last", sum->last);
	json_out_put_finite(o, "min", sum->n ? sum->min : (double)NAN);
	json_out_put_finite(o, "max", sum->n ? sum->max : (double)NAN);
	json_out_put_finite(o, "mean", sum->n ? sum->mean : (double)NAN);
	json_out_put_int(o, "n", (int64_t)sum->n);
	json_out_put_int(o, "nan", (int64_t)sum->nan);
	json_out_put_int(o, "pinf", (int64_t)sum->pinf);
	json_out_put_int(o, "ninf", (int64_t)sum->ninf);
	json_out_object_end(o);
}

static void write_run(struct json_out *o, const struct metric_runs *runs,
		      const struct metric_keys *keys, size_t run)
{
	json_out_object(o);
	json_out_put_text(o, "id", runs->names[run]);
	json_out_key(o, "metrics");
	json_out_array(o);
	for (size_t i = 0; i < keys->count; i++)
		write_sum(o, sum_of(runs, keys, run, i));
	json_out_array_end(o);
	json_out_object_end(o);
}

err_t metric_api_list(struct request *q)
{
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);
	struct metric_runs runs = { 0 };
	struct metric_keys keys = { 0 };
	err_t e;

	e = read_sums(q, find_named, &keys, &runs);
	if (e)
		return e;
	json_out_object(&out);
	json_out_key(&out, "items");
	json_out_array(&out);
	for (size_t i = 0; i < runs.count; i++)
		write_run(&out, &runs, &keys, i);
	json_out_array_end(&out);
	json_out_object_end(&out);
	return etag_reply(q, "application/json", body);
}

/* ---- together ------------------------------------------------------------------------------------ */

static err_t find_together(struct request *q, struct metric_runs *ret_runs)
{
	struct selected_runs found;
	struct one_run *some;
	err_t e = selected_runs_find_filtered(q, METRIC_TOGETHER_MAX, &found);

	if (e)
		return e;
	some = arena_new_array(q->arena, struct one_run, found.count + 1);
	for (size_t i = 0; i < found.count; i++)
		some[i] = (struct one_run){ found.infos[i]->name, found.infos[i]->run_id };
	*ret_runs = new_runs(q, some, found.count);
	return NULL;
}

/* NaN: the run has none. */
static double number_of(const struct metric_runs *runs, const struct metric_keys *keys, size_t run,
			size_t key, size_t offset)
{
	const struct bucket *sum = sum_of(runs, keys, run, key);
	double number = (double)NAN;

	if (sum && (sum->n || offset == offsetof(struct bucket, last)))
		number = *(const double *)(const void *)((const char *)sum + offset);
	return number;
}

/* numbers: room for one of each run. */
static void write_together(struct json_out *o, const struct metric_runs *runs,
			   const struct metric_keys *keys, size_t key, double *numbers)
{
	static const struct {
		const char *name;
		size_t offset;
	} hows[] = {
		{ "last", offsetof(struct bucket, last) },
		{ "min", offsetof(struct bucket, min) },
		{ "max", offsetof(struct bucket, max) },
		{ "mean", offsetof(struct bucket, mean) },
	};

	json_out_object(o);
	json_out_put_text(o, "key", keys->names[key]);
	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++) {
		struct search_numbers sums;

		for (size_t run = 0; run < runs->count; run++)
			numbers[run] = number_of(runs, keys, run, key, hows[i].offset);
		sums = selected_runs_sum(numbers, runs->count);
		json_out_key(o, hows[i].name);
		search_query_write_numbers(o, &sums);
	}
	json_out_object_end(o);
}

err_t metric_api_together(struct request *q)
{
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);
	struct metric_runs runs = { 0 };
	struct metric_keys keys = { 0 };
	double *numbers;
	err_t e;

	e = read_sums(q, find_together, &keys, &runs);
	if (e)
		return e;
	numbers = arena_new_array(q->arena, double, runs.count + 1);
	json_out_object(&out);
	json_out_put_int(&out, "runs", (int64_t)runs.count);
	json_out_key(&out, "items");
	json_out_array(&out);
	for (size_t i = 0; i < keys.count; i++)
		write_together(&out, &runs, &keys, i, numbers);
	json_out_array_end(&out);
	json_out_object_end(&out);
	return etag_reply(q, "application/json", body);
}
