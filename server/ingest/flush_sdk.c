#include "flush_sdk.h"

#include "arena.h"
#include "buf.h"
#include "flush_writers.h"
#include "sdk_processes.h"

enum repetition { SDK_NEW, SDK_REPEAT, SDK_MIXED };

/* ---- by numbers of lines ------------------------------------------------------------------------- */

static bool is_empty(const struct line_range *r)
{
	return r->to <= r->from;
}

/* Judges the lines of one file: all are new, none is, or that cannot be decided here. */
static enum repetition judge_file(const struct line_ranges *known, const struct line_range *sent)
{
	struct line_part parts[LINE_PARTS_MAX];
	unsigned count = line_ranges_missing(known, sent->from, sent->to, parts);

	if (!count)
		return SDK_REPEAT;
	if (count == 1 && parts[0].kind == LINE_PART_NEW && parts[0].from == sent->from &&
	    parts[0].to == sent->to)
		return SDK_NEW;
	return SDK_MIXED;
}

/* Repeats of one file together with new lines of another make the batch mixed. */
static enum repetition judge_lines(const struct line_files *known, const struct ingest_lines *sent)
{
	bool seen[SDK_MIXED + 1] = { false };

	for (int i = 0; i < LINE_FILES; i++) {
		if (!is_empty(&sent->of[i]))
			seen[judge_file(&known->of[i], &sent->of[i])] = true;
	}
	if (seen[SDK_MIXED] || (seen[SDK_NEW] && seen[SDK_REPEAT]))
		return SDK_MIXED;
	return seen[SDK_REPEAT] ? SDK_REPEAT : SDK_NEW;
}

static void add_lines(struct arena *a, struct line_files *known, const struct ingest_lines *sent,
		      struct writer *w)
{
	struct buf *out = buf_new(a);

	for (int i = 0; i < LINE_FILES; i++) {
		if (!is_empty(&sent->of[i]))
			line_ranges_add(&known->of[i], sent->of[i].from, sent->of[i].to);
	}
	line_files_encode(out, known);
	w->lines = buf_str(out);
}

/* ---- by content ---------------------------------------------------------------------------------- */

/*
 * Rows above all that is stored need no comparison, unless other writers came before, in branches
 * that were left. The time of others' last event is not known, nor the place of rows without steps.
 */
static bool is_above(const struct ingest_stream *s, int64_t last)
{
	return !s->data.len || (!s->facts.assigned && s->facts.step_min > last);
}

static bool is_first(const struct run *run, const struct writer *w)
{
	return run->next_writer <= 1 && w->batch == 0 && !run_was_rewound(run);
}

static enum repetition judge_content(const struct run *run, const struct writer *w,
				     const struct ingest_batch *b)
{
	bool is_alone = run->next_writer <= 1;
	bool has_rows = b->history.data.len || b->events.data.len;

	if (is_first(run, w))
		return SDK_NEW;
	if (has_rows && (run_was_rewound(run) || (!is_alone && b->events.data.len)))
		return SDK_MIXED;
	if (is_above(&b->history, run->last_step) && is_above(&b->events, w->last_event))
		return SDK_NEW;
	return SDK_MIXED;
}

/* ---- console, of those who share a name ------------------------------------------------------------ */

static int64_t last_piece_at(const struct console_pieces *pieces)
{
	return pieces->count ? pieces->of[pieces->count - 1].at : 0;
}

/*
 * Whether the lines have their final numbers. Lines of a process with an
 * id always have them. Lines that were not compared have the numbers that
 * were sent, and belong after all pieces, or into the last one.
 */
static bool is_numbered(const struct writer *w, const struct console_pieces *pieces,
			const struct ingest_batch *b)
{
	int64_t shift;

	if (b->identity == BATCH_BY_LINES || !b->console.len || b->lines.is_compared)
		return true;
	return !writer_console_shift(w, b->line_first, &shift) && !shift &&
	       b->line_first >= last_piece_at(pieces);
}

/* A process that resumes numbers its lines from the end of the stored ones. Its folder numbers them from 0. */
static bool begin_piece(struct console_pieces *pieces, const struct writer *w,
			const struct ingest_batch *b)
{
	const struct console_piece resumed = console_piece_resumed(w->console_lines, b->line_first);
	const bool is_resumed = !b->lines.is_compared && w->console_shift < 0;

	if (b->lines.has_piece || is_resumed)
		console_pieces_add(pieces, b->lines.has_piece ? &b->lines.piece : &resumed);
	return b->lines.has_piece || is_resumed;
}

/* Returns the piece that the session writes: the last one, unless it syncs an earlier one. */
static struct console_piece *find_piece(struct console_pieces *pieces, const struct writer *w)
{
	struct console_piece *last = &pieces->of[pieces->count - 1];

	for (unsigned i = 0; w->console_shift && i < pieces->count; i++) {
		if (pieces->of[i].at - pieces->of[i].from == w->console_shift)
			return &pieces->of[i];
	}
	return last;
}

/* Returns whether the pieces change, which they seldom do. */
static bool add_pieces(struct console_pieces *pieces, const struct ingest_batch *b,
		       struct writer *w)
{
	bool has_rows = b->history.data.len || b->events.data.len;
	bool is_changed = false;
	struct console_piece *piece;

