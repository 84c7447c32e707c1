#include "wandb_stream.h"

#include "app.h"
#include "auth.h"
#include "batch_make.h"
#include "batch_scan.h"
#include "left_out_json.h"
#include "log.h"
#include "replica.h"
#include "reply.h"
#include "run_store.h"
#include "unread_store.h"
#include "wandb.h"
#include "wandb_body.h"
#include "wandb_dedupe.h"
#include "wandb_rate_hint.h"
#include "wandb_submit.h"
#include "wandb_summary.h"
#include "wandb_writer.h"

/* Clients read "stopped" alone; the rest is for people who look at what goes over the line. */
static void write_answer(struct request *q, struct ingest_batch *batch)
{
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_put_null(&out, "exitcode");
	json_out_key(&out, "limits");
	json_out_object(&out);
	json_out_object_end(&out);
	json_out_put_bool(&out, "stopped", batch->answer.stop);
	left_out_join(&batch->left_out, q->arena, &batch->left_out_here);
	left_out_json_put(&out, &batch->left_out);
	json_out_object_end(&out);
}

/* Errors after which the client would give up, though a retry can succeed, become ERR_BUSY. */
static err_t bearable(struct request *q, const struct ingest_batch *batch, err_t e)
{
	if (wandb_dedupe_is_refusal(e)) {
		wandb_dedupe_note(q, batch);
		return err_new(q->arena, ERR_BUSY, "%s", e->message);
	}
	if (!e || (e->kind != ERR_CONFLICT && e->kind != ERR_INVALID &&
		   e->kind != ERR_UNPROCESSABLE && e->kind != ERR_TOO_LARGE))
		return e;
	log_warning("a batch of the SDK was rejected", LOG_TEXT("id", q->id),
		    LOG_TEXT("error", err_chain(q->arena, e)));
	return err_new(q->arena, ERR_BUSY, "%s", e->message);
}

static void stored(struct ingest_batch *batch, err_t e)
{
	struct request *q = batch->owner;

	if (!e) {
		wandb_writer_told(q, batch);
		write_answer(q, batch);
		replica_tell_written(q, batch->answer.written);
	}
	request_complete(q, bearable(q, batch, e));
}

/* Stores the lines first, and then that the writer is about to be preempted or has ended. */
static err_t store_and_tell(struct request *q, const struct wandb_body *body, bool says_nothing,
			    struct ingest_batch *batch)
{
	err_t e = says_nothing ? NULL : wandb_submit(q, batch);

	e = bearable(q, batch, e);
	if (!e && body->is_preempting)
		e = wandb_writer_preempt(q, wandb_client(q));
	if (!e && body->is_complete)
		e = wandb_writer_finish(q, wandb_client(q), body->exit_code);
	if (!e)
		write_answer(q, batch);
	return e;
}

err_t wandb_stream(struct request *q)
{
	struct str client = wandb_client(q);
	struct ingest_batch *batch = wandb_writer_batch(q, client);
	struct wandb_body *body = arena_new_of(q->arena, struct wandb_body);
	struct wandb_dedupe known;
	bool says_nothing;
	const struct wandb_body_ask ask = { request_scratch(q), batch, client };
	err_t e;

	wandb_rate_hint(q);
	e = wandb_body_read(&ask, q->body, body);
	if (!e)
		e = wandb_dedupe_scan(q, body, batch, &known);
	if (!e && body->summary)
		e = wandb_summary_shorten(q, body->summary, &body->summary);
	if (!e)
		e = wandb_writer_learn(q, client, false, STR(""));
	if (!e)
		e = wandb_writer_tell(q, batch, client, body->label);
	if (e)
		return bearable(q, batch, e);
	for (int i = 0; i < LINE_FILES; i++)
		batch->lines.of[i] = body->lines[i];
	/* The summary next to stored rows is outdated; the console lines may be new. */
	says_nothing = known.is_repeat && !batch->console.len;
	batch->summary = known.is_repeat ? NULL : body->summary;
	batch->summary_is_whole = true;
	batch->summary_is_final = body->is_complete;
	batch->summary_derived = wandb_derives_summary(q);
	if (body->is_complete || body->is_preempting)
		return store_and_tell(q, body, says_nothing, batch);
	if (says_nothing) /* but that its process lives */
		batch = wandb_writer_batch(q, client);
	batch->done = stored;
	batch->owner = q;
	return batch_submit(q, batch);
}
