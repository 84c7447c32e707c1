/*
 * A filter over columns: every leaf fills a bit for each row, and AND, OR and NOT are those of words of
 * bits. What a leaf says of a text it says once, however many runs have it (struct leaf, texts).
 *
 * The rules are those of filter_jsonpath.c: a value of another type does not match, of several values one
 * is enough, config.a.b may be two names or one.
 */
#include "columns_filter.h"

#include <string.h>

#include "access.h"
#include "decimal.h"
#include "search_store.h"

/* What is asked of one column. */
struct leaf {
	const struct filter_node *node;
	const struct column *column;
	struct patterns *patterns;
	bool outside; /* of config and summary: an empty text is none */

	enum leaf_kind { LEAF_SET, LEAF_NUMBER, LEAF_TEXT, LEAF_THERE } kind;
	bool has_false, has_true, has_null; /* of LEAF_SET */
	struct decimal *numbers;            /* of LEAF_SET any, of LEAF_NUMBER one */
	size_t number_count;
	uint8_t *texts;    /* by number: 0 not known yet, 1 no, 2 yes */
	uint8_t *specials; /* likewise */
};

enum { UNKNOWN, NO, YES };

/* ---- texts and numbers --------------------------------------------------------------------------- */

static bool text_matches(struct leaf *l, struct str text)
{
	const struct filter_node *n = l->node;
	struct str value = n->values[0].text;

	switch (n->op) {
	case FILTER_GT:
		return str_compare(text, value) > 0;
	case FILTER_GTE:
		return str_compare(text, value) >= 0;
	case FILTER_LT:
		return str_compare(text, value) < 0;
	case FILTER_LTE:
		return str_compare(text, value) <= 0;
	case FILTER_PREFIX:
		return text.len >= value.len && !memcmp(text.at, value.at, value.len);
	case FILTER_REGEX:
	case FILTER_WORDS:
		return patterns_match(l->patterns, n->pattern, text);
	default:
		return false;
	}
}

static bool known_text_matches(struct leaf *l, uint32_t number)
{
	uint8_t *known = &l->texts[number];

	if (*known == UNKNOWN)
		*known = text_matches(l, dictionary_text(&l->column->texts, number)) ? YES : NO;
	return *known == YES;
}

static bool order_holds(enum filter_op op, int order)
{
	switch (op) {
	case FILTER_GT:
		return order > 0;
	case FILTER_GTE:
		return order >= 0;
	case FILTER_LT:
		return order < 0;
	case FILTER_LTE:
		return order <= 0;
	default:
		return order == 0;
	}
}

static bool decimal_matches(const struct leaf *l, const struct decimal *d)
{
	enum filter_op op = l->kind == LEAF_SET ? FILTER_EQ : l->node->op;

	for (size_t i = 0; i < l->number_count; i++) {
		if (order_holds(op, decimal_compare(d, &l->numbers[i])))
			return true;
	}
	return false;
}

/* ---- cells --------------------------------------------------------------------------------------- */

static bool double_matches(const struct leaf *l, double value)
{
	char text[32];

	for (size_t i = 0; l->kind == LEAF_SET && i < l->number_count; i++) {
		if (l->numbers[i].nearest == value && l->numbers[i].is_plain)
			return true;
	}
	if (l->kind == LEAF_SET)
		return false;
	if (l->numbers[0].is_plain || l->numbers[0].nearest != value)
		return order_holds(l->node->op, value < l->numbers[0].nearest
							? -1
							: value > l->numbers[0].nearest);
	return decimal_matches(l, &(struct decimal){ value, true,
						     decimal_of_double(value, text).text });
}

static bool is_there(const struct leaf *l, cell c)
{
	if (!l->outside)
		return true;
	if (cell_tag(c) == CELL_TEXT)
		return dictionary_text(&l->column->texts, cell_number(c)).len > 0;
	return cell_tag(c) != CELL_NULL;
}

/* Of a value that is one. */
static bool single_matches(struct leaf *l, cell c)
{
	enum cell_tag tag = cell_tag(c);

	if (l->kind == LEAF_THERE)
		return is_there(l, c);
	switch (tag) {
	case CELL_NUMBER:
		return l->number_count && double_matches(l, cell_double(c));
	case CELL_TEXT:
		return l->texts && known_text_matches(l, cell_number(c));
	case CELL_FALSE:
		return l->has_false;
	case CELL_TRUE:
		return l->has_true;
	case CELL_NULL:
		return l->has_null;
	case CELL_DECIMAL: {
		struct decimal d = decimal_read(dictionary_text(&l->column->texts, cell_number(c)));

		return l->number_count && decimal_matches(l, &d);
	}
	default:
		return false;
	}
}

