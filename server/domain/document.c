#include "document.h"

#include <inttypes.h>
#include <string.h>

#include "arena.h"

err_t document_dump(struct arena *a, const char *field, const struct json_doc *doc,
		    struct str *ret_text)
{
	struct str text;

	if (json_doc_count(doc) > JSON_DOC_MAX_VALUES)
		return err_field(a, ERR_UNPROCESSABLE, field,
				 "the run's %s would have more than %d values", field,
				 JSON_DOC_MAX_VALUES);
	text = json_doc_dump(a, doc);
	if (text.len > DOCUMENT_MAX_BYTES)
		return err_field(a, ERR_UNPROCESSABLE, field,
				 "the run's %s would have more than %d bytes", field,
				 DOCUMENT_MAX_BYTES);
	*ret_text = text;
	return NULL;
}

void document_leave_out(struct arena *a, const struct json_member *member, enum left_out_kind kind,
			struct left_out_list *left_out)
{
	const struct left_out entry = { kind, LEFT_OUT_DOCUMENT_FULL, member->name,
					json_doc_dump(a, member->value), 1 };

	left_out_add(left_out, a, &entry);
}

const struct json_doc *document_merge(struct arena *a, const struct document_part *parts,
				      size_t count)
{
	const struct json_doc *merged = json_doc_empty();

	for (size_t i = 0; i < count; i++)
		merged = json_doc_merge(a, merged, parts[i].doc);
	return merged;
}

/* ---- conflicts ------------------------------------------------------------------------------- */

struct finder {
	struct arena *arena;
	const struct document_part *others;
	size_t other_count;
	int32_t writer;
	struct conflicts *found;
};

static bool is_object(const struct json_doc *doc)
{
	return json_doc_is(doc, JSON_KIND_OBJECT);
}

/* The value at a path of names; NULL when there is none. */
static const struct json_doc *value_at(const struct json_doc *doc, const struct str *path,
				       size_t depth)
{
	for (size_t i = 0; i < depth && doc; i++)
		doc = json_doc_get(doc, path[i]);
	return doc;
}

/* A key too long for the index is cut; the hash of what was cut off keeps it distinct. */
static struct str short_key(struct arena *a, struct str key)
{
	if (key.len <= CONFLICT_KEY_MAX_BYTES)
		return key;
	return str_of(arena_printf(a, "%.*s...%016" PRIx64,
				   STR_ARG(str_head(key, CONFLICT_KEY_MAX_BYTES - 20)),
				   str_hash(STR_HASH_START, key)));
}

struct str document_conflict_key(struct arena *a, const struct str *path, size_t depth)
{
	const char *text = "";

	for (size_t i = 0; i < depth; i++)
		text = arena_printf(a, "%s%s%.*s", text, i ? "." : "",
				    STR_ARG(short_key(a, path[i])));
	return short_key(a, str_of(text));
}

bool document_may_conflict(struct str first_name)
{
	return !str_is(first_name, "_wandb");
}

static void add_value(struct conflict *c, int32_t writer, const struct json_doc *value)
{
	if (c->count < CONFLICT_VALUES)
		c->values[c->count++] = (struct conflict_value){ writer, value };
}

static bool is_told_otherwise(const struct json_doc *other, const struct json_doc *value)
{
	return other && !json_doc_equal(other, value);
}

static void check_leaf(struct finder *f, const struct str *path, size_t depth,
		       const struct json_doc *value)
{
	struct conflict c = { .count = 0 };

	if (f->found->count >= CONFLICT_KEYS || (depth && !document_may_conflict(path[0])))
		return;
	add_value(&c, f->writer, value);
	for (size_t i = 0; i < f->other_count; i++) {
		const struct json_doc *other = value_at(f->others[i].doc, path, depth);

		if (f->others[i].writer != f->writer && is_told_otherwise(other, value))
			add_value(&c, f->others[i].writer, other);
	}
	if (c.count < 2)
		return;
	c.key = document_conflict_key(f->arena, path, depth);
	f->found->at[f->found->count++] = c;
}

/* If one writer has an object and another a leaf, the path itself is in conflict. */
static bool is_leaf_of_another(const struct finder *f, const struct str *path, size_t depth)
{
	for (size_t i = 0; i < f->other_count; i++) {
		const struct json_doc *other = value_at(f->others[i].doc, path, depth);

		if (f->others[i].writer != f->writer && other && !is_object(other))
			return true;
	}
	return false;
}

/* All leaves of `after` that are not the same in `before`. */
static void walk_changed(struct finder *f, struct str *path, size_t depth,
			 const struct json_doc *before, const struct json_doc *after)
{
	if (json_doc_equal(before, after))
		return;
	if (!is_object(after) || depth >= JSON_SCAN_MAX_DEPTH ||
	    is_leaf_of_another(f, path, depth)) {
		check_leaf(f, path, depth, after);
		return;
	}
	for (size_t i = 0; i < after->count; i++) {
		path[depth] = after->members[i].name;
		walk_changed(f, path, depth + 1, json_doc_get(before, path[depth]),
			     after->members[i].value);
	}
}

