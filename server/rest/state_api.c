#include "state_api.h"

#include "audit_note.h"
#include "auth.h"
#include "page.h"
#include "run_json.h"
#include "run_target.h"
#include "writer_change.h"

/* ---- finish ------------------------------------------------------------------------------------- */

static err_t finish_by_hand(struct request *q, struct run *run, const struct run_finish_body *body,
			    struct run_changes *changes)
{
	struct run_hand hand = {
		.finish = body->finish,
		.has_exit_code = body->has_exit_code,
		.user_id = q->identity->user_id,
		.reason = body->reason.len ? body->reason.at : "ended by hand",
	};

	run_finish_by_hand(run, &hand, run_target_clock(q), changes);
	return changes->count ? audit_note_state(q, run->state, str_of(hand.reason)) : NULL;
}

static err_t finish(struct request *q, struct run *run, const struct run_finish_body *body,
		    struct run_changes *changes)
{
	const struct writer_change end = {
		.client = body->client,
		.session = body->session,
		.finish = body->finish,
	};

	if (body->client.len)
		return writer_change_end(q, run, &end, changes);
	return finish_by_hand(q, run, body, changes);
}

static err_t save_and_reply(struct request *q, struct run *run, const struct run_changes *changes)
{
	err_t e = run_target_save(q, run, changes);

	return e ? e : run_json_reply(q, 200, run);
}

err_t state_api_finish(struct request *q)
{
	struct run_changes changes = { .count = 0 };
	struct run_finish_body body;
	struct run *run;
	err_t e;

	e = run_json_read_finish(q, &body);
	if (!e)
		e = run_target_lock(q, &run);
	if (!e)
		e = finish(q, run, &body, &changes);
	return e ? e : save_and_reply(q, run, &changes);
}

/* ---- stop --------------------------------------------------------------------------------------- */

err_t state_api_stop(struct request *q)
{
	struct run_changes none = { .count = 0 };
	struct str reason;
	struct run *run;
	bool was_asked;
	err_t e;

	e = run_json_read_stop(q, &reason);
	if (!e)
		e = run_target_lock(q, &run);
	if (e)
		return e;
	was_asked = run->stop_asked_at.us;
	e = run_ask_stop(q->arena, run, reason, q->now);
	if (!e && !was_asked)
		e = audit_note(q,
			       &(struct audit_deed){ .action = AUDIT_RUN_STOP, .detail = reason });
	if (e)
		return e;
	return was_asked ? run_json_reply(q, 200, run) : save_and_reply(q, run, &none);
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

err_t state_api_override(struct request *q)
{
	struct run_changes changes = { .count = 0 };
	enum run_state state;
	struct str reason;
	struct run *run;
	err_t e;

	e = run_json_read_state(q, &state, &reason);
	if (!e)
		e = run_target_lock(q, &run);
	if (e)
		return e;
	run_override(run, state, q->identity->user_id, reason.at, run_target_clock(q), &changes);
	if (changes.count)
		e = audit_note_state(q, run->state, reason);
	return e ? e : save_and_reply(q, run, &changes);
}
