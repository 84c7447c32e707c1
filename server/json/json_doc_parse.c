/*
 * Text to document, over the scanner's cursor: one grammar for everything that comes in. Members
 * and items of open brackets are collected on one stack and copied when their bracket closes.
 *
 * Rejected: jansson. It has no NaN, cuts integers at 64 bits and forgets how a number was written.
 */
#include "json_doc.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "json_scan_lex.h"
#include "odd_name.h"

enum { SKIP_DEPTH = 1000 }; /* of a value left out for its depth */

struct reader {
	struct arena *arena;
	struct json_scan scan;
	size_t count;    /* of values */
	bool asks;       /* for room in the budget of the arena */
	struct buf open; /* struct json_member of all open brackets, innermost last */
	bool mends;      /* U+0000 gets its form, else it is refused */
	const struct json_doc_members *how; /* NULL: what cannot be kept is refused */
	unsigned lists;                     /* that are open */
	size_t bytes;                       /* of values, where `how` counts them */
	bool is_bare;                       /* the wrapped member that is read has lost its value */
};

static const struct json_doc *read_value(struct reader *r);

static void push(struct reader *r, struct str name, const struct json_doc *value)
{
	struct json_member m = { .name = name, .value = value };

	buf_add(&r->open, &m, sizeof(m));
}

static size_t open_count(const struct reader *r, size_t base)
{
	return (r->open.len - base) / sizeof(struct json_member);
}

/* Copied to where it is aligned and stays. */
static struct json_member *pop_to(struct reader *r, size_t base, size_t *ret_count)
{
	size_t count = open_count(r, base);
	struct json_member *members = arena_alloc(r->arena, (count + 1) * sizeof(*members));

	if (count)
		memcpy(members, r->open.at + base, count * sizeof(*members));
	r->open.len = base;
	*ret_count = count;
	return members;
}

static int by_name(const void *a, const void *b)
{
	return str_compare(((const struct json_member *)a)->name,
			   ((const struct json_member *)b)->name);
}

static struct str own_text(struct reader *r, struct str text)
{
	return (struct str){ str_copy(r->arena, text), text.len };
}

/* A copy that can be stored; empty after a fault. */
static struct str storable_text(struct reader *r, struct str text)
{
	bool has_nul = text.len && memchr(text.at, 0, text.len);

	if (!has_nul)
		return own_text(r, text);
	if (r->mends)
		return own_text(r, odd_text_form(r->arena, text));
	json_scan_fail(&r->scan, "the character U+0000 is not supported");
	return STR("");
}

/* A form stays as it is: the SDK reads a summary, and sends it again. */
static struct str storable_name(struct reader *r, struct str name)
{
	if (!r->how || r->how->kind != LEFT_OUT_SUMMARY)
		return storable_text(r, name);
	if (!str_has_control(name))
		return own_text(r, name);
	return own_text(r, odd_name_form(r->arena, name, ODD_NAME_KEY, SIZE_MAX));
}

/* ---- members that are left out ------------------------------------------------------------------- */

/*
 * The number of values in a JSON text; those of lists and objects are between brackets and commas.
 */
static size_t count_values(struct str json)
{
	size_t count = 1;
	bool in_text = false;

	for (size_t i = 0; i < json.len; i++) {
		char c = json.at[i];

		if (in_text) {
			i += c == '\\';
			in_text = c != '"';
		} else if (c == '"') {
			in_text = true;
		} else if (c == '[' || c == '{') {
			const char *next = json_lex_blank(json.at + i + 1);

			count += *next != ']' && *next != '}';
		} else {
			count += c == ',';
		}
	}
	return count;
}

/* "data.indices": names of the objects that are open, and of the member that is read in the innermost. */
static struct str path_of_member(struct reader *r)
{
	struct buf *path = buf_new(r->arena);

	for (unsigned i = 0; i < r->scan.depth; i++) {
		if (r->how->is_wrapped && i == 1)
			continue;
		if (i)
			buf_add_byte(path, '.');
		buf_add_str(path, r->scan.levels[i].key);
	}
	return buf_str(path);
}

static void leave_out(struct reader *r, enum left_out_reason reason, struct str json)
{
	struct left_out_list *list = r->how->left_out;
	struct left_out member = { r->how->kind, reason, STR(""), json, 1 };

	if (list->count == LEFT_OUT_MAX) { /* names are not even built for millions of them */
		list->total++;
	} else {
		member.name = path_of_member(r);
		left_out_add(list, r->arena, &member);
	}
	if (r->how->is_wrapped && r->scan.depth == 2 && reason != LEFT_OUT_NAME_REPEATED &&
	    str_is(r->scan.levels[1].key, "value"))
		r->is_bare = true;
}

/* The fault of a value's size; LEFT_OUT_REASONS if there is none. */
static enum left_out_reason size_fault(const struct reader *r, struct str json)
{
	size_t count = count_values(json);

