/*
 * upsertSweep. The client sends it again in up to five forms after any failure, so everything is refused before it is stored, and a
 * repeated request finds the sweep that it made (sweep_make.h).
 */
#include "wandb_sweep_change.h"

#include "arena.h"
#include "json_doc.h"
#include "sweep_edit.h"
#include "wandb.h"
#include "wandb_input.h"
#include "wandb_sweep.h"
#include "wandb_unsupported.h"

struct upserted {
	const struct sweep *sweep;
	struct sweep_faults faults;
};

/* ---- answers -------------------------------------------------------------------------------------- */

static err_t upserted_sweep(struct gql_call *call)
{
	const struct upserted *done = call->parent;

	gql_give(call, wandb_sweep_of(call->arena, wandb_of(call)->q->target, done->sweep));
	return NULL;
}

static void put_warning(struct gql_call *call, const struct sweep_fault *f)
{
	json_out_text(call->out, f->path.len
					 ? str_of(arena_printf(call->arena, "%.*s: %.*s",
							       STR_ARG(f->path), STR_ARG(f->text)))
					 : f->text);
}

static err_t upserted_warnings(struct gql_call *call)
{
	const struct upserted *done = call->parent;

	json_out_array(call->out);
	for (size_t i = 0; i < done->faults.count; i++)
		put_warning(call, &done->faults.items[i]);
	json_out_array_end(call->out);
	return NULL;
}

static const struct gql_field upserted_fields[] = {
	GQL_OBJECT_FIELD("sweep", NULL, upserted_sweep, &wandb_sweep_type),
	GQL_VALUE_FIELD("configValidationWarnings", NULL, upserted_warnings),
};
const struct gql_type wandb_upserted_sweep_type = GQL_TYPE("UpsertSweepPayload", upserted_fields);

/* ---- a new one ------------------------------------------------------------------------------------ */

static bool is_state(struct str text, enum sweep_state state)
{
	return str_is(text, sweep_state_name(state));
}

static err_t read_first_state(struct gql_call *call, struct str text, int16_t *ret_state)
{
	static const enum sweep_state states[] = { SWEEP_STATE_PENDING, SWEEP_STATE_RUNNING,
						   SWEEP_STATE_PAUSED };

	*ret_state = 0;
	if (!text.len)
		return NULL;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (is_state(text, states[i]))
			*ret_state = (int16_t)states[i];
	}
	return *ret_state ? NULL
			  : err_field(call->arena, ERR_INVALID, "state",
				      "invalid state of a new sweep: expected PENDING, RUNNING or "
				      "PAUSED");
}

static err_t read_make(struct gql_call *call, const struct json_doc *input,
		       struct sweep_make_asked *asked)
{
	*asked = (struct sweep_make_asked){
		.config = wandb_input_text(input, "config"),
		.display_name = wandb_input_text(input, "displayName"),
		.description = wandb_input_text(input, "description"),
		.controller = wandb_input_text(input, "controller"),
		.scheduler = wandb_input_text(input, "scheduler"),
		.prior_runs = wandb_input_text(input, "priorRunsFilters"),
		.is_of_wandb = true,
	};
	if (!asked->config.len)
		return err_field(call->arena, ERR_INVALID, "config", "\"config\" is missing");
	return read_first_state(call, wandb_input_text(input, "state"), &asked->state);
}

/* The config's, as wandb.sweep() has it. A config that cannot be read is refused later. */
static struct str default_project(struct gql_call *call, struct str text)
{
	const struct sweep_config *config;
	struct sweep_faults faults;

	if (!sweep_config_read(call->arena, text, &config, &faults) && config->project.name.len)
		return config->project.name;
	return STR("uncategorized");
}

static err_t make(struct gql_call *call, const struct json_doc *input, struct upserted *done)
{
	struct auth_ask ask = {
		.access = ACCESS_WRITE,
		.flags = ROUTE_MAKES,
		.entity = wandb_input_text(input, "entityName"),
		.project = wandb_input_text(input, "projectName"),
	};
	struct wandb *w = wandb_of(call);
	struct sweep_make_asked asked;
	struct sweep_made made;
	err_t e = read_make(call, input, &asked);

	if (!e && !ask.project.len)
		ask.project = default_project(call, asked.config);
	asked.names_entity = ask.entity.len;
	if (!e)
		e = wandb_target(w, &ask);
	if (!e)
		e = sweep_make(w->q, &asked, &made);
	if (e)
		return e;
	*done = (struct upserted){ made.sweep, made.faults };
	return NULL;
}

/* ---- changes -------------------------------------------------------------------------------------- */

/* By the id that the answers have; some callers have the name instead. */
static err_t find(struct gql_call *call, const struct json_doc *input, struct sweep_target *target)
{
	struct wandb *w = wandb_of(call);
	struct sweep_name name = {
		.entity = wandb_input_text(input, "entityName"),
		.project = wandb_input_text(input, "projectName"),
		.sweep = wandb_input_text(input, "id"),
	};
	err_t e = sweep_target_id(w->q, name.sweep, ACCESS_WRITE, target);

	if (!e || e->kind != ERR_NOT_FOUND || !name.project.len)
		return e;
	e = name.entity.len ? NULL : wandb_default_entity(w, &name.entity);
	return e ? e : sweep_target_name(w->q, &name, ACCESS_WRITE, target);
}

/* Null leaves things as they are. */
static err_t read_change(struct gql_call *call, const struct json_doc *input,
			 struct sweep_change *change)
{
	struct str state = wandb_input_text(input, "state");

	*change = (struct sweep_change){
		.config = wandb_input_text(input, "config"),
		.display_name = wandb_input_text(input, "displayName"),
		.description = wandb_input_text(input, "description"),
		.controller = wandb_input_text(input, "controller"),
		.scheduler = wandb_input_text(input, "scheduler"),
	};
	change->has_config = change->config.at;
	change->has_display_name = change->display_name.at;
	change->has_description = change->description.at;
	change->has_controller = change->controller.at;
	change->has_scheduler = change->scheduler.at;
	return state.len ? sweep_event_read(call->arena, state, &change->event) : NULL;
}

static err_t edit(struct gql_call *call, const struct json_doc *input, struct upserted *done)
{
	struct sweep_checked checked = { .config = NULL };
	struct sweep_change change;
	struct sweep_target target;
	err_t e = read_change(call, input, &change);

	if (!e)
		e = find(call, input, &target);
	if (!e)
		e = sweep_edit(wandb_of(call)->q, &target, &change);
	if (e)
		return e;
	if (change.has_config)
		sweep_check(call->arena, change.config, &checked);
	*done = (struct upserted){ target.sweep, checked.faults };
	return NULL;
}

/* The client shows only the message: it has to say what the error is about. */
static err_t with_field(struct arena *a, err_t e)
{
	struct err *named;

	if (!e || !e->field || e->kind != ERR_INVALID)
		return e;
	named = err_field(a, e->kind, e->field, "%s: %s", e->field, e->message);
	named->cause = e->cause;
	return named;
}

err_t wandb_upsert_sweep(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	struct upserted *done = arena_new_of(call->arena, struct upserted);
	err_t e;

	if (wandb_input_text(input, "launchScheduler").len)
		return wandb_no_launch(call);
	e = wandb_input_text(input, "id").len ? edit(call, input, done) : make(call, input, done);
	if (!e)
		gql_give(call, done);
	return with_field(call->arena, e);
}
