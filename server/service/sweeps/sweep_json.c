#include "sweep_json.h"

#include <math.h>

#include "arena.h"
#include "auth.h"
#include "json_doc.h"
#include "reply.h"
#include "sweep_space.h"

enum { SCRATCH_BYTES = 64 << 10 };

static const char *const states[] = {
	[SWEEP_STATE_PENDING] = "pending",   [SWEEP_STATE_RUNNING] = "running",
	[SWEEP_STATE_PAUSED] = "paused",     [SWEEP_STATE_FINISHED] = "finished",
	[SWEEP_STATE_CANCELED] = "canceled",
};
static const char *const trial_states[] = {
	[SWEEP_TRIAL_HANDED_OUT] = "handed_out",
	[SWEEP_TRIAL_RUNNING] = "running",
	[SWEEP_TRIAL_FINISHED] = "finished",
	[SWEEP_TRIAL_FAILED] = "failed",
	[SWEEP_TRIAL_CRASHED] = "crashed",
	[SWEEP_TRIAL_KILLED] = "killed",
	[SWEEP_TRIAL_LOST] = "lost",
	[SWEEP_TRIAL_DELETED] = "deleted",
	[SWEEP_TRIAL_PREEMPTED] = "preempted",
};
static const char *const sources[] = {
	[SWEEP_SOURCE_SEARCH] = "search",         [SWEEP_SOURCE_HAND] = "hand",
	[SWEEP_SOURCE_CONTROLLER] = "controller", [SWEEP_SOURCE_JOINED] = "joined",
	[SWEEP_SOURCE_PRIOR] = "prior",
};
static const char *const agent_states[] = {
	[SWEEP_AGENT_RUNNING] = "running",
	[SWEEP_AGENT_FINISHED] = "finished",
	[SWEEP_AGENT_LOST] = "lost",
};

const char *sweep_trial_state_name(int state)
{
	return trial_states[state];
}

int sweep_trial_state_read(struct str name)
{
	for (int i = SWEEP_TRIAL_HANDED_OUT; i <= SWEEP_TRIAL_PREEMPTED; i++) {
		if (str_is(name, trial_states[i]))
			return i;
	}
	return -1;
}

/* ---- figures --------------------------------------------------------------------------------------- */

/* Lists show values of private runs only to those who may see such runs. */
static bool sees_private(const struct request *q)
{
	return access_sees(q->target->sees_private, q->target->visibility, VISIBILITY_PRIVATE);
}

bool sweep_sees_trial(const struct request *q, const struct sweep_trial *t)
{
	return !t->found_id || access_sees(q->target->sees_private, q->target->visibility,
					   (enum visibility)t->visibility);
}

static int64_t expected_of(struct arena *a, const struct sweep_config *c)
{
	int64_t points = -1;

	if (c->method == SWEEP_GRID)
		points = sweep_space_count(sweep_space_new(a, c));
	if (points < 0)
		return c->run_cap ? c->run_cap : -1;
	return c->run_cap && c->run_cap < points ? c->run_cap : points;
}

static struct str title_of(const struct sweep *sweep, const struct sweep_config *c)
{
	if (sweep->display_name.len)
		return sweep->display_name;
	return c && c->name.len ? c->name : sweep->name;
}

static struct str description_of(const struct sweep *sweep, const struct sweep_config *c)
{
	return sweep->description.len || !c || !c->description.len ? sweep->description
								   : c->description;
}

/* A config that a newer server stored may be one that this server cannot read. */
static const struct sweep_config *config_of(struct arena *a, const struct sweep *sweep)
{
	const struct sweep_config *config;
	struct sweep_faults faults;

	return sweep_config_read(a, sweep->config, &config, &faults) ? NULL : config;
}

static struct str kept(struct arena *a, struct str text)
{
	return (struct str){ text.at ? str_copy(a, text) : NULL, text.len };
}

