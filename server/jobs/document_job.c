/*
 * Writes the documents that are searched. Changes of state and documents are noted in the database in
 * their own transaction, so that none is lost; new rows are told by this server's flushers only, for
 * what they change is the summary's last values, which the next note or the run's end brings anyway.
 *
 * A run whose document cannot be written is put off for a while, in the database, so that it holds up
 * no other and no server tries it at every pass.
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
	ROWS_PERIOD_US = 2 * 1000 * 1000, /* of documents that only rows have changed */
	ROWS_AT_ONCE = 200,
	PUT_OFF_US = 60 * 1000 * 1000,
	REST_TIMES = 4,             /* what its runs took: at most a fifth of a core */
	REST_LEAST_US = 200 * 1000, /* a busy run changes with each flush, and writing locks it */
	SAVE_TIMEOUT_MS = 10000,
	SAVE_LOCK_TIMEOUT_MS = 500,
};

/* Waits for whoever deletes the run now: behind a delete nothing is written. */
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

/* Where the run is now, which it may have been moved to since it was noted. */
static err_t write_document(struct job *job, int64_t run_id)
{
	struct run_reader reader = { job->db, job->codec, job->metrics };
	struct search_document doc = { .run_id = run_id };
	struct run_info *info;
	struct run *run;
	size_t count;
	err_t e;

	e = run_store_list(job->db, &run_id, 1, &run, &count);
	if (e || !count || run->deleted_at.us)
		return e;
	doc.project_id = run->project_id;
	e = run_store_list_info(job->db, run->project_id, &run_id, 1, &info, &count);
	if (e || !count)
		return e;
	e = run_documents_searched(&reader, run, info, &doc.document);
	if (e)
		return e;
	doc.seq = run->document_seq;
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
		return NULL; /* somebody changes it now; the note stays */
	return e ? e : run_store_note_done(job->db, note);
}

static err_t put_off(struct job *job, const struct run_note *note, timestamp_us now)
{
	return run_store_put_off_note(job->db, note, (timestamp_us){ now.us + PUT_OFF_US });
}

static err_t write_note(struct job *job, const struct run_note *note, timestamp_us now)
{
	err_t e;

	e = job_work(job, note->run_id, work_noted, note);
	if (!e || !db_is_up(job->db))
		return e;
	log_warning("the run's searched document is not written, it is tried again later",
		    LOG_INT("run_id", note->run_id), LOG_TEXT("error", err_chain(job->arena, e)));
	return put_off(job, note, now);
}

/* Each run once a pass, in order: one that stays noted is passed over. */
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

/* ---- runs that are told ----------------------------------------------------------------------------- */

static err_t work_told(struct job *job, const void *what)
{
	const struct run_set_item *item = what;

	return write_document(job, item->run_id);
}

/* One that fails becomes a note that is put off. */
static err_t write_item(struct job *job, const struct run_set_item *item, timestamp_us now)
{
	struct run_note note = { .run_id = item->run_id, .project_id = item->project_id };
	err_t e;

	e = job_work(job, item->run_id, work_told, item);
	if (!e || !db_is_up(job->db))
		return e;
	if (db_err_is(e, DB_LOCK_NOT_AVAILABLE)) {
		run_set_add(job->to_document, *item);
		return NULL;
	}
	return put_off(job, &note, now);
}

/* A busy run is told again while its document is written: each run once a pass. */
static err_t write_told(struct job *job, timestamp_us now)
{
	size_t waiting = run_set_count(job->to_document);
	size_t most = waiting < ROWS_AT_ONCE ? waiting : ROWS_AT_ONCE;
	struct run_set_item item;
	err_t e = NULL;

	for (size_t i = 0; i < most && !e && run_set_take(job->to_document, 0, &item); i++)
		e = write_item(job, &item, now);
	return e;
}

err_t document_pass(struct job *job, int64_t *ret_again_us)
{
	int64_t started = clock_mono_us();
	timestamp_us now;
	err_t e;

	e = server_store_now(job->db, &now);
	if (!e)
		e = write_noted(job, now);
	if (!e && (!job->seldom_us || started - job->seldom_us >= ROWS_PERIOD_US)) {
		job->seldom_us = started;
		e = write_told(job, now);
	}
	job_rest(job, REST_TIMES, REST_LEAST_US);
	*ret_again_us = PERIOD_US > job->rest_us ? PERIOD_US : job->rest_us;
	return e;
}
