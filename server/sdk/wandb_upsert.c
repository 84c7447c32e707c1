#include "wandb_upsert.h"

#include "arena.h"
#include "batch_blocks.h"
#include "display_name.h"
#include "document.h"
#include "document_edit.h"
#include "id.h"
#include "left_out_store.h"
#include "run_attempt.h"
#include "run_json.h"
#include "run_target.h"
#include "run_view.h"
#include "sdk_config.h"
#include "sdk_nested.h"
#include "sdk_role.h"
#include "wandb_branch.h"
#include "wandb_change.h"
#include "wandb_id.h"
#include "wandb_input.h"
#include "wandb_run.h"
#include "wandb_submit.h"
#include "wandb_summary.h"
#include "wandb_writer.h"

struct upserted {
	const struct wandb_run *run;
	bool inserted;
};

static err_t upserted_run(struct gql_call *call)
{
	gql_give(call, ((const struct upserted *)call->parent)->run);
	return NULL;
}

static const struct gql_field upserted_fields[] = {
	GQL_OBJECT_FIELD("bucket", NULL, upserted_run, &wandb_run_type),
	GQL_MEMBER("inserted", GQL_BOOL_MEMBER, struct upserted, inserted),
};
const struct gql_type wandb_upserted_type = GQL_TYPE("UpsertBucketPayload", upserted_fields);

/* ---- in one transaction: the run is there, and what people call it -------------------------------- */

static err_t find_sent(struct request *q, struct wandb_sent *ret_sent)
{
	struct str text;
	err_t e = run_store_find_sent(q->db, q->target->project_id, q->target->run, &text);

	*ret_sent = (struct wandb_sent){ .doc = json_doc_empty() };
	return e || !text.at ? e : json_doc_parse(q->arena, text, &ret_sent->doc);
}

static err_t save_sent(struct request *q, const struct wandb_sent *sent)
{
	return run_store_save_sent(q->db, q->target->project_id, q->target->run,
				   json_doc_dump(q->arena, sent->doc));
}

/* The request. All errors that depend on it alone are found before anything is stored. */
struct upsert {
	const struct json_doc *input;
	const struct json_doc *config;         /* NULL: not sent */
	struct left_out_list *config_left_out; /* of it */
	const struct json_doc *summary;        /* a person's; NULL: not sent */
	struct left_out_list *left_out;        /* of the rest */
	bool *ret_inserted;
};

/* sent: NULL when a person says it. */
static err_t update_info(struct request *q, const struct upsert *u, struct wandb_sent *sent)
{
	const struct wandb_change_of_info change = { u->input, sent, u->left_out };
	struct run_changes none = { .count = 0 };
	struct run_info *info;
	struct run *run;
	bool changed;
	err_t e;

	e = run_target_lock(q, &run);
	if (!e)
		e = run_target_info(q, &info);
	if (!e && sent)
		e = find_sent(q, sent);
	if (!e)
		e = wandb_input_info(q->arena, &change, info, &changed);
	if (!e && sent && sent->is_other)
		e = save_sent(q, sent);
	if (e || !changed)
		return e;
	e = run_store_update_info(q->db, q->target->project_id, info, q->identity->user_id, q->now);
	return e ? e : run_target_save(q, run, &none);
}

static err_t save_left_out(struct request *q, const struct left_out_list *left_out)
{
	return left_out_store_add(q->db, q->target->run_id, left_out, q->now);
}

/* The SDK shows what comes back, and its users know runs by such names. */
static err_t invent_name(struct request *q, struct run_info *info)
{
	int64_t count = 0;
	uint64_t seed;
	err_t e = NULL;

	if (q->target->project_id)
		e = run_store_count(q->db, q->target->project_id, &count);
	id_random(&seed, sizeof(seed));
	info->display_name = display_name_invent(q->arena, seed, count + 1);
	return e;
}

/* Only the call with which a process begins says where it runs. */
static bool is_beginning(const struct json_doc *input)
{
	return wandb_input_text(input, "host").len || wandb_input_text(input, "jobProgram").len;
}

/* Only one that has read the run's documents names it by its id, too. */
static bool is_resuming(const struct json_doc *input)
{
	return wandb_input_text(input, "id").len != 0;
}

