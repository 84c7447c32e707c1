/*
 * Sweeps that run, or whose trials do: every few seconds trials are compared with their runs, so that agents that are silent,
 * runs that joined, early termination, target and run_cap are seen although nobody asks for a trial. Deleted sweeps are removed in
 * portions. Each sweep is looked at under its lock, some trials in a transaction; one that is locked comes at the next pass. Runs
 * are asked to stop after that, each under its own lock.
 */
#include "arena.h"
#include "clock.h"
#include "job.h"
#include "log.h"
#include "run_store.h"
#include "server_store.h"
#include "sweep_facts.h"
#include "sweep_observe.h"

enum {
	PERIOD_US = 1000 * 1000,
	TIMEOUT_MS = 30000,
	LOCK_TIMEOUT_MS = 500,
	DUE_AT_ONCE = 100,
	ROWS_AT_ONCE = 10000,
	TRIALS_AT_ONCE = 1000,
	DOUBLED_MOST = 6,
};
#define LOOK_AGAIN_US (INT64_C(10) * 1000000)

struct look {
	struct sweep_due due;
	timestamp_us now;
	struct sweep_observed seen; /* of a portion */
	size_t open;                /* trials that are not over, of all portions so far */
	int64_t after;              /* the last trial of these */
	bool more;                  /* there is another portion */
};
typedef err_t look_fn(struct job *job, struct look *look);

static err_t in_transaction(struct job *job, look_fn *work, struct look *look)
{
	err_t e = db_begin(job->db, TIMEOUT_MS, LOCK_TIMEOUT_MS);

	if (!e)
		e = server_store_now(job->db, &look->now);
	if (!e)
		e = work(job, look);
	if (!e)
		e = db_commit(job->db);
	if (!e)
		return NULL;
	db_rollback(job->db);
	look->seen = (struct sweep_observed){ .open = 0 };
	look->more = false;
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || db_err_is(e, DB_DEADLOCK) ? NULL : e;
}

static timestamp_us later(timestamp_us now, int64_t us)
{
	return (timestamp_us){ now.us + us };
}

/* ---- a sweep ------------------------------------------------------------------------------------- */

static bool runs(const struct sweep *s)
{
	return s->state == SWEEP_STATE_RUNNING;
}

static err_t end(struct job *job, const struct look *look, struct sweep *s, const char *why)
{
	enum sweep_state state;
	err_t e = sweep_state_change(job->arena, (enum sweep_state)s->state, SWEEP_EVENT_ENDED,
				     &state);

	if (e)
		return e;
	s->state = (int16_t)state;
	s->why_ended = str_of(why);
	s->state_at = look->now;
	log_info("sweep ended", LOG_TEXT("sweep", str_copy(job->arena, s->name)),
		 LOG_INT("project_id", s->project_id), LOG_TEXT("why", why));
	return sweep_store_save_state(job->db, s);
}

static err_t end_if_reached(struct job *job, const struct look *look, struct sweep *s,
			    const struct sweep_config *config)
{
	const struct sweep_trial_fact *facts;
	const char *why;
	size_t count;
	err_t e;

	if (!runs(s) || !(config->metric.has_target || config->run_cap))
		return NULL;
	e = sweep_facts_read_values(job->db, s, &facts, &count);
	if (e)
		return e;
	why = sweep_end_reason(db_arena(job->db), config, facts, count);
	return why ? end(job, look, s, why) : NULL;
}

/* Runs that came by themselves begin a sweep as an agent does. */
static err_t begin_if_joined(struct job *job, const struct look *look, struct sweep *s)
{
	if (!look->seen.has_joined || s->state != SWEEP_STATE_PENDING)
		return NULL;
	s->state = SWEEP_STATE_RUNNING;
	s->state_at = look->now;
	return sweep_store_save_state(job->db, s);
}

/* A sweep that no agent works at is not looked at again until one comes: many are never stopped. */
static err_t look_again(struct job *job, const struct look *look, const struct sweep *s)
{
	bool is_worked_at = look->open > 0;
	timestamp_us at = { 0 };
	err_t e = NULL;

	if (!is_worked_at && runs(s))
		e = sweep_store_has_other_host(job->db, s, STR(""),
					       later(look->now, -job->agent_lost_us), look->now,
					       &is_worked_at);
	if (is_worked_at)
		at = later(look->now, LOOK_AGAIN_US);
	return e ? e : sweep_store_look(job->db, s, at);
}

