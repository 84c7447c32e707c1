#include "wandb_branch.h"

#include <math.h>

#include "arena.h"
#include "auth.h"
#include "run_branch.h"
#include "run_json.h"
#include "run_target.h"
#include "wandb_change.h"
#include "wandb_input.h"
#include "wandb_run.h"

/* ---- rewind --------------------------------------------------------------------------------------- */

static err_t rewound_run(struct gql_call *call)
{
	gql_give(call, call->parent);
	return NULL;
}

static const struct gql_field rewound_fields[] = {
	GQL_OBJECT_FIELD("rewoundRun", NULL, rewound_run, &wandb_run_type),
};
const struct gql_type wandb_rewound_type = GQL_TYPE("RewindRunPayload", rewound_fields);

static err_t resume(struct request *q, struct run_edit *edit, const void *what)
{
	(void)what;
	run_resume(edit->run, q->identity->user_id, run_target_clock(q), &edit->changes);
	return NULL;
}

/* With this a process begins: up to 0.19 it says no more of itself than what it logs. */
static err_t rewind_run(struct request *q, const void *what)
{
	struct run *run;
	err_t e = run_branch_rewind(q, *(const int64_t *)what);

	return e ? e : run_change(q, resume, NULL, &run);
}

/* A step, as a number that may have a point. */
static bool read_step(const struct json_doc *value, int64_t *ret_step)
{
	double step;

	if (!json_doc_is(value, JSON_KIND_NUMBER) || !str_to_double(value->text, &step) ||
	    !(step >= 0 && step <= (double)RUN_STEP_MAX))
		return false;
	*ret_step = (int64_t)step;
	return (double)*ret_step == step;
}

static err_t read_rewind(struct gql_call *call, struct auth_ask *ask, int64_t *ret_step)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");

	*ask = (struct auth_ask){
		.access = ACCESS_WRITE,
		.entity = wandb_input_text(input, "entityName"),
		.project = wandb_input_text(input, "projectName"),
		.run = wandb_input_text(input, "runName"),
	};
	if (!str_is(wandb_input_text(input, "metricName"), "_step"))
		return err_field(call->arena, ERR_INVALID, "metricName",
				 "a run can only be rewound by its \"_step\"");
	if (!read_step(json_doc_get_named(input, "metricValue"), ret_step))
		return err_field(call->arena, ERR_INVALID, "metricValue", "invalid step");
	return NULL;
}

err_t wandb_rewind(struct gql_call *call)
{
	struct wandb *w = wandb_of(call);
	struct wandb_run *run;
	struct auth_ask ask;
	int64_t step;
	err_t e = read_rewind(call, &ask, &step);

	if (!e)
		e = wandb_target(w, &ask);
	if (!e)
		e = wandb_change(w->q, rewind_run, &step);
	if (!e)
		e = wandb_run_read(w, &run);
	if (!e)
		gql_give(call, run);
	return e;
}

/* ---- fork ----------------------------------------------------------------------------------------- */

err_t wandb_branch_fork(struct request *q, const struct json_doc *config)
{
	const struct json_doc *point =
		json_doc_get_named(json_doc_get_named(config, "_wandb"), "branch_point");
	const struct json_doc *name = json_doc_get_named(point, "run_id");
	int64_t step;

	if (!json_doc_is(name, JSON_KIND_STRING) || str_equal(name->text, q->target->run))
		return NULL;
	if (!read_step(json_doc_get_named(point, "step"), &step))
		return err_field(q->arena, ERR_INVALID, "branch_point",
				 "invalid step of the run to fork from");
	return run_branch_fork(q, &(struct run_fork){ .parent = name->text, .step = step });
}
