/*
 * The text form, for people:
 *
 *   any    = all { "or" all }
 *   all    = { ["and"] ["not"] term }
 *   term   = "(" any ")" | "has:" key | key sign value { "," value } | word
 *   key    = name { "." name }        name, word, value: plain, or "quoted"
 *   sign   = : = == != < <= > >=      value: also /regex/ and /regex/i
 *
 * A word without a sign is looked for in names, labels and notes. Blanks may stand around a sign. What looks like
 * another grammar's, or asks for a state that no run has, is refused rather than finding nothing: people mistype.
 * Errors say at which character.
 */
#include <string.h>
#include <strings.h>

#include "buf.h"
#include "filter_build.h"
#include "run.h"

struct reader {
	struct filter_build *build;
	struct str text;
	size_t at;
	unsigned depth;
};

static err_t read_any(struct reader *r, struct filter_node **ret_node);

/* Characters, not bytes, from 1. */
static size_t column_of(const struct reader *r, size_t at)
{
	size_t column = 1;

	for (size_t i = 0; i < at && i < r->text.len; i++)
		column += ((unsigned char)r->text.at[i] & 0xc0) != 0x80;
	return column;
}

static err_t refuse(const struct reader *r, size_t at, const char *message)
{
	return err_field(r->build->arena, ERR_INVALID, "filter", "%s, at character %zu", message,
			 column_of(r, at));
}

static err_t put_in_place(const struct reader *r, size_t at, err_t e)
{
	struct err *copy;

	if (!e)
		return NULL;
	copy = err_field(r->build->arena, e->kind, "filter", "%s, at character %zu", e->message,
			 column_of(r, at));
	copy->hint = e->hint;
	return copy;
}

static char peek(const struct reader *r)
{
	return r->at < r->text.len ? r->text.at[r->at] : '\0';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct reader *r)
{
	while (is_blank(peek(r)))
		r->at++;
}

/* A plain word ends before a blank, a bracket, a quote, or a character of `ends`. */
static struct str plain_word(const struct reader *r, const char *ends)
{
	size_t at = r->at;

	while (at < r->text.len && !is_blank(r->text.at[at]) && !strchr("()\"", r->text.at[at]) &&
	       !strchr(ends, r->text.at[at]))
		at++;
	return (struct str){ r->text.at + r->at, at - r->at };
}

/* Takes "and", "or" or "not", if it stands here as a word of its own. */
static bool take_keyword(struct reader *r, const char *keyword)
{
	struct str word = plain_word(r, ":=!<>");
	size_t len = strlen(keyword);
	size_t end = r->at + len;

	if (word.len != len || strncasecmp(word.at, keyword, len) != 0)
		return false;
	if (end < r->text.len && strchr(":=!<>", r->text.at[end]))
		return false;
	r->at = end;
	return true;
}

/* The text up to `end`, in which a backslash takes `end` and, between quotes, itself. */
static err_t read_until(struct reader *r, char end, struct str *ret_text)
{
	struct buf *b = buf_new(r->build->arena);
	size_t start = r->at++;

	for (; peek(r) && peek(r) != end; r->at++) {
		char next = r->at + 1 < r->text.len ? r->text.at[r->at + 1] : '\0';

		if (peek(r) == '\\' && (next == end || (next == '\\' && end == '"')))
			r->at++;
		buf_add_byte(b, peek(r));
	}
	if (!peek(r))
		return refuse(r, start,
			      end == '"' ? "this quote has no end" : "this expression has no end");
	r->at++;
	*ret_text = buf_str(b);
	return NULL;
}

static err_t read_name(struct reader *r, struct str *ret_name)
{
	if (peek(r) == '"')
		return read_until(r, '"', ret_name);
	*ret_name = plain_word(r, ".:=!<>");
	r->at += ret_name->len;
	return NULL;
}

