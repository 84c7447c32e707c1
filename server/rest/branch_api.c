#include "branch_api.h"

#include "auth.h"
#include "branch_store.h"
#include "json_out.h"
#include "page.h"
#include "run_branch.h"
#include "run_json.h"

err_t branch_api_rewind(struct request *q)
{
	struct run *run;
	int64_t step;
	err_t e = run_json_read_rewind(q, &step);

	if (!e)
		e = run_branch_rewind(q, step);
	if (!e)
		e = run_store_get(q->db, q->target->run_id, &run);
	return e ? e : run_json_reply(q, 200, run);
}

/* Nothing came before the first one; the name of a run that the caller may not see is left out. */
static void write_source(struct json_out *o, const struct target *t, const struct branch_info *b)
{
	if (!b->number ||
	    !access_sees(t->sees_private, t->visibility, (enum visibility)b->source_visibility)) {
		json_out_put_null(o, "from");
		return;
	}
	json_out_key(o, "from");
	json_out_object(o);
	json_out_put_text(o, "run", b->source_name);
	json_out_put_int(o, "branch", b->source_branch);
	json_out_put_int(o, "step", b->step);
	json_out_object_end(o);
}

/* That which is written into is as the run is. */
static void write_branch(struct json_out *o, const struct target *t, const struct branch_info *b,
			 const struct run *run)
{
	bool is_left = b->left_at.us != 0;
	int64_t last_step = is_left ? b->last_step : run->last_step;

	json_out_object(o);
	json_out_put_int(o, "number", b->number);
	write_source(o, t, b);
	json_out_put_int(o, "row_first", b->row_first);
	json_out_put_int(o, "rows", is_left ? b->row_count : run_rows(run));
	json_out_put_int_or_null(o, "last_step", last_step >= 0, last_step);
	json_out_put_text_or_null(o, "user", b->user_name);
	json_out_put_time(o, "made_at", b->made_at);
	json_out_put_time(o, "left_at", b->left_at);
	json_out_object_end(o);
}

static err_t list(struct request *q, const struct run *run, int32_t after, int64_t limit,
		  struct branch_info **ret_rows, size_t *ret_count)
{
	const struct branch_list ask = { q->target->project_id, run->run_id, after, limit };

	return branch_store_list(q->db, &ask, ret_rows, ret_count);
}

err_t branch_api_list(struct request *q)
{
	struct branch_info *rows;
	struct page page;
	struct run *run;
	int32_t after;
	size_t count;
	err_t e;

	e = page_read_number(q, -1, &page, &after);
	if (!e)
		e = run_store_get(q->db, q->target->run_id, &run);
	if (!e)
		e = list(q, run, after, page.limit + 1, &rows, &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	for (size_t i = 0; i < page.shown; i++)
		write_branch(&page.out, q->target, &rows[i], run);
	if (page.has_more)
		page_set_place(q, &page, "%d", rows[page.shown - 1].number);
	page_end(q, &page);
	return NULL;
}
