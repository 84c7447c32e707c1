/*
 * Writes the documents that are searched. Changes of state and documents are noted in the database in
 * their own transaction, so that none is lost; new rows are told by this server's flushers only, for
 * what they change is the summary's last values, which the next note or the run's end brings anyway.
 */
#include "arena.h"
#include "clock.h"
#include "codec.h"
#include "job.h"
#include "run_documents.h"
#include "run_store.h"

enum {
	NOTES_AT_ONCE = 200,
	PERIOD_US = 500 * 1000,
	ROWS_PERIOD_US = 2 * 1000 * 1000, /* of documents that only rows have changed */
	ROWS_AT_ONCE = 200,
};

static err_t write_document(struct job *job, int64_t run_id, int64_t project_id)
{
	struct run_reader reader = { job->db, job->codec, job->metrics };
	struct search_document doc = { .project_id = project_id, .run_id = run_id };
	struct run_info *info;
	struct run *run;
	size_t count;
	err_t e;

	e = run_store_list(job->db, &run_id, 1, &run, &count);
	if (e || !count || run->deleted_at.us)
		return e;
	e = run_store_list_info(job->db, project_id, &run_id, 1, &info, &count);
	if (e || !count)
		return e;
	e = run_documents_searched(&reader, run, info, &doc.document);
	if (e)
		return e;
	doc.seq = run->document_seq;
	doc.visibility = info->visibility;
	atomic_fetch_add(&job->done, 1);
	return document_store_save_searched(job->db, &doc);
}

/* An error of one run's document; the others are written all the same. */
static bool is_of_one_run(err_t e)
{
	return e->kind != ERR_BUSY && e->kind != ERR_TIMEOUT;
}

static err_t write_one_noted(struct job *job, const struct run_note *note)
{
	err_t e = write_document(job, note->run_id, note->project_id);

	if (!e)
		return run_store_note_done(job->db, note);
	if (!is_of_one_run(e))
		return e;
	return err_wrap(job->arena, e, "the searched document of run %lld",
			(long long)note->run_id);
}

static err_t read_notes(struct job *job, int64_t after, struct run_note notes[NOTES_AT_ONCE],
			size_t *ret_count)
{
	struct run_note *rows;
	err_t e;

	e = run_store_list_notes(job->db, after, NOTES_AT_ONCE, &rows, ret_count);
	for (size_t i = 0; !e && i < *ret_count; i++)
		notes[i] = rows[i];
	return e;
}

/* Each note once; documents are forgotten one by one, for there may be many and they may be large. */
static err_t write_noted(struct job *job)
{
	struct run_note notes[NOTES_AT_ONCE];
	int64_t after = INT64_MIN;
	err_t failed = NULL;
	size_t count;

	do {
		err_t e = read_notes(job, after, notes, &count);

		for (size_t i = 0; i < count && !e && !atomic_load(job->stop); i++) {
			e = write_one_noted(job, &notes[i]);
			if (e && is_of_one_run(e)) {
				failed = failed ? failed : e;
				e = NULL;
			}
			if (!failed && !e)
				arena_reset(job->arena);
			after = notes[i].run_id;
		}
		if (e)
			return e;
	} while (count == NOTES_AT_ONCE && !atomic_load(job->stop));
	return failed;
}

/* A busy run is told again while its document is written: each run once a pass. */
static err_t write_told(struct job *job)
{
	size_t waiting = run_set_count(job->to_document);
	size_t most = waiting < ROWS_AT_ONCE ? waiting : ROWS_AT_ONCE;
	struct run_set_item item;
	err_t e = NULL;

	for (size_t i = 0; i < most && !e && run_set_take(job->to_document, 0, &item); i++)
		e = write_document(job, item.run_id, item.project_id);
	return e;
}

err_t document_pass(struct job *job, int64_t *ret_again_us)
{
	int64_t started = clock_mono_us();
	int64_t took;
	err_t told = NULL;
	err_t e;

	e = write_noted(job);
	if ((!e || is_of_one_run(e)) &&
	    started / ROWS_PERIOD_US != (started - PERIOD_US) / ROWS_PERIOD_US)
		told = write_told(job);
	took = clock_mono_us() - started;
	*ret_again_us = PERIOD_US > 4 * took ? PERIOD_US : 4 * took; /* at most a fifth of a core */
	return e ? e : told;
}
