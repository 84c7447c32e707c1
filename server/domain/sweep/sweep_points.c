#include "sweep_points.h"

#include <math.h>

#include "arena.h"
#include "sweep_dimension.h"
#include "sweep_draw.h"
#include "sweep_sample.h"

struct sweep_points sweep_points_make(struct arena *a, const struct sweep_samples *s)
{
	size_t d = s->dimensions;
	struct sweep_points p = {
		.dimension = s->dimension,
		.dimensions = d,
		.count = s->count + s->pending,
	};

	p.rows = arena_new_array(a, double, p.count *d + 1);
	for (size_t i = 0; i < p.count; i++) {
		const double *from = i < s->count ? s->x + i * d
						  : s->pending_x + (i - s->count) * d;

		for (size_t j = 0; j < d; j++)
			p.rows[i * d + j] = sweep_dimension_inside(&s->dimension[j], from[j]);
	}
	return p;
}

bool sweep_points_are_finite(const struct sweep_points *p)
{
	for (size_t i = 0; i < p->dimensions; i++) {
		if (!sweep_dimension_is_finite(&p->dimension[i]))
			return false;
	}
	return true;
}

static bool is_same(const double *one, const double *other, size_t dimensions)
{
	for (size_t i = 0; i < dimensions; i++) {
		if (one[i] != other[i] && !(isnan(one[i]) && isnan(other[i])))
			return false;
	}
	return true;
}

bool sweep_points_have(const struct sweep_points *p, const double *u)
{
	for (size_t i = 0; i < p->count; i++) {
		if (is_same(p->rows + i * p->dimensions, u, p->dimensions))
			return true;
	}
	return false;
}

void sweep_points_draw(const struct sweep_points *p, struct sweep_draw *draw, double *ret_u)
{
	for (size_t i = 0; i < p->dimensions; i++)
		ret_u[i] = sweep_draw_unit(draw);
}