/* Only what is shown is kept of the config, which may have hundreds of thousands of values. */
static void show_config(struct arena *a, struct arena *scratch, struct sweep_shown *shown)
{
	const struct sweep_config *c = config_of(scratch, shown->sweep);

	shown->display_name = kept(a, title_of(shown->sweep, c));
	shown->description = kept(a, description_of(shown->sweep, c));
	shown->expected = c ? expected_of(scratch, c) : -1;
	shown->metric.goal = SWEEP_MINIMIZE;
	if (c) {
		shown->metric = c->metric;
		shown->metric.name = kept(a, c->metric.name);
		shown->run_cap = c->run_cap;
		shown->is_controlled = c->is_controlled;
	}
	shown->best = shown->metric.goal == SWEEP_MAXIMIZE ? shown->sums.highest
							   : shown->sums.lowest;
}

static const struct sweep_sums *sums_of(const struct sweep_sums *sums, size_t count,
					int64_t sweep_id)
{
	for (size_t i = 0; i < count; i++) {
		if (sums[i].sweep_id == sweep_id)
			return &sums[i];
	}
	return NULL;
}

err_t sweep_show(struct request *q, const struct sweep *sweeps, size_t count,
		 struct sweep_shown **ret_shown)
{
	struct sweep_shown *shown = arena_new_array(q->arena, struct sweep_shown, count + 1);
	int64_t *ids = arena_new_array(q->arena, int64_t, count + 1);
	struct sweep_sums_ask ask = {
		.project_id = q->target->project_id,
		.sweep_ids = ids,
		.count = count,
		.sees_private = sees_private(q),
	};
	struct arena *scratch;
	struct sweep_sums *sums;
	size_t sum_count;
	err_t e;

	for (size_t i = 0; i < count; i++)
		ids[i] = sweeps[i].sweep_id;
	e = sweep_store_sums(q->db, &ask, &sums, &sum_count);
	if (e)
		return e;
	scratch = arena_new_beside(q->arena, SCRATCH_BYTES);
	for (size_t i = 0; i < count; i++) {
		const struct sweep_sums *own = sums_of(sums, sum_count, ids[i]);

		shown[i].sweep = &sweeps[i];
		shown[i].sums = own ? *own : (struct sweep_sums){ .lowest = NAN, .highest = NAN };
		show_config(q->arena, scratch, &shown[i]);
		arena_reset(scratch);
	}
	arena_free(scratch);
	*ret_shown = shown;
	return NULL;
}

/* ---- sweeps ---------------------------------------------------------------------------------------- */

static void write_metric(struct json_out *o, const struct sweep_metric *m)
{
	if (!m->name.len) {
		json_out_put_null(o, "metric");
		return;
	}
	json_out_key(o, "metric");
	json_out_object(o);
	json_out_put_text(o, "name", m->name);
	json_out_put_text(o, "goal", m->goal == SWEEP_MAXIMIZE ? STR("maximize") : STR("minimize"));
	json_out_put_finite(o, "target", m->has_target ? m->target : NAN);
	json_out_object_end(o);
}

static void write_sums(struct json_out *o, const struct sweep_sums *s)
{
	json_out_key(o, "trials");
	json_out_object(o);
	json_out_put_int(o, "total", s->trials);
	json_out_put_int(o, "waiting", s->waiting);
	json_out_put_int(o, "running", s->running);
	json_out_put_int(o, "finished", s->finished);
	json_out_put_int(o, "failed", s->failed);
	json_out_put_int(o, "killed", s->killed);
	json_out_put_int(o, "lost", s->lost);
	json_out_put_int(o, "prior", s->prior);
	json_out_put_int(o, "points", s->points);
	json_out_object_end(o);
}

