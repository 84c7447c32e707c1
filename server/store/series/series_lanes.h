#ifndef SERIES_LANES_H
#define SERIES_LANES_H

#include "chunk.h"
#include "rollup.h"
#include "series_store.h"

struct codec;

/*
 * A lane is the numbers of one (run, key, writer), chunks and tail together, as cells of 256 values by
 * absolute index: the same whatever has been compacted. Lanes come by run, then key, then writer.
 */
struct lane {
	int64_t run_id;
	int64_t source_id; /* of a run with branches: the run that has the data */
	int32_t key_id;
	int32_t writer;
	uint64_t count; /* numbers */
	struct cell *cells;
	uint32_t cell_count;
	uint32_t cell_size;
	uint64_t tail_from;      /* the index of the first number that is in the tail */
	struct cell_values tail; /* numbers in the tail */
	uint32_t tail_size;
};

struct lanes {
	struct lane *at;
	size_t count;
	const struct branched *branched; /* the runs among them that were rewound or forked */
	size_t branched_count;
};

/* All cells of the keys (ascending), in the connection's arena. */
err_t series_lanes_read(struct db *db, struct codec *codec, const struct series_ask *ask,
			struct lanes *ret_lanes) __attribute__((warn_unused_result));

/* The lanes of further keys, added to others that were read before. */
err_t series_lanes_add(struct db *db, struct codec *codec, const struct series_ask *ask,
		       struct lanes *lanes) __attribute__((warn_unused_result));

/* The lane, or NULL. */
struct lane *series_lanes_find(const struct lanes *lanes, int64_t run_id, int32_t key_id,
			       int32_t writer);

/*
 * The single numbers of lanes that were read, handed out piece by piece, those of a lane in order.
 * They are of the runs and keys of `ask`; values that came after the lanes were read are not among
 * them. Chunks outside the ranges of steps and rows may be left out; each key may have its own. The
 * numbers stay valid, or only until `take` returns.
 */
enum lanes_keep { LANES_PASSING, LANES_STAYING };
typedef void lane_points_fn(void *p, const struct lane *lane, const struct cell_values *points);
struct lanes_points_ask {
	struct series_ask series;
	struct series_range steps;
	struct series_range rows;
	const struct series_ranges *of_keys; /* NULL: those above are of all */
	enum lanes_keep keep;
	lane_points_fn *take;
	void *p;
};
err_t series_lanes_points(struct db *db, struct codec *codec, const struct lanes_points_ask *ask,
			  const struct lanes *lanes) __attribute__((warn_unused_result));

#endif
