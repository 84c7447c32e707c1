#include "sweep_work.h"

#include <math.h>

#include "app.h"
#include "arena.h"
#include "buf.h"
#include "id.h"
#include "json_out.h"
#include "log.h"
#include "run_view.h"
#include "server_store.h"

static err_t lock(struct sweep_work *w, const struct sweep_target *target, int wait_ms)
{
	struct request *q = w->q;
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);

	if (!e)
		e = sweep_store_lock(q->db, target->sweep->project_id, target->sweep->sweep_id,
				     wait_ms, &w->sweep);
	if (!e && !w->sweep)
		return err_new(q->arena, ERR_NOT_FOUND, "the sweep was deleted");
	return e ? e : sweep_read_config(q, w->sweep, &w->config);
}

/*
 * The job looks at it from now on: for when the agent that asked is lost, and for runs of the sweep's name that came meanwhile,
 * which do not wait for the lock.
 */
static err_t look(struct sweep_work *w)
{
	const timestamp_us at = { w->q->now.us + SWEEP_LOOK_US };

	if (w->sweep->look_at.us)
		return NULL;
	w->sweep->look_at = at;
	return sweep_store_look(w->q->db, w->sweep, at);
}

struct attempt {
	struct request *q;
	struct sweep_target *target;
	sweep_work_fn *work;
	void *arg;
};

static err_t try_once(const struct attempt *a, int wait_ms)
{
	struct request *q = a->q;
	struct sweep_target *target = a->target;
	struct sweep_work w = { .q = q, .agent = target->agent };
	err_t e = lock(&w, target, wait_ms);

	w.ask = (struct sweep_observe_ask){
		.reader = run_view_reader(q),
		.config = w.config,
		.depth = SWEEP_OBSERVE_OPEN,
		.now = q->now,
		.lost_us = q->app->config->sweep_agent_lost_s * 1000000,
		.agent_id = target->agent ? target->agent->agent_id : 0,
	};
	if (!e)
		e = a->work(&w, a->arg);
	if (!e)
		e = look(&w);
	if (!e)
		e = db_commit(q->db);
	if (e) {
		db_rollback(q->db);
		return e;
	}
	target->sweep = w.sweep;
	return NULL;
}

static err_t try(const struct attempt *a, int wait_ms)
{
	err_t e = try_once(a, wait_ms);

	return db_err_is(e, DB_UNIQUE_VIOLATION) ? try_once(a, wait_ms) : e;
}

/* ---- places --------------------------------------------------------------------------------------- */

enum { SHORT_MS = 200, BEAT_MS = 1000, LONG_MS = 5000 };

static size_t slot_of(const struct sweep *sweep)
{
	const uint64_t spread = (uint64_t)sweep->sweep_id * UINT64_C(0x9e3779b97f4a7c15);

	return spread >> 32 & (SWEEP_SLOTS - 1);
}

static bool enter(struct sweep_places *p, size_t slot, int most)
{
	if (atomic_fetch_add(&p->all, 1) < most) {
		if (atomic_fetch_add(&p->at[slot], 1) < (most + 1) / 2)
			return true;
		atomic_fetch_sub(&p->at[slot], 1);
	}
	atomic_fetch_sub(&p->all, 1);
	return false;
}

static void leave(struct sweep_places *p, size_t slot)
{
	atomic_fetch_sub(&p->at[slot], 1);
	atomic_fetch_sub(&p->all, 1);
}

static err_t try_in_place(const struct attempt *a, struct sweep_places *places, int most,
			  int wait_ms)
{
	size_t slot = slot_of(a->target->sweep);
	err_t e;

	if (!enter(places, slot, most))
		return err_new(a->q->arena, ERR_BUSY, "too many requests wait for sweeps");
	e = try(a, wait_ms);
	leave(places, slot);
	return e;
}

static err_t search(const struct attempt *a, int wait_ms)
{
	struct app *app = a->q->app;
	int quarter = (int)(app->config->workers / 4);

	return try_in_place(a, &app->sweep_searches, quarter > 2 ? quarter : 2, wait_ms);
}

static err_t change(const struct attempt *a)
{
	struct app *app = a->q->app;
	int eighth = (int)(app->config->workers / 8);
	err_t e = try(a, SHORT_MS);

	if (!db_err_is(e, DB_LOCK_NOT_AVAILABLE))
		return e;
	return try_in_place(a, &app->sweep_changes, eighth > 1 ? eighth : 1, LONG_MS);
}

err_t sweep_work(struct request *q, struct sweep_target *target, enum sweep_work_kind kind,
		 sweep_work_fn *work, void *arg)
{
	const struct attempt a = { q, target, work, arg };

	switch (kind) {
	case SWEEP_WORK_BEAT:
		return search(&a, BEAT_MS);
	case SWEEP_WORK_SEARCH:
		return search(&a, LONG_MS);
	case SWEEP_WORK_CHANGE:
		return change(&a);
	default:
		return try(&a, SHORT_MS);
	}
}

/* ---- states --------------------------------------------------------------------------------------- */

static bool is_over(enum sweep_state state)
{
	return state == SWEEP_STATE_FINISHED || state == SWEEP_STATE_CANCELED;
}

