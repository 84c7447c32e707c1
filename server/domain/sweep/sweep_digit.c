#include "sweep_digit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "sweep_grid.h"
#include "sweep_space.h"

/* ---- values of lists ------------------------------------------------------------------------------------------------ */

static int by_text(const void *x, const void *y)
{
	return str_compare(*(const struct str *)x, *(const struct str *)y);
}

/* By key, then by place in the list. */
static int by_key(const void *x, const void *y)
{
	const struct sweep_digit_key *a = x;
	const struct sweep_digit_key *b = y;
	int order = str_compare(a->key, b->key);

	return order ? order : a->digit < b->digit ? -1 : a->digit > b->digit;
}

static void find_names(struct arena *a, const struct sweep_parameter *p, struct sweep_digit *d)
{
	size_t count = 0;
	struct str *names;
	size_t kept = 0;

	for (size_t i = 0; i < p->value_count; i++)
		count += p->values[i].kind == SWEEP_OBJECT ? p->values[i].object.count : 0;
	names = arena_new_array(a, struct str, count + 1);
	count = 0;
	for (size_t i = 0; i < p->value_count; i++)
		for (size_t k = 0;
		     p->values[i].kind == SWEEP_OBJECT && k < p->values[i].object.count; k++)
			names[count++] = p->values[i].object.members[k].name;
	qsort(names, count, sizeof(*names), by_text);
	for (size_t i = 0; i < count; i++)
		if (!kept || !str_equal(names[kept - 1], names[i]))
			names[kept++] = names[i];
	d->names = names;
	d->name_count = kept;
}

/* Numbers the keys in the order of the list: first[i] is the first place in the list of the value at place i. */
static void number_values(struct arena *a, const struct sweep_parameter *p,
			  struct sweep_digit_key *keys, struct sweep_digit *d)
{
	size_t n = p->value_count;
	size_t *first = arena_new_array(a, size_t, n);
	int64_t *digits = arena_new_array(a, int64_t, n);
	const struct sweep_value **values = arena_new_array(a, const struct sweep_value *, n);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) { /* sorted by key, then by place */
		bool is_new = i == 0 || !str_equal(keys[i].key, keys[i - 1].key);

		first[keys[i].digit] = is_new ? (size_t)keys[i].digit : first[keys[i - 1].digit];
	}
	for (size_t i = 0; i < n; i++) {
		if (first[i] == i)
			digits[i] = d->count++;
		values[digits[first[i]]] = &p->values[i]; /* the last one stays */
	}
	for (size_t i = 0; i < n; i++) {
		int64_t place = keys[i].digit;

		if (first[place] == (size_t)place)
			keys[kept++] = (struct sweep_digit_key){ keys[i].key, digits[place] };
	}
	d->values = values;
	d->keys = keys;
}

static void make_list(struct arena *a, const struct sweep_parameter *p, struct sweep_digit *d)
{
	struct sweep_digit_key *keys = arena_new_array(a, struct sweep_digit_key, p->value_count);

	for (size_t i = 0; i < p->value_count; i++)
		keys[i] = (struct sweep_digit_key){ sweep_value_key(a, &p->values[i]), (int64_t)i };
	qsort(keys, p->value_count, sizeof(*keys), by_key);
	number_values(a, p, keys, d);
	find_names(a, p, d);
}

static struct sweep_value with_known_names(struct arena *a, const struct sweep_digit *d,
					   const struct sweep_value *v)
{
	struct sweep_member *members = arena_new_array(a, struct sweep_member, v->object.count + 1);
	struct sweep_value known = { .kind = SWEEP_OBJECT, .object = { .members = members } };

	for (size_t i = 0; i < v->object.count; i++)
		if (bsearch(&v->object.members[i].name, d->names, d->name_count, sizeof(*d->names),
			    by_text))
			members[known.object.count++] = v->object.members[i];
	return known;
}

