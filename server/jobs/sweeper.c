/*
 * Decides the end of attempts by silence. It checks runs whose look_at has come, by the database's
 * clock, and sleeps until the next one, a second at most, for flushes move look_at on.
 *
 * Silence does not count while the server could not receive: after a start
 * or a suspend (a laptop that slept) every writer gets its full limit
 * again. Another server that was up all the time decides as usual.
 */
#include "arena.h"
#include "clock.h"
#include "job.h"
#include "log.h"
#include "run_store.h"
#include "server_store.h"
#include "writer_store.h"

enum { SWEEP_AT_ONCE = 200, SWEEP_TIMEOUT_MS = 10000, SWEEP_LOCK_TIMEOUT_MS = 500 };
enum { SLEEP_LEAST_US = 20 * 1000, SLEEP_MOST_US = 1000 * 1000 };
#define STOOD_STILL_US (INT64_C(15) * 1000 * 1000) /* between two checks of the clock */

struct swept {
	struct run_changes changes;
	int state;
};

/*
 * The run, and when the pass began: later requests may follow a time in
 * which nothing could be received.
 */
struct judged {
	const struct run_due *due;
	timestamp_us now;
};

static err_t sweep_locked(struct job *job, const struct run_due *due, timestamp_us now,
			  struct swept *ret_swept)
{
	struct run_clock clock = { now, (int64_t)due->crash_after_s * 1000000 };
	struct run_changes changes = { .count = 0 };
	struct writer *writers;
	struct run *run;
	size_t count;
	err_t e;

	e = run_store_lock(job->db, due->run_id, &run);
	if (!e)
		e = writer_store_list_now(job->db, due->run_id, -1, WRITER_LIST_MAX, &writers,
					  &count);
	if (e)
		return e;
	run_sweep(run, writers, count, clock, &changes);
	if (changes.count) {
		run->document_seq++;
		e = run_store_note_change(job->db, run, now);
	}
	if (!e)
		e = run_store_save(job->db, run);
	if (!e)
		e = run_store_save_changes(job->db, run, now, &changes);
	if (!e)
		*ret_swept = (struct swept){ changes, run->state };
	return e;
}

static void tell(struct job *job, const struct run_due *due, const struct swept *swept)
{
	if (!swept->changes.count)
		return;
	atomic_fetch_add(&job->done, swept->changes.count);
	if (job->to_compact)
		run_set_add(job->to_compact, (struct run_set_item){ .run_id = due->run_id,
								    .project_id = due->project_id,
								    .pressing = true });
	log_info("run ended by the sweeper", LOG_INT("run_id", due->run_id),
		 LOG_TEXT("state", run_state_name(swept->state)));
}

static err_t sweep_one(struct job *job, const void *what)
{
	const struct judged *judged = what;
	struct swept swept;
	err_t e;

	e = db_begin(job->db, SWEEP_TIMEOUT_MS, SWEEP_LOCK_TIMEOUT_MS);
	if (!e)
		e = sweep_locked(job, judged->due, judged->now, &swept);
	if (!e)
		e = db_commit(job->db);
	if (!e) {
		tell(job, judged->due, &swept);
		return NULL;
	}
	db_rollback(job->db);
	if (db_err_is(e, DB_LOCK_NOT_AVAILABLE) || e->kind == ERR_GONE)
		return NULL; /* another transaction changes it now; it is due again */
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

struct sweep {
	timestamp_us now;
	err_t first_failure;
	bool has_left; /* runs whose writers may have sent without being received */
	bool is_cut;   /* the server was suspended in the middle of the rows */
};

static bool may_be_unheard(const struct job *job, const struct run_due *due, timestamp_us now)
{
	return now.us - job->hears_since.us < (int64_t)due->crash_after_s * 1000000;
}

static int64_t boot_us_of(struct job *job)
{
	return job->boot_us ? job->boot_us(job) : clock_boot_us();
}

/*
 * Checked before each run: a pass over many takes long, and requests were received in the meantime.
 */
static bool stood_still(const struct job *job, int64_t boot_us)
{
	return !job->passed_us || boot_us - job->passed_us > STOOD_STILL_US;
}

/*
 * A run that fails does not block others: the first failure is what the pass fails with in the end.
 */
static err_t sweep_rows(struct job *job, const struct run_due *due, size_t count,
			struct sweep *sweep)
{
	for (size_t i = 0; i < count && !atomic_load(job->stop); i++) {
		const struct judged judged = { &due[i], sweep->now };
		int64_t boot_us = boot_us_of(job);
		err_t e;

		sweep->is_cut = stood_still(job, boot_us); /* the next pass notes it */
		if (sweep->is_cut)
			return NULL;
		job->passed_us = boot_us;
		if (may_be_unheard(job, &due[i], sweep->now)) {
			sweep->has_left = true;
			continue;
		}
		e = job_work(job, due[i].run_id, sweep_one, &judged);
		if (e && !sweep->first_failure)
			sweep->first_failure = e;
		if (e && !db_is_up(job->db))
			return e;
	}
	return NULL;
}

static err_t sweep_all(struct job *job, struct sweep *sweep)
{
	struct run_due_ask ask = { .now = sweep->now, .limit = SWEEP_AT_ONCE };
	struct run_due *due;
	size_t count;
	err_t e;

	do {
		e = run_store_list_due(job->db, &ask, &due, &count);
		if (!e && count) {
			ask.after_look = due[count - 1].look_at;
			ask.after_run = due[count - 1].run_id;
			e = sweep_rows(job, due, count, sweep);
		}
	} while (!e && count == SWEEP_AT_ONCE && !sweep->is_cut && !atomic_load(job->stop));
	return sweep->first_failure ? sweep->first_failure : e;
}

static void note_pass(struct job *job, timestamp_us now)
{
	int64_t boot_us = boot_us_of(job);

	if (stood_still(job, boot_us))
		job->hears_since = now;
	job->passed_us = boot_us;
}

err_t sweeper_pass(struct job *job, int64_t *ret_again_us)
{
	struct sweep sweep = { .has_left = false };
	err_t e;

	e = server_store_now(job->db, &sweep.now);
	if (e)
		return e;
	note_pass(job, sweep.now);
	e = sweep_all(job, &sweep);
	if (e || !(sweep.has_left || sweep.is_cut))
		return e ? e : time_to_next(job, sweep.now, ret_again_us);
	*ret_again_us = SLEEP_MOST_US;
	return NULL;
}
