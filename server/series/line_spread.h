#ifndef LINE_SPREAD_H
#define LINE_SPREAD_H

#include "lines.h"

/*
 * How a chunk's lines are spread over its time, so that lines over time are counted without reading
 * one: its time is cut into equal parts, and each has its counts. As bytes some hundred for 1024 lines.
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

/* Which of so many equal parts of a time a moment is in; what lies outside is in the first or the last. */
static inline uint32_t line_spread_part(int64_t from_us, int64_t to_us, uint32_t parts,
					int64_t time_us)
{
	double share = (double)(time_us - from_us) / ((double)(to_us - from_us) + 1);
	uint32_t at = share <= 0 ? 0 : (uint32_t)(share * parts);

	return at < parts ? at : parts - 1;
}

void line_spread_make(const struct lines *lines, int64_t time_first, int64_t time_last,
		      struct line_spread *ret_spread) __attribute__((nonnull));

/* Its counts; the times are kept beside them. False: these bytes are none. */
void line_spread_write(const struct line_spread *spread, struct buf *out) __attribute__((nonnull));
bool line_spread_read(struct str bytes, struct line_spread *spread) __attribute__((nonnull));

#endif
