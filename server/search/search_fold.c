/*
 * Changes that were acknowledged before a query and are in no searched document yet. They are few
 * as a rule, for a job writes documents all the time: a project with nothing pending costs one
 * lookup, of a few rows of indexes. Otherwise the query writes the documents itself, as the job
 * would, until all changes are in or the bounds are reached.
 *
 *	question 1   look ── fold 1 ────────┐ answer
 *	question 2      look ── waits ─────── fold 2 ─┐ answer
 *	question 3        look ── waits ──────────────┘ answer
 *
 * One query at a time folds a project. A query that arrives in the meantime may depend on changes
 * that this fold did not see, so it uses the next one, which all waiting queries share.
 *
 * Two kinds are pending: runs that are noted (run_change), and runs that run and have more rows than their document was
 * made of. Nothing here stops a flush: the lock that is taken on runs lets flushes through.
 */
#include <stdlib.h>

#include "arena.h"
#include "clock.h"
#include "run_documents.h"
#include "run_store.h"
#include "search_parts.h"
#include "server_store.h"

enum {
	BATCH = 64,            /* runs in one transaction, */
	BATCH_BYTES = 4 << 20, /* and of their documents */
	BATCH_ARENA = 64 << 10,
	SAVE_TIMEOUT_MS = 10 * 1000, /* for portions begun in time */
	LOCK_LEAST_MS = 5,
};

/* ---- what is pending ------------------------------------------------------------------------------ */

enum pending_state {
	PENDING,
	PENDING_NOT_NOW, /* it could not be written */
	PENDING_DONE,
};
struct pending_run {
	int64_t run_id;
	timestamp_us read_at; /* its document has all before; 0: see the note */
	bool has_grown;       /* it runs, and has more rows than its document */
	enum pending_state state;
};

struct folding {
	struct search *search;
	struct db *db;
	struct search_project *project;
	struct search_fold *ask;
	struct run_reader reader;
	int64_t until_us;
	struct search_running_row running; /* when it was looked */
	struct pending_run *runs;          /* by run_id */
	size_t count;
	size_t tried;
};

static bool is_folded(struct search *s, const struct search_project *p,
		      const struct search_running_row *running)
{
	bool same;

	pthread_mutex_lock(&s->lock);
	same = p->has_folded && p->folded.runs == running->runs &&
	       p->folded.digest == running->digest;
	pthread_mutex_unlock(&s->lock);
	return same || !running->runs;
}

/* The running runs whose document was made of fewer rows, or that have none; *count of them. */
static err_t find_grown(struct folding *f, struct pending_run **ret_runs, size_t *ret_count)
{
	struct arena *a = db_arena(f->db);
	struct search_written_row *written;
	struct search_running_run *running;
	size_t written_count;
	size_t count;
	size_t at = 0;
	int64_t *ids;
	err_t e;

	e = search_store_running(f->db, f->project->project_id, &running, &count);
	if (e)
		return e;
	ids = arena_new_array(a, int64_t, count + 1);
	for (size_t i = 0; i < count; i++)
		ids[i] = running[i].run_id;
	e = search_store_written(f->db, f->project->project_id, ids, count, &written,
				 &written_count);
	if (e)
		return e;
	*ret_runs = arena_new_array(a, struct pending_run, count + 1);
	*ret_count = 0;
	for (size_t i = 0; i < count; i++) {
		bool has_document = at < written_count && written[at].run_id == ids[i];
		const struct search_written_row *row = has_document ? &written[at++] : NULL;

		if (!row || row->next_row < running[i].next_row)
			(*ret_runs)[(*ret_count)++] = (struct pending_run){
				.run_id = ids[i],
				.has_grown = true,
				.read_at = row ? row->read_at : (timestamp_us){ 0 },
			};
	}
	return NULL;
}

static struct pending_run noted_run(const struct search_noted_row *row)
{
	return (struct pending_run){
		.run_id = row->run_id,
		.state = row->is_put_off ? PENDING_NOT_NOW : PENDING,
	};
}

