/*
 * Filtered and ordered by their searched documents, shown as they are now. A cursor is the run of the last
 * row and the value it was ordered by, so pages neither skip nor repeat while runs are added.
 */
#include "wandb_runs.h"

#include <stdlib.h>

#include "app.h"
#include "arena.h"
#include "search.h"
#include "search_order.h"
#include "search_query.h"
#include "series_ask.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_prefetch.h"
#include "wandb_project.h"
#include "wandb_run.h"

WANDB_LIST_FIELDS(run, "Run", wandb_run_type);
const struct gql_type wandb_runs_type = GQL_TYPE("RunConnection", run_list_fields);

enum { RUNS_MAX = 1000, RUNS_AT_ONCE = 50 };

#define CURSOR_KIND "RunCursor"

/* ---- what is asked -------------------------------------------------------------------------------- */

static err_t read_filter(struct gql_call *call, struct search_question *question)
{
	struct str text = gql_arg_text(call, "filters");

	if (str_is(str_trim(text), "null"))
		text = STR("");
	return search_query_filter(wandb_of(call)->q, text, question);
}

static err_t read_question(struct gql_call *call, struct search_question *question)
{
	const struct target *t = ((const struct wandb_project *)call->parent)->target;

	*question = (struct search_question){
		.project_id = t->project_id,
		.sees_private = t->sees_private,
		.project_public = t->visibility == VISIBILITY_PUBLIC,
		.deadline_us = wandb_of(call)->q->deadline_us,
		.fold = search_query_fold(wandb_of(call)->q),
	};
	return read_filter(call, question);
}

static err_t read_order(struct gql_call *call, const struct search_question *question,
			struct search_page *page)
{
	struct str text = str_trim(gql_arg_text(call, "order"));

	return search_order_read(wandb_of(call)->q, question, text.len ? text : STR("+created_at"),
				 page);
}

static err_t bad_cursor(struct gql_call *call)
{
	return err_field(call->arena, ERR_INVALID, "after",
			 "invalid cursor: use \"endCursor\" of the same query");
}

static err_t read_cursor(struct gql_call *call, struct search_page *page)
{
	struct str after = gql_arg_text(call, "after");
	struct str position;

	if (!after.len)
		return NULL;
	if (!wandb_id_read(call->arena, after, CURSOR_KIND, &position) ||
	    !search_order_take_position(wandb_of(call)->q, position, page))
		return bad_cursor(call);
	return NULL;
}

static err_t read_page(struct gql_call *call, const struct search_question *question,
		       struct search_page *page)
{
	int64_t first;
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, RUNS_AT_ONCE, &first);

	if (!e)
		e = read_order(call, question, page);
	if (!e)
		e = read_cursor(call, page);
	page->limit = (first > RUNS_MAX ? RUNS_MAX : first) + 1;
	return e;
}

/* ---- what is found -------------------------------------------------------------------------------- */

static struct str cursor_of(struct gql_call *call, const struct search_found_run *row,
			    size_t more_count)
{
	return wandb_id(call->arena, CURSOR_KIND,
			str_of(search_order_position(wandb_of(call)->q, row, more_count)));
}

static struct target *target_of(struct gql_call *call, const struct target *project,
				const struct run_info *info)
{
	struct target *t = arena_copy(call->arena, project, sizeof(*t));

	t->run_id = info->run_id;
	t->run = info->name;
	t->run_visibility = (enum visibility)info->visibility;
	return t;
}

static int by_run_id(const void *a, const void *b)
{
	int64_t x = ((const struct run *)a)->run_id;
	int64_t y = ((const struct run *)b)->run_id;

	return (x > y) - (x < y);
}

static int by_id(const void *id, const void *item)
{
	int64_t a = *(const int64_t *)id;
	int64_t b = ((const struct wandb_run *)item)->run->run_id;

	return (a > b) - (a < b);
}

static int compare_items(const void *a, const void *b)
{
	return by_id(&((const struct wandb_run *)a)->run->run_id, b);
}

/* The searched document may be older than the run: who may see it is asked of the run itself. */
static void take_run(struct gql_call *call, struct target *project, const struct run_info *info,
		     const struct run *run, struct wandb_runs *runs)
{
	if (!run || run->deleted_at.us || !series_ask_may_see(project, info))
		return;
	runs->items[runs->count++] = (struct wandb_run){
		.target = target_of(call, project, info),
		.info = info,
		.run = run,
	};
}

