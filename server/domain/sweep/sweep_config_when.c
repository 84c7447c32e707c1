/* Conditions of parameters. */
#include <math.h>

#include "arena.h"
#include "sweep_config_reader.h"

static bool has_path(const struct sweep_parameter *p, const struct str *prefix, size_t depth,
		     struct str name)
{
	struct str rest = p->name;

	for (size_t i = 0; i < depth; i++) {
		if (i >= p->depth || !str_equal(p->path[i], prefix[i]))
			return false;
		rest = (struct str){ rest.at + p->path[i].len + 1, rest.len - p->path[i].len - 1 };
	}
	return p->depth > depth && str_equal(rest, name);
}

/* A name is looked for next to the parameter, then in the objects around it, then as a full name. */
static bool find(const struct sweep_parameter *parameters, size_t count,
		 const struct sweep_when *when, struct str name, size_t *ret_index)
{
	size_t depth = when->depth + 1;

	while (depth-- > 0) {
		for (size_t i = 0; i < count; i++) {
			if (has_path(&parameters[i], when->prefix, depth, name)) {
				*ret_index = i;
				return true;
			}
		}
	}
	return false;
}

static bool has_values(const struct sweep_parameter *p)
{
	return p->kind == SWEEP_CATEGORICAL || p->kind == SWEEP_CONSTANT ||
	       p->kind == SWEEP_INT_UNIFORM;
}

/* The conditions of a parameter while they are read. */
struct reading {
	struct sweep_reader *r;
	const struct sweep_parameter *parameters;
	size_t parameter_count;
	struct sweep_condition *conditions;
	size_t count;
};

static bool has_value(const struct sweep_parameter *p, const struct sweep_value *v)
{
	double number;

	if (p->kind == SWEEP_INT_UNIFORM)
		return sweep_value_number(v, &number) && number == rint(number) &&
		       number >= p->min && number <= p->max;
	for (size_t i = 0; i < p->value_count; i++)
		if (sweep_value_equal(&p->values[i], v))
			return true;
	return false;
}

static void check_values(const struct reading *x, const struct sweep_when *when,
			 const struct sweep_condition *c, const struct sweep_value *at)
{
	const struct sweep_parameter *p = &x->parameters[c->parameter];

	if (!c->value_count)
		sweep_reader_error(x->r, at, when->path, "expected at least one value");
	for (size_t i = 0; i < c->value_count; i++)
		if (!has_value(p, &c->values[i]))
			sweep_reader_warn(x->r, &c->values[i], when->path,
					  "\"%.*s\" never has this value", STR_ARG(p->name));
}

static void add_condition(struct reading *x, const struct sweep_when *when,
			  const struct sweep_member *m)
{
	struct sweep_condition c = { .values = &m->value, .value_count = 1 };

	if (!find(x->parameters, x->parameter_count, when, m->name, &c.parameter)) {
		sweep_reader_error(x->r, &m->value, when->path, "unknown parameter \"%.*s\"",
				   STR_ARG(str_head(m->name, 100)));
		return;
	}
	if (!has_values(&x->parameters[c.parameter])) {
		sweep_reader_error(x->r, &m->value, when->path,
				   "\"%.*s\" must be a parameter with values or of int_uniform",
				   STR_ARG(str_head(m->name, 100)));
		return;
	}
	if (m->value.kind == SWEEP_LIST) {
		c.values = m->value.list.items;
		c.value_count = m->value.list.count;
	}
	if (x->count == SWEEP_CONDITIONS_MAX) {
		sweep_reader_error(x->r, &m->value, when->path, "more than %d conditions",
				   SWEEP_CONDITIONS_MAX);
		return;
	}
	check_values(x, when, &c, &m->value);
	x->conditions[x->count++] = c;
}

static void read_when(struct reading *x, const struct sweep_when *when)
{
	const struct sweep_value *v;

	for (; when; when = when->outer) {
		v = when->value;
		if (!v)
			continue;
		if (v->kind != SWEEP_OBJECT) {
			sweep_reader_error(x->r, v, when->path,
					   "expected an object such as {optimizer: [sgd]}, not %s",
					   sweep_kind_name(v->kind));
			continue;
		}
		for (size_t i = 0; i < v->object.count; i++)
			add_condition(x, when, &v->object.members[i]);
	}
}

static bool has_when(const struct sweep_when *when)
{
	for (; when; when = when->outer)
		if (when->value)
			return true;
	return false;
}

/* Depth-first: 1 is on the way, 2 is done. */
static bool has_cycle(const struct sweep_parameter *parameters, size_t i, unsigned char *seen)
{
	if (seen[i])
		return seen[i] == 1;
	seen[i] = 1;
	for (size_t k = 0; k < parameters[i].condition_count; k++)
		if (has_cycle(parameters, parameters[i].conditions[k].parameter, seen))
			return true;
	seen[i] = 2;
	return false;
}

static void check_cycles(struct sweep_reader *r, const struct sweep_parameter *parameters,
			 size_t count)
{
	unsigned char *seen = arena_zalloc(r->arena, count + 1, 1);

	for (size_t i = 0; i < count; i++) {
		const struct sweep_value at = { .line = parameters[i].line,
						.column = parameters[i].column };

		if (!has_cycle(parameters, i, seen))
			continue;
		sweep_reader_error(r, &at,
				   sweep_reader_path(r, STR("parameters"), parameters[i].name),
				   "it depends on itself by its conditions");
		return;
	}
}

void sweep_reader_conditions(struct sweep_reader *r, struct sweep_parameter *parameters,
			     const struct sweep_when *whens, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct reading x = { .r = r, .parameters = parameters, .parameter_count = count };

		if (!has_when(&whens[i]))
			continue;
		x.conditions =
			arena_new_array(r->arena, struct sweep_condition, SWEEP_CONDITIONS_MAX);
		read_when(&x, &whens[i]);
		parameters[i].conditions = x.conditions;
		parameters[i].condition_count = x.count;
	}
	check_cycles(r, parameters, count);
}
