/*
 * All that waits of one (stream, writer) becomes one block in memory; each of its columns then
 * continues the key's last chunk, which is read again when it is not full.
 */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "block.h"
#include "buf.h"
#include "compaction.h"
#include "rollup.h"

/* One column of one writer: what is there and what comes. */
struct strand {
	struct chunk_row key; /* stream, key, kind, writer; index_first: values there are */
	const struct block *block;
	const struct block_column *column;
	struct chunk before; /* the chunk it continues; count 0: none */
	int64_t before_index;
};

struct strands {
	struct strand *at;
	size_t count;
	size_t size;
};

/* ---- gathering ----------------------------------------------------------------------------------- */

static void add_strand(struct compaction *c, struct strands *s, const struct strand *strand)
{
	if (s->count == s->size) {
		size_t size = s->size ? s->size * 2 : 64;
		struct strand *grown = arena_alloc(c->arena, size * sizeof(*grown));

		if (s->count)
			memcpy(grown, s->at, s->count * sizeof(*grown));
		s->at = grown;
		s->size = size;
	}
	s->at[s->count++] = *strand;
}

static void add_column(struct compaction *c, struct strands *s, const struct pending_row *who,
		       const struct block *block, const struct block_column *column,
		       const struct key_stat *known)
{
	struct strand strand = {
		.key = { .stream = who->kind,
			 .key_id = (int32_t)column->key_id,
			 .writer = who->writer },
		.block = block,
		.column = column,
	};

	if (column->number_count) {
		strand.key.kind = CHUNK_NUMBERS;
		strand.key.index_first = known ? (int64_t)known->number_count : 0;
		add_strand(c, s, &strand);
	}
	if (column->text_count) {
		strand.key.kind = CHUNK_TEXTS;
		strand.key.index_first = known ? (int64_t)known->text_count : 0;
		add_strand(c, s, &strand);
	}
}

static bool same_lane(const struct pending_row *a, const struct pending_row *b)
{
	return a->kind == b->kind && a->writer == b->writer;
}

/* The blocks of the writer's stream from pending[first] on, merged into one. */
static err_t merge_blocks(struct compaction *c, size_t first, struct block *ret_block)
{
	struct block *blocks = arena_new_array(c->arena, struct block, c->pending_count - first);
	uint32_t count = 0;

	for (size_t i = first; i < c->pending_count; i++) {
		const struct pending_row *row = &c->pending[i];
		struct block_ask ask = { .row_first = row->row_first, .last_step = row->step_base };
		err_t e;

		if (!same_lane(row, &c->pending[first]))
			continue;
		e = block_decode(c->codec, c->arena, row->data, &ask, &blocks[count++]);
		if (e)
			return e;
	}
	block_merge(c->arena, blocks, count, ret_block);
	return NULL;
}

static err_t find_known(struct compaction *c, const struct stream_keys *stored, size_t count,
			const struct pending_row *who, struct key_stats *ret_stats)
{
	*ret_stats = (struct key_stats){ .count = 0 };
	for (size_t i = 0; i < count; i++) {
		if (stored[i].stream == who->kind && stored[i].writer == who->writer)
			return key_stats_decode(c->codec, c->arena, stored[i].document, ret_stats);
	}
	return NULL;
}

static void save_keys(struct compaction *c, const struct pending_row *who,
		      const struct block *block, const struct key_stats *known)
{
	struct buf *document = buf_new(c->arena);
	struct key_stats come;
	struct key_stats sum;

	key_stats_of_block(c->arena, block, &come);
	key_stats_merge(c->arena, known, &come, &sum);
	key_stats_encode(c->codec, &sum, document);
	c->keys[c->key_count++] = (struct stream_keys){
		.stream = who->kind,
		.writer = who->writer,
		.document = buf_str(document),
	};
}

static err_t gather_lane(struct compaction *c, size_t first, const struct stream_keys *stored,
			 size_t count, struct strands *strands)
{
	const struct pending_row *who = &c->pending[first];
	struct block *block = arena_new_of(c->arena, struct block);
	struct key_stats known;
	err_t e;

	e = merge_blocks(c, first, block);
	if (!e)
		e = find_known(c, stored, count, who, &known);
	if (e)
		return e;
	for (uint32_t i = 0; i < block->column_count; i++)
		add_column(c, strands, who, block, &block->columns[i],
			   key_stats_find(&known, block->columns[i].key_id));
	save_keys(c, who, block, &known);
	return NULL;
}

static bool is_first_of_lane(const struct compaction *c, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (same_lane(&c->pending[i], &c->pending[at]))
			return false;
	}
	return true;
}

static err_t gather(struct compaction *c, struct strands *strands)
{
	struct stream_keys *stored;
	size_t count;
	err_t e;

	e = series_store_list_keys(c->db, c->run_id, &stored, &count);
	if (e)
		return e;
	c->keys = arena_new_array(c->arena, struct stream_keys, c->pending_count);
	for (size_t i = 0; i < c->pending_count && !e; i++) {
		if (c->pending[i].kind == STREAM_CONSOLE || !is_first_of_lane(c, i))
			continue;
		e = gather_lane(c, i, stored, count, strands);
	}
	return e;
}

