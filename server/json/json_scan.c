/* The cursor: a pointer into the body, and for errors the path to its position. */
#include "json_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "json_number.h"
#include "json_scan_lex.h"

void json_scan_begin(struct json_scan *s, struct arena *a, struct str body)
{
	s->arena = a;
	s->body = body.at;
	s->at = body.at;
	s->end = body.at + body.len;
	s->error = NULL;
	s->depth = 0;
	if (!str_is_utf8(body))
		json_scan_fail(s, "the body is not UTF-8");
}

struct str json_scan_name_shown(struct arena *a, struct str name)
{
	if (name.len <= JSON_SCAN_NAME_SHOWN)
		return name;
	return str_of(arena_printf(a, "%.*s...", STR_ARG(str_head(name, JSON_SCAN_NAME_SHOWN))));
}

static const char *path_of(const struct json_scan *s)
{
	struct buf *path = buf_new(s->arena);

	for (unsigned i = 0; i < s->depth; i++) {
		const struct json_scan_level *level = &s->levels[i];

		if (!level->started)
			break;
		if (level->index >= 0) {
			buf_printf(path, "[%lld]", (long long)level->index);
		} else {
			buf_add_text(path, path->len ? "." : "");
			buf_add_str(path, json_scan_name_shown(s->arena, level->key));
		}
	}
	buf_add_byte(path, '\0');
	return path->len > 1 ? path->at : NULL;
}

__attribute__((format(printf, 3, 0))) static void note(struct json_scan *s, enum err_kind kind,
						       const char *fmt, va_list ap)
{
	const char *text;
	const char *path;
	long long offset = s->at - s->body;

	if (s->error)
		return;
	text = arena_vprintf(s->arena, fmt, ap);
	path = path_of(s);
	if (path)
		s->error = err_field(s->arena, kind, path, "%s, at byte %lld", text, offset);
	else
		s->error = err_new(s->arena, kind, "%s, at byte %lld", text, offset);
}

void json_scan_fail(struct json_scan *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	note(s, ERR_INVALID, fmt, ap);
	va_end(ap);
}

void json_scan_fail_as(struct json_scan *s, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	note(s, kind, fmt, ap);
	va_end(ap);
}

static void fail_lex(struct json_scan *s, const struct json_lex_fault *fault)
{
	s->at = fault->at < s->end ? fault->at : s->end;
	json_scan_fail(s, "%s", s->at == s->end ? "unexpected end of the body" : fault->why);
}

err_t json_scan_end(struct json_scan *s)
{
	if (s->error)
		return s->error;
	s->at = json_lex_blank(s->at);
	if (s->at != s->end)
		json_scan_fail(s, "unexpected data after the end of the JSON text");
	return s->error;
}

enum json_kind json_scan_kind(struct json_scan *s)
{
	if (s->error)
		return JSON_KIND_END;
	s->at = json_lex_blank(s->at);
	switch (*s->at) {
	case '{':
		return JSON_KIND_OBJECT;
	case '[':
		return JSON_KIND_ARRAY;
	case '"':
		return JSON_KIND_STRING;
	case 't':
	case 'f':
		return JSON_KIND_BOOL;
	case 'n':
		return JSON_KIND_NULL;
	default:
		return *s->at && strchr("-0123456789NI", *s->at) ? JSON_KIND_NUMBER : JSON_KIND_END;
	}
}

static void enter(struct json_scan *s, enum json_kind kind, const char *what)
{
	if (s->error)
		return;
	if (json_scan_kind(s) != kind) {
		json_scan_fail(s, "expected %s", what);
		return;
	}
	if (s->depth == JSON_SCAN_MAX_DEPTH) {
		json_scan_fail(s, "nested too deeply");
		return;
	}
	s->at++;
	s->levels[s->depth++] =
		(struct json_scan_level){ .key = STR(""),
					  .index = kind == JSON_KIND_ARRAY ? 0 : -1 };
}

void json_scan_object(struct json_scan *s)
{
	enter(s, JSON_KIND_OBJECT, "an object");
}

void json_scan_array(struct json_scan *s)
{
	enter(s, JSON_KIND_ARRAY, "an array");
}

/* To the next member, past its comma; false at the bracket, which is taken, and on an error. */
static bool next_member(struct json_scan *s, char close)
{
	struct json_scan_level *level;

	if (s->error || s->depth == 0)
		return false;
	level = &s->levels[s->depth - 1];
	s->at = json_lex_blank(s->at);
	if (*s->at == close) {
		s->at++;
		s->depth--;
		return false;
	}
	if (level->started && *s->at != ',') {
		json_scan_fail(s, "expected a comma or \"%c\"", close);
		return false;
	}
	if (level->started)
		s->at = json_lex_blank(s->at + 1);
	return true;
}

/* The string at the cursor, with escapes undone. */
static struct str take_string(struct json_scan *s, bool *ret_lone)
{
	struct json_lex_fault fault;
	struct str text = { s->at + 1, 0 };
	bool escaped;
	const char *end = json_lex_string(s->at + 1, &escaped, &fault);
	char *plain;

	*ret_lone = false;
	if (!end) {
		fail_lex(s, &fault);
		return STR("");
	}
	text.len = (size_t)(end - text.at) - 1;
	s->at = end;
	if (!escaped)
		return text;
	plain = arena_alloc(s->arena, text.len + 1);
	return (struct str){ plain, json_lex_unescape(text, plain, ret_lone) };
}

