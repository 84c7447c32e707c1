/*
 * Lines are stored by number, and a line may be written again at any time, so the lines
 * of a chunk, or of a block of the tail, are of a span of times, and of arrivals. Both
 * are read in the order of their spans; when the page is full and the next span is
 * after it, it is done. The tail was written later than the chunks, so it is read first
 * when the latest lines are asked for, and its lines replace those of chunks: blocks
 * from other times are read only if they may have lines of the same numbers.
 *
 * All statements use one snapshot: a chunk that is rewritten in between has another span, by which
 * it could come twice or not at all, and lines would be missed that went from the tail into chunks.
 */
#include "console_times.h"

#include <stdlib.h>

#include "arena.h"
#include "console_store.h"
#include "console_waiting.h"
#include "tail_store.h"

enum { CHUNKS_AT_ONCE = 4, SCRATCH_BYTES = 256 << 10 };
enum { BLOCKS_AT_ONCE = 16, BLOCKS_BYTES = 256 << 10 };

struct reading {
	struct db *db;
	struct codec *codec;
	const struct console_times *ask;
	struct top_lines *top;
	struct console_waiting_blocks waiting;
	struct arena *scratch; /* of some chunks */
};

/* ---- lines ------------------------------------------------------------------------------------------ */

static bool is_asked(const struct console_times *ask, int32_t writer, const struct line *line)
{
	struct line_cursor cursor = { line_position(line, ask->by), writer, line->number };
	int order;

	if (cursor.position < ask->from || cursor.position > ask->to || !ask->streams[line->stream])
		return false;
	if (!ask->after)
		return true;
	order = line_cursor_compare(&cursor, ask->after);
	return ask->order == TOP_EARLIEST ? order > 0 : order < 0;
}

static void offer(const struct reading *r, int32_t writer, const struct line *line)
{
	if (is_asked(r->ask, writer, line))
		top_lines_offer(r->top, writer, line);
}

/*
 * Begins with the lines that are likely to stay: lines come in order of time. The other way round,
 * each one would push out an earlier one. Lines that were sent again later are left out.
 */
static void offer_all(const struct reading *r, int32_t writer, const struct lines *lines,
		      const struct waiting_later *later)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		uint32_t at = r->ask->order == TOP_EARLIEST ? i : lines->count - 1 - i;
		const struct line *line = &lines->items[at];

		if (!waiting_later_has(later, line->number))
			offer(r, writer, line);
	}
}

static bool is_behind(const struct reading *r, int64_t span_first, int64_t span_last)
{
	return top_lines_is_beyond(r->top, r->ask->order == TOP_EARLIEST ? span_first : span_last);
}

/* ---- chunks ----------------------------------------------------------------------------------------- */

static err_t offer_chunk(struct reading *r, const struct console_chunk *chunk)
{
	struct waiting_part part = { .writer = chunk->writer, .seq = -1 };
	struct waiting_later later;
	struct lines lines;
	err_t e = lines_decode(r->codec, r->scratch, chunk->data, &lines);

	if (e || !lines.count)
		return e;
	part.line_first = lines.items[0].number;
	part.line_last = lines.items[lines.count - 1].number;
	e = console_waiting_later(&r->waiting, &part, &later);
	if (!e)
		offer_all(r, chunk->writer, &lines, &later);
	return e;
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
	e = console_store_chunks(r->db, r->ask->run_id, asked, count, &chunks, &found);
	for (size_t i = 0; i < found && !e; i++)
		e = offer_chunk(r, &chunks[i]);
	db_set_arena(r->db, a);
	if (e)
		return err_wrap(a, e, "cannot read the console");
	arena_reset(r->scratch);
	return NULL;
}

