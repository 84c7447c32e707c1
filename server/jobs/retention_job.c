/*
 * Deletes the runs that their project does not keep longer, as a user would: they can be restored,
 * and the run shows that it was the server, and why. Each project is checked by one server once an
 * hour, by the database's clock, and as soon as its rules change.
 */
#include "arena.h"
#include "deletion_store.h"
#include "job.h"
#include "log.h"
#include "project_store.h"
#include "retention.h"
#include "retention_store.h"
#include "run_store.h"
#include "server_store.h"

enum { RUNS_AT_ONCE = 1000, PERIOD_US = 1000 * 1000 };
enum { TIMEOUT_MS = 10000, LOCK_TIMEOUT_MS = 500 };
#define LOOK_US (INT64_C(3600) * 1000000)

struct over {
	const struct project *project;
	int64_t run_id;
	timestamp_us now;
	bool deleted;
};

static err_t delete_run(struct job *job, struct over *o, struct run *run)
{
	struct run_changes changes = { .count = 0 };
	struct run_deletion deletion = {
		.who = RUN_WHO_SERVER,
		.reason = retention_reason(db_arena(job->db), o->project, run),
		.purge_at = { o->now.us + job->grace_us },
	};

	run_delete(run, &deletion, o->now, &changes);
	o->deleted = true;
	return deletion_store_delete_run(job->db, run, &deletion, &changes);
}

/*
 * A user may have restarted or tagged it in the meantime; a run that stays
 * locked is left for the next pass.
 */
static err_t decide_locked(struct job *job, struct over *o)
{
	struct run_info *info;
	struct run *run;
	size_t count;
	err_t e;

	e = run_store_lock(job->db, o->run_id, &run);
	if (e)
		return e;
	e = run_store_list_info(job->db, run->project_id, &run->run_id, 1, &info, &count);
	if (e || !count || !retention_is_over(o->project, run, info->tags, o->now))
		return e;
	return delete_run(job, o, run);
}

static bool is_left(err_t e)
{
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || e->kind == ERR_NOT_FOUND ||
	       e->kind == ERR_GONE;
}

static err_t decide(struct job *job, const void *what)
{
	struct over o = *(const struct over *)what;
	err_t e;

	e = db_begin(job->db, TIMEOUT_MS, LOCK_TIMEOUT_MS);
	if (!e)
		e = decide_locked(job, &o);
	if (!e)
		e = db_commit(job->db);
	if (e) {
		db_rollback(job->db);
		return is_left(e) ? NULL : e;
	}
	if (o.deleted) {
		atomic_fetch_add(&job->done, 1);
		log_info("run deleted by retention", LOG_INT("run_id", o.run_id),
			 LOG_INT("project_id", o.project->project_id));
	}
	return NULL;
}

/* A run that fails does not block others. */
static err_t look_at_runs(struct job *job, const struct project *project, timestamp_us now)
{
	struct retention_ask ask = { project, now, INT64_MIN, RUNS_AT_ONCE };
	err_t failed = NULL;
	int64_t *run_ids;
	size_t count;
	err_t e;

	do {
		e = retention_store_list(job->db, &ask, &run_ids, &count);
		for (size_t i = 0; !e && i < count && !atomic_load(job->stop); i++) {
			struct over over = { project, run_ids[i], now, false };
			err_t one = job_work(job, run_ids[i], decide, &over);

			ask.after = run_ids[i];
			if (one && !db_is_up(job->db))
				return one;
			failed = failed ? failed : one;
		}
	} while (!e && count == RUNS_AT_ONCE && !atomic_load(job->stop));
	return e ? e : failed;
}

static err_t look(struct job *job, timestamp_us now, int64_t *ret_project_id)
{
	timestamp_us next = { now.us + LOOK_US };
	struct project *project;
	err_t e;

	e = retention_store_take(job->db, now, next, ret_project_id);
	if (e || !*ret_project_id)
		return e;
	e = project_store_find(job->db, *ret_project_id, &project);
	return e || !project ? e : look_at_runs(job, project, now);
}

err_t retention_pass(struct job *job, int64_t *ret_again_us)
{
	int64_t project_id;
	timestamp_us now;
	err_t e;

	*ret_again_us = PERIOD_US;
	e = server_store_now(job->db, &now);
	do {
		if (!e)
			e = look(job, now, &project_id);
	} while (!e && project_id && !atomic_load(job->stop));
	return e;
}
