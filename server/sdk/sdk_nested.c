#include "sdk_nested.h"

#include <string.h>

#include "arena.h"
#include "leaves.h"
#include "sdk_key.h"

/* Finds the value at a dotted name, object by object. */
static const struct json_doc *walk(const struct json_doc *doc, struct str name)
{
	if (name.at[name.len - 1] == '.')
		return NULL;
	while (doc && name.len)
		doc = json_doc_get(doc, str_cut(&name, '.'));
	return doc;
}

/* The outermost prefix of the name that is a value with a type; empty: none is. */
static struct str typed_prefix(const struct json_doc *summary, struct str name)
{
	char room[SDK_KEY_TYPE_SIZE];

	for (size_t i = 1; i < name.len; i++) {
		struct str prefix = { name.at, i };

		if (name.at[i] == '.' &&
		    json_doc_is(json_doc_get(summary, sdk_key_of_type(room, prefix)),
				JSON_KIND_STRING))
			return prefix;
	}
	return STR("");
}

/* No row has a longer name or a deeper value: others were set so, and stay. */
static bool may_be_nested(struct str name)
{
	size_t parts = 1;

	if (name.len > JSON_KEY_MAX_BYTES)
		return false;
	for (size_t i = 0; i < name.len; i++)
		parts += name.at[i] == '.';
	return parts > 1 && parts <= JSON_SCAN_MAX_DEPTH;
}

bool sdk_nested_needs_shape(const struct json_doc *summary)
{
	for (size_t i = 0; i < summary->count; i++) {
		if (may_be_nested(summary->members[i].name))
			return true;
	}
	return false;
}

/* The way to a value within objects: behind `from` each dot begins another one. */
static struct leaf nested_leaf(struct arena *a, const struct json_member *m, size_t from)
{
	char *path = str_copy(a, m->name);

	for (size_t i = from; i < m->name.len; i++) {
		if (path[i] == '.')
			path[i] = '\0';
	}
	return (struct leaf){ .path = { path, m->name.len }, .value = m->value };
}

struct nesting {
	struct arena *arena;
	const struct json_doc *summary;
	const struct json_doc *shape;
	struct leaves nested;
	struct json_member *kept;
	size_t kept_count;
};

static void nest_member(struct nesting *n, const struct json_member *m)
{
	struct str prefix = { NULL, 0 };
	bool is_shaped;

	if (!may_be_nested(m->name)) {
		n->kept[n->kept_count++] = *m;
		return;
	}
	if (walk(n->summary, m->name))
		return;
	is_shaped = walk(n->shape, m->name) != NULL;
	if (!is_shaped)
		prefix = typed_prefix(n->summary, m->name);
	if (is_shaped || prefix.len)
		n->nested.at[n->nested.count++] = nested_leaf(n->arena, m, prefix.len);
	else
		n->kept[n->kept_count++] = *m;
}

const struct json_doc *sdk_nested(struct arena *a, const struct json_doc *summary,
				  const struct json_doc *shape)
{
	struct nesting n = { .arena = a, .summary = summary, .shape = shape };

	n.nested.at = arena_new_array(a, struct leaf, summary->count + 1);
	n.kept = arena_new_array(a, struct json_member, summary->count + 1);
	for (size_t i = 0; i < summary->count; i++)
		nest_member(&n, &summary->members[i]);
	leaves_sort(&n.nested);
	return json_doc_merge(a, leaves_join(a, &n.nested),
			      json_doc_object(a, n.kept, n.kept_count));
}

/* ---- the other way -------------------------------------------------------------------------------- */

struct flattening {
	struct arena *arena;
	const struct json_doc *flat;
	struct json_member *members; /* that `flat` has by their joined names */
	size_t count, size;
	char room[JSON_KEY_MAX_BYTES]; /* for the key of what is looked at */
};

static const struct json_doc *flatten(struct flattening *f, const struct json_doc *doc,
				      struct str above);

static void take_flat(struct flattening *f, struct str key, const struct json_doc *value)
{
	struct str name = { str_copy(f->arena, key), key.len };

	if (f->count == f->size)
		f->members = arena_grow(f->arena, f->members, &f->size, sizeof(*f->members));
	f->members[f->count++] = (struct json_member){ name, value };
}

/* Returns the rest of a member; NULL: nothing is left. */
static const struct json_doc *flatten_member(struct flattening *f, const struct json_member *m,
					     struct str above)
{
	struct str key = sdk_key_below(f->room, above, m->name);
	const struct json_doc *rest;

	if (key.at && json_doc_get(f->flat, key)) {
		take_flat(f, key, m->value);
		return NULL;
	}
	if (!json_doc_is(m->value, JSON_KIND_OBJECT) || !m->value->count)
		return m->value;
	rest = flatten(f, m->value, key);
	return rest->count ? rest : NULL;
}

/* Returns the rest of an object. */
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
	const struct json_doc *left = flatten(&f, summary, (struct str){ f.room, 0 });

	return json_doc_merge(a, left, json_doc_object(a, f.members, f.count));
}