static int64_t find_in_list(const struct sweep_digit *d, const struct sweep_value *v)
{
	struct arena_mark mark = arena_mark(d->arena);
	struct sweep_value known = *v;
	struct str key;
	int64_t low = 0;
	int64_t high = d->count;
	int64_t found = -1;

	if (v->kind == SWEEP_OBJECT && d->name_count)
		known = with_known_names(d->arena, d, v);
	key = sweep_value_key(d->arena, &known);
	while (low < high && found < 0) {
		int64_t middle = low + (high - low) / 2;
		int order = str_compare(d->keys[middle].key, key);

		if (order == 0)
			found = d->keys[middle].digit;
		else if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	arena_rewind(d->arena, &mark);
	return found;
}

/* ---- all kinds ---------------------------------------------------------------------------------------------------------- */

/* Steps of q from one end to the other; normal distributions have no ends. */
static void make_quantised(const struct sweep_parameter *p, struct sweep_digit *d)
{
	double low, high;

	if (p->kind == SWEEP_Q_NORMAL || p->kind == SWEEP_Q_LOG_NORMAL)
		return;
	low = sweep_parameter_steps(p, 0);
	high = sweep_parameter_steps(p, 1);
	if (!(fmax(fabs(low), fabs(high)) <= SWEEP_STEPS_MAX))
		return;
	d->low = (int64_t)low;
	d->count = (int64_t)high - d->low + 1;
}

void sweep_digit_make(struct arena *a, const struct sweep_parameter *p, bool is_grid,
		      struct sweep_digit *ret_digit)
{
	*ret_digit = (struct sweep_digit){ .parameter = p, .is_grid = is_grid, .arena = a };
	if (p->kind == SWEEP_CONSTANT)
		ret_digit->count = 1;
	else if (p->kind == SWEEP_CATEGORICAL)
		make_list(a, p, ret_digit);
	else if (p->kind == SWEEP_INT_UNIFORM)
		ret_digit->count = p->whole_max - p->whole_min + 1;
	else if (p->kind == SWEEP_Q_UNIFORM && is_grid)
		ret_digit->count = sweep_grid_steps(p);
	else if (sweep_parameter_is_quantised(p))
		make_quantised(p, ret_digit);
}

void sweep_digit_value(const struct sweep_digit *d, int64_t digit, struct sweep_value *ret_value)
{
	const struct sweep_parameter *p = d->parameter;

	if (p->kind == SWEEP_CONSTANT)
		*ret_value = p->values[0];
	else if (p->kind == SWEEP_CATEGORICAL)
		*ret_value = *d->values[digit];
	else if (p->kind == SWEEP_INT_UNIFORM)
		*ret_value =
			(struct sweep_value){ .kind = SWEEP_INT, .whole = p->whole_min + digit };
	else if (d->is_grid)
		sweep_grid_step(p, digit, ret_value);
	else
		sweep_parameter_step(p, (double)(d->low + digit), ret_value);
}

/* The digit next to an estimate that has exactly this number. */
static int64_t find_number(const struct sweep_digit *d, double estimate, double number)
{
	if (!(estimate >= -1 && estimate <= (double)d->count))
		return -1;
	for (int64_t digit = (int64_t)estimate - 1; digit <= (int64_t)estimate + 1; digit++) {
		struct sweep_value v;
		double x = NAN;

		if (digit < 0 || digit >= d->count)
			continue;
		sweep_digit_value(d, digit, &v);
		if (sweep_value_number(&v, &x) && x == number)
			return digit;
	}
	return -1;
}

int64_t sweep_digit_of(const struct sweep_digit *d, const struct sweep_value *v)
{
	const struct sweep_parameter *p = d->parameter;
	double number;

	if (p->kind == SWEEP_CONSTANT)
		return 0;
	if (v->kind == SWEEP_ABSENT)
		return -1;
	if (p->kind == SWEEP_CATEGORICAL)
		return find_in_list(d, v);
	if (!sweep_value_number(v, &number))
		return -1;
	if (p->kind == SWEEP_INT_UNIFORM)
		return find_number(d, rint(number - p->min), number);
	if (d->is_grid)
		return find_number(d, rint((number - p->min) / (p->min + p->q - p->min)), number);
	return find_number(d, rint(number / p->q) - (double)d->low, number);
}

/* ---- conditions ------------------------------------------------------------------------------------------------------------ */

static int by_number(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x;
	int64_t b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

void sweep_digit_allow(struct arena *a, const struct sweep_digit *d,
		       const struct sweep_condition *c, struct sweep_test *ret_test)
{
	int64_t *allowed = arena_new_array(a, int64_t, c->value_count + 1);
	size_t count = 0;
	size_t kept = 0;

	for (size_t i = 0; i < c->value_count; i++) {
		int64_t digit = sweep_digit_of(d, &c->values[i]);

		if (d->parameter->kind == SWEEP_CONSTANT &&
		    !sweep_value_equal(&d->parameter->values[0], &c->values[i]))
			digit = -1;
		if (digit >= 0)
			allowed[count++] = digit;
	}
	qsort(allowed, count, sizeof(*allowed), by_number);
	for (size_t i = 0; i < count; i++)
		if (!kept || allowed[kept - 1] != allowed[i])
			allowed[kept++] = allowed[i];
	ret_test->allowed = allowed;
	ret_test->count = kept;
}

bool sweep_digit_passes(const struct sweep_test *t, int64_t digit)
{
	return bsearch(&digit, t->allowed, t->count, sizeof(*t->allowed), by_number) != NULL;
}
