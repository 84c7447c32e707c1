/*
 * Lists of leaves in order of their paths. An object's row comes right before those below it, since
 * NUL is the least byte; so a conflict of a leaf with an object shows in adjacent rows.
 */
#include "leaves.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"

static bool is_object(const struct json_doc *doc)
{
	return json_doc_is(doc, JSON_KIND_OBJECT);
}

struct str leaf_place(struct arena *a, struct str path)
{
	unsigned char *hash = arena_alloc(a, LEAF_PLACE_LEN);

	crypto_generichash(hash, LEAF_PLACE_LEN, (const unsigned char *)path.at, path.len, NULL, 0);
	return (struct str){ (char *)hash, LEAF_PLACE_LEN };
}

static int by_path(const void *a, const void *b)
{
	return str_compare(((const struct leaf *)a)->path, ((const struct leaf *)b)->path);
}

void leaves_sort(struct leaves *leaves)
{
	if (leaves->count)
		qsort(leaves->at, leaves->count, sizeof(leaves->at[0]), by_path);
}

const struct leaf *leaves_find(const struct leaves *leaves, struct str path)
{
	struct leaf wanted = { .path = path };

	if (!leaves->count)
		return NULL;
	return bsearch(&wanted, leaves->at, leaves->count, sizeof(wanted), by_path);
}

static bool is_below(struct str path, struct str object)
{
	return path.len > object.len && path.at[object.len] == '\0' &&
	       memcmp(path.at, object.at, object.len) == 0;
}

struct leaves leaves_below(const struct leaves *leaves, struct str path)
{
	size_t low = 0;
	size_t high = leaves->count;
	size_t end;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (str_compare(leaves->at[middle].path, path) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < leaves->count && is_below(leaves->at[end].path, path);)
		end++;
	return (struct leaves){ low < end ? &leaves->at[low] : NULL, end - low };
}

/* ---- documents and leaves ---------------------------------------------------------------------- */

struct list {
	struct arena *arena;
	struct leaf *at;
	size_t count;
	size_t size;
};

static struct leaf *add(struct list *list, const struct leaf *leaf)
{
	if (list->count == list->size)
		list->at = arena_grow(list->arena, list->at, &list->size, sizeof(*list->at));
	list->at[list->count] = *leaf;
	return &list->at[list->count++];
}

static struct leaves leaves_of(const struct list *list)
{
	return (struct leaves){ list->at, list->count };
}

static struct str below(struct arena *a, const struct str *path, struct str name)
{
	char *bytes;

	if (!path)
		return name;
	bytes = arena_alloc(a, path->len + 1 + name.len);
	memcpy(bytes, path->at, path->len);
	bytes[path->len] = '\0';
	if (name.len)
		memcpy(bytes + path->len + 1, name.at, name.len);
	return (struct str){ bytes, path->len + 1 + name.len };
}

static void split(struct list *list, const struct str *path, const struct json_doc *doc,
		  enum leaves_of what)
{
	for (size_t i = 0; i < doc->count; i++) {
		const struct json_doc *value = doc->members[i].value;
		struct leaf leaf = { .path = below(list->arena, path, doc->members[i].name) };

		if (is_object(value) && value->count) {
			if (what == LEAVES_AND_OBJECTS)
				add(list, &leaf);
			split(list, &leaf.path, value, what);
		} else {
			leaf.value = value;
			add(list, &leaf);
		}
	}
}

/* Counts no further than the limit. */
static size_t path_bytes(const struct json_doc *doc, size_t above)
{
	size_t bytes = 0;

	for (size_t i = 0; i < doc->count && bytes <= LEAVES_MAX_PATH_BYTES; i++) {
		const struct json_doc *value = doc->members[i].value;
		size_t len = above + doc->members[i].name.len;

		bytes += len;
		if (is_object(value))
			bytes += path_bytes(value, len + 1);
	}
	return bytes;
}

static err_t too_long(struct arena *a, const char *field)
{
	struct err *e = err_field(a, ERR_UNPROCESSABLE, field,
				  "the names of the run's %s values, with the objects around "
				  "them, have more than %d bytes",
				  field, LEAVES_MAX_PATH_BYTES);

	e->hint = "shorten the names of objects that contain many values";
	return e;
}

err_t leaves_check_paths(struct arena *a, const char *field, const struct json_doc *doc)
{
	return path_bytes(doc, 0) <= LEAVES_MAX_PATH_BYTES ? NULL : too_long(a, field);
}

void leaves_split(struct arena *a, const struct json_doc *doc, enum leaves_of what,
		  struct leaves *ret_leaves)
{
	struct list list = { .arena = a };

	split(&list, NULL, doc, what);
	*ret_leaves = leaves_of(&list);
}

struct str leaf_name_at(struct str path, size_t from)
{
	struct str rest = { path.at + from, path.len - from };
	const char *end = rest.len ? memchr(rest.at, '\0', rest.len) : NULL;

	return (struct str){ rest.at, end ? (size_t)(end - rest.at) : rest.len };
}

enum joined { JOIN_VALUES, JOIN_WRITERS };

