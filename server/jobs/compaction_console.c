#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "compaction.h"
#include "lines.h"

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

static err_t save_chunk(struct compaction *c, int32_t writer, const struct lines *come,
			const struct console_chunk *stored)
{
	struct lines both[2] = { { 0 }, *come };
	struct buf *data = buf_new(c->arena);
	struct lines merged;
	err_t e = NULL;

	if (stored)
		e = lines_decode(c->codec, c->arena, stored->data, &both[0]);
	if (e)
		return e;
	lines_merge(c->arena, both, 2, &merged);
	lines_encode(c->codec, &merged, data);
	c->consoles[c->console_count++] = (struct console_chunk){
		.writer = writer,
		.line_first = chunk_of(come->items[0].number),
		.line_count = (int32_t)merged.count,
		.seq_last = c->seq_last,
		.data = buf_str(data),
	};
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

static err_t compact_writer(struct compaction *c, const struct pending_row *rows, size_t count)
{
	int32_t writer = rows[0].writer;
	struct console_chunk *asked;
	struct console_chunk *stored;
	size_t asked_count = 0;
	size_t stored_count;
	struct lines lines;
	err_t e;

	e = merge_writer(c, rows, count, &lines);
	if (e)
		return e;
	asked = arena_new_array(c->arena, struct console_chunk, lines.count);
	for (uint32_t at = 0; at < lines.count; at += same_chunk(&lines, at))
		asked[asked_count++] =
			(struct console_chunk){ .writer = writer,
						.line_first = chunk_of(lines.items[at].number) };
	e = series_store_console_chunks(c->db, c->run_id, asked, asked_count, &stored,
					&stored_count);
	if (e)
		return e;
	make_room(c, asked_count);
	for (uint32_t at = 0; at < lines.count && !e;) {
		struct lines part = { same_chunk(&lines, at), lines.items + at };

		e = save_chunk(c, writer, &part,
			       find_stored(stored, stored_count, chunk_of(part.items[0].number)));
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
