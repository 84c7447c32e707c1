#include <assert.h>
#include <stdio.h>

#include "gql_parts.h"
#include "gql_run.h"

enum { TYPES_MAX = 256 };

struct printed {
	const struct gql_type *types[TYPES_MAX];
	size_t count;
};

static void note(struct printed *p, const struct gql_type *type)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->types[i] == type)
			return;
	}
	assert(p->count < TYPES_MAX);
	p->types[p->count++] = type;
}

static void print_type(struct printed *p, const struct gql_type *type, FILE *out)
{
	for (size_t i = 0; i < type->field_count; i++) {
		const struct gql_field *f = &type->fields[i];

		fprintf(out, "%s.%s %s%s%s\n", type->name, f->name, f->type ? f->type->name : "-",
			f->args ? " " : "", f->args ? f->args : "");
		if (f->type)
			note(p, f->type);
	}
}

void gql_print(const struct gql_schema *schema, FILE *out)
{
	struct printed p = { .count = 0 };

	note(&p, schema->query);
	note(&p, schema->mutation);
	for (size_t i = 0; i < p.count; i++)
		print_type(&p, p.types[i], out);
}