static err_t observe(struct job *job, struct look *look, struct sweep *s,
		     const struct sweep_config *config)
{
	const struct sweep_observe_ask ask = {
		.reader = { job->db, job->codec, job->metrics },
		.config = config,
		.depth = SWEEP_OBSERVE_ALL,
		.now = look->now,
		.lost_us = job->agent_lost_us,
		.after = look->after,
		.until = look->after + TRIALS_AT_ONCE,
	};
	bool is_last = ask.until >= s->next_trial - 1;
	err_t e = sweep_observe(&ask, s, &look->seen);

	look->open += look->seen.open;
	look->after = ask.until;
	look->more = !e && !is_last;
	if (e || look->more)
		return e;
	e = begin_if_joined(job, look, s);
	if (!e)
		e = end_if_reached(job, look, s, config);
	return e ? e : look_again(job, look, s);
}

/* In portions before all else: the search waits for them. */
static err_t read_prior(struct job *job, struct look *look, struct sweep *s,
			const struct sweep_config *config)
{
	const struct sweep_observe_ask ask = {
		.reader = { job->db, job->codec, job->metrics },
		.config = config,
		.now = look->now,
		.lost_us = job->agent_lost_us,
	};

	if (!s->prior_runs.at || look->after)
		return NULL;
	return sweep_observe_prior(&ask, s, &look->more);
}

/* Between two portions requests may have the lock: it is waited for, so that what was read is of use. */
static err_t lock(struct job *job, const struct look *look, struct sweep **ret_sweep)
{
	const struct sweep_due *due = &look->due;

	if (!look->after)
		return sweep_store_lock_free(job->db, due->project_id, due->sweep_id, ret_sweep);
	return sweep_store_lock(job->db, due->project_id, due->sweep_id, LOCK_TIMEOUT_MS,
				ret_sweep);
}

static err_t look_at(struct job *job, struct look *look)
{
	const struct sweep_config *config;
	struct sweep_faults faults;
	struct sweep *s;
	err_t e = lock(job, look, &s);

	look->more = false;
	if (e || !s || !s->look_at.us || s->look_at.us > look->now.us)
		return e;
	if (s->deleted_at.us)
		return sweep_store_purge(job->db, s, ROWS_AT_ONCE, &look->more);
	e = sweep_config_read(job->arena, s->config, &config, &faults);
	if (!e)
		e = read_prior(job, look, s, config);
	return e || look->more ? e : observe(job, look, s, config);
}

/* ---- runs that are to stop ------------------------------------------------------------------------ */

static err_t stop_locked(struct job *job, const struct look *look, const struct sweep_to_stop *stop)
{
	const struct run_changes none = { .count = 0 };
	struct run *run;
	err_t e = run_store_lock(job->db, stop->run_id, &run);

	if (e || run_has_ended(run) || run->stop_asked_at.us)
		return e;
	e = run_ask_stop(job->arena, run, str_of(stop->reason), look->now);
	run->document_seq++;
	if (!e)
		e = run_store_save(job->db, run);
	if (!e)
		e = run_store_save_changes(job->db, run, look->now, &none);
	return e ? e : run_store_note_change(job->db, run, look->now);
}

/* One that is locked or gone is asked at the next pass, or needs nothing. One that fails does not hide the others. */
static void stop_one(struct job *job, const struct look *look, const struct sweep_to_stop *stop)
{
	err_t e = db_begin(job->db, TIMEOUT_MS, LOCK_TIMEOUT_MS);

	if (!e)
		e = stop_locked(job, look, stop);
	if (!e)
		e = db_commit(job->db);
	if (!e) {
		log_info("run asked to stop by its sweep", LOG_INT("run_id", stop->run_id));
		return;
	}
	db_rollback(job->db);
	if (db_err_is(e, DB_LOCK_NOT_AVAILABLE) || db_err_is(e, DB_DEADLOCK) ||
	    e->kind == ERR_GONE || e->kind == ERR_NOT_FOUND)
		return;
	log_warning("cannot ask a run of a sweep to stop, will retry",
		    LOG_INT("run_id", stop->run_id), LOG_INT("sweep_id", look->due.sweep_id),
		    LOG_TEXT("error", err_chain(job->arena, e)));
}

