/*
 * Filters: the part shared by both forms. The forms are in filter_json.c and filter_text.c, the
 * keys in filter_key.c, the conversion for the database in filter_jsonpath.c.
 *
 * Every size is bounded when the text is parsed, so that later code may walk the tree by recursion.
 */
#include "filter.h"

#include <string.h>

#include "buf.h"
#include "clock.h"
#include "filter_build.h"

err_t filter_node_new(struct filter_build *b, enum filter_op op, struct filter_node **ret_node)
{
	if (++b->nodes > FILTER_NODES_MAX)
		return err_field(b->arena, ERR_INVALID, "filter", "more than %d conditions",
				 FILTER_NODES_MAX);
	*ret_node = arena_new_of(b->arena, struct filter_node);
	(*ret_node)->op = op;
	return NULL;
}

void filter_node_add(struct filter_node *node, struct filter_node *child)
{
	struct filter_node **end = &node->child;

	while (*end)
		end = &(*end)->next;
	*end = child;
}

err_t filter_node_negate(struct filter_build *b, bool negate, struct filter_node *node,
			 struct filter_node **ret_node)
{
	err_t e;

	*ret_node = node;
	if (!negate)
		return NULL;
	e = filter_node_new(b, FILTER_NOT, ret_node);
	if (e)
		return e;
	filter_node_add(*ret_node, node);
	return NULL;
}

/* The beginning of a time as documents have it, 2026-11-21T10:00:00.123456Z: one when completed. */
static bool is_beginning_of_time(struct str text)
{
	static const char *const rests[] = { "0001-01-01T00:00:00.000000Z",
					     "0001-10-10T00:00:00.000000Z" };

	for (size_t i = 0; i < sizeof(rests) / sizeof(rests[0]); i++) {
		char whole[sizeof("0001-01-01T00:00:00.000000Z")];
		timestamp_us time;

		if (!text.len || text.len >= sizeof(whole) - 1)
			return false;
		memcpy(whole, rests[i], sizeof(whole));
		memcpy(whole, text.at, text.len);
		if (clock_parse(str_of(whole), &time))
			return true;
	}
	return false;
}

/* Times are compared as text, so they are written as documents write them. */
static err_t value_to_time(struct arena *a, struct filter_value *value, bool *ret_is_whole)
{
	char text[CLOCK_TEXT_SIZE];
	timestamp_us time;

	if (value->kind == FILTER_NULL)
		return NULL;
	*ret_is_whole = value->kind == FILTER_TEXT && clock_parse(value->text, &time);
	if (!*ret_is_whole && (value->kind != FILTER_TEXT || !is_beginning_of_time(value->text)))
		return err_field(a, ERR_INVALID, "filter",
				 "expected a time such as \"2026-11-21T10:00:00Z\"");
	if (!*ret_is_whole)
		return NULL;
	clock_format(time, text);
	value->text = str_of(arena_strdup(a, text));
	return NULL;
}

static err_t leaf_of_time(struct arena *a, struct filter_node *node)
{
	bool is_whole = true;
	err_t e;

	if (node->op == FILTER_REGEX)
		return NULL;
	for (size_t i = 0; i < node->value_count; i++) {
		e = value_to_time(a, &node->values[i], &is_whole);
		if (e)
			return e;
	}
	if (node->op == FILTER_EQ && !is_whole)
		node->op = FILTER_PREFIX;
	return NULL;
}

static void leaf_of_text(struct filter_node *node)
{
	for (size_t i = 0; i < node->value_count; i++) {
		struct filter_value *value = &node->values[i];

		if (value->kind == FILTER_NUMBER)
			value->kind = FILTER_TEXT;
	}
}

/* tags.good:true asks for the tag; there is no other condition on one. */
static err_t leaf_of_tag(struct arena *a, const struct filter_key *key, struct filter_node *node)
{
	bool asks = node->op == FILTER_EXISTS ||
		    (node->op == FILTER_EQ && node->values[0].kind == FILTER_TRUE);

	if (!asks)
		return err_field(a, ERR_INVALID, "filter",
				 "a single tag can only be compared with true");
	node->op = FILTER_EQ;
	node->values = arena_new_of(a, struct filter_value);
	node->values[0] = (struct filter_value){ FILTER_TEXT, key->tag };
	node->value_count = 1;
	return NULL;
}

static err_t number_pattern(struct filter_build *b, struct filter_node *node)
{
	if (node->op != FILTER_REGEX && node->op != FILTER_WORDS)
		return NULL;
	if (node->values[0].text.len > FILTER_REGEX_MAX)
		return err_field(b->arena, ERR_INVALID, "filter",
				 "the regular expression is longer than %d bytes",
				 FILTER_REGEX_MAX);
	if (b->patterns == FILTER_PATTERNS_MAX)
		return err_field(b->arena, ERR_INVALID, "filter",
				 "more than %d regular expressions and words", FILTER_PATTERNS_MAX);
	node->pattern = b->patterns++;
	return NULL;
}

