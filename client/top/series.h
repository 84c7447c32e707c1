#ifndef SERIES_H
#define SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "chart.h"

/* The values of one metric as at most SERIES_POINTS stretches: when they are full, each two become one. */
enum { SERIES_POINTS = 512 };

struct series_stretch {
	double step, time_s; /* of its last value */
	double low, high, sum;
	unsigned count;
};

struct series {
	char *key;
	double last, last_time_s;
	struct series_stretch *stretches;
	size_t count, capacity;
	unsigned share; /* values of a stretch that is full */
};

/* Series by name; those beyond the limit are not kept. */
enum { SERIES_MAX = 2000 };

struct series_set {
	struct series *items;
	size_t count;
	size_t hint; /* rows have the same names in the same order */
};

/* NULL beyond the limit, and without memory. */
struct series *series_get(struct series_set *set, const char *key, size_t length)
	__attribute__((nonnull));
void series_add(struct series *series, double step, double time_s, double value)
	__attribute__((nonnull));
void series_set_deinit(struct series_set *set) __attribute__((nonnull));

enum series_axis { SERIES_BY_STEP, SERIES_BY_TIME /* since start_s */ };

/* Appends the stretches to points that the caller frees; they are ordered by series_order(). False without memory. */
bool series_append(const struct series *series, enum series_axis axis, double start_s,
		   struct chart_point **points, size_t *count) __attribute__((nonnull));
void series_order(struct chart_point *points, size_t count);

#endif
