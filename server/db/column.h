#ifndef COLUMN_H
#define COLUMN_H

#include <stddef.h>

#include "db.h"

/* One member of an array of structs as an array parameter: COLUMN(a, DB_INT8_ARRAY, runs, n, run_id) */
const void *column_gather(struct arena *a, const void *rows, size_t count, size_t row_size,
			  size_t offset, size_t size);

#define COLUMN(a, t, rows, n, member) \
	P_ARRAY(t, \
		column_gather((a), (rows), (n), sizeof(*(rows)), \
			      offsetof(__typeof__(*(rows)), member), sizeof((rows)->member)), \
		(n))

#endif
