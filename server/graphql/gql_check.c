/*
 * The cost of an operation is known before any of it is answered. Each fragment is walked once: its
 * fields are counted with all fragments in it expanded, so 2^n of them are a sum of n numbers.
 */
#include <stdlib.h>

#include "arena.h"
#include "gql_parts.h"

enum { NESTED_MAX = 64 /* fragments in fragments: the depth of recursion, with GQL_DEPTH_MAX */ };

struct fragment_cost {
	enum { COST_UNKNOWN, COST_OPEN, COST_KNOWN } state;
	size_t fields;
	unsigned nested; /* fragments within each other, itself included */
};

struct checking {
	struct arena *arena;
	struct fragment_cost *costs; /* by gql_fragment.number */
};

struct cost {
	size_t fields;
	unsigned nested;
};

static err_t check_set(struct checking *c, const struct gql_set *set, struct cost *cost,
		       unsigned depth);

static void add(struct cost *cost, size_t fields)
{
	cost->fields += fields;
	if (cost->fields > GQL_EXPANDED_MAX)
		cost->fields = GQL_EXPANDED_MAX + 1;
}

/* A variable in a list or object copies it for each field that is answered. */
static void add_value(struct cost *cost, const struct gql_value *value)
{
	add(cost, 1);
	for (size_t i = 0; i < value->count; i++)
		add_value(cost, value->parts[i].value);
}

static err_t check_nested(struct checking *c, unsigned nested)
{
	if (nested <= NESTED_MAX)
		return NULL;
	return err_field(c->arena, ERR_UNPROCESSABLE, "query",
			 "fragments are nested more than %d levels deep", NESTED_MAX);
}

static err_t check_fragment(struct checking *c, const struct gql_fragment *f, unsigned depth)
{
	struct fragment_cost *known = &c->costs[f->number];
	struct cost cost = { 0, 0 };
	err_t e = check_nested(c, depth);

	if (e || known->state == COST_KNOWN)
		return e;
	if (known->state == COST_OPEN)
		return err_field(c->arena, ERR_INVALID, "query",
				 "the fragment \"%.*s\" includes itself", STR_ARG(f->name));
	known->state = COST_OPEN;
	e = check_set(c, &f->set, &cost, depth);
	known->state = COST_KNOWN;
	known->fields = cost.fields;
	known->nested = cost.nested + 1;
	return e;
}

static err_t check_spread(struct checking *c, const struct gql_selection *s, struct cost *cost,
			  unsigned depth)
{
	const struct fragment_cost *known;
	err_t e;

	if (!s->fragment)
		return err_field(c->arena, ERR_INVALID, "query", "unknown fragment \"%.*s\"",
				 STR_ARG(s->name));
	e = check_fragment(c, s->fragment, depth + 1);
	if (e)
		return e;
	known = &c->costs[s->fragment->number];
	add(cost, known->fields);
	if (known->nested > cost->nested)
		cost->nested = known->nested;
	return check_nested(c, depth + cost->nested);
}

static err_t check_selection(struct checking *c, const struct gql_selection *s, struct cost *cost,
			     unsigned depth)
{
	add(cost, 1);
	for (size_t i = 0; i < s->arg_count; i++)
		add_value(cost, s->args[i].value);
	if (s->kind == GQL_SPREAD)
		return check_spread(c, s, cost, depth);
	return check_set(c, &s->set, cost, depth);
}

static err_t check_set(struct checking *c, const struct gql_set *set, struct cost *cost,
		       unsigned depth)
{
	err_t e = NULL;

	for (const struct gql_selection *s = set->first; s && !e; s = s->next)
		e = check_selection(c, s, cost, depth);
	return e;
}

err_t gql_check(struct arena *a, const struct gql_document *document,
		const struct gql_operation *operation)
{
	struct checking c = { .arena = a };
	struct cost cost = { 0, 0 };
	err_t e = NULL;

	c.costs = arena_new_array(a, struct fragment_cost, document->fragment_count + 1);
	for (const struct gql_fragment *f = document->fragments; f && !e; f = f->next)
		e = check_fragment(&c, f, 1);
	if (!e)
		e = check_set(&c, &operation->set, &cost, 0);
	if (!e && cost.fields > GQL_EXPANDED_MAX)
		e = err_field(a, ERR_UNPROCESSABLE, "query",
			      "more than %d fields and values after all fragments are expanded",
			      GQL_EXPANDED_MAX);
	return e;
}