void document_config_conflicts(struct arena *a, const struct document_part *others, size_t count,
			       const struct document_part *mine, const struct json_doc *before,
			       struct conflicts *ret_conflicts)
{
	struct str path[JSON_SCAN_MAX_DEPTH + 1];
	struct finder f = { a, others, count, mine->writer, ret_conflicts };

	*ret_conflicts = (struct conflicts){ .at = NULL };
	if (!count)
		return;
	ret_conflicts->at = arena_alloc(a, CONFLICT_KEYS * sizeof(struct conflict));
	walk_changed(&f, path, 0, before, mine->doc);
}

/* ---- summary --------------------------------------------------------------------------------- */

/* `setters` mirrors the document: the number of the writer that set it last for each leaf. */
static int64_t other_setter(const struct json_doc *setters, int32_t writer)
{
	int64_t number = -1;

	if (json_doc_int64(setters, &number))
		return number == writer ? -1 : number;
	for (size_t i = 0; is_object(setters) && i < setters->count && number < 0; i++)
		number = other_setter(setters->members[i].value, writer);
	return number;
}

static void check_set_leaf(struct finder *f, const struct str *path, size_t depth,
			   const struct conflict_value *old, const struct json_doc *value)
{
	struct conflict c = { .count = 0 };

	if (old->writer < 0 || !is_told_otherwise(old->value, value) ||
	    f->found->count >= CONFLICT_KEYS || (depth && !document_may_conflict(path[0])))
		return;
	c.key = document_conflict_key(f->arena, path, depth);
	add_value(&c, old->writer, old->value);
	c.newest = c.count;
	add_value(&c, f->writer, value);
	f->found->at[f->found->count++] = c;
}

static void walk_set(struct finder *f, struct str *path, size_t depth,
		     const struct document_set *old, const struct json_doc *value)
{
	bool merges = is_object(value) && (!old->doc || is_object(old->doc));

	if (!merges || depth >= JSON_SCAN_MAX_DEPTH) {
		struct conflict_value was = { (int32_t)other_setter(old->setters, f->writer),
					      old->doc };

		check_set_leaf(f, path, depth, &was, value);
		return;
	}
	for (size_t i = 0; i < value->count; i++) {
		struct str name = value->members[i].name;
		struct document_set below = { json_doc_get(old->doc, name),
					      json_doc_get(old->setters, name) };

		path[depth] = name;
		walk_set(f, path, depth + 1, &below, value->members[i].value);
	}
}

const struct json_doc *document_mirror(struct arena *a, const struct json_doc *set,
				       const struct json_doc *mirror, const struct json_doc *value)
{
	struct json_member *members;

	if (!is_object(set) || (!set->count && !is_object(mirror)))
		return value;
	members = arena_new_array(a, struct json_member, set->count);
	for (size_t i = 0; i < set->count; i++) {
		struct str name = set->members[i].name;

		members[i].name = name;
		members[i].value = document_mirror(a, set->members[i].value,
						   json_doc_get(mirror, name), value);
	}
	return json_doc_object(a, members, set->count);
}

struct document_set document_set_summary(struct arena *a, const struct document_set *before,
					 const struct document_part *set,
					 struct conflicts *ret_conflicts)
{
	const struct json_doc *number = json_doc_of_int64(a, set->writer);
	struct finder f = { .arena = a, .writer = set->writer, .found = ret_conflicts };
	struct str path[JSON_SCAN_MAX_DEPTH + 1];

	ret_conflicts->count = 0;
	ret_conflicts->at = arena_alloc(a, CONFLICT_KEYS * sizeof(struct conflict));
	walk_set(&f, path, 0, before, set->doc);
	return (struct document_set){
		.doc = json_doc_merge(a, before->doc, set->doc),
		.setters = json_doc_merge(a, before->setters,
					  document_mirror(a, set->doc, before->setters, number)),
	};
}

/* ---- edits by people ------------------------------------------------------------------------- */

/*
 * Members of a deleted object come back if they are sent with a new value; the others stay deleted.
 */
static const struct json_doc *keep_deleted(struct arena *a, const struct json_doc *whole,
					   const struct json_doc *before,
					   const struct json_doc *after)
{
	struct json_member *kept = arena_new_array(a, struct json_member, whole->count);
	size_t count = 0;

	for (size_t i = 0; i < whole->count; i++) {
		struct json_member m = { whole->members[i].name, json_doc_null() };
		const struct json_doc *was = json_doc_get(before, m.name);
		const struct json_doc *is = json_doc_get(after, m.name);

		if (is && !json_doc_equal(was, is)) {
			if (!is_object(is) || !is_object(whole->members[i].value))
				continue;
			m.value = keep_deleted(a, whole->members[i].value, was, is);
			if (!m.value->count)
				continue;
		}
		kept[count++] = m;
	}
	return json_doc_object(a, kept, count);
}

