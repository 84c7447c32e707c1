#ifndef VALUE_KEY_H
#define VALUE_KEY_H

#include "value.h"

/*
 * A short sort key of a value: less is before. Values whose keys are equal are compared in full
 * (value.h); keys are of one column. In a header for the one loop that makes a key for every run.
 */
struct value_key {
	unsigned
		rank; /* of numbers the least, without a value the greatest, whatever the direction */
	uint64_t bits;
};

static inline bool value_key_less(struct value_key a, struct value_key b)
{
	return a.rank < b.rank || (a.rank == b.rank && a.bits < b.bits);
}

/* The bits of a double, changed so that they sort as it does. */
static inline uint64_t value_key_number(cell c)
{
	return c >> 63 ? ~c : c | UINT64_C(1) << 63;
}

static inline struct value_key value_key_of_any(const struct value_columns *p, size_t row)
{
	const struct value found = value_at(p, row);
	const struct value v = value_ordered(&found);
	struct value_key key = { .rank = (unsigned)v.rank };

	if (v.rank == SEARCH_RANK_NUMBER)
		key.bits = value_key_number(cell_of_double(v.number));
	else if (v.rank == SEARCH_RANK_BOOL)
		key.bits = v.text.at[0] == 't';
	else if (v.text.len)
		key.bits = dictionary_key(&p->column->texts, v.text);
	return key;
}

/* `c` is the row's cell. */
static inline struct value_key value_key(const struct value_columns *p, cell c, size_t row,
					 bool descending)
{
	struct value_key key;
	bool is_number;

	if (cell_tag(c) == CELL_NUMBER) {
		key = (struct value_key){ SEARCH_RANK_NUMBER, value_key_number(c) };
	} else if (cell_tag(c) == CELL_TEXT && cell_number(c) + 1 != p->column->texts.empty &&
		   !dictionary_is_infinity(&p->column->texts, cell_number(c))) {
		key = (struct value_key){ SEARCH_RANK_TEXT, p->column->texts.keys[cell_number(c)] };
	} else if (cell_tag(c) == CELL_MISSING && !p->flat) {
		key = (struct value_key){ SEARCH_RANK_NONE, 0 };
	} else {
		key = value_key_of_any(p, row);
	}
	is_number = key.rank == SEARCH_RANK_NUMBER;
	if (descending && key.rank != SEARCH_RANK_NONE)
		key = (struct value_key){ SEARCH_RANK_NONE - key.rank, ~key.bits };
	if (is_number)
		key.rank = 0;
	return key;
}

#endif
