#include "flush.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "clock.h"
#include "flush_join.h"
#include "flush_sdk.h"
#include "flush_sent.h"
#include "flush_tail.h"
#include "flush_writers.h"
#include "metric_cache.h"
#include "metric_store.h"

/* ---- what to ask --------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static size_t unique_runs(struct flush *f, int64_t *ids)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->count; i++)
		ids[i] = f->batches[i]->run_id;
	qsort(ids, f->count, sizeof(ids[0]), by_number);
	for (size_t i = 0; i < f->count; i++) {
		if (!kept || ids[kept - 1] != ids[i])
			ids[kept++] = ids[i];
	}
	return kept;
}

/* By the batch with the most time left: any other would end all of it. */
static int timeout_ms(const struct flush *f)
{
	int64_t until_us = 0;
	int64_t ms;

	for (size_t i = 0; i < f->count; i++) {
		if (!f->batches[i]->deadline_us)
			return FLUSH_TIMEOUT_MS;
		if (f->batches[i]->deadline_us > until_us)
			until_us = f->batches[i]->deadline_us;
	}
	ms = (until_us - clock_mono_us()) / 1000;
	ms /= f->count == 1 ? FLUSH_PART_ALONE : FLUSH_PART_TOGETHER;
	return ms < 1 ? 1 : (int)ms;
}

static err_t begin(struct flush *f, enum flush_wait wait, int lock_timeout_ms)
{
	int64_t *ids = arena_new_array(f->arena, int64_t, f->count);
	int64_t *writer_ids = arena_new_array(f->arena, int64_t, f->count);
	struct str *clients = arena_new_array(f->arena, struct str, f->count);
	struct flush_ask ask = {
		.run_ids = ids,
		.run_count = unique_runs(f, ids),
		.writer_run_ids = writer_ids,
		.clients = clients,
		.wait = wait,
		.timeout_ms = timeout_ms(f),
		.lock_timeout_ms = lock_timeout_ms,
	};
	err_t e;

	ask.writer_count = flush_unknown_writers(f, writer_ids, clients);
	e = flush_store_begin(f->db, &ask, &f->state);
	return e ? e : flush_complete_writers(f);
}

/* ---- what was answered ---------------------------------------------------------------------------- */

static int by_run(const void *a, const void *b)
{
	return by_number(&((const struct run_work *)a)->run->run_id,
			 &((const struct run_work *)b)->run->run_id);
}

static void sort_state(struct flush *f)
{
	struct arena *a = f->arena;

	f->run_count = f->state.run_count;
	f->runs = arena_new_array(a, struct run_work, f->run_count);
	for (size_t i = 0; i < f->run_count; i++)
		f->runs[i].run = &f->state.runs[i];
	if (f->run_count)
		qsort(f->runs, f->run_count, sizeof(f->runs[0]), by_run);
	f->writer_changed = arena_new_array(a, bool, f->state.writer_count);
	f->writer_joined = arena_new_array(a, bool, f->state.writer_count);
	f->writer_labelled = arena_new_array(a, bool, f->state.writer_count);
	f->batch_before = arena_new_array(a, int64_t, f->state.writer_count);
	f->state_before = arena_new_array(a, int16_t, f->state.writer_count);
	for (size_t i = 0; i < f->state.writer_count; i++) {
		f->batch_before[i] = f->state.writers[i].batch;
		f->state_before[i] = f->state.writers[i].state;
	}
	f->new_writers = arena_new_array(a, struct writer, f->count);
	f->tail = arena_new_array(a, struct tail_row, 3 * f->count);
	f->answers = arena_new_array(a, struct flush_answer, f->count);
}

static struct run_work *find_run(struct flush *f, int64_t run_id)
{
	struct run key = { .run_id = run_id };
	struct run_work wanted = { .run = &key };

	if (!f->run_count)
		return NULL;
	return bsearch(&wanted, f->runs, f->run_count, sizeof(f->runs[0]), by_run);
}

static void mark_writer(struct flush *f, const struct writer *w)
{
	if (w >= f->state.writers && w < f->state.writers + f->state.writer_count)
		f->writer_changed[w - f->state.writers] = true;
}

/* ---- taking a batch -------------------------------------------------------------------------------- */