/* Keeps the documents that a process replaces because it does not resume the run. */
static err_t keep_former(struct request *q, const struct json_doc *input)
{
	struct run *run;
	err_t e;

	if (!is_beginning(input) || is_resuming(input) || wandb_client(q).len)
		return NULL;
	e = run_target_lock(q, &run);
	return e ? e : run_attempt_keep(q, run);
}

static err_t make_new(struct request *q, const struct upsert *u)
{
	struct run_info info = run_json_default(q->target->run);
	struct wandb_sent sent = { .doc = json_doc_empty() };
	const struct wandb_change_of_info change = { u->input, &sent, u->left_out };
	bool changed;
	err_t e;

	info.is_pending = str_is(wandb_input_text(u->input, "state"), "pending");
	e = invent_name(q, &info);
	if (!e)
		e = wandb_input_info(q->arena, &change, &info, &changed);
	if (!e)
		e = run_target_make(q, &info, u->ret_inserted);
	if (e || !*u->ret_inserted)
		return e;
	wandb_input_told(q->arena, &sent, &info);
	return save_sent(q, &sent);
}

static err_t by_process(struct request *q, const void *what)
{
	const struct upsert *u = what;
	struct wandb_sent sent = { .doc = NULL };
	err_t e = NULL;

	if (!q->target->run_id)
		e = make_new(q, u);
	if (!e)
		e = wandb_branch_fork(q, u->config);
	if (!e && !*u->ret_inserted)
		e = keep_former(q, u->input);
	if (!e && !*u->ret_inserted) {
		*u->left_out =
			(struct left_out_list){ .count = 0 }; /* somebody else made it meanwhile */
		e = update_info(q, u, &sent);
	}
	return e ? e : save_left_out(q, u->left_out);
}

/* Members of a summary that describe the run itself are not a user's edit. */
static const struct json_doc *without_own(struct arena *a, const struct json_doc *after,
					  const struct json_doc *before)
{
	after = json_doc_with(a, after, STR("_step"), NULL);
	if (!json_doc_get_named(before, "_wandb"))
		after = json_doc_with(a, after, STR("_wandb"), NULL);
	return after;
}

/* A person's edit of a document that the SDK gives whole. */
static err_t edit(struct request *q, enum document_kind kind, const struct json_doc *after)
{
	const struct json_doc *before;
	struct run *run;
	struct str text;
	err_t e;

	e = run_store_get(q->db, q->target->run_id, &run);
	if (!e)
		e = run_view_document(q, kind, run, &text);
	if (!e)
		e = json_doc_parse(q->arena, text, &before);
	if (e)
		return e;
	if (kind == DOCUMENT_SUMMARY)
		after = sdk_nested_flat(q->arena, without_own(q->arena, after, before), before);
	after = wandb_input_patch(q->arena, before, after);
	return after->count ? document_edit(q, kind, after) : NULL;
}

static err_t by_person(struct request *q, const void *what)
{
	const struct upsert *u = what;
	err_t e = update_info(q, u, NULL);

	if (!e && u->config)
		e = edit(q, DOCUMENT_CONFIG, u->config);
	if (!e && u->summary)
		e = edit(q, DOCUMENT_SUMMARY, u->summary);
	if (!e)
		e = save_left_out(q, u->left_out);
	return e ? e : save_left_out(q, u->config_left_out);
}

/* ---- through the flusher: the process and its config ----------------------------------------------- */

/* The client id of shared mode is good for one beginning: a second one is a repeat. */
static err_t find_joins(struct wandb *w, const struct upsert *u, bool *ret_joins)
{
	bool is_alive = false;
	err_t e = NULL;

	if (is_beginning(u->input) && w->client.len)
		e = wandb_writer_is_alive(w->q, w->client, &is_alive);
	*ret_joins = is_beginning(u->input) && !is_alive;
	return e;
}

static err_t join(struct wandb *w, const struct upsert *u, struct ingest_batch *batch)
{
	const struct wandb_process process = {
		.client = w->client,
		.host = wandb_input_text(u->input, "host"),
		.info = wandb_input_process(w->q->arena, u->input, u->config),
		.resumes = is_resuming(u->input),
		.knows_name = wandb_input_text(u->input, "displayName").len != 0,
	};

	return wandb_writer_join(w->q, &process, batch);
}

