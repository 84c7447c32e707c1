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

/* All waiting lines of the writer of pending[first], the later of two with one number. */
static err_t merge_writer(struct compaction *c, size_t first, struct lines *ret_lines)
{
	struct lines *blocks = arena_new_array(c->arena, struct lines, c->pending_count - first);
	uint32_t count = 0;

	for (size_t i = first; i < c->pending_count; i++) {
		err_t e;

		if (c->pending[i].kind != STREAM_CONSOLE ||
		    c->pending[i].writer != c->pending[first].writer)
			continue;
		e = lines_decode(c->codec, c->arena, c->pending[i].data, &blocks[count++]);
		if (e)
			return e;
	}
	lines_merge(c->arena, blocks, count, ret_lines);
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
		.seq_last = c->pending[c->pending_count - 1].seq,
		.data = buf_str(data),
	};
	return NULL;
}

static const struct console_chunk *find_stored(const struct console_chunk *stored, size_t count,
					       int64_t line_first)
{
	for (size_t i = 0; i < count; i++) {
		if (stored[i].line_first == line_first)
			return &stored[i];
	}
	return NULL;
}

static void make_room(struct compaction *c, size_t more)
{
	struct console_chunk *grown =
		arena_new_array(c->arena, struct console_chunk, c->console_count + more);

	if (c->console_count)
		memcpy(grown, c->consoles, c->console_count * sizeof(*grown));
	c->consoles = grown;
}

static err_t compact_writer(struct compaction *c, size_t first)
{
	int32_t writer = c->pending[first].writer;
	struct console_chunk *asked;
	struct console_chunk *stored;
	size_t asked_count = 0;
	size_t stored_count;
	struct lines lines;
	err_t e;

	e = merge_writer(c, first, &lines);
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

static bool is_first_of_writer(const struct compaction *c, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (c->pending[i].kind == STREAM_CONSOLE &&
		    c->pending[i].writer == c->pending[at].writer)
			return false;
	}
	return true;
}

err_t compaction_console(struct compaction *c)
{
	err_t e = NULL;

	for (size_t i = 0; i < c->pending_count && !e; i++) {
		if (c->pending[i].kind == STREAM_CONSOLE && is_first_of_writer(c, i))
			e = compact_writer(c, i);
	}
	return e;
}