static bool special_matches(struct leaf *l, uint32_t number)
{
	const struct special *s = &l->column->specials[number];

	if (l->kind == LEAF_THERE && !l->outside)
		return true;
	for (uint32_t i = 0; i < s->count; i++) {
		if (single_matches(l, l->column->items[s->first + i]))
			return true;
	}
	return false;
}

static bool known_special_matches(struct leaf *l, uint32_t number)
{
	uint8_t *known = &l->specials[number];

	if (*known == UNKNOWN)
		*known = special_matches(l, number) ? YES : NO;
	return *known == YES;
}

static inline bool cell_matches(struct leaf *l, cell c)
{
	switch (cell_tag(c)) {
	case CELL_MISSING:
		return false;
	case CELL_SPECIAL:
		return known_special_matches(l, cell_number(c));
	case CELL_TEXT:
		if (l->texts && l->texts[cell_number(c)] != UNKNOWN)
			return l->texts[cell_number(c)] == YES;
		return single_matches(l, c);
	default:
		return single_matches(l, c);
	}
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static uint64_t general_word(struct leaf *l, const cell *cells)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < 64; i++)
		word |= (uint64_t)cell_matches(l, cells[i]) << i;
	return word;
}

/* Where the bound of a range is plain, doubles are compared without a branch (what is tagged is NaN and never
 * holds), and of the tagged only those that may be numbers are looked at. */
static uint64_t range_word(struct leaf *l, const cell *cells)
{
	const double bound = l->numbers[0].nearest;
	const bool below = l->node->op == FILTER_LT || l->node->op == FILTER_LTE;
	const bool equal = l->node->op == FILTER_LTE || l->node->op == FILTER_GTE;
	const double sign = below ? -1 : 1;
	uint64_t word = 0;
	uint64_t tagged = 0;

	for (unsigned i = 0; i < 64; i++) {
		double value = cell_double(cells[i]);

		word |= (uint64_t)((value * sign > bound * sign) | (equal & (value == bound))) << i;
		tagged |= (uint64_t)(value != value) << i;
	}
	for (; tagged; tagged &= tagged - 1) {
		unsigned i = (unsigned)__builtin_ctzll(tagged);

		if (cell_tag(cells[i]) >= CELL_DECIMAL)
			word |= (uint64_t)cell_matches(l, cells[i]) << i;
	}
	return word;
}

static void match_rows(struct leaf *l, struct bits out)
{
	const bool is_range = l->kind == LEAF_NUMBER && l->numbers[0].is_plain;

	for (size_t i = 0; i < out.words_count; i++) {
		const cell *cells = column_cells(l->column, i * 64);

		if (!cells)
			out.words[i] = 0;
		else
			out.words[i] = is_range ? range_word(l, cells) : general_word(l, cells);
	}
}

/* ---- leaves -------------------------------------------------------------------------------------- */

static void take_value(struct leaf *l, const struct filter_value *value)
{
	uint32_t number;

	switch (value->kind) {
	case FILTER_NULL: /* what is missing is null, too: see null_leaf() */
		break;
	case FILTER_FALSE:
		l->has_false = true;
		break;
	case FILTER_TRUE:
		l->has_true = true;
		break;
	case FILTER_NUMBER:
		l->numbers[l->number_count++] = decimal_read(value->text);
		break;
	case FILTER_TEXT:
		number = dictionary_find(&l->column->texts, value->text);
		if (number != DICTIONARY_NONE)
			l->texts[number] = YES;
		break;
	}
}

static enum leaf_kind kind_of(const struct filter_node *n)
{
	switch (n->op) {
	case FILTER_EXISTS:
		return LEAF_THERE;
	case FILTER_EQ:
	case FILTER_IN:
		return LEAF_SET;
	case FILTER_GT:
	case FILTER_GTE:
	case FILTER_LT:
	case FILTER_LTE:
		return n->values[0].kind == FILTER_NUMBER ? LEAF_NUMBER : LEAF_TEXT;
	default:
		return LEAF_TEXT;
	}
}

/* In a set only the texts that were named match; of all others no is known from the start. */
static struct leaf leaf_of(struct arena *a, const struct column *column,
			   const struct filter_node *n, struct patterns *patterns)
{
	struct leaf l = {
		.node = n,
		.column = column,
		.patterns = patterns,
		.outside = n->path.count == 1,
		.kind = kind_of(n),
	};

	l.specials = arena_zalloc(a, column->special_count + 1, 1);
	if (l.kind == LEAF_SET || l.kind == LEAF_TEXT)
		l.texts = arena_zalloc(a, column->texts.count + 1, 1);
	if (l.kind == LEAF_SET)
		memset(l.texts, NO, column->texts.count);
	if (l.kind == LEAF_SET || l.kind == LEAF_NUMBER)
		l.numbers = arena_new_array(a, struct decimal, n->value_count + 1);
	for (size_t i = 0; i < n->value_count && l.numbers; i++)
		take_value(&l, &n->values[i]);
	return l;
}