/* A writer on an abandoned branch keeps counting rows there. */
static void take_history(struct flush *f, struct run_work *work, struct writer *w,
			 const struct ingest_stream *s)
{
	struct run *run = work->run;
	bool is_left = run_is_left_by(run, w);
	int64_t base = is_left ? w->last_step : run->last_step;
	struct tail_row row = {
		.kind = STREAM_HISTORY,
		.writer = writer_lane(w),
		.row_first = run->next_row,
		.row_count = (int32_t)s->facts.row_count,
		.step_base = base,
		.size_bytes = (int64_t)s->facts.size_bytes,
		.data = s->data,
	};

	flush_put_tail(f, work, &row);
	run->next_row += s->facts.row_count;
	base = block_last_step(&s->facts, base);
	if (is_left)
		run->hidden_rows += s->facts.row_count;
	else
		run->last_step = base;
	w->history_rows += s->facts.row_count;
	if (s->facts.assigned || s->facts.step_max > w->last_step)
		w->last_step = s->facts.assigned ? base : s->facts.step_max;
	work->update.history = true;
}

static void take_events(struct flush *f, struct run_work *work, struct writer *w,
			const struct ingest_stream *s)
{
	struct tail_row row = {
		.kind = STREAM_EVENTS,
		.writer = writer_lane(w),
		.row_first = work->run->next_event,
		.row_count = (int32_t)s->facts.row_count,
		.step_base = -1,
		.size_bytes = (int64_t)s->facts.size_bytes,
		.data = s->data,
	};

	flush_put_tail(f, work, &row);
	work->run->next_event += s->facts.row_count;
	w->event_rows += s->facts.row_count;
	if (s->facts.step_max > w->last_event)
		w->last_event = s->facts.step_max;
	work->update.events = true;
}

/* Lines keep their writer in any case: two that share a lane would overwrite each other's. */
static void take_console(struct flush *f, struct run_work *work, struct writer *w,
			 const struct ingest_batch *b)
{
	struct tail_row row = {
		.kind = STREAM_CONSOLE,
		.writer = w->writer,
		.row_first = b->line_first,
		.row_count = b->line_count,
		.step_base = b->line_last,
		.size_bytes = (int64_t)b->line_bytes,
		.time_first = b->line_time_first,
		.time_last = b->line_time_last,
		.data = b->console,
	};

	flush_put_tail(f, work, &row);
	if (b->line_last >= w->console_lines)
		w->console_lines = b->line_last + 1;
	work->update.console = true;
}

static void take_unread(struct flush *f, struct run_work *work, const struct writer *w,
			const struct ingest_batch *b)
{
	for (size_t i = 0; i < b->unread_count; i++) {
		int64_t number = work->run->unread_lines++;

		if (number >= RUN_UNREAD_MAX || i >= RUN_UNREAD_MAX)
			continue;
		if (f->unread_count == f->unread_size)
			f->unread = arena_grow(f->arena, f->unread, &f->unread_size,
					       sizeof(f->unread[0]));
		f->unread[f->unread_count++] = (struct unread_row){
			.run_id = work->run->run_id,
			.number = number,
			.writer = w->writer,
			.stream = b->unread[i].stream,
			.text = b->unread[i].text,
			.came_at = f->state.now,
		};
	}
}

static struct run_clock clock_of(const struct flush *f, const struct ingest_batch *b)
{
	return (struct run_clock){ f->state.now, b->limit_us };
}

void flush_hear(struct flush *f, struct run_work *work, struct writer *w,
		const struct ingest_batch *b)
{
	unsigned changes = work->changes.count;
	int16_t state = w->state;

	run_hear(work->run, w, clock_of(f, b), &work->changes);
	if (work->changes.count > changes)
		work->noted = work->update.state = true;
	if (w->state != state)
		work->rejoined = true;
	work->changed = true;
	mark_writer(f, w);
}

/*
 * Room is left for one more join, after which the run may be preempting again: a flush notes few
 * changes of a run, however many batches it stores. The next batch says it again.
 */
static void take_preempting(struct run_work *work, const struct writer *w)
{
	unsigned changes = work->changes.count;

	if (changes + 2 > RUN_CHANGES_MAX)
		return;
	run_preempt(work->run, w, &work->changes);
	if (work->changes.count > changes)
		work->noted = work->update.state = true;
}

