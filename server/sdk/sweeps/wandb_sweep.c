/* Sweeps as the SDK reads them. */
#include "wandb_sweep.h"

#include <inttypes.h>
#include <math.h>

#include "arena.h"
#include "json_doc.h"
#include "wandb.h"
#include "wandb_filter.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_project.h"
#include "wandb_sweep_agents.h"
#include "wandb_sweep_runs.h"
#include "wandb_viewer.h"

enum { AT_ONCE = 50, AT_MOST = 1000 };

#define CURSOR_KIND "SweepCursor"

static void fill(struct arena *a, struct target *target, struct wandb_sweep_figures *figures,
		 struct wandb_sweep *items)
{
	for (size_t i = 0; i < figures->count; i++) {
		const struct sweep *row = &figures->rows[i];

		items[i] = (struct wandb_sweep){
			.cursor = wandb_id(a, CURSOR_KIND,
					   str_of(arena_printf(a, "%" PRId64, row->sweep_id))),
			.target = target,
			.row = row,
			.figures = figures,
			.id = sweep_id_of(a, row),
		};
	}
}

static struct wandb_sweep *make_items(struct arena *a, struct target *target,
				      const struct sweep *rows, size_t count)
{
	struct wandb_sweep_figures *figures = arena_new_of(a, struct wandb_sweep_figures);
	struct wandb_sweep *items = arena_new_array(a, struct wandb_sweep, count + 1);

	*figures = (struct wandb_sweep_figures){ .rows = rows, .count = count };
	fill(a, target, figures, items);
	return items;
}

const struct wandb_sweep *wandb_sweep_of(struct arena *a, struct target *target,
					 const struct sweep *row)
{
	return make_items(a, target, row, 1);
}

/* ---- texts ---------------------------------------------------------------------------------------- */

static const struct sweep *row_of(const struct gql_call *call)
{
	return ((const struct wandb_sweep *)call->parent)->row;
}

static err_t put(struct gql_call *call, struct str text)
{
	if (text.at)
		json_out_text(call->out, text);
	return NULL;
}

static err_t sweep_name(struct gql_call *call)
{
	return put(call, row_of(call)->name);
}

static err_t sweep_method(struct gql_call *call)
{
	return put(call, str_of(sweep_method_name((enum sweep_method)row_of(call)->method)));
}

static err_t sweep_state(struct gql_call *call)
{
	return put(call, str_of(sweep_state_name((enum sweep_state)row_of(call)->state)));
}

static err_t sweep_description(struct gql_call *call)
{
	return put(call, row_of(call)->description);
}

/* Null without one: the client takes the name of the config, or the id. */
static err_t sweep_display_name(struct gql_call *call)
{
	return put(call, row_of(call)->display_name);
}

static err_t sweep_config(struct gql_call *call)
{
	return put(call, row_of(call)->config);
}

static err_t sweep_controller(struct gql_call *call)
{
	return put(call, row_of(call)->controller);
}

static err_t sweep_scheduler(struct gql_call *call)
{
	return put(call, row_of(call)->scheduler);
}

static err_t sweep_created_at(struct gql_call *call)
{
	json_out_time(call->out, row_of(call)->created_at);
	return NULL;
}

static timestamp_us updated_at(const struct sweep *row)
{
	return row->state_at.us > row->changed_at.us ? row->state_at : row->changed_at;
}

static err_t sweep_updated_at(struct gql_call *call)
{
	json_out_time(call->out, updated_at(row_of(call)));
	return NULL;
}

static err_t sweep_no(struct gql_call *call)
{
	json_out_bool(call->out, false);
	return NULL;
}

static err_t sweep_project(struct gql_call *call)
{
	const struct wandb_sweep *sweep = call->parent;

	gql_give(call, wandb_project_of(call->arena, sweep->target));
	return NULL;
}

static err_t sweep_user(struct gql_call *call)
{
	if (row_of(call)->user.len)
		gql_give(call, wandb_user_of(call->arena, row_of(call)->user));
	return NULL;
}

/* ---- figures -------------------------------------------------------------------------------------- */