/* Of one place. */
static struct bits place_rows(struct arena *a, const struct columns *c,
			      const struct filter_path *path, const struct filter_node *n,
			      struct patterns *patterns)
{
	struct bits out = bits_new(a, c->row_count);
	const struct column *column = columns_find(c, path);

	if (column) {
		struct leaf l = leaf_of(a, column, n, patterns);

		match_rows(&l, out);
	}
	return out;
}

/* Null of one place: there is no value, or (in config and summary) one that is null. */
static struct bits null_rows(struct arena *a, const struct columns *c,
			     const struct filter_path *path)
{
	const struct filter_node there = { .op = FILTER_EXISTS, .path = *path };
	const struct filter_node null = { .op = FILTER_IN, .path = *path };
	const struct column *column = columns_find(c, path);
	struct bits out = place_rows(a, c, path, &there, NULL);
	struct bits nulls = bits_new(a, c->row_count);

	bits_not(out);
	if (column && path->count > 1) {
		struct leaf l = leaf_of(a, column, &null, NULL);

		l.has_null = true;
		match_rows(&l, nulls);
	}
	bits_or(out, nulls);
	return out;
}

static bool asks_for_null(const struct filter_node *n)
{
	for (size_t i = 0; i < n->value_count; i++) {
		if (n->values[i].kind == FILTER_NULL && kind_of(n) == LEAF_SET)
			return true;
	}
	return false;
}

/* The key may be two names or one: a value at either will do, but missing it is only at both. */
static struct bits leaf_rows(struct arena *a, const struct columns *c, const struct filter_node *n,
			     struct patterns *patterns)
{
	const bool is_double = filter_path_is_double(&n->path);
	struct filter_path flat = is_double ? filter_path_flat(a, &n->path) : n->path;
	struct bits out = place_rows(a, c, &n->path, n, patterns);
	struct bits nulls;

	if (is_double)
		bits_or(out, place_rows(a, c, &flat, n, patterns));
	if (!asks_for_null(n))
		return out;
	nulls = null_rows(a, c, &n->path);
	if (is_double)
		bits_and(nulls, null_rows(a, c, &flat));
	bits_or(out, nulls);
	return out;
}

static struct bits words_rows(struct arena *a, const struct columns *c, const struct filter_node *n,
			      struct patterns *patterns)
{
	struct bits out = bits_new(a, c->row_count);

	for (size_t i = 0; filter_word_places[i]; i++) {
		struct str name = str_of(filter_word_places[i]);
		const struct filter_path path = { &name, 1 };

		bits_or(out, place_rows(a, c, &path, n, patterns));
	}
	return out;
}

static struct bits group_rows(struct arena *a, const struct columns *c, const struct filter_node *n,
			      struct patterns *patterns)
{
	struct bits out = bits_new(a, c->row_count);

	bits_fill(out, n->op == FILTER_AND);
	for (const struct filter_node *child = n->child; child; child = child->next) {
		struct arena *own = arena_new(4096); /* a filter may have hundreds of conditions */
		struct bits rows = columns_filter(own, c, child, patterns);

		if (n->op == FILTER_AND)
			bits_and(out, rows);
		else
			bits_or(out, rows);
		arena_free(own);
	}
	return out;
}

struct bits columns_filter(struct arena *a, const struct columns *c,
			   const struct filter_node *filter, struct patterns *patterns)
{
	struct bits out;

	switch (filter->op) {
	case FILTER_AND:
	case FILTER_OR:
		return group_rows(a, c, filter, patterns);
	case FILTER_NOT:
		out = columns_filter(a, c, filter->child, patterns);
		bits_not(out);
		return out;
	case FILTER_WORDS:
		return words_rows(a, c, filter, patterns);
	default:
		return leaf_rows(a, c, filter, patterns);
	}
}

struct bits columns_shown(struct arena *a, const struct columns *c, bool sees_private,
			  bool project_public)
{
	struct bits out = bits_new(a, c->row_count);

	for (size_t i = 0; i < c->row_count; i++) {
		uint8_t v = c->shown[i];
		bool shown = v != COLUMNS_GONE && (sees_private || v == VISIBILITY_PUBLIC ||
						   (v == VISIBILITY_INHERIT && project_public));

		out.words[i / 64] |= (uint64_t)shown << i % 64;
	}
	return out;
}