static err_t read_path(struct reader *r, struct filter_path *ret_path)
{
	size_t start = r->at;
	err_t e;

	ret_path->names = arena_new_array(r->build->arena, struct str, FILTER_PATH_MAX);
	ret_path->count = 0;
	do {
		if (ret_path->count == FILTER_PATH_MAX)
			return refuse(r, start, "the key has too many parts");
		if (ret_path->count)
			r->at++;
		e = read_name(r, &ret_path->names[ret_path->count++]);
		if (e)
			return e;
	} while (peek(r) == '.');
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

/* With the blanks around it. */
static bool take_sign(struct reader *r, enum filter_op *ret_op, bool *ret_negate)
{
	const size_t start = r->at;
	struct str rest;

	skip_blanks(r);
	rest = (struct str){ r->text.at + r->at, r->text.len - r->at };
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (!str_starts(rest, signs[i].text))
			continue;
		r->at += strlen(signs[i].text);
		*ret_op = signs[i].op;
		*ret_negate = signs[i].negate;
		skip_blanks(r);
		return true;
	}
	r->at = start;
	return false;
}

/* As JSON and as Python writes them. */
static const struct {
	const char *word;
	enum filter_value_kind kind;
} words[] = {
	{ "true", FILTER_TRUE },   { "True", FILTER_TRUE }, { "false", FILTER_FALSE },
	{ "False", FILTER_FALSE }, { "null", FILTER_NULL }, { "None", FILTER_NULL },
};

static struct filter_value value_of_word(struct arena *a, struct str word)
{
	struct str number = filter_number_of_word(a, word);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (str_is(word, words[i].word))
			return (struct filter_value){ .kind = words[i].kind };
	}
	if (filter_is_number(number))
		return (struct filter_value){ FILTER_NUMBER, number };
	return (struct filter_value){ FILTER_TEXT, word };
}

/* state::a, config.x>=1<=2 */
static bool looks_like_signs(struct str word)
{
	return strchr(":=", word.at[0]) || memchr(word.at, '<', word.len) ||
	       memchr(word.at, '>', word.len);
}

static err_t read_value(struct reader *r, const struct filter_key *key,
			struct filter_value *ret_value)
{
	struct str word;

	if (peek(r) == '"') {
		ret_value->kind = FILTER_TEXT;
		return read_until(r, '"', &ret_value->text);
	}
	word = plain_word(r, ",");
	if (!word.len)
		return refuse(r, r->at, "a value is expected");
	if (looks_like_signs(word))
		return refuse(r, r->at, "a value with signs in it stands between quotes");
	r->at += word.len;
	*ret_value = value_of_word(r->build->arena, word);
	if (key->kind == FILTER_KEY_TEXT)
		*ret_value = (struct filter_value){ FILTER_TEXT, word };
	return NULL;
}

static err_t check_state(const struct reader *r, size_t at, const struct filter_key *key,
			 const struct filter_value *value)
{
	enum run_state known;
	struct err *e;

	if (!str_is(key->path.names[0], "state") || run_state_parse(value->text, &known))
		return NULL;
	e = err_field(r->build->arena, ERR_INVALID, "filter",
		      "no run has the state \"%.*s\", at character %zu",
		      (int)(value->text.len < 100 ? value->text.len : 100), value->text.at,
		      column_of(r, at));
	e->hint = "states are running, finished, failed, crashed and killed";
	return e;
}

static err_t read_regex(struct reader *r, const struct filter_key *key,
			struct filter_node **ret_node)
{
	struct filter_value *value = arena_new_of(r->build->arena, struct filter_value);
	size_t start = r->at;
	err_t e;

	value->kind = FILTER_TEXT;
	e = read_until(r, '/', &value->text);
	if (!e)
		e = put_in_place(r, start,
				 filter_leaf(r->build, key, FILTER_REGEX, value, 1, ret_node));
	if (e)
		return e;
	(*ret_node)->field = "filter";
	(*ret_node)->character = column_of(r, start);
	(*ret_node)->ignore_case = peek(r) == 'i';
	r->at += peek(r) == 'i';
	return NULL;
}

