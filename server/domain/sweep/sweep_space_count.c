/*
 * The number of points of a space with conditions. Parameters that no condition connects are counted apart, and their counts
 * multiplied; within a connected group each value that a condition names is tried, and all others at once.
 */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "sweep_space_inside.h"

/* Values tried times parameters; with more the count is unknown, that is, SWEEP_COUNT_MAX. */
enum { WORK_MAX = 300000 };

struct counting {
	const struct sweep_space *s;
	const size_t *group; /* parameters, in the order of the space */
	size_t count;
	struct sweep_test *named; /* of each parameter: the digits that any condition names */
	int64_t *places;
	int64_t work;
};

static int64_t plus(int64_t x, int64_t y)
{
	return x >= SWEEP_COUNT_MAX - y ? SWEEP_COUNT_MAX : x + y;
}

static int64_t times(int64_t x, int64_t y)
{
	int64_t product;

	if (__builtin_mul_overflow(x, y, &product) || product > SWEEP_COUNT_MAX)
		return SWEEP_COUNT_MAX;
	return product;
}

static int64_t count_from(struct counting *c, size_t n);

static int64_t count_values(struct counting *c, size_t n, size_t parameter)
{
	const struct sweep_test *named = &c->named[parameter];
	int64_t count = c->s->digits[parameter].count;
	int64_t sum = 0;

	for (size_t i = 0; i < named->count && c->work < WORK_MAX; i++) {
		c->places[parameter] = named->allowed[i];
		sum = plus(sum, count_from(c, n + 1));
	}
	if ((int64_t)named->count < count) {
		c->places[parameter] = count; /* stands for all that no condition names */
		sum = plus(sum, times(count - (int64_t)named->count, count_from(c, n + 1)));
	}
	return sum;
}

/* The points of the parameters of the group from number n on. */
static int64_t count_from(struct counting *c, size_t n)
{
	size_t parameter;

	if (n == c->count || ++c->work >= WORK_MAX)
		return 1;
	parameter = c->group[n];
	if (!sweep_space_is_active(c->s, parameter, c->places)) {
		c->places[parameter] = -1;
		return count_from(c, n + 1);
	}
	if (c->named[parameter].count)
		return count_values(c, n, parameter);
	c->places[parameter] = c->s->digits[parameter].count;
	return times(c->s->digits[parameter].count, count_from(c, n + 1));
}

static int by_number(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x;
	int64_t b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

/* The union of the digits that conditions on a parameter name. */
static struct sweep_test named_digits(struct arena *a, const struct sweep_space *s,
				      size_t parameter)
{
	struct sweep_test named = { .parameter = parameter };
	size_t size = 0;
	int64_t *digits = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < s->config->parameter_count; i++) {
		for (size_t k = 0; k < s->config->parameters[i].condition_count; k++) {
			const struct sweep_test *t = &s->digits[i].conditions[k];

			for (size_t v = 0; t->parameter == parameter && v < t->count; v++) {
				if (named.count == size)
					digits = arena_grow(a, digits, &size, sizeof(*digits));
				digits[named.count++] = t->allowed[v];
			}
		}
	}
	if (named.count)
		qsort(digits, named.count, sizeof(*digits), by_number);
	for (size_t i = 0; i < named.count; i++)
		if (!kept || digits[kept - 1] != digits[i])
			digits[kept++] = digits[i];
	named.allowed = digits;
	named.count = kept;
	return named;
}

static size_t root_of(const size_t *above, size_t i)
{
	while (above[i] != i)
		i = above[i];
	return i;
}

/* Parameters that conditions connect have one root. */
static size_t *connect(struct arena *a, const struct sweep_space *s)
{
	size_t *above = arena_new_array(a, size_t, s->config->parameter_count + 1);

	for (size_t i = 0; i < s->config->parameter_count; i++)
		above[i] = i;
	for (size_t i = 0; i < s->config->parameter_count; i++)
		for (size_t k = 0; k < s->config->parameters[i].condition_count; k++)
			above[root_of(above, i)] =
				root_of(above, s->config->parameters[i].conditions[k].parameter);
	return above;
}

int64_t sweep_space_count_points(struct arena *a, const struct sweep_space *s)
{
	size_t count = s->config->parameter_count;
	size_t *above = connect(a, s);
	size_t *group = arena_new_array(a, size_t, count + 1);
	struct counting c = { .s = s,
			      .group = group,
			      .places = arena_new_array(a, int64_t, count + 1) };
	int64_t product = 1;

	c.named = arena_new_array(a, struct sweep_test, count + 1);
	for (size_t i = 0; i < count; i++)
		if (s->digits[i].is_controller)
			c.named[i] = named_digits(a, s, i);
	for (size_t root = 0; root < count; root++) {
		c.count = 0;
		for (size_t n = 0; above[root] == root && n < count; n++)
			if (root_of(above, s->order[n]) == root)
				group[c.count++] = s->order[n];
		if (c.count)
			product = times(product, count_from(&c, 0));
	}
	return c.work < WORK_MAX ? product : SWEEP_COUNT_MAX;
}