static const struct json_doc *leaf_value(struct arena *a, const struct leaf *leaf, enum joined what)
{
	return what == JOIN_VALUES ? leaf->value : json_doc_of_int64(a, leaf->writer);
}

static const struct json_doc *over(struct arena *a, const struct json_doc *leaf,
				   const struct json_doc *object)
{
	return leaf ? json_doc_merge(a, leaf, object) : object;
}

/* Joins leaves[0..count), which have the path before `from` in common. */
static const struct json_doc *join(struct arena *a, const struct leaf *leaves, size_t count,
				   size_t from, enum joined what)
{
	struct json_member *members = arena_new_array(a, struct json_member, count);
	size_t made = 0;

	for (size_t i = 0; i < count;) {
		struct str name = leaf_name_at(leaves[i].path, from);
		struct str object = { leaves[i].path.at, from + name.len };
		bool is_leaf = leaves[i].path.len == object.len;
		size_t below = i + is_leaf;
		size_t end = below;

		while (end < count && is_below(leaves[end].path, object))
			end++;
		members[made].name = name;
		members[made].value = is_leaf ? leaf_value(a, &leaves[i], what) : NULL;
		if (end > below)
			members[made].value =
				over(a, members[made].value,
				     join(a, leaves + below, end - below, object.len + 1, what));
		made++;
		i = end;
	}
	return json_doc_object(a, members, made);
}

static const struct json_doc *join_leaves(struct arena *a, const struct leaves *leaves,
					  enum joined what)
{
	struct leaf *with_value = arena_new_array(a, struct leaf, leaves->count);
	size_t count = 0;

	for (size_t i = 0; i < leaves->count; i++) {
		if (leaves->at[i].value)
			with_value[count++] = leaves->at[i];
	}
	return join(a, with_value, count, 0, what);
}

const struct json_doc *leaves_join(struct arena *a, const struct leaves *leaves)
{
	return join_leaves(a, leaves, JOIN_VALUES);
}

const struct json_doc *leaves_join_writers(struct arena *a, const struct leaves *leaves)
{
	return join_leaves(a, leaves, JOIN_WRITERS);
}

static const struct json_doc *value_of(const struct json_doc *doc, struct str path)
{
	for (size_t from = 0; doc; from++) {
		struct str name = leaf_name_at(path, from);

		doc = json_doc_get(doc, name);
		from += name.len;
		if (from == path.len)
			break;
	}
	return doc;
}

void leaves_take_writers(struct leaves *leaves, const struct json_doc *writers)
{
	for (size_t i = 0; i < leaves->count; i++) {
		int64_t number = 0;

		json_doc_int64(value_of(writers, leaves->at[i].path), &number);
		leaves->at[i].writer = (int32_t)number;
	}
}

bool leaves_tangled(struct arena *a, const struct document_part *parts, size_t count)
{
	struct list list = { .arena = a };
	struct leaves all;
	struct str last = { NULL, 0 };

	for (size_t i = 0; i < count; i++)
		split(&list, NULL, parts[i].doc, LEAVES_ALONE);
	all = leaves_of(&list);
	leaves_sort(&all);
	for (size_t i = 0; i < all.count; i++) {
		if (last.at && is_below(all.at[i].path, last))
			return true;
		last = all.at[i].path;
	}
	return false;
}

/* ---- size -------------------------------------------------------------------------------------- */

static struct str last_name(struct str path)
{
	const char *before = path.len ? memrchr(path.at, '\0', path.len) : NULL;

	if (!before)
		return path;
	return (struct str){ before + 1, path.len - (size_t)(before + 1 - path.at) };
}

void leaves_count(struct arena *a, struct leaves_size *size, const struct leaf *leaf, int sign)
{
	size_t values = leaf->value ? json_doc_count(leaf->value) : 1;
	size_t bytes = leaf->value ? json_doc_dump(a, leaf->value).len : 0;

	size->values += sign * (int64_t)values;
	size->bytes += sign * (int64_t)(bytes + last_name(leaf->path).len);
	size->paths += sign * (int64_t)leaf->path.len;
}

err_t leaves_check_size(struct arena *a, const char *field, const struct leaves_size *size)
{
	if (size->values + 1 > JSON_DOC_MAX_VALUES)
		return err_field(a, ERR_UNPROCESSABLE, field,
				 "the run's %s would have more than %d values", field,
				 JSON_DOC_MAX_VALUES);
	if (size->bytes > DOCUMENT_MAX_BYTES)
		return err_field(a, ERR_UNPROCESSABLE, field,
				 "the run's %s would have more than %d bytes", field,
				 DOCUMENT_MAX_BYTES);
	if (size->paths > LEAVES_MAX_PATH_BYTES)
		return too_long(a, field);
	return NULL;
}

/* ---- a change ---------------------------------------------------------------------------------- */

struct applying {
	struct arena *arena;
	const struct leaves_change *change;
	struct list saved, dropped, orphaned;
	struct list was, is;
	struct conflicts *conflicts;
	size_t conflict_size;
};

