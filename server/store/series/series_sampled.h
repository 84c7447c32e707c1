#ifndef SERIES_SAMPLED_H
#define SERIES_SAMPLED_H

#include "sample.h"
#include "series_position.h"

/*
 * Charts of keys of runs: buckets over a range of the x axis. Whether
 * cells or single points fill them depends on how many values the range
 * holds, never on what is compacted: the same query, the same answer.
 */
enum series_split {
	SERIES_SPLIT_RUN,    /* one series per run and key, all writers together */
	SERIES_SPLIT_WRITER, /* one per run, key and writer */
};

/* Series that hold values, times the buckets asked for. */
enum { SAMPLED_BUCKETS_MAX = 2000000 };

struct kept_clocks;

struct sampled_ask {
	struct series_ask series; /* runs and keys ascending */
	struct series_x x;
	struct series_range
		range; /* INT64_MIN: from the first position there is; INT64_MAX: to the last */
	const struct series_range
		*grid; /* the buckets' range; NULL: what is there within the range */
	uint32_t buckets;
	enum series_split split;
	bool is_rate; /* values are counters: how fast they grow a second */
	/*
	 * Lanes of the keys and of the axis' own, if they were read before; their cells get positions.
	 */
	const struct lanes *lanes;
	struct kept_clocks *clocks; /* series_clocks.h; NULL: none are kept */
	bool empty_too; /* series without a value in the range as well, without buckets */
};

struct sampled {
	int64_t run_id;
	int32_t key_id;
	int32_t writer; /* -1: all together */
	struct bucket *buckets;
	uint32_t count;
};

/*
 * Samples without a step, from before a run's first row or after its last
 * one: how long, in microseconds.
 */
struct sampled_aside {
	int64_t before;
	int64_t after;
	bool without_rows; /* there is a run that has samples and no row */
};

/* The maximum of both. */
static inline void sampled_aside_widen(struct sampled_aside *aside,
				       const struct sampled_aside *more)
{
	aside->before = more->before > aside->before ? more->before : aside->before;
	aside->after = more->after > aside->after ? more->after : aside->after;
	aside->without_rows |= more->without_rows;
}

struct sampled_answer {
	struct sampled *series; /* by run, key, writer; a key without numbers has none */
	size_t count;
	struct series_range grid;   /* from > to: there is nothing */
	struct sampled_aside aside; /* of system metrics over steps: the most of all series */
	/*
	 * Over steps, for one run only: the time at which each bucket begins, and
	 * the last one ends; else NULL.
	 */
	const int64_t *times;
};

/* ERR_UNPROCESSABLE: more than SAMPLED_BUCKETS_MAX. */
err_t series_sampled(struct db *db, struct codec *codec, const struct sampled_ask *ask,
		     struct sampled_answer *ret_answer) __attribute__((warn_unused_result));

/* The answer without its series: a grid for several queries. */
err_t series_sampled_grid(struct db *db, struct codec *codec, const struct sampled_ask *ask,
			  struct sampled_answer *ret_answer) __attribute__((warn_unused_result));

#endif
