/*
 * Blocks to bytes. In the meta section: rows, columns, how the rows are numbered, the steps, then for
 * each column its key id (as difference to the one before), how its cells are spread, its numbers,
 * its texts.
 *
 * Cells of a column that some rows lack are given by the list of its rows, as integers: evenly spread
 * rows take no bytes. Rejected: bitmaps; they save little on top of the compressor, and a wide and
 * sparse request would need rows times columns bits.
 */
#include "block.h"

#include <assert.h>

#include "block_parts.h"
#include "codec_parts.h"
#include "json_rows.h"
#include "numbers.h"
#include "pack.h"
#include "texts.h"
#include "int_column.h"

static uint64_t column_size(const struct block_column *column)
{
	uint64_t size = column->number_count * (sizeof(double) + sizeof(uint32_t)) +
			column->text_count * (sizeof(struct str) + sizeof(uint32_t));

	for (uint32_t i = 0; i < column->text_count; i++)
		size += column->texts[i].len;
	return size;
}

static void measure_columns(const struct block *block, struct block_facts *f)
{
	f->size_bytes = block->row_count * (sizeof(block->rows[0]) + sizeof(block->steps[0]));
	for (uint32_t i = 0; i < block->column_count; i++) {
		const struct block_column *column = &block->columns[i];

		if (column->key_id == BLOCK_KEY_NONE)
			continue;
		f->point_count += column->number_count + (uint64_t)column->text_count;
		f->size_bytes += sizeof(*column) + column_size(column);
	}
}

static void measure(const struct block *block, struct block_facts *f)
{
	*f = (struct block_facts){
		.row_count = block->row_count, .step_top = -1, .step_min = -1, .step_max = -1
	};
	measure_columns(block, f);
	for (uint32_t i = block->row_count; i-- > 0;) {
		int64_t step = block->steps[i];

		if (step == BLOCK_STEP_NONE) {
			f->assigned++;
			continue;
		}
		if (step + f->assigned > f->step_top)
			f->step_top = step + f->assigned;
		if (step > f->step_max)
			f->step_max = step;
		if (step < f->step_min || f->step_min < 0)
			f->step_min = step;
	}
}

/* Numbers of the rows, relative to the first; NULL: one after the other. */
static void put_rows(struct codec *c, const int64_t *rows, uint32_t count)
{
	int64_t *offsets;

	if (!rows || count == 0 || rows[count - 1] - rows[0] == (int64_t)count - 1) {
		sections_add_byte(&c->sections, ROWS_IN_SEQUENCE);
		return;
	}
	sections_add_byte(&c->sections, ROWS_LISTED);
	offsets = codec_ints(&c->fields, count);
	for (uint32_t i = 0; i < count; i++)
		offsets[i] = rows[i] - rows[0];
	int_column_write(c, offsets, count);
}

static void put_mixed_steps(struct codec *c, const struct block *block, uint32_t brought)
{
	int64_t *fields = codec_ints(&c->fields, brought);
	uint32_t n = 0;

	sections_add_byte(&c->sections, STEPS_OF_SOME);
	sections_add_varint(&c->sections, brought);
	for (uint32_t i = 0; i < block->row_count; i++) {
		if (block->steps[i] != BLOCK_STEP_NONE)
			fields[n++] = i;
	}
	int_column_write(c, fields, n);
	for (uint32_t i = 0; i < n; i++)
		fields[i] = block->steps[fields[i]];
	int_column_write(c, fields, n);
}

static void put_steps(struct codec *c, const struct block *block, uint32_t assigned)
{
	if (assigned == block->row_count) {
		sections_add_byte(&c->sections, STEPS_OF_NONE);
	} else if (assigned == 0) {
		sections_add_byte(&c->sections, STEPS_OF_ALL);
		int_column_write(c, block->steps, block->row_count);
	} else {
		put_mixed_steps(c, block, block->row_count - assigned);
	}
}

