#include "lines.h"

#include <assert.h>
#include <stdlib.h>

#include "arena.h"
#include "codec_parts.h"
#include "texts.h"
#include "int_column.h"

/* A line and its position among all that came. */
struct numbered {
	const struct line *line;
	uint32_t position;
};

static int compare_numbered(const void *a, const void *b)
{
	const struct numbered *x = a;
	const struct numbered *y = b;

	if (x->line->number != y->line->number)
		return x->line->number < y->line->number ? -1 : 1;
	return (x->position > y->position) - (x->position < y->position);
}

static uint32_t count_lines(const struct lines *blocks, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += blocks[i].count;
	return n;
}

/* Sorts `n` lines in all, if some share a number or are in another order. */
static uint32_t sort_lines(struct arena *a, const struct lines *blocks, uint32_t count, uint32_t n,
			   struct line *out)
{
	struct numbered *all = arena_alloc(a, (n + (size_t)1) * sizeof(*all));
	uint32_t position = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < blocks[i].count; j++, position++)
			all[position] = (struct numbered){ &blocks[i].items[j], position };
	}
	qsort(all, n, sizeof(*all), compare_numbered);
	for (uint32_t i = 0; i < n; i++) {
		if (i + 1 == n || all[i + 1].line->number != all[i].line->number)
			out[kept++] = *all[i].line;
	}
	return kept;
}

/*
 * Joins lines as most programs write them: line after line, none again. Returns how many, or
 * UINT32_MAX: they are not.
 */
static uint32_t join_lines(const struct lines *blocks, uint32_t count, struct line *out)
{
	int64_t before = INT64_MIN;
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < blocks[i].count; j++) {
			if (blocks[i].items[j].number <= before)
				return UINT32_MAX;
			before = blocks[i].items[j].number;
			out[n++] = blocks[i].items[j];
		}
	}
	return n;
}

void lines_merge(struct arena *a, const struct lines *blocks, uint32_t count,
		 struct lines *ret_lines)
{
	uint32_t n = count_lines(blocks, count);
	struct line *out = arena_alloc(a, (n + (size_t)1) * sizeof(*out));
	uint32_t kept = join_lines(blocks, count, out);

	if (kept == UINT32_MAX)
		kept = sort_lines(a, blocks, count, n, out);
	*ret_lines = (struct lines){ kept, out };
}

void lines_arrive(struct lines *lines, int64_t arrival)
{
	for (uint32_t i = 0; i < lines->count; i++)
		lines->items[i].arrival = arrival;
}

int64_t line_position(const struct line *line, enum line_order by)
{
	return by == LINES_BY_TIME ? line->time_us : line->arrival;
}

void lines_span(const struct lines *lines, enum line_order by, int64_t *ret_first,
		int64_t *ret_last)
{
	*ret_first = INT64_MAX;
	*ret_last = INT64_MIN;
	for (uint32_t i = 0; i < lines->count; i++) {
		int64_t position = line_position(&lines->items[i], by);

		*ret_first = position < *ret_first ? position : *ret_first;
		*ret_last = position > *ret_last ? position : *ret_last;
	}
}

uint64_t lines_size(const struct lines *lines)
{
	uint64_t size = lines->count * sizeof(lines->items[0]);

	for (uint32_t i = 0; i < lines->count; i++)
		size += lines->items[i].text.len;
	return size;
}

enum { FIELD_NUMBER, FIELD_TIME, FIELD_STREAM, FIELD_ARRIVAL, FIELDS };

static int64_t field_of(const struct line *line, int field)
{
	switch (field) {
	case FIELD_NUMBER:
		return line->number;
	case FIELD_TIME:
		return line->time_us;
	case FIELD_ARRIVAL:
		return line->arrival;
	default:
		return (int64_t)line->stream;
	}
}

void lines_encode(struct codec *c, const struct lines *lines, struct buf *out)
{
	struct buf texts = { 0 };

	assert(lines->count <= LINES_MAX);
	sections_add_varint(&c->sections, lines->count);
	for (int f = 0; f < FIELDS; f++) {
		int64_t *column = codec_ints(&c->fields, lines->count);

		for (uint32_t i = 0; i < lines->count; i++)
			column[i] = field_of(&lines->items[i], f);
		int_column_write(c, column, lines->count);
	}
	for (uint32_t i = 0; i < lines->count; i++)
		buf_add(&texts, &lines->items[i].text, sizeof(struct str));
	texts_write(c, (const struct str *)(const void *)texts.at, lines->count);
	buf_free(&texts);
	frame_write(c, FRAME_LINES, out);
}

static void set_field(struct line *line, int field, int64_t value)
{
	if (field == FIELD_NUMBER)
		line->number = value;
	else if (field == FIELD_TIME)
		line->time_us = value;
	else if (field == FIELD_ARRIVAL)
		line->arrival = value;
	else
		line->stream = value == LINE_STDERR ? LINE_STDERR : LINE_STDOUT;
}

static bool get_fields(struct codec *c, struct sections_reader *r, struct lines *lines)
{
	for (int f = 0; f < FIELDS; f++) {
		int64_t *column = codec_ints(&c->fields, lines->count);

		if (!int_column_read(r, lines->count, column))
			return false;
		for (uint32_t i = 0; i < lines->count; i++)
			set_field(&lines->items[i], f, column[i]);
	}
	for (uint32_t i = 1; i < lines->count; i++) {
		if (lines->items[i].number <= lines->items[i - 1].number)
			return false;
	}
	return true;
}

static bool get_texts(struct codec *c, struct arena *a, struct sections_reader *r,
		      struct lines *lines)
{
	struct str *texts = arena_alloc(a, (lines->count + (size_t)1) * sizeof(*texts));

	if (!texts_read(c, r, a, lines->count, texts))
		return false;
	for (uint32_t i = 0; i < lines->count; i++)
		lines->items[i].text = texts[i];
	return true;
}

err_t lines_decode(struct codec *c, struct arena *a, struct str bytes, struct lines *ret_lines)
{
	struct sections_reader r;
	struct lines lines = { 0 };
	err_t e = frame_read(c, a, FRAME_LINES, bytes, &r);

	if (e)
		return e;
	lines.count = sections_count(&r, LINES_MAX);
	lines.items = arena_new_array(a, struct line, lines.count + 1);
	if (!get_fields(c, &r, &lines) || !get_texts(c, a, &r, &lines) || !sections_done(&r))
		return frame_damaged(a, FRAME_LINES);
	*ret_lines = lines;
	return NULL;
}