err_t filter_leaf(struct filter_build *b, const struct filter_key *key, enum filter_op op,
		  struct filter_value *values, size_t count, struct filter_node **ret_node)
{
	struct filter_node *node;
	err_t e;

	b->nodes += count;
	e = filter_node_new(b, op, &node);
	if (e)
		return e;
	node->path = key->path;
	node->values = values;
	node->value_count = count;
	*ret_node = node;
	e = number_pattern(b, node);
	if (e)
		return e;
	switch (key->kind) {
	case FILTER_KEY_TIME:
		return leaf_of_time(b->arena, node);
	case FILTER_KEY_TAG:
		return leaf_of_tag(b->arena, key, node);
	case FILTER_KEY_TEXT:
		leaf_of_text(node);
		return NULL;
	case FILTER_KEY_ANY:
		return NULL;
	}
	return NULL;
}

static size_t skip_digits(struct str text, size_t at)
{
	while (at < text.len && text.at[at] >= '0' && text.at[at] <= '9')
		at++;
	return at;
}

/* An exponent of up to three digits: within the limits of PostgreSQL's numeric. */
static bool is_exponent(struct str text)
{
	size_t at = 1;

	if (at < text.len && (text.at[at] == '+' || text.at[at] == '-'))
		at++;
	return at < text.len && text.len - at <= 3 && skip_digits(text, at) == text.len;
}

bool filter_is_number(struct str text)
{
	return text.len <= FILTER_NUMBER_MAX && filter_is_decimal(text);
}

bool filter_is_decimal(struct str text)
{
	size_t first = text.len && text.at[0] == '-';
	size_t at = skip_digits(text, first);

	if (at == first)
		return false;
	if (text.at[first] == '0' && at > first + 1)
		return false;
	if (at < text.len && text.at[at] == '.') {
		size_t fraction = at + 1;

		at = skip_digits(text, fraction);
		if (at == fraction)
			return false;
	}
	if (at == text.len)
		return true;
	return (text.at[at] | 0x20) == 'e' &&
	       is_exponent((struct str){ text.at + at, text.len - at });
}

struct str filter_number_of_word(struct arena *a, struct str word)
{
	struct buf *b = buf_new(a);
	struct str rest = word;

	if (rest.len > 1 && (rest.at[0] == '-' || rest.at[0] == '+')) {
		buf_add_text(b, rest.at[0] == '-' ? "-" : "");
		rest = (struct str){ rest.at + 1, rest.len - 1 };
	}
	buf_add_text(b, rest.len && rest.at[0] == '.' ? "0" : "");
	buf_add_str(b, rest);
	b->len -= rest.len > 1 && rest.at[rest.len - 1] == '.';
	return filter_is_number(buf_str(b)) ? buf_str(b) : word;
}

err_t filter_parse(struct arena *a, struct str text, const struct filter_node **ret_node)
{
	return filter_parse_bare(a, text, NULL, ret_node);
}

err_t filter_parse_bare(struct arena *a, struct str text, struct filter_bare *bare,
			const struct filter_node **ret_node)
{
	struct filter_build b = { .arena = a, .bare = bare };
	struct filter_node *node;
	struct str trimmed = str_trim(text);
	err_t e;

	if (text.len > FILTER_TEXT_MAX)
		return err_field(a, ERR_INVALID, "filter", "the filter is longer than %d bytes",
				 FILTER_TEXT_MAX);
	if (!str_is_utf8(text) || (text.len && memchr(text.at, 0, text.len)))
		return err_field(a, ERR_INVALID, "filter", "the filter is not UTF-8 text");
	if (!trimmed.len)
		e = filter_node_new(&b, FILTER_AND, &node);
	else if (trimmed.at[0] == '{')
		e = filter_parse_json(&b, trimmed, &node);
	else
		e = filter_parse_text(&b, text, &node);
	if (e)
		return e;
	*ret_node = node;
	return NULL;
}

err_t filter_parse_artifacts(struct arena *a, struct str text, const struct filter_node **ret_node)
{
	struct filter_bare bare = { .of_artifacts = true };

	return filter_parse_bare(a, text, &bare, ret_node);
}

bool filter_has_patterns(const struct filter_node *node)
{
	if (node->op == FILTER_REGEX || node->op == FILTER_WORDS)
		return true;
	for (const struct filter_node *child = node->child; child; child = child->next) {
		if (filter_has_patterns(child))
			return true;
	}
	return false;
}