	if (b->console.len) {
		is_changed = begin_piece(pieces, w, b);
		w->console_shift = b->lines.console_shift;
		if (is_changed && pieces->rows_only == w->session)
			pieces->rows_only = 0;
	}
	if (has_rows && !b->lines.is_repeat && w->console_shift < 0)
		return console_pieces_add_rows_only(pieces, w->session);
	if (!pieces->count || w->console_shift < 0)
		return is_changed;
	piece = find_piece(pieces, w);
	is_changed |= has_rows && !piece->has_rows;
	piece->has_rows |= has_rows;
	return is_changed;
}

/*
 * A writer without a list of processes, from an older version, gets one
 * when the next process joins.
 */
static void keep_processes(struct arena *a, const struct sdk_processes *processes, struct writer *w)
{
	struct buf *out = buf_new(a);

	sdk_processes_write(out, processes);
	w->lines = buf_str(out);
}

/* ---- both ---------------------------------------------------------------------------------------- */

/*
 * The stored lines of a writer. Which of them is known depends on how its batches are identified.
 */
struct known {
	struct line_files lines;
	struct sdk_processes processes;
};

static bool read_known(const struct writer *w, const struct ingest_batch *b, struct known *known)
{
	return b->identity == BATCH_BY_LINES ? line_files_decode(w->lines, &known->lines)
					     : writer_processes(w, &known->processes);
}

static bool says_nothing(const struct ingest_batch *b)
{
	return !b->history.data.len && !b->events.data.len && !b->console.len && !b->config &&
	       !b->summary && !b->unread_count;
}

static err_t refuse(struct ingest_batch *b)
{
	struct err *e =
		err_new(b->arena, ERR_CONFLICT, "only some of these lines are already stored");

	e->type = "lines-known";
	b->error = e;
	return NULL;
}

static err_t store(struct flush *f, struct run_work *work, struct writer *w, struct ingest_batch *b)
{
	err_t e;

	b->batch = w->batch + 1;
	e = flush_take_new(f, work, w, b);
	flush_answer(work, w, b);
	return e;
}

/*
 * A comparison holds as long as the writer has stored nothing since. For
 * other writers it holds for what they had then: the folder of a process
 * that still sends is not a folder to sync (docs/wandb.md).
 */
static enum repetition judge(const struct run *run, const struct writer *w,
			     const struct known *known, const struct ingest_batch *b)
{
	if (!is_numbered(w, &known->processes.console, b))
		return SDK_MIXED;
	if (b->lines.is_compared)
		return b->batch == w->batch + 1 && (!b->session || b->session == w->session)
			       ? SDK_NEW
			       : SDK_MIXED;
	return b->identity == BATCH_BY_LINES ? judge_lines(&known->lines, &b->lines)
					     : judge_content(run, w, b);
}

static err_t take(struct flush *f, struct run_work *work, struct writer *w, struct ingest_batch *b)
{
	struct known known = { .lines = { .of = { { .border = 0 } } } };

	if (!read_known(w, b, &known))
		return err_new(f->arena, ERR_INTERNAL,
			       "cannot read what writer %d of run %lld stored", w->writer,
			       (long long)w->run_id);
	switch (judge(work->run, w, &known, b)) {
	case SDK_REPEAT:
		flush_hear_again(f, work, w, b);
		return NULL;
	case SDK_MIXED:
		return refuse(b);
	case SDK_NEW:
		break;
	}
	if (b->identity == BATCH_BY_LINES)
		add_lines(f->arena, &known.lines, &b->lines, w);
	else if (add_pieces(&known.processes.console, b, w) && w->lines.len)
		keep_processes(f->arena, &known.processes, w);
	return store(f, work, w, b);
}

/* Notes when the sending process, of those that are the writer, last sent. */
static err_t hear_process(struct flush *f, struct writer *w, const struct ingest_batch *b)
{
	struct buf *out = buf_new(f->arena);
	struct sdk_processes processes;

	if (b->identity != BATCH_BY_CONTENT || !w->lines.len)
		return NULL;
	if (!sdk_processes_read(w->lines, &processes))
		return err_new(f->arena, ERR_INTERNAL,
			       "cannot read the processes of writer %d of run %lld", w->writer,
			       (long long)w->run_id);
	sdk_processes_hear(&processes, b->lines.of, f->state.now);
	sdk_processes_write(out, &processes);
	w->lines = buf_str(out);
	return NULL;
}

/*
 * A worker that became a primary in the meantime might replace another
 * one, and has to send its label again.
 */
static void label(struct flush *f, struct run_work *work, struct writer *w, struct ingest_batch *b)
{
	bool is_read = w >= f->state.writers && w < f->state.writers + f->state.writer_count;

	if (w->role != WRITER_WORKER)
		b->label_told = (struct str){ NULL, 0 };
	if (!b->label_told.len || !str_equal(w->label, b->label_was))
		return;
	w->label = b->label_told;
	work->changed = work->rejoined = true;
	if (is_read)
		f->writer_labelled[w - f->state.writers] = true;
}

err_t flush_take_sdk(struct flush *f, struct run_work *work, struct ingest_batch *b)
{
	struct writer *w = flush_find_writer(f, b);
	bool is_new = !w;
	err_t e;

	if (is_new)
		w = flush_make_unjoined(f, work, b);
	label(f, work, w, b);
	e = hear_process(f, w, b);
	if (e)
		return e;
	flush_answer(work, w, b);
	if (says_nothing(b)) {
		e = flush_take(f, work, w, b);
		flush_answer(work, w, b);
		return e;
	}
	if (batch_is_last(w, b->digest)) {
		flush_hear_again(f, work, w, b);
		return NULL;
	}
	e = take(f, work, w, b);
	if (!e && b->error && is_new)
		flush_unmake_writer(f, work);
	return e;
}
