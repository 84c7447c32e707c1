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

/* Single numbers, handed out piece by piece: by key and writer, in order. */
typedef void lane_points_fn(void *p, int32_t key_id, int32_t writer,
			    const struct cell_values *points);
err_t series_lanes_points(struct db *db, struct codec *codec, const struct lanes_ask *ask,
			  int64_t from, int64_t to, lane_points_fn *take, void *p)
	__attribute__((warn_unused_result));

#endif
