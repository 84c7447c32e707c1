/*
 * Values that never change, members sorted. Parts that two documents have in common are shared, not
 * copied, so merging a small edit into a large document costs a walk over the changed objects only.
 */
#include "json_doc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "json_number.h"
#include "json_out.h"

const struct json_doc *json_doc_get(const struct json_doc *doc, struct str name)
{
	size_t low = 0;
	size_t high = json_doc_is(doc, JSON_KIND_OBJECT) ? doc->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = str_compare(name, doc->members[middle].name);

		if (order == 0)
			return doc->members[middle].value;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const struct json_doc *json_doc_get_named(const struct json_doc *doc, const char *name)
{
	return json_doc_get(doc, str_of(name));
}

bool json_doc_is(const struct json_doc *doc, enum json_kind kind)
{
	return doc && doc->kind == kind;
}

bool json_doc_double(const struct json_doc *doc, double *ret_value)
{
	if (!json_doc_is(doc, JSON_KIND_NUMBER))
		return false;
	*ret_value = strtod(doc->text.at, NULL);
	return true;
}

bool json_doc_int64(const struct json_doc *doc, int64_t *ret_value)
{
	double value;

	if (!json_doc_double(doc, &value))
		return false;
	if (str_to_int64(doc->text, INT64_MIN, INT64_MAX, ret_value))
		return true;
	if (!(fabs(value) <= (double)JSON_INTEGER_EXACT) || value != trunc(value))
		return false;
	*ret_value = (int64_t)value;
	return true;
}

const struct json_doc *json_doc_null(void)
{
	static const struct json_doc doc = { .kind = JSON_KIND_NULL };

	return &doc;
}

const struct json_doc *json_doc_bool(bool truth)
{
	static const struct json_doc yes = { .kind = JSON_KIND_BOOL, .truth = true };
	static const struct json_doc no = { .kind = JSON_KIND_BOOL };

	return truth ? &yes : &no;
}

const struct json_doc *json_doc_empty(void)
{
	static const struct json_doc doc = { .kind = JSON_KIND_OBJECT };

	return &doc;
}

bool json_doc_is_word(struct str number)
{
	return number.at[0] == 'N' || number.at[0] == 'I' || str_starts(number, "-I");
}

static const struct json_doc *of_bytes(struct arena *a, enum json_kind kind, struct str text)
{
	struct json_doc *doc = arena_new_of(a, struct json_doc);

	doc->kind = kind == JSON_KIND_NUMBER && json_doc_is_word(text) ? JSON_KIND_STRING : kind;
	doc->text = (struct str){ str_copy(a, text), text.len };
	return doc;
}

const struct json_doc *json_doc_text(struct arena *a, struct str text)
{
	return of_bytes(a, JSON_KIND_STRING, text);
}

const struct json_doc *json_doc_of_int64(struct arena *a, int64_t value)
{
	return of_bytes(a, JSON_KIND_NUMBER, str_of(arena_printf(a, "%" PRId64, value)));
}

const struct json_doc *json_doc_of_double(struct arena *a, double value)
{
	char text[JSON_NUMBER_TEXT_SIZE];
	size_t len = json_number_write(value, text);

	return of_bytes(a, JSON_KIND_NUMBER, (struct str){ text, len });
}

const struct json_doc *json_doc_array(struct arena *a, const struct json_doc *const *items,
				      size_t count)
{
	struct json_doc *doc = arena_new_of(a, struct json_doc);

	doc->kind = JSON_KIND_ARRAY;
	doc->count = count;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	doc->items = arena_copy(a, items, count * sizeof(*items));
	return doc;
}

/* `members` are sorted and stay where they are. */
static const struct json_doc *of_members(struct arena *a, const struct json_member *members,
					 size_t count)
{
	struct json_doc *doc = arena_new_of(a, struct json_doc);

	doc->kind = JSON_KIND_OBJECT;
	doc->count = count;
	doc->members = members;
	return doc;
}

/* By name; of equal names the one given later comes later. */
static int by_name_then_position(const void *a, const void *b)
{
	const struct json_member *const *x = a;
	const struct json_member *const *y = b;
	int order = str_compare((*x)->name, (*y)->name);

	return order ? order : (*x > *y) - (*x < *y);
}

const struct json_doc *json_doc_object(struct arena *a, const struct json_member *members,
				       size_t count)
{
	const struct json_member **order = arena_alloc(a, (count + 1) * sizeof(void *));
	struct json_member *sorted = arena_alloc(a, (count + 1) * sizeof(*sorted));
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		order[i] = &members[i];
	qsort(order, count, sizeof(void *), by_name_then_position);
	for (size_t i = 0; i < count; i++) {
		if (kept && str_equal(sorted[kept - 1].name, order[i]->name))
			kept--;
		sorted[kept].name = (struct str){ str_copy(a, order[i]->name), order[i]->name.len };
		sorted[kept++].value = order[i]->value;
	}
	return of_members(a, sorted, kept);
}

const struct json_doc *json_doc_with(struct arena *a, const struct json_doc *doc, struct str name,
				     const struct json_doc *value)
{
	struct json_member *members;
	size_t n = 0;
	size_t i = 0;

	if (doc->kind != JSON_KIND_OBJECT)
		doc = json_doc_empty();
	members = arena_alloc(a, (doc->count + 1) * sizeof(*members));
	while (i < doc->count && str_compare(doc->members[i].name, name) < 0)
		members[n++] = doc->members[i++];
	if (i < doc->count && str_equal(doc->members[i].name, name))
		i++;
	if (value) {
		members[n].name = (struct str){ str_copy(a, name), name.len };
		members[n++].value = value;
	}
	while (i < doc->count)
		members[n++] = doc->members[i++];
	return of_members(a, members, n);
}

size_t json_doc_count(const struct json_doc *doc)
{
	size_t count = 1;

	for (size_t i = 0; doc->kind == JSON_KIND_OBJECT && i < doc->count; i++)
		count += json_doc_count(doc->members[i].value);
	for (size_t i = 0; doc->kind == JSON_KIND_ARRAY && i < doc->count; i++)
		count += json_doc_count(doc->items[i]);
	return count;
}

static bool is_integer_text(struct str s)
{
	return strspn(s.at, "-0123456789") == s.len;
}

/* Whole numbers by their digits, however many; others by the nearest double. */
static bool equal_numbers(const struct json_doc *a, const struct json_doc *b)
{
	if (str_equal(a->text, b->text))
		return true;
	if (a->text.len > 15 && b->text.len > 15 && is_integer_text(a->text) &&
	    is_integer_text(b->text))
		return false;
	return strtod(a->text.at, NULL) == strtod(b->text.at, NULL);
}

static bool equal_members(const struct json_doc *a, const struct json_doc *b)
{
	for (size_t i = 0; i < a->count; i++) {
		if (!str_equal(a->members[i].name, b->members[i].name) ||
		    !json_doc_equal(a->members[i].value, b->members[i].value))
			return false;
	}
	return true;
}

static bool equal_items(const struct json_doc *a, const struct json_doc *b)
{
	for (size_t i = 0; i < a->count; i++) {
		if (!json_doc_equal(a->items[i], b->items[i]))
			return false;
	}
	return true;
}

bool json_doc_equal(const struct json_doc *a, const struct json_doc *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->kind != b->kind || a->count != b->count)
		return false;
	switch (a->kind) {
	case JSON_KIND_OBJECT:
		return equal_members(a, b);
	case JSON_KIND_ARRAY:
		return equal_items(a, b);
	case JSON_KIND_STRING:
		return str_equal(a->text, b->text);
	case JSON_KIND_NUMBER:
		return equal_numbers(a, b);
	case JSON_KIND_BOOL:
		return a->truth == b->truth;
	default:
		return true;
	}
}

