/* All parameters of a config: nested ones are flattened, sorted as wandb does, level by level; then their conditions. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "sweep_config_reader.h"

/* Joins nested names in wandb; names cannot hold it. */
#define DELIMITER ".wbnest[599c28ca25da]."

/* The objects around a parameter. */
struct nest {
	const struct str *names;
	size_t depth;
	struct str path;
	const struct sweep_when *when;
};

static void read_level(struct sweep_reader *r, const struct sweep_value *object,
		       const struct nest *nest);

static struct str join(struct sweep_reader *r, const struct str *names, size_t count,
		       const char *delimiter)
{
	struct buf *b = buf_new(r->arena);

	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_add_text(b, delimiter);
		buf_add_str(b, names[i]);
	}
	return buf_str(b);
}

/* ^[A-Za-z_][A-Za-z0-9_.-]*$ of wandb's schema; others work. */
static bool is_usual_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];
		bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';

		if (!is_letter && (i == 0 || !((c >= '0' && c <= '9') || c == '.' || c == '-')))
			return false;
	}
	return true;
}

static bool check_name(struct sweep_reader *r, const struct sweep_member *m, struct str path)
{
	const struct sweep_value at = { .line = m->line, .column = m->column };
	char *name = str_copy(r->arena, m->name);

	if (!m->name.len || strstr(name, DELIMITER)) {
		sweep_reader_error(r, &at, path, "invalid name of a parameter");
		return false;
	}
	if (!is_usual_name(m->name))
		sweep_reader_warn(
			r, &at, path,
			"wandb accepts names of letters, digits, \"_\", \".\" and \"-\" only");
	return true;
}

static bool is_nested(const struct sweep_value *v)
{
	static const char *const others[] = { "distribution", "value", "values", "min", "max" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (sweep_value_get_named(v, others[i]))
			return false;
	return sweep_value_get_named(v, "parameters");
}

static const struct sweep_when *when_of(struct sweep_reader *r, const struct sweep_value *v,
					const struct nest *nest, struct str path)
{
	struct sweep_when *when = arena_new_of(r->arena, struct sweep_when);

	*when = (struct sweep_when){ .value = sweep_value_get_named(v, "when"),
				     .outer = nest->when,
				     .prefix = nest->names,
				     .depth = nest->depth,
				     .path = sweep_reader_path(r, path, STR("when")) };
	return when;
}

static void read_nested(struct sweep_reader *r, const struct sweep_value *v,
			const struct nest *nest)
{
	static const char *const names[] = { "parameters", "when", NULL };
	const struct sweep_value *inner = sweep_value_get_named(v, "parameters");

	sweep_reader_check_names(r, v, nest->path, names, "a nested parameter");
	if (inner->kind == SWEEP_OBJECT)
		read_level(r, inner, nest);
	else
		sweep_reader_error(r, inner, nest->path, "expected an object of parameters, not %s",
				   sweep_kind_name(inner->kind));
}

static void add_parameter(struct sweep_reader *r, const struct sweep_member *m,
			  const struct nest *inner)
{
	struct sweep_parameter p = {
		.path = inner->names, .depth = inner->depth, .line = m->line, .column = m->column
	};

	p.name = join(r, p.path, p.depth, ".");
	p.key = join(r, p.path, p.depth, DELIMITER);
	if (p.name.len > SWEEP_NAME_MAX)
		sweep_reader_error(r, &m->value, inner->path, "a name of more than %d bytes",
				   SWEEP_NAME_MAX);
	sweep_reader_parameter(r, &m->value, inner->path, &p);
	buf_add(&r->parameters, &p, sizeof(p));
	buf_add(&r->whens, inner->when, sizeof(*inner->when));
}

static void read_member(struct sweep_reader *r, const struct sweep_member *m,
			const struct nest *nest)
{
	struct nest inner = { .depth = nest->depth + 1,
			      .path = sweep_reader_path(r, nest->path, m->name) };
	struct str *names = arena_new_array(r->arena, struct str, inner.depth);

	if (!check_name(r, m, inner.path))
		return;
	if (nest->depth)
		memcpy(names, nest->names, nest->depth * sizeof(*names));
	names[nest->depth] = m->name;
	inner.names = names;
	inner.when = when_of(r, &m->value, nest, inner.path);
	if (m->value.kind != SWEEP_OBJECT)
		sweep_reader_error(r, &m->value, inner.path,
				   "expected an object such as {values: [1, 2]}, not %s",
				   sweep_kind_name(m->value.kind));
	else if (is_nested(&m->value))
		read_nested(r, &m->value, &inner);
	else if (r->parameters.len / sizeof(struct sweep_parameter) == SWEEP_PARAMETERS_MAX)
		sweep_reader_error(r, &m->value, STR("parameters"), "more than %d parameters",
				   SWEEP_PARAMETERS_MAX);
	else
		add_parameter(r, m, &inner);
}

static void read_level(struct sweep_reader *r, const struct sweep_value *object,
		       const struct nest *nest)
{
	for (size_t i = 0; i < object->object.count && r->faults->count < SWEEP_FAULTS_MAX; i++)
		read_member(r, &object->object.members[i], nest);
}

/* ---- order ------------------------------------------------------------------------------------------------- */

struct pair {
	struct sweep_parameter parameter;
	struct sweep_when when;
};

/* Name by name from the outside. */
static int by_path(const void *x, const void *y)
{
	const struct sweep_parameter *a = &((const struct pair *)x)->parameter;
	const struct sweep_parameter *b = &((const struct pair *)y)->parameter;
	int order = 0;

	for (size_t i = 0; !order && i < a->depth && i < b->depth; i++)
		order = str_compare(a->path[i], b->path[i]);
	return order;
}

static void sort(struct sweep_parameter *parameters, struct sweep_when *whens, size_t count)
{
	struct pair *pairs = malloc((count + 1) * sizeof(*pairs));

	if (!pairs)
		abort();
	for (size_t i = 0; i < count; i++)
		pairs[i] = (struct pair){ parameters[i], whens[i] };
	qsort(pairs, count, sizeof(*pairs), by_path);
	for (size_t i = 0; i < count; i++) {
		parameters[i] = pairs[i].parameter;
		whens[i] = pairs[i].when;
	}
	free(pairs);
}

void sweep_reader_parameters(struct sweep_reader *r, const struct sweep_value *object)
{
	const struct nest nest = { .path = STR("parameters") };
	struct sweep_parameter *parameters;
	struct sweep_when *whens;
	size_t count;

	if (object->kind != SWEEP_OBJECT) {
		sweep_reader_error(r, object, STR("parameters"),
				   "expected an object with a member for each parameter, not %s",
				   sweep_kind_name(object->kind));
		return;
	}
	read_level(r, object, &nest);
	count = r->parameters.len / sizeof(*parameters);
	parameters = arena_copy(r->arena, buf_str(&r->parameters).at, r->parameters.len);
	whens = arena_copy(r->arena, buf_str(&r->whens).at, r->whens.len);
	buf_free(&r->parameters);
	buf_free(&r->whens);
	sort(parameters, whens, count);
	sweep_reader_conditions(r, parameters, whens, count);
	r->config->parameters = parameters;
	r->config->parameter_count = count;
}
