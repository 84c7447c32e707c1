/*
 * The text form, for people:
 *
 *   any    = all { "or" all }
 *   all    = { ["and"] ["not"] term }
 *   term   = "(" any ")" | "has:" key | key sign value { "," value } | word
 *   key    = name { "." name }        name, word, value: plain, or "quoted"
 *   sign   = : = == != < <= > >=      value: also /regex/ and /regex/i
 *
 * A word without a sign is looked for in names, labels and notes. Blanks may surround a sign. Text
 * that looks like another grammar, or a state that no run has, is refused rather than finding
 * nothing: people mistype. Errors name the character.
 */
#include <string.h>

#include "buf.h"
#include "filter_reader.h"
#include "run.h"

static err_t read_any(struct filter_reader *r, struct filter_node **ret_node);

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

/* config.x>=1<=2 */
static bool looks_like_signs(struct str word)
{
	return memchr(word.at, '<', word.len) || memchr(word.at, '>', word.len);
}

static err_t read_value(struct filter_reader *r, const struct filter_key *key,
			struct filter_value *ret_value)
{
	struct str word;

	if (filter_peek(r) == '"') {
		ret_value->kind = FILTER_TEXT;
		return filter_read_until(r, '"', &ret_value->text);
	}
	word = filter_plain_word(r, ",");
	if (!word.len)
		return filter_refuse_at(r, r->at, "expected a value");
	if (strchr(":=<>", word.at[0]))
		return filter_refuse_at(r, r->at,
					"expected a value after the operator; quote values that "
					"contain operators");
	if (looks_like_signs(word))
		return filter_refuse_at(r, r->at, "quote values that contain operators");
	r->at += word.len;
	*ret_value = value_of_word(r->build->arena, word);
	if (key->kind == FILTER_KEY_TEXT)
		*ret_value = (struct filter_value){ FILTER_TEXT, word };
	return NULL;
}

static err_t check_state(const struct filter_reader *r, size_t at, const struct filter_key *key,
			 const struct filter_value *value)
{
	enum run_state known;
	struct err *e;

	if (!str_is(key->path.names[0], "state") || run_state_parse(value->text, &known))
		return NULL;
	e = err_field(r->build->arena, ERR_INVALID, "filter", "unknown state \"%.*s\"",
		      (int)(value->text.len < 100 ? value->text.len : 100), value->text.at);
	e->hint = run_state_hint(r->build->arena);
	return filter_error_at(r, at, e);
}

static err_t read_regex(struct filter_reader *r, const struct filter_key *key,
			struct filter_node **ret_node)
{
	struct filter_value *value = arena_new_of(r->build->arena, struct filter_value);
	size_t start = r->at;
	err_t e;

	value->kind = FILTER_TEXT;
	e = filter_read_until(r, '/', &value->text);
	if (!e)
		e = filter_error_at(r, start,
				    filter_leaf(r->build, key, FILTER_REGEX, value, 1, ret_node));
	if (e)
		return e;
	(*ret_node)->field = "filter";
	(*ret_node)->character = filter_column_of(r, start);
	(*ret_node)->ignore_case = filter_peek(r) == 'i';
	r->at += filter_peek(r) == 'i';
	(*ret_node)->at = (struct err_range){ start, r->at - start };
	return NULL;
}

/* A value reaches up to a blank or a bracket. */
static err_t check_end(const struct filter_reader *r, enum filter_op op)
{
	char c = filter_peek(r);

	if (c == ',' && op != FILTER_EQ)
		return filter_refuse_at(r, r->at,
					"a list of values requires the operator :, = or !=");
	if (c == ',')
		return filter_refuse_at(r, r->at, "a regular expression cannot be part of a list");
	if (c && !filter_is_blank(c) && c != '(' && c != ')')
		return filter_refuse_at(r, r->at, "expected a blank");
	return NULL;
}

/* One value, or with : = != several between commas. */
static err_t read_values(struct filter_reader *r, const struct filter_key *key, enum filter_op op,
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
	} while (op == FILTER_EQ && filter_peek(r) == ',');
	if (op != FILTER_EQ && value.kind != FILTER_NUMBER && value.kind != FILTER_TEXT)
		return filter_refuse_at(r, start, "expected a number or a string");
	return filter_error_at(r, start,
			       filter_leaf(r->build, key, count > 1 ? FILTER_IN : op,
					   (struct filter_value *)(void *)values->at, count,
					   ret_node));
}

/* name:x matches the displayed name and the id. */
static err_t read_name_condition(struct filter_reader *r, enum filter_op op,
				 struct filter_node **ret_node)
{
	static const char *const names[] = { "display_name", "id" };
	size_t start = r->at;
	err_t e;

	e = filter_node_new(r->build, FILTER_OR, ret_node);
	for (size_t i = 0; !e && i < 2; i++) {
		struct filter_node *node;
		struct filter_key key;

		r->at = start;
		e = filter_key_find(r->build->arena, str_of(names[i]), NULL, &key);
		if (!e && filter_peek(r) == '/')
			e = read_regex(r, &key, &node);
		else if (!e)
			e = read_values(r, &key, op, &node);
		if (!e)
			filter_node_add(*ret_node, node);
	}
	return e;
}

/* Reads what follows the sign. */
static err_t read_condition(struct filter_reader *r, const struct filter_path *path, size_t start,
			    enum filter_op op, struct filter_node **ret_node)
{
	struct filter_key key;
	err_t e;

