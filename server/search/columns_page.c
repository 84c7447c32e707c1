/* Pages of rows, with the same results as search.sql, in the same order. */
#include "columns_page.h"

#include <limits.h>

#include "cells_compare.h"
#include "ordering.h"
#include "top.h"

static bool is_behind(const struct ordering *o, const struct search_page *ask,
		      const struct value *cursor, uint32_t row)
{
	struct value v;
	int order;

	if (!ask->has_cursor)
		return true;
	v = value_at(&o->key, row);
	order = value_order(o->descending, &v, cursor);
	for (size_t i = 0; i < ask->more_count && !order; i++) {
		const struct value last = value_read(&ask->cursor_more[i]);

		v = value_at(&o->more[i], row);
		order = value_order(ask->more[i].descending, &v, &last);
	}
	if (!order)
		order = ordering_compare_ids(o->descending, o->columns->run_ids[row],
					     ask->cursor_run_id);
	return order > 0;
}

static void take_rows(const struct ordering *o, const struct search_page *ask, struct bits rows,
		      struct top *top)
{
	const struct value cursor = value_read(&ask->cursor);

	for (size_t row = bits_next(rows, 0); row < rows.rows; row = bits_next(rows, row + 1)) {
		if (is_behind(o, ask, &cursor, (uint32_t)row))
			top_add(top, (uint32_t)row);
	}
}

struct by_key {
	const struct ordering *ordering;
	const struct search_page *ask;
	struct value cursor;
	struct top *top;
	struct value_key last; /* of those kept; while there is room, greater than any */
	enum bound { BOUND_NONE, BOUND_NUMBER, BOUND_TEXT } bound; /* of the last value */
	double number;
	uint64_t text_key;
};

static void set_last(struct by_key *b)
{
	const struct column *column = b->ordering->key.column;
	const uint32_t row = b->top->at[0];
	const cell c = column_cell(column, row);

	b->last = ordering_key(b->ordering, row);
	b->bound = BOUND_NONE;
	if (cell_tag(c) == CELL_NUMBER) {
		b->bound = BOUND_NUMBER;
		b->number = cell_double(c);
	} else if (b->last.rank != SEARCH_RANK_NONE && cell_tag(c) == CELL_TEXT &&
		   !dictionary_is_infinity(&column->texts, cell_number(c))) {
		b->bound = BOUND_TEXT;
		b->text_key = column->texts.keys[cell_number(c)];
	}
}

static void keep_row(struct by_key *b, uint32_t row)
{
	const struct ordering *o = b->ordering;

	if (!is_behind(o, b->ask, &b->cursor, row))
		return;
	top_add(b->top, row);
	if (b->top->count == b->top->limit)
		set_last(b);
}

/* Texts that are not after the last one, infinities, and all cells that are not texts. */
static uint64_t text_candidates(const struct by_key *b, const cell *cells)
{
	const struct dictionary *texts = &b->ordering->key.column->texts;
	const uint64_t *keys = texts->keys;
	const uint64_t turn = b->ordering->descending ? UINT64_MAX : 0;
	const uint64_t last = b->text_key ^ turn;
	uint64_t word = 0;

	for (unsigned i = 0; i < 64; i++) {
		bool is_text = cells[i] >> 32 == cell_of(CELL_TEXT, 0) >> 32;
		uint32_t number = is_text ? cell_number(cells[i]) : 0;
		bool is_infinity = dictionary_is_infinity(texts, number);

		word |= (uint64_t)(!is_text | is_infinity | ((keys[number] ^ turn) <= last)) << i;
	}
	return word;
}

/* The rows of 64 that may come before the last of those kept. */
static uint64_t candidates(const struct by_key *b, const cell *cells)
{
	struct holding h;

	if (!cells || b->bound == BOUND_NONE)
		return UINT64_MAX;
	if (b->bound == BOUND_TEXT)
		return text_candidates(b, cells);
	h = cells_compare(cells, b->number, !b->ordering->descending, true);
	return h.holds | h.others;
}

/* For nearly every row the key shows that it is after the last of those kept. */
static inline void take_row(struct by_key *b, const cell *cells, size_t first, unsigned bit)
{
	const struct ordering *o = b->ordering;
	struct value_key key = value_key(&o->key, cells ? cells[bit] : cell_of(CELL_MISSING, 0),
					 first + bit, o->descending);

	if (!value_key_less(b->last, key))
		keep_row(b, (uint32_t)(first + bit));
}

static void take_word(struct by_key *b, uint64_t word, size_t first)
{
	const bool backwards = b->ordering->descending;
	const cell *cells = column_cells(b->ordering->key.column, first);

	if (word)
		word &= candidates(b, cells);
	while (word) {
		unsigned bit =
			(unsigned)(backwards ? 63 - __builtin_clzll(word) : __builtin_ctzll(word));

		word &= ~(UINT64_C(1) << bit);
		take_row(b, cells, first, bit);
	}
}

/* Starts from the side that the first rows are likely to be on: rows come in the order of runs. */
static void take_rows_by_key(const struct ordering *o, const struct search_page *ask,
			     struct bits rows, struct top *top)
{
	struct by_key b = { .ordering = o,
			    .ask = ask,
			    .cursor = value_read(&ask->cursor),
			    .top = top,
			    .last = { UINT_MAX, UINT64_MAX } };

	for (size_t i = 0; i < rows.words_count; i++) {
		size_t word = o->descending ? rows.words_count - 1 - i : i;

		if (!o->descending)
			column_announce(o->key.column, word * 64 + COLUMN_AHEAD);
		else if (word * 64 >= COLUMN_AHEAD)
			column_announce(o->key.column, word * 64 - COLUMN_AHEAD);
		take_word(&b, rows.words[word], word * 64);
	}
}

void columns_page(struct arena *a, const struct columns *c, struct bits rows,
		  const struct search_page *ask, struct search_page_found *ret_found)
{
	const struct ordering o = ordering_of(a, c, ask);
	struct top top = top_new(a, (size_t)ask->limit, ordering_compare, &o);
	struct search_found_run *runs;

	if (ask->offset)
		ordering_window(a, &o, rows, &top);
	else if (o.by_key && top.limit)
		take_rows_by_key(&o, ask, rows, &top);
	else
		take_rows(&o, ask, rows, &top);
	top_sort(&top);
	runs = arena_new_array(a, struct search_found_run, top.count);
	for (size_t i = 0; i < top.count; i++) {
		struct value v = value_at(&o.key, top.at[i]);

		runs[i] = (struct search_found_run){ .run_id = c->run_ids[top.at[i]],
						     .value = value_write(a, &v) };
		for (size_t k = 0; k < ask->more_count; k++) {
			v = value_at(&o.more[k], top.at[i]);
			runs[i].more[k] = value_write(a, &v);
		}
	}
	*ret_found = (struct search_page_found){ runs, top.count, (int64_t)bits_count(rows) };
}

void columns_of_group(struct arena *a, const struct columns *c, const struct filter_path *key,
		      const struct search_value *group, struct bits rows)
{
	const struct value_columns columns = value_columns_of(a, c, key);
	const struct value wanted = value_read(group);

	for (size_t row = bits_next(rows, 0); row < rows.rows; row = bits_next(rows, row + 1)) {
		struct value v = value_at(&columns, row);

		if (v.rank != wanted.rank || value_compare(&v, &wanted))
			rows.words[row / 64] &= ~(UINT64_C(1) << row % 64);
	}
}
