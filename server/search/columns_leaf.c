/*
 * Evaluates one condition on one column. The rules are those of filter_jsonpath.c: a value of
 * another type does not match, and one of several values is enough. A text or a list is judged
 * once, however many runs have it.
 */
#include "columns_leaf.h"

#include <string.h>

#include "cells_compare.h"
#include "decimal.h"

/* A condition on one column. */
struct leaf {
	const struct filter_node *node;
	const struct column *column;
	struct match_results *results;
	bool outside; /* of config and summary: an empty text is missing */

	enum leaf_kind { LEAF_SET, LEAF_NUMBER, LEAF_TEXT, LEAF_THERE } kind;
	bool has_false, has_true, has_null; /* of LEAF_SET */
	struct decimal *numbers;            /* of LEAF_SET any, of LEAF_NUMBER one */
	size_t number_count;
	uint8_t *
		texts; /* enum match_result by number; of an expression, those that are found without the lock */
	uint8_t *specials; /* likewise */
};

/* ---- texts and numbers --------------------------------------------------------------------------- */

bool leaf_is_pattern(const struct filter_node *n)
{
	return n->op == FILTER_REGEX || n->op == FILTER_WORDS;
}

static bool text_matches(struct leaf *l, struct str text)
{
	const struct filter_node *n = l->node;
	struct str value = n->values[0].text;

	if (l->outside && !text.len)
		return false;
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
	default:
		return false;
	}
}

static bool known_text_matches(struct leaf *l, uint32_t number)
{
	struct str text = dictionary_text(&l->column->texts, number);
	uint8_t *known = &l->texts[number];

	if (*known == MATCH_UNKNOWN && leaf_is_pattern(l->node))
		match_results_ask(l->results, known, l->node->pattern, text);
	else if (*known == MATCH_UNKNOWN)
		*known = text_matches(l, text) ? MATCH_YES : MATCH_NO;
	return *known == MATCH_YES;
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

/* For a single value. */
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

	if (*known == MATCH_UNKNOWN)
		*known = special_matches(l, number) ? MATCH_YES : MATCH_NO;
	return *known == MATCH_YES;
}

static inline bool cell_matches(struct leaf *l, cell c)
{
	switch (cell_tag(c)) {
	case CELL_MISSING:
		return false;
	case CELL_SPECIAL:
		return known_special_matches(l, cell_number(c));
	default:
		return single_matches(l, c);
	}
}

/* ---- rows ---------------------------------------------------------------------------------------- */

/* Checks each row in `asked` that is left. */
static uint64_t look_at_others(struct leaf *l, const cell *cells, struct holding h, uint64_t asked)
{
	for (uint64_t left = h.others & asked; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		h.holds |= (uint64_t)cell_matches(l, cells[i]) << i;
	}
	return h.holds & asked;
}

enum { FEW = 16 }; /* rows of 64 that are better checked one by one */

/* Texts with known results, and cells without a value. */
static struct holding compare_texts(const struct leaf *l, const cell *cells)
{
	const cell text = cell_of(CELL_TEXT, 0) >> 32;
	struct holding h = { 0, 0 };
	uint64_t known = 0;

	for (unsigned i = 0; i < 64; i++) {
		cell c = cells[i];
		uint64_t result = c == cell_of(CELL_MISSING, 0) ? MATCH_NO : MATCH_UNKNOWN;

		if (c >> 32 == text)
			result = l->texts[cell_number(c)];
		known |= (result & 1) << i;
		h.holds |= (result >> 1) << i;
	}
	h.others = ~known;
	return h;
}

static uint64_t general_word(struct leaf *l, const cell *cells, uint64_t asked)
{
	struct holding h = { 0, UINT64_MAX };

	if (l->texts && __builtin_popcountll(asked) > FEW)
		h = compare_texts(l, cells);
	return look_at_others(l, cells, h, asked);
}

/*
 * If the bound is plain, doubles are compared without a branch; a tagged
 * cell is NaN and never holds.
 */
static uint64_t range_word(struct leaf *l, const cell *cells, uint64_t asked)
{
	const enum filter_op op = l->node->op;
	struct holding h = cells_compare(cells, l->numbers[0].nearest,
					 op == FILTER_LT || op == FILTER_LTE,
					 op == FILTER_LTE || op == FILTER_GTE);

	return look_at_others(l, cells, h, asked);
}

static void match_rows(struct leaf *l, struct bits asked, struct bits out)
{
	const bool is_range = l->kind == LEAF_NUMBER && l->numbers[0].is_plain;

	for (size_t i = 0; i < out.words_count && !match_results_are_short(l->results); i++) {
		const cell *cells = column_cells(l->column, i * 64);

		column_announce(l->column, i * 64 + COLUMN_AHEAD);
		if (!cells || !asked.words[i])
			continue;
		if (is_range)
			out.words[i] |= range_word(l, cells, asked.words[i]);
		else
			out.words[i] |= general_word(l, cells, asked.words[i]);
	}
}

/* ---- leaves -------------------------------------------------------------------------------------- */

static void take_value(struct leaf *l, const struct filter_value *value)
{
	uint32_t number;

	switch (value->kind) {
	case FILTER_NULL: /* a missing value is null, too: see null_leaf() */
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
			l->texts[number] = MATCH_YES;
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

/* In a set only the named texts match; for all others the result is no from the start. */
static struct leaf leaf_of(struct arena *a, const struct column *column,
			   const struct filter_node *n, struct match_results *results)
{
	struct leaf l = {
		.node = n,
		.column = column,
		.results = results,
		.outside = n->path.count == 1,
		.kind = kind_of(n),
	};

	l.specials = arena_zalloc(a, column->special_count + 1, 1);
	if (leaf_is_pattern(n))
		l.texts = match_results_of(results, column, n->pattern);
	else if (l.kind == LEAF_SET || l.kind == LEAF_TEXT)
		l.texts = arena_zalloc(a, column->texts.count + 1, 1);
	if (l.kind == LEAF_SET)
		memset(l.texts, MATCH_NO, column->texts.count);
	if (l.kind == LEAF_SET || l.kind == LEAF_NUMBER)
		l.numbers = arena_new_array(a, struct decimal, n->value_count + 1);
	for (size_t i = 0; i < n->value_count && l.numbers; i++)
		take_value(&l, &n->values[i]);
	return l;
}

void leaf_rows(struct arena *a, const struct column *column, const struct filter_node *n,
	       struct match_results *results, struct bits asked, struct bits out)
{
	struct leaf l = leaf_of(a, column, n, results);

	match_rows(&l, asked, out);
}

void leaf_null_rows(struct arena *a, const struct column *column, struct match_results *results,
		    struct bits asked, struct bits out)
{
	const struct filter_node none = { .op = FILTER_IN };
	struct leaf l = leaf_of(a, column, &none, results);

	l.has_null = true;
	match_rows(&l, asked, out);
}

bool leaf_is_of_set(const struct filter_node *n)
{
	return kind_of(n) == LEAF_SET;
}