static void put_spread(struct codec *c, const uint32_t *rows, uint32_t count)
{
	int64_t *fields;

	if (!rows)
		return;
	sections_add_varint(&c->sections, count);
	fields = codec_ints(&c->fields, count);
	for (uint32_t i = 0; i < count; i++)
		fields[i] = rows[i];
	int_column_write(c, fields, count);
}

static unsigned spread_of(const uint32_t *rows, uint32_t count)
{
	if (count == 0)
		return SPREAD_NONE;
	return rows ? SPREAD_LISTED : SPREAD_ALL;
}

static void put_column(struct codec *c, const struct block_column *column)
{
	unsigned numbers = spread_of(column->number_rows, column->number_count);
	unsigned texts = spread_of(column->text_rows, column->text_count);

	sections_add_byte(&c->sections, (unsigned char)(numbers | texts << SPREAD_BITS));
	if (numbers != SPREAD_NONE) {
		put_spread(c, column->number_rows, column->number_count);
		numbers_write(c, column->numbers, column->number_count);
	}
	if (texts != SPREAD_NONE) {
		put_spread(c, column->text_rows, column->text_count);
		texts_write(c, column->texts, column->text_count);
	}
}

static void put_columns(struct codec *c, const struct block *block)
{
	uint32_t used = 0;
	uint32_t last_id = 0;

	for (uint32_t i = 0; i < block->column_count; i++)
		used += block->columns[i].key_id != BLOCK_KEY_NONE;
	sections_add_varint(&c->sections, used);
	for (uint32_t i = 0; i < block->column_count; i++) {
		const struct block_column *column = &block->columns[i];

		if (column->key_id == BLOCK_KEY_NONE)
			continue;
		sections_add_signed(&c->sections, (int64_t)column->key_id - last_id);
		last_id = column->key_id;
		put_column(c, column);
	}
}

static void put_block(struct codec *c, const struct block *block, struct block_facts *ret_facts)
{
	measure(block, ret_facts);
	assert(block->row_count <= BLOCK_MAX_ROWS && ret_facts->point_count <= BLOCK_MAX_CELLS);
	sections_add_varint(&c->sections, block->row_count);
	put_rows(c, block->rows, block->row_count);
	put_steps(c, block, ret_facts->assigned);
	put_columns(c, block);
}

void block_encode(struct codec *c, const struct block *block, struct buf *out,
		  struct block_facts *ret_facts)
{
	put_block(c, block, ret_facts);
	frame_write(c, FRAME_BLOCK, out);
}

void block_encode_rows(struct codec *c, const struct json_rows *rows, const uint32_t *key_ids,
		       struct buf *out, struct block_facts *ret_facts)
{
	struct buf memory = { 0 };
	struct block_column *columns = (struct block_column *)(void *)buf_reserve(
		&memory, rows->column_count * sizeof(*columns));
	struct block block = { .row_count = rows->row_count,
			       .column_count = rows->column_count,
			       .steps = rows->steps,
			       .columns = columns };

	for (uint32_t i = 0; i < rows->column_count; i++) {
		const struct json_column *from = &rows->columns[i];

		columns[i] = (struct block_column){
			.key_id = key_ids[i],
			.number_count = from->number_count,
			.text_count = from->text_count,
			.number_rows = from->number_rows,
			.numbers = from->numbers,
			.text_rows = from->text_rows,
			.texts = from->texts,
		};
	}
	put_block(c, &block, ret_facts);
	frame_write_small(c, FRAME_BLOCK, PACK_BLOCK_BYTES - FRAME_EXTRA, out);
	buf_free(&memory);
}

uint64_t block_cells(const struct block *block)
{
	uint64_t cells = 0;

	for (uint32_t i = 0; i < block->column_count; i++)
		cells += block->columns[i].number_count + (uint64_t)block->columns[i].text_count;
	return cells;
}
