/*
 * The search finds the runs and their values under the keys of documents. The summaries of metrics are added here, and
 * the runs are sorted. A run without a number comes after the others in both directions.
 */
#include "metric_order.h"

#include <math.h>
#include <stdlib.h>

#include "app.h"
#include "auth.h"
#include "metric_summary_cache.h"
#include "metric_keys.h"
#include "ordered_runs.h"
#include "search_order.h"
#include "series_axis.h"

bool metric_order_has_any(const struct order *order)
{
	for (size_t i = 0; i < order->count; i++) {
		if (order->keys[i].of != ORDER_OF_DOCUMENT)
			return true;
	}
	return false;
}

/* ---- which runs ---------------------------------------------------------------------------------- */

static err_t too_many(struct request *q, int64_t found)
{
	struct err *e = err_field(q->arena, ERR_UNPROCESSABLE, "order",
				  "cannot order %lld runs by a metric: the limit is %d",
				  (long long)found, METRIC_ORDER_RUNS);

	e->hint = "narrow the filter, or order by the summary: \"summary.loss\" instead of "
		  "\"last(loss)\"";
	return e;
}

/* Searches by the keys of documents only, or by creation time, so that each run comes with its values under them. */
static err_t find_runs(struct request *q, const struct search_question *question,
		       const struct order *order, struct search_page_found *ret_found)
{
	struct search_page all = { .counts = true, .limit = METRIC_ORDER_RUNS };
	struct order documents = { .count = 0 };
	err_t e = NULL;

	for (size_t i = 0; i < order->count; i++) {
		if (order->keys[i].of == ORDER_OF_DOCUMENT)
			documents.keys[documents.count++] = order->keys[i];
	}
	if (!documents.count)
		e = order_parse(q->arena, STR("created_at"), &documents);
	if (e)
		return e;
	search_order_set(&documents, &all);
	e = search_page(q->app->search, q->db, question, &all, ret_found);
	return e || ret_found->all <= METRIC_ORDER_RUNS ? e : too_many(q, ret_found->all);
}

/* ---- what their metrics were --------------------------------------------------------------------- */

struct ordering_metrics {
	const struct order *order;
	struct metric_keys keys; /* of the keys of the order that are metrics */
	int64_t *run_ids;        /* ascending */
	size_t run_count;
	struct metric_summary *summaries;
};

static err_t read_names(struct request *q, struct ordering_metrics *m)
{
	m->keys.names = arena_new_array(q->arena, struct str, ORDER_KEYS_MAX);
	for (size_t i = 0; i < m->order->count; i++) {
		const struct order_key *key = &m->order->keys[i];

		if (key->of == ORDER_OF_DOCUMENT)
			continue;
		if (axis_is_steps(key->metric, STREAM_HISTORY))
			return axis_refuse_steps(q->arena, "order");
		m->keys.names[m->keys.count++] = key->metric;
	}
	return NULL;
}

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static err_t read_summaries(struct request *q, const struct search_page_found *found,
			    struct ordering_metrics *m)
{
	const struct run_reader reader = run_view_reader(q);
	struct metric_summary_ask ask;
	err_t e = metric_keys_find(q, &reader, &m->keys);

	if (e)
		return e;
	m->run_count = found->count;
	m->run_ids = arena_new_array(q->arena, int64_t, found->count + 1);
	for (size_t i = 0; i < found->count; i++)
		m->run_ids[i] = found->runs[i].run_id;
	qsort(m->run_ids, m->run_count, sizeof(m->run_ids[0]), by_id);
	ask = (struct metric_summary_ask){
		.project_id = q->target->project_id,
		.run_ids = m->run_ids,
		.run_count = m->run_count,
		.key_ids = m->keys.ids,
		.key_count = m->keys.id_count,
		.deadline_us = q->deadline_us,
	};
	m->summaries = arena_new_array(q->arena, struct metric_summary,
				       m->run_count * m->keys.id_count + 1);
	return metric_summary_cache_read(q->app->metric_summaries, &reader, &ask, m->summaries);
}

static double number_of(const struct metric_summary *summary, enum order_of of)
{
	switch (of) {
	case ORDER_OF_LAST:
		return summary->last;
	case ORDER_OF_MIN:
		return summary->min;
	case ORDER_OF_MAX:
		return summary->max;
	case ORDER_OF_MEAN:
		return summary->mean;
	case ORDER_OF_DOCUMENT:
		break;
	}
	return (double)NAN;
}

static struct value value_of(const struct ordering_metrics *m, size_t run, size_t metric,
			     enum order_of of)
{
	const int32_t index = m->keys.id_index[metric];
	double number = (double)NAN;

	if (index >= 0)
		number = number_of(&m->summaries[run * m->keys.id_count + (size_t)index], of);
	if (!isfinite(number))
		return (struct value){ .rank = SEARCH_RANK_NONE };
	return (struct value){ .rank = SEARCH_RANK_NUMBER, .is_plain = true, .number = number };
}

/* ---- both ---------------------------------------------------------------------------------------- */

static const struct search_value *found_value(const struct search_found_run *run, size_t key)
{
	return key ? &run->more[key - 1] : &run->value;
}

static struct ordered_run ordered_of(const struct ordering_metrics *m,
				     const struct search_found_run *found)
{
	const int64_t *at = bsearch(&found->run_id, m->run_ids, m->run_count, sizeof(*at), by_id);
	struct ordered_run run = { .run_id = found->run_id };
	size_t metrics = 0;
	size_t documents = 0;

	for (size_t i = 0; i < m->order->count; i++) {
		const enum order_of of = m->order->keys[i].of;

		if (of == ORDER_OF_DOCUMENT)
			run.values[i] = value_read(found_value(found, documents++));
		else
			run.values[i] = value_of(m, (size_t)(at - m->run_ids), metrics++, of);
	}
	return run;
}

err_t metric_order_page(struct request *q, const struct search_question *question,
			const struct order *order, const struct search_page *page,
			struct search_page_found *ret_found)
{
	struct ordering_metrics m = { .order = order };
	struct search_page_found found = { 0 };
	struct ordered_run *runs;
	err_t e = read_names(q, &m);

	if (!e)
		e = find_runs(q, question, order, &found);
	if (!e)
		e = read_summaries(q, &found, &m);
	if (e)
		return e;
	runs = arena_new_array(q->arena, struct ordered_run, found.count + 1);
	for (size_t i = 0; i < found.count; i++)
		runs[i] = ordered_of(&m, &found.runs[i]);
	ordered_runs_sort(page, runs, found.count);
	ordered_runs_page(q->arena, page, runs, found.count, ret_found);
	return NULL;
}
