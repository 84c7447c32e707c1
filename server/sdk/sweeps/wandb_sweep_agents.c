#include "wandb_sweep_agents.h"

#include <inttypes.h>

#include "arena.h"
#include "json_doc.h"
#include "wandb.h"
#include "wandb_id.h"
#include "wandb_input.h"
#include "wandb_list.h"
#include "wandb_sweep_runs.h"

enum { AGENTS_MAX = 10000 };

#define CURSOR_KIND "AgentCursor"

static void fill(struct arena *a, const struct wandb_sweep *sweep, const struct sweep_agent *row,
		 struct wandb_agent *item)
{
	*item = (struct wandb_agent){
		.cursor = wandb_id(a, CURSOR_KIND, sweep_agent_name(a, row)),
		.sweep = sweep,
		.row = row,
		.trials = -1,
		.id = sweep_agent_id_of(a, row),
	};
}

/* ---- fields --------------------------------------------------------------------------------------- */

static const struct sweep_agent *row_of(const struct gql_call *call)
{
	return ((const struct wandb_agent *)call->parent)->row;
}

static err_t agent_name(struct gql_call *call)
{
	json_out_text(call->out, sweep_agent_name(call->arena, row_of(call)));
	return NULL;
}

static err_t agent_host(struct gql_call *call)
{
	json_out_text(call->out, row_of(call)->host);
	return NULL;
}

static err_t agent_state(struct gql_call *call)
{
	static const char *const states[] = {
		[SWEEP_AGENT_RUNNING] = "RUNNING",
		[SWEEP_AGENT_FINISHED] = "FINISHED",
		[SWEEP_AGENT_LOST] = "CRASHED",
	};

	json_out_text(call->out, str_of(states[row_of(call)->state]));
	return NULL;
}

static err_t agent_created_at(struct gql_call *call)
{
	json_out_time(call->out, row_of(call)->created_at);
	return NULL;
}

static err_t agent_heartbeat_at(struct gql_call *call)
{
	json_out_time(call->out, row_of(call)->heard_at);
	return NULL;
}

static err_t read_trials(struct gql_call *call, struct wandb_agent *items, size_t count)
{
	const struct wandb_sweep *sweep = count ? items[0].sweep : NULL;
	int64_t *ids = arena_new_array(call->arena, int64_t, count + 1);
	struct sweep_agent_trials *trials;
	size_t found = 0;
	err_t e;

	for (size_t i = 0; i < count; i++) {
		ids[i] = items[i].row->agent_id;
		items[i].trials = 0;
	}
	if (!count)
		return NULL;
	e = sweep_store_agent_trials(wandb_of(call)->q->db, sweep->row, ids, count, &trials,
				     &found);
	for (size_t t = 0; t < found && !e; t++) {
		for (size_t i = 0; i < count; i++) {
			if (ids[i] == trials[t].agent_id)
				items[i].trials = trials[t].trials;
		}
	}
	return e;
}

static err_t agent_total_runs(struct gql_call *call)
{
	const struct wandb_agent *agent = call->parent;
	struct wandb_agent copy = *agent;
	err_t e = NULL;

	if (copy.trials < 0)
		e = read_trials(call, &copy, 1);
	if (!e)
		json_out_int(call->out, copy.trials);
	return e;
}

static const struct gql_field agent_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct wandb_agent, id),
	GQL_VALUE_FIELD("name", NULL, agent_name),
	GQL_VALUE_FIELD("host", NULL, agent_host),
	GQL_VALUE_FIELD("state", NULL, agent_state),
	GQL_VALUE_FIELD("createdAt", NULL, agent_created_at),
	GQL_VALUE_FIELD("heartbeatAt", NULL, agent_heartbeat_at),
	GQL_VALUE_FIELD("totalRuns", NULL, agent_total_runs),
	GQL_OBJECT_FIELD("runs", "first after order", wandb_agent_runs, &wandb_runs_type),
};
const struct gql_type wandb_agent_type = GQL_TYPE("Agent", agent_fields);

