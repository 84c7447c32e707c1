#include "attempt_api.h"

#include "attempt_store.h"
#include "auth.h"
#include "json_out.h"
#include "page.h"
#include "run_attempt.h"
#include "run_json.h"
#include "run_store.h"

static int64_t write_attempt(struct request *q, struct json_out *o, const struct page_rows *rows,
			     size_t row)
{
	const struct attempt_info *a = (const struct attempt_info *)rows->items + row;

	(void)q;
	json_out_object(o);
	json_out_put_int(o, "number", a->attempt);
	json_out_put_text(o, "state", str_of(run_state_name(a->state)));
	json_out_put_int(o, "rows", a->row_count);
	json_out_put_time(o, "ended_at", a->ended_at);
	json_out_put_time(o, "kept_at", a->kept_at);
	json_out_object_end(o);
	return a->attempt;
}

static err_t fetch_attempts(struct request *q, int32_t after, int64_t limit,
			    struct page_rows *ret_rows)
{
	struct attempt_info *attempts = NULL;
	err_t e = attempt_store_list(q->db, q->target->run_id, after, limit, &attempts,
				     &ret_rows->count);

	ret_rows->items = attempts;
	return e;
}

err_t attempt_api_list(struct request *q)
{
	return page_list(q, -1, fetch_attempts, write_attempt);
}

static err_t read_number(struct request *q, int32_t *ret_attempt)
{
	int64_t number;

	if (!str_to_int64(request_param(q, "attempt"), 0, INT32_MAX, &number))
		return err_field(q->arena, ERR_NOT_FOUND, "attempt",
				 "invalid attempt number \"%.*s\"",
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