/* Offers some spans in order; *ret_done if the page needs no further ones. */
static err_t offer_spans(struct reading *r, const struct console_span *spans, size_t count,
			 bool *ret_done)
{
	size_t some;

	for (size_t i = 0; i < count; i += some) {
		err_t e;

		for (some = 0; some < CHUNKS_AT_ONCE && i + some < count; some++) {
			if (is_behind(r, spans[i + some].span_first, spans[i + some].span_last))
				break;
		}
		*ret_done = !some;
		if (!some)
			return NULL;
		e = offer_chunks(r, &spans[i], some);
		if (e)
			return e;
		console_waiting_trim(&r->waiting);
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

	if (ask->after && ask->order == TOP_EARLIEST && ask->after->position > spans.from)
		spans.from = ask->after->position;
	if (ask->after && ask->order == TOP_LATEST && ask->after->position < spans.to)
		spans.to = ask->after->position;
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
		e = console_store_spans(r->db, &ask, &spans, &count);
		if (e)
			return e;
		e = offer_spans(r, spans, count, ret_done);
		ask.after = count ? &spans[count - 1] : NULL;
	}
	return e;
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

static int64_t first_position(const struct reading *r, size_t which)
{
	const struct console_waiting *at = &r->waiting.items[which].at;

	return r->ask->by == LINES_BY_TIME ? at->time_first : at->seq;
}

static int64_t last_position(const struct reading *r, size_t which)
{
	const struct console_waiting *at = &r->waiting.items[which].at;

	return r->ask->by == LINES_BY_TIME ? at->time_last : at->seq;
}

static int by_position(const void *a, const void *b, void *context)
{
	const struct reading *r = context;
	size_t x = *(const size_t *)a;
	size_t y = *(const size_t *)b;
	bool is_up = r->ask->order == TOP_EARLIEST;
	int64_t of_x = is_up ? first_position(r, x) : last_position(r, x);
	int64_t of_y = is_up ? first_position(r, y) : last_position(r, y);

	if (of_x != of_y)
		return (of_x > of_y) == is_up ? 1 : -1;
	return (x > y) - (x < y);
}

/* The blocks that may have lines of the position asked for, in the order of chunks. */
static size_t list_blocks(struct reading *r, size_t *which)
{
	const struct console_spans spans = spans_asked(r->ask);
	size_t count = 0;

	for (size_t i = 0; i < r->waiting.count; i++) {
		if (first_position(r, i) <= spans.to && last_position(r, i) >= spans.from)
			which[count++] = i;
	}
	if (count)
		qsort_r(which, count, sizeof(which[0]), by_position, r);
	return count;
}

static err_t offer_block(struct reading *r, size_t which)
{
	struct console_waiting_blocks *w = &r->waiting;
	const struct console_waiting *at = &w->items[which].at;
	const struct waiting_part part = { at->writer, at->line_first, at->line_last, at->seq };
	struct waiting_later later;
	err_t e = console_waiting_later(w, &part, &later);

	if (!e)
		offer_all(r, at->writer, w->items[which].lines, &later);
	return e;
}

static err_t offer_blocks(struct reading *r, const size_t *which, size_t count)
{
	err_t e = console_waiting_read(&r->waiting, which, count);

	for (size_t i = 0; i < count && !e; i++)
		e = offer_block(r, which[i]);
	console_waiting_trim(&r->waiting);
	return e;
}

/* How many of the next blocks are read together; 0: the page needs none. */
static size_t next_blocks(const struct reading *r, const size_t *which, size_t count)
{
	int64_t bytes = 0;
	size_t some = 0;

	while (some < count && some < BLOCKS_AT_ONCE && bytes < BLOCKS_BYTES &&
	       !is_behind(r, first_position(r, which[some]), last_position(r, which[some])))
		bytes += r->waiting.items[which[some++]].at.size_bytes;
	return some;
}

static err_t read_blocks(struct reading *r, bool *ret_done)
{
	size_t *which = arena_new_array(db_arena(r->db), size_t, r->waiting.count + 1);
	size_t count = list_blocks(r, which);
	err_t e = NULL;

	*ret_done = false;
	for (size_t i = 0, some; i < count && !e && !*ret_done; i += some) {
		some = next_blocks(r, &which[i], count - i);
		*ret_done = !some;
		e = offer_blocks(r, &which[i], some);
	}
	return e;
}

/* ---- all -------------------------------------------------------------------------------------------- */

static void free_arena(void *p)
{
	arena_free(p);
}

/* Reads first the part that is likely to fill the page: the rest is then not read. */
static err_t read_both(struct reading *r, bool *ret_more)
{
	bool is_up = r->ask->order == TOP_EARLIEST;
	bool has_near = false;
	bool has_far = false;
	err_t e = is_up ? read_chunks(r, &has_near) : read_blocks(r, &has_near);

	if (!e)
		e = is_up ? read_blocks(r, &has_far) : read_chunks(r, &has_far);
	*ret_more = has_near || has_far || r->top->is_cut;
	return e;
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
	err_t e;

	arena_defer(a, free_arena, r.scratch);
	e = db_begin_reading(db);
	if (e)
		return e;
	e = console_waiting_list(db, codec, ask->run_id, ask->writers, ask->writer_count,
				 &r.waiting);
	if (!e)
		e = read_both(&r, ret_more);
	db_rollback(db);
	if (e)
		return e;
	top_lines_sort(r.top);
	*ret_lines = r.top;
	return NULL;
}
