#ifndef SERIES_LANES_H
#define SERIES_LANES_H

#include "chunk.h"
#include "rollup.h"
#include "series_store.h"

struct codec;

/*
 * A lane is the numbers of one (key, writer) of a run, chunks and tail together, as cells of 256
 * values by absolute index: the same whatever has been compacted. Lanes come by key, then writer.
 */
struct lane {
	int32_t key_id;
	int32_t writer;
	uint64_t count; /* numbers */
	struct cell *cells;
	uint32_t cell_count;
	uint32_t cell_size;
	uint64_t tail_from;      /* the index of the first number that is in the tail */
	struct cell_values tail; /* those numbers */
	uint32_t tail_size;
};

struct lanes {
	struct lane *at;
	size_t count;
};

struct lanes_ask {
	int64_t run_id;
	enum stream stream;
	const int32_t *key_ids; /* ascending */
	size_t key_count;
	const int32_t *writers; /* none: all */
	size_t writer_count;
};

/* All cells of the keys, in the connection's arena. */
err_t series_lanes_read(struct db *db, struct codec *codec, const struct lanes_ask *ask,
			struct lanes *ret_lanes) __attribute__((warn_unused_result));

/*
 * The single numbers of lanes that were read, handed out piece by piece, those of a lane in order. Of
 * the keys of `ask`; what came after the lanes were read is not among them. Chunks without a step
 * from `from` to `to` may be left out.
 */
typedef void lane_points_fn(void *p, size_t lane, const struct cell_values *points);
struct lanes_range {
	int64_t from;
	int64_t to;
};
err_t series_lanes_points(struct db *db, struct codec *codec, const struct lanes_ask *ask,
			  const struct lanes *lanes, struct lanes_range range, lane_points_fn *take,
			  void *p) __attribute__((warn_unused_result));

#endif