err_t wandb_runs_read(struct gql_call *call, struct target *project, const int64_t *ids,
		      size_t count, struct wandb_runs *ret_runs)
{
	struct db *db = wandb_of(call)->q->db;
	struct run_info *infos;
	struct run *runs;
	size_t info_count, run_count;
	err_t e;

	*ret_runs = (struct wandb_runs){ .count = 0 };
	if (!count)
		return NULL;
	e = run_store_list_info(db, project->project_id, ids, count, &infos, &info_count);
	if (!e)
		e = run_store_list(db, ids, count, &runs, &run_count);
	if (e || !run_count)
		return e;
	qsort(runs, run_count, sizeof(*runs), by_run_id);
	ret_runs->items = arena_new_array(call->arena, struct wandb_run, info_count + 1);
	for (size_t i = 0; i < info_count; i++) {
		const struct run wanted = { .run_id = infos[i].run_id };

		take_run(call, project, &infos[i],
			 bsearch(&wanted, runs, run_count, sizeof(*runs), by_run_id), ret_runs);
	}
	qsort(ret_runs->items, ret_runs->count, sizeof(*ret_runs->items), compare_items);
	return NULL;
}

const struct wandb_run *wandb_runs_find(const struct wandb_runs *runs, int64_t run_id)
{
	return runs->count ? bsearch(&run_id, runs->items, runs->count, sizeof(*runs->items), by_id)
			   : NULL;
}

struct found {
	const struct search_found_run *rows;
	size_t count;
	size_t more_count; /* keys of the order behind the first */
};

static err_t read_found(struct gql_call *call, const struct found *found, struct wandb_runs *runs)
{
	const struct wandb_project *project = call->parent;
	int64_t *ids = arena_new_array(call->arena, int64_t, found->count + 1);

	for (size_t i = 0; i < found->count; i++)
		ids[i] = found->rows[i].run_id;
	return wandb_runs_read(call, project->target, ids, found->count, runs);
}

static void put_found(struct gql_call *call, const struct found *found,
		      const struct wandb_runs *runs, struct wandb_list *list)
{
	struct wandb_run *items = arena_new_array(call->arena, struct wandb_run, found->count + 1);

	for (size_t i = 0; i < found->count; i++) {
		const struct wandb_run *run = wandb_runs_find(runs, found->rows[i].run_id);

		if (!run)
			continue;
		items[list->count] = *run;
		items[list->count++].cursor = cursor_of(call, &found->rows[i], found->more_count);
	}
	list->items = items;
}

static err_t give_runs(struct gql_call *call, const struct found *found, bool has_more)
{
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct wandb_runs runs;
	err_t e = read_found(call, found, &runs);

	if (e)
		return e;
	list->size = sizeof(struct wandb_run);
	list->has_more = has_more;
	list->total = -1;
	put_found(call, found, &runs, list);
	if (found->count) /* which may have been left out */
		list->end = cursor_of(call, &found->rows[found->count - 1], found->more_count);
	e = wandb_prefetch_read(call, list);
	if (!e)
		gql_give(call, list);
	return e;
}

err_t wandb_project_runs(struct gql_call *call)
{
	struct request *q = wandb_of(call)->q;
	struct search_page_found page_found = { 0 };
	struct search_question question;
	struct search_page page = { 0 };
	struct found found;
	bool has_more;
	err_t e;

	e = read_question(call, &question);
	if (!e)
		e = read_page(call, &question, &page);
	if (!e)
		e = search_page(q->app->search, q->db, &question, &page, &page_found);
	if (e)
		return e;
	search_query_tell_age(q, question.fold);
	has_more = page_found.count == (size_t)page.limit;
	found = (struct found){ .rows = page_found.runs,
				.count = page_found.count - has_more,
				.more_count = page.more_count };
	return give_runs(call, &found, has_more);
}

err_t wandb_project_run_count(struct gql_call *call)
{
	struct request *q = wandb_of(call)->q;
	struct search_page_found found = { 0 };
	struct search_question question;
	struct search_page page = { .counts = true, .limit = 1 };
	err_t e;

	e = read_question(call, &question);
	if (!e)
		e = read_page(call, &question, &page);
	page.limit = 1;
	if (!e)
		e = search_page(q->app->search, q->db, &question, &page, &found);
	if (e)
		return e;
	search_query_tell_age(q, question.fold);
	json_out_int(call->out, found.all);
	return NULL;
}
