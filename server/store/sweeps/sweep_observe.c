#include "sweep_observe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "json_doc.h"
#include "log.h"
#include "run_store.h"
#include "sweep_curve.h"
#include "sweep_hosts.h"
#include "sweep_metric.h"
#include "sweep_space.h"

enum { JOINED_AT_ONCE = 100, OPEN_AT_ONCE = 200 };

struct observer {
	const struct sweep_observe_ask *ask;
	struct sweep *sweep;
	struct arena *arena;
	struct db *db;
	struct sweep_hosts hosts;
	struct sweep_space *space; /* made when it is needed */
	struct sweep_observed seen;
	bool reads_again; /* values of all trials that have a run */
};

/* A trial with its run as it is now. */
struct observed_trial {
	struct sweep_trial *trial;
	const struct run *run; /* NULL: none, or it is deleted */
	struct sweep_history *history;
	enum sweep_trial_state before;
	bool is_changed;
};

static struct observer observer_of(const struct sweep_observe_ask *ask, struct sweep *sweep)
{
	return (struct observer){
		.ask = ask,
		.sweep = sweep,
		.db = ask->reader.db,
		.arena = db_arena(ask->reader.db),
		.hosts = { .db = ask->reader.db, .sweep = sweep },
	};
}

/* Portions end with the trial before the next one that is made. */
static bool is_last_portion(const struct observer *o)
{
	return !o->ask->until || o->ask->until >= o->sweep->next_trial - 1;
}

/* ---- states -------------------------------------------------------------------------------------- */

static bool is_open(int state)
{
	return state == SWEEP_TRIAL_HANDED_OUT || state == SWEEP_TRIAL_RUNNING;
}

/* An agent that is gone, or hands that forgot it. */
static bool never_comes(const struct sweep_trial *t, timestamp_us now)
{
	if (!is_open(t->state))
		return false;
	if (t->agent_id)
		return t->agent_state == SWEEP_AGENT_LOST || t->agent_state == SWEEP_AGENT_FINISHED;
	return t->sent_count && t->sent_at.us + SWEEP_HAND_KEPT_US < now.us;
}

/* A prior run that has been read is not handed out any more. */
static enum sweep_trial_state still_waits(const struct sweep_trial *t)
{
	if (t->source == SWEEP_SOURCE_PRIOR && t->state == SWEEP_TRIAL_HANDED_OUT)
		return SWEEP_TRIAL_RUNNING;
	return (enum sweep_trial_state)t->state;
}

/* Nothing failed: the agent left in good order, and the program did not begin. A program can also evaluate without a run. */
static bool was_left(const struct sweep_trial *t, const struct run *pending)
{
	return t->agent_id && t->agent_state == SWEEP_AGENT_FINISHED && !t->stop_at.us &&
	       (t->state == SWEEP_TRIAL_HANDED_OUT || pending);
}

static enum sweep_trial_state not_begun(const struct sweep_trial *t, const struct run *pending,
					timestamp_us now)
{
	if (!never_comes(t, now))
		return still_waits(t);
	return was_left(t, pending) ? SWEEP_TRIAL_PREEMPTED : SWEEP_TRIAL_LOST;
}

/* The state is the one in which it was given to another agent, which has not begun yet. */
static bool is_resumed(const struct sweep_trial *t, const struct run *run)
{
	return is_open(t->state) && t->ended_at.us && t->ended_at.us == run->ended_at.us;
}

static enum sweep_trial_state ended_state(const struct sweep_trial *t, const struct run *run)
{
	bool had_ended = run->ended_at.us && run->ended_at.us < t->stop_at.us;
	bool was_stopped = (t->stop_at.us && !had_ended) || run->stop_asked_at.us;

