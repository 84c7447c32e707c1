/*
 * Points of a finite space as numbers: mixed radix over the parameters in an order in which those with conditions come after those
 * they depend on. Then the digits before a place say whether its parameter is part of the point, and the next or previous number that
 * is a point is found by one walk over the digits.
 */
#include "sweep_space.h"

#include <string.h>

#include "arena.h"
#include "sweep_digit.h"
#include "sweep_grid.h"
#include "sweep_space_inside.h"

static int64_t times(int64_t x, int64_t y)
{
	int64_t product;

	if (__builtin_mul_overflow(x, y, &product) || product > SWEEP_COUNT_MAX)
		return SWEEP_COUNT_MAX;
	return product;
}

/* ---- the order of parameters -------------------------------------------------------------------------------- */

static bool is_placed(const struct sweep_parameter *p, const bool *placed)
{
	for (size_t i = 0; i < p->condition_count; i++)
		if (!placed[p->conditions[i].parameter])
			return false;
	return true;
}

/* The first by name among those whose conditions are about parameters that have a place. */
static void make_order(struct arena *a, struct sweep_space *s)
{
	const struct sweep_config *c = s->config;
	bool *placed = arena_new_array(a, bool, c->parameter_count + 1);

	s->order = arena_new_array(a, size_t, c->parameter_count + 1);
	for (size_t n = 0; n < c->parameter_count; n++) {
		size_t i = 0;

		while (placed[i] || !is_placed(&c->parameters[i], placed))
			i++;
		placed[i] = true;
		s->order[n] = i;
	}
}

/* ---- making it ------------------------------------------------------------------------------------------------ */

static void make_conditions(struct arena *a, struct sweep_space *s, size_t parameter)
{
	const struct sweep_parameter *p = &s->config->parameters[parameter];
	struct sweep_digit *d = &s->digits[parameter];

	d->conditions = arena_new_array(a, struct sweep_test, p->condition_count + 1);
	for (size_t i = 0; i < p->condition_count; i++) {
		d->conditions[i].parameter = p->conditions[i].parameter;
		sweep_digit_allow(a, &s->digits[p->conditions[i].parameter], &p->conditions[i],
				  &d->conditions[i]);
		s->digits[p->conditions[i].parameter].is_controller = true;
		s->has_conditions = true;
	}
}

struct sweep_space *sweep_space_new(struct arena *a, const struct sweep_config *c)
{
	struct sweep_space *s = arena_new_of(a, struct sweep_space);

	s->config = c;
	s->end = 1;
	s->digits = arena_new_array(a, struct sweep_digit, c->parameter_count + 1);
	s->searched = arena_new_array(a, size_t, c->parameter_count + 1);
	make_order(a, s);
	for (size_t i = 0; i < c->parameter_count; i++) {
		sweep_digit_make(a, &c->parameters[i], c->method == SWEEP_GRID, &s->digits[i]);
		s->is_infinite |= !s->digits[i].count;
		s->end = times(s->end, s->digits[i].count);
		if (sweep_parameter_is_searched(&c->parameters[i]))
			s->searched[s->dimensions++] = i;
	}
	for (size_t i = 0; i < c->parameter_count; i++)
		make_conditions(a, s, i);
	s->has_points = !s->is_infinite && s->end < SWEEP_COUNT_MAX;
	s->count = s->is_infinite      ? SWEEP_COUNT_INFINITE
		   : s->has_conditions ? sweep_space_count_points(a, s)
				       : s->end;
	s->place = arena_new_array(a, int64_t, c->parameter_count + 1);
	return s;
}

int64_t sweep_space_count(const struct sweep_space *s)
{
	return s->count;
}

bool sweep_space_has_points(const struct sweep_space *s)
{
	return s->has_points;
}

int64_t sweep_space_end(const struct sweep_space *s)
{
	return s->has_points ? s->end : 0;
}

size_t sweep_space_dimensions(const struct sweep_space *s)
{
	return s->dimensions;
}

size_t sweep_space_parameter(const struct sweep_space *s, size_t dimension)
{
	return s->searched[dimension];
}

const struct sweep_config *sweep_space_config(const struct sweep_space *s)
{
	return s->config;
}

/* ---- which parameters are part of a point ------------------------------------------------------------------------ */

bool sweep_space_is_active(const struct sweep_space *s, size_t parameter, const int64_t *places)
{
	const struct sweep_digit *d = &s->digits[parameter];

	for (size_t i = 0; i < s->config->parameters[parameter].condition_count; i++) {
		const struct sweep_test *t = &d->conditions[i];

		if (places[t->parameter] < 0 || !sweep_digit_passes(t, places[t->parameter]))
			return false;
	}
	return true;
}

/* ---- numbers and digits --------------------------------------------------------------------------------------------- */

static void split(const struct sweep_space *s, int64_t point, int64_t *digits)
{
	for (size_t n = s->config->parameter_count; n-- > 0;) {
		int64_t count = s->digits[s->order[n]].count;

		digits[n] = point % count;
		point /= count;
	}
}

static int64_t joined(const struct sweep_space *s, const int64_t *digits)
{
	int64_t point = 0;

	for (size_t n = 0; n < s->config->parameter_count; n++)
		point = point * s->digits[s->order[n]].count + digits[n];
	return point;
}

/*
 * The first place whose digit is not 0 although its parameter is not part of the point; parameter_count: the digits are a point.
 * s->place gets the digit of each parameter, -1 of those that are not part.
 */
