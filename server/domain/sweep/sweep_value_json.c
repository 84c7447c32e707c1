/* JSON into values, over the cursor that reads all JSON. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "json_number.h"
#include "json_scan.h"
#include "sweep_members.h"
#include "sweep_value.h"

struct reader {
	struct arena *arena;
	struct json_scan scan;
	size_t count; /* of values */
	/* A place before the cursor, with its line and column. */
	const char *seen;
	unsigned line, column;
};

static struct sweep_value read_value(struct reader *r);

/* Line and column of a byte; it is not before the one that was asked for last. */
static void place(struct reader *r, const char *at, unsigned *ret_line, unsigned *ret_column)
{
	for (; r->seen < at; r->seen++) {
		if (*r->seen == '\n') {
			r->line++;
			r->column = 1;
		} else {
			r->column += ((unsigned char)*r->seen & 0xc0) !=
				     0x80; /* a character once */
		}
	}
	*ret_line = r->line;
	*ret_column = r->column;
}

static struct str read_text(struct reader *r, struct str text)
{
	if (text.len && memchr(text.at, 0, text.len))
		json_scan_fail(&r->scan, "the character U+0000 is not supported");
	return (struct str){ str_copy(r->arena, text), text.len };
}

static void read_number(struct reader *r, struct sweep_value *v)
{
	struct str text = json_scan_raw(&r->scan);
	struct json_number number;

	if (r->scan.error)
		return;
	if (str_to_int64(text, INT64_MIN, INT64_MAX, &v->whole)) {
		v->kind = SWEEP_INT;
		return;
	}
	v->kind = SWEEP_REAL;
	if (str_is(text, "NaN"))
		v->real = __builtin_nan("");
	else if (str_is(text, "Infinity") || str_is(text, "-Infinity"))
		v->real = text.at[0] == '-' ? -__builtin_inf() : __builtin_inf();
	else if (!json_number_read(text.at, &number))
		json_scan_fail(&r->scan, "invalid number");
	else if (number.form != JSON_NUMBER_REAL)
		json_scan_fail(&r->scan, "integer beyond 64 bits: write it as a float or a string");
	else
		v->real = number.value;
}

static void read_list(struct reader *r, struct sweep_value *v)
{
	struct sweep_items items = { 0 };

	v->kind = SWEEP_LIST;
	json_scan_array(&r->scan);
	while (json_scan_item(&r->scan))
		sweep_items_add(&items, read_value(r));
	sweep_items_end(r->arena, &items, v);
}

static void read_object(struct reader *r, struct sweep_value *v)
{
	struct sweep_members members = { 0 };
	struct sweep_member m = { 0 };
	struct str key;

	v->kind = SWEEP_OBJECT;
	json_scan_object(&r->scan);
	while (json_scan_key(&r->scan, &key)) {
		/* a name with escapes is a copy elsewhere */
		place(r, key.at > r->scan.body && key.at < r->scan.at ? key.at - 1 : r->scan.at,
		      &m.line, &m.column);
		m.name = read_text(r, key);
		m.value = read_value(r);
		sweep_members_add(&members, m);
	}
	sweep_members_end(r->arena, &members, v, NULL);
}

static struct sweep_value read_value(struct reader *r)
{
	struct sweep_value v = { .kind = SWEEP_NULL };
	enum json_kind kind;

	if (r->scan.error)
		return v;
	if (++r->count > SWEEP_VALUES_MAX) {
		json_scan_fail_as(&r->scan, ERR_INVALID, "more than %d values", SWEEP_VALUES_MAX);
		return v;
	}
	kind = json_scan_kind(&r->scan);
	place(r, r->scan.at, &v.line, &v.column);
	if (kind == JSON_KIND_OBJECT) {
		read_object(r, &v);
	} else if (kind == JSON_KIND_ARRAY) {
		read_list(r, &v);
	} else if (kind == JSON_KIND_STRING) {
		v.kind = SWEEP_TEXT;
		v.text = read_text(r, json_scan_text(&r->scan, SWEEP_TEXT_MAX));
	} else if (kind == JSON_KIND_NUMBER) {
		read_number(r, &v);
	} else if (kind == JSON_KIND_BOOL) {
		v.kind = SWEEP_BOOL;
		v.truth = json_scan_bool(&r->scan);
	} else if (!json_scan_null(&r->scan)) {
		json_scan_fail(&r->scan, "expected a value");
	}
	return v;
}

/* The scanner reads some bytes beyond the end. */
static struct str padded(struct arena *a, struct str text)
{
	char *copy = arena_zalloc(a, text.len + JSON_SCAN_PADDING, 1);

	if (text.len)
		memcpy(copy, text.at, text.len);
	return (struct str){ copy, text.len };
}

err_t sweep_value_read_json(struct arena *a, struct str json, const struct sweep_value **ret_value)
{
	struct reader r = { .arena = a, .line = 1, .column = 1 };
	struct sweep_value *v = arena_new_of(a, struct sweep_value);
	const char *body;
	err_t e;

	if (json.len > SWEEP_TEXT_MAX)
		return err_new(a, ERR_INVALID, "longer than %d bytes", SWEEP_TEXT_MAX);
	json = padded(a, json);
	body = json.at;
	json_scan_begin(&r.scan, a, json);
	r.seen = body;
	*v = read_value(&r);
	e = json_scan_end(&r.scan);
	if (!e)
		*ret_value = v;
	return e;
}