bool json_scan_key(struct json_scan *s, struct str *ret_key)
{
	struct json_scan_level *level;
	struct str key;
	bool lone;

	if (!next_member(s, '}'))
		return false;
	if (*s->at != '"') {
		json_scan_fail(s, "expected a quoted key");
		return false;
	}
	key = take_string(s, &lone);
	s->at = json_lex_blank(s->at);
	if (!s->error && (*s->at != ':' || lone))
		json_scan_fail(s, lone ? "a key is not UTF-8" : "expected a colon");
	if (s->error)
		return false;
	s->at = json_lex_blank(s->at + 1);
	level = &s->levels[s->depth - 1];
	level->key = key;
	level->started = true;
	*ret_key = key;
	return true;
}

bool json_scan_item(struct json_scan *s)
{
	struct json_scan_level *level;

	if (!next_member(s, ']'))
		return false;
	level = &s->levels[s->depth - 1];
	if (level->started)
		level->index++;
	level->started = true;
	return true;
}

/* The number at the cursor; `ret_text` is how it is written. */
static bool take_number(struct json_scan *s, struct json_number *ret_number, struct str *ret_text)
{
	const char *end;

	if (s->error)
		return false;
	s->at = json_lex_blank(s->at);
	end = json_number_read(s->at, ret_number);
	if (!end) {
		ret_number->form = JSON_NUMBER_REAL;
		end = json_lex_nonfinite(s->at, &ret_number->value);
	}
	if (!end) {
		json_scan_fail(s, "expected a number");
		return false;
	}
	*ret_text = (struct str){ s->at, (size_t)(end - s->at) };
	return true;
}

int64_t json_scan_int64(struct json_scan *s, int64_t min, int64_t max)
{
	struct json_number number;
	struct str text;
	int64_t value;

	if (!take_number(s, &number, &text))
		return 0;
	if (number.form == JSON_NUMBER_REAL) {
		json_scan_fail(s, "expected an integer");
		return 0;
	}
	if (!str_to_int64(text, min, max, &value)) {
		json_scan_fail(s, "expected an integer from %lld to %lld", (long long)min,
			       (long long)max);
		return 0;
	}
	s->at += text.len;
	return value;
}

double json_scan_double(struct json_scan *s)
{
	struct json_number number;
	struct str text;

	if (!take_number(s, &number, &text))
		return 0;
	s->at += text.len;
	return number.value;
}

bool json_scan_bool(struct json_scan *s)
{
	if (json_scan_kind(s) == JSON_KIND_BOOL) {
		if (memcmp(s->at, "true", 4) == 0) {
			s->at += 4;
			return true;
		}
		if (memcmp(s->at, "false", 5) == 0) {
			s->at += 5;
			return false;
		}
	}
	json_scan_fail(s, "expected true or false");
	return false;
}

struct str json_scan_text(struct json_scan *s, size_t max_bytes)
{
	struct str text;
	bool lone;

	if (json_scan_kind(s) != JSON_KIND_STRING) {
		json_scan_fail(s, "expected a string");
		return STR("");
	}
	text = take_string(s, &lone);
	if (text.len > max_bytes) {
		json_scan_fail_as(s, ERR_UNPROCESSABLE, "expected a string of at most %zu bytes",
				  max_bytes);
		return STR("");
	}
	return text;
}

bool json_scan_null(struct json_scan *s)
{
	if (json_scan_kind(s) != JSON_KIND_NULL || memcmp(s->at, "null", 4) != 0)
		return false;
	s->at += 4;
	return true;
}

struct str json_scan_raw(struct json_scan *s)
{
	struct json_lex_fault fault;
	const char *start;
	const char *end;

	if (s->error)
		return STR("");
	start = json_lex_blank(s->at);
	end = json_lex_value(start, JSON_SCAN_MAX_DEPTH - s->depth, &fault);
	if (!end) {
		fail_lex(s, &fault);
		return STR("");
	}
	s->at = end;
	return (struct str){ start, (size_t)(end - start) };
}

struct str json_scan_unquote(struct arena *a, struct str json)
{
	struct str inner = { json.at + 1, json.len - 2 };
	char *plain;
	bool lone;

	if (!memchr(inner.at, '\\', inner.len))
		return inner;
	plain = arena_alloc(a, inner.len + 1);
	return (struct str){ plain, json_lex_unescape(inner, plain, &lone) };
}

/* The length of NaN, Infinity or -Infinity at `p`; 0 if something else is there. */
static size_t word_length(const char *p, const char *end)
{
	static const struct str words[] = { STR("NaN"), STR("Infinity"), STR("-Infinity") };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (str_starts((struct str){ p, (size_t)(end - p) }, words[i].at))
			return words[i].len;
	}
	return 0;
}

static const char *string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p < end ? p + 1 : end;
}

/* The end of what is copied unchanged from `p`: a string, or up to something that is not. */
static const char *plain_end(const char *p, const char *end)
{
	if (*p == '"')
		return string_end(p, end);
	for (p++; p < end; p++) {
		if (strchr("\"NI- \t\r\n", *p))
			break;
	}
	return p;
}

void json_scan_write_strict(struct buf *out, struct str json)
{
	const char *end = json.at + json.len;

	for (const char *p = json.at; p < end;) {
		size_t word = word_length(p, end);
		const char *next = word ? p + word : plain_end(p, end);

		if (json_bytes_is_blank(*p)) {
			p++;
			continue;
		}
		if (word)
			buf_add_byte(out, '"');
		buf_add(out, p, (size_t)(next - p));
		if (word)
			buf_add_byte(out, '"');
		p = next;
	}
}
