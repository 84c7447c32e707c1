#include "writer_api.h"

#include "auth.h"
#include "batch.h"
#include "page.h"
#include "reply.h"
#include "run_json.h"
#include "run_target.h"
#include "writer_json.h"
#include "writer_store.h"

/* ---- join --------------------------------------------------------------------------------------- */

/* The client's row as it was, or a new one with the next number; what it tells is set. */
static err_t take_writer(struct request *q, struct run *run, const struct writer_join *join,
			 struct writer **ret_writer)
{
	struct writer *w;
	err_t e;

	e = writer_store_find(q->db, run->run_id, join->client, &w);
	if (e)
		return e;
	if (!w) {
		w = arena_new_of(q->arena, struct writer);
		w->run_id = run->run_id;
		w->writer = run_number_writer(run);
		w->client = join->client;
		w->last_step = -1;
		w->joined_at = q->now;
	}
	batch_remember_session(q->arena, w);
	w->label = join->label;
	w->role = (int16_t)join->role;
	w->parent = join->parent;
	w->info = join->info;
	*ret_writer = w;
	return NULL;
}

static err_t join_run(struct request *q, struct run *run, const struct writer_join *join,
		      struct writer **ret_writer)
{
	struct run_changes changes = { .count = 0 };
	struct writer *same;
	struct writer *before;
	size_t count;
	err_t e;

	e = take_writer(q, run, join, ret_writer);
	if (!e)
		e = writer_store_list_primaries(q->db, run->run_id, join->label, &same, &count);
	if (e)
		return e;
	before = arena_copy(q->arena, same, count * sizeof(same[0]));
	run_join(run, *ret_writer, same, count, run_target_clock(q), &changes);
	for (size_t i = 0; i < count && !e; i++) {
		if (same[i].state != before[i].state)
			e = writer_store_save(q->db, &same[i]);
	}
	if (!e)
		e = writer_store_save(q->db, *ret_writer);
	if (!e)
		e = run_target_save(q, run, &changes);
	return e;
}

static void put_sessions(struct json_out *o, const struct writer *w)
{
	struct batch_session sessions[BATCH_SESSIONS];
	unsigned count = batch_sessions(w, sessions);

	json_out_key(o, "sessions");
	json_out_array(o);
	for (unsigned i = 0; i < count; i++) {
		json_out_object(o);
		json_out_put_int(o, "session", sessions[i].session);
		json_out_put_int(o, "batch", sessions[i].batch);
		json_out_object_end(o);
	}
	json_out_array_end(o);
}

static err_t reply_joined(struct request *q, const struct run *run, const struct writer *w)
{
	struct json_out out = reply_json(q);
	struct run_info *info;
	err_t e;

	e = run_target_info(q, &info);
	if (e)
		return e;
	json_out_object(&out);
	json_out_key(&out, "run");
	run_json_write(&out, q, info, run);
	json_out_key(&out, "writer");
	writer_json_write(&out, w, run_target_clock(q));
	json_out_put_int(&out, "session", w->session);
	json_out_put_int(&out, "batch_next", 1);
	put_sessions(&out, w);
	json_out_put_int(&out, "heartbeat_s", writer_heartbeat_s(q->target->crash_after_us));
	json_out_put_int(&out, "crash_after_s", q->target->crash_after_us / 1000000);
	json_out_put_bool(&out, "stop", run->stop_asked_at.us != 0);
	json_out_object_end(&out);
	return NULL;
}

err_t writer_api_join(struct request *q)
{
	struct writer_join join;
	struct writer *w;
	struct run *run;
	err_t e;

	e = writer_json_read_join(q, &join);
	if (!e)
		e = run_target_lock(q, &run);
	if (!e)
		e = join_run(q, run, &join, &w);
	if (e)
		return e;
	return reply_joined(q, run, w);
}

/* ---- list --------------------------------------------------------------------------------------- */

static void reply_writers(struct request *q, struct page *page, const struct writer *writers,
			  size_t count)
{
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown; i++)
		writer_json_write(&page->out, &writers[i], run_target_clock(q));
	if (page->has_more)
		page_set_place(q, page, "%d", writers[page->shown - 1].writer);
	page_end(q, page);
}

err_t writer_api_list(struct request *q)
{
	struct writer *writers;
	struct page page;
	int32_t after;
	size_t count;
	err_t e;

	e = page_read_number(q, -1, &page, &after);
	if (!e)
		e = writer_store_list_now(q->db, q->target->run_id, after, page.limit + 1, &writers,
					  &count);
	if (!e)
		reply_writers(q, &page, writers, count);
	return e;
}
