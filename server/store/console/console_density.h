#ifndef CONSOLE_DENSITY_H
#define CONSOLE_DENSITY_H

#include "db.h"
#include "line_spread.h"

struct codec;

/*
 * How many lines a run's writers wrote, and when: counted from the columns next to chunks, so that
 * a thousand lines cost as much as one. Only chunks that the tail writes again are decoded.
 */
struct console_density_ask {
	int64_t run_id;
	const int32_t *writers; /* that buckets count, ascending; NULL: all */
	size_t writer_count;
	bool streams[2]; /* that buckets count */
	uint32_t bucket_count;
};

struct console_tally {
	int32_t writer;
	struct line_counts streams[2];
};

struct console_density {
	int64_t from_us; /* of all writers' lines */
	int64_t to_us;   /* before from_us: there is none */
	struct line_counts *buckets;
	struct console_tally *tallies; /* of all writers with lines, ascending */
	size_t tally_count;
};

err_t console_density_read(struct db *db, struct codec *codec,
			   const struct console_density_ask *ask,
			   struct console_density *ret_density) __attribute__((warn_unused_result));

#endif
