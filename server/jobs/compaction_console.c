/*
 * A few rewritten lines may touch thousands of chunks, so chunks are read, merged and saved in
 * portions of about so many bytes, all of them in the transaction that saves the rest: memory does
 * not grow with the number of chunks touched.
 */
#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "compaction.h"
#include "console_store.h"
#include "line_spread.h"
#include "lines.h"

enum { CHUNKS_FIRST = 4, CHUNKS_AT_ONCE = 64, PORTION_BYTES = 4 << 20, SCRATCH_BYTES = 1 << 20 };

/* Some chunks of a writer, ascending. */
struct portion {
	struct compaction *of;
	int32_t writer;
	struct arena *arena;   /* of the portion */
	struct arena *scratch; /* of one chunk */
	size_t most;           /* chunks that the next one may have */
	struct console_chunk at[CHUNKS_AT_ONCE];
	size_t count;
	size_t bytes;
};

static int64_t chunk_of(int64_t number)
{
	return number - number % LINES_PER_CHUNK;
}

/* All waiting lines of a writer; if two have one number, the later one. */
static err_t merge_writer(struct compaction *c, const struct pending_row *rows, size_t count,
			  struct lines *ret_lines)
{
	struct lines *blocks = arena_new_array(c->arena, struct lines, count);

	for (size_t i = 0; i < count; i++) {
		err_t e = lines_decode(c->codec, c->arena, rows[i].data, &blocks[i]);

		if (e)
			return e;
		lines_arrive(&blocks[i], rows[i].seq);
	}
	lines_merge(c->arena, blocks, (uint32_t)count, ret_lines);
	return NULL;
}

/* Lines of one stored chunk from lines->items[from] on; returns how many. */
static uint32_t same_chunk(const struct lines *lines, uint32_t from)
{
	uint32_t count = 0;

	while (from + count < lines->count &&
	       chunk_of(lines->items[from + count].number) == chunk_of(lines->items[from].number))
		count++;
	return count;
}

static void note_spans(struct console_chunk *chunk, const struct lines *lines)
{
	lines_span(lines, LINES_BY_TIME, &chunk->time_first, &chunk->time_last);
	lines_span(lines, LINES_BY_ARRIVAL, &chunk->arrival_first, &chunk->arrival_last);
}

static struct str spread_of(struct portion *p, const struct console_chunk *chunk,
			    const struct lines *lines)
{
	struct buf *bytes = buf_new(p->arena);
	struct line_spread spread;

	line_spread_make(lines, chunk->time_first, chunk->time_last, &spread);
	line_spread_write(&spread, bytes);
	return buf_str(bytes);
}

static err_t make_chunk(struct portion *p, const struct lines *come,
			const struct console_chunk *stored)
{
	struct lines both[2] = { { 0 }, *come };
	struct buf *data = buf_new(p->arena);
	struct console_chunk made;
	struct lines merged;
	err_t e = NULL;

	if (stored)
		e = lines_decode(p->of->codec, p->scratch, stored->data, &both[0]);
	if (e)
		return e;
	lines_merge(p->scratch, both, 2, &merged);
	lines_encode(p->of->codec, &merged, data);
	made = (struct console_chunk){
		.writer = p->writer,
		.line_first = chunk_of(come->items[0].number),
		.line_count = (int32_t)merged.count,
		.seq_last = p->of->seq_last,
		.data = buf_str(data),
	};
	note_spans(&made, &merged);
	made.spread = spread_of(p, &made, &merged);
	p->at[p->count++] = made;
	p->bytes += made.data.len;
	p->of->new_consoles += stored ? 0 : 1;
	p->of->new_lines += (int64_t)merged.count - (int64_t)both[0].count;
	arena_reset(p->scratch);
	return NULL;
}

static int by_line(const void *a, const void *b)
{
	int64_t x = ((const struct console_chunk *)a)->line_first;
	int64_t y = ((const struct console_chunk *)b)->line_first;

	return (x > y) - (x < y);
}

static const struct console_chunk *find_stored(const struct console_chunk *stored, size_t count,
					       int64_t line_first)
{
	const struct console_chunk wanted = { .line_first = line_first };

	return count ? bsearch(&wanted, stored, count, sizeof(wanted), by_line) : NULL;
}

/* The stored chunks that some of the lines belong to. */
static err_t read_stored(struct portion *p, const struct lines *lines,
			 struct console_chunk **ret_stored, size_t *ret_count)
{
	struct console_chunk asked[CHUNKS_AT_ONCE];
	size_t count = 0;

	for (uint32_t at = 0; at < lines->count; at += same_chunk(lines, at))
		asked[count++] =
			(struct console_chunk){ .writer = p->writer,
						.line_first = chunk_of(lines->items[at].number) };
	return console_store_chunks(p->of->db, p->of->run_id, asked, count, ret_stored, ret_count);
}

static err_t fill(struct portion *p, const struct lines *lines)
{
	struct console_chunk *stored;
	size_t count;
	err_t e = read_stored(p, lines, &stored, &count);

	p->count = p->bytes = 0;
	for (uint32_t at = 0; at < lines->count && !e;) {
		struct lines part = { same_chunk(lines, at), lines->items + at };

		e = make_chunk(p, &part,
			       find_stored(stored, count, chunk_of(part.items[0].number)));
		at += part.count;
	}
	return e;
}

/* Sets how many chunks as large as these the next portion takes. */
static void measure(struct portion *p)
{
	size_t fit = PORTION_BYTES / (p->bytes / p->count + 1);

	p->most = fit < 1 ? 1 : fit > CHUNKS_AT_ONCE ? CHUNKS_AT_ONCE : fit;
}

static err_t save(struct portion *p, const struct lines *lines)
{
	struct compaction *c = p->of;
	err_t e;

	db_set_arena(c->db, p->arena);
	e = fill(p, lines);
	if (!e)
		e = console_store_save(c->db, c->run_id, p->at, p->count);
	db_set_arena(c->db, c->arena);
	if (e)
		return err_wrap(c->arena, e, "cannot compact the console");
	measure(p);
	arena_reset(p->arena);
	return NULL;
}

/* From lines->items[from] on: how many are of the next chunks. */
static uint32_t next_part(const struct lines *lines, uint32_t from, size_t chunks)
{
	uint32_t end = from;

	for (size_t i = 0; i < chunks && end < lines->count; i++)
		end += same_chunk(lines, end);
	return end - from;
}

static err_t compact_writer(struct portion *p, const struct pending_row *rows, size_t count)
{
	struct lines lines;
	err_t e = merge_writer(p->of, rows, count, &lines);

	p->writer = rows[0].writer;
	for (uint32_t at = 0; !e && at < lines.count;) {
		struct lines part = { next_part(&lines, at, p->most), lines.items + at };

		e = save(p, &part);
		at += part.count;
	}
	return e;
}

err_t compaction_console(struct compaction *c)
{
	struct portion p = { .of = c,
			     .arena = arena_new_beside(c->arena, SCRATCH_BYTES),
			     .scratch = arena_new_beside(c->arena, SCRATCH_BYTES),
			     .most = CHUNKS_FIRST };
	size_t lane;
	err_t e = NULL;

	for (size_t i = 0; i < c->pending_count && !e; i += lane) {
		lane = compaction_lane(c, i);
		if (c->pending[i].kind == STREAM_CONSOLE)
			e = compact_writer(&p, &c->pending[i], lane);
	}
	arena_free(p.scratch);
	arena_free(p.arena);
	return e;
}
