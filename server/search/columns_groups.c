/*
 * Groups of rows, with the same results as search.sql, in the same order. First all rows find their
 * groups; then the statistics are made, a key at a time, only for the groups of the page: in all
 * there may be as many as there are runs.
 */
#include "columns_groups.h"

#include <math.h>

#include "top.h"
#include "value_table.h"

struct group {
	struct value value;
	int64_t runs;
	uint32_t index; /* on the page, from 1; 0: it is on another */
};

struct grouping {
	struct arena *arena;
	const struct columns *columns;
	const struct search_groups *ask;
	struct bits rows;
	struct value_columns key;
	struct group *groups;
	size_t count;
	size_t room;
	struct value_table values; /* of the groups, by their number */
	uint32_t *of_row;          /* the number of its group */
	/* The group + 1 of a text of the key's two columns, by its number. */
	uint32_t *of_text;
	uint32_t *of_flat_text;
};

/* ---- which row is in which ----------------------------------------------------------------------- */

static uint32_t group_of_value(struct grouping *g, const struct value *v)
{
	uint32_t number = value_table_add(&g->values, v);

	if (number == g->count) {
		if (g->count == g->room)
			g->groups = arena_grow(g->arena, g->groups, &g->room, sizeof(g->groups[0]));
		g->groups[g->count++] = (struct group){ .value = *v };
	}
	return number;
}

/* By the number of its text, if it has one: most keys have few different texts. */
static uint32_t group_of_row(struct grouping *g, size_t row)
{
	const struct column *column = g->key.column;
	uint32_t *known = g->of_text;
	cell c = column ? column_cell(column, row) : cell_of(CELL_MISSING, 0);
	uint32_t number;
	struct value v;

	if (cell_tag(c) == CELL_MISSING && g->key.flat) {
		known = g->of_flat_text;
		c = column_cell(g->key.flat, row);
	}
	if (cell_tag(c) == CELL_TEXT && known[cell_number(c)])
		return known[cell_number(c)] - 1;
	v = value_at(&g->key, row);
	number = group_of_value(g, &v);
	if (cell_tag(c) == CELL_TEXT)
		known[cell_number(c)] = number + 1;
	return number;
}

static void group_rows(struct grouping *g)
{
	for (size_t row = bits_next(g->rows, 0); row < g->rows.rows;
	     row = bits_next(g->rows, row + 1)) {
		g->of_row[row] = group_of_row(g, row);
		g->groups[g->of_row[row]].runs++;
	}
}

/* ---- statistics ---------------------------------------------------------------------------------- */

#define SQUARES_MOST 1e140 /* a double cannot hold the square of more */

struct sums {
	int64_t count;
	double least;
	double greatest;
	double sum;
	double squares; /* of the distances from the mean */
	bool is_beyond; /* some number has no square */
};

/* As in PostgreSQL: by Youngs and Cramer, so that no precision is lost with close numbers. */
static void add_square(struct sums *s, double number)
{
	const double n = (double)s->count;
	double distance;

	s->is_beyond = s->is_beyond || fabs(number) > SQUARES_MOST;
	if (s->is_beyond || s->count < 2)
		return;
	distance = number * n - s->sum;
	s->squares += distance * distance / (n * (n - 1));
}

static void add_number(struct sums *s, double number)
{
	if (!s->count || number < s->least)
		s->least = number;
	if (!s->count || number > s->greatest)
		s->greatest = number;
	s->count++;
	s->sum += number;
	add_square(s, number);
}

/*
 * As in search.sql: a number that a double cannot hold is left out, or 0.
 * False: it is not a number.
 */
static bool number_at(const struct value_columns *of, size_t row, double *ret_number)
{
	const struct value v = value_at(of, row);

	if (v.rank != SEARCH_RANK_NUMBER || v.number > 1e300 || v.number < -1e300)
		return false;
	*ret_number = v.number > -1e-300 && v.number < 1e-300 ? 0 : v.number;
	return true;
}