WANDB_LIST_FIELDS(agent, "Agent", wandb_agent_type);
const struct gql_type wandb_agents_type = GQL_TYPE("AgentConnection", agent_list_fields);

/* ---- of a sweep ----------------------------------------------------------------------------------- */

/* By its name or by its id. */
err_t wandb_sweep_agent(struct gql_call *call)
{
	const struct wandb_sweep *sweep = call->parent;
	struct wandb_agent *item = arena_new_of(call->arena, struct wandb_agent);
	struct str name = gql_arg_text(call, "agentName");
	struct request *q = wandb_of(call)->q;
	struct sweep_target found;
	err_t e;

	q->target = sweep->target;
	e = sweep_target_here(q, sweep->row->name, name, &found);
	if (e && e->kind == ERR_NOT_FOUND)
		e = sweep_target_agent_id(q, name, ACCESS_READ, &found);
	if (e)
		return e->kind == ERR_NOT_FOUND ? NULL : e;
	if (!found.agent || found.agent->sweep_id != sweep->row->sweep_id)
		return NULL;
	fill(call->arena, sweep, found.agent, item);
	gql_give(call, item);
	return NULL;
}

static err_t read_page(struct gql_call *call, int64_t *ret_after, int64_t *ret_limit)
{
	struct str after = gql_arg_text(call, "after");
	struct str rest;
	int64_t first;
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, AGENTS_MAX, &first);

	*ret_limit = (first > AGENTS_MAX ? AGENTS_MAX : first) + 1;
	*ret_after = 0;
	if (e || !after.len)
		return e;
	if (wandb_id_read(call->arena, after, CURSOR_KIND, &rest) &&
	    str_to_int64(rest, 1, INT64_MAX, ret_after))
		return NULL;
	return err_field(call->arena, ERR_INVALID, "after",
			 "invalid cursor: use \"endCursor\" of the same query");
}

err_t wandb_sweep_agents(struct gql_call *call)
{
	const struct wandb_sweep *sweep = call->parent;
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct wandb_agent *items;
	struct sweep_agent *rows;
	int64_t after, limit;
	size_t count;
	err_t e = read_page(call, &after, &limit);

	if (!e)
		e = sweep_store_list_agents(wandb_of(call)->q->db, sweep->row, after, limit, &rows,
					    &count);
	if (e)
		return e;
	items = arena_new_array(call->arena, struct wandb_agent, count + 1);
	for (size_t i = 0; i < count; i++)
		fill(call->arena, sweep, &rows[i], &items[i]);
	*list = (struct wandb_list){ .items = items,
				     .count = count,
				     .size = sizeof(*items),
				     .has_more = count == (size_t)limit,
				     .total = -1 };
	list->count -= list->has_more;
	if (gql_asks_for(call, "edges.node.totalRuns"))
		e = read_trials(call, items, list->count);
	if (!e)
		gql_give(call, list);
	return e;
}

/* ---- the agents' own requests ----------------------------------------------------------------------- */

static const struct json_doc *input_of(const struct gql_call *call)
{
	return json_doc_get_named(call->args, "input");
}

static err_t as_answer(struct arena *a, err_t e)
{
	struct err *gone;

	if (!e || (e->kind != ERR_NOT_FOUND && e->kind != ERR_GONE))
		return e;
	gone = err_new(a, ERR_NOT_FOUND, "%s", e->message);
	gone->type = WANDB_NO_SWEEP;
	return gone;
}

static err_t answered_agent(struct gql_call *call)
{
	const struct sweep_target *target = call->parent;
	struct wandb_agent *item = arena_new_of(call->arena, struct wandb_agent);

	fill(call->arena, wandb_sweep_of(call->arena, wandb_of(call)->q->target, target->sweep),
	     target->agent, item);
	gql_give(call, item);
	return NULL;
}

