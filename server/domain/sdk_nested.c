#include "sdk_nested.h"

#include <string.h>

#include "arena.h"

static const struct str type_name = { "_type", 5 };

/* What stands at a dotted name, step by step through the objects. */
static const struct json_doc *walk(const struct json_doc *doc, struct str name)
{
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

static const struct json_doc *put_together(struct arena *a, const struct json_doc *doc,
					   struct str prefix, const struct json_member *m)
{
	struct str rest = { m->name.at + prefix.len + 1, m->name.len - prefix.len - 1 };
	const struct json_doc *part = wrap(a, rest, m->value);
	const struct json_member member = { prefix, part };

	return json_doc_merge(a, doc, json_doc_object(a, &member, 1));
}

const struct json_doc *sdk_nested(struct arena *a, const struct json_doc *summary)
{
	struct json_member *kept = arena_new_array(a, struct json_member, summary->count + 1);
	const struct json_doc *typed = json_doc_empty();
	size_t count = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct json_member *m = &summary->members[i];
		struct str prefix;

		if (!m->name.len || !memchr(m->name.at, '.', m->name.len)) {
			kept[count++] = *m;
			continue;
		}
		if (walk(summary, m->name))
			continue;
		prefix = typed_prefix(a, summary, m->name);
		if (prefix.len)
			typed = put_together(a, typed, prefix, m);
		else
			kept[count++] = *m;
	}
	return json_doc_merge(a, typed, json_doc_object(a, kept, count));
}