err_t flush_take(struct flush *f, struct run_work *work, struct writer *w, struct ingest_batch *b)
{
	bool data = b->history.data.len || b->events.data.len || b->console.len;

	b->answer.row_first = work->run->next_row;
	b->answer.rows = b->history.data.len ? b->history.facts.row_count : 0;
	flush_hear(f, work, w, b);
	if (b->is_preempting)
		take_preempting(work, w);
	if (b->history.data.len)
		take_history(f, work, w, &b->history);
	if (b->events.data.len)
		take_events(f, work, w, &b->events);
	if (b->console.len)
		take_console(f, work, w, b);
	take_unread(f, work, w, b);
	batch_count_records(f->arena, w, &b->records);
	left_out_join(&work->left_out, f->arena, &b->left_out);
	if (data)
		w->data_at = f->state.now;
	if (b->history.data.len || b->events.data.len)
		w->lag_us =
			writer_lag_us(f->state.now, fmax(b->history.newest_s, b->events.newest_s));
	if (__builtin_add_overflow(w->dropped_rows, b->dropped_rows, &w->dropped_rows))
		w->dropped_rows = INT64_MAX;
	if (run_is_left_by(work->run, w))
		return NULL; /* the documents are those of the current branch */
	if (b->config || b->summary || (b->summary_is_whole && b->last)) {
		err_t e = flush_documents(f, work, w, b);

		left_out_join(&work->left_out, f->arena, &b->left_out_here);
		return e;
	}
	return NULL;
}

void flush_answer(const struct run_work *work, const struct writer *w, struct ingest_batch *b)
{
	b->answer.batch = b->batch;
	b->answer.writer = w->writer;
	b->answer.step_next = work->run->last_step + 1;
	b->answer.stop = work->run->stop_asked_at.us != 0;
	b->answer.state = work->run->state;
}

void flush_hear_again(struct flush *f, struct run_work *work, struct writer *w,
		      struct ingest_batch *b)
{
	flush_hear(f, work, w, b);
	w->repeats++;
	flush_answer(work, w, b);
}

err_t flush_take_new(struct flush *f, struct run_work *work, struct writer *w,
		     struct ingest_batch *b)
{
	struct batch_memory memory = { .batch = b->batch };
	err_t e;

	e = flush_take(f, work, w, b);
	if (e)
		return e;
	memcpy(memory.digest, b->digest, sizeof(memory.digest));
	memory.row_first = b->answer.row_first;
	memory.rows = (int32_t)b->answer.rows;
	batch_remember(f->arena, w, &memory);
	return NULL;
}

static err_t take_joined(struct flush *f, struct run_work *work, struct ingest_batch *b)
{
	struct writer *w = flush_find_writer(f, b);
	struct batch_memory memory;
	enum batch_verdict verdict;
	struct err *e;
	err_t failed;

	if (!w) {
		e = err_field(b->arena, ERR_NOT_FOUND, "writer",
			      "the writer \"%.*s\" has not joined this run", STR_ARG(b->client));
		e->type = "writer-unknown";
		e->hint = "join first";
		b->error = e;
		return NULL;
	}
	verdict = batch_judge(w, b->session, b->batch, b->digest, &memory);
	if (verdict == BATCH_REPEAT) {
		flush_hear_again(f, work, w, b);
		b->answer.row_first = memory.row_first;
		b->answer.rows = memory.rows;
		return NULL;
	}
	b->error = verdict == BATCH_NEW ? batch_check_records(b->arena, w, &b->records)
					: batch_refusal(b->arena, verdict, w, b->session, b->batch);
	if (b->error)
		return NULL;
	failed = flush_take_new(f, work, w, b);
	flush_answer(work, w, b);
	return failed;
}

/* ---- bare rows ---------------------------------------------------------------------------------------- */

static bool same_digest(struct str stored, const struct ingest_batch *b)
{
	return str_equal(stored, (struct str){ (const char *)b->digest, sizeof(b->digest) });
}

