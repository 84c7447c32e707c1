#include "series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 32

struct series *series_get(struct series_set *set, const char *key, size_t length)
{
	struct series *items;

	for (size_t i = 0; i < set->count; i++) {
		size_t at = (set->hint + i) % set->count;
		const char *name = set->items[at].key;

		if (strncmp(name, key, length) == 0 && name[length] == '\0') {
			set->hint = at + 1;
			return &set->items[at];
		}
	}
	if (set->count == SERIES_MAX)
		return NULL;
	items = realloc(set->items, (set->count + 1) * sizeof *items);
	if (!items)
		return NULL;
	set->items = items;
	items[set->count] = (struct series){ .key = strndup(key, length), .share = 1 };
	return items[set->count].key ? &items[set->count++] : NULL;
}

void series_set_deinit(struct series_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->items[i].key);
		free(set->items[i].stretches);
	}
	free(set->items);
	*set = (struct series_set){ 0 };
}

static void halve(struct series *series)
{
	for (size_t i = 0; i < series->count / 2; i++) {
		const struct series_stretch *a = &series->stretches[2 * i], *b = a + 1;

		series->stretches[i] = (struct series_stretch){ b->step,
								b->time_s,
								fmin(a->low, b->low),
								fmax(a->high, b->high),
								a->sum + b->sum,
								a->count + b->count };
	}
	series->count /= 2;
	series->share *= 2;
}

/* Room for another stretch. */
static bool reserve(struct series *series)
{
	size_t capacity = series->capacity ? series->capacity * 2 : FIRST_CAPACITY;
	struct series_stretch *stretches;

	if (series->count < series->capacity)
		return true;
	if (series->count >= SERIES_POINTS) {
		halve(series);
		return true;
	}
	stretches = realloc(series->stretches, capacity * sizeof *stretches);
	if (!stretches)
		return false;
	series->stretches = stretches;
	series->capacity = capacity;
	return true;
}

void series_add(struct series *series, double step, double time_s, double value)
{
	struct series_stretch *last;

	series->last = value;
	series->last_time_s = time_s;
	if (!isfinite(value))
		return;
	last = series->count ? &series->stretches[series->count - 1] : NULL;
	if (!last || last->count >= series->share) {
		if (!reserve(series))
			return;
		last = &series->stretches[series->count++];
		*last = (struct series_stretch){ .low = value, .high = value };
	}
	last->step = step;
	last->time_s = time_s;
	last->low = fmin(last->low, value);
	last->high = fmax(last->high, value);
	last->sum += value;
	last->count++;
}

bool series_append(const struct series *series, enum series_axis axis, double start_s,
		   struct chart_point **points, size_t *count)
{
	struct chart_point *more = realloc(*points, (*count + series->count + 1) * sizeof *more);

	if (!more)
		return false;
	*points = more;
	for (size_t i = 0; i < series->count; i++) {
		const struct series_stretch *one = &series->stretches[i];

		more[(*count)++] =
			(struct chart_point){ axis == SERIES_BY_STEP ? one->step
								     : one->time_s - start_s,
					      one->low, one->high, one->sum / one->count };
	}
	return true;
}

static int by_x(const void *a, const void *b)
{
	const struct chart_point *first = a, *second = b;

	return (first->x > second->x) - (first->x < second->x);
}

void series_order(struct chart_point *points, size_t count)
{
	if (count)
		qsort(points, count, sizeof *points, by_x);
}