	switch (run->state) {
	case RUN_FINISHED:
		return was_stopped ? SWEEP_TRIAL_KILLED : SWEEP_TRIAL_FINISHED;
	case RUN_FAILED:
		return was_stopped ? SWEEP_TRIAL_KILLED : SWEEP_TRIAL_FAILED;
	case RUN_CRASHED:
		return was_stopped ? SWEEP_TRIAL_KILLED : SWEEP_TRIAL_CRASHED;
	case RUN_KILLED:
		return SWEEP_TRIAL_KILLED;
	default:
		return was_stopped ? SWEEP_TRIAL_KILLED : SWEEP_TRIAL_PREEMPTED;
	}
}

enum sweep_trial_state sweep_observed_state(const struct sweep_trial *t, const struct run *run,
					    timestamp_us now)
{
	enum sweep_trial_state before = (enum sweep_trial_state)t->state;

	if (t->is_deleted)
		return SWEEP_TRIAL_DELETED;
	if (!run && t->run_id)
		return SWEEP_TRIAL_DELETED;
	if (!run || run->state == RUN_PENDING)
		return not_begun(t, run, now);
	if (run_state_runs(run->state))
		return SWEEP_TRIAL_RUNNING;
	if (run->state == RUN_PREEMPTED && is_resumed(t, run) && !never_comes(t, now))
		return before;
	return ended_state(t, run);
}

/* ---- values -------------------------------------------------------------------------------------- */

static void set_history(struct sweep_trial *t, const struct sweep_history *h)
{
	t->lowest = h->lowest;
	t->highest = h->highest;
	t->latest = h->latest;
	t->steps = h->steps;
}

/* A damaged run does not hold up its sweep. */
static void log_damage(const struct observer *o, const struct run *run, err_t why)
{
	log_warning("cannot read a run of a sweep", LOG_INT("run_id", run->run_id),
		    LOG_INT("sweep_id", o->sweep->sweep_id),
		    LOG_TEXT("error", err_chain(o->arena, why)));
}

/* The summary of a run that runs is not read: it costs more than it tells. */
static err_t set_summary(struct observer *o, struct observed_trial *t)
{
	struct run *whole;
	size_t count;
	err_t e = run_store_list(o->db, &t->run->run_id, 1, &whole, &count);

	if (e || !count)
		return e;
	e = sweep_metric_summary(&o->ask->reader, whole, o->ask->config->metric.name,
				 &t->trial->summary);
	if (!sweep_metric_is_damage(e))
		return e;
	log_damage(o, whole, e);
	return NULL;
}

static bool has_values(const struct observed_trial *t)
{
	return t->run && t->trial->state != SWEEP_TRIAL_HANDED_OUT &&
	       t->trial->state != SWEEP_TRIAL_DELETED;
}

/* Reads trials that ended now, and in depth also of those that run. */
static bool wants_history(const struct observer *o, const struct observed_trial *t)
{
	if (!has_values(t))
		return false;
	if (t->trial->state == SWEEP_TRIAL_RUNNING)
		return o->ask->depth == SWEEP_OBSERVE_ALL;
	return t->is_changed || o->reads_again;
}

/* Without a history the trial keeps the values that it has. */
static void drop_unread(struct observer *o, struct observed_trial *t)
{
	if (t->history->damage && t->is_changed)
		log_damage(o, t->run, t->history->damage);
	if (t->history->is_gone)
		t->is_changed = false; /* the next observation sees where it is */
	if (t->history->damage || t->history->is_gone)
		t->history = NULL;
}

