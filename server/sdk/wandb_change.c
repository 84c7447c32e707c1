#include "wandb_change.h"

#include "app.h"
#include "artifact_delete.h"
#include "audit_note.h"
#include "auth.h"
#include "deletion.h"
#include "json_doc.h"
#include "run_change.h"
#include "run_target.h"
#include "server_store.h"
#include "wandb.h"
#include "wandb_id.h"
#include "wandb_input.h"

/* ---- the answer ----------------------------------------------------------------------------------- */

static err_t done_success(struct gql_call *call)
{
	json_out_bool(call->out, true);
	return NULL;
}

static err_t done_mutation_id(struct gql_call *call)
{
	const struct str *id = call->parent;

	if (id->len)
		json_out_text(call->out, *id);
	return NULL;
}

static const struct gql_field done_fields[] = {
	GQL_VALUE_FIELD("success", NULL, done_success),
	GQL_VALUE_FIELD("clientMutationId", NULL, done_mutation_id),
};
const struct gql_type wandb_done_type = GQL_TYPE("Done", done_fields);

void wandb_done(struct gql_call *call)
{
	struct str id =
		wandb_input_text(json_doc_get_named(call->args, "input"), "clientMutationId");

	gql_give(call, arena_copy(call->arena, &id, sizeof(id)));
}

/* ---- what they share ------------------------------------------------------------------------------ */

err_t wandb_change(struct request *q, wandb_change_fn *change, const void *what)
{
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);

	if (!e)
		e = change(q, what);
	if (!e)
		e = db_commit(q->db);
	if (e)
		db_rollback(q->db);
	return e;
}

struct run_call {
	run_change_fn *change;
	const void *what;
};

static err_t change_run(struct request *q, const void *what)
{
	const struct run_call *c = what;
	struct run *run;

	return run_change(q, c->change, c->what, &run);
}

err_t wandb_change_run(struct request *q, run_change_fn *change, const void *what)
{
	const struct run_call c = { change, what };

	return wandb_change(q, change_run, &c);
}

static err_t read_id(struct gql_call *call, struct auth_ask *ask)
{
	struct str id = wandb_input_text(json_doc_get_named(call->args, "input"), "id");

	*ask = (struct auth_ask){ .access = ACCESS_WRITE };
	if (wandb_id_read_run(call->arena, id, &ask->entity, &ask->project, &ask->run))
		return NULL;
	return err_field(call->arena, ERR_INVALID, "id", "invalid run id");
}

/* ---- delete --------------------------------------------------------------------------------------- */

static err_t delete_run(struct request *q, const void *what)
{
	(void)what;
	return deletion_delete_run(q, DELETION_PURGE_LATER);
}

/* The versions of artifacts that it made, if the client asks for that: otherwise they stay. */
static err_t delete_artifacts(struct gql_call *call)
{
	const struct json_doc *wanted =
		json_doc_get_named(json_doc_get_named(call->args, "input"), "deleteArtifacts");
	struct artifact_freed *freed;

	if (!json_doc_is(wanted, JSON_KIND_BOOL) || !wanted->truth)
		return NULL;
	freed = arena_new_of(call->arena, struct artifact_freed);
	return artifact_delete_of_run(wandb_of(call)->q, freed);
}

/* Deleting a run that is already deleted succeeds. */
err_t wandb_delete_run(struct gql_call *call)
{
	struct wandb *w = wandb_of(call);
	struct auth_ask ask;
	bool there = false;
	err_t e = read_id(call, &ask);

	if (!e)
		e = wandb_look(w, &ask, &there);
	if (!e && there)
		e = delete_artifacts(call);
	if (!e && there)
		e = wandb_change(w->q, delete_run, NULL);
	if (e && e->kind != ERR_GONE)
		return e;
	if (there)
		auth_forget_all(w->q->app->auth);
	wandb_done(call);
	return NULL;
}

/* ---- stop ----------------------------------------------------------------------------------------- */

/* A run that has ended is not changed. */
static err_t stop_run(struct request *q, struct run_edit *edit, const void *what)
{
	struct run *run = edit->run;
	err_t e;

	(void)what;
	edit->is_unchanged = run_has_ended(run) || run->stop_asked_at.us;
	if (edit->is_unchanged)
		return NULL;
	e = run_ask_stop(q->arena, run, STR("stopped through the public API"), q->now);
	if (e)
		return e;
	return audit_note(q, &(struct audit_event){ AUDIT_RUN_STOP, STR(""), run->stop_reason });
}

static err_t change_named(struct gql_call *call, run_change_fn *change, const void *what)
{
	struct wandb *w = wandb_of(call);
	struct auth_ask ask;
	err_t e = read_id(call, &ask);

	if (!e)
		e = wandb_target(w, &ask);
	if (!e)
		e = wandb_change_run(w->q, change, what);
	if (!e)
		wandb_done(call);
	return e;
}

err_t wandb_stop_run(struct gql_call *call)
{
	return change_named(call, stop_run, NULL);
}

/* ---- state ---------------------------------------------------------------------------------------- */

static err_t put_state(struct request *q, struct run_edit *edit, const void *what)
{
	const struct str *name = what;
	struct run *run = edit->run;
	enum run_state state;
	const char *reason;

	if (!run_state_parse(*name, &state) || !run_may_be_put(run, state))
		return err_new(
			q->arena, ERR_CONFLICT,
			"invalid state transition: from %s to %.*s (to pending from running, "
			"failed, crashed or preempted, to failed from running or pending)",
			run_state_name(run->state), STR_ARG(*name));
	reason = state == RUN_PENDING ? "to begin again" : "failed by hand";
	run_override(run, state, q->identity->user_id, reason, run_target_clock(q), &edit->changes);
	return edit->changes.count ? audit_note_state(q, run->state, str_of(reason)) : NULL;
}

err_t wandb_update_run_state(struct gql_call *call)
{
	struct str state = wandb_input_text(json_doc_get_named(call->args, "input"), "state");

	return change_named(call, put_state, &state);
}
