#include "filter_reader.h"

#include <string.h>
#include <strings.h>

#include "buf.h"

size_t filter_column_of(const struct filter_reader *r, size_t at)
{
	size_t column = 1;

	for (size_t i = 0; i < at && i < r->text.len; i++)
		column += ((unsigned char)r->text.at[i] & 0xc0) != 0x80;
	return column;
}

static bool ends_in(struct str text, const char *characters)
{
	return text.len && strchr(characters, text.at[text.len - 1]);
}

/*
 * The text read from `at` on, without the sign after a key; if none was, the word there, or
 * nothing.
 */
static struct str spot_of(const struct filter_reader *r, size_t at)
{
	const struct filter_reader there = { .text = r->text, .at = at };
	struct str spot = { r->text.at + at, r->at > at ? r->at - at : 0 };

	while (ends_in(spot, " \t\r\n:=!<>"))
		spot.len--;
	if (!spot.len)
		spot = filter_plain_word(&there, "");
	if (!spot.len && at < r->text.len && !filter_is_blank(r->text.at[at]))
		spot.len = 1;
	return spot;
}

static err_t refuse(const struct filter_reader *r, size_t at, struct str spot, err_t why)
{
	struct err *e = err_field(r->build->arena, why->kind, "filter", "%s, at character %zu",
				  why->message, filter_column_of(r, at));

	e->hint = why->hint;
	err_set_range(r->build->arena, e, at, spot.len);
	return e;
}

err_t filter_refuse_at(const struct filter_reader *r, size_t at, const char *message)
{
	const struct filter_reader there = { .text = r->text, .at = at };
	const struct err why = { .kind = ERR_INVALID, .message = message };

	return refuse(r, at, spot_of(&there, at), &why);
}

err_t filter_error_at(const struct filter_reader *r, size_t at, err_t e)
{
	return e ? refuse(r, at, spot_of(r, at), e) : NULL;
}

char filter_peek(const struct filter_reader *r)
{
	return r->at < r->text.len ? r->text.at[r->at] : '\0';
}

bool filter_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void filter_skip_blanks(struct filter_reader *r)
{
	while (filter_is_blank(filter_peek(r)))
		r->at++;
}

struct str filter_plain_word(const struct filter_reader *r, const char *ends)
{
	size_t at = r->at;

	while (at < r->text.len && !filter_is_blank(r->text.at[at]) &&
	       !strchr("()\"", r->text.at[at]) && !strchr(ends, r->text.at[at]))
		at++;
	return (struct str){ r->text.at + r->at, at - r->at };
}

bool filter_take_keyword(struct filter_reader *r, const char *keyword)
{
	struct str word = filter_plain_word(r, ":=!<>");
	size_t len = strlen(keyword);
	size_t end = r->at + len;

	if (word.len != len || strncasecmp(word.at, keyword, len) != 0)
		return false;
	if (end < r->text.len && strchr(":=!<>", r->text.at[end]))
		return false;
	r->at = end;
	return true;
}

err_t filter_read_until(struct filter_reader *r, char end, struct str *ret_text)
{
	struct buf *b = buf_new(r->build->arena);
	size_t start = r->at++;

	for (; filter_peek(r) && filter_peek(r) != end; r->at++) {
		char next = r->at + 1 < r->text.len ? r->text.at[r->at + 1] : '\0';

		if (filter_peek(r) == '\\' && (next == end || (next == '\\' && end == '"')))
			r->at++;
		buf_add_byte(b, filter_peek(r));
	}
	if (!filter_peek(r))
		return filter_refuse_at(r, start,
					end == '"' ? "unterminated quote"
						   : "unterminated regular expression");
	r->at++;
	*ret_text = buf_str(b);
	return NULL;
}

static err_t read_name(struct filter_reader *r, struct str *ret_name)
{
	if (filter_peek(r) == '"')
		return filter_read_until(r, '"', ret_name);
	*ret_name = filter_plain_word(r, ".:=!<>");
	r->at += ret_name->len;
	return NULL;
}

err_t filter_read_path(struct filter_reader *r, struct filter_path *ret_path)
{
	size_t start = r->at;
	err_t e;

	ret_path->names = arena_new_array(r->build->arena, struct str, FILTER_PATH_MAX);
	ret_path->count = 0;
	do {
		if (ret_path->count == FILTER_PATH_MAX)
			return filter_refuse_at(r, start, "the key has too many parts");
		if (ret_path->count)
			r->at++;
		e = read_name(r, &ret_path->names[ret_path->count++]);
		if (e)
			return e;
	} while (filter_peek(r) == '.');
	return NULL;
}

static const struct {
	const char *text;
	enum filter_op op;
	bool negate;
} signs[] = {
	{ "!=", FILTER_EQ, true },  { "<=", FILTER_LTE, false }, { ">=", FILTER_GTE, false },
	{ "==", FILTER_EQ, false }, { ":", FILTER_EQ, false },   { "=", FILTER_EQ, false },
	{ "<", FILTER_LT, false },  { ">", FILTER_GT, false },
};

bool filter_take_sign(struct filter_reader *r, enum filter_op *ret_op, bool *ret_negate)
{
	const size_t start = r->at;
	struct str rest;

	filter_skip_blanks(r);
	rest = (struct str){ r->text.at + r->at, r->text.len - r->at };
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (!str_starts(rest, signs[i].text))
			continue;
		r->at += strlen(signs[i].text);
		*ret_op = signs[i].op;
		*ret_negate = signs[i].negate;
		filter_skip_blanks(r);
		return true;
	}
	r->at = start;
	return false;
}
