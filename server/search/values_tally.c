#include "values_tally.h"

#include <string.h>

#include "top.h"

struct values_counted {
	uint64_t last; /* the row + 1 that had it last */
	int64_t runs;
};

enum { WORK_PER_LOOK = 4096 }; /* cells and comparisons between two checks of the clock */

static bool add(struct tally *tally, const struct columns *c, struct bits rows);

struct values_tally *values_tally_new(struct arena *a, const struct search_field_values *ask,
				      int64_t deadline_us)
{
	struct values_tally *t = arena_new_of(a, struct values_tally);

	*t = (struct values_tally){ .tally = { add, deadline_us },
				    .arena = a,
				    .ask = ask,
				    .values = { .arena = a, .limit = VALUES_MAX } };
	return t;
}

/* ---- counting ------------------------------------------------------------------------------------ */

/* One of the two columns of the field. */
struct reading {
	const struct column *column;
	uint32_t *of_text; /* value + 1 by the number of the text */
};

static struct reading reading_of(struct arena *a, const struct column *column)
{
	return (struct reading){ column,
				 column ? arena_new_array(a, uint32_t, column->texts.count + 1)
					: NULL };
}

/* DICTIONARY_NONE: there is no room. */
static uint32_t number_of_value(struct values_tally *t, struct value v)
{
	const size_t known = t->values.count;
	uint32_t number;

	v.text = text_beginning(v.text, SEARCH_VALUE_CHARS);
	number = value_table_add(&t->values, &v);
	t->is_full = t->is_full || number == DICTIONARY_NONE;
	if (number < known || number == DICTIONARY_NONE)
		return number;
	if (v.text.len)
		t->values.values[number].text.at = arena_copy(t->arena, v.text.at, v.text.len);
	if (known == t->room)
		t->counted = arena_grow(t->arena, t->counted, &t->room, sizeof(t->counted[0]));
	t->counted[number] = (struct values_counted){ 0 };
	return number;
}

static uint32_t number_of_cell(struct values_tally *t, const struct reading *r, cell c)
{
	uint32_t *known = cell_tag(c) == CELL_TEXT ? &r->of_text[cell_number(c)] : NULL;
	uint32_t number;

	if (known && *known)
		return *known - 1;
	number = number_of_value(t, value_of_cell(r->column, c));
	if (known && number != DICTIONARY_NONE)
		*known = number + 1;
	return number;
}

static bool is_late(struct values_tally *t)
{
	const uint64_t work = ++t->cells + t->values.steps;

	if (work >= t->look_at) {
		t->look_at = work + WORK_PER_LOOK;
		t->is_late = t->is_late || tally_is_late(&t->tally);
	}
	return t->is_late;
}

static void count_cell(struct values_tally *t, const struct reading *r, cell c, size_t row)
{
	const uint64_t last = t->rows + row + 1;
	uint32_t number;

	if (is_late(t))
		return;
	number = number_of_cell(t, r, c);
	if (number == DICTIONARY_NONE || t->counted[number].last == last)
		return;
	t->counted[number].last = last;
	t->counted[number].runs++;
}

/* False: there is no value. The members of an object are fields of their own. */
static bool count_row(struct values_tally *t, const struct reading *r, bool outside, size_t row)
{
	const cell c = r->column ? column_cell(r->column, row) : cell_of(CELL_MISSING, 0);
	const struct special *s;

	if (cell_tag(c) == CELL_MISSING ||
	    (outside && cell_tag(c) == CELL_TEXT && cell_number(c) + 1 == r->column->texts.empty))
		return false;
	if (cell_tag(c) != CELL_SPECIAL) {
		count_cell(t, r, c, row);
		return true;
	}
	s = &r->column->specials[cell_number(c)];
	for (uint32_t i = 0; s->rank != SEARCH_RANK_OBJECT && i < s->count; i++)
		count_cell(t, r, r->column->items[s->first + i], row);
	return !outside || s->count;
}

static bool add(struct tally *tally, const struct columns *c, struct bits rows)
{
	struct values_tally *t = (struct values_tally *)tally;
	const struct value_columns columns = value_columns_of(t->arena, c, &t->ask->field);
	const struct reading there = reading_of(t->arena, columns.column);
	const struct reading flat = reading_of(t->arena, columns.flat);

	for (size_t row = bits_next(rows, 0); row < rows.rows && !t->is_late;
	     row = bits_next(rows, row + 1)) {
		t->runs += count_row(t, &there, columns.outside, row) ||
			   count_row(t, &flat, columns.outside, row);
	}
	t->rows += rows.rows;
	return !t->is_late;
}

/* ---- the answer ---------------------------------------------------------------------------------- */

/* The most frequent first. */
static int compare_counted(const void *context, uint32_t a, uint32_t b)
{
	const struct values_tally *t = context;
	const int64_t x = t->counted[a].runs;
	const int64_t y = t->counted[b].runs;

	if (x != y)
		return x < y ? 1 : -1;
	return value_compare(&t->values.values[a], &t->values.values[b]);
}

static bool is_matched(struct values_tally *t, const struct value *v)
{
	struct search_value written;

	if (text_match_is_all(t->ask->match))
		return true;
	written = value_write(t->arena, v);
	return text_match_is(t->ask->match,
			     v->rank == SEARCH_RANK_NUMBER ? written.number : written.text);
}

static void note_number(const struct value *v, const struct value **least,
			const struct value **greatest)
{
	if (v->rank != SEARCH_RANK_NUMBER)
		return;
	if (!*least || value_compare(v, *least) < 0)
		*least = v;
	if (!*greatest || value_compare(v, *greatest) > 0)
		*greatest = v;
}

static void write_found(struct values_tally *t, struct top *top,
			struct search_field_values_found *ret_found)
{
	top_sort(top);
	ret_found->count = top->count;
	ret_found->values = arena_new_array(t->arena, struct search_value_runs, top->count + 1);
	for (size_t i = 0; i < top->count; i++)
		ret_found->values[i] = (struct search_value_runs){
			value_write(t->arena, &t->values.values[top->at[i]]),
			t->counted[top->at[i]].runs
		};
}

err_t values_tally_end(struct values_tally *t, struct search_field_values_found *ret_found)
{
	struct search_field_values_found found = { .runs = t->runs };
	struct top top = top_new(t->arena, (size_t)t->ask->limit, compare_counted, t);
	const struct value *least = NULL;
	const struct value *greatest = NULL;

	if (t->is_full)
		return err_field(t->arena, ERR_UNPROCESSABLE, "field",
				 "the field has more than %d different values", VALUES_MAX);
	for (uint32_t i = 0; i < t->values.count; i++) {
		note_number(&t->values.values[i], &least, &greatest);
		if (!is_matched(t, &t->values.values[i]))
			continue;
		found.all++;
		top_add(&top, i);
	}
	found.has_numbers = least;
	if (least) {
		found.least = value_write(t->arena, least).number;
		found.greatest = value_write(t->arena, greatest).number;
	}
	write_found(t, &top, &found);
	*ret_found = found;
	return text_match_error(t->ask->match);
}
