/* Several blocks as one: a key's cells of all blocks, one after the other. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "block.h"

/* One column of one of the blocks; pieces of a key come in order of blocks after sorting. */
struct piece {
	const struct block_column *column;
	uint32_t row_offset; /* of its block within the whole */
};

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a;
	const struct piece *y = b;

	if (x->column->key_id != y->column->key_id)
		return x->column->key_id < y->column->key_id ? -1 : 1;
	return (x->row_offset > y->row_offset) - (x->row_offset < y->row_offset);
}

static void add_rows(uint32_t *to, const uint32_t *rows, uint32_t count, uint32_t offset)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = offset + (rows ? rows[i] : i);
}

/* All pieces are of one key. Row lists that name every row are replaced by NULL. */
static void join(struct arena *a, const struct piece *pieces, uint32_t count, uint32_t row_count,
		 struct block_column *ret_column)
{
	uint32_t numbers = 0, texts = 0;
	double *to_numbers;
	struct str *to_texts;
	uint32_t *number_rows, *text_rows;

	for (uint32_t i = 0; i < count; i++) {
		numbers += pieces[i].column->number_count;
		texts += pieces[i].column->text_count;
	}
	to_numbers = arena_alloc(a, numbers * sizeof(*to_numbers));
	number_rows = arena_alloc(a, numbers * sizeof(*number_rows));
	to_texts = arena_alloc(a, texts * sizeof(*to_texts));
	text_rows = arena_alloc(a, texts * sizeof(*text_rows));
	*ret_column = (struct block_column){
		.key_id = pieces[0].column->key_id,
		.number_count = numbers,
		.text_count = texts,
		.number_rows = numbers == row_count ? NULL : number_rows,
		.numbers = to_numbers,
		.text_rows = texts == row_count ? NULL : text_rows,
		.texts = to_texts,
	};
	numbers = texts = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct block_column *c = pieces[i].column;

		add_rows(number_rows + numbers, c->number_rows, c->number_count,
			 pieces[i].row_offset);
		add_rows(text_rows + texts, c->text_rows, c->text_count, pieces[i].row_offset);
		if (c->number_count)
			memcpy(to_numbers + numbers, c->numbers,
			       c->number_count * sizeof(*c->numbers));
		if (c->text_count)
			memcpy(to_texts + texts, c->texts, c->text_count * sizeof(*c->texts));
		numbers += c->number_count;
		texts += c->text_count;
	}
}

static void join_rows(struct arena *a, const struct block *blocks, uint32_t count,
		      struct block *ret_block)
{
	int64_t *rows = arena_new_array(a, int64_t, ret_block->row_count + 1);
	int64_t *steps = arena_new_array(a, int64_t, ret_block->row_count + 1);
	uint32_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		size_t size = blocks[i].row_count * sizeof(*rows);

		if (size) {
			memcpy(rows + at, blocks[i].rows, size);
			memcpy(steps + at, blocks[i].steps, size);
		}
		at += blocks[i].row_count;
	}
	ret_block->rows = rows;
	ret_block->steps = steps;
}

void block_merge(struct arena *a, const struct block *blocks, uint32_t count,
		 struct block *ret_block)
{
	struct block whole = { 0 };
	struct block_column *columns;
	struct piece *pieces;
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += blocks[i].column_count;
	pieces = arena_new_array(a, struct piece, n + 1);
	columns = arena_new_array(a, struct block_column, n + 1);
	n = 0;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < blocks[i].column_count; j++)
			pieces[n++] = (struct piece){ &blocks[i].columns[j], whole.row_count };
		whole.row_count += blocks[i].row_count;
	}
	qsort(pieces, n, sizeof(*pieces), compare_pieces);
	join_rows(a, blocks, count, &whole);
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n; end++) {
			if (pieces[end].column->key_id != pieces[i].column->key_id)
				break;
		}
		join(a, pieces + i, end - i, whole.row_count, &columns[whole.column_count++]);
	}
	whole.columns = columns;
	*ret_block = whole;
}
