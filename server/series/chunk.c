/* Meta: kind, count, rows as ints, the form of the steps, steps as ints, values. */
#include "chunk.h"

#include <assert.h>

#include "arena.h"
#include "codec_parts.h"
#include "numbers.h"
#include "texts.h"
#include "int_column.h"

enum { KIND_NUMBERS, KIND_TEXTS };
enum { STEPS_BY_ROW, STEPS_PLAIN }; /* step - row, or step */

static uint32_t cost(const int64_t *ints, uint32_t count)
{
	uint32_t at[INT_COLUMN_SAMPLE];
	int64_t sample[INT_COLUMN_SAMPLE];
	uint32_t n = int_column_sample(count, at);

	for (uint32_t i = 0; i < n; i++)
		sample[i] = ints[at[i]];
	return int_column_cost(sample, n);
}

static void put_steps(struct codec *c, const struct chunk *chunk)
{
	int64_t *apart = codec_ints(&c->fields, chunk->count);

	for (uint32_t i = 0; i < chunk->count; i++)
		apart[i] = (int64_t)((uint64_t)chunk->steps[i] - (uint64_t)chunk->rows[i]);
	if (cost(apart, chunk->count) <= cost(chunk->steps, chunk->count)) {
		sections_add_byte(&c->sections, STEPS_BY_ROW);
		int_column_write(c, apart, chunk->count);
	} else {
		sections_add_byte(&c->sections, STEPS_PLAIN);
		int_column_write(c, chunk->steps, chunk->count);
	}
}

void chunk_encode(struct codec *c, const struct chunk *chunk, struct buf *out)
{
	assert(chunk->count > 0 && chunk->count <= CHUNK_VALUES);
	assert(!chunk->numbers != !chunk->texts);
	sections_add_byte(&c->sections, chunk->numbers ? KIND_NUMBERS : KIND_TEXTS);
	sections_add_varint(&c->sections, chunk->count);
	int_column_write(c, chunk->rows, chunk->count);
	put_steps(c, chunk);
	if (chunk->numbers)
		numbers_write(c, chunk->numbers, chunk->count);
	else
		texts_write(c, chunk->texts, chunk->count);
	frame_write(c, FRAME_CHUNK, out);
}

static bool get_rows_and_steps(struct sections_reader *r, uint32_t count, int64_t *rows,
			       int64_t *steps)
{
	unsigned how;

	if (!int_column_read(r, count, rows))
		return false;
	how = sections_byte(r);
	if (how > STEPS_PLAIN || !int_column_read(r, count, steps))
		return false;
	if (how == STEPS_PLAIN)
		return true;
	for (uint32_t i = 0; i < count; i++)
		steps[i] = (int64_t)((uint64_t)steps[i] + (uint64_t)rows[i]);
	return true;
}

static bool get_values(struct codec *c, struct arena *a, struct sections_reader *r, unsigned kind,
		       struct chunk *chunk)
{
	if (kind == KIND_NUMBERS) {
		double *numbers = arena_alloc(a, chunk->count * sizeof(*numbers));

		chunk->numbers = numbers;
		return numbers_read(c, r, chunk->count, numbers);
	}
	if (kind == KIND_TEXTS) {
		struct str *texts = arena_alloc(a, chunk->count * sizeof(*texts));

		chunk->texts = texts;
		return texts_read(c, r, a, chunk->count, texts);
	}
	return false;
}

err_t chunk_decode(struct codec *c, struct arena *a, struct str bytes, struct chunk *ret_chunk)
{
	struct sections_reader r;
	struct chunk chunk = { 0 };
	int64_t *rows;
	int64_t *steps;
	unsigned kind;
	err_t e = frame_read(c, a, FRAME_CHUNK, bytes, &r);

	if (e)
		return e;
	kind = sections_byte(&r);
	chunk.count = sections_count(&r, CHUNK_VALUES);
	rows = arena_alloc(a, (chunk.count + (size_t)1) * sizeof(*rows));
	steps = arena_alloc(a, (chunk.count + (size_t)1) * sizeof(*steps));
	chunk.rows = rows;
	chunk.steps = steps;
	if (chunk.count == 0 || !get_rows_and_steps(&r, chunk.count, rows, steps) ||
	    !get_values(c, a, &r, kind, &chunk) || !sections_done(&r))
		return frame_damaged(a, FRAME_CHUNK);
	*ret_chunk = chunk;
	return NULL;
}
