#include "state_api.h"

#include "auth.h"
#include "batch.h"
#include "page.h"
#include "run_json.h"
#include "run_target.h"
#include "writer_store.h"

/* ---- finish ------------------------------------------------------------------------------------- */

static size_t find_client(const struct writer *writers, size_t count, struct str client)
{
	size_t i = 0;

	while (i < count && !str_equal(writers[i].client, client))
		i++;
	return i;
}

static err_t save_writers(struct request *q, const struct writer *before,
			  const struct writer *writers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		err_t e;

		if (writers[i].state == before[i].state &&
		    writers[i].heard_at.us == before[i].heard_at.us)
			continue;
		e = writer_store_save(q->db, &writers[i]);
		if (e)
			return e;
	}
	return NULL;
}

static err_t finish_writer(struct request *q, struct run *run, const struct run_finish_body *body,
			   struct run_changes *changes)
{
	struct writer *writers;
	struct writer *before;
	size_t count;
	size_t which;
	struct err *unknown;
	err_t e;

	e = writer_store_list_deciders(q->db, run->run_id, body->client, run->fallback_state != 0,
				       &writers, &count);
	if (e)
		return e;
	which = find_client(writers, count, body->client);
	if (which == count) {
		unknown = err_field(q->arena, ERR_NOT_FOUND, "writer",
				    "no writer \"%.*s\" joined this run", STR_ARG(body->client));
		unknown->type = "writer-unknown";
		return unknown;
	}
	if (body->session != writers[which].session)
		return batch_refusal(q->arena, BATCH_FENCED, &writers[which], body->session, 0);
	before = arena_copy(q->arena, writers, count * sizeof(writers[0]));
	e = run_finish(q->arena, run, writers, count, which, &body->finish, run_target_clock(q),
		       changes);
	if (e)
		return e;
	return save_writers(q, before, writers, count);
}

static void finish_by_hand(struct request *q, struct run *run, const struct run_finish_body *body,
			   struct run_changes *changes)
{
	struct run_hand hand = {
		.finish = body->finish,
		.has_exit_code = body->has_exit_code,
		.user_id = q->identity->user_id,
		.reason = body->reason.len ? body->reason.at : "ended by hand",
	};

	run_finish_by_hand(run, &hand, run_target_clock(q), changes);
}

static err_t finish(struct request *q, struct run *run, const struct run_finish_body *body,
		    struct run_changes *changes)
{
	if (body->client.len)
		return finish_writer(q, run, body, changes);
	finish_by_hand(q, run, body, changes);
	return NULL;
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
	if (e)
		return e;
	return was_asked ? run_json_reply(q, 200, run) : save_and_reply(q, run, &none);
}

/* ---- states ------------------------------------------------------------------------------------- */

static void reply_states(struct request *q, struct page *page, const struct run_state_row *rows,
			 size_t count)
{
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown; i++)
		run_json_write_state(&page->out, &rows[i]);
	if (page->has_more)
		page_set_place(q, page, "%d", rows[page->shown - 1].number);
	page_end(q, page);
}

err_t state_api_list(struct request *q)
{
	struct run_state_row *rows;
	struct page page;
	int32_t after;
	size_t count;
	err_t e;

	e = page_read_number(q, 0, &page, &after);
	if (!e)
		e = run_store_list_states(q->db, q->target->run_id, after, page.limit + 1, &rows,
					  &count);
	if (!e)
		reply_states(q, &page, rows, count);
	return e;
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
	return save_and_reply(q, run, &changes);
}
