/*
 * One function per rule of the grammar, one character at a time. It shares nothing with the fast
 * scanner but the limits and the collector of cells.
 */
#include "json_scan_slow.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "json_number.h"
#include "json_scan.h"

struct parser {
	struct arena *arena;
	struct json_rows *rows;
	const char *body;
	const char *at;
	const char *end;
	bool is_too_deep; /* which is what was wrong last */
};

static err_t members(struct parser *p, struct str prefix, unsigned depth);
static err_t value(struct parser *p, unsigned depth);

static err_t wrong(struct parser *p, const char *why)
{
	return err_new(p->arena, ERR_INVALID, "%s, at byte %td", why, p->at - p->body);
}

static err_t ruled(struct parser *p, enum json_rows_fault fault)
{
	return fault ? wrong(p, json_rows_fault_text(fault)) : NULL;
}

/* What was read from `start` on breaks a rule: it is left out, unless the rule is one of the whole. */
static err_t left_out(struct parser *p, enum json_rows_fault fault, struct str name,
		      const char *start)
{
	const struct str text = { start, (size_t)(p->at - start) };

	if (!fault || json_rows_leave_out(p->rows, fault, name, text))
		return NULL;
	return ruled(p, fault);
}

/* The same of a value that stands here. */
static err_t pass_over(struct parser *p, enum json_rows_fault fault, struct str name)
{
	const char *start = p->at;
	err_t e = value(p, JSON_SKIP_MAX_DEPTH);

	return e ? e : left_out(p, fault, name, start);
}

/* The next character, 0 at the end. */
static char peek(const struct parser *p)
{
	return p->at < p->end ? *p->at : '\0';
}

static bool take(struct parser *p, char c)
{
	if (peek(p) != c || p->at == p->end)
		return false;
	p->at++;
	return true;
}

