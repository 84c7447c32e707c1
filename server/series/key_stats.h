#ifndef KEY_STATS_H
#define KEY_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct block;
struct buf;
struct codec;

/*
 * Statistics of every key of a run's stream, so that values need not be read: kinds, counts, the
 * last value, and the aggregates of its numbers. It answers "which keys has this run" and gives the
 * summary its values. One blob per run and stream, ascending by key id.
 */
enum key_kind {
	KEY_KIND_NUMBER = 1 << 0,    /* finite */
	KEY_KIND_NONFINITE = 1 << 1, /* NaN, Infinity, -Infinity */
	KEY_KIND_INTEGER = 1 << 2,   /* an integer beyond 2^53, kept with its digits */
	KEY_KIND_BOOL = 1 << 3,
	KEY_KIND_NULL = 1 << 4,
	KEY_KIND_STRING = 1 << 5,
	KEY_KIND_ARRAY = 1 << 6,
	KEY_KIND_OBJECT = 1 << 7, /* the empty object */
};

/*
 * The most bytes of a last value that are kept. A longer string keeps its beginning, followed by
 * "..."; another value only its length. The value itself stays in the rows.
 */
enum { KEY_STAT_TEXT_MAX = 4096 };

struct key_stat {
	uint32_t key_id;
	uint32_t kinds;     /* of enum key_kind */
	uint64_t row_count; /* rows that have it; a big integer is a number and a text of one row */
	uint64_t number_count;
	uint64_t text_count;
	int64_t row_last; /* of the last value of either kind */
	int64_t step_last;
	int64_t row_first; /* of the first number */
	/* Over all numbers, NaN and infinities too: if one is NaN, all but the first may be. */
	double first, min, max, sum;
	bool is_text; /* the last value is `text`, a JSON text; else `number` */
	double number;
	struct str text;
};

struct key_stats {
	uint32_t count;
	struct key_stat *items; /* ascending by key id */
};

/* Whether `text` is from a longer value; true for very few other texts, too. */
bool key_stat_is_shortened(const struct key_stat *stat) __attribute__((nonnull));

/* For a decoded block; texts point into it. */
void key_stats_of_block(struct arena *a, const struct block *block, struct key_stats *ret_stats)
	__attribute__((nonnull));

/* Adds a value of a key, of a row after all that were added. A text that is kept is not copied. */
struct key_value {
	int64_t row;
	int64_t step;
	bool is_text;
	double number;
	struct str text; /* the digits of an integer beyond 2^53, whose number is set, too */
};
void key_stat_add(struct arena *a, struct key_stat *stat, const struct key_value *value)
	__attribute__((nonnull));

/* Counts add up; the last value is that of the higher row. Neither input changes. */
void key_stats_merge(struct arena *a, const struct key_stats *one, const struct key_stats *other,
		     struct key_stats *ret_stats) __attribute__((nonnull));

/* With texts of its own; `ret_stats` may be the same struct. */
void key_stats_copy(struct arena *a, const struct key_stats *stats, struct key_stats *ret_stats)
	__attribute__((nonnull));

/* NULL when the key is not there. */
const struct key_stat *key_stats_find(const struct key_stats *stats, uint32_t key_id)
	__attribute__((nonnull));

void key_stats_encode(struct codec *c, const struct key_stats *stats, struct buf *out)
	__attribute__((nonnull));
err_t key_stats_decode(struct codec *c, struct arena *a, struct str bytes,
		       struct key_stats *ret_stats) __attribute__((nonnull, warn_unused_result));

#endif
