#ifndef LINE_SPREAD_H
#define LINE_SPREAD_H

#include "lines.h"

/*
 * The distribution of a chunk's lines over its time, so that lines over time are counted without
 * reading any: its time is cut into equal parts, and each has its counts. It takes some hundred
 * bytes for 1024 lines.
 */
enum { LINE_SPREAD_PARTS = 32 };

struct line_counts {
	int64_t lines;
	int64_t errors; /* of them, see line_level.h */
};

struct line_spread {
	int64_t time_first; /* microseconds */
	int64_t time_last;
	struct line_counts parts[LINE_SPREAD_PARTS][2]; /* by stream */
};

/*
 * The part of a time range, cut into equal parts, that has the moment; the
 * first or last if it is outside.
 */
static inline uint32_t line_spread_part(int64_t from_us, int64_t to_us, uint32_t parts,
					int64_t time_us)
{
	double share = (double)(time_us - from_us) / ((double)(to_us - from_us) + 1);
	uint32_t at = share <= 0 ? 0 : (uint32_t)(share * parts);

	return at < parts ? at : parts - 1;
}

void line_spread_make(const struct lines *lines, int64_t time_first, int64_t time_last,
		      struct line_spread *ret_spread) __attribute__((nonnull));

/* Its counts; the times are stored next to them. False: the bytes are not valid. */
void line_spread_write(const struct line_spread *spread, struct buf *out) __attribute__((nonnull));
bool line_spread_read(struct str bytes, struct line_spread *spread) __attribute__((nonnull));

#endif
