/*
 * Rows of metrics, read in place. Most rows are flat and numeric, and most of their members are
 * read by json_scan_usual.c; here is every other, and every fault. A name is used in place in the
 * body; only names with escapes and flattened names are put together elsewhere.
 *
 * The lines of other clients that carry JSON inside JSON strings differ in how a quote is written
 * and nowhere else: reading them takes only a second take_key() with the same members around it.
 */
#include <math.h>
#include <string.h>

#include "arena.h"
#include "json_number.h"
#include "json_rows.h"
#include "json_rows_index.h"
#include "json_scan.h"
#include "json_scan_lex.h"
#include "json_scan_usual.h"

struct row_scan {
	struct json_scan *s;
	struct json_rows *rows;
	struct str name; /* of the member being read, whole; for errors too */
	enum json_name_life life;
	char flat[JSON_NAME_MAX_BYTES + 64]; /* a flattened name; padded for hashing */
};

static const char *scan_members(struct row_scan *r, const char *p, size_t prefix, unsigned depth);

/* Notes an error at `p` and names the key, if one has been read. */
static const char *fail(struct row_scan *r, const char *p, enum err_kind kind, const char *why)
{
	struct json_scan *s = r->s;
	bool ends = p >= s->end;

	s->at = ends ? s->end : p;
	if (r->name.len && s->depth < JSON_SCAN_MAX_DEPTH)
		s->levels[s->depth++] =
			(struct json_scan_level){ .key = r->name, .index = -1, .started = true };
	json_scan_fail_as(s, kind, "%s", ends ? "unexpected end of the body" : why);
	return NULL;
}

static const char *fail_syntax(struct row_scan *r, const char *p, const char *why)
{
	return fail(r, p, ERR_INVALID, why);
}

static const char *fail_rule(struct row_scan *r, const char *p, enum json_rows_fault fault)
{
	enum err_kind kind = fault == JSON_ROWS_NO_MEMORY ? ERR_BUSY : ERR_UNPROCESSABLE;

	return fail(r, p, kind, json_rows_fault_text(fault));
}

/*
 * A member between p and end that breaks a rule costs only itself, unless the rule is about the
 * whole.
 */
static const char *leave_out(struct row_scan *r, const char *p, const char *end,
			     enum json_rows_fault fault)
{
	if (json_rows_leave_out(r->rows, fault, r->name, (struct str){ p, (size_t)(end - p) }))
		return end;
	return fail_rule(r, p, fault);
}

/* The same for a value that has not been read yet. */
static const char *pass_over(struct row_scan *r, const char *p, enum json_rows_fault fault)
{
	struct json_lex_fault lex;
	const char *end = json_lex_value(p, JSON_SKIP_MAX_DEPTH, &lex);

	return end ? leave_out(r, p, end, fault) : fail_syntax(r, lex.at, lex.why);
}

/*
 * r->name becomes prefix + key, put together in r->flat; if that is too
 * long, its beginning, which is too long, too.
 */
static void flatten(struct row_scan *r, size_t prefix, struct str key)
{
	size_t room = sizeof(r->flat) - JSON_ROWS_NAME_BEHIND - prefix;
	size_t len = key.len < room ? key.len : room;

	memcpy(r->flat + prefix, key.at, len);
	r->name = (struct str){ r->flat, prefix + len };
	r->life = JSON_NAME_PASSES;
}

/* Takes a key with escapes: `p` is after its opening quote. */
static const char *take_escaped_key(struct row_scan *r, const char *p, size_t prefix)
{
	struct json_lex_fault fault;
	struct str key = { p, 0 };
	bool escaped;
	char *plain;
	const char *end = json_lex_string(p, &escaped, &fault);

	if (!end)
		return fail_syntax(r, fault.at, fault.why);
	key.len = (size_t)(end - p) - 1;
	plain = arena_alloc(r->rows->arena, key.len + 1);
	key = (struct str){ plain, json_lex_unescape_bytes(key, plain) };
	flatten(r, prefix, key);
	return end;
}