/* ---- chunks that are not full ---------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	const struct chunk_row *x = a;
	const struct chunk_row *y = b;

	if (x->stream != y->stream)
		return x->stream - y->stream;
	if (x->writer != y->writer)
		return (x->writer > y->writer) - (x->writer < y->writer);
	if (x->key_id != y->key_id)
		return (x->key_id > y->key_id) - (x->key_id < y->key_id);
	return x->kind - y->kind;
}

static bool may_continue(const struct chunk_row *key)
{
	if (key->kind == CHUNK_NUMBERS)
		return key->index_first % CHUNK_VALUES != 0;
	return key->index_first != 0;
}

static err_t read_partial(struct compaction *c, struct strands *s)
{
	struct chunk_row *asked = arena_new_array(c->arena, struct chunk_row, s->count);
	struct chunk_row *found;
	size_t asked_count = 0;
	size_t count = 0;
	err_t e;

	for (size_t i = 0; i < s->count; i++) {
		if (may_continue(&s->at[i].key))
			asked[asked_count++] = s->at[i].key;
	}
	if (!asked_count)
		return NULL;
	e = series_store_partial(c->db, c->run_id, asked, asked_count, &found, &count);
	if (e)
		return e;
	if (count)
		qsort(found, count, sizeof(found[0]), by_key);
	for (size_t i = 0; i < s->count && count && !e; i++) {
		const struct chunk_row *row =
			bsearch(&s->at[i].key, found, count, sizeof(found[0]), by_key);

		if (!row || !may_continue(&s->at[i].key))
			continue;
		s->at[i].before_index = row->index_first;
		e = chunk_decode(c->codec, c->arena, row->data, &s->at[i].before);
	}
	return e;
}

/* ---- encoding -------------------------------------------------------------------------------------- */

/* What was in the chunk before and what comes, in one. */
struct values {
	size_t count;
	int64_t *rows;
	int64_t *steps;
	double *numbers;
	struct str *texts;
};

static void take_before(struct values *v, const struct chunk *before)
{
	if (!before->count)
		return;
	memcpy(v->rows, before->rows, before->count * sizeof(v->rows[0]));
	memcpy(v->steps, before->steps, before->count * sizeof(v->steps[0]));
	if (v->numbers)
		memcpy(v->numbers, before->numbers, before->count * sizeof(v->numbers[0]));
	else
		memcpy(v->texts, before->texts, before->count * sizeof(v->texts[0]));
	v->count = before->count;
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

static void collect(struct compaction *c, const struct strand *s, struct values *ret_values)
{
	bool numbers = s->key.kind == CHUNK_NUMBERS;
	size_t size = s->before.count + (numbers ? s->column->number_count : s->column->text_count);
	struct values v = {
		.rows = arena_alloc(c->arena, size * sizeof(v.rows[0])),
		.steps = arena_alloc(c->arena, size * sizeof(v.steps[0])),
	};

	if (numbers)
		v.numbers = arena_alloc(c->arena, size * sizeof(v.numbers[0]));
	else
		v.texts = arena_alloc(c->arena, size * sizeof(v.texts[0]));
	take_before(&v, &s->before);
	take_column(&v, s);
	*ret_values = v;
}

static uint32_t chunk_length(const struct values *v, size_t from)
{
	size_t left = v->count - from;
	size_t most = left < CHUNK_VALUES ? left : CHUNK_VALUES;
	size_t bytes = 0;
	size_t n = 0;

	if (v->numbers)
		return (uint32_t)most;
	while (n < most && (n == 0 || bytes < CHUNK_TEXT_BYTES))
		bytes += v->texts[from + n++].len;
	return (uint32_t)n;
}

static struct str encode_roll(struct compaction *c, const struct chunk *chunk, int64_t index)
{
	struct cell cells[CELLS_PER_CHUNK + 1] = { 0 };
	struct cell_values values = { chunk->count, chunk->rows, chunk->steps, chunk->numbers };
	struct buf *out = buf_new(c->arena);
	uint32_t count;

	if (!chunk->numbers)
		return (struct str){ "", 0 };
	count = rollup_add(cells, (uint64_t)index, &values);
	rollup_encode(c->codec, cells, count, out);
	return buf_str(out);
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
	struct buf *data = buf_new(c->arena);
	struct chunk_row row = s->key;

	if (c->chunk_count == c->chunk_size) {
		size_t size = c->chunk_size ? c->chunk_size * 2 : 64;
		struct chunk_row *grown = arena_alloc(c->arena, size * sizeof(*grown));

		if (c->chunk_count)
			memcpy(grown, c->chunks, c->chunk_count * sizeof(*grown));
		c->chunks = grown;
		c->chunk_size = size;
	}
	chunk_encode(c->codec, chunk, data);
	row.index_first = index;
	row.value_count = (int32_t)chunk->count;
	row.row_first = chunk->rows[0];
	row.row_last = chunk->rows[chunk->count - 1];
	step_range(chunk, &row.step_min, &row.step_max);
	row.roll = encode_roll(c, chunk, index);
	row.data = buf_str(data);
	c->chunks[c->chunk_count++] = row;
}

static void encode_strand(struct compaction *c, const struct strand *s)
{
	int64_t index = s->before.count ? s->before_index : s->key.index_first;
	struct values v;

	collect(c, s, &v);
	for (size_t from = 0; from < v.count;) {
		uint32_t count = chunk_length(&v, from);
		struct chunk chunk = {
			.count = count,
			.rows = v.rows + from,
			.steps = v.steps + from,
			.numbers = v.numbers ? v.numbers + from : NULL,
			.texts = v.texts ? v.texts + from : NULL,
		};

		add_chunk(c, s, &chunk, index);
		index += count;
		from += count;
	}
}

err_t compaction_series(struct compaction *c)
{
	struct strands strands = { .count = 0 };
	err_t e;

	e = gather(c, &strands);
	if (!e)
		e = read_partial(c, &strands);
	if (e)
		return e;
	for (size_t i = 0; i < strands.count; i++)
		encode_strand(c, &strands.at[i]);
	return NULL;
}