static bool take_word(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(p->end - p->at) < len || memcmp(p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

static void blanks(struct parser *p)
{
	while (take(p, ' ') || take(p, '\t') || take(p, '\n') || take(p, '\r'))
		;
}

static bool take_digits(struct parser *p)
{
	const char *start = p->at;

	while (peek(p) >= '0' && peek(p) <= '9')
		p->at++;
	return p->at > start;
}

static void add_utf8(struct buf *to, unsigned long c)
{
	if (c < 0x80) {
		buf_add_byte(to, (char)c);
		return;
	}
	if (c < 0x800) {
		buf_add_byte(to, (char)(0xc0 + (c >> 6)));
	} else {
		if (c < 0x10000) {
			buf_add_byte(to, (char)(0xe0 + (c >> 12)));
		} else {
			buf_add_byte(to, (char)(0xf0 + (c >> 18)));
			buf_add_byte(to, (char)(0x80 + (c >> 12) % 64));
		}
		buf_add_byte(to, (char)(0x80 + (c >> 6) % 64));
	}
	buf_add_byte(to, (char)(0x80 + c % 64));
}

static err_t hex(struct parser *p, unsigned long *ret_value)
{
	char digits[5] = "";

	for (int i = 0; i < 4; i++) {
		char c = peek(p);

		if (!c || !strchr("0123456789abcdefABCDEF", c))
			return wrong(p, "expected four hexadecimal digits");
		digits[i] = c;
		p->at++;
	}
	*ret_value = strtoul(digits, NULL, 16);
	return NULL;
}

/* Behind \u. Half of a pair becomes the three bytes that it would have in UTF-8. */
static err_t unicode(struct parser *p, struct buf *to)
{
	unsigned long high, low;
	const char *back;
	err_t e = hex(p, &high);

	if (e)
		return e;
	back = p->at;
	if (high >= 0xd800 && high <= 0xdbff && take_word(p, "\\u")) {
		e = hex(p, &low);
		if (e)
			return e;
		if (low >= 0xdc00 && low <= 0xdfff) {
			add_utf8(to, 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00));
			return NULL;
		}
		p->at = back;
	}
	add_utf8(to, high);
	return NULL;
}

static err_t escape(struct parser *p, struct buf *to)
{
	switch (peek(p)) {
	case '"':
	case '\\':
	case '/':
		buf_add_byte(to, *p->at++);
		return NULL;
	case 'b':
		buf_add_byte(to, '\b');
		break;
	case 'f':
		buf_add_byte(to, '\f');
		break;
	case 'n':
		buf_add_byte(to, '\n');
		break;
	case 'r':
		buf_add_byte(to, '\r');
		break;
	case 't':
		buf_add_byte(to, '\t');
		break;
	case 'u':
		p->at++;
		return unicode(p, to);
	default:
		return wrong(p, "invalid escape");
	}
	p->at++;
	return NULL;
}

/* A string; `to` gets its characters. */
static err_t string(struct parser *p, struct buf *to)
{
	if (!take(p, '"'))
		return wrong(p, "expected a string");
	while (!take(p, '"')) {
		err_t e = NULL;

		if (p->at == p->end || (unsigned char)*p->at < 0x20)
			return wrong(p, "a string is not terminated or contains a control "
					"character");
		if (take(p, '\\'))
			e = escape(p, to);
		else
			buf_add_byte(to, *p->at++);
		if (e)
			return e;
	}
	return NULL;
}

/* The shape of a number; where it is not one, false, with the cursor somewhere inside. */
static bool take_shape(struct parser *p, bool *ret_whole)
{
	*ret_whole = true;
	take(p, '-');
	if (!take(p, '0') && !take_digits(p))
		return false;
	if (take(p, '.')) {
		*ret_whole = false;
		if (!take_digits(p))
			return false;
	}
	if (take(p, 'e') || take(p, 'E')) {
		*ret_whole = false;
		if (!take(p, '+'))
			take(p, '-');
		return take_digits(p);
	}
	return true;
}

struct number {
	double value;
	struct str text;
	bool finite; /* as written: not one of the three words */
	bool whole;
	bool big; /* whole and beyond 2^53 */
};

static bool is_beyond(struct str digits)
{
	static const char limit[] = "9007199254740992";
	const size_t len = sizeof(limit) - 1;

	if (*digits.at == '-')
		digits = (struct str){ digits.at + 1, digits.len - 1 };
	return digits.len > len || (digits.len == len && memcmp(digits.at, limit, len) > 0);
}

static err_t number(struct parser *p, struct number *n)
{
	const char *start = p->at;

	*n = (struct number){ .finite = false };
	if (take_word(p, "NaN"))
		n->value = (double)NAN;
	else if (take_word(p, "Infinity"))
		n->value = HUGE_VAL;
	else if (take_word(p, "-Infinity"))
		n->value = -HUGE_VAL;
	else if (take_shape(p, &n->whole))
		n->finite = true;
	else
		return wrong(p, "expected a value");
	n->text = (struct str){ start, (size_t)(p->at - start) };
	if (n->finite)
		n->value = strtod(str_copy(p->arena, n->text), NULL);
	n->big = n->whole && is_beyond(n->text);
	return NULL;
}

static err_t list(struct parser *p, char close, unsigned depth)
{
	err_t e;

	if (depth == 0) {
		p->is_too_deep = true;
		return wrong(p, "nested too deeply");
	}
	p->at++;
	blanks(p);
	if (take(p, close))
		return NULL;
	for (;;) {
		if (close == '}') {
			e = string(p, buf_new(p->arena));
			if (e)
				return e;
			blanks(p);
			if (!take(p, ':'))
				return wrong(p, "expected a colon");
			blanks(p);
		}
		e = value(p, depth - 1);
		if (e)
			return e;
		blanks(p);
		if (take(p, close))
			return NULL;
		if (!take(p, ','))
			return wrong(p, "expected a comma");
		blanks(p);
	}
}

/* Any value, only checked. */
static err_t value(struct parser *p, unsigned depth)
{
	struct number n;

	switch (peek(p)) {
	case '{':
		return list(p, '}', depth);
	case '[':
		return list(p, ']', depth);
	case '"':
		return string(p, buf_new(p->arena));
	default:
		if (take_word(p, "true") || take_word(p, "false") || take_word(p, "null"))
			return NULL;
		return number(p, &n);
	}
}

/* prefix + key, with the bytes around it that json_rows_column() wants. */
static err_t name_of(struct parser *p, struct str prefix, struct str *ret_name)
{
	struct buf *name = buf_new(p->arena);
	size_t len;
	err_t e;

	buf_add_str(name, prefix);
	e = string(p, name);
	if (e)
		return e;
	len = name->len;
	buf_add(name, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	*ret_name = (struct str){ name->at, len };
	return NULL;
}

static err_t add_number(struct parser *p, struct str name)
{
	const char *start = p->at;
	struct number n;
	uint32_t column;
	enum json_rows_fault fault;
	err_t e = number(p, &n);

	if (e)
		return e;
	fault = json_rows_column(p->rows, name, JSON_NAME_PASSES, &column);
	if (!fault && n.big)
		fault = json_rows_add_big(p->rows, column, n.value, n.text);
	else if (!fault)
		fault = json_rows_add_number(p->rows, column, n.value);
	return left_out(p, fault, name, start);
}

static err_t add_text(struct parser *p, struct str name, unsigned depth)
{
	const char *start = p->at;
	uint32_t column;
	enum json_rows_fault fault;
	err_t e = value(p, depth);

	if (e && p->is_too_deep) {
		p->is_too_deep = false;
		p->at = start;
		return pass_over(p, JSON_ROWS_VALUE_TOO_DEEP, name);
	}
	if (e)
		return e;
	fault = json_rows_column(p->rows, name, JSON_NAME_PASSES, &column);
	if (!fault)
		fault = json_rows_add_text(p->rows, column,
					   (struct str){ start, (size_t)(p->at - start) });
	return left_out(p, fault, name, start);
}

static bool object_is_empty(struct parser *p)
{
	const char *start = p->at;
	bool empty;

	p->at++;
	blanks(p);
	empty = peek(p) == '}';
	p->at = start;
	return empty;
}

/* Names may hold U+0000. */
static struct str joined(struct arena *a, struct str name, struct str more)
{
	struct buf *text = buf_new(a);

	buf_add_str(text, name);
	buf_add_str(text, more);
	return buf_str(text);
}

static err_t cell(struct parser *p, struct str name, unsigned depth)
{
	char c = peek(p);
	struct str prefix;

	if (c && strchr("-0123456789NI", c))
		return add_number(p, name);
	if (c != '{' || (depth > 0 && object_is_empty(p)))
		return add_text(p, name, depth);
	if (depth == 0)
		return pass_over(p, JSON_ROWS_VALUE_TOO_DEEP, name);
	if (name.len >= JSON_NAME_MAX_BYTES)
		return pass_over(p, JSON_ROWS_KEY_TOO_LONG, name);
	prefix = joined(p->arena, name, STR("."));
	return members(p, prefix, depth - 1);
}

/* Takes the number that stands here if it can be a step. */
static bool take_step(struct parser *p, int64_t *ret_step)
{
	const char *start = p->at;
	struct number n;
	bool fits = !number(p, &n) && n.finite && !n.big && !signbit(n.value) &&
		    (n.whole || n.value < 9007199254740992.0) && floor(n.value) == n.value;

	if (fits)
		*ret_step = (int64_t)n.value;
	else
		p->at = start;
	return fits;
}

static err_t member(struct parser *p, struct str prefix, unsigned depth)
{
	struct str name;
	int64_t step;
	enum json_rows_fault fault;
	err_t e = name_of(p, prefix, &name);

	if (e)
		return e;
	blanks(p);
	if (!take(p, ':'))
		return wrong(p, "expected a colon");
	blanks(p);
	if (!str_is(name, "_step"))
		return cell(p, name, depth);
	fault = json_rows_see_step(p->rows);
	if (fault)
		return pass_over(p, fault, name);
	if (!take_step(p, &step))
		return cell(p, name, depth);
	json_rows_set_step(p->rows, step);
	return NULL;
}

static err_t members(struct parser *p, struct str prefix, unsigned depth)
{
	if (!take(p, '{'))
		return wrong(p, "expected an object");
	blanks(p);
	if (take(p, '}'))
		return NULL;
	for (;;) {
		err_t e = member(p, prefix, depth);

		if (e)
			return e;
		blanks(p);
		if (take(p, '}'))
			return NULL;
		if (!take(p, ','))
			return wrong(p, "expected a comma");
		blanks(p);
	}
}

/* The array around rows, or the lack of one, counts as one level; the row itself as the second. */
static err_t row(struct parser *p)
{
	const char *start = p->at;
	err_t e;

	if (peek(p) != '{')
		return wrong(p, "expected a row (a JSON object)");
	e = ruled(p, json_rows_begin_row(p->rows));
	if (!e)
		e = members(p, STR(""), JSON_SCAN_MAX_DEPTH - 2);
	if (!e && json_rows_is_too_long(p->rows, (size_t)(p->at - start)))
		e = wrong(p, "a row is longer than 10 MiB");
	return e;
}

static err_t array_of_rows(struct parser *p)
{
	blanks(p);
	if (take(p, ']'))
		return NULL;
	for (;;) {
		err_t e = row(p);

		if (e)
			return e;
		blanks(p);
		if (take(p, ']'))
			return NULL;
		if (!take(p, ','))
			return wrong(p, "expected a comma");
		blanks(p);
	}
}

static err_t rows_in_a_row(struct parser *p)
{
	do {
		err_t e = row(p);

		if (e)
			return e;
		blanks(p);
	} while (p->at < p->end);
	return NULL;
}

err_t json_scan_slow_rows(struct arena *a, struct str body, struct json_rows *rows)
{
	struct parser p = { a, rows, body.at, body.at, body.at + body.len, false };
	err_t e;

	if (!str_is_utf8(body))
		return wrong(&p, "the body is not UTF-8");
	blanks(&p);
	e = take(&p, '[') ? array_of_rows(&p) : rows_in_a_row(&p);
	if (e)
		return e;
	blanks(&p);
	if (p.at != p.end)
		return wrong(&p, "unexpected data after the end of the JSON text");
	json_rows_finish(rows);
	return NULL;
}
