/*
 * Cells decide nearly always: ranks that log the same steps begin with the same. If cells of two
 * writers overlap and do not decide, the rows where they overlap do.
 */
#include "series_steps.h"

#include <stdlib.h>

#include "arena.h"

/* A row, or the begin or end of a cell; or a whole cell. */
struct row_step {
	int64_t row;
	int64_t step;
	int64_t row_last;
	const struct lane *lane;
};

struct row_steps {
	struct arena *arena;
	struct row_step *at;
	size_t count;
	size_t size;
	struct series_range rows; /* only these */
};

static void add(struct row_steps *m, struct row_step one)
{
	if (m->count == m->size)
		m->at = arena_grow(m->arena, m->at, &m->size, sizeof(*m->at));
	m->at[m->count++] = one;
}

static int by_row(const void *a, const void *b)
{
	const struct row_step *x = a;
	const struct row_step *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

static void put_in_order(struct row_steps *m)
{
	if (m->count)
		qsort(m->at, m->count, sizeof(*m->at), by_row);
}

/* Whether a step is not above the one before, for rows in their order. */
static bool goes_back(struct row_steps *m)
{
	put_in_order(m);
	for (size_t i = 1; i < m->count; i++) {
		if (m->at[i].step <= m->at[i - 1].step && m->at[i].row > m->at[i - 1].row)
			return true;
	}
	return false;
}

static bool cells_go_back(struct arena *a, const struct lanes *lanes)
{
	struct row_steps ends = { .arena = a };

	for (size_t i = 0; i < lanes->count; i++) {
		const struct lane *lane = &lanes->at[i];

		for (uint32_t j = 0; j < lane->cell_count; j++) {
			const struct cell *c = &lane->cells[j];

			if (c->step_min < c->step_first || c->step_max > c->step_last)
				return true;
			add(&ends, (struct row_step){ .row = c->row_first, .step = c->step_first });
			add(&ends, (struct row_step){ .row = c->row_last, .step = c->step_last });
		}
	}
	return goes_back(&ends);
}

/* The first rows in which cells of two writers overlap; from > to: none. */
static struct series_range first_overlap(struct arena *a, const struct lanes *lanes)
{
	struct row_steps cells = { .arena = a };
	const struct row_step *last;

	for (size_t i = 0; i < lanes->count; i++) {
		const struct lane *lane = &lanes->at[i];

		for (uint32_t j = 0; j < lane->cell_count; j++)
			add(&cells, (struct row_step){ .row = lane->cells[j].row_first,
						       .row_last = lane->cells[j].row_last,
						       .lane = lane });
	}
	put_in_order(&cells);
	last = cells.at;
	for (size_t i = 1; i < cells.count; i++) {
		const struct row_step *c = &cells.at[i];

		if (c->row < last->row_last && c->lane->writer != last->lane->writer)
			return (struct series_range){ last->row, last->row_last < c->row_last
									 ? c->row_last
									 : last->row_last };
		last = c->row_last > last->row_last ? c : last;
	}
	return (struct series_range){ 1, 0 };
}

static void take_rows(void *p, const struct lane *lane, const struct cell_values *values)
{
	struct row_steps *m = p;

	(void)lane;
	for (uint32_t i = 0; i < values->count; i++) {
		if (values->rows[i] >= m->rows.from && values->rows[i] <= m->rows.to)
			add(m,
			    (struct row_step){ .row = values->rows[i], .step = values->steps[i] });
	}
}

static err_t rows_go_back(struct db *db, struct codec *codec, const struct series_ask *ask,
			  const struct lanes *lanes, bool *ret_back)
{
	struct row_steps rows = { .arena = db_arena(db),
				  .rows = first_overlap(db_arena(db), lanes) };
	struct lanes_points_ask points = {
		.series = *ask,
		.steps = { INT64_MIN, INT64_MAX },
		.rows = rows.rows,
		.keep = LANES_PASSING,
		.take = take_rows,
		.p = &rows,
	};
	err_t e = NULL;

	if (rows.rows.from <= rows.rows.to)
		e = series_lanes_points(db, codec, &points, lanes);
	if (!e)
		*ret_back = goes_back(&rows);
	return e;
}

err_t series_steps_are_sent(struct db *db, struct codec *codec, const struct series_ask *ask,
			    const struct lanes *lanes, bool *ret_sent)
{
	*ret_sent = lanes->count < 2 || cells_go_back(db_arena(db), lanes);
	return *ret_sent ? NULL : rows_go_back(db, codec, ask, lanes, ret_sent);
}