	if (count > JSON_DOC_MAX_VALUES || json.len > r->how->max_bytes)
		return LEFT_OUT_VALUE_TOO_LARGE;
	if (r->count + count > JSON_DOC_MAX_VALUES || r->bytes + json.len > r->how->max_bytes)
		return LEFT_OUT_DOCUMENT_FULL;
	return LEFT_OUT_REASONS;
}

/* A value that is too large is not built. The error stays only if the text is not JSON. */
static const struct json_doc *read_leaf(struct reader *r)
{
	const char *start = json_lex_blank(r->scan.at);
	unsigned depth = r->scan.depth;
	size_t count = r->count;
	struct json_lex_fault fault;
	const struct json_doc *value;
	enum left_out_reason reason;
	const char *end = json_lex_value(start, SKIP_DEPTH, &fault);
	struct str json = { start, end ? (size_t)(end - start) : 0 };

	if (!end) {
		(void)json_scan_raw(&r->scan);
		return NULL;
	}
	reason = size_fault(r, json);
	if (reason == LEFT_OUT_REASONS) {
		value = read_value(r);
		if (!r->scan.error) {
			r->bytes += json.len;
			return value;
		}
		reason = json_lex_value(start, JSON_SCAN_MAX_DEPTH - depth, &fault)
				 ? LEFT_OUT_VALUE_INVALID
				 : LEFT_OUT_VALUE_TOO_DEEP;
	}
	r->scan.error = NULL;
	r->scan.at = end;
	r->scan.depth = depth;
	r->count = count;
	leave_out(r, reason, json);
	return NULL;
}

/* NULL if it is left out, or the text is not JSON. Each member of an object is read by itself. */
static const struct json_doc *read_member(struct reader *r)
{
	const struct json_doc *value;

	if (!r->how || r->lists)
		return read_value(r);
	if (json_scan_kind(&r->scan) != JSON_KIND_OBJECT || r->scan.depth == JSON_SCAN_MAX_DEPTH ||
	    r->count == JSON_DOC_MAX_VALUES)
		return read_leaf(r);
	r->is_bare = r->is_bare && r->scan.depth > 1;
	value = read_value(r);
	return r->is_bare && r->scan.depth == 1 ? NULL : value;
}

/* ---- names that are there twice ------------------------------------------------------------------- */

/* As they were read; after pop_to() they still are where they were. */
static const struct json_member *first_of_name(const struct reader *r, size_t base, struct str name)
{
	const struct json_member *m = (const struct json_member *)(const void *)(r->open.at + base);

	while (!str_equal(m->name, name))
		m++;
	return m;
}

/* Keeps the first of each name. The object was the last that was open. */
static size_t drop_repeated(struct reader *r, size_t base, struct json_member *members,
			    size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct json_member *first;

		if (!kept || !str_equal(members[kept - 1].name, members[i].name)) {
			members[kept++] = members[i];
			continue;
		}
		first = first_of_name(r, base, members[i].name);
		r->scan.levels[r->scan.depth++].key = members[i].name;
		leave_out(r, LEFT_OUT_NAME_REPEATED,
			  json_doc_dump(r->arena, members[i].value == first->value
							  ? members[kept - 1].value
							  : members[i].value));
		r->scan.depth--;
		members[kept - 1].value = first->value;
	}
	return kept;
}

static bool has_repeated(struct reader *r, const struct json_member *members, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct str name = members[i].name;

		if (!str_equal(members[i - 1].name, name))
			continue;
		name = json_scan_name_shown(r->arena, name);
		json_scan_fail(&r->scan, "duplicate key \"%.*s\"", STR_ARG(name));
		return true;
	}
	return false;
}

/* ---- values --------------------------------------------------------------------------------------- */

static const struct json_doc *read_object(struct reader *r)
{
	struct json_doc *doc = arena_new_of(r->arena, struct json_doc);
	size_t base = r->open.len;
	struct json_member *members;
	struct str name;

	json_scan_object(&r->scan);
	while (json_scan_key(&r->scan, &name)) {
		struct str stored = storable_name(r, name);
		const struct json_doc *value;

		if (r->scan.error)
			break;
		value = read_member(r);
		if (value)
			push(r, stored, value);
	}
	members = pop_to(r, base, &doc->count);
	if (r->scan.error)
		return NULL;
	qsort(members, doc->count, sizeof(*members), by_name);
	if (r->how && !r->lists)
		doc->count = drop_repeated(r, base, members, doc->count);
	else if (has_repeated(r, members, doc->count))
		return NULL;
	doc->kind = JSON_KIND_OBJECT;
	doc->members = members;
	return doc;
}

static const struct json_doc *read_array(struct reader *r)
{
	struct json_doc *doc = arena_new_of(r->arena, struct json_doc);
	size_t base = r->open.len;
	const struct json_doc **items;
	const struct json_member *open = NULL;

	json_scan_array(&r->scan);
	r->lists++;
	while (json_scan_item(&r->scan))
		push(r, (struct str){ "", 0 }, read_value(r));
	doc->count = open_count(r, base);
	items = arena_alloc(r->arena, (doc->count + 1) * sizeof(const struct json_doc *));
	if (doc->count) /* else there may be no memory yet */
		open = (const struct json_member *)(const void *)(r->open.at + base);
	for (size_t i = 0; i < doc->count; i++)
		items[i] = open[i].value;
	r->open.len = base;
	r->lists--;
	doc->kind = JSON_KIND_ARRAY;
	doc->items = items;
	return doc;
}