static err_t read_shown(struct gql_call *call, const struct sweep_shown **ret_shown)
{
	const struct wandb_sweep *sweep = call->parent;
	struct wandb_sweep_figures *figures = sweep->figures;
	struct request *q = wandb_of(call)->q;
	err_t e = NULL;

	q->target = sweep->target;
	if (!figures->shown)
		e = sweep_show(q, figures->rows, figures->count, &figures->shown);
	if (!e)
		*ret_shown = &figures->shown[sweep->row - figures->rows];
	return e;
}

static err_t sweep_best(struct gql_call *call)
{
	const struct sweep_shown *shown;
	err_t e = read_shown(call, &shown);

	if (!e && isfinite(shown->best))
		json_out_real(call->out, shown->best);
	return e;
}

/* Runs that never came are not counted. */
static err_t sweep_run_count(struct gql_call *call)
{
	const struct sweep_shown *shown;
	err_t e = read_shown(call, &shown);

	if (!e)
		json_out_int(call->out, shown->sums.trials - shown->sums.lost);
	return e;
}

/* A number is expected of a grid only, as with W&B: null for other searches, with run_cap or without. */
static err_t sweep_run_count_expected(struct gql_call *call)
{
	const struct sweep_shown *shown;
	err_t e = read_shown(call, &shown);

	if (!e && shown->expected >= 0 && row_of(call)->method == SWEEP_GRID)
		json_out_int(call->out, shown->expected);
	return e;
}

static const struct gql_field sweep_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct wandb_sweep, id),
	GQL_VALUE_FIELD("name", NULL, sweep_name),
	GQL_VALUE_FIELD("displayName", NULL, sweep_display_name),
	GQL_VALUE_FIELD("method", NULL, sweep_method),
	GQL_VALUE_FIELD("state", NULL, sweep_state),
	GQL_VALUE_FIELD("description", NULL, sweep_description),
	GQL_VALUE_FIELD("config", NULL, sweep_config),
	GQL_VALUE_FIELD("controller", NULL, sweep_controller),
	GQL_VALUE_FIELD("scheduler", NULL, sweep_scheduler),
	GQL_VALUE_FIELD("createdAt", NULL, sweep_created_at),
	GQL_VALUE_FIELD("updatedAt", NULL, sweep_updated_at),
	GQL_VALUE_FIELD("heartbeatAt", NULL, sweep_updated_at),
	GQL_VALUE_FIELD("earlyStopJobRunning", NULL, sweep_no),
	GQL_VALUE_FIELD("bestLoss", NULL, sweep_best),
	GQL_VALUE_FIELD("runCount", NULL, sweep_run_count),
	GQL_VALUE_FIELD("runCountExpected", NULL, sweep_run_count_expected),
	GQL_OBJECT_FIELD("project", NULL, sweep_project, &wandb_project_type),
	GQL_OBJECT_FIELD("user", NULL, sweep_user, &wandb_user_type),
	GQL_OBJECT_FIELD("runs", "first after", wandb_sweep_runs, &wandb_runs_type),
	GQL_OBJECT_FIELD("priorRuns", "first after", wandb_sweep_prior_runs, &wandb_runs_type),
	GQL_OBJECT_FIELD("agents", "first after", wandb_sweep_agents, &wandb_agents_type),
	GQL_OBJECT_FIELD("agent", "agentName", wandb_sweep_agent, &wandb_agent_type),
};
const struct gql_type wandb_sweep_type = GQL_TYPE("Sweep", sweep_fields);

WANDB_LIST_FIELDS(sweep, "Sweep", wandb_sweep_type);
const struct gql_type wandb_sweeps_type = GQL_TYPE("SweepConnection", sweep_list_fields);

/* ---- of a project --------------------------------------------------------------------------------- */

err_t wandb_project_sweep(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;
	struct request *q = wandb_of(call)->q;
	struct sweep_target found;
	err_t e;

	q->target = project->target;
	e = sweep_target_here(q, gql_arg_text(call, "sweepName"), STR(""), &found);
	if (e)
		return e->kind == ERR_NOT_FOUND ? NULL : e;
	gql_give(call, wandb_sweep_of(call->arena, project->target, found.sweep));
	return NULL;
}

