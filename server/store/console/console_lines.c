#include "console_lines.h"

#include "arena.h"
#include "console_store.h"
#include "series_store.h"

enum { SCRATCH_BYTES = 256 << 10 };

/* For each size: how many chunks, and how much of the tail, decoded. */
static const struct {
	int64_t chunks;
	int64_t bytes;
} windows[] = {
	[CONSOLE_SMALL_WINDOWS] = { 2, 256 << 10 },
	[CONSOLE_LARGE_WINDOWS] = { 16, 4 << 20 },
};

/* The number of rows before the one that only gives the end of the window, if there is one. */
static size_t count_blocks(const struct console_row *rows, size_t count)
{
	return count && rows[count - 1].part == CONSOLE_LATER ? count - 1 : count;
}

static err_t decode_all(struct db *db, struct codec *codec, const struct console_row *rows,
			size_t count, struct lines *blocks)
{
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++) {
		e = lines_decode(codec, db_arena(db), rows[i].data, &blocks[i]);
		if (!e && rows[i].part == SERIES_BLOCK)
			lines_arrive(&blocks[i], rows[i].seq);
	}
	return e;
}

/* If as many chunks came as were asked for, there may be more: lines after them must wait. */
static int64_t complete_to(const struct console_row *rows, size_t count, int64_t asked)
{
	int64_t end = INT64_MAX;
	size_t chunks = 0;

	while (chunks < count && rows[chunks].part == SERIES_CHUNK)
		chunks++;
	if ((int64_t)chunks == asked)
		end = rows[chunks - 1].line_first + LINES_PER_CHUNK;
	if (count > count_blocks(rows, count) && rows[count - 1].line_first < end)
		end = rows[count - 1].line_first;
	return end;
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

err_t console_lines_read(struct db *db, struct codec *codec, const struct console_scan *scan,
			 struct lines *ret_lines, int64_t *ret_next)
{
	const struct console_window window = { scan->run_id, scan->writer, scan->from,
					       windows[scan->windows].chunks,
					       windows[scan->windows].bytes };
	struct console_row *rows;
	struct lines *blocks;
	size_t count;
	size_t block_count;
	err_t e;

	e = console_store_read(db, &window, &rows, &count);
	if (e)
		return e;
	block_count = count_blocks(rows, count);
	blocks = arena_new_array(db_arena(db), struct lines, block_count);
	e = decode_all(db, codec, rows, block_count, blocks);
	if (e)
		return e;
	*ret_next = complete_to(rows, count, window.chunks);
	*ret_lines = (struct lines){ .count = 0 };
	if (block_count)
		lines_merge(db_arena(db), blocks, (uint32_t)block_count, ret_lines);
	keep_between(ret_lines, scan->from, *ret_next);
	return NULL;
}

/* ---- the last lines ------------------------------------------------------------------------------- */

/* The numbers of the lines that were seen last, in a ring. */
struct last_numbers {
	int64_t *numbers;
	int64_t size;
	int64_t seen;
};

static void note_lines(struct last_numbers *last, const struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		last->numbers[last->seen++ % last->size] = lines->items[i].number;
}

static err_t note_all_from(struct db *db, struct codec *codec, struct console_scan scan,
			   struct last_numbers *last)
{
	struct arena *a = db_arena(db);
	struct arena *scratch = arena_new_beside(a, SCRATCH_BYTES);
	err_t e = NULL;

	while (!e && scan.from != INT64_MAX) {
		struct lines lines;
		int64_t next;

		db_set_arena(db, scratch);
		e = console_lines_read(db, codec, &scan, &lines, &next);
		db_set_arena(db, a);
		if (e) {
			e = err_wrap(a, e, "cannot read the console");
		} else {
			note_lines(last, &lines);
			scan.from = next;
		}
		arena_reset(scratch);
	}
	arena_free(scratch);
	return e;
}

/* The line from which on blocks that share none have so many lines; 0: they do not show it. */
static int64_t lines_before(const struct console_block *blocks, size_t block_count, int64_t count)
{
	int64_t end = INT64_MAX;
	int64_t lines = 0;

	for (size_t i = 0; i < block_count; i++) {
		if (blocks[i].line_last >= end)
			continue;
		end = blocks[i].line_first;
		lines += blocks[i].line_count;
		if (lines >= count)
			return end;
	}
	return 0;
}

/*
 * Finds a line from which on there are certainly `count` lines, in chunks only or in the tail only.
 */
static err_t find_enough(struct db *db, struct console_scan *scan, int64_t count)
{
	struct console_block *blocks;
	size_t block_count;
	int64_t from;
	err_t e;

	e = console_store_line_before(db, scan->run_id, scan->writer, count, &scan->from);
	if (!e)
		e = console_store_blocks(db, scan->run_id, scan->writer, count, &blocks,
					 &block_count);
	if (e)
		return e;
	from = lines_before(blocks, block_count, count);
	scan->from = from > scan->from ? from : scan->from;
	return NULL;
}

err_t console_lines_last(struct db *db, struct codec *codec, const struct console_scan *writer,
			 int64_t count, int64_t *ret_from)
{
	struct console_scan scan = *writer;
	struct last_numbers last = { .size = count };
	err_t e = find_enough(db, &scan, count);

	if (e)
		return e;
	last.numbers = arena_new_array(db_arena(db), int64_t, (size_t)count);
	e = note_all_from(db, codec, scan, &last);
	if (!e)
		*ret_from = last.seen < count ? 0 : last.numbers[last.seen % count];
	return e;
}