/* Both by run_id; a run that is in both comes once, as a noted one. */
static void put_together(struct folding *f, const struct search_pending *pending,
			 const struct pending_run *grown, size_t grown_count)
{
	size_t noted = 0;
	size_t at = 0;

	f->runs = arena_new_array(db_arena(f->db), struct pending_run,
				  pending->noted_count + grown_count + 1);
	f->count = 0;
	while (noted < pending->noted_count || at < grown_count) {
		const struct search_noted_row *row =
			noted < pending->noted_count ? &pending->noted[noted] : NULL;

		if (row && (at == grown_count || row->run_id <= grown[at].run_id)) {
			bool is_in_both = at < grown_count && row->run_id == grown[at].run_id;

			f->runs[f->count] = noted_run(row);
			f->runs[f->count++].has_grown = is_in_both;
			at += is_in_both;
			noted++;
		} else {
			f->runs[f->count++] = grown[at++];
		}
	}
}

/* One note more than may be written is enough to know that there are more. */
static err_t look(struct folding *f)
{
	struct search_pending pending;
	struct pending_run *grown = NULL;
	size_t grown_count = 0;
	err_t e;

	e = search_store_pending(f->db, f->project->project_id, f->ask->most_runs + 1, &pending);
	if (!e && !is_folded(f->search, f->project, &pending.running))
		e = find_grown(f, &grown, &grown_count);
	if (e)
		return e;
	f->running = pending.running;
	put_together(f, &pending, grown, grown_count);
	return NULL;
}

/* ---- a portion -------------------------------------------------------------------------------------- */

struct portion {
	struct pending_run *runs[BATCH];
	int64_t ids[BATCH];
	size_t count;
	struct search_document docs[BATCH];
	size_t doc_count;
};

static bool is_late(const struct folding *f)
{
	return clock_mono_us() >= f->until_us;
}

static const struct run *find_run(const struct run *runs, size_t count, int64_t run_id)
{
	for (size_t i = 0; i < count; i++) {
		if (runs[i].run_id == run_id)
			return &runs[i];
	}
	return NULL;
}

static const struct run_info *find_info(const struct run_info *infos, size_t count, int64_t run_id)
{
	for (size_t i = 0; i < count; i++) {
		if (infos[i].run_id == run_id)
			return &infos[i];
	}
	return NULL;
}

/* A document that cannot be made is left to the job, which puts it off. */
static err_t make_document(struct folding *f, struct pending_run *pending, const struct run *run,
			   const struct run_info *info, struct search_document *doc)
{
	err_t e = run_documents_searched(&f->reader, run, info, doc->read_at, &doc->document);

	if (e) {
		pending->state = PENDING_NOT_NOW;
		return db_is_up(f->db) ? NULL : e;
	}
	doc->project_id = f->project->project_id;
	doc->run_id = run->run_id;
	doc->seq = run->document_seq;
	doc->next_row = run->next_row;
	doc->visibility = info->visibility;
	return NULL;
}

/*
 * Until the time is over, or the documents are many bytes. Runs that have
 * left the project are left out.
 */
static err_t make_documents(struct folding *f, struct portion *b)
{
	timestamp_us read_at;
	struct run_info *infos;
	struct run *runs;
	size_t info_count;
	size_t run_count;
	size_t bytes = 0;
	err_t e;

	e = server_store_now(f->db, &read_at);
	if (!e)
		e = run_store_list(f->db, b->ids, b->count, &runs, &run_count);
	if (!e)
		e = run_store_list_info(f->db, f->project->project_id, b->ids, b->count, &infos,
					&info_count);
	for (size_t i = 0; i < b->count && !e && bytes < BATCH_BYTES && !is_late(f); i++) {
		const struct run *run = find_run(runs, run_count, b->ids[i]);
		const struct run_info *info = find_info(infos, info_count, b->ids[i]);
		struct search_document *doc = &b->docs[b->doc_count];

		if (!run || !info || run->deleted_at.us ||
		    run->project_id != f->project->project_id) {
			b->runs[i]->state = PENDING_DONE;
			continue;
		}
		doc->read_at = read_at;
		e = make_document(f, b->runs[i], run, info, doc);
		if (e || b->runs[i]->state == PENDING_NOT_NOW)
			continue;
		bytes += doc->document.len;
		b->doc_count++;
	}
	return e;
}

static int lock_timeout_ms(const struct folding *f)
{
	int64_t left_ms = (f->until_us - clock_mono_us()) / 1000;

	return left_ms > LOCK_LEAST_MS ? (int)left_ms : LOCK_LEAST_MS;
}

