/*
 * Writes the searched documents. Changes of state and documents are noted in the database in their
 * own transaction, so that none is lost; new rows are reported only by this server's flushers, for
 * they change only the summary's last values, which the next note or the run's end updates anyway.
 *
 * A run whose document cannot be written is put off for a while, in the database, so that it does
 * not block others and no server tries it at every pass.
 */
#include "arena.h"
#include "clock.h"
#include "codec.h"
#include "job.h"
#include "log.h"
#include "run_documents.h"
#include "run_store.h"
#include "search_store.h"
#include "server_store.h"

enum {
	NOTES_AT_ONCE = 200,
	PERIOD_US = 500 * 1000,
	ROWS_PERIOD_US = 1000 * 1000, /* changes by rows are in lists within 2 s, */
	HEARD_PERIOD_US = 10 * 1000 *
			  1000, /* the last request's time, and so the duration, somewhat later */
	TOLD_AT_ONCE = 200,
	PUT_OFF_US = 60 * 1000 * 1000,
	SAVE_TIMEOUT_MS = 10000,
	SAVE_LOCK_TIMEOUT_MS = 500,
};

/*
 * Its work takes at most a fifth of a core. A busy run changes with each flush, and writing locks
 * it; after a thousand that came at once the next one is found soon all the same.
 */
static const struct job_rest job_pause = {
	.times = 4,
	.least_us = 200 * 1000,
	.most_us = 5 * 1000 * 1000,
};

/* Waits for a transaction that deletes the run now: after a delete nothing is written. */
static err_t save(struct job *job, const struct search_document *doc)
{
	err_t e;

	e = db_begin(job->db, SAVE_TIMEOUT_MS, SAVE_LOCK_TIMEOUT_MS);
	if (!e)
		e = search_store_save(job->db, doc);
	if (!e)
		e = db_commit(job->db);
	if (e)
		db_rollback(job->db);
	else
		atomic_fetch_add(&job->done, 1);
	return e;
}

/* Writes to the run's current project: it may have been moved since it was noted. */
static err_t write_document(struct job *job, int64_t run_id)
{
	struct run_reader reader = { job->db, job->codec, job->metrics };
	struct search_document doc = { .run_id = run_id };
	struct run_info *info;
	struct run *run;
	size_t count;
	err_t e;

	e = server_store_now(job->db, &doc.read_at);
	if (!e)
		e = run_store_list(job->db, &run_id, 1, &run, &count);
	if (e || !count || run->deleted_at.us)
		return e;
	doc.project_id = run->project_id;
	e = run_store_list_info(job->db, run->project_id, &run_id, 1, &info, &count);
	if (e || !count)
		return e;
	e = run_documents_searched(&reader, run, info, doc.read_at, &doc.document);
	if (e)
		return e;
	doc.seq = run->document_seq;
	doc.next_row = run->next_row;
	doc.visibility = info->visibility;
	return save(job, &doc);
}

/* ---- runs that are noted ---------------------------------------------------------------------------- */

static err_t work_noted(struct job *job, const void *what)
{
	const struct run_note *note = what;
	err_t e;

	e = write_document(job, note->run_id);
	if (e && db_err_is(e, DB_LOCK_NOT_AVAILABLE))
		return NULL; /* another transaction changes it now; the note stays */
	return e ? e : run_store_note_done(job->db, note);
}

static err_t put_off(struct job *job, const struct run_note *note, timestamp_us now)
{
	return run_store_put_off_note(job->db, note, (timestamp_us){ now.us + PUT_OFF_US }, now);
}

static err_t write_note(struct job *job, const struct run_note *note, timestamp_us now)
{
	err_t e;

	e = job_work(job, note->run_id, work_noted, note);
	if (!e || !db_is_up(job->db))
		return e;
	log_warning("cannot write the run's searchable document, will retry",
		    LOG_INT("run_id", note->run_id), LOG_TEXT("error", err_chain(job->arena, e)));
	return put_off(job, note, now);
}

/* Each run once a pass, in order: one that stays noted is skipped. */
static err_t write_noted(struct job *job, timestamp_us now)
{
	struct run_note_ask ask = { .now = now, .after = INT64_MIN, .limit = NOTES_AT_ONCE };
	struct run_note *notes;
	size_t count;
	err_t e;

	do {
		e = run_store_list_notes(job->db, &ask, &notes, &count);
		for (size_t i = 0; !e && i < count && !atomic_load(job->stop); i++) {
			ask.after = notes[i].run_id;
			e = write_note(job, &notes[i], now);
		}
	} while (!e && count == NOTES_AT_ONCE && !atomic_load(job->stop));
	return e;
}

/*
 * ---- reported runs
 * ----------------------------------------------------------------------------------
 */

static bool is_time(int64_t *last_us, int64_t now_us, int64_t period_us)
{
	if (*last_us && now_us - *last_us < period_us)
		return false;
	*last_us = now_us;
	return true;
}

static err_t work_told(struct job *job, const void *what)
{
	const struct run_set_item *item = what;

	return write_document(job, item->run_id);
}

/* A run that fails becomes a note that is put off. */
static err_t write_item(struct job *job, struct run_set *told, const struct run_set_item *item,
			timestamp_us now)
{
	struct run_note note = { .run_id = item->run_id, .project_id = item->project_id };
	err_t e;

	e = job_work(job, item->run_id, work_told, item);
	if (!e || !db_is_up(job->db))
		return e;
	if (db_err_is(e, DB_LOCK_NOT_AVAILABLE)) {
		run_set_add(told, *item);
		return NULL;
	}
	return put_off(job, &note, now);
}

/* A busy run is reported again while its document is written: each run once a pass. */
static err_t write_told(struct job *job, struct run_set *told, size_t most, timestamp_us now)
{
	struct run_set_item item;
	err_t e = NULL;

	most = most < TOLD_AT_ONCE ? most : TOLD_AT_ONCE;
	for (size_t i = 0; i < most && !e && run_set_take(told, 0, &item); i++)
		e = write_item(job, told, &item, now);
	return e;
}

static err_t write_heard(struct job *job, int64_t now_us, timestamp_us now)
{
	size_t left;

	if (is_time(&job->rare_us, now_us, HEARD_PERIOD_US))
		job->rare_left = run_set_count(job->to_hear);
	left = job->rare_left;
	job->rare_left -= left < TOLD_AT_ONCE ? left : TOLD_AT_ONCE;
	return write_told(job, job->to_hear, left, now);
}

/*
 * Writes those of a second: runs that are due together are spread over
 * several, so that rows do not wait for them.
 */
static err_t write_all_told(struct job *job, int64_t now_us, timestamp_us now)
{
	err_t e = write_told(job, job->to_document, run_set_count(job->to_document), now);

	return e ? e : write_heard(job, now_us, now);
}

err_t document_pass(struct job *job, int64_t *ret_again_us)
{
	int64_t started = clock_mono_us();
	timestamp_us now;
	err_t e;

	e = server_store_now(job->db, &now);
	if (!e)
		e = write_noted(job, now);
	if (!e && is_time(&job->seldom_us, started, ROWS_PERIOD_US))
		e = write_all_told(job, started, now);
	job_rest(job, &job_pause);
	*ret_again_us = PERIOD_US > job->rest_us ? PERIOD_US : job->rest_us;
	return e;
}