/* True if the key was used before: the batch has its answer or its error. */
static err_t find_answer(struct flush *f, struct ingest_batch *b, bool *ret_found)
{
	struct run_answer *known = NULL;
	struct run_answer here;
	err_t e;

	for (size_t i = 0; i < f->answer_count && !known; i++) {
		if (f->answers[i].run_id != b->run_id ||
		    !str_equal(f->answers[i].key, b->idempotency_key))
			continue;
		here = (struct run_answer){ f->answers[i].digest, f->answers[i].row_first,
					    f->answers[i].row_count };
		known = &here;
	}
	if (!known) {
		e = flush_store_find_answer(f->db, b->run_id, b->idempotency_key, &known);
		if (e)
			return e;
	}
	*ret_found = known != NULL;
	if (!known)
		return NULL;
	b->answer.row_first = known->row_first;
	b->answer.rows = known->row_count;
	if (same_digest(known->digest, b))
		return NULL;
	b->error = err_field(b->arena, ERR_CONFLICT, "Idempotency-Key",
			     "this key was already used for different rows");
	return NULL;
}

static err_t take_by_hand(struct flush *f, struct run_work *work, struct ingest_batch *b)
{
	struct writer *w;
	bool found = false;
	err_t e;

	if (b->idempotency_key.len) {
		e = find_answer(f, b, &found);
		if (e || found)
			return e;
	}
	w = flush_find_writer(f, b);
	if (!w)
		w = flush_make_unjoined(f, work, b);
	e = flush_take(f, work, w, b);
	if (e)
		return e;
	flush_answer(work, w, b);
	if (b->idempotency_key.len)
		f->answers[f->answer_count++] = (struct flush_answer){
			.run_id = b->run_id,
			.key = b->idempotency_key,
			.digest = { (const char *)b->digest, sizeof(b->digest) },
			.row_first = b->answer.row_first,
			.row_count = b->answer.rows,
		};
	return NULL;
}

/*
 * Names that were numbered long ago, by the database's clock, may have the number of a name that
 * was deleted: the server was suspended, or its clock is shifted.
 */
static err_t check_numbers(struct flush *f, struct ingest_batch *b)
{
	const struct ingest_names *names = &b->names;
	bool used = true;
	err_t e;

	if (!names->count || f->state.now.us - names->as_of.us <= METRIC_NUMBERS_GOOD_US)
		return NULL;
	e = metric_store_are_used(f->db, b->project_id, names->key_ids, names->count, &used);
	if (e || used)
		return e;
	metric_cache_forget(f->metrics, b->project_id);
	b->error = err_new(b->arena, ERR_BUSY,
			   "the names of the batch's metrics were looked up too "
			   "long ago");
	return NULL;
}

static err_t take_one(struct flush *f, struct ingest_batch *b, enum flush_wait wait)
{
	struct run_work *work = find_run(f, b->run_id);
	err_t e;

	b->error = NULL;
	b->left_out_here = (struct left_out_list){ .count = 0 };
	if (!work && wait == FLUSH_SKIP) {
		b->error =
			err_new(b->arena, ERR_BUSY, "the run is being changed by another server");
		return NULL;
	}
	if (!work) {
		b->error = err_new(b->arena, ERR_NOT_FOUND, "the run does not exist");
		return NULL;
	}
	if (work->run->deleted_at.us) {
		b->error = err_new(b->arena, ERR_GONE, "the run was deleted");
		return NULL;
	}
	/* Its keys have the numbers of the project that it was sent to. */
	b->error = run_check_project(b->arena, work->run, b->project_id);
	if (b->error)
		return NULL;
	e = check_numbers(f, b);
	if (e || b->error)
		return e;
	if (b->join) {
		e = flush_join(f, work, b);
		if (e || !b->config)
			return e;
	}
	switch (b->identity) {
	case BATCH_BY_HAND:
		return take_by_hand(f, work, b);
	case BATCH_BY_LINES:
	case BATCH_BY_CONTENT:
		return flush_take_sdk(f, work, b);
	case BATCH_BY_NUMBER:
		break;
	}
	return take_joined(f, work, b);
}

/* ---- writing ------------------------------------------------------------------------------------------ */

/* Lists see new rows of running runs by their row counts; rows of other runs are noted. */
static bool has_late_rows(const struct run_work *work)
{
	int16_t state = work->run->state;

	return work->update.history && state != RUN_RUNNING && state != RUN_PREEMPTING;
}