static const struct json_doc *read_text(struct reader *r)
{
	struct json_doc *doc = arena_new_of(r->arena, struct json_doc);
	struct str text = json_scan_text(&r->scan, SIZE_MAX);

	doc->kind = JSON_KIND_STRING;
	doc->text = storable_text(r, text);
	return doc;
}

/* Digits before an exponent and its value, bounded so that the database can keep the number. */
static bool number_is_storable(struct str text)
{
	const char *e = memchr(text.at, 'e', text.len);
	long exponent;

	if (!e)
		e = memchr(text.at, 'E', text.len);
	if (!e)
		return text.len <= JSON_DOC_MAX_DIGITS;
	exponent = strtol(e + 1, NULL, 10);
	return text.len <= JSON_DOC_MAX_DIGITS && exponent >= -JSON_DOC_MAX_EXPONENT &&
	       exponent <= JSON_DOC_MAX_EXPONENT;
}

static const struct json_doc *read_number(struct reader *r)
{
	struct json_doc *doc = arena_new_of(r->arena, struct json_doc);

	doc->text = own_text(r, json_scan_raw(&r->scan));
	doc->kind = !r->scan.error && json_doc_is_word(doc->text) ? JSON_KIND_STRING
								  : JSON_KIND_NUMBER;
	if (!r->scan.error && !number_is_storable(doc->text))
		json_scan_fail(&r->scan, "the number is too long or too large");
	return doc;
}

enum { ROOM_VALUES = 1024 /* between two checks of the remaining memory */ };

static bool has_room(const struct reader *r)
{
	return !r->asks || r->count % ROOM_VALUES || arena_fits(r->arena);
}

static const struct json_doc *read_value(struct reader *r)
{
	if (!has_room(r)) {
		json_scan_fail_as(&r->scan, ERR_BUSY, "the server's memory for requests is in use");
		return NULL;
	}
	if (++r->count > JSON_DOC_MAX_VALUES) {
		json_scan_fail_as(&r->scan, ERR_UNPROCESSABLE, "more than %d values",
				  JSON_DOC_MAX_VALUES);
		return NULL;
	}
	switch (json_scan_kind(&r->scan)) {
	case JSON_KIND_OBJECT:
		return read_object(r);
	case JSON_KIND_ARRAY:
		return read_array(r);
	case JSON_KIND_STRING:
		return read_text(r);
	case JSON_KIND_NUMBER:
		return read_number(r);
	case JSON_KIND_BOOL:
		return json_doc_bool(json_scan_bool(&r->scan));
	case JSON_KIND_NULL:
		json_scan_null(&r->scan);
		return json_doc_null();
	default:
		json_scan_raw(&r->scan); /* reports the fault */
		return NULL;
	}
}

static struct str padded_copy(struct arena *a, struct str text)
{
	char *copy = arena_alloc(a, text.len + JSON_SCAN_PADDING);

	if (text.len)
		memcpy(copy, text.at, text.len);
	memset(copy + text.len, 0, JSON_SCAN_PADDING);
	return (struct str){ copy, text.len };
}

static err_t read_all(struct reader *r, struct str text, const struct json_doc **ret_doc)
{
	const struct json_doc *doc;
	err_t e;

	r->open.share = arena_share(r->arena);
	json_scan_begin(&r->scan, r->arena, padded_copy(r->arena, text));
	doc = read_value(r);
	buf_free(&r->open);
	e = json_scan_end(&r->scan);
	if (e)
		return e;
	*ret_doc = doc;
	return NULL;
}

err_t json_doc_parse(struct arena *a, struct str text, const struct json_doc **ret_doc)
{
	struct reader r = { .arena = a };

	return read_all(&r, text, ret_doc);
}

err_t json_doc_parse_body(struct arena *a, struct str text, const struct json_doc **ret_doc)
{
	struct reader r = { .arena = a, .asks = true };

	return read_all(&r, text, ret_doc);
}

err_t json_doc_parse_texts(struct arena *a, struct str text, const struct json_doc **ret_doc)
{
	struct reader r = { .arena = a, .mends = true };

	return read_all(&r, text, ret_doc);
}

err_t json_doc_parse_body_texts(struct arena *a, struct str text, const struct json_doc **ret_doc)
{
	struct reader r = { .arena = a, .asks = true, .mends = true };

	return read_all(&r, text, ret_doc);
}

err_t json_doc_parse_members(struct arena *a, struct str text, const struct json_doc_members *how,
			     const struct json_doc **ret_doc)
{
	struct reader r = { .arena = a, .mends = true, .how = how };

	return read_all(&r, text, ret_doc);
}