/* From the opening quote to the value; the key, with what it is flattened under, is r->name. */
static const char *take_key(struct row_scan *r, const char *p, size_t prefix)
{
	const char *stop;

	r->name.len = 0;
	if (*p != '"')
		return fail_syntax(r, p, "expected a quoted key");
	stop = json_bytes_string_stop(++p);
	if (*stop != '"') {
		p = take_escaped_key(r, p, prefix);
	} else if (prefix) {
		flatten(r, prefix, (struct str){ p, (size_t)(stop - p) });
		p = stop + 1;
	} else {
		r->name = (struct str){ p, (size_t)(stop - p) };
		r->life = JSON_NAME_QUOTED;
		p = stop + 1;
	}
	if (!p)
		return NULL;
	if (*p != ':')
		p = json_lex_blank(p);
	if (*p != ':')
		return fail_syntax(r, p, "expected a colon");
	return json_lex_blank(p + 1);
}

static enum json_rows_fault find_column(struct row_scan *r, uint32_t *ret_column)
{
	enum json_rows_fault fault = json_rows_column(r->rows, r->name, r->life, ret_column);

	if (!fault)
		json_rows_came(r->rows->cells, *ret_column);
	return fault;
}

static const char *take_number(struct row_scan *r, const char *p)
{
	struct json_number number;
	const char *end = json_number_read(p, &number);
	enum json_rows_fault fault;
	uint32_t column;

	if (!end) {
		number.form = JSON_NUMBER_REAL;
		end = json_lex_nonfinite(p, &number.value);
	}
	if (!end)
		return fail_syntax(r, p, "expected a value");
	fault = find_column(r, &column);
	if (!fault && number.form == JSON_NUMBER_BIG_INTEGER)
		fault = json_rows_add_big(r->rows, column, number.value,
					  (struct str){ p, (size_t)(end - p) });
	else if (!fault)
		fault = json_rows_add_number(r->rows, column, number.value);
	return fault ? leave_out(r, p, end, fault) : end;
}

static const char *take_text(struct row_scan *r, const char *p, unsigned depth)
{
	struct json_lex_fault lex;
	const char *end = json_lex_value(p, depth, &lex);
	enum json_rows_fault fault;
	uint32_t column;

	if (!end && lex.why == json_lex_too_deep)
		return pass_over(r, p, JSON_ROWS_VALUE_TOO_DEEP);
	if (!end)
		return fail_syntax(r, lex.at, lex.why);
	fault = find_column(r, &column);
	if (!fault)
		fault = json_rows_add_text(r->rows, column, (struct str){ p, (size_t)(end - p) });
	return fault ? leave_out(r, p, end, fault) : end;
}

/* An object as a value: its members go into the row under this name, with a dot between. */
static const char *take_object(struct row_scan *r, const char *p, unsigned depth)
{
	size_t prefix = r->name.len;

	if (depth == 0)
		return pass_over(r, p, JSON_ROWS_VALUE_TOO_DEEP);
	if (*json_lex_blank(p + 1) == '}')
		return take_text(r, p, depth);
	if (prefix >= JSON_NAME_MAX_BYTES)
		return pass_over(r, p, JSON_ROWS_KEY_TOO_LONG);
	memmove(r->flat, r->name.at, prefix);
	r->flat[prefix++] = '.';
	return scan_members(r, p + 1, prefix, depth - 1);
}

static const char *take_value(struct row_scan *r, const char *p, unsigned depth)
{
	if (*p == '-' || (*p >= '0' && *p <= '9') || *p == 'N' || *p == 'I')
		return take_number(r, p);
	if (*p == '{')
		return take_object(r, p, depth);
	return take_text(r, p, depth);
}

/* A number that can be a step: whole, from 0 to 2^53, in whatever notation. */
static bool is_step(const struct json_number *number)
{
	double v = number->value;

	if (number->form == JSON_NUMBER_BIG_INTEGER || signbit(v))
		return false;
	if (number->form == JSON_NUMBER_INTEGER)
		return true;
	return v < (double)JSON_INTEGER_EXACT && v == (double)(int64_t)v;
}

