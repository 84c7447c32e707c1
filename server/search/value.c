#include "value.h"

#include <math.h>
#include <string.h>

#include "buf.h"
#include "json_number.h"

struct str text_beginning(struct str text, size_t chars)
{
	size_t at = 0;

	if (text.len <= chars)
		return text;
	for (; at < text.len; at++) {
		bool is_first = ((unsigned char)text.at[at] & 0xc0) != 0x80;

		if (is_first && !chars--)
			break;
	}
	return (struct str){ text.at, at };
}

/* Texts that differ within so many bytes differ within so many characters. */
static int compare_texts(struct str a, struct str b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = 0;

	if (len)
		order = memcmp(a.at, b.at, len < SEARCH_VALUE_CHARS ? len : SEARCH_VALUE_CHARS);
	if (order || (a.len <= SEARCH_VALUE_CHARS && b.len <= SEARCH_VALUE_CHARS))
		return order ? order : (a.len > b.len) - (a.len < b.len);
	return str_compare(text_beginning(a, SEARCH_VALUE_CHARS),
			   text_beginning(b, SEARCH_VALUE_CHARS));
}

static struct decimal decimal_of(const struct value *v, char text[static 32])
{
	if (v->is_plain)
		return decimal_of_double(v->number, text);
	return (struct decimal){ v->number, false, v->text };
}

static int compare_numbers(const struct value *a, const struct value *b)
{
	char text_a[JSON_NUMBER_TEXT_SIZE];
	char text_b[JSON_NUMBER_TEXT_SIZE];
	struct decimal x;
	struct decimal y;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (a->is_plain && b->is_plain)
		return 0;
	x = decimal_of(a, text_a);
	y = decimal_of(b, text_b);
	return decimal_compare(&x, &y);
}

int value_compare(const struct value *a, const struct value *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->rank == SEARCH_RANK_NUMBER)
		return compare_numbers(a, b);
	return compare_texts(a->text, b->text);
}

int value_order_groups(bool descending, const struct value *a, const struct value *b)
{
	bool a_none = a->rank == SEARCH_RANK_NONE;
	bool b_none = b->rank == SEARCH_RANK_NONE;
	int order;

	if (a_none || b_none)
		return a_none - b_none;
	order = value_compare(a, b);
	return descending ? -order : order;
}

struct value value_ordered(const struct value *v)
{
	struct value number = { .rank = SEARCH_RANK_NUMBER, .is_plain = true, .text = { "", 0 } };

	if (v->rank != SEARCH_RANK_TEXT || v->text.len < strlen("Infinity"))
		return *v;
	number.number = v->text.at[0] == '-' ? -INFINITY : INFINITY;
	return str_is(v->text, "Infinity") || str_is(v->text, "-Infinity") ? number : *v;
}

/* A decimal beyond the range of double is nearest to an infinity, and less than it. */
static int compare_ordered_numbers(const struct value *a, const struct value *b)
{
	if (a->number == b->number && isinf(a->number) && a->is_plain != b->is_plain)
		return a->is_plain == (a->number > 0) ? 1 : -1;
	return compare_numbers(a, b);
}

int value_order(bool descending, const struct value *a, const struct value *b)
{
	const struct value x = value_ordered(a);
	const struct value y = value_ordered(b);
	const bool x_is_number = x.rank == SEARCH_RANK_NUMBER;
	const bool y_is_number = y.rank == SEARCH_RANK_NUMBER;
	int order;

	if (x_is_number != y_is_number)
		return y_is_number - x_is_number;
	if (!x_is_number)
		return value_order_groups(descending, &x, &y);
	order = compare_ordered_numbers(&x, &y);
	return descending ? -order : order;
}

struct value_columns value_columns_of(struct arena *a, const struct columns *c,
				      const struct filter_path *path)
{
	struct value_columns p = { .column = columns_find(c, path), .outside = path->count == 1 };

	if (filter_path_is_double(path)) {
		struct filter_path flat = filter_path_flat(a, path);

		p.flat = columns_find(c, &flat);
	}
	return p;
}

static struct value special_value(const struct column *column, uint32_t number)
{
	const struct special *s = &column->specials[number];

	if (s->rank == SEARCH_RANK_NONE)
		return (struct value){ .rank = SEARCH_RANK_NONE };
	return (struct value){ .rank = s->rank, .text = dictionary_text(&column->texts, s->text) };
}

static struct value decimal_value(const struct column *column, uint32_t number)
{
	struct decimal d = decimal_read(dictionary_text(&column->texts, number));

	return (struct value){ SEARCH_RANK_NUMBER, d.is_plain, d.nearest, d.text };
}

struct value value_of_cell(const struct column *column, cell c)
{
	switch (cell_tag(c)) {
	case CELL_NUMBER:
		return (struct value){ SEARCH_RANK_NUMBER, true, cell_double(c), { "", 0 } };
	case CELL_NULL:
		return (struct value){ .rank = SEARCH_RANK_NULL };
	case CELL_FALSE:
		return (struct value){ .rank = SEARCH_RANK_BOOL, .text = STR("false") };
	case CELL_TRUE:
		return (struct value){ .rank = SEARCH_RANK_BOOL, .text = STR("true") };
	case CELL_TEXT:
		return (struct value){ .rank = SEARCH_RANK_TEXT,
				       .text = dictionary_text(&column->texts, cell_number(c)) };
	case CELL_DECIMAL:
		return decimal_value(column, cell_number(c));
	case CELL_SPECIAL:
		return special_value(column, cell_number(c));
	case CELL_MISSING:
		break;
	}
	return (struct value){ .rank = SEARCH_RANK_NONE };
}

static bool is_empty(const struct value *v)
{
	return (v->rank == SEARCH_RANK_TEXT && !v->text.len) ||
	       (v->rank == SEARCH_RANK_LIST && str_is(v->text, "[]"));
}

struct value value_at(const struct value_columns *p, size_t row)
{
	struct value none = { .rank = SEARCH_RANK_NONE };
	struct value v = none;

	if (p->column)
		v = value_of_cell(p->column, column_cell(p->column, row));
	if (v.rank == SEARCH_RANK_NONE && p->flat)
		v = value_of_cell(p->flat, column_cell(p->flat, row));
	return p->outside && is_empty(&v) ? none : v;
}

struct search_value value_write(struct arena *a, const struct value *value)
{
	struct search_value written = { .rank = value->rank, .number = STR("0") };
	struct buf *number;

	if (value->rank != SEARCH_RANK_NUMBER) {
		written.text = text_beginning(value->text, SEARCH_VALUE_CHARS);
		written.text.at =
			arena_copy(a, written.text.len ? written.text.at : "", written.text.len);
		return written;
	}
	number = buf_new(a);
	decimal_write(number, &(struct decimal){ value->number, value->is_plain, value->text });
	written.number = buf_str(number);
	written.text = STR("");
	return written;
}

struct value value_read(const struct search_value *value)
{
	struct value v = { .rank = value->rank, .text = value->text };

	if (v.rank == SEARCH_RANK_NUMBER) {
		struct decimal d = decimal_read(value->number);

		v = (struct value){ SEARCH_RANK_NUMBER, d.is_plain, d.nearest, d.text };
	}
	return v;
}
