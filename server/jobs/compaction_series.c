/*
 * All that waits of one (stream, writer) becomes one block in memory; each of its columns is then a
 * strand that continues the key's chunks (compaction_chunks.c).
 */
#include "arena.h"
#include "buf.h"
#include "chunk_layout.h"
#include "compaction_chunks.h"

static void add_strand(struct compaction *c, struct strands *s, const struct strand *strand)
{
	if (s->count == s->size)
		s->at = arena_grow(c->arena, s->at, &s->size, sizeof(*s->at));
	s->at[s->count++] = *strand;
}

static void add_column(struct compaction *c, struct strands *s, const struct pending_row *who,
		       const struct block *block, const struct block_column *column,
		       const struct key_stat *known)
{
	struct strand strand = {
		.open = { .stream = who->kind,
			  .key_id = (int32_t)column->key_id,
			  .writer = who->writer },
		.block = block,
		.column = column,
	};

	if (column->number_count) {
		strand.open.kind = CHUNK_NUMBERS;
		strand.open.next = known ? (int64_t)known->number_count : 0;
		strand.open.from = chunk_layout_from(strand.open.next, column->number_count);
		add_strand(c, s, &strand);
	}
	if (column->text_count) {
		strand.open.kind = CHUNK_TEXTS;
		strand.open.next = known ? (int64_t)known->text_count : 0;
		strand.open.from = strand.open.next - (CHUNK_VALUES - 1);
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

err_t compaction_series(struct compaction *c)
{
	struct strands strands = { .count = 0 };
	err_t e;

	e = gather(c, &strands);
	if (e)
		return e;
	return compaction_chunks(c, &strands);
}
