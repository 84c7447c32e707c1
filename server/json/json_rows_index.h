#ifndef JSON_ROWS_INDEX_H
#define JSON_ROWS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "json_bytes.h"
#include "json_rows.h"

/*
 * Inside of json_rows: the map from names as they came to columns, and the cells as they come. The
 * row scanner looks names up inline, for that is half of its work. Open addressing, at most half
 * full. Before that it compares a name with the one that came next in the row before: most clients
 * keep the order, and for those that do not (Go's maps are walked at random) the comparison ends at
 * the first sixteen bytes.
 *
 * NAMES: 16 bytes from the start of any name must be readable, and 8 after its end.
 */
struct json_rows_slot {
	uint64_t hash; /* 0: free */
	const char *name;
	uint32_t len;
	uint32_t column;
};

/*
 * Random for each body, so that no client can choose names that all collide. Used instead of
 * SipHash, which takes longer than scanning a number.
 */
struct json_rows_key {
	uint64_t start, before, last;
};

struct json_rows_index {
	struct json_rows_key key;
	uint32_t size; /* a power of two */
	uint32_t used;
	struct json_rows_slot *slots;
};

struct json_number_cell {
	double value;
	uint32_t column;
	uint32_t row;
};

struct json_text_cell {
	struct str text;
	uint32_t column;
	uint32_t row;
};

#define JSON_COLUMN_NONE UINT32_MAX

/* The data touched for each cell, apart from struct json_column to keep it close together. */
struct json_column_state {
	const char
		*quoted; /* the name in the body, up to its closing quote; NULL: not in the body */
	uint32_t quoted_len; /* with the quote */
	uint32_t next;       /* the column that came after it when it was last met */
	uint32_t seen_row;   /* 1 + the last row with a cell: finds repeats */
	uint32_t numbers;
	uint32_t texts;
};

struct json_rows_cells {
	struct json_number_cell *numbers;
	struct json_text_cell *texts;
	struct json_column_state *states;
	size_t number_count, number_size;
	size_t text_count, text_size;
	size_t text_bytes;
	uint32_t column_size, row_size;
	uint32_t row_cells;    /* in the row that is open */
	size_t row_left_out;   /* bytes of values that were left out of it */
	uint32_t column_first; /* that a row began with, when last met */
	uint32_t column_last;  /* of the row that is open; JSON_COLUMN_NONE: it has none yet */
	bool row_has_step;
};

static inline uint64_t json_rows_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t json_rows_word(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static inline uint64_t json_rows_hash(const struct json_rows_key *key, const char *name, size_t len)
{
	uint64_t hash = key->start * (len + 1);
	uint64_t a, b = 0;

	for (; len > 16; name += 16, len -= 16)
		hash = json_rows_mix(json_rows_word(name) ^ key->before,
				     json_rows_word(name + 8) ^ hash);
	a = json_rows_word(name);
	if (len >= 8)
		b = json_rows_word(name + len - 8);
	else if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		a = len ? a << (64 - 8 * len) : 0;
	else
		a = len ? a >> (64 - 8 * len) : 0;
	return json_rows_mix(a ^ key->last, b ^ hash) | 1;
}

static inline bool json_rows_same(const char *a, const char *b, size_t len)
{
	if (len < 8)
		return memcmp(a, b, len) == 0;
	for (size_t i = 0; i + 8 < len; i += 8) {
		if (json_rows_word(a + i) != json_rows_word(b + i))
			return false;
	}
	return json_rows_word(a + len - 8) == json_rows_word(b + len - 8);
}

/* The slot of the name, or the free one where it belongs. */
static inline struct json_rows_slot *json_rows_slot(const struct json_rows_index *index,
						    const char *name, size_t len, uint64_t hash)
{
	uint32_t mask = index->size - 1;
	uint32_t i = (uint32_t)(hash >> 32) & mask;

	for (;; i = (i + 1) & mask) {
		struct json_rows_slot *slot = &index->slots[i];

		if (!slot->hash || (slot->hash == hash && slot->len == len &&
				    json_rows_same(slot->name, name, len)))
			return slot;
	}
}

/* The column that comes next when this row is like the last. */
static inline uint32_t json_rows_expected(const struct json_rows_cells *cells)
{
	return cells->column_last == JSON_COLUMN_NONE ? cells->column_first
						      : cells->states[cells->column_last].next;
}

/* Whether the key that begins at `p` is that one; the end is then after its quote. */
static inline bool json_rows_is_expected(const struct json_rows_cells *cells, const char *p,
					 const char **ret_end)
{
	uint32_t column = json_rows_expected(cells);
	const struct json_column_state *state;

	if (column == JSON_COLUMN_NONE)
		return false;
	state = &cells->states[column];
	if (!state->quoted || !json_bytes_same(p, state->quoted, state->quoted_len))
		return false;
	*ret_end = p + state->quoted_len;
	return true;
}

/* Notes that a cell of the column came. */
static inline void json_rows_came(struct json_rows_cells *cells, uint32_t column)
{
	if (cells->column_last == JSON_COLUMN_NONE)
		cells->column_first = column;
	else
		cells->states[cells->column_last].next = column;
	cells->column_last = column;
}

#endif
