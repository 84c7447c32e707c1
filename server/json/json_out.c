/*
 * A writer, not a tree: an answer of a million points is a million short appends. The only state is
 * whether a comma is due; the caller's straight code makes begin and end match.
 */
#include "json_out.h"

#include <assert.h>
#include <math.h>

#include "buf.h"
#include "json_number.h"
#include "json_scan.h"

struct json_out json_out_begin(struct buf *b)
{
	return (struct json_out){ .buf = b };
}

static void begin_value(struct json_out *o)
{
	if (o->comma)
		buf_add_byte(o->buf, ',');
	o->comma = true;
}

static void open_bracket(struct json_out *o, char bracket)
{
	begin_value(o);
	buf_add_byte(o->buf, bracket);
	o->comma = false;
}

static void close_bracket(struct json_out *o, char bracket)
{
	buf_add_byte(o->buf, bracket);
	o->comma = true;
}

void json_out_object(struct json_out *o)
{
	open_bracket(o, '{');
}

void json_out_object_end(struct json_out *o)
{
	close_bracket(o, '}');
}

void json_out_array(struct json_out *o)
{
	open_bracket(o, '[');
}

void json_out_array_end(struct json_out *o)
{
	close_bracket(o, ']');
}

/* How many bytes from `at` on need no escape in a JSON string, all of them ASCII. */
static size_t plain_length(const char *at, size_t left)
{
	size_t n = 0;

	while (n < left && (unsigned char)at[n] >= 0x20 && (unsigned char)at[n] < 0x7f &&
	       at[n] != '"' && at[n] != '\\')
		n++;
	return n;
}

static void add_escaped(struct buf *b, char c)
{
	static const char short_forms[128] = {
		['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n',  ['\r'] = 'r',
		['\t'] = 't', ['"'] = '"',  ['\\'] = '\\',
	};
	char form = short_forms[(unsigned char)c & 0x7f];

	if (form) {
		buf_add_byte(b, '\\');
		buf_add_byte(b, form);
	} else {
		buf_printf(b, "\\u%04x", (unsigned char)c);
	}
}

/* Adds one character that is not plain ASCII; returns how many bytes it took. */
static size_t add_character(struct buf *b, const char *at, size_t left)
{
	size_t len = str_utf8_sequence(at, left);

	if (len == 0) {
		buf_add_text(b, "\xef\xbf\xbd"); /* U+FFFD */
		return 1;
	}
	if (len == 1)
		add_escaped(b, *at);
	else
		buf_add(b, at, len);
	return len;
}

static void add_quoted(struct buf *b, struct str s)
{
	size_t i = 0;

	buf_reserve(b, s.len + 2);
	buf_add_byte(b, '"');
	while (i < s.len) {
		size_t plain = plain_length(s.at + i, s.len - i);

		buf_add(b, s.at + i, plain);
		i += plain;
		if (i < s.len)
			i += add_character(b, s.at + i, s.len - i);
	}
	buf_add_byte(b, '"');
}

void json_out_key_str(struct json_out *o, struct str key)
{
	json_out_text(o, key);
	buf_add_byte(o->buf, ':');
	o->comma = false;
}

void json_out_key(struct json_out *o, const char *key)
{
	json_out_key_str(o, str_of(key));
}

void json_out_text(struct json_out *o, struct str text)
{
	begin_value(o);
	add_quoted(o->buf, text);
}

void json_out_int(struct json_out *o, int64_t value)
{
	begin_value(o);
	buf_reserve(o->buf, JSON_NUMBER_TEXT_SIZE);
	o->buf->len += number_write_int(value, o->buf->at + o->buf->len);
}

void json_out_real(struct json_out *o, double value)
{
	bool quoted = !isfinite(value);

	begin_value(o);
	if (quoted)
		buf_add_byte(o->buf, '"');
	buf_reserve(o->buf, JSON_NUMBER_TEXT_SIZE);
	o->buf->len += json_number_write(value, o->buf->at + o->buf->len);
	if (quoted)
		buf_add_byte(o->buf, '"');
}

void json_out_bool(struct json_out *o, bool value)
{
	begin_value(o);
	buf_add_text(o->buf, value ? "true" : "false");
}

void json_out_null(struct json_out *o)
{
	begin_value(o);
	buf_add_text(o->buf, "null");
}

void json_out_time(struct json_out *o, timestamp_us t)
{
	char text[CLOCK_TEXT_SIZE];

	clock_format(t, text);
	json_out_text(o, str_of(text));
}

void json_out_raw(struct json_out *o, struct str json)
{
	begin_value(o);
	buf_add_str(o->buf, json.len ? json : STR("null"));
}

void json_out_sent(struct json_out *o, struct str json)
{
	begin_value(o);
	json_scan_write_strict(o->buf, json.len ? json : STR("null"));
}

void json_out_put_text(struct json_out *o, const char *key, struct str text)
{
	json_out_key(o, key);
	if (text.at)
		json_out_text(o, text);
	else
		json_out_null(o);
}

void json_out_put_int(struct json_out *o, const char *key, int64_t value)
{
	json_out_key(o, key);
	json_out_int(o, value);
}

void json_out_put_real(struct json_out *o, const char *key, double value)
{
	json_out_key(o, key);
	json_out_real(o, value);
}

void json_out_put_finite(struct json_out *o, const char *key, double value)
{
	if (isfinite(value))
		json_out_put_real(o, key, value);
	else
		json_out_put_null(o, key);
}

void json_out_put_bool(struct json_out *o, const char *key, bool value)
{
	json_out_key(o, key);
	json_out_bool(o, value);
}

void json_out_put_null(struct json_out *o, const char *key)
{
	json_out_key(o, key);
	json_out_null(o);
}

void json_out_put_time(struct json_out *o, const char *key, timestamp_us t)
{
	json_out_key(o, key);
	if (t.us)
		json_out_time(o, t);
	else
		json_out_null(o);
}

void json_out_put_raw(struct json_out *o, const char *key, struct str json)
{
	json_out_key(o, key);
	json_out_raw(o, json);
}

void json_out_put_text_or_null(struct json_out *o, const char *key, struct str text)
{
	json_out_put_text(o, key, text.len ? text : (struct str){ NULL, 0 });
}

void json_out_put_int_or_null(struct json_out *o, const char *key, bool is_there, int64_t value)
{
	if (is_there)
		json_out_put_int(o, key, value);
	else
		json_out_put_null(o, key);
}