/* A value is all there is up to a blank or a bracket. */
static err_t check_end(const struct reader *r, enum filter_op op)
{
	char c = peek(r);

	if (c == ',' && op != FILTER_EQ)
		return refuse(r, r->at, "several values stand behind : = and != only");
	if (c == ',')
		return refuse(r, r->at, "an expression stands alone");
	if (c && !is_blank(c) && c != '(' && c != ')')
		return refuse(r, r->at, "a blank is expected");
	return NULL;
}

/* One value, or with : = != several between commas. */
static err_t read_values(struct reader *r, const struct filter_key *key, enum filter_op op,
			 struct filter_node **ret_node)
{
	struct buf *values = buf_new(r->build->arena);
	struct filter_value value;
	size_t start = r->at;
	size_t count = 0;
	err_t e;

	do {
		size_t at = r->at += count > 0;

		e = read_value(r, key, &value);
		if (!e)
			e = check_state(r, at, key, &value);
		if (e)
			return e;
		buf_add(values, &value, sizeof(value));
		count++;
	} while (op == FILTER_EQ && peek(r) == ',');
	if (op != FILTER_EQ && value.kind != FILTER_NUMBER && value.kind != FILTER_TEXT)
		return refuse(r, start, "a number or a text is expected");
	return put_in_place(r, start,
			    filter_leaf(r->build, key, count > 1 ? FILTER_IN : op,
					(struct filter_value *)(void *)values->at, count,
					ret_node));
}

/* name:x asks for the name that is shown and for the id. */
static err_t read_name_condition(struct reader *r, enum filter_op op, struct filter_node **ret_node)
{
	static const char *const places[] = { "display_name", "id" };
	size_t start = r->at;
	err_t e;

	e = filter_node_new(r->build, FILTER_OR, ret_node);
	for (size_t i = 0; !e && i < 2; i++) {
		struct filter_node *node;
		struct filter_key key;

		r->at = start;
		e = filter_key_find(r->build->arena, str_of(places[i]), &key);
		if (!e && peek(r) == '/')
			e = read_regex(r, &key, &node);
		else if (!e)
			e = read_values(r, &key, op, &node);
		if (!e)
			filter_node_add(*ret_node, node);
	}
	return e;
}

/* What stands behind the sign. */
static err_t read_condition(struct reader *r, const struct filter_path *path, size_t start,
			    enum filter_op op, struct filter_node **ret_node)
{
	struct filter_key key;
	err_t e;

	if (path->count == 1 && str_is(path->names[0], "name"))
		return read_name_condition(r, op, ret_node);
	e = put_in_place(r, start, filter_key_of_path(r->build->arena, *path, &key));
	if (e)
		return e;
	if (op == FILTER_EQ && peek(r) == '/')
		return read_regex(r, &key, ret_node);
	return read_values(r, &key, op, ret_node);
}

static err_t read_has(struct reader *r, struct filter_node **ret_node)
{
	struct filter_path path;
	struct filter_key key;
	size_t start = r->at;
	err_t e;

	e = read_path(r, &path);
	if (!e)
		e = put_in_place(r, start, filter_key_of_path(r->build->arena, path, &key));
	if (e)
		return e;
	return put_in_place(r, start,
			    filter_leaf(r->build, &key, FILTER_EXISTS, NULL, 0, ret_node));
}

static err_t read_word(struct reader *r, size_t start, struct filter_node **ret_node)
{
	static const struct filter_key none = { .kind = FILTER_KEY_ANY };
	struct filter_value *value = arena_new_of(r->build->arena, struct filter_value);
	err_t e;

	r->at = start;
	value->kind = FILTER_TEXT;
	if (peek(r) == '"') {
		e = read_until(r, '"', &value->text);
		if (e)
			return e;
	} else {
		value->text = plain_word(r, "");
		if (value->text.len && strchr("!&|", value->text.at[0]))
			return refuse(r, start, "\"not\", \"and\", \"or\" or quotes are expected");
		if (str_starts(value->text, "config.") || str_starts(value->text, "summary."))
			return refuse(r, start + value->text.len,
				      "a sign is expected behind a key, such as : or <");
		r->at += value->text.len;
	}
	if (!value->text.len)
		return refuse(r, start, "a word is expected");
	return put_in_place(r, start,
			    filter_leaf(r->build, &none, FILTER_WORDS, value, 1, ret_node));
}

