/*
 * Decides the end of attempts that time alone decides. It looks at runs whose look_at has come, by
 * the database's clock, and sleeps until the next one, a second at most, for flushes move look_at on.
 */
#include "arena.h"
#include "job.h"
#include "log.h"
#include "run_store.h"
#include "server_store.h"
#include "writer_store.h"

enum { SWEEP_AT_ONCE = 200, SWEEP_TIMEOUT_MS = 10000, SWEEP_LOCK_TIMEOUT_MS = 500 };
enum { SLEEP_LEAST_US = 20 * 1000, SLEEP_MOST_US = 1000 * 1000 };

static err_t sweep_locked(struct job *job, const struct run_due *due, timestamp_us now)
{
	struct run_clock clock = { now, (int64_t)due->crash_after_s * 1000000 };
	struct run_changes changes = { .count = 0 };
	struct writer *writers;
	struct run *run;
	size_t count;
	err_t e;

	e = run_store_lock(job->db, due->run_id, &run);
	if (!e)
		e = writer_store_list(job->db, due->run_id, -1, WRITER_LIST_MAX, &writers, &count);
	if (e)
		return e;
	run_sweep(run, writers, count, clock, &changes);
	if (changes.count) {
		run->document_seq++;
		e = run_store_note_change(job->db, run);
	}
	if (!e)
		e = run_store_save(job->db, run);
	if (!e)
		e = run_store_save_changes(job->db, run, now, &changes);
	if (!e && changes.count) {
		atomic_fetch_add(&job->done, changes.count);
		log_info("run ended by the sweeper", LOG_INT("run_id", run->run_id),
			 LOG_TEXT("state", run_state_name(run->state)));
	}
	return e;
}

static err_t sweep_one(struct job *job, const struct run_due *due)
{
	timestamp_us now;
	err_t e;

	e = db_begin(job->db, SWEEP_TIMEOUT_MS, SWEEP_LOCK_TIMEOUT_MS);
	if (!e)
		e = server_store_now(job->db, &now);
	if (!e)
		e = sweep_locked(job, due, now);
	if (!e)
		return db_commit(job->db);
	db_rollback(job->db);
	if (db_err_is(e, DB_LOCK_NOT_AVAILABLE) || e->kind == ERR_GONE)
		return NULL; /* somebody changes it now; it comes again */
	return e;
}

static err_t time_to_next(struct job *job, timestamp_us now, int64_t *ret_again_us)
{
	timestamp_us next;
	err_t e;

	*ret_again_us = SLEEP_MOST_US;
	e = run_store_next_due(job->db, &next);
	if (e || !next.us)
		return e;
	if (next.us - now.us < *ret_again_us)
		*ret_again_us = next.us - now.us;
	if (*ret_again_us < SLEEP_LEAST_US)
		*ret_again_us = SLEEP_LEAST_US;
	return NULL;
}

err_t sweeper_pass(struct job *job, int64_t *ret_again_us)
{
	struct run_due *due;
	timestamp_us now;
	size_t count;
	err_t e;

	e = server_store_now(job->db, &now);
	if (!e)
		e = run_store_list_due(job->db, now, SWEEP_AT_ONCE, &due, &count);
	for (size_t i = 0; !e && i < count && !atomic_load(job->stop); i++)
		e = sweep_one(job, &due[i]);
	return e ? e : time_to_next(job, now, ret_again_us);
}
