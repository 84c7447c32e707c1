#include "batch_api.h"

#include "app.h"
#include "auth.h"
#include "batch_make.h"
#include "batch_scan.h"
#include "db.h"
#include "labels.h"
#include "left_out_json.h"
#include "replica.h"
#include "reply.h"
#include "run_json.h"
#include "run_target.h"
#include "server_store.h"

enum { IDEMPOTENCY_KEY_MAX = 128 };

static struct batch_source source_of(struct request *q)
{
	return (struct batch_source){ q->body, q->db, request_scratch(q) };
}

/* ---- batches ------------------------------------------------------------------------------------ */

static void write_answer(struct request *q, const struct ingest_batch *batch)
{
	const struct ingest_answer *answer = &batch->answer;
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_put_int(&out, "batch", answer->batch);
	json_out_put_int(&out, "row_first", answer->row_first);
	json_out_put_int(&out, "rows", answer->rows);
	json_out_put_int(&out, "step_next", answer->step_next);
	json_out_put_bool(&out, "stop", answer->stop);
	json_out_put_text(&out, "state", str_of(run_state_name(answer->state)));
	left_out_json_put(&out, &batch->left_out);
	json_out_object_end(&out);
}

static void batch_done(struct ingest_batch *batch, err_t e)
{
	struct request *q = batch->owner;

	if (!e) {
		write_answer(q, batch);
		replica_tell_written(q, batch->answer.written);
	}
	request_complete(q, e);
}

/* A batch that was submitted may already be answered and freed. */
err_t batch_api_post(struct request *q)
{
	struct ingest *ingest = q->app->ingest;
	struct ingest_batch *batch = batch_make(q);
	const struct batch_source from = source_of(q);
	err_t e;

	batch->done = batch_done;
	ingest_announce(ingest);
	e = batch_scan(ingest, &from, batch);
	if (!e)
		e = batch_submit(q, batch);
	ingest_announce_end(ingest);
	return e;
}

/* ---- bare rows ------------------------------------------------------------------------------------ */

static void write_rows_answer(struct request *q, const struct ingest_batch *batch)
{
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_put_text(&out, "run", q->target->run);
	json_out_put_int(&out, "row_first", batch->answer.row_first);
	json_out_put_int(&out, "rows", batch->answer.rows);
	left_out_json_put(&out, &batch->left_out);
	json_out_object_end(&out);
}

static void rows_done(struct ingest_batch *batch, err_t e)
{
	struct request *q = batch->owner;

	if (!e) {
		write_rows_answer(q, batch);
		replica_tell_written(q, batch->answer.written);
	}
	request_complete(q, e);
}

/* Outside the route's transaction: what the flusher locks must be there for it to see. */
static err_t make_run(struct request *q)
{
	struct run_info info = run_json_default(q->target->run);
	bool made;
	err_t e;

	if (q->target->run_id)
		return NULL;
	e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);
	if (!e)
		e = run_target_make(q, &info, &made);
	if (!e)
		e = db_commit(q->db);
	if (e)
		db_rollback(q->db);
	return e;
}

static err_t read_idempotency_key(struct request *q, struct str *ret_key)
{
	struct str key = request_header(q, "Idempotency-Key");

	*ret_key = STR("");
	if (!key.at)
		return NULL;
	if (!key.len || key.len > IDEMPOTENCY_KEY_MAX)
		return err_field(q->arena, ERR_INVALID, "Idempotency-Key",
				 "must have 1 to %d characters", IDEMPOTENCY_KEY_MAX);
	for (size_t i = 0; i < key.len; i++) {
		if (key.at[i] < '!' || key.at[i] > '~')
			return err_field(q->arena, ERR_INVALID, "Idempotency-Key",
					 "must be visible ASCII characters");
	}
	*ret_key = key;
	return NULL;
}

/* One writer per person and label: rows of one hand stay together. */
static err_t name_hand(struct request *q, struct ingest_batch *batch)
{
	struct str label;
	err_t e;

	e = labels_asked(q, &label);
	if (!label.at)
		label = q->identity->name;
	batch->identity = BATCH_BY_HAND;
	batch->role = WRITER_HAND;
	batch->label = label;
	batch->client = str_of(arena_printf(q->arena, "hand/%.*s/%.*s", STR_ARG(q->identity->name),
					    STR_ARG(label)));
	return e;
}

static err_t make_project(struct request *q)
{
	const struct batch_source from = source_of(q);
	bool made;
	err_t e;

	e = batch_scan_rows(q->app->ingest, &from, batch_make(q));
	if (!e)
		e = run_target_check_quota(q);
	if (!e)
		e = server_store_now(q->db, &q->now);
	return e ? e : run_target_make_project(q, &made);
}

err_t batch_api_post_rows(struct request *q)
{
	const struct batch_source from = source_of(q);
	struct str key = STR("");
	struct ingest_batch *batch;
	err_t e;

	e = read_idempotency_key(q, &key);
	if (!e && !q->target->project_id)
		e = make_project(q);
	if (e)
		return e;
	batch = batch_make(q);
	batch->done = rows_done;
	batch->idempotency_key = key;
	e = name_hand(q, batch);
	if (!e)
		e = batch_scan_rows(q->app->ingest, &from, batch);
	if (!e)
		e = make_run(q);
	if (e)
		return e;
	batch->run_id = q->target->run_id;
	return batch_submit(q, batch);
}