static void write_members(struct json_out *o, const struct sweep_shown *shown)
{
	const struct sweep *s = shown->sweep;

	json_out_put_text(o, "id", s->name);
	json_out_put_text(o, "display_name", shown->display_name);
	json_out_put_text_or_null(o, "description", shown->description);
	json_out_put_text(o, "state", str_of(states[s->state]));
	json_out_put_text_or_null(o, "why_ended", s->why_ended);
	json_out_put_text(o, "method", str_of(sweep_method_name((enum sweep_method)s->method)));
	write_metric(o, &shown->metric);
	json_out_put_int(o, "seed", s->seed);
	json_out_put_int_or_null(o, "expected", shown->expected >= 0, shown->expected);
	json_out_put_int_or_null(o, "run_cap", shown->run_cap > 0, shown->run_cap);
	json_out_put_bool(o, "is_controlled", shown->is_controlled);
	write_sums(o, &shown->sums);
	json_out_put_finite(o, "best", shown->best);
	json_out_put_text_or_null(o, "user", s->user);
	json_out_put_time(o, "created_at", s->created_at);
	json_out_put_time(o, "changed_at", s->changed_at);
	json_out_put_time(o, "state_at", s->state_at);
	json_out_put_time(o, "last_ended_at", shown->sums.ended_at);
}

err_t sweep_json_sweeps(struct request *q, struct json_out *o, const struct sweep *sweeps,
			size_t count)
{
	struct sweep_shown *shown;
	err_t e = sweep_show(q, sweeps, count, &shown);

	for (size_t i = 0; i < count && !e; i++) {
		json_out_object(o);
		write_members(o, &shown[i]);
		json_out_object_end(o);
	}
	return e;
}

static void write_prior(struct request *q, struct json_out *o, const struct sweep *s)
{
	const struct json_doc *doc = NULL;
	const struct json_doc *list;

	json_out_key(o, "prior_runs");
	json_out_array(o);
	if (s->prior_runs.len && json_doc_parse(q->arena, s->prior_runs, &doc))
		doc = NULL;
	list = json_doc_get_named(doc, "$or");
	for (size_t i = 0; list && json_doc_is(list, JSON_KIND_ARRAY) && i < list->count; i++) {
		const struct json_doc *name = json_doc_get_named(list->items[i], "name");

		if (name && json_doc_is(name, JSON_KIND_STRING))
			json_out_text(o, name->text);
	}
	json_out_array_end(o);
}

/* How agents run the program. Numbers in `command` become text. */
static void write_command_line(struct arena *a, struct json_out *o, const struct sweep_config *c)
{
	json_out_put_text_or_null(o, "program", c ? c->program : STR(""));
	if (!c || !c->command || c->command->kind != SWEEP_LIST) {
		json_out_put_null(o, "command");
		return;
	}
	json_out_key(o, "command");
	json_out_array(o);
	for (size_t i = 0; i < c->command->list.count; i++) {
		const struct sweep_value *v = &c->command->list.items[i];

		json_out_text(o, v->kind == SWEEP_TEXT ? v->text : sweep_value_dump(a, v));
	}
	json_out_array_end(o);
}

err_t sweep_json_reply(struct request *q, int status, const struct sweep *sweep,
		       const struct sweep_faults *faults)
{
	struct sweep_shown *shown;
	struct json_out o;
	err_t e = sweep_show(q, sweep, 1, &shown);

	if (e)
		return e;
	reply_status(q, (unsigned)status);
	o = reply_json(q);
	json_out_object(&o);
	write_members(&o, shown);
	json_out_put_text(&o, "config", sweep->config);
	write_command_line(q->arena, &o, config_of(q->arena, sweep));
	write_prior(q, &o, sweep);
	if (faults)
		sweep_json_put_faults(&o, faults);
	json_out_object_end(&o);
	return NULL;
}

/* ---- trials ---------------------------------------------------------------------------------------- */

static void write_values(struct json_out *o, const struct sweep_trial *t, enum sweep_goal goal)
{
	json_out_key(o, "params");
	json_out_sent(o, t->params);
	json_out_put_finite(o, "value", sweep_trial_value(t, goal));
	json_out_put_finite(o, "lowest", t->lowest);
	json_out_put_finite(o, "highest", t->highest);
	json_out_put_finite(o, "latest", t->latest);
	json_out_put_finite(o, "summary", t->summary);
	json_out_put_int(o, "steps", t->steps);
	json_out_put_text_or_null(o, "display_name", t->display_name);
}