static size_t first_wrong(const struct sweep_space *s, const int64_t *digits)
{
	size_t wrong = s->config->parameter_count;

	for (size_t n = s->config->parameter_count; n-- > 0;)
		s->place[s->order[n]] = -1;
	for (size_t n = 0; n < s->config->parameter_count; n++) {
		size_t parameter = s->order[n];

		if (sweep_space_is_active(s, parameter, s->place))
			s->place[parameter] = digits[n];
		else if (digits[n] && wrong > n)
			wrong = n;
	}
	return wrong;
}

/* Adds 1 to the number that the first n digits are, and sets all others to 0; false: there is no greater one. */
static bool increase(const struct sweep_space *s, int64_t *digits, size_t n)
{
	memset(digits + n, 0, (s->config->parameter_count - n) * sizeof(*digits));
	while (n-- > 0) {
		if (++digits[n] < s->digits[s->order[n]].count)
			return true;
		digits[n] = 0;
	}
	return false;
}

int64_t sweep_space_from(const struct sweep_space *s, int64_t from)
{
	int64_t digits[SWEEP_PARAMETERS_MAX];
	size_t wrong;

	if (!s->has_points || from >= s->end)
		return SWEEP_POINT_NONE;
	if (from < 0)
		from = 0;
	if (!s->has_conditions)
		return from;
	split(s, from, digits);
	while ((wrong = first_wrong(s, digits)) < s->config->parameter_count)
		if (!increase(s, digits, wrong))
			return SWEEP_POINT_NONE;
	return joined(s, digits);
}

int64_t sweep_space_before(const struct sweep_space *s, int64_t from)
{
	int64_t digits[SWEEP_PARAMETERS_MAX];

	if (!s->has_points || from < 0)
		return SWEEP_POINT_NONE;
	if (from >= s->end)
		from = s->end - 1;
	if (!s->has_conditions)
		return from;
	split(s, from, digits);
	for (size_t n = first_wrong(s, digits); n < s->config->parameter_count; n++) {
		size_t parameter = s->order[n];
		bool is_active = sweep_space_is_active(s, parameter, s->place);

		digits[n] = is_active ? s->digits[parameter].count - 1 : 0;
		s->place[parameter] = is_active ? digits[n] : -1;
	}
	return joined(s, digits);
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

void sweep_space_values(const struct sweep_space *s, int64_t point, struct sweep_value *ret_values)
{
	int64_t digits[SWEEP_PARAMETERS_MAX];

	split(s, point, digits);
	first_wrong(s, digits);
	for (size_t n = 0; n < s->config->parameter_count; n++) {
		size_t i = s->order[n];

		if (s->place[i] < 0)
			ret_values[i] = (struct sweep_value){ .kind = SWEEP_ABSENT };
		else
			sweep_digit_value(&s->digits[i], s->place[i], &ret_values[i]);
	}
}

void sweep_space_parts(const struct sweep_space *s, const struct sweep_value *values, bool *ret_has)
{
	for (size_t n = 0; n < s->config->parameter_count; n++) {
		size_t i = s->order[n];

		ret_has[i] = sweep_space_is_active(s, i, s->place);
		s->place[i] = -1;
		if (ret_has[i] && s->digits[i].is_controller)
			s->place[i] = sweep_digit_of(&s->digits[i], &values[i]);
	}
}

void sweep_space_draw(const struct sweep_space *s, const double *u, struct sweep_value *ret_values)
{
	bool has[SWEEP_PARAMETERS_MAX];
	size_t dimension = 0;

	for (size_t i = 0; i < s->config->parameter_count; i++) {
		const struct sweep_parameter *p = &s->config->parameters[i];

		sweep_parameter_draw(p, sweep_parameter_is_searched(p) ? u[dimension++] : 0.5,
				     &ret_values[i]);
	}
	if (!s->has_conditions)
		return;
	sweep_space_parts(s, ret_values, has);
	for (size_t i = 0; i < s->config->parameter_count; i++)
		if (!has[i])
			ret_values[i] = (struct sweep_value){ .kind = SWEEP_ABSENT };
}

int64_t sweep_space_point(const struct sweep_space *s, const struct sweep_value *values)
{
	int64_t point = 0;

	if (!s->has_points)
		return SWEEP_POINT_NONE;
	for (size_t n = 0; n < s->config->parameter_count; n++) {
		size_t i = s->order[n];
		int64_t digit = 0;

		if (!sweep_space_is_active(s, i, s->place)) {
			s->place[i] = -1;
		} else {
			digit = sweep_digit_of(&s->digits[i], &values[i]);
			s->place[i] = digit;
			if (digit < 0)
				return SWEEP_POINT_NONE;
		}
		point = point * s->digits[i].count + digit;
	}
	return point;
}

void sweep_space_find(const struct sweep_space *s, const struct sweep_value *params,
		      struct sweep_value *ret_values)
{
	for (size_t i = 0; i < s->config->parameter_count; i++) {
		const struct sweep_parameter *p = &s->config->parameters[i];
		const struct sweep_value *v = params;

		for (size_t k = 0; k < p->depth && v; k++)
			v = sweep_value_get(v, p->path[k]);
		ret_values[i] = v ? *v : (struct sweep_value){ .kind = SWEEP_ABSENT };
	}
}

int64_t sweep_space_point_of(const struct sweep_space *s, const struct sweep_value *params)
{
	struct sweep_value values[SWEEP_PARAMETERS_MAX];

	sweep_space_find(s, params, values);
	return sweep_space_point(s, values);
}
