#ifndef SERIES_SAMPLED_H
#define SERIES_SAMPLED_H

#include "sample.h"
#include "series_lanes.h"

/*
 * Charts of keys: buckets over a range of steps. Whether cells or single points fill them depends on
 * how many values the range holds, never on what is compacted: the same question, the same answer.
 */
enum series_split {
	SERIES_SPLIT_RUN,    /* one series per key, all writers together */
	SERIES_SPLIT_WRITER, /* one per key and writer */
};

/* Series that hold values, times the buckets asked for. */
enum { SAMPLED_BUCKETS_MAX = 2000000 };

struct sampled_ask {
	struct lanes_ask lanes;
	int64_t from; /* INT64_MIN: from the first step there is */
	int64_t to;   /* INT64_MAX: to the last */
	uint32_t buckets;
	enum series_split split;
};

struct sampled {
	int32_t key_id;
	int32_t writer; /* -1: all together */
	struct bucket *buckets;
	uint32_t count;
};

/*
 * In order of key, then writer; a key without numbers has no series. ERR_UNPROCESSABLE: more than
 * SAMPLED_BUCKETS_MAX.
 */
err_t series_sampled(struct db *db, struct codec *codec, const struct sampled_ask *ask,
		     struct sampled **ret_series, size_t *ret_count)
	__attribute__((warn_unused_result));

#endif
