#include "wandb_sweep_runs.h"

#include <inttypes.h>

#include "arena.h"
#include "wandb.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_prefetch.h"
#include "wandb_run.h"
#include "wandb_sweep.h"
#include "wandb_sweep_agents.h"

enum { AT_ONCE = 50, AT_MOST = 1000, BATCH = 1000 };

#define CURSOR_KIND "TrialCursor"

/* ---- what is asked -------------------------------------------------------------------------------- */

enum which { OWN, PRIOR, OF_AGENT };

struct scan {
	struct gql_call *call;
	const struct wandb_sweep *sweep;
	enum which which;
	struct sweep_trials_ask ask;
	bool is_over;
	bool is_whole; /* no page: the newest, in order */
	struct wandb_run *items;
	size_t count;
	size_t room;
};

static err_t read_after(struct gql_call *call, struct sweep_trials_ask *ask)
{
	struct str after = gql_arg_text(call, "after");
	struct str rest;

	if (!after.len)
		return NULL;
	if (wandb_id_read(call->arena, after, CURSOR_KIND, &rest) &&
	    str_to_int64(rest, 1, INT64_MAX, &ask->after)) {
		ask->has_after = true;
		return NULL;
	}
	return err_field(call->arena, ERR_INVALID, "after",
			 "invalid cursor: use \"endCursor\" of the same query");
}

static err_t read_order(struct gql_call *call, struct sweep_trials_ask *ask)
{
	struct str order = str_trim(gql_arg_text(call, "order"));

	ask->order = SWEEP_TRIALS_OLDEST;
	if (order.len && order.at[0] == '-')
		ask->order = SWEEP_TRIALS_NEWEST;
	if (order.len && (order.at[0] == '-' || order.at[0] == '+'))
		order = (struct str){ order.at + 1, order.len - 1 };
	if (!order.len || str_is(order, "created_at") || str_is(order, "createdAt"))
		return NULL;
	return err_field(call->arena, ERR_INVALID, "order",
			 "invalid order: use +created_at or -created_at");
}

static err_t read_scan(struct scan *scan)
{
	struct gql_call *call = scan->call;
	int64_t first;
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, scan->which == OF_AGENT ? AT_ONCE : -1,
			      &first);

	if (!e)
		e = read_order(call, &scan->ask);
	if (!e)
		e = read_after(call, &scan->ask);
	scan->is_whole = first < 0;
	if (scan->is_whole) {
		scan->ask.order = SWEEP_TRIALS_NEWEST;
		first = WANDB_SWEEP_RUNS_MAX;
	} else if (first > AT_MOST) {
		first = AT_MOST;
	}
	scan->room = (size_t)first + 1;
	scan->ask.limit = scan->room < BATCH ? (int64_t)scan->room : BATCH;
	scan->items = arena_new_array(call->arena, struct wandb_run, scan->room);
	return e;
}

/* ---- runs of trials ------------------------------------------------------------------------------- */

/* Its process was given to an agent, or will be, and has not made the run. */
static bool is_pending(const struct scan *scan, const struct sweep_trial *t)
{
	return scan->which == OWN && !t->found_id &&
	       (t->state == SWEEP_TRIAL_HANDED_OUT || t->state == SWEEP_TRIAL_RUNNING);
}

static bool is_wanted(const struct scan *scan, const struct sweep_trial *t)
{
	if (scan->which != OF_AGENT && (t->source == SWEEP_SOURCE_PRIOR) != (scan->which == PRIOR))
		return false;
	return is_pending(scan, t) || (t->found_id && !t->is_deleted);
}

/* A run that has nothing yet but its parameters. */
static struct wandb_run pending_run(const struct scan *scan, const struct sweep_trial *t)
{
	struct arena *a = scan->call->arena;
	struct target *target = arena_copy(a, scan->sweep->target, sizeof(*target));
	struct run_info *info = arena_new_of(a, struct run_info);
	struct run *run = arena_new_of(a, struct run);