static void write_no_values(struct json_out *o)
{
	static const char *const names[] = { "params", "value",   "lowest", "highest",
					     "latest", "summary", "steps",  "display_name" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		json_out_put_null(o, names[i]);
}

static void write_trial(struct request *q, struct json_out *o, const struct sweep_trial *t,
			enum sweep_goal goal)
{
	bool sees = sweep_sees_trial(q, t);

	json_out_object(o);
	json_out_put_int(o, "trial", t->trial);
	json_out_put_text(o, "state", str_of(trial_states[t->state]));
	json_out_put_text(o, "source", str_of(sources[t->source]));
	json_out_put_text_or_null(o, "run", sees ? t->run_name : STR(""));
	json_out_put_bool(o, "has_run", sees && t->found_id && !t->is_deleted);
	if (sees)
		write_values(o, t, goal);
	else
		write_no_values(o);
	json_out_put_text_or_null(o, "note", t->note);
	json_out_put_int_or_null(o, "retry_of", t->retry_of > 0, t->retry_of);
	json_out_put_int(o, "tries", t->tries);
	json_out_put_text_or_null(
		o, "agent",
		t->agent_id ? str_of(arena_printf(q->arena, "%lld", (long long)t->agent_id))
			    : STR(""));
	json_out_put_text_or_null(o, "host", t->host);
	json_out_put_time(o, "created_at", t->created_at);
	json_out_put_time(o, "sent_at", t->sent_at);
	json_out_put_time(o, "started_at", t->started_at);
	json_out_put_time(o, "ended_at", t->ended_at);
	json_out_put_time(o, "stop_at", t->stop_at);
	json_out_object_end(o);
}

static enum sweep_goal goal_of(const struct sweep_shown *shown)
{
	return shown->metric.goal;
}

err_t sweep_json_trials(struct request *q, struct json_out *o, const struct sweep_shown *sweep,
			const struct sweep_trial *trials, size_t count)
{
	for (size_t i = 0; i < count; i++)
		write_trial(q, o, &trials[i], goal_of(sweep));
	return NULL;
}

err_t sweep_json_trial_reply(struct request *q, int status, const struct sweep *sweep,
			     const struct sweep_trial *trial)
{
	struct sweep_shown shown = { .sweep = sweep };
	struct json_out o;

	show_config(q->arena, q->arena, &shown);
	reply_status(q, (unsigned)status);
	o = reply_json(q);
	write_trial(q, &o, trial, goal_of(&shown));
	return NULL;
}

/* ---- agents ---------------------------------------------------------------------------------------- */

static timestamp_us aside_until(const struct request *q, const struct sweep_agent *agent)
{
	timestamp_us until = { agent->set_aside_at.us + SWEEP_SET_ASIDE_US };

	return agent->set_aside_at.us && (!q->now.us || q->now.us < until.us) ? until
									      : (timestamp_us){ 0 };
}

static void write_agent(struct request *q, struct json_out *o, const struct sweep_agent *agent,
			int64_t trials)
{
	json_out_object(o);
	json_out_put_text(o, "agent", sweep_agent_name(q->arena, agent));
	json_out_put_text(o, "host", agent->host);
	json_out_put_text_or_null(o, "user", agent->user);
	json_out_put_text(o, "state", str_of(agent_states[agent->state]));
	json_out_put_int(o, "trials", trials);
	json_out_put_int(o, "failed_in_row", agent->failed_in_row);
	json_out_put_int(o, "finished", agent->finished);
	json_out_put_time(o, "set_aside_until", aside_until(q, agent));
	json_out_put_time(o, "created_at", agent->created_at);
	json_out_put_time(o, "heard_at", agent->heard_at);
	json_out_object_end(o);
}

static int64_t trials_of(const struct sweep_agent_trials *trials, size_t count, int64_t agent_id)
{
	for (size_t i = 0; i < count; i++) {
		if (trials[i].agent_id == agent_id)
			return trials[i].trials;
	}
	return 0;
}

err_t sweep_json_agents(struct request *q, struct json_out *o, const struct sweep *sweep,
			const struct sweep_agent *agents, size_t count)
{
	int64_t *ids = arena_new_array(q->arena, int64_t, count + 1);
	struct sweep_agent_trials *trials;
	size_t trial_count;
	err_t e;

	for (size_t i = 0; i < count; i++)
		ids[i] = agents[i].agent_id;
	e = sweep_store_agent_trials(q->db, sweep, ids, count, &trials, &trial_count);
	for (size_t i = 0; i < count && !e; i++)
		write_agent(q, o, &agents[i], trials_of(trials, trial_count, agents[i].agent_id));
	return e;
}

err_t sweep_json_agent_reply(struct request *q, int status, const struct sweep_target *target)
{
	struct json_out o;

	reply_status(q, (unsigned)status);
	o = reply_json(q);
	return sweep_json_agents(q, &o, target->sweep, target->agent, 1);
}

/* ---- configs and commands -------------------------------------------------------------------------- */

void sweep_json_put_faults(struct json_out *o, const struct sweep_faults *faults)
{
	json_out_key(o, "faults");
	json_out_array(o);
	for (size_t i = 0; i < faults->count; i++) {
		const struct sweep_fault *f = &faults->items[i];

		json_out_object(o);
		json_out_put_text(o, "level", f->is_error ? STR("error") : STR("warning"));
		json_out_put_int_or_null(o, "line", f->line > 0, f->line);
		json_out_put_int_or_null(o, "column", f->column > 0, f->column);
		json_out_put_text_or_null(o, "path", f->path);
		json_out_put_text(o, "text", f->text);
		json_out_object_end(o);
	}
	json_out_array_end(o);
}

static void write_parameters(struct json_out *o, const struct sweep_config *c)
{
	json_out_key(o, "parameters");
	json_out_array(o);
	for (size_t i = 0; c && i < c->parameter_count; i++) {
		const struct sweep_parameter *p = &c->parameters[i];

		json_out_object(o);
		json_out_put_text(o, "name", p->name);
		json_out_put_text(o, "distribution", str_of(sweep_distribution_name(p->kind)));
		json_out_object_end(o);
	}
	json_out_array_end(o);
}

static void write_place(struct json_out *o, const char *key, const struct sweep_place *place)
{
	bool has_name = place && place->name.len;

	json_out_put_text_or_null(o, key, has_name ? place->name : (struct str){ NULL, 0 });
}

err_t sweep_json_reply_checked(struct request *q, const struct sweep_checked *checked)
{
	struct json_out o = reply_json(q);

	json_out_object(&o);
	json_out_put_bool(&o, "is_valid", checked->config != NULL);
	sweep_json_put_faults(&o, &checked->faults);
	json_out_put_int_or_null(&o, "count", checked->config && checked->count >= 0,
				 checked->count);
	write_place(&o, "entity", checked->config ? &checked->config->entity : NULL);
	write_place(&o, "project", checked->config ? &checked->config->project : NULL);
	write_parameters(&o, checked->config);
	json_out_object_end(&o);
	return NULL;
}

static void write_command(struct json_out *o, const struct sweep_commands *commands,
			  const struct sweep_command *c)
{
	json_out_object(o);
	json_out_put_text(o, "type", str_of(sweep_command_name(c->kind)));
	if (c->kind != SWEEP_COMMAND_EXIT)
		json_out_put_text(o, "run", c->run_name);
	if (c->params.at) {
		json_out_put_int(o, "trial", c->trial);
		json_out_key(o, "params");
		json_out_sent(o, c->params);
		json_out_put_text_or_null(o, "program", commands->program);
	}
	json_out_object_end(o);
}

err_t sweep_json_reply_commands(struct request *q, const struct sweep_commands *commands)
{
	struct json_out o = reply_json(q);

	json_out_object(&o);
	json_out_key(&o, "commands");
	json_out_array(&o);
	for (size_t i = 0; i < commands->count; i++)
		write_command(&o, commands, &commands->at[i]);
	json_out_array_end(&o);
	if (commands->is_busy)
		json_out_put_bool(&o, "busy", true);
	json_out_object_end(&o);
	return NULL;
}
