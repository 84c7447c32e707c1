/*
 * A project's runs: filtered and ordered by their searched documents, or by what metrics were, shown as they are now. A cursor
 * is the values under the keys of the order and the run of the last row, so pages neither skip nor
 * repeat while runs are added.
 */
#include "app.h"
#include "auth.h"
#include "db.h"
#include "deletion_api.h"
#include "json_out.h"
#include "metric_order.h"
#include "page.h"
#include "run_api.h"
#include "run_json.h"
#include "search_order.h"
#include "search_query.h"
#include "selected_runs.h"
#include "series_ask.h"

_Static_assert((int)SEARCH_ORDER_POSITION_MAX <= (int)PAGE_POSITION_MAX,
	       "a cursor holds every key of an order");

enum { OFFSET_MAX = 10 * 1000 * 1000, NAMED_MAX = 200 };

/* Also when the run has another value by now, the page goes on from where the last one ended. */
static err_t read_cursor(struct request *q, struct str after, struct search_page *ask)
{
	if (!after.len || search_order_take_position(q, after, ask))
		return NULL;
	return page_bad_cursor(q);
}

static err_t read_order(struct request *q, const struct search_question *question,
			struct search_page *ask, struct order *ret_order)
{
	struct str text = request_query(q, "order");

	return search_order_read_metrics(q, question, text.len ? text : STR("-created_at"), ask,
					 ret_order);
}

static const struct run *find_hot(const struct run *runs, size_t count, int64_t run_id)
{
	for (size_t i = 0; i < count; i++) {
		if (runs[i].run_id == run_id)
			return &runs[i];
	}
	return NULL;
}

static const struct run_info *find_info(const struct run_info *infos, size_t count, int64_t run_id)
{
	for (size_t i = 0; i < count; i++) {
		if (infos[i].run_id == run_id)
			return &infos[i];
	}
	return NULL;
}

struct listed {
	const struct run_info *info;
	const struct run *run;
	const struct selected_runs_values *values;
	size_t number;
};

static void write_run(struct request *q, struct json_out *o, const struct listed *l)
{
	json_out_object(o);
	run_json_write_members(o, q, l->info, l->run);
	selected_runs_write_values(o, l->values, l->number);
	json_out_object_end(o);
}

static err_t write_runs(struct request *q, struct json_out *o, const struct search_found_run *rows,
			size_t count, struct selected_runs_values *values)
{
	int64_t *ids = arena_new_array(q->arena, int64_t, count);
	struct run_info *infos;
	struct run *runs;
	size_t info_count;
	size_t run_count;
	err_t e;

	for (size_t i = 0; i < count; i++)
		ids[i] = rows[i].run_id;
	e = run_store_list_info(q->db, q->target->project_id, ids, count, &infos, &info_count);
	if (!e)
		e = run_store_list_shown(q->db, ids, count, &runs, &run_count);
	if (!e)
		e = selected_runs_find_values(q, values, ids, count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		const struct run *run = find_hot(runs, run_count, ids[i]);
		const struct run_info *info = find_info(infos, info_count, ids[i]);

		if (run && info && !run->deleted_at.us && series_ask_may_see(q->target, info))
			write_run(q, o, &(struct listed){ info, run, values, i });
	}
	return NULL;
}

/* Reads the offset of a window that a scroll bar jumps to. */
static err_t read_offset(struct request *q, struct search_page *ask)
{
	err_t e = request_query_int(q, "offset", 0, OFFSET_MAX, 0, &ask->offset);

	if (!e && request_query(q, "offset").at && request_query(q, "cursor").at)
		return err_field(q->arena, ERR_INVALID, "offset", "\"offset\" excludes \"cursor\"");
	return e;
}

static err_t read_ask(struct request *q, const struct search_question *question, struct page *page,
		      struct search_page *ask, struct order *ret_order)
{
	err_t e;

