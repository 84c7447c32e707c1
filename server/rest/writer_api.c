#include "writer_api.h"

#include "audit_note.h"
#include "auth.h"
#include "batch.h"
#include "batch_make.h"
#include "page.h"
#include "replica.h"
#include "reply.h"
#include "run_change.h"
#include "run_json.h"
#include "run_target.h"
#include "writer_change.h"
#include "writer_json.h"
#include "writer_store.h"

/* ---- join --------------------------------------------------------------------------------------- */

struct join_request {
	struct request *q;
	struct run_info *info;
};

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

static void reply_joined(struct request *q, const struct run_info *info,
			 const struct ingest_joined *joined)
{
	struct run_clock clock = { joined->now, q->target->crash_after_us };
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_key(&out, "run");
	run_json_write(&out, q, info, &joined->run);
	json_out_key(&out, "writer");
	writer_json_write(&out, &joined->writer, &joined->run, clock);
	json_out_put_int(&out, "session", joined->writer.session);
	json_out_put_int(&out, "batch_next", 1);
	json_out_put_int(&out, "records", joined->records);
	put_sessions(&out, &joined->writer);
	json_out_put_int(&out, "heartbeat_s", writer_heartbeat_s(clock.limit_us));
	json_out_put_int(&out, "crash_after_s", clock.limit_us / 1000000);
	json_out_put_bool(&out, "stop", joined->run.stop_asked_at.us != 0);
	json_out_object_end(&out);
}

/* From a flusher's thread. */
static void join_done(struct ingest_batch *batch, err_t e)
{
	const struct join_request *join = batch->owner;
	struct request *q = join->q;

	if (!e) {
		reply_joined(q, join->info, batch->joined);
		replica_tell_written(q, batch->answer.written);
	}
	request_complete(q, e);
}

/* Many writers of one run join at the same time: flushers take them together. */
err_t writer_api_join(struct request *q)
{
	struct join_request *asked = arena_new_of(q->arena, struct join_request);
	struct writer_join *join = arena_new_of(q->arena, struct writer_join);
	struct ingest_batch *batch;
	err_t e;

	asked->q = q;
	e = writer_json_read_join(q, join);
	if (!e)
		e = run_target_info(q, &asked->info);
	if (e)
		return e;
	batch = batch_make(q);
	batch->client = join->client;
	batch->join = join;
	batch->owner = asked;
	batch->done = join_done;
	return batch_submit(q, batch);
}

/* ---- list --------------------------------------------------------------------------------------- */

static err_t fetch_writers(struct request *q, int32_t after, int64_t limit,
			   struct page_rows *ret_rows)
{
	struct writer *writers = NULL;
	struct run *run = NULL;
	err_t e = run_store_get(q->db, q->target->run_id, &run);

	if (!e)
		e = writer_store_list_now(q->db, q->target->run_id, after, limit, &writers,
					  &ret_rows->count);
	ret_rows->items = writers;
	ret_rows->shared = run;
	return e;
}

static int64_t write_writer(struct request *q, struct json_out *o, const struct page_rows *rows,
			    size_t row)
{
	const struct writer *writers = rows->items;

	writer_json_write(o, &writers[row], rows->shared, run_target_clock(q));
	return writers[row].writer;
}

err_t writer_api_list(struct request *q)
{
	return page_list(q, -1, fetch_writers, write_writer);
}

/* ---- end ---------------------------------------------------------------------------------------- */

/* Returns -1, which no writer has, for text that is not a valid number. */
static int32_t number_of(struct str text)
{
	int64_t number;

	return str_to_int64(text, 0, INT32_MAX, &number) ? (int32_t)number : -1;
}

static err_t give_up(struct request *q, struct run_edit *edit, const void *arg)
{
	int32_t number = number_of(request_param(q, "writer"));
	err_t e = writer_change_give_up(q, edit->run, number, arg, &edit->changes);

	if (!e && edit->changes.count)
		e = audit_note(q, &(struct audit_event){ .action = AUDIT_WRITER_END,
							 .subject = request_param(q, "writer") });
	return e;
}

err_t writer_api_end(struct request *q)
{
	struct run_hand hand;
	err_t e = run_json_read_give_up(q, &hand);

	return e ? e : run_change_and_reply(q, give_up, &hand);
}
