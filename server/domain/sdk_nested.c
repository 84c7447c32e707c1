#include "sdk_nested.h"

#include <string.h>

#include "arena.h"

static const struct str type_name = { "_type", 5 };

/* What stands at a dotted name, step by step through the objects. */
static const struct json_doc *walk(const struct json_doc *doc, struct str name)
{
	if (name.at[name.len - 1] == '.')
		return NULL;
	while (doc && name.len)
		doc = json_doc_get(doc, str_cut(&name, '.'));
	return doc;
}

/* The outermost prefix of the name that is a value with a type; empty: none is. */
static struct str typed_prefix(struct arena *a, const struct json_doc *summary, struct str name)
{
	for (size_t i = 1; i < name.len; i++) {
		struct str prefix = { name.at, i };
		const char *type;

		if (name.at[i] != '.')
			continue;
		type = arena_printf(a, "%.*s.%s", STR_ARG(prefix), type_name.at);
		if (json_doc_is(json_doc_get(summary, str_of(type)), JSON_KIND_STRING))
			return prefix;
	}
	return STR("");
}

/* {"b": {"c": value}} of "b.c". */
static const struct json_doc *wrap(struct arena *a, struct str name, const struct json_doc *value)
{
	struct str first = str_cut(&name, '.');
	const struct json_member member = { first, name.len ? wrap(a, name, value) : value };

	return json_doc_object(a, &member, 1);
}

/* Of a value with a type the name of the whole stays as it is. */
static const struct json_doc *typed_part(struct arena *a, struct str prefix,
					 const struct json_member *m)
{
	struct str rest = { m->name.at + prefix.len + 1, m->name.len - prefix.len - 1 };
	const struct json_member member = { prefix, wrap(a, rest, m->value) };

	return json_doc_object(a, &member, 1);
}

static bool has_dots(struct str name)
{
	return name.len && memchr(name.at, '.', name.len);
}

bool sdk_nested_needs_shape(const struct json_doc *summary)
{
	for (size_t i = 0; i < summary->count; i++) {
		if (has_dots(summary->members[i].name))
			return true;
	}
	return false;
}

/* What becomes of a member whose name has dots; NULL: it stays. */
static const struct json_doc *nested_member(struct arena *a, const struct json_doc *summary,
					    const struct json_doc *shape,
					    const struct json_member *m)
{
	struct str prefix;

	if (walk(summary, m->name))
		return json_doc_empty();
	if (walk(shape, m->name))
		return wrap(a, m->name, m->value);
	prefix = typed_prefix(a, summary, m->name);
	return prefix.len ? typed_part(a, prefix, m) : NULL;
}

const struct json_doc *sdk_nested(struct arena *a, const struct json_doc *summary,
				  const struct json_doc *shape)
{
	struct json_member *kept = arena_new_array(a, struct json_member, summary->count + 1);
	const struct json_doc *nested = json_doc_empty();
	size_t count = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct json_member *m = &summary->members[i];
		const struct json_doc *part = NULL;

		if (has_dots(m->name))
			part = nested_member(a, summary, shape, m);
		if (part)
			nested = json_doc_merge(a, nested, part);
		else
			kept[count++] = *m;
	}
	return json_doc_merge(a, nested, json_doc_object(a, kept, count));
}

/* ---- the other way -------------------------------------------------------------------------------- */

struct flattening {
	struct arena *arena;
	const struct json_doc *flat;
	struct json_member *members; /* that `flat` has by their joined names */
	size_t count, size;
};

static const struct json_doc *flatten(struct flattening *f, const struct json_doc *doc,
				      struct str above);

static void take_flat(struct flattening *f, struct str name, const struct json_doc *value)
{
	if (f->count == f->size)
		f->members = arena_grow(f->arena, f->members, &f->size, sizeof(*f->members));
	f->members[f->count++] = (struct json_member){ name, value };
}

/* What is left of a member; NULL: nothing. */
static const struct json_doc *flatten_member(struct flattening *f, const struct json_member *m,
					     struct str above)
{
	struct str name = m->name;
	const struct json_doc *rest;

	if (above.len)
		name = str_of(arena_printf(f->arena, "%.*s.%.*s", STR_ARG(above), STR_ARG(name)));
	if (json_doc_get(f->flat, name)) {
		take_flat(f, name, m->value);
		return NULL;
	}
	if (!json_doc_is(m->value, JSON_KIND_OBJECT) || !m->value->count)
		return m->value;
	rest = flatten(f, m->value, name);
	return rest->count ? rest : NULL;
}

/* What is left of an object. */
static const struct json_doc *flatten(struct flattening *f, const struct json_doc *doc,
				      struct str above)
{
	struct json_member *left = arena_new_array(f->arena, struct json_member, doc->count + 1);
	size_t count = 0;

	for (size_t i = 0; i < doc->count; i++) {
		const struct json_doc *value = flatten_member(f, &doc->members[i], above);

		if (value)
			left[count++] = (struct json_member){ doc->members[i].name, value };
	}
	return json_doc_object(f->arena, left, count);
}

const struct json_doc *sdk_nested_flat(struct arena *a, const struct json_doc *summary,
				       const struct json_doc *flat)
{
	struct flattening f = { .arena = a, .flat = flat };
	const struct json_doc *left = flatten(&f, summary, STR(""));

	return json_doc_merge(a, left, json_doc_object(a, f.members, f.count));
}
