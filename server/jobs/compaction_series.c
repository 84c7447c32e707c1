/*
 * All waiting blocks of one (stream, writer) become one block in memory; each of its columns is
 * then a strand that continues the key's chunks (compaction_chunks.c).
 */
#include <stdlib.h>

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

/*
 * Merges a lane's blocks into one: the waiting ones are limited in size,
 * so its cells are bounded too.
 */
static err_t merge_blocks(struct compaction *c, const struct pending_row *rows, size_t count,
			  struct block *ret_block)
{
	struct block *blocks = arena_new_array(c->arena, struct block, count);
	uint64_t cells = 0;

	for (size_t i = 0; i < count; i++) {
		struct block_ask ask = { .row_first = rows[i].row_first,
					 .last_step = rows[i].step_base };
		err_t e = block_decode(c->codec, c->arena, rows[i].data, &ask, &blocks[i]);

		if (e)
			return e;
		cells += block_cells(&blocks[i]);
		if (cells > BLOCK_MAX_CELLS)
			return err_new(c->arena, ERR_INTERNAL,
				       "run %lld: %llu values are waiting to be merged, more "
				       "than %d",
				       (long long)c->run_id, (unsigned long long)cells,
				       BLOCK_MAX_CELLS);
	}
	block_merge(c->arena, blocks, (uint32_t)count, ret_block);
	return NULL;
}

/* ---- key statistics ------------------------------------------------------------------------------ */

static int by_stream_and_writer(const void *a, const void *b)
{
	const struct stream_keys *x = a;
	const struct stream_keys *y = b;

	if (x->stream != y->stream)
		return x->stream - y->stream;
	return (x->writer > y->writer) - (x->writer < y->writer);
}

/* Reads the statistics so far of the lanes that wait, in their order. */
static err_t read_known(struct compaction *c, struct stream_keys **ret_known, size_t *ret_count)
{
	struct stream_keys *lanes = arena_new_array(c->arena, struct stream_keys, c->pending_count);
	size_t count = 0;

	for (size_t i = 0; i < c->pending_count; i += compaction_lane(c, i))
		lanes[count++] = (struct stream_keys){ .stream = c->pending[i].kind,
						       .writer = c->pending[i].writer };
	return chunk_store_list_keys(c->db, c->run_id, lanes, count, ret_known, ret_count);
}

static err_t find_known(struct compaction *c, const struct stream_keys *known, size_t count,
			const struct pending_row *who, struct key_stats *ret_stats)
{
	const struct stream_keys wanted = { .stream = who->kind, .writer = who->writer };
	const struct stream_keys *found = NULL;

	*ret_stats = (struct key_stats){ .count = 0 };
	if (count)
		found = bsearch(&wanted, known, count, sizeof(wanted), by_stream_and_writer);
	if (!found)
		return NULL;
	return key_stats_decode(c->codec, c->arena, found->document, ret_stats);
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

/* ---- lanes --------------------------------------------------------------------------------------- */

static void gather_lane(struct compaction *c, const struct pending_row *who,
			const struct block *block, const struct key_stats *known,
			struct strands *strands)
{
	for (uint32_t i = 0; i < block->column_count; i++)
		add_column(c, strands, who, block, &block->columns[i],
			   key_stats_find(known, block->columns[i].key_id));
	save_keys(c, who, block, known);
}

static err_t gather(struct compaction *c, struct strands *strands)
{
	struct stream_keys *known;
	size_t count;
	size_t lane;
	err_t e;

	e = read_known(c, &known, &count);
	c->keys = arena_new_array(c->arena, struct stream_keys, c->pending_count);
	for (size_t i = 0; i < c->pending_count && !e; i += lane) {
		struct block *block = arena_new_of(c->arena, struct block);
		struct key_stats stats;

		lane = compaction_lane(c, i);
		if (c->pending[i].kind == STREAM_CONSOLE)
			continue;
		e = merge_blocks(c, &c->pending[i], lane, block);
		if (!e)
			e = find_known(c, known, count, &c->pending[i], &stats);
		if (!e)
			gather_lane(c, &c->pending[i], block, &stats, strands);
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
