/* sample_row.c - see sample_row.h. */
#include "sample_row.h"

#include <math.h>
#include <time.h>

void sample_row_begin(struct sampler_row *row)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	row->timestamp_s = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	row->count = 0;
	row->dropped = 0;
}

void sample_row_add(struct sampler_row *row, const char *name, double value)
{
	if (!isfinite(value))
		return;
	if (row->count == SAMPLER_ROW_MAX) {
		row->dropped++;
		return;
	}
	row->values[row->count++] = (struct sampler_value){ .name = name, .value = value };
}
