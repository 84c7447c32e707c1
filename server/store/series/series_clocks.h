#ifndef SERIES_CLOCKS_H
#define SERIES_CLOCKS_H

#include "series_sampled.h"
#include "step_clock.h"

/*
 * System metrics over steps. They have only times; the rows of history have both, and so give the
 * time of each step. A bucket of steps is thus a stretch of time, which values are put into.
 *
 * A run's clock has CLOCK_BUCKETS points at most, of all of its writers together: beyond so many
 * times 256 rows each is exact to 256 rows.
 */
enum { CLOCK_BUCKETS = 2048 };

/*
 * Clocks shared by the queries of one request, as of the first; a clock has 32 KB at most. Clocks
 * of further runs are computed each time.
 */
enum { CLOCKS_KEPT = 128 };

struct kept_clock {
	int64_t run_id;
	struct step_clock steps;
};

struct kept_clocks {
	struct arena *arena;
	struct kept_clock *at;
	size_t count;
};

struct series_clock {
	int64_t run_id;
	struct step_clock steps;
	struct series_range window; /* the times in which the run was at the steps asked for */
};

struct series_clocks {
	struct series_clock *at; /* by run; those that have rows */
	size_t count;
};

bool series_clocks_are_needed(const struct series_x *x, enum stream stream);

/* They live as long as the arena. */
struct kept_clocks *series_clocks_keep(struct arena *a)
	__attribute__((returns_nonnull, nonnull, warn_unused_result));

/* For the runs of `ask`, whose axis is "_timestamp". */
err_t series_clocks_read(struct db *db, struct codec *codec, const struct sampled_ask *ask,
			 struct series_clocks *ret_clocks) __attribute__((warn_unused_result));

/* NULL: the run has no rows. */
const struct series_clock *series_clocks_find(const struct series_clocks *clocks, int64_t run_id);

/* Windows of all, as one; from > to: there is none. */
struct series_range series_clocks_window(const struct series_clocks *clocks);

/* The first time of each bucket of the shape, and after them the end of the last. */
const int64_t *series_clock_edges(struct arena *a, const struct series_clock *clock,
				  const struct sample_shape *shape);

/* How long a series' lanes last before and after all steps of the run; without a clock all of it is before. */
struct sampled_aside series_clock_aside(const struct series_clock *clock, const struct lane *lanes,
					size_t count);

/* Turns times of buckets into steps. */
void series_clock_to_steps(const struct series_clock *clock, struct bucket *buckets,
			   uint32_t count);

#endif
