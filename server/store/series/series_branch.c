#include "series_branch.h"

#include <string.h>

#include "arena.h"

/* ---- which runs ---------------------------------------------------------------------------------- */

err_t series_branch_take(struct arena *a, const struct series_row *rows, size_t *count,
			 struct lanes *lanes)
{
	size_t plain = *count;
	size_t found;
	struct branched *runs;
	err_t e = NULL;

	while (plain && rows[plain - 1].part == SERIES_BRANCH)
		plain--;
	found = *count - plain;
	runs = arena_new_array(a, struct branched, found);
	for (size_t i = 0; i < found && !e; i++) {
		runs[i].run_id = rows[plain + i].run_id;
		e = branch_read(a, rows[plain + i].data, &runs[i].view);
	}
	*count = plain;
	lanes->branched = runs;
	lanes->branched_count = found;
	return e;
}

struct series_ask series_branch_ask(struct arena *a, const struct series_ask *ask,
				    const struct branched *run)
{
	int64_t *ids = arena_new_array(a, int64_t, run->view.count);
	struct series_ask asked = *ask;

	asked.run_count = branch_runs(&run->view, ids);
	asked.run_ids = ids;
	asked.branch = SERIES_NO_BRANCH;
	return asked;
}

/* ---- values -------------------------------------------------------------------------------------- */

static bool has(const struct branched *run, int64_t source_id, int32_t writer, int64_t row,
		int64_t step)
{
	const struct branch_row one = { source_id, writer, row, step };

	return branch_has(&run->view, &one);
}

struct cell_values series_branch_values(struct arena *a, const struct branched *run,
					int64_t source_id, int32_t writer,
					const struct cell_values *values)
{
	int64_t *rows = arena_new_array(a, int64_t, values->count);
	int64_t *steps = arena_new_array(a, int64_t, values->count);
	double *numbers = arena_new_array(a, double, values->count);
	uint32_t count = 0;

	for (uint32_t i = 0; i < values->count; i++) {
		if (!has(run, source_id, writer, values->rows[i], values->steps[i]))
			continue;
		rows[count] = values->rows[i];
		steps[count] = values->steps[i];
		numbers[count++] = values->numbers[i];
	}
	return (struct cell_values){ count, rows, steps, numbers };
}

/* ---- cells --------------------------------------------------------------------------------------- */

/* A lane as it is stored, and the branch's part of each of its cells. */
struct cutting {
	const struct lane *from;
	struct cell *cells;
	enum branch_share *shares;
	uint32_t next; /* the first cell that may have the next value */
};

struct cut {
	const struct branched *run;
	const struct lanes *lanes;
	struct cutting *cuttings;
	struct series_range rows; /* of the cells that the branch has a part of */
};

static void cut_lane(struct arena *a, struct cut *c, size_t which)
{
	const struct lane *lane = &c->lanes->at[which];
	struct cutting *to = &c->cuttings[which];

	to->from = lane;
	to->cells = arena_new_array(a, struct cell, lane->cell_count);
	to->shares = arena_new_array(a, enum branch_share, lane->cell_count);
	for (uint32_t i = 0; i < lane->cell_count; i++) {
		const struct cell *cell = &lane->cells[i];
		const struct branch_rows rows = {
			lane->run_id,   lane->writer,   cell->row_first,
			cell->row_last, cell->step_min, cell->step_max,
		};

		to->shares[i] = branch_share(&c->run->view, &rows);
		if (to->shares[i] == BRANCH_ALL)
			to->cells[i] = *cell;
		if (to->shares[i] != BRANCH_SOME)
			continue;
		c->rows.from = cell->row_first < c->rows.from ? cell->row_first : c->rows.from;
		c->rows.to = cell->row_last > c->rows.to ? cell->row_last : c->rows.to;
	}
}

/* Values come in the order of rows, as cells do. */
static void take_values(void *p, const struct lane *lane, const struct cell_values *values)
{
	struct cut *c = p;
	struct cutting *to = &c->cuttings[lane - c->lanes->at];

	for (uint32_t i = 0; i < values->count; i++) {
		int64_t row = values->rows[i];

		while (to->next < lane->cell_count && lane->cells[to->next].row_last < row)
			to->next++;
		if (to->next < lane->cell_count && to->shares[to->next] == BRANCH_SOME &&
		    row >= lane->cells[to->next].row_first &&
		    has(c->run, lane->run_id, lane->writer, row, values->steps[i]))
			cell_add(&to->cells[to->next], row, values->steps[i], values->numbers[i]);
	}
}

static err_t fill_some(struct db *db, struct codec *codec, const struct series_ask *ask,
		       struct cut *c)
{
	const struct lanes_points_ask points = {
		.series = *ask,
		.steps = { INT64_MIN, INT64_MAX },
		.rows = c->rows,
		.keep = LANES_PASSING,
		.take = take_values,
		.p = c,
	};

	return c->rows.from > c->rows.to ? NULL : series_lanes_points(db, codec, &points, c->lanes);
}

/* False: the branch has no values of it. */
static bool finish_lane(struct arena *a, const struct cut *c, size_t which, struct lane *lane)
{
	const struct cutting *cutting = &c->cuttings[which];

	*lane = *cutting->from;
	lane->source_id = lane->run_id;
	lane->run_id = c->run->run_id;
	lane->cells = cutting->cells;
	lane->cell_count = 0;
	for (uint32_t i = 0; i < cutting->from->cell_count; i++) {
		if (cell_count(&cutting->cells[i]))
			lane->cells[lane->cell_count++] = cutting->cells[i];
	}
	lane->tail = series_branch_values(a, c->run, lane->source_id, lane->writer, &lane->tail);
	return lane->cell_count > 0;
}

err_t series_branch_lanes(struct db *db, struct codec *codec, const struct series_ask *ask,
			  const struct branched *run, struct lanes *ret_lanes)
{
	struct arena *a = db_arena(db);
	struct series_ask asked = series_branch_ask(a, ask, run);
	struct lanes lanes;
	struct cut c = { .run = run, .lanes = &lanes, .rows = { INT64_MAX, INT64_MIN } };
	err_t e = series_lanes_read(db, codec, &asked, &lanes);

	if (e)
		return e;
	c.cuttings = arena_new_array(a, struct cutting, lanes.count);
	for (size_t i = 0; i < lanes.count; i++)
		cut_lane(a, &c, i);
	e = fill_some(db, codec, &asked, &c);
	if (e)
		return e;
	*ret_lanes = (struct lanes){ .at = arena_new_array(a, struct lane, lanes.count) };
	for (size_t i = 0; i < lanes.count; i++)
		ret_lanes->count += finish_lane(a, &c, i, &ret_lanes->at[ret_lanes->count]);
	return NULL;
}
