#include "console_tail.h"

#include <stdlib.h>

#include "arena.h"
#include "console_store.h"
#include "tail_store.h"

static err_t read_writer(struct db *db, struct codec *codec, const struct pending_row *rows,
			 size_t count, struct tail_lines *of_writer)
{
	struct arena *a = db_arena(db);
	struct lines *blocks = arena_new_array(a, struct lines, count);

	for (size_t i = 0; i < count; i++) {
		err_t e = lines_decode(codec, a, rows[i].data, &blocks[i]);

		if (e)
			return e;
		lines_arrive(&blocks[i], rows[i].seq);
	}
	of_writer->writer = rows[0].writer;
	lines_merge(a, blocks, (uint32_t)count, &of_writer->lines);
	return NULL;
}

err_t console_tail_read(struct db *db, struct codec *codec, int64_t run_id, const int32_t *writers,
			size_t writer_count, struct console_tail *ret_tail)
{
	struct console_tail tail = { 0 };
	struct pending_row *rows;
	size_t count;
	size_t end;
	err_t e;

	e = console_store_tail(db, run_id, writers, writer_count, &rows, &count);
	if (e)
		return e;
	tail.writers = arena_new_array(db_arena(db), struct tail_lines, count);
	for (size_t i = 0; i < count && !e; i = end) {
		for (end = i + 1; end < count && rows[end].writer == rows[i].writer;)
			end++;
		e = read_writer(db, codec, &rows[i], end - i, &tail.writers[tail.count++]);
	}
	*ret_tail = tail;
	return e;
}

static int by_writer(const void *a, const void *b)
{
	int32_t x = ((const struct tail_lines *)a)->writer;
	int32_t y = ((const struct tail_lines *)b)->writer;

	return (x > y) - (x < y);
}

const struct lines *console_tail_of(const struct console_tail *tail, int32_t writer)
{
	const struct tail_lines wanted = { .writer = writer };
	const struct tail_lines *found = NULL;

	if (tail->count)
		found = bsearch(&wanted, tail->writers, tail->count, sizeof(wanted), by_writer);
	return found ? &found->lines : NULL;
}

/* The first line with that number or a greater one. */
static uint32_t index_of(const struct lines *lines, int64_t number)
{
	uint32_t low = 0;
	uint32_t high = lines->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (lines->items[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool console_tail_touches(const struct lines *lines, int64_t first, int64_t last)
{
	uint32_t index = lines ? index_of(lines, first) : 0;

	return lines && index < lines->count && lines->items[index].number <= last;
}

bool console_tail_has(const struct lines *lines, int64_t number)
{
	return console_tail_touches(lines, number, number);
}