static const char *take_step(struct row_scan *r, const char *p, unsigned depth)
{
	struct json_number number;
	enum json_rows_fault fault = json_rows_see_step(r->rows);
	const char *end;

	if (fault)
		return pass_over(r, p, fault);
	end = json_number_read(p, &number);
	if (!end || !is_step(&number))
		return take_value(r, p, depth);
	json_rows_set_step(r->rows, (int64_t)number.value);
	return end;
}

static const char *scan_member(struct row_scan *r, const char *p, size_t prefix, unsigned depth)
{
	p = take_key(r, p, prefix);
	if (!p)
		return NULL;
	if (r->name.len == 5 && memcmp(r->name.at, "_step", 5) == 0)
		return take_step(r, p, depth);
	return take_value(r, p, depth);
}

/* Reads members of a row that are as usual, up to and including the first that is not. */
static const char *scan_some(struct row_scan *r, const char *p, size_t prefix, unsigned depth)
{
	uint32_t last;
	bool behind = false;

	if (!prefix)
		p = json_scan_usual(r->rows, r->s->body, p, &behind);
	if (!behind)
		return scan_member(r, p, prefix, depth);
	last = r->rows->cells->column_last;
	if (last != JSON_COLUMN_NONE)
		r->name = r->rows->columns[last].name; /* for a fault of the comma */
	return p;
}

/* `p` is after the opening bracket; `depth` more may open inside. */
static const char *scan_members(struct row_scan *r, const char *p, size_t prefix, unsigned depth)
{
	p = json_lex_blank(p);
	if (*p == '}')
		return p + 1;
	for (;;) {
		p = scan_some(r, p, prefix, depth);
		if (!p)
			return NULL;
		p = json_lex_blank(p);
		if (*p == '}')
			return p + 1;
		if (*p != ',')
			return fail_syntax(r, p, "expected a comma or \"}\"");
		p = json_lex_blank(p + 1);
	}
}

/* The object at the cursor becomes a row; false: an error is noted. */
static bool scan_row(struct row_scan *r)
{
	struct json_scan *s = r->s;
	enum json_rows_fault fault;
	const char *end;

	r->name.len = 0;
	if (json_scan_kind(s) != JSON_KIND_OBJECT || s->depth >= JSON_SCAN_MAX_DEPTH) {
		json_scan_fail(s, "expected a row (a JSON object)");
		return false;
	}
	fault = json_rows_begin_row(r->rows);
	if (fault) {
		fail_rule(r, s->at, fault);
		return false;
	}
	end = scan_members(r, s->at + 1, 0, JSON_SCAN_MAX_DEPTH - s->depth - 1);
	if (!end)
		return false;
	if (json_rows_is_too_long(r->rows, (size_t)(end - s->at))) {
		json_scan_fail_as(s, ERR_UNPROCESSABLE, "a row is longer than 10 MiB");
		return false;
	}
	s->at = end;
	return true;
}

void json_scan_rows(struct json_scan *s, struct json_rows *rows)
{
	struct row_scan r = { .s = s, .rows = rows };

	json_scan_array(s);
	while (json_scan_item(s)) {
		if (!scan_row(&r))
			return;
	}
	if (!s->error)
		json_rows_finish(rows);
}

void json_scan_rows_body(struct json_scan *s, struct json_rows *rows)
{
	struct row_scan r = { .s = s, .rows = rows };
	struct json_scan_level *level = &s->levels[0];

	if (json_scan_kind(s) == JSON_KIND_ARRAY) {
		json_scan_rows(s, rows);
		return;
	}
	*level = (struct json_scan_level){ .key = STR(""), .started = true };
	for (s->depth = 1; !s->error; level->index++) {
		if (!scan_row(&r))
			return;
		s->at = json_lex_blank(s->at);
		if (s->at == s->end)
			break;
	}
	s->depth = 0;
	if (!s->error)
		json_rows_finish(rows);
}