static err_t send_config(struct wandb *w, struct ingest_batch *batch)
{
	err_t e = wandb_submit(w->q, batch);

	if (e || !w->client.len)
		return e;
	return wandb_writer_learn(w->q, w->client,
				  sdk_role_config_is_of_primary(batch->config, w->client), STR(""));
}

/* The join and the config are one batch, so a process begins in one flush. */
static err_t send_process(struct wandb *w, const struct upsert *u)
{
	struct ingest_batch *batch = wandb_writer_batch(w->q, w->client);
	bool joins;
	err_t e = find_joins(w, u, &joins);

	if (e)
		return e;
	if (u->config) {
		batch->config = u->config;
		batch->left_out = *u->config_left_out;
		batch_take_digest(batch, wandb_input_text(u->input, "config"));
	}
	if (joins)
		return join(w, u, batch);
	return u->config ? send_config(w, batch) : NULL;
}

/* ---- both ----------------------------------------------------------------------------------------- */

static err_t read_names(struct gql_call *call, const struct json_doc *input, struct auth_ask *ask)
{
	struct str id = wandb_input_text(input, "id");

	*ask = (struct auth_ask){
		.access = ACCESS_WRITE,
		.flags = ROUTE_MAKES,
		.entity = wandb_input_text(input, "entityName"),
		.project = wandb_input_text(input, "modelName"),
		.run = wandb_input_text(input, "name"),
	};
	if (ask->run.len) {
		if (!ask->project.len)
			ask->project = STR("uncategorized");
		return NULL;
	}
	ask->flags = 0;
	if (wandb_id_read_run(call->arena, id, &ask->entity, &ask->project, &ask->run))
		return NULL;
	return err_field(call->arena, ERR_INVALID, "input",
			 "the name or the id of a run is required");
}

/* Only a user's summary is an edit; a process sends its summary in file_stream. */
static err_t read_documents(struct arena *a, struct upsert *u, bool is_process)
{
	const struct json_doc_members how = { LEFT_OUT_SUMMARY, DOCUMENT_MAX_BYTES, false,
					      u->left_out };
	struct str config = wandb_input_text(u->input, "config");
	struct str summary = wandb_input_text(u->input, "summaryMetrics");
	err_t e = NULL;

	if (config.at)
		e = sdk_config_read(a, config, u->config_left_out, &u->config);
	if (!e && summary.at && !is_process)
		e = json_doc_parse_members(a, summary, &how, &u->summary);
	if (!e && u->summary && !json_doc_is(u->summary, JSON_KIND_OBJECT))
		e = err_field(a, ERR_INVALID, "summaryMetrics", "must be an object");
	return e;
}

static err_t begin_process(struct wandb *w, const struct upsert *u)
{
	err_t e = wandb_change(w->q, by_process, u);

	return e ? e : send_process(w, u);
}

err_t wandb_upsert(struct gql_call *call)
{
	struct upserted *done = arena_new_of(call->arena, struct upserted);
	struct wandb *w = wandb_of(call);
	struct left_out_list left_out = { .count = 0 }, config_left_out = { .count = 0 };
	struct upsert u = {
		.input = json_doc_get_named(call->args, "input"),
		.left_out = &left_out,
		.config_left_out = &config_left_out,
		.ret_inserted = &done->inserted,
	};
	struct wandb_run *run;
	struct auth_ask ask;
	bool is_process;
	err_t e;

	e = read_names(call, u.input, &ask);
	if (!e)
		e = wandb_target(w, &ask);
	if (e)
		return e;
	is_process = ask.flags & ROUTE_MAKES;
	e = read_documents(call->arena, &u, is_process);
	if (!e && u.summary)
		e = wandb_summary_shorten(w->q, u.summary, &u.summary);
	if (!e)
		e = is_process ? begin_process(w, &u) : wandb_change(w->q, by_person, &u);
	if (!e)
		e = wandb_run_read(w, &run);
	if (e)
		return e;
	done->run = run;
	gql_give(call, done);
	return NULL;
}