/*
 * Joins a member: `below` or `above` is NULL if that side lacks it. Returns NULL to drop the
 * member.
 */
typedef const struct json_doc *join_fn(struct arena *a, const struct json_doc *below,
				       const struct json_doc *above);

/* Both objects in one walk, in order of names. */
static const struct json_doc *join_members(struct arena *a, const struct json_doc *below,
					   const struct json_doc *above, join_fn *join)
{
	size_t most = below->count + above->count;
	struct json_member *members = arena_alloc(a, (most + 1) * sizeof(*members));
	size_t n = 0;
	size_t i = 0;
	size_t j = 0;

	while (i < below->count || j < above->count) {
		int order = i == below->count ? 1
			    : j == above->count
				    ? -1
				    : str_compare(below->members[i].name, above->members[j].name);
		struct json_member m = {
			.name = order <= 0 ? below->members[i].name : above->members[j].name,
		};

		m.value = join(a, order <= 0 ? below->members[i].value : NULL,
			       order >= 0 ? above->members[j].value : NULL);
		i += order <= 0;
		j += order >= 0;
		if (m.value)
			members[n++] = m;
	}
	return of_members(a, members, n);
}

static const struct json_doc *merge_member(struct arena *a, const struct json_doc *below,
					   const struct json_doc *above)
{
	if (!above)
		return below;
	return below ? json_doc_merge(a, below, above) : above;
}

