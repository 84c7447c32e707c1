#include "compaction_chunks.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "chunk_layout.h"
#include "rollup.h"

/* ---- chunks that are written again ------------------------------------------------------------------ */

static int by_key(const void *key, const void *row)
{
	const struct open_values *x = key;
	const struct chunk_row *y = row;

	if (x->stream != y->stream)
		return x->stream - y->stream;
	if (x->writer != y->writer)
		return (x->writer > y->writer) - (x->writer < y->writer);
	if (x->key_id != y->key_id)
		return (x->key_id > y->key_id) - (x->key_id < y->key_id);
	return x->kind - y->kind;
}

/* The rows of the key: found[] has them one after the other. */
static void find_before(const struct chunk_row *found, size_t count, struct strand *s)
{
	const struct chunk_row *at = bsearch(&s->open, found, count, sizeof(found[0]), by_key);

	if (!at)
		return;
	while (at > found && by_key(&s->open, at - 1) == 0)
		at--;
	s->before = at;
	while (at < found + count && by_key(&s->open, at) == 0)
		at++;
	s->before_count = (size_t)(at - s->before);
}

static err_t read_before(struct compaction *c, struct strands *s)
{
	struct open_values *asked = arena_new_array(c->arena, struct open_values, s->count);
	struct chunk_row *found;
	size_t asked_count = 0;
	size_t count = 0;
	err_t e;

	c->replaced = arena_new_array(c->arena, struct open_values, s->count);
	for (size_t i = 0; i < s->count; i++) {
		if (s->at[i].open.next > 0 && s->at[i].open.from < s->at[i].open.next)
			asked[asked_count++] = s->at[i].open;
	}
	if (!asked_count)
		return NULL;
	e = chunk_store_open(c->db, c->run_id, asked, asked_count, &found, &count);
	if (e || !count)
		return e;
	for (size_t i = 0; i < s->count; i++) {
		find_before(found, count, &s->at[i]);
		if (s->at[i].before_count > 1)
			c->replaced[c->replaced_count++] = s->at[i].open;
	}
	return NULL;
}

/* ---- old and new values ------------------------------------------------------------------------------ */

/* The values of the existing chunks and the new ones, joined. */
struct values {
	int64_t index; /* of the first */
	size_t count;
	int64_t *rows;
	int64_t *steps;
	double *numbers;
	struct str *texts;
};

static struct values new_values(struct arena *a, bool numbers, size_t size)
{
	struct values v = {
		.rows = arena_alloc(a, size * sizeof(v.rows[0])),
		.steps = arena_alloc(a, size * sizeof(v.steps[0])),
	};

	if (numbers)
		v.numbers = arena_alloc(a, size * sizeof(v.numbers[0]));
	else
		v.texts = arena_alloc(a, size * sizeof(v.texts[0]));
	return v;
}

static void take_chunk(struct values *v, const struct chunk *chunk)
{
	memcpy(v->rows + v->count, chunk->rows, chunk->count * sizeof(v->rows[0]));
	memcpy(v->steps + v->count, chunk->steps, chunk->count * sizeof(v->steps[0]));
	if (v->numbers)
		memcpy(v->numbers + v->count, chunk->numbers, chunk->count * sizeof(v->numbers[0]));
	else
		memcpy(v->texts + v->count, chunk->texts, chunk->count * sizeof(v->texts[0]));
	v->count += chunk->count;
}

static void take_column(struct values *v, const struct strand *s)
{
	const struct block_column *column = s->column;
	uint32_t count = v->numbers ? column->number_count : column->text_count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = v->numbers ? block_number_row(column, i) : block_text_row(column, i);

		v->rows[v->count] = s->block->rows[at];
		v->steps[v->count] = s->block->steps[at];
		if (v->numbers)
			v->numbers[v->count++] = column->numbers[i];
		else
			v->texts[v->count++] = column->texts[i];
	}
}