static const struct gql_field made_fields[] = {
	GQL_OBJECT_FIELD("agent", NULL, answered_agent, &wandb_agent_type),
};
const struct gql_type wandb_made_agent_type = GQL_TYPE("CreateAgentPayload", made_fields);

static err_t find_sweep(struct gql_call *call, struct sweep_target *target)
{
	const struct json_doc *input = input_of(call);
	struct sweep_name name = {
		.entity = wandb_input_text(input, "entityName"),
		.project = wandb_input_text(input, "projectName"),
		.sweep = wandb_input_text(input, "sweep"),
	};
	err_t e = NULL;

	if (!name.sweep.len)
		return err_field(call->arena, ERR_INVALID, "sweep", "\"sweep\" is missing");
	if (!name.project.len)
		name.project = STR("uncategorized");
	if (!name.entity.len)
		e = wandb_default_entity(wandb_of(call), &name.entity);
	return e ? e : sweep_target_name(wandb_of(call)->q, &name, ACCESS_WRITE, target);
}

err_t wandb_create_agent(struct gql_call *call)
{
	struct sweep_target *target = arena_new_of(call->arena, struct sweep_target);
	err_t e = find_sweep(call, target);

	if (!e)
		e = sweep_agent_make(wandb_of(call)->q, target,
				     wandb_input_text(input_of(call), "host"));
	if (!e)
		gql_give(call, target);
	return as_answer(call->arena, e);
}

struct beaten {
	struct sweep_target target;
	struct sweep_commands commands;
};

/* A text that holds the list. */
static err_t beat_commands(struct gql_call *call)
{
	const struct beaten *beaten = call->parent;

	json_out_text(call->out, sweep_commands_json(call->arena, &beaten->commands));
	return NULL;
}

static const struct gql_field beat_fields[] = {
	GQL_OBJECT_FIELD("agent", NULL, answered_agent, &wandb_agent_type),
	GQL_VALUE_FIELD("commands", NULL, beat_commands),
};
const struct gql_type wandb_beat_type = GQL_TYPE("AgentHeartbeatPayload", beat_fields);

static bool is_true(const struct json_doc *value)
{
	return !json_doc_is(value, JSON_KIND_NULL) &&
	       !(json_doc_is(value, JSON_KIND_BOOL) && !value->truth);
}

/* {"RUN": true, ...}, as a text. */
static err_t read_runs(struct gql_call *call, struct sweep_beat_asked *asked)
{
	struct str text = str_trim(wandb_input_text(input_of(call), "runState"));
	const struct json_doc *doc = NULL;
	struct str *names;
	err_t e = NULL;

	if (!text.len || str_is(text, "null"))
		return NULL;
	e = json_doc_parse(call->arena, text, &doc);
	if (e || !json_doc_is(doc, JSON_KIND_OBJECT))
		return err_field(call->arena, ERR_INVALID, "runState",
				 "invalid \"runState\": expected {\"RUN\": true, ...} as a string");
	names = arena_new_array(call->arena, struct str, doc->count + 1);
	for (size_t i = 0; i < doc->count; i++) {
		if (is_true(doc->members[i].value))
			names[asked->count++] = doc->members[i].name;
	}
	asked->run_names = names;
	return NULL;
}

err_t wandb_agent_heartbeat(struct gql_call *call)
{
	struct beaten *beaten = arena_new_of(call->arena, struct beaten);
	struct sweep_beat_asked asked = { .capacity = 1 };
	struct request *q = wandb_of(call)->q;
	err_t e = read_runs(call, &asked);

	if (!e)
		e = sweep_target_agent_id(q, wandb_input_text(input_of(call), "id"), ACCESS_WRITE,
					  &beaten->target);
	if (!e)
		e = sweep_agent_beat(q, &beaten->target, &asked, &beaten->commands);
	if (!e)
		gql_give(call, beaten);
	return as_answer(call->arena, e);
}
