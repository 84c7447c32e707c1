#include "wandb_writer.h"

#include <inttypes.h>
#include <string.h>

#include "app.h"
#include "arena.h"
#include "auth.h"
#include "batch_blocks.h"
#include "batch_make.h"
#include "name.h"
#include "run_target.h"
#include "sdk_role.h"
#include "wandb_change.h"
#include "wandb_session_cache.h"
#include "wandb_submit.h"
#include "writer_change.h"
#include "writer_store.h"

static struct str client_of(struct str client)
{
	return client.len ? client : STR(SDK_PLAIN_CLIENT);
}

/* Until it tells its label. */
static struct str default_label(struct arena *a, const struct wandb_process *p)
{
	if (p->client.len)
		return sdk_label_made(a, p->host, p->client);
	return p->host.len ? sdk_label_of(a, p->host) : STR(SDK_PLAIN_CLIENT);
}

struct ingest_batch *wandb_writer_batch(struct request *q, struct str client)
{
	const struct wandb_process nameless = { .client = client };
	struct ingest_batch *batch = batch_make(q);

	batch->identity = client.len ? BATCH_BY_LINES : BATCH_BY_CONTENT;
	batch->client = client_of(client);
	batch->label = default_label(q->arena, &nameless);
	batch->role = client.len ? WRITER_WORKER : WRITER_PRIMARY;
	return batch;
}

/* ---- changes under the run's lock, in a transaction of their own ----------------------------------- */

struct locked_change {
	writer_change_fn *fn;
	const struct writer_change *change;
};

static err_t change_locked(struct request *q, struct run_edit *edit, const void *what)
{
	const struct locked_change *c = what;

	return c->fn(q, edit->run, c->change, &edit->changes);
}

/* A writer that is not there changes nothing; *ret_there tells. */
static err_t change(struct request *q, writer_change_fn *fn, const struct writer_change *how,
		    bool *ret_there)
{
	const struct locked_change c = { fn, how };
	err_t e = wandb_change_run(q, change_locked, &c);

	*ret_there = !e || !e->type || strcmp(e->type, "writer-unknown") != 0;
	return *ret_there ? e : NULL;
}

static err_t finish_process(struct request *q, int32_t exit_code)
{
	struct writer_change told = {
		.client = STR(SDK_PLAIN_CLIENT),
		.finish = { .exit_code = exit_code },
	};
	unsigned char digest[BATCH_DIGEST_LEN];
	bool is_there;

	batch_digest(q->body, digest);
	memcpy(told.digest, digest, sizeof(told.digest));
	return change(q, writer_change_end_process, &told, &is_there);
}

err_t wandb_writer_finish(struct request *q, struct str client, int32_t exit_code)
{
	const struct writer_change told = {
		.client = client,
		.session = WRITER_ANY_SESSION,
		.finish = { .exit_code = exit_code },
	};
	bool is_there;

	if (!client.len)
		return finish_process(q, exit_code);
	return change(q, writer_change_end, &told, &is_there);
}

err_t wandb_writer_preempt(struct request *q, struct str client)
{
	const struct writer_change told = { .client = client_of(client) };
	bool is_there;

	return change(q, writer_change_preempt, &told, &is_there);
}

/* Client ids are no secret: only with the key that told it is it so. */
static struct str asker(const struct request *q)
{
	const struct identity *who = q->identity;

	return str_of(arena_printf(q->arena, "%" PRId64 "/%" PRId64, who->user_id, who->key_id));
}

void wandb_writer_suspect(struct request *q, struct str client)
{
	if (client.len && q->identity)
		wandb_session_cache_note(q->app->wandb, WANDB_PRIMARY, 0, client, asker(q));
}

static bool is_suspected(const struct request *q, struct str client)
{
	return q->identity &&
	       wandb_session_cache_knows(q->app->wandb, WANDB_PRIMARY, 0, client, asker(q));
}

static const struct str primary_note = { "/primary", 8 }; /* "/" is in no label */

static bool is_primary(const struct request *q, const struct wandb_process *process,
		       const struct json_doc *config)
{
	return !process->client.len || sdk_role_config_is_of_primary(config, process->client) ||
	       is_suspected(q, process->client);
}

err_t wandb_writer_join(struct request *q, const struct wandb_process *process,
			struct ingest_batch *batch)
{
	struct writer_join *join = arena_new_of(q->arena, struct writer_join);
	unsigned char *said = arena_new_array(q->arena, unsigned char, BATCH_DIGEST_LEN);
	err_t e;

	batch_digest(q->body, said);
	*join = (struct writer_join){
		.client = batch->client,
		.label = default_label(q->arena, process),
		.role = is_primary(q, process, batch->config) ? WRITER_PRIMARY : WRITER_WORKER,
		.info = process->info,
		.is_blank = !process->resumes,
		.knows_name = process->knows_name,
		.said = said,
	};
	batch->join = join;
	e = wandb_submit(q, batch);
	if (!e && process->client.len && join->role == WRITER_PRIMARY)
		wandb_session_cache_note(q->app->wandb, WANDB_LEARNT, q->target->run_id,
					 process->client, primary_note);
	return e;
}

err_t wandb_writer_learn(struct request *q, struct str client, bool is_primary, struct str label)
{
	struct wandb_session_cache *cache = q->app->wandb;
	struct writer_change learnt = { .client = client, .label = label };
	struct str detail = label.len ? label : primary_note;
	bool is_there;
	err_t e;

	if (!client.len)
		return NULL;
	learnt.is_primary = is_primary || is_suspected(q, client);
	if ((!learnt.is_primary && !label.len) ||
	    wandb_session_cache_knows(cache, WANDB_LEARNT, q->target->run_id, client, detail))
		return NULL;
	e = change(q, writer_change_learn, &learnt, &is_there);
	if (!e && is_there)
		wandb_session_cache_note(cache, WANDB_LEARNT, q->target->run_id, client, detail);
	return e;
}

err_t wandb_writer_tell(struct request *q, struct ingest_batch *batch, struct str client,
			struct str label)
{
	struct str told = sdk_label_of(q->arena, label);
	struct writer *w = NULL;
	err_t e = NULL;

	if (!client.len || !told.len ||
	    wandb_session_cache_knows(q->app->wandb, WANDB_LEARNT, q->target->run_id, client, told))
		return NULL;
	e = writer_store_find_now(q->db, q->target->run_id, client, &w);
	if (e)
		return e;
	if (w && w->role != WRITER_WORKER)
		return wandb_writer_learn(q, client, false, told);
	batch->label_was = w ? w->label : batch->label;
	batch->label_told = told;
	if (w && str_equal(w->label, writer_change_label(q->arena, w, told)))
		batch->label_was = told; /* it keeps what it has */
	return NULL;
}

void wandb_writer_told(struct request *q, const struct ingest_batch *batch)
{
	if (batch->label_told.len)
		wandb_session_cache_note(q->app->wandb, WANDB_LEARNT, q->target->run_id,
					 batch->client, batch->label_told);
}

/* ---- as it is ------------------------------------------------------------------------------------- */

err_t wandb_writer_is_alive(struct request *q, struct str client, bool *ret_alive)
{
	const struct str name = client_of(client);
	struct writer *writers;
	size_t count;
	err_t e;

	e = writer_store_find_all(q->db, &q->target->run_id, &name, 1, &writers, &count);
	*ret_alive = !e && count && writers[0].state == WRITER_ALIVE;
	return e;
}