	if (path->count == 1 && str_is(path->names[0], "name") && !filter_of_artifacts(r->build))
		return read_name_condition(r, op, ret_node);
	e = filter_error_at(r, start,
			    filter_key_of_path(r->build->arena, *path, r->build->bare, &key));
	if (e)
		return e;
	if (op == FILTER_EQ && filter_peek(r) == '/')
		return read_regex(r, &key, ret_node);
	return read_values(r, &key, op, ret_node);
}

static err_t read_has(struct filter_reader *r, struct filter_node **ret_node)
{
	struct filter_path path;
	struct filter_key key;
	size_t start = r->at;
	err_t e;

	e = filter_read_path(r, &path);
	if (!e)
		e = filter_error_at(
			r, start, filter_key_of_path(r->build->arena, path, r->build->bare, &key));
	if (e)
		return e;
	return filter_error_at(r, start,
			       filter_leaf(r->build, &key, FILTER_EXISTS, NULL, 0, ret_node));
}

static err_t read_word(struct filter_reader *r, size_t start, struct filter_node **ret_node)
{
	static const struct filter_key none = { .kind = FILTER_KEY_ANY };
	struct filter_value *value = arena_new_of(r->build->arena, struct filter_value);
	err_t e;

	r->at = start;
	value->kind = FILTER_TEXT;
	if (filter_peek(r) == '"') {
		e = filter_read_until(r, '"', &value->text);
		if (e)
			return e;
	} else {
		value->text = filter_plain_word(r, "");
		if (value->text.len && strchr("!&|", value->text.at[0]))
			return filter_refuse_at(
				r, start, "expected \"not\", \"and\", \"or\" or a quoted text");
		if (str_starts(value->text, "config.") || str_starts(value->text, "summary."))
			return filter_refuse_at(
				r, start + value->text.len,
				"expected an operator after the key, such as : or <");
		r->at += value->text.len;
	}
	if (!value->text.len)
		return filter_refuse_at(r, start, "expected a word");
	return filter_error_at(r, start,
			       filter_leaf(r->build, &none, FILTER_WORDS, value, 1, ret_node));
}

static err_t read_term(struct filter_reader *r, struct filter_node **ret_node)
{
	struct filter_path path;
	size_t start = r->at;
	bool negate = false;
	enum filter_op op;
	err_t e;

	e = filter_read_path(r, &path);
	if (e)
		return e;
	if (!filter_take_sign(r, &op, &negate))
		return read_word(r, start, ret_node);
	if (path.count == 1 && str_is(path.names[0], "has") && op == FILTER_EQ && !negate)
		return read_has(r, ret_node);
	e = read_condition(r, &path, start, op, ret_node);
	if (!e)
		e = check_end(r, op);
	if (e)
		return e;
	return filter_error_at(r, start, filter_node_negate(r->build, negate, *ret_node, ret_node));
}

static err_t read_group(struct filter_reader *r, struct filter_node **ret_node)
{
	size_t start = r->at++;
	err_t e;

	if (++r->depth > FILTER_DEPTH_MAX)
		return filter_refuse_at(r, start, "nested too deeply");
	e = read_any(r, ret_node);
	if (e)
		return e;
	if (filter_peek(r) != ')')
		return filter_refuse_at(r, start, "unclosed bracket");
	r->at++;
	r->depth--;
	return NULL;
}

static err_t read_one(struct filter_reader *r, struct filter_node **ret_node)
{
	size_t start = r->at;
	bool negate = false;
	size_t at;
	err_t e;

	while (filter_take_keyword(r, "not")) {
		negate = !negate;
		filter_skip_blanks(r);
	}
	at = r->at;
	if (!filter_peek(r) || filter_peek(r) == ')' || filter_take_keyword(r, "or") ||
	    filter_take_keyword(r, "and"))
		return filter_refuse_at(r, at, "expected a condition");
	e = filter_peek(r) == '(' ? read_group(r, ret_node) : read_term(r, ret_node);
	if (e)
		return e;
	return filter_error_at(r, start, filter_node_negate(r->build, negate, *ret_node, ret_node));
}

/*
 * Whether one more condition follows before an "or", a bracket or the end.
 * Takes an "and" before it.
 */
static bool take_and(struct filter_reader *r)
{
	size_t start;

	filter_skip_blanks(r);
	start = r->at;
	if (!filter_peek(r) || filter_peek(r) == ')')
		return false;
	if (filter_take_keyword(r, "or")) {
		r->at = start;
		return false;
	}
	(void)filter_take_keyword(r, "and");
	filter_skip_blanks(r);
	return true;
}

static err_t read_all(struct filter_reader *r, struct filter_node **ret_node)
{
	err_t e;

	e = filter_error_at(r, r->at, filter_node_new(r->build, FILTER_AND, ret_node));
	if (e)
		return e;
	filter_skip_blanks(r);
	do {
		struct filter_node *node;

		e = read_one(r, &node);
		if (e)
			return e;
		filter_node_add(*ret_node, node);
	} while (take_and(r));
	return NULL;
}

static err_t read_any(struct filter_reader *r, struct filter_node **ret_node)
{
	err_t e;

	e = filter_error_at(r, r->at, filter_node_new(r->build, FILTER_OR, ret_node));
	if (e)
		return e;
	do {
		struct filter_node *node;

		e = read_all(r, &node);
		if (e)
			return e;
		filter_node_add(*ret_node, node);
		filter_skip_blanks(r);
	} while (filter_take_keyword(r, "or"));
	return NULL;
}

err_t filter_parse_text(struct filter_build *b, struct str text, struct filter_node **ret_node)
{
	struct filter_reader r = { .build = b, .text = text };
	err_t e;

	e = read_any(&r, ret_node);
	if (e)
		return e;
	if (r.at < r.text.len)
		return filter_refuse_at(&r, r.at, "unmatched closing bracket");
	return NULL;
}