	target->run = t->run_name;
	*info = (struct run_info){
		.name = t->run_name,
		.display_name = t->run_name,
		.sweep = scan->sweep->row->name,
		.tags = STR("[]"),
		.created_at = t->created_at,
	};
	*run = (struct run){
		.project_id = t->project_id,
		.last_step = -1,
		.heard_at = t->created_at,
		.state = RUN_PENDING,
		.stop_asked_at = t->stop_at,
	};
	return (struct wandb_run){ .target = target,
				   .info = info,
				   .run = run,
				   .config = t->params,
				   .summary = STR("{}"),
				   .has_commit = true };
}

static void take(struct scan *scan, const struct sweep_trial *t, const struct wandb_runs *runs)
{
	struct arena *a = scan->call->arena;
	const struct wandb_run *found = NULL;
	struct wandb_run *item = &scan->items[scan->count];

	if (scan->count == scan->room || !is_wanted(scan, t))
		return;
	if (!is_pending(scan, t))
		found = wandb_runs_find(runs, t->found_id);
	if (!found && !is_pending(scan, t))
		return; /* the caller may not see it */
	*item = found ? *found : pending_run(scan, t);
	item->cursor = wandb_id(a, CURSOR_KIND, str_of(arena_printf(a, "%" PRId64, t->trial)));
	scan->count++;
}

static err_t scan_once(struct scan *scan)
{
	struct gql_call *call = scan->call;
	struct sweep_trial *trials;
	struct wandb_runs runs;
	int64_t *ids;
	size_t count;
	size_t ids_count = 0;
	err_t e = sweep_store_list_trials(wandb_of(call)->q->db, scan->sweep->row, &scan->ask,
					  &trials, &count);

	if (e)
		return e;
	scan->is_over = count < (size_t)scan->ask.limit;
	ids = arena_new_array(call->arena, int64_t, count + 1);
	for (size_t i = 0; i < count; i++) {
		if (trials[i].found_id && is_wanted(scan, &trials[i]))
			ids[ids_count++] = trials[i].found_id;
	}
	e = wandb_runs_read(call, scan->sweep->target, ids, ids_count, &runs);
	for (size_t i = 0; i < count && !e; i++)
		take(scan, &trials[i], &runs);
	if (count) {
		scan->ask.has_after = true;
		scan->ask.after = trials[count - 1].trial;
	}
	return e ? e : gql_check_memory(call);
}

/* ---- lists ---------------------------------------------------------------------------------------- */

static void reverse(struct wandb_run *items, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct wandb_run one = items[i];

		items[i] = items[count - 1 - i];
		items[count - 1 - i] = one;
	}
}

/* Documents that are not read in advance are read one by one: no page ends early, as one that is not asked for in pages cannot. */
static err_t read_in_advance(struct gql_call *call, struct wandb_list *list)
{
	struct wandb_list whole = *list;
	err_t e = wandb_prefetch_read(call, list);

	*list = whole;
	return e;
}

static err_t give(struct scan *scan)
{
	struct gql_call *call = scan->call;
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	err_t e = read_scan(scan);

	while (!e && !scan->is_over && scan->count < scan->room)
		e = scan_once(scan);
	if (e)
		return e;
	*list = (struct wandb_list){
		.items = scan->items,
		.count = scan->count,
		.size = sizeof(struct wandb_run),
		.has_more = scan->count == scan->room,
		.total = -1,
	};
	list->count -= list->has_more;
	if (scan->is_whole)
		reverse(scan->items, list->count);
	e = read_in_advance(call, list);
	if (!e)
		gql_give(call, list);
	return e;
}

err_t wandb_sweep_runs(struct gql_call *call)
{
	return give(&(struct scan){ .call = call, .sweep = call->parent, .which = OWN });
}

err_t wandb_sweep_prior_runs(struct gql_call *call)
{
	return give(&(struct scan){ .call = call, .sweep = call->parent, .which = PRIOR });
}

err_t wandb_agent_runs(struct gql_call *call)
{
	const struct wandb_agent *agent = call->parent;

	return give(&(struct scan){ .call = call,
				    .sweep = agent->sweep,
				    .which = OF_AGENT,
				    .ask = { .agent_id = agent->row->agent_id } });
}
