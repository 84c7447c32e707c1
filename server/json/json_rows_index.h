#ifndef JSON_ROWS_INDEX_H
#define JSON_ROWS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "json_rows.h"

/*
 * Inside of json_rows: names to columns, and the cells as they come. The row scanner looks names up
 * inline, for that is half of its work. Open addressing, at most half full. The names of one body
 * repeat in any order (Go's maps are walked at random), so the order of the last row is no help.
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
 * Random for each body, so that nobody can send names that all meet in one place. Taken instead of
 * SipHash, which takes longer than scanning a number.
 */
struct json_rows_key {
	uint64_t start, before, last;
};

struct json_rows_index {
	struct json_rows_key key;
	uint32_t size; /* a power of two */
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

/* What is touched for each cell, apart from struct json_column to keep it close together. */
struct json_column_state {
	uint32_t seen_row; /* 1 + the last row with a cell: finds repeats */
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
	uint32_t row_cells; /* in the row that is open */
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

#endif