enum waiting { WAIT_FOR_NOBODY, WAIT_FOR_LOCKS };

static err_t save(struct folding *f, struct portion *b, enum waiting waiting, size_t *ret_saved)
{
	err_t e = db_begin(f->db, SAVE_TIMEOUT_MS, lock_timeout_ms(f));

	*ret_saved = 0;
	if (!e && waiting == WAIT_FOR_LOCKS) {
		*ret_saved = b->doc_count;
		e = search_store_save(f->db, &b->docs[0]);
	} else if (!e) {
		e = search_store_save_free(f->db, b->docs, b->doc_count, ret_saved);
	}
	if (!e)
		e = db_commit(f->db);
	if (!e)
		return NULL;
	*ret_saved = 0;
	db_rollback(f->db);
	return db_is_up(f->db) ? NULL : e;
}

static void set_done(struct portion *b, int64_t run_id)
{
	for (size_t i = 0; i < b->count; i++) {
		if (b->ids[i] == run_id)
			b->runs[i]->state = PENDING_DONE;
	}
}

static err_t write_documents(struct folding *f, struct portion *b, enum waiting waiting)
{
	size_t saved = 0;
	err_t e = make_documents(f, b);

	if (!e && b->doc_count)
		e = save(f, b, waiting, &saved);
	for (size_t i = 0; i < saved; i++)
		set_done(b, b->docs[i].run_id);
	return e || !saved ? e : search_store_noted_done(f->db, b->docs, saved);
}

/* In memory of its own, which is freed at once. */
static err_t write_portion(struct folding *f, struct portion *b, enum waiting waiting)
{
	struct arena *before = db_arena(f->db);
	struct arena *own = arena_new_beside(before, BATCH_ARENA);
	err_t e;

	db_set_arena(f->db, own);
	e = write_documents(f, b, waiting);
	db_set_arena(f->db, before);
	if (e)
		e = err_wrap(before, e, "what is pending of project %lld",
			     (long long)f->project->project_id);
	arena_free(own);
	return e;
}

/* ---- all of them ----------------------------------------------------------------------------------- */

/* From *at on; false: none are left. */
static bool next_portion(struct folding *f, size_t most, size_t *at, struct portion *ret_portion)
{
	struct portion *b = ret_portion;

	*b = (struct portion){ .count = 0 };
	for (; *at < f->count && b->count < most; (*at)++) {
		if (f->runs[*at].state != PENDING)
			continue;
		b->ids[b->count] = f->runs[*at].run_id;
		b->runs[b->count++] = &f->runs[*at];
	}
	return b->count > 0;
}

static size_t portion_most(const struct folding *f)
{
	size_t left = (size_t)f->ask->most_runs - f->tried;

	return left < BATCH ? left : BATCH;
}

/* First the runs that are not locked; then the others, one by one. */
static err_t fold_runs(struct folding *f)
{
	struct portion *b = arena_new_of(db_arena(f->db), struct portion);
	size_t end = 0;
	size_t at = 0;
	err_t e = NULL;

	while (!e && !is_late(f) && next_portion(f, portion_most(f), &end, b)) {
		f->tried += b->count;
		e = write_portion(f, b, WAIT_FOR_NOBODY);
	}
	while (!e && !is_late(f) && at < end && next_portion(f, 1, &at, b)) {
		if (b->runs[0] < &f->runs[end])
			e = write_portion(f, b, WAIT_FOR_LOCKS);
	}
	return e;
}

static void take_older(timestamp_us *since, timestamp_us other)
{
	if (other.us && (!since->us || other.us < since->us))
		*since = other;
}

/* Finds what is left, and since when: of a note, and of a run with rows. */
static err_t tell(struct folding *f, struct search_folded *ret_folded)
{
	timestamp_us since = { 0 };
	timestamp_us noted;
	timestamp_us now;
	size_t left = 0;
	err_t e;

	ret_folded->is_behind = false;
	for (size_t i = 0; i < f->count; i++) {
		if (f->runs[i].state == PENDING_DONE)
			continue;
		left++;
		take_older(&since, f->runs[i].read_at);
	}
	if (!left)
		return NULL;
	e = search_store_noted_since(f->db, f->project->project_id, &noted);
	if (!e)
		e = server_store_now(f->db, &now);
	if (e)
		return e;
	take_older(&since, noted);
	*ret_folded = (struct search_folded){
		.is_behind = true,
		.behind_us = since.us && since.us < now.us ? now.us - since.us : 0,
		.folded_us = clock_mono_us(),
	};
	return NULL;
}

