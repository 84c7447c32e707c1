#ifndef WRITER_RANGES_H
#define WRITER_RANGES_H

#include "labels.h"

/* Writers by number, as a query names them: "0-33,40". */
struct writer_ranges {
	struct writer_range {
		int32_t first;
		int32_t last; /* included */
	} * items;
	size_t count; /* 0: all */
};
enum { WRITER_RANGES_MAX = 1024 };

/* The query's "writers". */
err_t writer_ranges_read(struct request *q, struct writer_ranges *ret_ranges)
	__attribute__((warn_unused_result));

bool writer_ranges_has(const struct writer_ranges *ranges, int32_t writer);

/* Numbers of the run's writers among them, ascending; when there are none, one that nobody has. */
void writer_ranges_find(const struct writer_ranges *ranges, const struct labels *labels,
			struct arena *a, int32_t **ret_numbers, size_t *ret_count);

#endif