	e = page_read(q, page);
	if (!e)
		e = read_order(q, question, ask, ret_order);
	if (!e)
		e = request_query_bool(q, "count", &ask->counts);
	if (!e)
		e = read_cursor(q, page->after, ask);
	if (!e)
		e = read_offset(q, ask);
	ask->limit = page->limit + 1;
	return e;
}

static err_t reply_runs(struct request *q, struct page *page, const struct search_page *ask,
			const struct search_page_found *found, struct selected_runs_values *values,
			const struct search_fold *fold)
{
	const struct search_found_run *last;
	err_t e;

	page_begin(q, page, found->count);
	e = write_runs(q, &page->out, found->runs, page->shown, values);
	if (e)
		return e;
	last = page->has_more ? &found->runs[page->shown - 1] : NULL;
	if (last)
		page_set_cursor(q, page, "%s", search_order_position(q, last, ask->more_count));
	page_end_items(q, page);
	if (ask->counts)
		json_out_put_int(&page->out, "count", found->all);
	search_query_write_age(q, &page->out, fold);
	json_out_object_end(&page->out);
	return NULL;
}

/* ---- by their names ------------------------------------------------------------------------------ */

static err_t stands_alone(struct request *q)
{
	static const char *const others[] = { "filter", "group_by", "group", "order",  "limit",
					      "cursor", "offset",   "count", "deleted" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (request_query(q, others[i]).at)
			return err_field(q->arena, ERR_INVALID, others[i],
					 "\"ids\" excludes \"%s\"", others[i]);
	}
	return NULL;
}

/* Their values alone are of what is searched. */
static err_t fold_values(struct request *q, const struct selected_runs_values *values,
			 struct search_fold *fold)
{
	const struct search_question question = { .project_id = q->target->project_id,
						  .deadline_us = q->deadline_us,
						  .fold = fold };

	return values->key_count ? search_fold_now(q->app->search, q->db, &question) : NULL;
}

static err_t list_named(struct request *q)
{
	struct search_found_run *runs =
		arena_new_array(q->arena, struct search_found_run, NAMED_MAX);
	struct page page = { .limit = NAMED_MAX };
	struct search_fold *fold = search_query_fold(q);
	const struct search_page ask = { 0 };
	struct selected_runs_values values;
	struct selected_runs named = { 0 };
	err_t e;

	e = stands_alone(q);
	if (!e)
		e = selected_runs_read_names(q, NAMED_MAX, &named);
	if (!e)
		e = selected_runs_read_keys(q, &values);
	if (!e)
		e = selected_runs_find_named(q, q->db, &named);
	if (!e)
		e = fold_values(q, &values, fold);
	if (e)
		return e;
	for (size_t i = 0; i < named.count; i++)
		runs[i].run_id = named.infos[i]->run_id;
	return reply_runs(q, &page, &ask, &(struct search_page_found){ runs, named.count, 0 },
			  &values, fold);
}

static err_t find_page(struct request *q, const struct search_question *question,
		       const struct order *order, const struct search_page *ask,
		       struct search_page_found *ret_found)
{
	if (metric_order_has_any(order))
		return metric_order_page(q, question, order, ask, ret_found);
	return search_page(q->app->search, q->db, question, ask, ret_found);
}

err_t run_api_list(struct request *q)
{
	struct search_page_found found = { 0 };
	struct search_question question;
	struct search_page ask = { 0 };
	struct selected_runs_values values;
	struct order order;
	struct page page;
	err_t e;

	if (request_query(q, "ids").at)
		return list_named(q);
	if (request_query(q, "deleted").len)
		return deletion_api_list(q);
	e = search_query_read(q, &question);
	if (!e)
		e = read_ask(q, &question, &page, &ask, &order);
	if (!e)
		e = selected_runs_read_keys(q, &values);
	if (!e)
		e = find_page(q, &question, &order, &ask, &found);
	return e ? e : reply_runs(q, &page, &ask, &found, &values, question.fold);
}