/* ---- turns ----------------------------------------------------------------------------------------- */

enum turn { TURN_MINE, TURN_SHARED, TURN_LATE };

/* A fold that began earlier may lack changes acknowledged since. */
static enum turn take_turn(struct search *s, struct search_project *p, int64_t until_us,
			   struct search_folded *ret_folded)
{
	const struct timespec until = clock_timespec(until_us);
	enum turn turn = TURN_LATE;
	uint64_t wanted;
	int waited = 0;

	pthread_mutex_lock(&s->lock);
	wanted = p->folds + 1;
	while (p->is_folding && p->folds_done < wanted && !waited)
		waited = pthread_cond_timedwait(&s->folded, &s->lock, &until);
	if (p->folds_done >= wanted) {
		*ret_folded = p->last_fold;
		turn = TURN_SHARED;
	} else if (!p->is_folding) {
		p->is_folding = true;
		p->folds++;
		turn = TURN_MINE;
	}
	pthread_mutex_unlock(&s->lock);
	return turn;
}

/*
 * Notes may be left: those that are put off stay for long, and are not a
 * reason to read all runs each time.
 */
static bool has_all_rows(const struct folding *f)
{
	for (size_t i = 0; i < f->count; i++) {
		if (f->runs[i].has_grown && f->runs[i].state != PENDING_DONE)
			return false;
	}
	return true;
}

/* A fold that failed serves no one: the next waiting query tries again. */
static void end_turn(struct folding *f, const struct search_folded *folded, bool has_failed)
{
	struct search_project *p = f->project;

	pthread_mutex_lock(&f->search->lock);
	p->is_folding = false;
	if (!has_failed) {
		p->folds_done = p->folds;
		p->last_fold = *folded;
	}
	if (!has_failed && has_all_rows(f)) {
		p->has_folded = true;
		p->folded = f->running;
	}
	pthread_cond_broadcast(&f->search->folded);
	pthread_mutex_unlock(&f->search->lock);
}

static err_t fold_alone(struct folding *f, struct search_folded *ret_folded)
{
	err_t e = look(f);

	if (!e && f->count)
		e = fold_runs(f);
	return e ? e : tell(f, ret_folded);
}

static err_t fold(struct folding *f, struct search_folded *ret_folded)
{
	enum turn turn = take_turn(f->search, f->project, f->until_us, ret_folded);
	err_t e;

	if (turn == TURN_SHARED)
		return NULL;
	if (turn == TURN_LATE) {
		e = look(f);
		return e ? e : tell(f, ret_folded);
	}
	f->reader = f->ask->reader(f->ask->of);
	f->reader.db = f->db;
	e = fold_alone(f, ret_folded);
	end_turn(f, ret_folded, e != NULL);
	return e;
}

static int64_t until_us(const struct search_question *q)
{
	int64_t us = clock_mono_us() + q->fold->most_us;

	return q->deadline_us && q->deadline_us < us ? q->deadline_us : us;
}

static void take_result(struct search_fold *ask, const struct search_folded *folded)
{
	int64_t behind_us = folded->behind_us + clock_mono_us() - folded->folded_us;

	if (!folded->is_behind)
		return;
	ask->is_behind = true;
	if (behind_us > ask->behind_us)
		ask->behind_us = behind_us;
}

err_t search_fold(struct search *s, struct db *db, struct search_project *p,
		  const struct search_question *q, struct search_count_row *ret_now,
		  bool *ret_is_counted)
{
	struct folding f = { .search = s, .db = db, .project = p, .ask = q->fold };
	struct search_folded folded = { .is_behind = false };
	struct search_pending pending;
	err_t e;

	*ret_is_counted = false;
	if (!q->fold || q->fold->db != db)
		return NULL;
	f.until_us = until_us(q);
	e = search_store_pending(db, p->project_id, 1, &pending);
	if (e)
		return e;
	if (!pending.noted_count && is_folded(s, p, &pending.running)) {
		*ret_now = pending.count;
		*ret_is_counted = true;
		return NULL;
	}
	e = fold(&f, &folded);
	if (!e)
		take_result(q->fold, &folded);
	return e;
}
