/*
 * A project's runs: filtered and ordered by their searched documents, shown as they are now. A cursor
 * is the order key's value and the run of the last row, so pages neither skip nor repeat while runs
 * are added.
 */
#include <inttypes.h>

#include "auth.h"
#include "deletion_api.h"
#include "document_store.h"
#include "filter.h"
#include "json_out.h"
#include "order.h"
#include "page.h"
#include "run_api.h"
#include "run_json.h"
#include "db.h"

#define INVALID_REGULAR_EXPRESSION "2201B"
#define LONG_VALUE "~"
enum { VALUE_MAX = PAGE_PLACE_MAX - 20 }; /* beside the digits of a run_id */

/*
 * "<run_id> <JSON of the order value>": the value, too, so that the page goes on from where the last
 * one ended even if that run has another value by now. A value too long for a cursor is a "~": it is
 * read again. No value is no text.
 */
static err_t read_cursor(struct request *q, struct str after, struct search_ask *ask)
{
	const struct json_doc *value;
	struct str run_id;

	if (!after.len)
		return NULL;
	run_id = str_cut(&after, ' ');
	if (!str_to_int64(run_id, 0, INT64_MAX, &ask->cursor_run_id))
		return page_bad_cursor(q);
	ask->has_cursor = true;
	if (str_is(after, LONG_VALUE))
		return document_store_order_value(q->db, ask, &ask->cursor_value);
	if (!after.len)
		return NULL;
	if (json_doc_parse(q->arena, after, &value))
		return page_bad_cursor(q);
	ask->cursor_value = json_doc_dump(q->arena, value);
	return NULL;
}

static err_t read_order(struct request *q, struct search_ask *ask)
{
	struct str *standard = arena_new_of(q->arena, struct str);
	struct str text = request_query(q, "order");
	struct order order;
	err_t e;

	*standard = STR("created_at");
	ask->path = standard;
	ask->path_count = 1;
	ask->descending = true;
	if (!text.len)
		return NULL;
	e = order_parse(q->arena, text, &order);
	if (e)
		return e;
	if (order.count > 1)
		return err_field(q->arena, ERR_INVALID, "order", "one key, not %zu", order.count);
	ask->path = order.keys[0].path.names;
	ask->path_count = order.keys[0].path.count;
	ask->descending = order.keys[0].descending;
	return NULL;
}

static err_t read_filter(struct request *q, struct search_ask *ask)
{
	struct str text = request_query(q, "filter");
	const struct filter_node *node;
	err_t e;

	if (!text.len)
		return NULL;
	e = filter_parse(q->arena, text, &node);
	return e ? e : filter_to_jsonpath(q->arena, node, &ask->filter);
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

/* The searched document may be older than the run: who may see it is asked of the run itself. */
static bool may_see(const struct request *q, const struct run_info *info)
{
	const struct target *t = q->target;

	if (t->sees_private || info->visibility == VISIBILITY_PUBLIC)
		return true;
	return info->visibility == VISIBILITY_INHERIT && t->visibility == VISIBILITY_PUBLIC;
}

static err_t write_runs(struct request *q, struct json_out *o, const struct search_row *rows,
			size_t count)
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
		e = run_store_list(q->db, ids, count, &runs, &run_count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		const struct run *run = find_hot(runs, run_count, ids[i]);
		const struct run_info *info = find_info(infos, info_count, ids[i]);

		if (run && info && !run->deleted_at.us && may_see(q, info))
			run_json_write(o, q, info, run);
	}
	return NULL;
}

static void set_place(struct request *q, struct page *page, const struct search_row *last)
{
	struct str value = last->order_value.len > VALUE_MAX ? STR(LONG_VALUE) : last->order_value;

	page_set_place(q, page, "%" PRId64 " %.*s", last->run_id, STR_ARG(value));
}

static err_t search(struct request *q, const struct search_ask *ask, struct search_row **ret_rows,
		    size_t *ret_count)
{
	err_t e = document_store_search(q->db, ask, ret_rows, ret_count);

	if (e && db_err_is(e, INVALID_REGULAR_EXPRESSION))
		return err_field(q->arena, ERR_INVALID, "filter",
				 "a regular expression is not one");
	return e;
}

static err_t read_ask(struct request *q, struct page *page, struct search_ask *ask)
{
	err_t e;

	e = page_read(q, page);
	if (!e)
		e = read_order(q, ask);
	if (!e)
		e = read_filter(q, ask);
	if (!e)
		e = read_cursor(q, page->after, ask);
	ask->limit = page->limit + 1;
	return e;
}

static err_t reply_runs(struct request *q, struct page *page, const struct search_row *rows,
			size_t count)
{
	err_t e;

	page_begin(q, page, count);
	e = write_runs(q, &page->out, rows, page->shown);
	if (e)
		return e;
	if (page->has_more)
		set_place(q, page, &rows[page->shown - 1]);
	page_end(q, page);
	return NULL;
}

err_t run_api_list(struct request *q)
{
	struct search_ask ask = {
		.project_id = q->target->project_id,
		.sees_private = q->target->sees_private,
		.project_public = q->target->visibility == VISIBILITY_PUBLIC,
	};
	struct search_row *rows;
	struct page page;
	size_t count;
	err_t e;

	if (request_query(q, "deleted").len)
		return deletion_api_list(q);
	e = read_ask(q, &page, &ask);
	if (!e)
		e = search(q, &ask, &rows, &count);
	return e ? e : reply_runs(q, &page, rows, count);
}