const struct json_doc *json_doc_merge(struct arena *a, const struct json_doc *below,
				      const struct json_doc *above)
{
	if (below->kind != JSON_KIND_OBJECT || above->kind != JSON_KIND_OBJECT)
		return above;
	return join_members(a, below, above, merge_member);
}

static const struct json_doc *patch_member(struct arena *a, const struct json_doc *target,
					   const struct json_doc *patch)
{
	if (!patch)
		return target;
	return patch->kind == JSON_KIND_NULL ? NULL : json_doc_patch(a, target, patch);
}

const struct json_doc *json_doc_patch(struct arena *a, const struct json_doc *target,
				      const struct json_doc *patch)
{
	if (patch->kind != JSON_KIND_OBJECT)
		return patch;
	if (!json_doc_is(target, JSON_KIND_OBJECT))
		target = json_doc_empty();
	return join_members(a, target, patch, patch_member);
}

enum words { WORDS_QUOTED, WORDS_BARE };

static void write_value(struct json_out *o, const struct json_doc *doc, enum words words);

static void write_object(struct json_out *o, const struct json_doc *doc, enum words words)
{
	json_out_object(o);
	for (size_t i = 0; i < doc->count; i++) {
		json_out_key_str(o, doc->members[i].name);
		write_value(o, doc->members[i].value, words);
	}
	json_out_object_end(o);
}

static void write_array(struct json_out *o, const struct json_doc *doc, enum words words)
{
	json_out_array(o);
	for (size_t i = 0; i < doc->count; i++)
		write_value(o, doc->items[i], words);
	json_out_array_end(o);
}

static void write_text(struct json_out *o, struct str text, enum words words)
{
	bool is_word = str_is(text, "NaN") || str_is(text, "Infinity") || str_is(text, "-Infinity");

	if (is_word && words == WORDS_BARE)
		json_out_raw(o, text);
	else
		json_out_text(o, text);
}

static void write_value(struct json_out *o, const struct json_doc *doc, enum words words)
{
	switch (doc->kind) {
	case JSON_KIND_OBJECT:
		write_object(o, doc, words);
		break;
	case JSON_KIND_ARRAY:
		write_array(o, doc, words);
		break;
	case JSON_KIND_NUMBER:
		json_out_raw(o, doc->text);
		break;
	case JSON_KIND_STRING:
		write_text(o, doc->text, words);
		break;
	case JSON_KIND_BOOL:
		json_out_bool(o, doc->truth);
		break;
	default:
		json_out_null(o);
		break;
	}
}

void json_doc_write(struct buf *b, const struct json_doc *doc)
{
	struct json_out out = json_out_begin(b);

	write_value(&out, doc, WORDS_QUOTED);
}

static struct str dump(struct arena *a, const struct json_doc *doc, enum words words)
{
	struct buf *b = buf_new(a);
	struct json_out out = json_out_begin(b);

	write_value(&out, doc, words);
	buf_add_byte(b, '\0');
	return (struct str){ b->at, b->len - 1 };
}

struct str json_doc_dump(struct arena *a, const struct json_doc *doc)
{
	return dump(a, doc, WORDS_QUOTED);
}

struct str json_doc_dump_bare(struct arena *a, const struct json_doc *doc)
{
	return dump(a, doc, WORDS_BARE);
}