static void collect_runs(struct flush *f, struct flush_writes *w)
{
	struct run *runs = arena_new_array(f->arena, struct run, f->run_count);
	struct run_note *notes = arena_new_array(f->arena, struct run_note, f->run_count);
	struct flush_change *changes =
		arena_new_array(f->arena, struct flush_change, 4 * f->run_count);

	for (size_t i = 0; i < f->run_count; i++) {
		struct run_work *work = &f->runs[i];

		if (!work->changed)
			continue;
		work->noted = work->noted || has_late_rows(work);
		if (work->noted)
			work->run->document_seq++;
		runs[w->run_count++] = *work->run;
		if (work->noted)
			notes[w->note_count++] = (struct run_note){ work->run->run_id,
								    work->run->project_id,
								    work->run->document_seq };
		for (unsigned j = 0; j < work->changes.count; j++)
			changes[w->change_count++] =
				(struct flush_change){ work->run->run_id, work->changes.at[j] };
	}
	w->runs = runs;
	w->notes = notes;
	w->changes = changes;
}

/* A writer that joined is written whole; for the others only the changes are written. */
static void collect_left_out(struct flush *f, struct flush_writes *w)
{
	struct flush_left_out *left_out =
		arena_new_array(f->arena, struct flush_left_out, f->run_count);

	for (size_t i = 0; i < f->run_count; i++) {
		const struct run_work *work = &f->runs[i];

		if (work->left_out.total)
			left_out[w->left_out_count++] =
				(struct flush_left_out){ work->run->run_id, &work->left_out };
	}
	w->left_out = left_out;
}

static void collect_writers(struct flush *f, struct flush_writes *w)
{
	size_t count = f->state.writer_count;
	struct writer *writers = arena_new_array(f->arena, struct writer, count);
	struct writer *replaced = arena_new_array(f->arena, struct writer, count);
	struct writer *labelled = arena_new_array(f->arena, struct writer, count);
	struct writer *saved =
		arena_new_array(f->arena, struct writer, count + f->new_writer_count);

	for (size_t i = 0; i < f->new_writer_count; i++) {
		/* else the run would give its number to the next one, too */
		assert(find_run(f, f->new_writers[i].run_id)->changed);
		saved[w->saved_count++] = f->new_writers[i];
	}
	for (size_t i = 0; i < count; i++) {
		const struct writer *one = &f->state.writers[i];

		if (f->writer_joined[i]) {
			saved[w->saved_count++] = *one;
			continue;
		}
		if (f->writer_changed[i])
			writers[w->writer_count++] = *one;
		if (one->state != f->state_before[i])
			replaced[w->replaced_count++] = *one;
		if (f->writer_labelled[i])
			labelled[w->labelled_count++] = *one;
	}
	w->writers = writers;
	w->replaced = replaced;
	w->labelled = labelled;
	w->saved = saved;
}

static err_t commit(struct flush *f)
{
	struct flush_writes writes = {
		.version = f->version,
		.now = f->state.now,
		.slot = f->state.slot,
		.tail = f->tail,
		.tail_count = f->tail_count,
		.answers = f->answers,
		.answer_count = f->answer_count,
		.unread = f->unread,
		.unread_count = f->unread_count,
	};

	writes.sent = flush_sent_changed(f, &writes.sent_count);
	collect_runs(f, &writes);
	collect_left_out(f, &writes);
	collect_writers(f, &writes);
	return flush_store_commit(f->db, &writes);
}

static err_t take_all(struct flush *f, enum flush_wait wait, int lock_timeout_ms)
{
	err_t e;

	e = begin(f, wait, lock_timeout_ms);
	if (e)
		return e;
	sort_state(f);
	e = flush_sent_read(f);
	for (size_t i = 0; i < f->count && !e; i++)
		e = take_one(f, f->batches[i], wait);
	return e;
}

err_t flush_run(struct flush *f, enum flush_wait wait)
{
	err_t e = take_all(f, wait, FLUSH_LOCK_TIMEOUT_MS);

	if (e)
		return e;
	for (size_t i = 0; i < f->run_count; i++)
		flush_close_packs(f, &f->runs[i]);
	f->version = run_store_version();
	flush_put_marks(f);
	e = commit(f);
	if (!e)
		flush_keep_writers(f);
	return e;
}

err_t flush_judge(struct flush *f)
{
	return take_all(f, FLUSH_WAIT, FLUSH_JUDGE_LOCK_TIMEOUT_MS);
}
