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
