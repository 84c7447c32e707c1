#include "state_api.h"

#include "audit_note.h"
#include "auth.h"
#include "page.h"
#include "run_change.h"
#include "run_json.h"
#include "run_target.h"
#include "writer_change.h"

/* ---- finish ------------------------------------------------------------------------------------- */

static err_t finish_by_hand(struct request *q, struct run_edit *edit,
			    const struct run_finish_body *body)
{
	struct run_hand hand = {
		.finish = body->finish,
		.has_exit_code = body->has_exit_code,
		.user_id = q->identity->user_id,
		.reason = body->reason.len ? body->reason.at : NULL,
	};

	run_finish_by_hand(edit->run, &hand, run_target_clock(q), &edit->changes);
	if (!edit->changes.count)
		return NULL;
	return audit_note_state(q, edit->run->state,
				body->reason.len ? body->reason : STR("ended by hand"));
}

static err_t finish(struct request *q, struct run_edit *edit, const void *arg)
{
	const struct run_finish_body *body = arg;
	const struct writer_change end = {
		.client = body->client,
		.session = body->session,
		.finish = body->finish,
	};

	if (body->client.len)
		return writer_change_end(q, edit->run, &end, &edit->changes);
	return finish_by_hand(q, edit, body);
}

err_t state_api_finish(struct request *q)
{
	struct run_finish_body body;
	err_t e = run_json_read_finish(q, &body);

	return e ? e : run_change_and_reply(q, finish, &body);
}

/* ---- stop --------------------------------------------------------------------------------------- */

static err_t stop(struct request *q, struct run_edit *edit, const void *arg)
{
	const struct str *reason = arg;
	err_t e;

	edit->is_unchanged = edit->run->stop_asked_at.us;
	e = run_ask_stop(q->arena, edit->run, *reason, q->now);
	if (!e && !edit->is_unchanged)
		e = audit_note(q, &(struct audit_event){ .action = AUDIT_RUN_STOP,
							 .detail = *reason });
	return e;
}

err_t state_api_stop(struct request *q)
{
	struct str reason;
	err_t e = run_json_read_stop(q, &reason);

	return e ? e : run_change_and_reply(q, stop, &reason);
}

/* ---- states ------------------------------------------------------------------------------------- */

static err_t fetch_states(struct request *q, int32_t after, int64_t limit,
			  struct page_rows *ret_rows)
{
	struct run_state_row *states = NULL;
	err_t e = run_store_list_states(q->db, q->target->run_id, after, limit, &states,
					&ret_rows->count);

	ret_rows->items = states;
	return e;
}

static int64_t write_state(struct request *q, struct json_out *o, const struct page_rows *rows,
			   size_t row)
{
	const struct run_state_row *states = rows->items;

	(void)q;
	run_json_write_state(o, &states[row]);
	return states[row].number;
}

err_t state_api_list(struct request *q)
{
	return page_list(q, 0, fetch_states, write_state);
}

struct override {
	enum run_state state;
	struct str reason;
};

static err_t override(struct request *q, struct run_edit *edit, const void *arg)
{
	const struct override *o = arg;

	run_override(edit->run, o->state, q->identity->user_id, o->reason.at, run_target_clock(q),
		     &edit->changes);
	return edit->changes.count ? audit_note_state(q, edit->run->state, o->reason) : NULL;
}

err_t state_api_override(struct request *q)
{
	struct override asked;
	err_t e = run_json_read_state(q, &asked.state, &asked.reason);

	return e ? e : run_change_and_reply(q, override, &asked);
}