static err_t read_histories(struct observer *o, struct observed_trial *trials, size_t count)
{
	struct sweep_history *histories =
		arena_new_array(o->arena, struct sweep_history, count + 1);
	const struct sweep_metric_ask ask = { o->sweep->project_id, o->ask->config->metric.name };
	size_t wanted = 0;
	err_t e;

	for (size_t i = 0; i < count; i++) {
		if (!wants_history(o, &trials[i]))
			continue;
		trials[i].history = &histories[wanted];
		histories[wanted++].run_id = trials[i].run->run_id;
	}
	e = sweep_metric_read(&o->ask->reader, &ask, histories, wanted);
	for (size_t i = 0; i < count && !e; i++) {
		struct observed_trial *t = &trials[i];

		if (t->history)
			drop_unread(o, t);
		if (!t->history)
			continue;
		t->is_changed |= o->reads_again || t->trial->steps != t->history->steps;
		set_history(t->trial, t->history);
		if (t->trial->state != SWEEP_TRIAL_RUNNING)
			e = set_summary(o, t);
	}
	return e;
}

/* ---- a trial ------------------------------------------------------------------------------------- */

static void apply(struct observer *o, struct observed_trial *t)
{
	struct sweep_trial *trial = t->trial;

	t->before = (enum sweep_trial_state)trial->state;
	trial->state = (int16_t)sweep_observed_state(trial, t->run, o->ask->now);
	t->is_changed = t->before != (enum sweep_trial_state)trial->state;
	if (t->run && trial->run_id != t->run->run_id) {
		trial->run_id = t->run->run_id;
		t->is_changed = true;
	}
	if (!t->is_changed)
		return;
	if (t->run)
		trial->started_at = t->run->started_at;
	if (is_open(trial->state))
		trial->ended_at.us = 0;
	else
		trial->ended_at = t->run && t->run->ended_at.us ? t->run->ended_at : o->ask->now;
}

/* Runs that were asked to stop by a user count as stopped. */
static err_t note_stop(struct observer *o, const struct observed_trial *t)
{
	if (!t->run || !t->run->stop_asked_at.us || t->trial->stop_at.us ||
	    t->trial->state != SWEEP_TRIAL_RUNNING)
		return NULL;
	return sweep_store_stop_trial(o->db, t->trial, t->run->stop_asked_at);
}

static err_t save(struct observer *o, struct observed_trial *trials, size_t count)
{
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++) {
		struct observed_trial *t = &trials[i];

		o->seen.open += is_open(t->trial->state);
		if (o->ask->depth == SWEEP_OBSERVE_ALL)
			e = note_stop(o, t);
		if (e || !t->is_changed)
			continue;
		o->seen.changed++;
		if (t->before != (enum sweep_trial_state)t->trial->state)
			e = sweep_hosts_note(&o->hosts, t->trial);
		if (!e)
			e = sweep_store_save_trial(o->db, t->trial);
	}
	return e;
}

static const struct run *run_of(const struct run *runs, size_t count, const struct sweep_trial *t)
{
	return t->found_id && !t->is_deleted ? run_list_find(runs, count, t->found_id) : NULL;
}

static err_t read_runs(struct observer *o, struct sweep_trial *trials, size_t count,
		       struct observed_trial *ret_trials)
{
	int64_t *run_ids = arena_new_array(o->arena, int64_t, count + 1);
	struct run *runs = NULL;
	size_t run_count = 0;
	size_t wanted = 0;
	err_t e = NULL;

	for (size_t i = 0; i < count; i++) {
		if (trials[i].found_id && !trials[i].is_deleted)
			run_ids[wanted++] = trials[i].found_id;
	}
	if (wanted)
		e = run_store_list_shown(o->db, run_ids, wanted, &runs, &run_count);
	if (e)
		return e;
	run_list_sort(runs, run_count);
	for (size_t i = 0; i < count; i++) {
		ret_trials[i].trial = &trials[i];
		ret_trials[i].run = run_of(runs, run_count, &trials[i]);
		apply(o, &ret_trials[i]);
	}
	return NULL;
}

/* ---- runs that joined ---------------------------------------------------------------------------- */