const struct json_doc *document_overlay_after(struct arena *a, const struct json_doc *patch,
					      const struct overlay_change *change)
{
	struct json_member *kept;
	size_t count = 0;

	kept = arena_new_array(a, struct json_member, patch->count);
	for (size_t i = 0; i < patch->count; i++) {
		struct json_member m = patch->members[i];
		const struct overlay_change below = { json_doc_get(change->was, m.name),
						      json_doc_get(change->is, m.name),
						      json_doc_get(change->whole, m.name) };

		if (below.is && !json_doc_equal(below.was, below.is)) {
			if (!is_object(below.is))
				continue;
			if (is_object(m.value))
				m.value = document_overlay_after(a, m.value, &below);
			else if (json_doc_is(m.value, JSON_KIND_NULL) && is_object(below.whole))
				m.value = keep_deleted(a, below.whole, below.was, below.is);
			else
				continue;
			if (!m.value->count)
				continue;
		}
		kept[count++] = m;
	}
	return json_doc_object(a, kept, count);
}

/* The patch that makes `base` the value: all other members are deleted. */
static const struct json_doc *replacement(struct arena *a, const struct json_doc *base,
					  const struct json_doc *value)
{
	const struct json_doc *made = value;

	if (!is_object(base) || !is_object(value))
		return value;
	for (size_t i = 0; i < base->count; i++) {
		struct str name = base->members[i].name;
		const struct json_doc *is = json_doc_get(value, name);

		is = is ? replacement(a, base->members[i].value, is) : json_doc_null();
		made = json_doc_with(a, made, name, is);
	}
	return made;
}

static const struct json_doc *add_member(struct arena *a, const struct json_doc *patch,
					 const struct json_doc *edit, const struct json_doc *base)
{
	if (!patch || !is_object(edit))
		return edit;
	if (is_object(patch))
		return document_overlay_add(a, patch, edit, base);
	return replacement(a, base, json_doc_patch(a, NULL, edit));
}

const struct json_doc *document_overlay_add(struct arena *a, const struct json_doc *patch,
					    const struct json_doc *edit,
					    const struct json_doc *base)
{
	struct json_member *added =
		arena_new_array(a, struct json_member, patch->count + edit->count);
	size_t count = 0;

	for (size_t i = 0; i < patch->count; i++)
		added[count++] = patch->members[i];
	for (size_t i = 0; i < edit->count; i++) {
		struct str name = edit->members[i].name;

		added[count].name = name;
		added[count++].value = add_member(a, json_doc_get(patch, name),
						  edit->members[i].value, json_doc_get(base, name));
	}
	return json_doc_object(a, added, count);
}

/* ---- what is remembered of a conflict -------------------------------------------------------- */

/*
 * Eight values of any size would be too large to read: a long text keeps
 * its beginning, other values their size.
 */
static const struct json_doc *short_value(struct arena *a, const struct json_doc *value)
{
	size_t keep = CONFLICT_VALUE_MAX_BYTES - 3;
	size_t bytes = json_doc_dump(a, value).len;

	if (bytes <= CONFLICT_VALUE_MAX_BYTES)
		return value;
	if (!json_doc_is(value, JSON_KIND_STRING) || value->text.len <= keep)
		return json_doc_text(a, str_of(arena_printf(a, "(%zu bytes)", bytes)));
	return json_doc_text(
		a, str_of(arena_printf(a, "%.*s...", STR_ARG(str_head(value->text, keep)))));
}

static const struct json_doc *remembered_value(struct arena *a, const struct conflict_value *v)
{
	const struct json_member members[] = {
		{ STR("writer"), json_doc_of_int64(a, v->writer) },
		{ STR("value"), short_value(a, v->value) },
	};

	return json_doc_object(a, members, 2);
}

static size_t find_writer(const struct json_doc *const *items, size_t count, int32_t writer)
{
	for (size_t i = 0; i < count; i++) {
		int64_t number;

		if (json_doc_int64(json_doc_get_named(items[i], "writer"), &number) &&
		    number == writer)
			return i;
	}
	return count;
}

const struct json_doc *document_conflict_values(struct arena *a, const struct json_doc *remembered,
						const struct conflict *conflict)
{
	const struct json_doc *items[CONFLICT_VALUES];
	size_t count = 0;

	if (json_doc_is(remembered, JSON_KIND_ARRAY)) {
		count = remembered->count < CONFLICT_VALUES ? remembered->count : CONFLICT_VALUES;
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
		memcpy(items, remembered->items, count * sizeof(items[0]));
	}
	for (size_t i = 0; i < conflict->count; i++) {
		size_t at = find_writer(items, count, conflict->values[i].writer);

		if (at == CONFLICT_VALUES && i != conflict->newest)
			continue;
		if (at == CONFLICT_VALUES) /* the effective value takes the last place */
			at = --count;
		items[at] = remembered_value(a, &conflict->values[i]);
		count += at == count;
	}
	return json_doc_array(a, items, count);
}