static struct search_numbers numbers_of(const struct sums *s)
{
	const double n = (double)s->count;
	const bool deviates = s->count > 1 && !s->is_beyond;

	if (!s->count)
		return (struct search_numbers){ .deviation = -1 };
	return (struct search_numbers){ s->count, s->least, s->greatest, s->sum / n,
					deviates ? sqrt(s->squares / (n - 1)) : -1 };
}

/* For one key, for all groups of the page. */
static void add_statistics(const struct grouping *g, size_t key, struct search_groups_found *found)
{
	const struct value_columns of = value_columns_of(g->arena, g->columns, &g->ask->of[key]);
	struct sums *sums = arena_new_array(g->arena, struct sums, found->count + 1);
	double number;

	for (size_t row = bits_next(g->rows, 0); row < g->rows.rows;
	     row = bits_next(g->rows, row + 1)) {
		const uint32_t index = g->groups[g->of_row[row]].index;

		if (index && number_at(&of, row, &number))
			add_number(&sums[index - 1], number);
	}
	for (size_t i = 0; i < found->count; i++)
		found->groups[i].numbers[key] = numbers_of(&sums[i]);
}

/* ---- the page ------------------------------------------------------------------------------------ */

static int compare_groups_with(const struct search_groups *ask, const struct group *a,
			       const struct group *b)
{
	int order = 0;

	if (ask->by_count)
		order = (a->runs > b->runs) - (a->runs < b->runs);
	if (order)
		return ask->descending ? -order : order;
	return value_order_groups(ask->descending, &a->value, &b->value);
}

static int compare_groups(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;

	return compare_groups_with(g->ask, &g->groups[a], &g->groups[b]);
}

static struct top page_of(const struct grouping *g)
{
	const struct group cursor = { .value = value_read(&g->ask->cursor),
				      .runs = g->ask->cursor_runs };
	struct top top = top_new(g->arena, (size_t)g->ask->limit, compare_groups, g);

	for (size_t i = 0; i < g->count; i++) {
		if (!g->ask->has_cursor || compare_groups_with(g->ask, &g->groups[i], &cursor) > 0)
			top_add(&top, (uint32_t)i);
	}
	top_sort(&top);
	return top;
}

static void write_page(struct grouping *g, struct search_groups_found *ret_found)
{
	const struct top top = page_of(g);
	struct search_group *groups = arena_new_array(g->arena, struct search_group, top.count + 1);

	for (size_t i = 0; i < top.count; i++) {
		struct group *group = &g->groups[top.at[i]];

		group->index = (uint32_t)i + 1;
		groups[i] = (struct search_group){
			.value = value_write(g->arena, &group->value),
			.runs = group->runs,
			.numbers = arena_new_array(g->arena, struct search_numbers,
						   g->ask->of_count + 1),
		};
	}
	ret_found->groups = groups;
	ret_found->count = top.count;
}

static uint32_t *by_text(struct arena *a, const struct column *column)
{
	return column ? arena_new_array(a, uint32_t, column->texts.count + 1) : NULL;
}

void columns_groups(struct arena *a, const struct columns *c, struct bits rows,
		    const struct search_groups *ask, struct search_groups_found *ret_found)
{
	struct grouping g = { .arena = a,
			      .columns = c,
			      .ask = ask,
			      .rows = rows,
			      .key = value_columns_of(a, c, &ask->key),
			      .values = { .arena = a },
			      .of_row = arena_new_array(a, uint32_t, rows.rows + 1) };

	g.of_text = by_text(a, g.key.column);
	g.of_flat_text = by_text(a, g.key.flat);
	group_rows(&g);
	write_page(&g, ret_found);
	for (size_t i = 0; i < ask->of_count && ret_found->count; i++)
		add_statistics(&g, i, ret_found);
	ret_found->all_groups = ret_found->count ? (int64_t)g.count : 0;
	ret_found->all_runs = ret_found->count ? (int64_t)bits_count(rows) : 0;
}