static err_t collect(struct compaction *c, const struct strand *s, struct values *ret_values)
{
	bool numbers = s->open.kind == CHUNK_NUMBERS;
	uint32_t come = numbers ? s->column->number_count : s->column->text_count;
	struct chunk *before = arena_new_array(c->scratch, struct chunk, s->before_count);
	size_t there = 0;

	for (size_t i = 0; i < s->before_count; i++) {
		err_t e = chunk_decode(c->codec, c->scratch, s->before[i].data, &before[i]);

		if (e)
			return e;
		there += before[i].count;
	}
	*ret_values = new_values(c->scratch, numbers, there + come);
	ret_values->index = s->open.next - (int64_t)there;
	for (size_t i = 0; i < s->before_count; i++)
		take_chunk(ret_values, &before[i]);
	take_column(ret_values, s);
	if (numbers && ret_values->index != s->open.from)
		return err_new(c->arena, ERR_INTERNAL,
			       "run %lld: the chunks of key %d, writer %d have %lld values "
			       "before %lld, expected values up to %lld",
			       (long long)c->run_id, s->open.key_id, s->open.writer,
			       (long long)there, (long long)s->open.next, (long long)s->open.from);
	return NULL;
}

/* ---- encoding -------------------------------------------------------------------------------------- */

static uint32_t chunk_length(const struct values *v, size_t from)
{
	size_t left = v->count - from;
	size_t most = left < CHUNK_VALUES ? left : CHUNK_VALUES;
	size_t bytes = 0;
	size_t n = 0;

	if (v->numbers)
		return (uint32_t)chunk_layout_length(v->index + (int64_t)from,
						     v->index + (int64_t)v->count);
	while (n < most && (n == 0 || bytes < CHUNK_TEXT_BYTES))
		bytes += v->texts[from + n++].len;
	return (uint32_t)n;
}

/* Keeps the encoded bytes at their exact size: the compressor asks for much more. */
static struct str keep(struct compaction *c)
{
	struct str kept = { arena_copy(c->arena, c->bytes.at, c->bytes.len), c->bytes.len };

	buf_clear(&c->bytes);
	return kept;
}

static struct str encode_roll(struct compaction *c, const struct chunk *chunk, int64_t index)
{
	struct cell cells[CELLS_PER_CHUNK + 1] = { 0 };
	struct cell_values values = { chunk->count, chunk->rows, chunk->steps, chunk->numbers };
	uint32_t count;

	if (!chunk->numbers)
		return (struct str){ "", 0 };
	count = rollup_add(cells, (uint64_t)index, &values);
	rollup_encode(c->codec, cells, count, &c->bytes);
	return keep(c);
}

static void step_range(const struct chunk *chunk, int64_t *ret_min, int64_t *ret_max)
{
	*ret_min = *ret_max = chunk->steps[0];
	for (uint32_t i = 1; i < chunk->count; i++) {
		*ret_min = chunk->steps[i] < *ret_min ? chunk->steps[i] : *ret_min;
		*ret_max = chunk->steps[i] > *ret_max ? chunk->steps[i] : *ret_max;
	}
}

static void add_chunk(struct compaction *c, const struct strand *s, const struct chunk *chunk,
		      int64_t index)
{
	struct chunk_row row = {
		.stream = s->open.stream,
		.key_id = s->open.key_id,
		.kind = s->open.kind,
		.writer = s->open.writer,
	};

	if (c->chunk_count == c->chunk_size)
		c->chunks = arena_grow(c->arena, c->chunks, &c->chunk_size, sizeof(*c->chunks));
	chunk_encode(c->codec, chunk, &c->bytes);
	row.data = keep(c);
	row.index_first = index;
	row.value_count = (int32_t)chunk->count;
	row.row_first = chunk->rows[0];
	row.row_last = chunk->rows[chunk->count - 1];
	step_range(chunk, &row.step_min, &row.step_max);
	row.roll = encode_roll(c, chunk, index);
	c->chunks[c->chunk_count++] = row;
}

static err_t encode_strand(struct compaction *c, const struct strand *s)
{
	struct values v;
	err_t e;

	e = collect(c, s, &v);
	if (e)
		return e;
	for (size_t from = 0; from < v.count;) {
		uint32_t count = chunk_length(&v, from);
		struct chunk chunk = {
			.count = count,
			.rows = v.rows + from,
			.steps = v.steps + from,
			.numbers = v.numbers ? v.numbers + from : NULL,
			.texts = v.texts ? v.texts + from : NULL,
		};

		add_chunk(c, s, &chunk, v.index + (int64_t)from);
		from += count;
	}
	return NULL;
}

err_t compaction_chunks(struct compaction *c, struct strands *strands)
{
	err_t e;

	e = read_before(c, strands);
	for (size_t i = 0; !e && i < strands->count; i++) {
		e = encode_strand(c, &strands->at[i]);
		if (e)
			e = err_wrap(c->arena, e, "the series cannot be compacted");
		arena_reset(c->scratch);
	}
	return e;
}
