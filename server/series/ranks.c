#include "ranks.h"

#include <math.h>
#include <stdlib.h>

#include "arena.h"

#define NORMAL_SPREAD 1.4826

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of at least one number; sorts them. */
static double median(double *numbers, uint32_t count)
{
	qsort(numbers, count, sizeof(*numbers), by_number);
	if (count % 2)
		return numbers[count / 2];
	return numbers[count / 2 - 1] / 2 + numbers[count / 2] / 2;
}

static double value(const struct ranks *r, uint32_t label, uint32_t column)
{
	return r->values[(size_t)label * r->column_count + column];
}

static bool is_slower(const struct ranks *r, double x, double than)
{
	return r->slow == RANKS_SLOW_HIGH ? x > than : x < than;
}

static void measure_column(const struct ranks *r, uint32_t column, double *room,
			   struct rank_column *c)
{
	double sum = 0;
	double slowest = 0;

	*c = (struct rank_column){ 0 };
	for (uint32_t i = 0; i < r->label_count; i++) {
		double x = value(r, i, column);

		if (isnan(x))
			continue;
		if (!c->labels || is_slower(r, x, slowest)) {
			slowest = x;
			c->slowest = i;
		}
		c->min = !c->labels || x < c->min ? x : c->min;
		c->max = !c->labels || x > c->max ? x : c->max;
		sum += x;
		room[c->labels++] = x;
	}
	if (!c->labels)
		return;
	c->mean = sum / c->labels;
	c->median = median(room, c->labels);
	for (uint32_t i = 0; i < c->labels; i++)
		room[i] = fabs(room[i] - c->median);
	c->spread = NORMAL_SPREAD * median(room, c->labels);
}

/* If all the others agree to the bit, any distance is far. */
static double distance(const struct ranks *r, double x, const struct rank_column *c)
{
	double apart = r->slow == RANKS_SLOW_HIGH ? x - c->median : c->median - x;

	if (apart == 0)
		return 0;
	return c->spread > 0 ? apart / c->spread : copysign((double)INFINITY, apart);
}

static void measure_label(const struct ranks *r, uint32_t label, double *room,
			  const struct rank_column *columns, struct rank_label *l)
{
	uint32_t slow = 0;
	uint32_t compared = 0; /* columns: a rank alone in one is its own median */
	double sum = 0;

	*l = (struct rank_label){ .mean = (double)NAN };
	for (uint32_t i = 0; i < r->column_count; i++) {
		double x = value(r, label, i);

		if (isnan(x))
			continue;
		sum += x;
		l->columns++;
		if (columns[i].labels < 2)
			continue;
		room[compared] = distance(r, x, &columns[i]);
		slow += room[compared++] > RANKS_FAR;
	}
	if (!l->columns)
		return;
	l->mean = sum / l->columns;
	if (!compared)
		return;
	l->slow = (double)slow / compared;
	l->far = median(room, compared);
}

void ranks_measure(struct arena *a, const struct ranks *r, struct rank_column *ret_columns,
		   struct rank_label *ret_labels)
{
	uint32_t most = r->label_count > r->column_count ? r->label_count : r->column_count;
	double *room = arena_alloc(a, (most + (size_t)1) * sizeof(*room));

	for (uint32_t i = 0; i < r->column_count; i++)
		measure_column(r, i, room, &ret_columns[i]);
	for (uint32_t i = 0; i < r->label_count; i++)
		measure_label(r, i, room, ret_columns, &ret_labels[i]);
}
