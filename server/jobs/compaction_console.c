#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "compaction.h"
#include "lines.h"

enum { CHUNKS_AT_ONCE = 64 };

static int64_t chunk_of(int64_t number)
{
	return number - number % LINES_PER_CHUNK;
}

/* All waiting lines of a writer, the later of two with one number. */
static err_t merge_writer(struct compaction *c, const struct pending_row *rows, size_t count,
			  struct lines *ret_lines)
{
	struct lines *blocks = arena_new_array(c->arena, struct lines, count);

	for (size_t i = 0; i < count; i++) {
		err_t e = lines_decode(c->codec, c->arena, rows[i].data, &blocks[i]);

		if (e)
			return e;
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

static void note_times(struct console_chunk *chunk, const struct lines *lines)
{
	chunk->time_first = INT64_MAX;
	chunk->time_last = INT64_MIN;
	for (uint32_t i = 0; i < lines->count; i++) {
		int64_t time_us = lines->items[i].time_us;

		if (time_us < chunk->time_first)
			chunk->time_first = time_us;
		if (time_us > chunk->time_last)
			chunk->time_last = time_us;
	}
}

static err_t save_chunk(struct compaction *c, int32_t writer, const struct lines *come,
			const struct console_chunk *stored)
{
	struct lines both[2] = { { 0 }, *come };
	struct buf *data = buf_new(c->arena);
	struct console_chunk made;
	struct lines merged;
	err_t e = NULL;

	if (stored)
		e = lines_decode(c->codec, c->scratch, stored->data, &both[0]);
	if (e)
		return e;
	lines_merge(c->scratch, both, 2, &merged);
	lines_encode(c->codec, &merged, data);
	made = (struct console_chunk){
		.writer = writer,
		.line_first = chunk_of(come->items[0].number),
		.line_count = (int32_t)merged.count,
		.seq_last = c->seq_last,
		.data = buf_str(data),
	};
	note_times(&made, &merged);
	c->consoles[c->console_count++] = made;
	c->new_consoles += stored ? 0 : 1;
	c->new_lines += (int64_t)merged.count - (int64_t)both[0].count;
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

static void make_room(struct compaction *c, size_t more)
{
	struct console_chunk *grown =
		arena_new_array(c->arena, struct console_chunk, c->console_count + more);

	if (c->console_count)
		memcpy(grown, c->consoles, c->console_count * sizeof(*grown));
	c->consoles = grown;
}

/* The stored chunks that some of the lines belong to; into the scratch. */
static err_t read_stored(struct compaction *c, int32_t writer, const struct lines *lines,
			 struct console_chunk **ret_stored, size_t *ret_count)
{
	struct console_chunk asked[CHUNKS_AT_ONCE];
	size_t count = 0;
	err_t e;

	for (uint32_t at = 0; at < lines->count; at += same_chunk(lines, at))
		asked[count++] =
			(struct console_chunk){ .writer = writer,
						.line_first = chunk_of(lines->items[at].number) };
	db_set_arena(c->db, c->scratch);
	e = series_store_console_chunks(c->db, c->run_id, asked, count, ret_stored, ret_count);
	db_set_arena(c->db, c->arena);
	return e;
}

/* Lines of at most CHUNKS_AT_ONCE chunks. */
static err_t compact_part(struct compaction *c, int32_t writer, const struct lines *lines)
{
	struct console_chunk *stored;
	size_t count;
	err_t e = read_stored(c, writer, lines, &stored, &count);

	for (uint32_t at = 0; at < lines->count && !e;) {
		struct lines part = { same_chunk(lines, at), lines->items + at };

		e = save_chunk(c, writer, &part,
			       find_stored(stored, count, chunk_of(part.items[0].number)));
		at += part.count;
	}
	return e;
}

/* From lines->items[from] on: how many are of the next chunks. */
static uint32_t next_part(const struct lines *lines, uint32_t from)
{
	uint32_t end = from;

	for (int chunks = 0; chunks < CHUNKS_AT_ONCE && end < lines->count; chunks++)
		end += same_chunk(lines, end);
	return end - from;
}

static size_t count_chunks(const struct lines *lines)
{
	size_t count = 0;

	for (uint32_t at = 0; at < lines->count; at += same_chunk(lines, at))
		count++;
	return count;
}

/* What is stored is read and put together in portions: a few lines may touch thousands of chunks. */
static err_t compact_writer(struct compaction *c, const struct pending_row *rows, size_t count)
{
	struct lines lines;
	err_t e = merge_writer(c, rows, count, &lines);

	if (e)
		return e;
	make_room(c, count_chunks(&lines));
	for (uint32_t at = 0; at < lines.count && !e;) {
		struct lines part = { next_part(&lines, at), lines.items + at };

		e = compact_part(c, rows[0].writer, &part);
		if (e)
			e = err_wrap(c->arena, e, "the console cannot be compacted");
		arena_reset(c->scratch);
		at += part.count;
	}
	return e;
}

err_t compaction_console(struct compaction *c)
{
	size_t lane;
	err_t e = NULL;

	for (size_t i = 0; i < c->pending_count && !e; i += lane) {
		lane = compaction_lane(c, i);
		if (c->pending[i].kind == STREAM_CONSOLE)
			e = compact_writer(c, &c->pending[i], lane);
	}
	return e;
}
