/*
 * A small JSON reader. Answers of the server and rows of the host program are kilobytes, so it
 * keeps no tree: finding a member walks the text again. Rejected: a JSON library, which is one more
 * thing that every program linked with ours would carry, and which refuses NaN.
 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "utf8.h"

struct cursor {
	const char *at;
	const char *end;
};

static void skip_space(struct cursor *c)
{
	while (c->at < c->end &&
	       (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
		c->at++;
}

static bool take(struct cursor *c, char byte)
{
	if (c->at == c->end || *c->at != byte)
		return false;
	c->at++;
	return true;
}

static bool take_word(struct cursor *c, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
		return false;
	c->at += length;
	return true;
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static bool skip_digits(struct cursor *c)
{
	const char *start = c->at;

	while (c->at < c->end && is_digit(*c->at))
		c->at++;
	return c->at > start;
}

static bool skip_number(struct cursor *c)
{
	const char *first;

	take(c, '-');
	if (take_word(c, "Infinity"))
		return true;
	first = c->at;
	if (!skip_digits(c) || (*first == '0' && c->at - first > 1))
		return false;
	if (take(c, '.') && !skip_digits(c))
		return false;
	if (take(c, 'e') || take(c, 'E')) {
		if (!take(c, '-'))
			take(c, '+');
		return skip_digits(c);
	}
	return true;
}

static int hex_value(char byte)
{
	if (is_digit(byte))
		return byte - '0';
	if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f')
		return (byte | 0x20) - 'a' + 10;
	return -1;
}

/* Four hex digits; -1 when they are not. */
static int32_t read_hex(struct cursor *c)
{
	int32_t code = 0;

	if (c->end - c->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int value = hex_value(*c->at++);
		if (value < 0)
			return -1;
		code = code * 16 + value;
	}
	return code;
}

/* After \u: one character, from a pair of surrogates too; -1 when it is none. */
static int32_t read_unicode(struct cursor *c)
{
	int32_t high = read_hex(c), low;

	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || !take_word(c, "\\u"))
		return -1;
	low = read_hex(c);
	if (low < 0xdc00 || low > 0xdfff)
		return -1;
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static size_t encode(int32_t code, char out[4])
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* The bytes of the next character inside a string, decoded; 0 when it is malformed. */
static size_t read_character(struct cursor *c, char out[4])
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;
	int32_t code;
	size_t length;

	if (c->at == c->end || (unsigned char)*c->at < 0x20)
		return 0;
	if (*c->at != '\\') {
		length = utf8_length(c->at, (size_t)(c->end - c->at));
		memcpy(out, c->at, length);
		c->at += length;
		return length;
	}
	c->at++;
	if (take(c, 'u')) {
		code = read_unicode(c);
		return code < 0 ? 0 : encode(code, out);
	}
	if (c->at == c->end || *c->at == '\0')
		return 0;
	found = strchr(from, *c->at);
	if (!found)
		return 0;
	out[0] = to[found - from];
	c->at++;
	return 1;
}

static bool skip_string(struct cursor *c)
{
	char ignored[4];

	if (!take(c, '"'))
		return false;
	while (!take(c, '"')) {
		if (read_character(c, ignored) == 0)
			return false;
	}
	return true;
}

static bool skip_value(struct cursor *c, int depth);

static bool skip_member(struct cursor *c, bool is_object, int depth)
{
	skip_space(c);
	if (is_object) {
		if (!skip_string(c))
			return false;
		skip_space(c);
		if (!take(c, ':'))
			return false;
	}
	return skip_value(c, depth);
}

static bool skip_container(struct cursor *c, int depth)
{
	bool is_object = *c->at++ == '{';
	char close = is_object ? '}' : ']';

	if (depth >= JSON_DEPTH_MAX)
		return false;
	skip_space(c);
	if (take(c, close))
		return true;
	do {
		if (!skip_member(c, is_object, depth + 1))
			return false;
		skip_space(c);
	} while (take(c, ','));
	return take(c, close);
}

static bool skip_value(struct cursor *c, int depth)
{
	skip_space(c);
	if (c->at == c->end)
		return false;
	switch (*c->at) {
	case '{':
	case '[':
		return skip_container(c, depth);
	case '"':
		return skip_string(c);
	case 't':
		return take_word(c, "true");
	case 'f':
		return take_word(c, "false");
	case 'n':
		return take_word(c, "null");
	case 'N':
		return take_word(c, "NaN");
	case 'I':
		return take_word(c, "Infinity");
	default:
		return skip_number(c);
	}
}