/* The values that the run's config has for parameters of the sweep. */
static err_t read_params(struct observer *o, const struct run *run, struct str *ret_params)
{
	const struct sweep_config *c = o->ask->config;
	struct json_member *members =
		arena_new_array(o->arena, struct json_member, c->parameter_count + 1);
	const struct json_doc *config;
	size_t count = 0;
	err_t e = run_documents_config(&o->ask->reader, run, &config);

	if (sweep_metric_is_damage(e)) {
		log_damage(o, run, e);
		config = json_doc_empty();
		e = NULL;
	}
	for (size_t i = 0; i < c->parameter_count && !e; i++) {
		struct str name = c->parameters[i].path[0];
		const struct json_doc *value = json_doc_get(config, name);

		if (value)
			members[count++] = (struct json_member){ name, value };
	}
	if (e)
		return e;
	*ret_params = json_doc_dump_bare(o->arena, json_doc_object(o->arena, members, count));
	if (ret_params->len > SWEEP_PARAMS_MAX)
		*ret_params = STR("{}");
	return NULL;
}

static err_t find_point(struct observer *o, struct sweep_trial *t)
{
	const struct sweep_value *params;
	err_t e = sweep_value_read_json(o->arena, t->params, &params);

	if (!o->space)
		o->space = sweep_space_new(o->arena, o->ask->config);
	t->point = SWEEP_POINT_NONE;
	if (!e && sweep_space_has_points(o->space))
		t->point = sweep_space_point_of(o->space, params);
	return NULL; /* parameters that cannot be read are of no point */
}

static err_t read_joined(struct observer *o, struct observed_trial *t)
{
	struct run *run;
	size_t count;
	err_t e = run_store_list(o->db, &t->trial->run_id, 1, &run, &count);

	t->trial->params = STR("{}");
	if (e || !count)
		return e;
	t->run = run;
	e = read_params(o, run, &t->trial->params);
	return e ? e : find_point(o, t->trial);
}

/* A prior run that was not read has none. The config of another may have come after it: it is read once more at the end. */
static bool wants_params(const struct observed_trial *t)
{
	if (!t->is_changed || !t->run || !is_open(t->before))
		return false;
	if (t->trial->source == SWEEP_SOURCE_PRIOR && t->before == SWEEP_TRIAL_HANDED_OUT)
		return true;
	return !is_open(t->trial->state) &&
	       (t->trial->source == SWEEP_SOURCE_JOINED || t->trial->source == SWEEP_SOURCE_PRIOR);
}

static err_t read_late_params(struct observer *o, struct observed_trial *trials, size_t count)
{
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++) {
		if (!wants_params(&trials[i]))
			continue;
		e = read_joined(o, &trials[i]);
		if (!e)
			e = sweep_store_save_params(o->db, trials[i].trial);
	}
	return e;
}

static struct sweep_trial joined_trial(const struct observer *o, const struct sweep_joined *run)
{
	return (struct sweep_trial){
		.project_id = o->sweep->project_id,
		.sweep_id = o->sweep->sweep_id,
		.trial = o->sweep->next_trial,
		.run_name = run->name,
		.source = SWEEP_SOURCE_JOINED,
		.tries = 1,
		.created_at = o->ask->now,
		.state = SWEEP_TRIAL_RUNNING,
		.host = STR(""),
		.sent_at = o->ask->now,
		.sent_count = 1,
		.run_id = run->run_id,
		.found_id = run->run_id,
		.lowest = NAN,
		.highest = NAN,
		.latest = NAN,
		.summary = NAN,
	};
}

static err_t add_joined(struct observer *o, const struct sweep_joined *run)
{
	struct sweep_trial trial = joined_trial(o, run);
	struct observed_trial t = { .trial = &trial };
	err_t e = read_joined(o, &t);

	if (e)
		return e;
	apply(o, &t);
	t.is_changed = true;
	e = read_histories(o, &t, 1);
	if (!e)
		e = sweep_store_insert_trial(o->db, o->sweep, &trial);
	o->seen.open += is_open(trial.state);
	o->seen.changed++;
	return e;
}

