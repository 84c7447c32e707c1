#include "attempt_api.h"

#include "attempt_store.h"
#include "auth.h"
#include "json_out.h"
#include "page.h"
#include "run_attempt.h"
#include "run_json.h"
#include "run_store.h"

static void write_attempt(struct json_out *o, const struct attempt_info *a)
{
	json_out_object(o);
	json_out_put_int(o, "number", a->attempt);
	json_out_put_text(o, "state", str_of(run_state_name(a->state)));
	json_out_put_int(o, "rows", a->row_count);
	json_out_put_time(o, "ended_at", a->ended_at);
	json_out_put_time(o, "kept_at", a->kept_at);
	json_out_object_end(o);
}

err_t attempt_api_list(struct request *q)
{
	struct attempt_info *rows;
	struct page page;
	int32_t after;
	size_t count;
	err_t e;

	e = page_read_number(q, -1, &page, &after);
	if (!e)
		e = attempt_store_list(q->db, q->target->run_id, after, page.limit + 1, &rows,
				       &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	for (size_t i = 0; i < page.shown; i++)
		write_attempt(&page.out, &rows[i]);
	if (page.has_more)
		page_set_place(q, &page, "%d", rows[page.shown - 1].attempt);
	page_end(q, &page);
	return NULL;
}

static err_t read_number(struct request *q, int32_t *ret_attempt)
{
	int64_t number;

	if (!str_to_int64(request_param(q, "attempt"), 0, INT32_MAX, &number))
		return err_field(q->arena, ERR_NOT_FOUND, "attempt",
				 "\"%.*s\" is not the number of an attempt",
				 STR_ARG(request_param(q, "attempt")));
	*ret_attempt = (int32_t)number;
	return NULL;
}

err_t attempt_api_restore(struct request *q)
{
	int32_t attempt;
	struct run *run;
	err_t e = read_number(q, &attempt);

	if (!e)
		e = run_attempt_restore(q, attempt);
	if (!e)
		e = run_store_get(q->db, q->target->run_id, &run);
	return e ? e : run_json_reply(q, 200, run);
}