struct json json_parse(const char *text, size_t length)
{
	struct cursor c = { text, text ? text + length : NULL };
	const char *start, *end;

	if (!text)
		return (struct json){ 0 };
	skip_space(&c);
	start = c.at;
	if (!skip_value(&c, 0))
		return (struct json){ 0 };
	end = c.at;
	skip_space(&c);
	if (c.at != c.end)
		return (struct json){ 0 };
	return (struct json){ start, (size_t)(end - start) };
}

bool json_is_object(struct json value)
{
	return value.at && *value.at == '{';
}

bool json_is_array(struct json value)
{
	return value.at && *value.at == '[';
}

bool json_is_string(struct json value)
{
	return value.at && *value.at == '"';
}

bool json_true(struct json value)
{
	return value.at && *value.at == 't';
}

bool json_next(struct json container, struct json *value, struct json *ret_name)
{
	struct json name = { 0 };
	struct cursor c;

	if (!json_is_object(container) && !json_is_array(container))
		return false;
	c.at = value->at ? value->at + value->length : container.at + 1;
	c.end = container.at + container.length;
	skip_space(&c);
	if (value->at && !take(&c, ','))
		return false;
	skip_space(&c);
	if (c.at >= c.end - 1)
		return false;
	if (json_is_object(container)) {
		name.at = c.at;
		skip_string(&c);
		name.length = (size_t)(c.at - name.at);
		skip_space(&c);
		take(&c, ':');
		skip_space(&c);
	}
	value->at = c.at;
	skip_value(&c, 0);
	value->length = (size_t)(c.at - value->at);
	if (ret_name)
		*ret_name = name;
	return true;
}

static bool name_is(struct json string, const char *name)
{
	struct cursor c = { string.at + 1, string.at + string.length - 1 };
	char character[4];
	size_t length;

	while (c.at < c.end) {
		length = read_character(&c, character);
		if (length == 0 || !*name || strncmp(name, character, length) != 0)
			return false;
		name += length;
	}
	return *name == '\0';
}

struct json json_member(struct json object, const char *name)
{
	struct json value = { 0 }, found = { 0 };

	if (!json_is_object(object))
		return found;
	while (json_next(object, &value, &found)) {
		if (name_is(found, name))
			return value;
	}
	return (struct json){ 0 };
}

bool json_number(struct json value, double *ret_number)
{
	return value.at && number_parse(value.at, value.length, ret_number);
}

bool json_int(struct json value, int64_t *ret_number)
{
	double number;

	if (!json_number(value, &number) || !(number >= -9e15 && number <= 9e15))
		return false;
	*ret_number = (int64_t)number;
	return (double)*ret_number == number;
}

/* Returns the text between the quotes; empty if the value is not a string. */
static struct cursor inside(struct json string)
{
	if (!json_is_string(string))
		return (struct cursor){ NULL, NULL };
	return (struct cursor){ string.at + 1, string.at + string.length - 1 };
}

void json_decode(struct json string, struct text *text)
{
	struct cursor c = inside(string);
	char character[4];

	while (c.at < c.end) {
		size_t length = read_character(&c, character);
		if (length == 0)
			return;
		text_add(text, character, length);
	}
}

char *json_text(struct json string)
{
	struct text text = { 0 };

	if (!json_is_string(string))
		return NULL;
	json_decode(string, &text);
	return text_take(&text);
}

static void copy(struct json string, char *buffer, size_t size, bool escapes)
{
	struct cursor c = inside(string);
	char character[4], escape[UTF8_ESCAPE_SIZE];
	size_t used = 0, length;

	while (c.at < c.end) {
		const char *piece = character;

		length = read_character(&c, character);
		if (escapes && length && utf8_is_control(character, length)) {
			utf8_escape(character, length, escape);
			piece = escape;
			length = strlen(escape);
		}
		if (length == 0 || used + length >= size)
			break;
		memcpy(buffer + used, piece, length);
		used += length;
	}
	if (size)
		buffer[used] = '\0';
}

void json_copy(struct json string, char *buffer, size_t size)
{
	copy(string, buffer, size, false);
}

void json_line(struct json string, char *buffer, size_t size)
{
	copy(string, buffer, size, true);
}