static err_t read_page(struct gql_call *call, struct sweeps_ask *ask)
{
	struct str after = gql_arg_text(call, "after");
	struct str rest;
	int64_t first;
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, AT_ONCE, &first);

	ask->limit = (first > AT_MOST ? AT_MOST : first) + 1;
	if (e || !after.len)
		return e;
	if (wandb_id_read(call->arena, after, CURSOR_KIND, &rest) &&
	    str_to_int64(rest, 1, INT64_MAX, &ask->after))
		return NULL;
	return err_field(call->arena, ERR_INVALID, "after",
			 "invalid cursor: use \"endCursor\" of the same query");
}

static const struct json_doc *text_or_none(struct arena *a, struct str text)
{
	return text.len ? json_doc_text(a, text) : NULL;
}

static err_t value_of(struct arena *a, const void *item, struct str name,
		      const struct json_doc **ret_value)
{
	const struct sweep *row = item;

	if (str_is(name, "name"))
		*ret_value = text_or_none(a, row->name);
	else if (str_starts(name, "display"))
		*ret_value = text_or_none(a, row->display_name);
	else if (str_is(name, "description"))
		*ret_value = text_or_none(a, row->description);
	else if (str_is(name, "user"))
		*ret_value = text_or_none(a, row->user);
	else if (str_is(name, "state"))
		*ret_value =
			text_or_none(a, str_of(sweep_state_name((enum sweep_state)row->state)));
	else if (str_is(name, "method"))
		*ret_value =
			text_or_none(a, str_of(sweep_method_name((enum sweep_method)row->method)));
	else
		*ret_value = wandb_filter_time(a, str_starts(name, "created") ? row->created_at
									      : updated_at(row));
	return NULL;
}

static const struct wandb_filter filter_of_sweeps = {
	.names = "name display_name displayName description user state method created_at createdAt "
		 "updated_at updatedAt",
	.shown = "name, display_name, description, user, state, method, created_at or updated_at",
	.value_of = value_of,
};

struct found {
	struct sweep *rows;
	size_t count;
	size_t room;
};

static err_t find_some(struct gql_call *call, struct sweeps_ask *ask, const struct json_doc *filter,
		       struct found *found, bool *ret_over)
{
	struct sweep *rows;
	size_t count;
	bool has_more;
	err_t e = sweep_store_list(wandb_of(call)->q->db, ask, &rows, &count, &has_more);

	if (e)
		return e;
	for (size_t i = 0; i < count && !e && found->count < found->room; i++) {
		bool matches;

		e = wandb_filter_match(call->arena, &filter_of_sweeps, filter, &rows[i], &matches);
		if (!e && matches)
			found->rows[found->count++] = rows[i];
	}
	*ret_over = !has_more;
	if (count)
		ask->after = rows[count - 1].sweep_id;
	return e ? e : gql_check_memory(call);
}

err_t wandb_project_sweeps(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct sweeps_ask ask = {
		.project_id = project->target->project_id,
		.has_controllers = gql_asks_for(call, "edges.node.controller") ||
				   gql_asks_for(call, "edges.node.scheduler"),
	};
	const struct json_doc *filter = NULL;
	struct found found = { .count = 0 };
	bool is_over = false;
	err_t e = read_page(call, &ask);

	if (!e)
		e = wandb_filter_read(call, &filter_of_sweeps, &filter);
	if (e)
		return e;
	found.room = (size_t)ask.limit;
	found.rows = arena_new_array(call->arena, struct sweep, found.room);
	while (!e && !is_over && found.count < found.room)
		e = find_some(call, &ask, filter, &found, &is_over);
	if (e)
		return e;
	*list = (struct wandb_list){ .has_more = found.count == found.room,
				     .size = sizeof(struct wandb_sweep),
				     .total = -1 };
	list->count = found.count - list->has_more;
	list->items = make_items(call->arena, project->target, found.rows, list->count);
	gql_give(call, list);
	return NULL;
}

err_t wandb_project_sweep_count(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;
	const struct sweeps_ask ask = { .project_id = project->target->project_id };
	int64_t count;
	err_t e = sweep_store_count(wandb_of(call)->q->db, &ask, &count);

	if (!e)
		json_out_int(call->out, count);
	return e;
}
