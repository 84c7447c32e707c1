#include "console_lines.h"

#include "arena.h"
#include "series_store.h"

static err_t decode_all(struct db *db, struct codec *codec, const struct console_row *rows,
			size_t count, struct lines *blocks)
{
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++)
		e = lines_decode(codec, db_arena(db), rows[i].data, &blocks[i]);
	return e;
}

/* When all chunks asked for came, there may be more: what the tail has behind them must wait. */
static int64_t complete_to(const struct console_row *rows, size_t count)
{
	size_t chunks = 0;

	while (chunks < count && rows[chunks].part == SERIES_CHUNK)
		chunks++;
	if (chunks < CONSOLE_WINDOW_CHUNKS)
		return INT64_MAX;
	return rows[chunks - 1].line_first + LINES_PER_CHUNK;
}

static void keep_between(struct lines *lines, int64_t from, int64_t to)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < lines->count; i++) {
		if (lines->items[i].number >= from && lines->items[i].number < to)
			lines->items[kept++] = lines->items[i];
	}
	lines->count = kept;
}

err_t console_lines_read(struct db *db, struct codec *codec, int64_t run_id, int32_t writer,
			 int64_t from, struct lines *ret_lines, int64_t *ret_next)
{
	struct console_row *rows;
	struct lines *blocks;
	size_t count;
	err_t e;

	e = series_store_read_console(db, run_id, writer, from, CONSOLE_WINDOW_CHUNKS, &rows,
				      &count);
	if (e)
		return e;
	blocks = arena_new_array(db_arena(db), struct lines, count);
	e = decode_all(db, codec, rows, count, blocks);
	if (e)
		return e;
	*ret_next = complete_to(rows, count);
	*ret_lines = (struct lines){ .count = 0 };
	if (count)
		lines_merge(db_arena(db), blocks, (uint32_t)count, ret_lines);
	keep_between(ret_lines, from, *ret_next);
	return NULL;
}
