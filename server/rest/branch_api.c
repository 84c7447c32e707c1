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

/* The first branch has no source. The name of a run that the caller may not see is left out. */
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

/* The branch that is not left is as the run is. */
static int64_t write_branch(struct request *q, struct json_out *o, const struct page_rows *rows,
			    size_t row)
{
	const struct branch_info *b = (const struct branch_info *)rows->items + row;
	const struct run *run = rows->shared;
	bool is_left = b->left_at.us != 0;
	int64_t last_step = is_left ? b->last_step : run->last_step;

	json_out_object(o);
	json_out_put_int(o, "number", b->number);
	write_source(o, q->target, b);
	json_out_put_int(o, "row_first", b->row_first);
	json_out_put_int(o, "rows", is_left ? b->row_count : run_rows(run));
	json_out_put_int_or_null(o, "last_step", last_step >= 0, last_step);
	json_out_put_text_or_null(o, "user", b->user_name);
	json_out_put_time(o, "made_at", b->made_at);
	json_out_put_time(o, "left_at", b->left_at);
	json_out_object_end(o);
	return b->number;
}

static err_t fetch_branches(struct request *q, int32_t after, int64_t limit,
			    struct page_rows *ret_rows)
{
	struct branch_list ask = { q->target->project_id, q->target->run_id, after, limit };
	struct branch_info *branches = NULL;
	struct run *run = NULL;
	err_t e = run_store_get(q->db, q->target->run_id, &run);

	if (!e)
		e = branch_store_list(q->db, &ask, &branches, &ret_rows->count);
	ret_rows->items = branches;
	ret_rows->shared = run;
	return e;
}

err_t branch_api_list(struct request *q)
{
	return page_list(q, -1, fetch_branches, write_branch);
}