static err_t add_all_joined(struct observer *o)
{
	struct sweep_joined *runs;
	size_t count;
	err_t e = sweep_store_list_joined(o->db, o->sweep, JOINED_AT_ONCE, &runs, &count);

	for (size_t i = 0; i < count && !e; i++) {
		if (o->sweep->next_trial > SWEEP_TRIALS_MAX)
			return NULL;
		e = add_joined(o, &runs[i]);
		o->seen.has_joined = true;
	}
	return e;
}

/* ---- early termination --------------------------------------------------------------------------- */

static void add_stops(struct observer *o, const struct observed_trial *trials, size_t count)
{
	const char *reason = o->sweep->state == SWEEP_STATE_CANCELED
				     ? "its sweep was canceled"
				     : "stopped by the sweep's early_terminate";

	o->seen.stop = arena_new_array(o->arena, struct sweep_to_stop, count + 1);
	for (size_t i = 0; i < count; i++) {
		const struct observed_trial *t = &trials[i];

		if (t->trial->stop_at.us && t->run && run_state_runs(t->run->state) &&
		    !t->run->stop_asked_at.us)
			o->seen.stop[o->seen.stop_count++] =
				(struct sweep_to_stop){ t->run->run_id, reason };
	}
}

static err_t judge(struct observer *o, struct observed_trial *trials, size_t count)
{
	struct sweep_curves curves = {
		.reader = &o->ask->reader,
		.sweep = o->sweep,
		.config = o->ask->config,
		.now = o->ask->now,
		.judges = is_last_portion(o),
	};
	err_t e = sweep_curves_begin(&curves);

	for (size_t i = 0; i < count && !e; i++) {
		if (trials[i].history)
			e = sweep_curves_add(&curves, trials[i].trial, &trials[i].is_changed);
	}
	if (!e && curves.judges)
		e = sweep_curves_judge(&curves);
	for (size_t i = 0; i < count && !e; i++)
		sweep_curves_set_stop(&curves, trials[i].trial);
	return e;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static err_t list(struct observer *o, struct sweep_trial **ret_trials, size_t *ret_count)
{
	const struct sweep_changed_ask changed = {
		.since = { o->reads_again ? 0 : o->ask->now.us - SWEEP_LATE_US },
		.after = o->ask->after,
		.until = o->ask->until ? o->ask->until : INT64_MAX,
	};
	const struct sweep_open_ask open = {
		.agent_id = o->ask->agent_id,
		.after = o->ask->after,
		.limit = OPEN_AT_ONCE,
	};

	if (o->ask->depth == SWEEP_OBSERVE_OPEN)
		return sweep_store_open_trials(o->db, o->sweep, &open, ret_trials, ret_count);
	return sweep_store_changed_trials(o->db, o->sweep, &changed, ret_trials, ret_count);
}

static bool is_asked_all(const struct observer *o)
{
	return o->ask->depth == SWEEP_OBSERVE_ALL && !o->reads_again;
}

static err_t observe_these(struct observer *o, struct sweep_trial *trials, size_t count)
{
	struct observed_trial *observed =
		arena_new_array(o->arena, struct observed_trial, count + 1);
	err_t e = read_runs(o, trials, count, observed);

	if (!e)
		e = read_histories(o, observed, count);
	if (!e)
		e = read_late_params(o, observed, count);
	if (!e && o->ask->config->has_hyperband && is_asked_all(o))
		e = judge(o, observed, count);
	if (!e && is_asked_all(o))
		add_stops(o, observed, count);
	return e ? e : save(o, observed, count);
}

static err_t observe_trials(struct observer *o)
{
	struct sweep_trial *trials;
	size_t count;
	err_t e = list(o, &trials, &count);

	return e ? e : observe_these(o, trials, count);
}

err_t sweep_observe_prior(const struct sweep_observe_ask *ask, struct sweep *sweep, bool *ret_more)
{
	struct sweep_observe_ask open = *ask;
	struct sweep_trial *trials;
	struct observer o;
	size_t count;
	err_t e = sweep_store_unread_prior(ask->reader.db, sweep, SWEEP_PRIOR_AT_ONCE, &trials,
					   &count);

	if (e)
		return e;
	*ret_more = count == SWEEP_PRIOR_AT_ONCE;
	open.depth = SWEEP_OBSERVE_OPEN;
	o = observer_of(&open, sweep);
	return observe_these(&o, trials, count);
}

err_t sweep_observe(const struct sweep_observe_ask *ask, struct sweep *sweep,
		    struct sweep_observed *ret_observed)
{
	struct observer o = observer_of(ask, sweep);
	const timestamp_us since = { ask->now.us - ask->lost_us };
	int64_t lost;
	err_t e = NULL;

	if (ask->depth == SWEEP_OBSERVE_ALL && !ask->after)
		e = sweep_store_lose_agents(o.db, sweep, since, &lost);
	if (!e)
		e = observe_trials(&o);
	if (!e && ask->depth == SWEEP_OBSERVE_ALL && is_last_portion(&o))
		e = add_all_joined(&o);
	if (!e)
		e = sweep_hosts_save(&o.hosts, ask->config, ask->now);
	if (!e)
		*ret_observed = o.seen;
	return e;
}

err_t sweep_observe_all_open(const struct sweep_observe_ask *ask, struct sweep *sweep)
{
	struct sweep_observe_ask open = *ask;
	struct observer o = observer_of(&open, sweep);
	struct sweep_trial *trials;
	size_t count;

	open.depth = SWEEP_OBSERVE_OPEN;
	open.agent_id = 0;
	do {
		err_t e = list(&o, &trials, &count);

		if (!e)
			e = observe_these(&o, trials, count);
		if (e)
			return e;
		if (count)
			open.after = trials[count - 1].trial;
	} while (count == OPEN_AT_ONCE);
	return sweep_hosts_save(&o.hosts, ask->config, ask->now);
}

err_t sweep_observe_again(const struct sweep_observe_ask *ask, struct sweep *sweep)
{
	struct sweep_observe_ask all = *ask;
	struct observer o;
	err_t e;

	all.depth = SWEEP_OBSERVE_ALL;
	o = observer_of(&all, sweep);
	o.reads_again = true;
	e = observe_trials(&o);
	return e ? e : sweep_hosts_save(&o.hosts, ask->config, ask->now);
}

static err_t note_end(struct observer *o, struct sweep_trial *trial)
{
	err_t e = sweep_hosts_note(&o->hosts, trial);

	if (!e)
		e = sweep_store_save_trial(o->db, trial);
	return e ? e : sweep_hosts_save(&o->hosts, o->ask->config, o->ask->now);
}

static err_t end_trial(struct observer *o, struct sweep_trial *trial)
{
	trial->ended_at = o->ask->now;
	return note_end(o, trial);
}

err_t sweep_observe_lost(const struct sweep_observe_ask *ask, struct sweep *sweep,
			 struct sweep_trial *trial)
{
	struct observer o = observer_of(ask, sweep);

	if (!trial->run_id) {
		trial->state = SWEEP_TRIAL_LOST;
		return end_trial(&o, trial);
	}
	if (trial->stop_at.us) {
		trial->state = SWEEP_TRIAL_KILLED;
		return end_trial(&o, trial);
	}
	/* ended_at stays the run's: is_resumed() compares them */
	trial->state = SWEEP_TRIAL_PREEMPTED;
	return note_end(&o, trial);
}

err_t sweep_observe_report(const struct sweep_observe_ask *ask, struct sweep *sweep,
			   struct sweep_trial *trial)
{
	struct observer o = observer_of(ask, sweep);

	if (!is_open(trial->state))
		return end_trial(&o, trial);
	return sweep_store_save_trial(o.db, trial);
}
