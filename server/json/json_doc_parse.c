/*
 * Text to document, over the scanner's cursor: one grammar for everything that comes in. Members and
 * items of what is open are collected on one stack and copied when their bracket closes.
 *
 * Rejected: jansson. It has no NaN, cuts integers at 64 bits and forgets how a number was written.
 */
#include "json_doc.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"

struct reader {
	struct arena *arena;
	struct json_scan scan;
	size_t count;    /* of values */
	bool asks;       /* for room in the budget of the arena */
	struct buf open; /* struct json_member of all open brackets, innermost last */
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

static bool text_is_storable(struct reader *r, struct str text)
{
	if (!text.len || !memchr(text.at, 0, text.len))
		return true;
	json_scan_fail(&r->scan, "the character U+0000 cannot be kept");
	return false;
}

static struct str own_text(struct reader *r, struct str text)
{
	return (struct str){ str_copy(r->arena, text), text.len };
}

static const struct json_doc *read_object(struct reader *r)
{
	struct json_doc *doc = arena_new_of(r->arena, struct json_doc);
	size_t base = r->open.len;
	struct json_member *members;
	struct str name;

	json_scan_object(&r->scan);
	while (json_scan_key(&r->scan, &name)) {
		struct str copy = own_text(r, name);

		if (!text_is_storable(r, name))
			break;
		push(r, copy, read_value(r));
	}
	members = pop_to(r, base, &doc->count);
	if (r->scan.error)
		return NULL;
	qsort(members, doc->count, sizeof(*members), by_name);
	for (size_t i = 1; i < doc->count; i++) {
		if (str_equal(members[i - 1].name, members[i].name)) {
			name = json_scan_name_shown(r->arena, members[i].name);
			json_scan_fail(&r->scan, "\"%.*s\" is there twice", STR_ARG(name));
			return NULL;
		}
	}
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
	while (json_scan_item(&r->scan))
		push(r, (struct str){ "", 0 }, read_value(r));
	doc->count = open_count(r, base);
	items = arena_alloc(r->arena, (doc->count + 1) * sizeof(const struct json_doc *));
	if (doc->count) /* else there may be no memory yet */
		open = (const struct json_member *)(const void *)(r->open.at + base);
	for (size_t i = 0; i < doc->count; i++)
		items[i] = open[i].value;
	r->open.len = base;
	doc->kind = JSON_KIND_ARRAY;
	doc->items = items;
	return doc;
}

static const struct json_doc *read_text(struct reader *r)
{
	struct json_doc *doc = arena_new_of(r->arena, struct json_doc);
	struct str text = json_scan_text(&r->scan, SIZE_MAX);

	doc->kind = JSON_KIND_STRING;
	if (text_is_storable(r, text))
		doc->text = own_text(r, text);
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
		json_scan_fail(&r->scan, "the number is too long or too large to be kept");
	return doc;
}

enum { ROOM_VALUES = 1024 /* between two looks at the memory that is left */ };

static bool has_room(const struct reader *r)
{
	return !r->asks || r->count % ROOM_VALUES || arena_fits(r->arena);
}

static const struct json_doc *read_value(struct reader *r)
{
	if (!has_room(r)) {
		json_scan_fail_as(&r->scan, ERR_BUSY, "the memory for requests is in use");
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
		json_scan_raw(&r->scan); /* says what is wrong */
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

static err_t parse(struct arena *a, struct str text, bool asks, const struct json_doc **ret_doc)
{
	struct reader r = { .arena = a, .asks = asks, .open.share = arena_share(a) };
	const struct json_doc *doc;
	err_t e;

	json_scan_begin(&r.scan, a, padded_copy(a, text));
	doc = read_value(&r);
	buf_free(&r.open);
	e = json_scan_end(&r.scan);
	if (e)
		return e;
	*ret_doc = doc;
	return NULL;
}

err_t json_doc_parse(struct arena *a, struct str text, const struct json_doc **ret_doc)
{
	return parse(a, text, false, ret_doc);
}

err_t json_doc_parse_body(struct arena *a, struct str text, const struct json_doc **ret_doc)
{
	return parse(a, text, true, ret_doc);
}