/* Drops a leaf that the writer sends no longer, if the document's value is from that writer. */
static void drop_leaf(struct applying *f, const struct leaf *gone)
{
	const struct leaf *row = leaves_find(&f->change->rows, gone->path);

	if (!row || !row->value || row->writer != f->change->writer)
		return;
	add(row->shared ? &f->orphaned : &f->dropped, row);
}

static void drop_leaves(struct applying *f)
{
	for (size_t i = 0; i < f->change->before.count; i++) {
		const struct leaf *was = &f->change->before.at[i];
		const struct leaf *is = leaves_find(&f->change->after, was->path);

		if (!is || !is->value)
			drop_leaf(f, was);
	}
}

/* The path's row, unless the writer itself has just dropped it. */
static const struct leaf *row_of(const struct applying *f, struct str path)
{
	struct leaves dropped = leaves_of(&f->dropped);

	return leaves_find(&dropped, path) ? NULL : leaves_find(&f->change->rows, path);
}

static struct str conflict_key(struct arena *a, struct str path)
{
	struct str names[JSON_SCAN_MAX_DEPTH + 1];
	size_t depth = 0;

	for (size_t from = 0; from <= path.len && depth <= JSON_SCAN_MAX_DEPTH; from++) {
		names[depth] = leaf_name_at(path, from);
		from += names[depth++].len;
	}
	return document_conflict_key(a, names, depth);
}

static void add_conflict(struct applying *f, const struct leaf *row, const struct leaf *sent)
{
	struct conflicts *c = f->conflicts;

	if (c->count == CONFLICT_KEYS || !document_may_conflict(leaf_name_at(sent->path, 0)))
		return;
	if (c->count == f->conflict_size)
		c->at = arena_grow(f->arena, c->at, &f->conflict_size, sizeof(*c->at));
	c->at[c->count++] = (struct conflict){
		.key = conflict_key(f->arena, sent->path),
		.values = { { f->change->writer, sent->value }, { row->writer, row->value } },
		.count = 2,
	};
}

/* Equal values of several writers: the row of a config keeps its writer, and becomes shared. */
static void share(struct applying *f, const struct leaf *row)
{
	struct leaf kept = *row;

	if (row->writer == f->change->writer)
		return;
	if (f->change->kind == LEAVES_SUMMARY)
		kept.writer = f->change->writer;
	else if (row->shared)
		return;
	kept.shared = true;
	add(&f->saved, &kept);
}

/*
 * A leaf that a config's writer sends unchanged comes on top again, too: its document is the last
 * to change.
 */
static void put(struct applying *f, const struct leaf *row, const struct leaf *sent, bool changed)
{
	struct leaf saved = *sent;
	bool of_another = row && row->writer != f->change->writer;

	if (row && json_doc_equal(row->value, sent->value)) {
		share(f, row);
		return;
	}
	if (of_another && changed)
		add_conflict(f, row, sent);
	saved.writer = f->change->writer;
	saved.shared = row && (row->shared || of_another);
	add(&f->saved, &saved);
}

static void note_change(struct applying *f, const struct leaf *was, const struct leaf *sent)
{
	if (was && json_doc_equal(was->value, sent->value))
		return;
	if (was)
		add(&f->was, was);
	add(&f->is, sent);
}

/* False: a leaf meets an object. */
static bool apply_leaf(struct applying *f, const struct leaf *sent)
{
	const struct leaf *row = row_of(f, sent->path);
	const struct leaf *before = leaves_find(&f->change->before, sent->path);
	bool changed = !before || !json_doc_equal(before->value, sent->value);

	if (row && !row->value)
		return f->change->kind == LEAVES_SUMMARY && is_object(sent->value);
	put(f, row, sent, changed);
	if (changed)
		note_change(f, before ? before : row, sent);
	return true;
}

static bool apply_object(struct applying *f, const struct leaf *object)
{
	const struct leaf *row = row_of(f, object->path);

	if (!row)
		add(&f->saved, object);
	return !row || !row->value;
}

void leaves_apply(struct arena *a, const struct leaves_change *change,
		  struct leaves_outcome *ret_outcome)
{
	struct applying f = {
		.arena = a,
		.change = change,
		.saved = { .arena = a },
		.dropped = { .arena = a },
		.orphaned = { .arena = a },
		.was = { .arena = a },
		.is = { .arena = a },
		.conflicts = &ret_outcome->conflicts,
	};
	struct leaves was, is;

	*ret_outcome = (struct leaves_outcome){ .clash = false };
	drop_leaves(&f);
	for (size_t i = 0; i < change->after.count && !ret_outcome->clash; i++) {
		const struct leaf *sent = &change->after.at[i];

		ret_outcome->clash = sent->value ? !apply_leaf(&f, sent) : !apply_object(&f, sent);
	}
	was = leaves_of(&f.was);
	is = leaves_of(&f.is);
	ret_outcome->saved = leaves_of(&f.saved);
	ret_outcome->dropped = leaves_of(&f.dropped);
	ret_outcome->orphaned = leaves_of(&f.orphaned);
	ret_outcome->was = leaves_join(a, &was);
	ret_outcome->is = leaves_join(a, &is);
}
