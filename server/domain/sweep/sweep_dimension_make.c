#include "arena.h"
#include "sweep_config.h"
#include "sweep_dimension.h"
#include "sweep_math.h"
#include "sweep_space.h"
#include "sweep_value.h"

static void set_scale(struct sweep_dimension *d, enum sweep_scale scale, double low, double high,
		      double step)
{
	d->scale = scale;
	d->low = low;
	d->high = high;
	d->step = step;
}

static void set_real(struct sweep_dimension *d, const struct sweep_parameter *p)
{
	switch (p->kind) {
	case SWEEP_Q_UNIFORM:
		set_scale(d, SWEEP_SCALE_LINEAR, p->min, p->max, p->q);
		break;
	case SWEEP_Q_LOG_UNIFORM:
		set_scale(d, SWEEP_SCALE_LOG, p->min, p->max, p->q);
		break;
	case SWEEP_Q_LOG_UNIFORM_VALUES:
		set_scale(d, SWEEP_SCALE_LOG, sweep_log(p->min), sweep_log(p->max), p->q);
		break;
	case SWEEP_NORMAL:
		set_scale(d, SWEEP_SCALE_NORMAL, p->mu, p->sigma, 0);
		break;
	case SWEEP_Q_NORMAL:
		set_scale(d, SWEEP_SCALE_NORMAL, p->mu, p->sigma, p->q);
		break;
	case SWEEP_LOG_NORMAL:
		set_scale(d, SWEEP_SCALE_LOG_NORMAL, p->mu, p->sigma, 0);
		break;
	case SWEEP_Q_LOG_NORMAL:
		set_scale(d, SWEEP_SCALE_LOG_NORMAL, p->mu, p->sigma, p->q);
		break;
	default: /* the others are searched by their distribution function alone */
		set_scale(d, SWEEP_SCALE_LINEAR, 0, 1, 0);
		break;
	}
}

static bool is_ordered(const struct sweep_parameter *p)
{
	double before = 0, first = 0;

	for (size_t i = 0; i < p->value_count; i++) {
		double value;

		if (!sweep_value_number(&p->values[i], &value))
			return false;
		if (i == 1)
			first = value - before;
		if (i && !((value - before) * first > 0))
			return false;
		before = value;
	}
	return true;
}

static struct sweep_dimension dimension_of(const struct sweep_parameter *p)
{
	struct sweep_dimension d = { .kind = SWEEP_DIMENSION_REAL };

	if (p->kind == SWEEP_CATEGORICAL) {
		d.kind = SWEEP_DIMENSION_CATEGORICAL;
		d.count = (int64_t)p->value_count;
		d.weights = p->probabilities;
		d.is_ordered = is_ordered(p);
	} else if (p->kind == SWEEP_INT_UNIFORM) {
		d.kind = SWEEP_DIMENSION_WHOLE;
		d.count = (int64_t)((uint64_t)p->whole_max - (uint64_t)p->whole_min) + 1;
	} else {
		set_real(&d, p);
	}
	return d;
}

/* Dimensions of a config while they are made. */
struct making {
	struct arena *arena;
	const struct sweep_config *config;
	struct sweep_dimension *dimensions;
	size_t *places; /* for each parameter its dimension */
};

static bool is_among(const struct sweep_condition *c, const struct sweep_value *value)
{
	for (size_t i = 0; i < c->value_count; i++) {
		if (sweep_value_equal(&c->values[i], value))
			return true;
	}
	return false;
}

/* The interval of a number; false: the parameter never has this value. */
static bool has_interval(const struct sweep_parameter *p, const struct sweep_dimension *d,
			 const struct sweep_value *value, struct sweep_span *ret_interval)
{
	struct sweep_value drawn;
	double u;

	if (!sweep_parameter_cdf(p, value, &u))
		return false;
	u = sweep_dimension_inside(d, u);
	sweep_parameter_draw(p, u, &drawn);
	*ret_interval = sweep_dimension_interval(d, u);
	return sweep_value_equal(&drawn, value);
}

/* The coordinates of the values that the condition asks for. */
static struct sweep_activation activation_of(struct making *m, const struct sweep_condition *c)
{
	const struct sweep_parameter *p = &m->config->parameters[c->parameter];
	const struct sweep_dimension *d = &m->dimensions[m->places[c->parameter]];
	size_t most = p->kind == SWEEP_CATEGORICAL ? p->value_count : c->value_count;
	struct sweep_span *spans = arena_new_array(m->arena, struct sweep_span, most + 1);
	size_t count = 0;

	for (size_t i = 0; i < most && p->kind == SWEEP_CATEGORICAL; i++) {
		if (is_among(c, &p->values[i]))
			spans[count++] = sweep_dimension_interval(
				d, sweep_dimension_inside(d, sweep_dimension_end(d, (int64_t)i)));
	}
	for (size_t i = 0; i < most && p->kind != SWEEP_CATEGORICAL; i++) {
		if (has_interval(p, d, &c->values[i], &spans[count]))
			count++;
	}
	return (struct sweep_activation){ m->places[c->parameter], spans, count };
}

/* Never holds: it has no span. */
static void add_never(struct sweep_dimension *d, struct sweep_activation *items)
{
	items[d->condition_count++] = (struct sweep_activation){ 0, NULL, 0 };
}

/* A constant is always the same: its condition is known now, and its own conditions count instead. */
static void add_conditions(struct making *m, const struct sweep_parameter *p, size_t most,
			   struct sweep_dimension *d, struct sweep_activation *items)
{
	for (size_t i = 0; i < p->condition_count; i++) {
		const struct sweep_condition *c = &p->conditions[i];
		const struct sweep_parameter *other = &m->config->parameters[c->parameter];

		if (d->condition_count == most)
			return;
		if (sweep_parameter_is_searched(other))
			items[d->condition_count++] = activation_of(m, c);
		else if (!is_among(c, other->values))
			add_never(d, items);
		else
			add_conditions(m, other, most, d, items);
	}
}

const struct sweep_dimension *sweep_dimensions_make(struct arena *a, const struct sweep_config *c,
						    size_t *ret_count)
{
	enum { CONDITIONS_MOST = 4 * SWEEP_CONDITIONS_MAX };
	struct making m = {
		.arena = a,
		.config = c,
		.dimensions = arena_new_array(a, struct sweep_dimension, c->parameter_count + 1),
		.places = arena_new_array(a, size_t, c->parameter_count + 1),
	};
	size_t count = 0;

	for (size_t i = 0; i < c->parameter_count; i++) {
		if (!sweep_parameter_is_searched(&c->parameters[i]))
			continue;
		m.places[i] = count;
		m.dimensions[count++] = dimension_of(&c->parameters[i]);
	}
	for (size_t i = 0; i < c->parameter_count; i++) {
		const struct sweep_parameter *p = &c->parameters[i];
		struct sweep_activation *items;

		if (!sweep_parameter_is_searched(p) || !p->condition_count)
			continue;
		items = arena_new_array(a, struct sweep_activation, CONDITIONS_MOST);
		m.dimensions[m.places[i]].conditions = items;
		add_conditions(&m, p, CONDITIONS_MOST, &m.dimensions[m.places[i]], items);
	}
	*ret_count = count;
	return m.dimensions;
}
