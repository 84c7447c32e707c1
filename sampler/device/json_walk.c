/* json_walk.c - see json_walk.h. */
#include "json_walk.h"

#include <string.h>

#include "decimal.h"

#define NUMBER_MAX 64 /* characters */

void json_walk_begin(struct json_walk *walk, const char *text, size_t length)
{
	*walk = (struct json_walk){ .at = text, .end = text + length };
}

static bool fail(struct json_walk *walk)
{
	walk->has_failed = true;
	return false;
}

static void skip_blanks(struct json_walk *walk)
{
	while (walk->at < walk->end && strchr(" \t\r\n", *walk->at) && *walk->at)
		walk->at++;
}

/* The next character that is no blank; '\0' at the end, and after a failure. */
static char peek(struct json_walk *walk)
{
	if (walk->has_failed)
		return '\0';
	skip_blanks(walk);
	return walk->at < walk->end ? *walk->at : '\0';
}

static bool take(struct json_walk *walk, char c)
{
	if (peek(walk) != c)
		return false;
	walk->at++;
	return true;
}

static bool step_in(struct json_walk *walk, char c)
{
	if (peek(walk) != c)
		return false;
	if (walk->depth == JSON_WALK_DEPTH_MAX)
		return fail(walk);
	walk->depth++;
	walk->at++;
	return true;
}

bool json_walk_object(struct json_walk *walk)
{
	return step_in(walk, '{');
}

bool json_walk_array(struct json_walk *walk)
{
	return step_in(walk, '[');
}

/* Commas are where they must be but for one after the last, which no tool prints. */
static bool has_next(struct json_walk *walk, char closing)
{
	if (take(walk, closing)) {
		walk->depth--;
		return false;
	}
	take(walk, ',');
	return peek(walk) != '\0' || fail(walk);
}

bool json_walk_element(struct json_walk *walk)
{
	return !walk->has_failed && has_next(walk, ']');
}

bool json_walk_member(struct json_walk *walk, char *ret_name, size_t size)
{
	if (walk->has_failed || !has_next(walk, '}'))
		return false;
	if (!json_walk_text(walk, ret_name, size) || !take(walk, ':'))
		return fail(walk);
	return true;
}

struct text {
	char *bytes;
	size_t size;
	size_t length;
};

static void put(struct text *text, unsigned char byte)
{
	if (text->length + 1 < text->size)
		text->bytes[text->length++] = (char)byte;
}

static void put_code(struct text *text, unsigned code)
{
	if (code < 0x80) {
		put(text, (unsigned char)code);
	} else if (code < 0x800) {
		put(text, (unsigned char)(0xc0 | code >> 6));
		put(text, (unsigned char)(0x80 | (code & 0x3f)));
	} else {
		put(text, (unsigned char)(0xe0 | code >> 12));
		put(text, (unsigned char)(0x80 | (code >> 6 & 0x3f)));
		put(text, (unsigned char)(0x80 | (code & 0x3f)));
	}
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_code(struct json_walk *walk, unsigned *ret_code)
{
	*ret_code = 0;
	if (walk->end - walk->at < 4)
		return fail(walk);
	for (int i = 0; i < 4; i++) {
		int digit = digit_of(*walk->at++);
		if (digit < 0)
			return fail(walk);
		*ret_code = *ret_code << 4 | (unsigned)digit;
	}
	return true;
}

/* A half of a pair of UTF-16 becomes '?': no name or number of a tool has one. */
static bool read_escape(struct json_walk *walk, struct text *text)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	unsigned code;

	if (walk->at == walk->end)
		return fail(walk);
	char c = *walk->at++;
	const char *known = c ? strchr(from, c) : NULL;
	if (known) {
		put(text, (unsigned char)to[known - from]);
		return true;
	}
	if (c != 'u' || !read_code(walk, &code))
		return fail(walk);
	put_code(text, (code >= 0xd800 && code < 0xe000) || code == 0 ? '?' : code);
	return true;
}

bool json_walk_text(struct json_walk *walk, char *ret_text, size_t size)
{
	struct text text = { .bytes = ret_text, .size = size };

	if (!take(walk, '"'))
		return false;
	while (walk->at < walk->end && *walk->at != '"') {
		char c = *walk->at++;
		if (c != '\\')
			put(&text, (unsigned char)c);
		else if (!read_escape(walk, &text))
			return false;
	}
	if (walk->at == walk->end)
		return fail(walk);
	walk->at++;
	ret_text[text.length] = '\0';
	return true;
}

static size_t word_length(const struct json_walk *walk)
{
	const char *at = walk->at;

	while (at < walk->end && !strchr(",]} \t\r\n", *at))
		at++;
	return (size_t)(at - walk->at);
}

/* true, false, null, NaN, Infinity and -Infinity. */
static bool skip_word(struct json_walk *walk)
{
	static const char *const words[] = {
		"true", "false", "null", "NaN", "Infinity", "-Infinity"
	};
	size_t length = word_length(walk);

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (length == strlen(words[i]) && memcmp(walk->at, words[i], length) == 0) {
			walk->at += length;
			return true;
		}
	}
	return false;
}

/* A number at the very end of the text may be cut. */
bool json_walk_number(struct json_walk *walk, double *ret_number)
{
	char word[NUMBER_MAX];
	const char *at = word;
	char c = peek(walk);

	if ((c != '-' && (c < '0' || c > '9')) ||
	    (c == '-' && walk->at + 1 < walk->end && walk->at[1] == 'I'))
		return false;
	size_t length = word_length(walk);
	if (length >= sizeof word || walk->at + length == walk->end)
		return fail(walk);
	memcpy(word, walk->at, length);
	word[length] = '\0';
	if (!decimal_read(&at, ret_number) || *at)
		return fail(walk);
	walk->at += length;
	return true;
}

static void skip_scalar(struct json_walk *walk)
{
	char text[1];
	double number;

	if (json_walk_text(walk, text, sizeof text) || walk->has_failed || skip_word(walk))
		return;
	if (!json_walk_number(walk, &number))
		fail(walk);
}

/* Counts only the depth of nested values: brackets in texts are skipped with their texts. Where a
 * value must stand, what closes or separates is none. */
void json_walk_skip(struct json_walk *walk)
{
	unsigned depth = walk->depth;
	char name[1];

	do {
		char c = peek(walk);
		bool is_within = walk->depth > depth;
		if (c == '{' || c == '[') {
			step_in(walk, c);
		} else if (is_within && (c == '}' || c == ']')) {
			walk->at++;
			walk->depth--;
		} else if (is_within && (c == ',' || c == ':')) {
			walk->at++;
		} else if (c == '"') {
			json_walk_text(walk, name, sizeof name);
		} else {
			skip_scalar(walk);
		}
	} while (!walk->has_failed && walk->depth > depth);
}