static void stop_all(struct job *job, const struct look *look)
{
	for (size_t i = 0; i < look->seen.stop_count && db_is_up(job->db); i++)
		stop_one(job, look, &look->seen.stop[i]);
}

/* ---- sweeps that fail ---------------------------------------------------------------------------- */

static struct job_failing *find_failing(struct job *job, int64_t sweep_id)
{
	for (size_t i = 0; i < JOB_FAILING_MAX; i++) {
		if (job->failing[i].id == sweep_id)
			return &job->failing[i];
	}
	return NULL;
}

/* More of them than are known begin again with the shortest pause. */
static void note_failure(struct job *job, int64_t sweep_id)
{
	struct job_failing *f = find_failing(job, sweep_id);

	if (f) {
		f->times++;
		return;
	}
	f = find_failing(job, 0);
	*(f ? f : &job->failing[sweep_id % JOB_FAILING_MAX]) =
		(struct job_failing){ .id = sweep_id, .times = 1 };
}

static void note_success(struct job *job, int64_t sweep_id)
{
	struct job_failing *f = find_failing(job, sweep_id);

	if (f)
		*f = (struct job_failing){ .id = 0 };
}

/* 10, 20, 40, … 640 seconds */
static int64_t pause_us(struct job *job, int64_t sweep_id)
{
	const struct job_failing *f = find_failing(job, sweep_id);
	int doubled = f ? f->times - 1 : 0;

	return LOOK_AGAIN_US << (doubled < DOUBLED_MOST ? doubled : DOUBLED_MOST);
}

/* ---- a pass -------------------------------------------------------------------------------------- */

static err_t look_later(struct job *job, struct look *look)
{
	const struct sweep_due *due = &look->due;
	struct sweep *s;
	err_t e = sweep_store_lock_free(job->db, due->project_id, due->sweep_id, &s);

	return e || !s ? e
		       : sweep_store_look(job->db, s,
					  later(look->now, pause_us(job, due->sweep_id)));
}

/* A sweep that fails is set aside, so that the others are looked at. */
static err_t put_off(struct job *job, struct look *look, err_t failed)
{
	if (!db_is_up(job->db))
		return failed;
	note_failure(job, look->due.sweep_id);
	if (in_transaction(job, look_later, look))
		return failed;
	log_warning("cannot look after a sweep, will retry",
		    LOG_INT("project_id", look->due.project_id),
		    LOG_INT("sweep_id", look->due.sweep_id),
		    LOG_TEXT("error", err_chain(job->arena, failed)));
	return NULL;
}

/* Memory of a portion is freed at once. */
static err_t look_after(struct job *job, const struct sweep_due *due)
{
	struct arena_mark before = arena_mark(job->arena);
	struct look look = { .due = *due };

	do {
		err_t e;

		look.seen = (struct sweep_observed){ .open = 0 };
		e = in_transaction(job, look_at, &look);
		if (e)
			return put_off(job, &look, e);
		stop_all(job, &look);
		atomic_fetch_add(&job->done, look.seen.changed);
		arena_rewind(job->arena, &before);
	} while (look.more && !atomic_load(job->stop));
	note_success(job, due->sweep_id);
	return NULL;
}

err_t sweep_pass(struct job *job, int64_t *ret_again_us)
{
	struct sweep_due *due;
	timestamp_us now;
	size_t count = 0;
	err_t e = server_store_now(job->db, &now);

	if (!e)
		e = sweep_store_list_due(job->db, now, DUE_AT_ONCE, &due, &count);
	for (size_t i = 0; i < count && !e && !atomic_load(job->stop); i++)
		e = look_after(job, &due[i]);
	*ret_again_us = count == DUE_AT_ONCE ? 0 : PERIOD_US;
	return e;
}