static err_t read_term(struct reader *r, struct filter_node **ret_node)
{
	struct filter_path path;
	size_t start = r->at;
	bool negate = false;
	enum filter_op op;
	err_t e;

	e = read_path(r, &path);
	if (e)
		return e;
	if (!take_sign(r, &op, &negate))
		return read_word(r, start, ret_node);
	if (path.count == 1 && str_is(path.names[0], "has") && op == FILTER_EQ && !negate)
		return read_has(r, ret_node);
	e = read_condition(r, &path, start, op, ret_node);
	if (!e)
		e = check_end(r, op);
	if (e)
		return e;
	return put_in_place(r, start, filter_node_negate(r->build, negate, *ret_node, ret_node));
}

static err_t read_group(struct reader *r, struct filter_node **ret_node)
{
	size_t start = r->at++;
	err_t e;

	if (++r->depth > FILTER_DEPTH_MAX)
		return refuse(r, start, "nested too deep");
	e = read_any(r, ret_node);
	if (e)
		return e;
	if (peek(r) != ')')
		return refuse(r, start, "this bracket has no end");
	r->at++;
	r->depth--;
	return NULL;
}

static err_t read_one(struct reader *r, struct filter_node **ret_node)
{
	size_t start = r->at;
	bool negate = false;
	size_t at;
	err_t e;

	while (take_keyword(r, "not")) {
		negate = !negate;
		skip_blanks(r);
	}
	at = r->at;
	if (!peek(r) || peek(r) == ')' || take_keyword(r, "or") || take_keyword(r, "and"))
		return refuse(r, at, "a condition is expected");
	e = peek(r) == '(' ? read_group(r, ret_node) : read_term(r, ret_node);
	if (e)
		return e;
	return put_in_place(r, start, filter_node_negate(r->build, negate, *ret_node, ret_node));
}

/* Is there one more condition before an "or", a bracket or the end? Takes an "and" before it. */
static bool take_and(struct reader *r)
{
	size_t start;

	skip_blanks(r);
	start = r->at;
	if (!peek(r) || peek(r) == ')')
		return false;
	if (take_keyword(r, "or")) {
		r->at = start;
		return false;
	}
	(void)take_keyword(r, "and");
	skip_blanks(r);
	return true;
}

static err_t read_all(struct reader *r, struct filter_node **ret_node)
{
	err_t e;

	e = put_in_place(r, r->at, filter_node_new(r->build, FILTER_AND, ret_node));
	if (e)
		return e;
	skip_blanks(r);
	do {
		struct filter_node *node;

		e = read_one(r, &node);
		if (e)
			return e;
		filter_node_add(*ret_node, node);
	} while (take_and(r));
	return NULL;
}

static err_t read_any(struct reader *r, struct filter_node **ret_node)
{
	err_t e;

	e = put_in_place(r, r->at, filter_node_new(r->build, FILTER_OR, ret_node));
	if (e)
		return e;
	do {
		struct filter_node *node;

		e = read_all(r, &node);
		if (e)
			return e;
		filter_node_add(*ret_node, node);
		skip_blanks(r);
	} while (take_keyword(r, "or"));
	return NULL;
}

err_t filter_parse_text(struct filter_build *b, struct str text, struct filter_node **ret_node)
{
	struct reader r = { .build = b, .text = text };
	err_t e;

	e = read_any(&r, ret_node);
	if (e)
		return e;
	if (r.at < r.text.len)
		return refuse(&r, r.at, "this bracket was never opened");
	return NULL;
}
