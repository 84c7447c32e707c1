/*
 * Purges the data of deleted runs and projects when they cannot be restored any more. A run's rows
 * are deleted in portions, each a transaction of its own that has the run's lock: only requests for
 * that run wait for it, and several servers may do it at once, for each skips runs that another one
 * holds. A compaction that is under way finds the run purging, or gone, when it takes the lock.
 *
 * Plain deletes, and autovacuum frees the space for later writes. Partitions by run were rejected:
 * with a table for each of a hundred thousand runs, planning would make every statement slow.
 */
#include "arena.h"
#include "branch_store.h"
#include "job.h"
#include "log.h"
#include "purge_store.h"
#include "run_store.h"
#include "server_store.h"

enum { RUNS_AT_ONCE = 1000, PROJECTS_AT_ONCE = 100, PERIOD_US = 1000 * 1000 };
enum { TIMEOUT_MS = 30000, LOCK_TIMEOUT_MS = 500 };

/* The progress of a run. A portion begins with the table that the last one did not empty. */
struct portion {
	int64_t run_id;
	size_t table;
	bool held; /* by another server, or there is nothing to purge any more */
	bool more;
};

/*
 * Until a table has more rows than a portion: most runs are purged in one
 * transaction, which waits for the disk once.
 */
static err_t empty(struct job *job, const struct run *run, struct portion *p, timestamp_us now)
{
	err_t e = run->purging ? NULL : purge_store_begin(job->db, run->run_id);

	for (p->more = false; !e && !p->more && p->table < purge_store_tables;) {
		e = purge_store_portion(job->db, run->run_id, p->table, now, &p->more);
		p->table += p->more ? 0 : 1;
	}
	return e;
}

static err_t in_lock(struct job *job, struct portion *p)
{
	timestamp_us now;
	struct run *run;
	err_t e;

	e = server_store_now(job->db, &now);
	if (!e)
		e = run_store_lock_free(job->db, p->run_id, &run);
	if (e)
		return e;
	p->held = !run || !run_may_be_purged(run, now);
	if (p->held)
		return NULL;
	e = branch_store_is_forked(job->db, p->run_id, &p->held); /* its forks go first */
	if (e || p->held)
		return e;
	e = empty(job, run, p, now);
	return e || p->more ? e : purge_store_end(job->db, run, now);
}

static err_t do_portion(struct job *job, struct portion *p)
{
	err_t e;

	e = db_begin(job->db, TIMEOUT_MS, LOCK_TIMEOUT_MS);
	if (!e)
		e = in_lock(job, p);
	if (!e)
		return db_commit(job->db);
	db_rollback(job->db);
	p->held = true;
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || e->kind == ERR_NOT_FOUND ? NULL : e;
}

static err_t purge_run(struct job *job, const void *what)
{
	const struct purge_run *due = what;
	struct portion p = { .run_id = due->run_id };
	err_t e;

	do
		e = do_portion(job, &p);
	while (!e && !p.held && p.more && !atomic_load(job->stop));
	if (e || p.held || p.more)
		return e;
	atomic_fetch_add(&job->done, 1);
	log_info("run purged", LOG_INT("run_id", due->run_id),
		 LOG_INT("project_id", due->project_id));
	return NULL;
}

static err_t purge_runs(struct job *job, timestamp_us now)
{
	struct purge_run *due;
	size_t count;
	err_t failed = NULL;
	err_t e;

	e = purge_store_list(job->db, now, RUNS_AT_ONCE, &due, &count);
	if (e)
		return e;
	for (size_t i = 0; i < count && !atomic_load(job->stop); i++) {
		e = job_work(job, due[i].run_id, purge_run, &due[i]);
		if (e && !db_is_up(job->db))
			return e;
		if (e && !failed)
			failed = e;
	}
	return failed;
}

/* ---- projects --------------------------------------------------------------------------------- */

/* Its runs first, which the same job purges; then its other data. */
static err_t purge_locked_project(struct job *job, int64_t project_id, timestamp_us now,
				  bool *ret_more)
{
	bool left;
	err_t e;

	e = purge_store_hand_over_runs(job->db, project_id, now, &left);
	if (e || left)
		return e;
	e = purge_store_project_portion(job->db, project_id, now, ret_more);
	if (e || *ret_more)
		return e;
	log_info("project purged", LOG_INT("project_id", project_id));
	return purge_store_end_project(job->db, project_id, now);
}

static err_t purge_project(struct job *job, int64_t project_id, timestamp_us now, bool *ret_more)
{
	bool locked;
	err_t e;

	*ret_more = false;
	e = db_begin(job->db, TIMEOUT_MS, LOCK_TIMEOUT_MS);
	if (!e)
		e = purge_store_lock_project(job->db, project_id, now, &locked);
	if (!e && locked)
		e = purge_locked_project(job, project_id, now, ret_more);
	if (!e)
		return db_commit(job->db);
	db_rollback(job->db);
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) ? NULL : e;
}

static err_t purge_projects(struct job *job, timestamp_us now)
{
	int64_t *project_ids;
	bool more = false;
	size_t count;
	err_t e;

	e = purge_store_list_projects(job->db, now, PROJECTS_AT_ONCE, &project_ids, &count);
	for (size_t i = 0; !e && i < count && !atomic_load(job->stop); i++) {
		do
			e = purge_project(job, project_ids[i], now, &more);
		while (!e && more && !atomic_load(job->stop));
	}
	return e;
}

err_t purger_pass(struct job *job, int64_t *ret_again_us)
{
	timestamp_us now;
	err_t e;

	*ret_again_us = PERIOD_US;
	e = server_store_now(job->db, &now);
	if (!e)
		e = purge_projects(job, now);
	if (!e)
		e = purge_runs(job, now);
	return e;
}