/* Also those that no agent of the sweep has: the job asks their runs. */
static err_t stop_trials(struct sweep_work *w)
{
	err_t e = sweep_store_stop_trials(w->q->db, w->sweep, w->q->now);

	w->sweep->look_at = w->q->now;
	return e ? e : sweep_store_look(w->q->db, w->sweep, w->q->now);
}

err_t sweep_work_event(struct sweep_work *w, enum sweep_event event, const char *why)
{
	struct sweep *s = w->sweep;
	enum sweep_state state;
	err_t e = sweep_state_change(w->q->arena, (enum sweep_state)s->state, event, &state);

	if (e || (enum sweep_state)s->state == state)
		return e;
	s->state = (int16_t)state;
	s->state_at = w->q->now;
	s->why_ended = is_over(state) ? str_of(why) : (struct str){ NULL, 0 };
	if (event == SWEEP_EVENT_ENDED)
		log_info("sweep ended", LOG_TEXT("sweep", str_copy(w->q->arena, s->name)),
			 LOG_INT("project_id", s->project_id), LOG_TEXT("why", why));
	e = sweep_store_save_state(w->q->db, s);
	return e || state != SWEEP_STATE_CANCELED ? e : stop_trials(w);
}

/* ---- trials --------------------------------------------------------------------------------------- */

struct sweep_trial sweep_work_trial(struct sweep_work *w, enum sweep_trial_source source,
				    struct str params)
{
	char *name = arena_alloc(w->q->arena, ID_RUN_LEN + 1);

	id_text(name, ID_RUN_LEN);
	return (struct sweep_trial){
		.project_id = w->sweep->project_id,
		.sweep_id = w->sweep->sweep_id,
		.trial = w->sweep->next_trial,
		.run_name = { name, ID_RUN_LEN },
		.source = (int16_t)source,
		.tries = 1,
		.created_at = w->q->now,
		.params = params,
		.point = SWEEP_POINT_NONE,
		.state = SWEEP_TRIAL_HANDED_OUT,
		.host = STR(""),
		.lowest = NAN,
		.highest = NAN,
		.latest = NAN,
		.summary = NAN,
	};
}

err_t sweep_work_insert(struct sweep_work *w, struct sweep_trial *trial)
{
	if (trial->trial > SWEEP_TRIALS_MAX)
		return err_new(w->q->arena, ERR_UNPROCESSABLE, "a sweep has at most %d trials",
			       SWEEP_TRIALS_MAX);
	return sweep_store_insert_trial(w->q->db, w->sweep, trial);
}

const struct sweep_space *sweep_work_space(struct sweep_work *w)
{
	if (!w->space)
		w->space = sweep_space_new(w->q->arena, w->config);
	return w->space;
}

err_t sweep_work_find_point(struct sweep_work *w, struct sweep_trial *trial)
{
	struct arena *a = w->q->arena;
	const struct sweep_space *space = sweep_work_space(w);
	const struct sweep_value *params;
	err_t e = sweep_value_read_json(a, trial->params, &params);

	if (e)
		return err_field(a, ERR_INVALID, "params", "%s", e->message);
	if (params->kind != SWEEP_OBJECT)
		return err_field(a, ERR_INVALID, "params", "expected an object");
	trial->params = sweep_value_dump(a, params);
	if (trial->params.len > SWEEP_PARAMS_MAX)
		return err_field(a, ERR_INVALID, "params", "expected at most %d bytes as JSON",
				 SWEEP_PARAMS_MAX);
	trial->point = sweep_space_has_points(space) ? sweep_space_point_of(space, params)
						     : SWEEP_POINT_NONE;
	return NULL;
}

/* A constant, or the longest of the values; numbers are short. */
static size_t value_bytes(struct arena *a, const struct sweep_parameter *p)
{
	size_t most = 0;

	for (size_t i = 0; i < p->value_count; i++) {
		size_t len = sweep_value_dump(a, &p->values[i]).len;

		most = len > most ? len : most;
	}
	return most;
}

err_t sweep_check_params(struct arena *a, const struct sweep_config *c)
{
	size_t bytes = 0;

	for (size_t i = 0; i < c->parameter_count; i++)
		bytes += c->parameters[i].name.len + value_bytes(a, &c->parameters[i]);
	if (bytes > SWEEP_PARAMS_MAX)
		return err_field(a, ERR_INVALID, "config",
				 "the parameters of a trial may take %zu bytes, at most %d are "
				 "possible: use names of large values",
				 bytes, SWEEP_PARAMS_MAX);
	return NULL;
}

struct str sweep_args_of(struct arena *a, struct str params)
{
	struct buf *text = buf_new(a);
	struct json_out o = json_out_begin(text);
	const struct sweep_value *value;
	err_t e = sweep_value_read_json(a, params, &value);

	json_out_object(&o);
	for (size_t i = 0; !e && value->kind == SWEEP_OBJECT && i < value->object.count; i++) {
		const struct sweep_member *m = &value->object.members[i];

		json_out_key_str(&o, m->name);
		json_out_object(&o);
		json_out_put_raw(&o, "value", sweep_value_dump(a, &m->value));
		json_out_object_end(&o);
	}
	json_out_object_end(&o);
	return buf_str(text);
}
