/*
 * Lines are stored by number, and a line may be written again at any time, so a chunk's lines are of a
 * span of times, and of arrivals. Chunks come in the order of their spans; when the page is full and the next span lies
 * behind it, it is done. What the tail has was written later than what chunks have, and stands for it.
 *
 * All statements see one moment: a chunk that is written again meanwhile has another span, by which it
 * could come twice or not at all, and lines would be missed that went from the tail into chunks.
 */
#include "console_times.h"

#include "arena.h"
#include "console_tail.h"
#include "series_store.h"

enum { CHUNKS_AT_ONCE = 4, SCRATCH_BYTES = 256 << 10 };

struct reading {
	struct db *db;
	struct codec *codec;
	const struct console_times *ask;
	struct top_lines *top;
	struct console_tail tail;
	struct arena *scratch; /* of some chunks */
};

/* ---- lines ------------------------------------------------------------------------------------------ */

static bool is_asked(const struct console_times *ask, int32_t writer, const struct line *line)
{
	struct line_mark mark = { line_place(line, ask->by), writer, line->number };
	int order;

	if (mark.place < ask->from || mark.place > ask->to || !ask->streams[line->stream])
		return false;
	if (!ask->after)
		return true;
	order = line_mark_compare(&mark, ask->after);
	return ask->order == TOP_EARLIEST ? order > 0 : order < 0;
}

static void offer(const struct reading *r, int32_t writer, const struct line *line)
{
	if (is_asked(r->ask, writer, line))
		top_lines_offer(r->top, writer, line);
}

/*
 * Beginning with those that are likely to stay: lines come as time goes by. The other way round each one
 * would push out one that came before. Those of `but` are left out.
 */
static void offer_all(const struct reading *r, int32_t writer, const struct lines *lines,
		      const struct lines *but)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		uint32_t at = r->ask->order == TOP_EARLIEST ? i : lines->count - 1 - i;
		const struct line *line = &lines->items[at];

		if (!console_tail_has(but, line->number))
			offer(r, writer, line);
	}
}

/* ---- the tail --------------------------------------------------------------------------------------- */

static err_t read_tail(struct reading *r)
{
	const struct console_times *ask = r->ask;
	err_t e = console_tail_read(r->db, r->codec, ask->run_id, ask->writers, ask->writer_count,
				    &r->tail);

	for (size_t i = 0; !e && i < r->tail.count; i++)
		offer_all(r, r->tail.writers[i].writer, &r->tail.writers[i].lines, NULL);
	return e;
}

/* ---- chunks ----------------------------------------------------------------------------------------- */

static err_t offer_chunk(struct reading *r, const struct console_chunk *chunk)
{
	struct lines lines;
	err_t e = lines_decode(r->codec, r->scratch, chunk->data, &lines);

	if (e)
		return e;
	offer_all(r, chunk->writer, &lines, console_tail_of(&r->tail, chunk->writer));
	return NULL;
}

static err_t offer_chunks(struct reading *r, const struct console_span *spans, size_t count)
{
	struct console_chunk asked[CHUNKS_AT_ONCE] = { { 0 } };
	struct arena *a = db_arena(r->db);
	struct console_chunk *chunks;
	size_t found = 0;
	err_t e;

	for (size_t i = 0; i < count; i++)
		asked[i] = (struct console_chunk){ .writer = spans[i].writer,
						   .line_first = spans[i].line_first };
	db_set_arena(r->db, r->scratch);
	e = series_store_console_chunks(r->db, r->ask->run_id, asked, count, &chunks, &found);
	for (size_t i = 0; i < found && !e; i++)
		e = offer_chunk(r, &chunks[i]);
	db_set_arena(r->db, a);
	if (e)
		return err_wrap(a, e, "the console cannot be read");
	arena_reset(r->scratch);
	return NULL;
}

static bool is_behind(const struct reading *r, const struct console_span *span)
{
	return top_lines_is_beyond(r->top, r->ask->order == TOP_EARLIEST ? span->span_first
									 : span->span_last);
}

/* Some spans in order; *ret_done when the page needs no further ones. */
static err_t offer_spans(struct reading *r, const struct console_span *spans, size_t count,
			 bool *ret_done)
{
	size_t some;

	for (size_t i = 0; i < count; i += some) {
		err_t e;

		for (some = 0; some < CHUNKS_AT_ONCE && i + some < count; some++) {
			if (is_behind(r, &spans[i + some]))
				break;
		}
		*ret_done = !some;
		if (!some)
			return NULL;
		e = offer_chunks(r, &spans[i], some);
		if (e)
			return e;
	}
	return NULL;
}

static struct console_spans spans_asked(const struct console_times *ask)
{
	struct console_spans spans = {
		.run_id = ask->run_id,
		.writers = ask->writers,
		.writer_count = ask->writer_count,
		.by = ask->by,
		.from = ask->from,
		.to = ask->to,
		.latest_first = ask->order == TOP_LATEST,
	};

	if (ask->after && ask->order == TOP_EARLIEST && ask->after->place > spans.from)
		spans.from = ask->after->place;
	if (ask->after && ask->order == TOP_LATEST && ask->after->place < spans.to)
		spans.to = ask->after->place;
	return spans;
}

static err_t read_chunks(struct reading *r, bool *ret_done)
{
	struct console_spans ask = spans_asked(r->ask);
	struct console_span *spans;
	size_t count = CONSOLE_SPANS_AT_ONCE;
	err_t e = NULL;

	*ret_done = false;
	while (!e && !*ret_done && count == CONSOLE_SPANS_AT_ONCE) {
		e = series_store_console_spans(r->db, &ask, &spans, &count);
		if (e)
			return e;
		e = offer_spans(r, spans, count, ret_done);
		ask.after = count ? &spans[count - 1] : NULL;
	}
	return e;
}

static void free_arena(void *p)
{
	arena_free(p);
}

err_t console_times_read(struct db *db, struct codec *codec, const struct console_times *ask,
			 const struct top_lines **ret_lines, bool *ret_more)
{
	struct arena *a = db_arena(db);
	struct reading r = {
		.db = db,
		.codec = codec,
		.ask = ask,
		.top = top_lines_new(a, ask->by, ask->order, ask->limit, ask->bytes),
		.scratch = arena_new_beside(a, SCRATCH_BYTES),
	};
	bool is_done;
	err_t e;

	arena_defer(a, free_arena, r.scratch);
	e = db_begin_reading(db);
	if (e)
		return e;
	e = read_tail(&r);
	if (!e)
		e = read_chunks(&r, &is_done);
	db_rollback(db);
	if (e)
		return e;
	top_lines_sort(r.top);
	*ret_lines = r.top;
	*ret_more = is_done || r.top->is_cut;
	return NULL;
}
