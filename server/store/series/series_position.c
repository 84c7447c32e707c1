#include "series_position.h"

#include <math.h>
#include <stdlib.h>

#include "arena.h"

int32_t series_position_key(const struct series_x *x, enum stream stream)
{
	bool stored = x->axis == SERIES_STEP || (stream == STREAM_EVENTS && x->axis == SERIES_TIME);

	return stored ? INT32_MAX : x->key_id;
}

enum sample_scale series_position_scale(const struct series_x *x)
{
	if (x->axis != SERIES_KEY)
		return x->log ? SAMPLE_WHOLE_LOG : SAMPLE_WHOLE;
	return x->log ? SAMPLE_LOG : SAMPLE_REAL;
}

/* ---- bases ------------------------------------------------------------------------------------- */

static int64_t microseconds(double seconds)
{
	return llround(seconds * 1e6);
}

/* 2000-01-01: a clock before it was never set. */
#define CLOCK_IS_SET (INT64_C(946684800) * 1000000)

enum { ALL_WRITERS = -1 };

/* The earliest time that is not before `from`, as far as cells show; INT64_MAX: there is none. */
static int64_t earliest(const struct lane *lane, int64_t from)
{
	int64_t least = INT64_MAX;

	for (uint32_t i = 0; i < lane->cell_count; i++) {
		int64_t at = lane->cells[i].n ? microseconds(lane->cells[i].min) : INT64_MAX;

		least = at >= from && at < least ? at : least;
	}
	return least;
}

static int64_t latest(const struct lane *lane)
{
	int64_t most = INT64_MIN;

	for (uint32_t i = 0; i < lane->cell_count; i++) {
		int64_t at = lane->cells[i].n ? microseconds(lane->cells[i].max) : INT64_MIN;

		most = at > most ? at : most;
	}
	return most;
}

static bool is_span(const struct series_x *x)
{
	return x->axis == SERIES_RELATIVE || x->axis == SERIES_PROCESS;
}

static int by_owner_of_base(const void *a, const void *b)
{
	const struct position_base *x = a;
	const struct position_base *y = b;

	if (x->run_id != y->run_id)
		return (x->run_id > y->run_id) - (x->run_id < y->run_id);
	return (x->writer > y->writer) - (x->writer < y->writer);
}

static void add_base(struct series_positions *p, struct position_base base)
{
	struct position_base *last = p->base_count ? &p->bases[p->base_count - 1] : NULL;

	if (!last || by_owner_of_base(last, &base) != 0)
		p->bases[p->base_count++] = base;
	else if (base.base < last->base)
		last->base = base.base;
}

/*
 * Adds the lanes of a run's times, [first, end) of all lanes: writers begin together, except those
 * whose clock is not set.
 */
static void add_run(struct series_positions *p, size_t first, size_t end)
{
	const int64_t run_id = p->lanes->at[first].run_id;
	int64_t set = INT64_MAX;

	for (size_t i = first; i < end; i++) {
		int64_t at = p->lanes->at[i].key_id == p->x->key_id
				     ? earliest(&p->lanes->at[i], CLOCK_IS_SET)
				     : INT64_MAX;

		set = at < set ? at : set;
	}
	if (set != INT64_MAX)
		add_base(p, (struct position_base){ run_id, ALL_WRITERS, set });
	for (size_t i = first; i < end; i++) {
		const struct lane *lane = &p->lanes->at[i];

		if (lane->key_id != p->x->key_id)
			continue;
		if (set == INT64_MAX)
			add_base(p, (struct position_base){ run_id, ALL_WRITERS,
							    earliest(lane, INT64_MIN) });
		else if (latest(lane) < CLOCK_IS_SET)
			add_base(p, (struct position_base){ run_id, lane->writer,
							    earliest(lane, INT64_MIN) });
	}
}

static void find_bases(struct series_positions *p)
{
	const struct lanes *lanes = p->lanes;

	p->bases = arena_new_array(p->arena, struct position_base, lanes->count + 1);
	for (size_t i = 0, end; i < lanes->count; i = end) {
		for (end = i + 1;
		     end < lanes->count && lanes->at[end].run_id == lanes->at[i].run_id;)
			end++;
		if (p->x->axis == SERIES_RELATIVE) {
			add_run(p, i, end);
			continue;
		}
		for (size_t k = i; k < end; k++) {
			const struct lane *lane = &lanes->at[k];

			if (lane->key_id == p->x->key_id)
				add_base(p, (struct position_base){ lane->run_id, lane->writer,
								    earliest(lane, INT64_MIN) });
		}
	}
}

struct series_positions series_positions_of(struct arena *a, const struct series_x *x,
					    enum stream stream, const struct lanes *lanes)
{
	struct series_positions p = { .arena = a, .x = x, .stream = stream, .lanes = lanes };

	if (is_span(x))
		find_bases(&p);
	return p;
}

static const struct position_base *find_base(const struct series_positions *p, int64_t run_id,
					     int32_t writer)
{
	const struct position_base wanted = { run_id, writer, 0 };

	if (!p->base_count)
		return NULL;
	return bsearch(&wanted, p->bases, p->base_count, sizeof(wanted), by_owner_of_base);
}

static int64_t base_of(const struct series_positions *p, const struct lane *lane)
{
	const struct position_base *found = find_base(p, lane->run_id, lane->writer);

	if (!found)
		found = find_base(p, lane->run_id, ALL_WRITERS);
	return found ? found->base : 0;
}

/* Never below zero: the base is a double rounded, as the time is, and a clock may have been set after some rows. */
static int64_t since(int64_t base, int64_t us)
{
	return us > base ? us - base : 0;
}

/* The position of the row that has the number `x` of the other key. */
static int64_t position_of(const struct series_positions *p, double x, int64_t base)
{
	if (p->x->axis == SERIES_KEY)
		return isnan(x) ? SAMPLE_NOWHERE : sample_position(x);
	if (!isfinite(x))
		return SAMPLE_NOWHERE;
	return is_span(p->x) ? since(base, microseconds(x)) : microseconds(x);
}

/* ---- cells ------------------------------------------------------------------------------------- */

static void empty(struct cell *c)
{
	c->n = c->nan = c->pinf = c->ninf = 0;
}

/* The first of the cells that ends at the row or after it. */
static uint32_t cell_at(const struct lane *x, int64_t row)
{
	uint32_t low = 0;
	uint32_t high = x->cell_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (x->cells[middle].row_last < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void widen(struct cell *c, int64_t position)
{
	c->step_min = position < c->step_min ? position : c->step_min;
	c->step_max = position > c->step_max ? position : c->step_max;
}

/*
 * Between the least and the greatest value of the other key in all cells
 * that share rows with this one.
 */
static void set_by_rows(const struct series_positions *p, struct cell *c, const struct lane *x,
			int64_t base)
{
	uint32_t first = cell_at(x, c->row_first);

	c->step_min = INT64_MAX;
	c->step_max = INT64_MIN;
	for (uint32_t i = first; i < x->cell_count && x->cells[i].row_first <= c->row_last; i++) {
		if (!x->cells[i].n)
			continue;
		widen(c, position_of(p, x->cells[i].min, base));
		widen(c, position_of(p, x->cells[i].max, base));
	}
	if (c->step_min > c->step_max)
		empty(c);
}

static void shift(struct lane *lane, int64_t base)
{
	for (uint32_t i = 0; i < lane->cell_count; i++) {
		lane->cells[i].step_min = since(base, lane->cells[i].step_min);
		lane->cells[i].step_max = since(base, lane->cells[i].step_max);
	}
}

static bool same_rows(const struct cell *c, const struct cell *other)
{
	return other->n && other->row_first == c->row_first && other->row_last == c->row_last &&
	       cell_count(other) == cell_count(c);
}

/*
 * Every row has its time, so a cell may get its position from its rows; for another
 * key, only if the cells have the same rows.
 */
static bool set_cell_positions(const struct series_positions *p, struct lane *lane,
			       const struct lane *x)
{
	int64_t base = base_of(p, lane);
	bool exact = true;

	for (uint32_t i = 0; i < lane->cell_count; i++) {
		struct cell *c = &lane->cells[i];

		if (i < x->cell_count && same_rows(c, &x->cells[i])) {
			c->step_min = position_of(p, x->cells[i].min, base);
			c->step_max = position_of(p, x->cells[i].max, base);
			exact &= !x->cells[i].nan;
			continue;
		}
		set_by_rows(p, c, x, base);
		exact &= p->x->axis != SERIES_KEY;
	}
	return exact;
}

bool series_position_cells(const struct series_positions *p, struct lane *lane)
{
	int32_t key_id = series_position_key(p->x, p->stream);
	const struct lane *x;

	if (key_id == INT32_MAX && p->x->axis != SERIES_KEY)
		return true;
	if (p->stream == STREAM_EVENTS && is_span(p->x)) {
		shift(lane, base_of(p, lane));
		return true;
	}
	x = series_lanes_find(p->lanes, lane->run_id, key_id, lane->writer);
	if (x)
		return set_cell_positions(p, lane, x);
	for (uint32_t i = 0; i < lane->cell_count; i++)
		empty(&lane->cells[i]);
	return true;
}

/*
 * The least position of a logarithmic axis, which has only those above zero, as far as a cell shows.
 */
static int64_t least_of(const struct series_positions *p, const struct cell *c, int64_t base)
{
	const double told[] = { c->min, c->first, c->last, c->max };
	int64_t least = INT64_MAX;

	if (is_span(p->x) && c->n > 1 && position_of(p, c->min, base) <= 0)
		least = microseconds((c->max - c->min) / (double)c->n);
	least = least > 0 ? least : INT64_MAX;
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		int64_t position = position_of(p, told[i], base);

		least = position > 0 && position < least ? position : least;
	}
	return least;
}

static void extend(struct series_range *range, int64_t position)
{
	range->from = position < range->from ? position : range->from;
	range->to = position > range->to ? position : range->to;
}

static void extend_by_cell(const struct series_positions *p, const struct cell *c, int64_t base,
			   struct series_range *extent)
{
	int64_t least;

	if (!c->n)
		return;
	least = p->x->log ? least_of(p, c, base) : position_of(p, c->min, base);
	if (least == INT64_MAX)
		return;
	extend(extent, least);
	extend(extent, position_of(p, c->max, base));
}

void series_position_extent(const struct series_positions *p, int64_t run_id,
			    struct series_range *extent)
{
	int32_t key_id = series_position_key(p->x, p->stream);

	for (size_t i = 0; i < p->lanes->count; i++) {
		const struct lane *lane = &p->lanes->at[i];
		int64_t base;

		if (lane->run_id != run_id || lane->key_id != key_id)
			continue;
		base = base_of(p, lane);
		for (uint32_t j = 0; j < lane->cell_count; j++)
			extend_by_cell(p, &lane->cells[j], base, extent);
	}
}

/* ---- points ------------------------------------------------------------------------------------- */

struct join {
	const struct series_positions *p;
	struct positioned *points; /* by run, writer, key and order */
	size_t count;
};

static int compare_owner(const struct lane *x, const struct lane *y)
{
	if (x->run_id != y->run_id)
		return (x->run_id > y->run_id) - (x->run_id < y->run_id);
	return (x->writer > y->writer) - (x->writer < y->writer);
}

static int by_owner(const void *a, const void *b)
{
	const struct positioned *x = a;
	const struct positioned *y = b;
	int order = compare_owner(x->lane, y->lane);

	if (order)
		return order;
	if (x->lane->key_id != y->lane->key_id)
		return (x->lane->key_id > y->lane->key_id) - (x->lane->key_id < y->lane->key_id);
	return (x->order > y->order) - (x->order < y->order);
}

static size_t first_of(const struct join *j, const struct lane *owner)
{
	size_t low = 0;
	size_t high = j->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_owner(j->points[middle].lane, owner) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void join_two(struct positioned *y, const struct cell_values *x,
		     const struct series_positions *p, int64_t base)
{
	int64_t *positions = (int64_t *)(uintptr_t)y->values.steps;
	const int64_t *rows = y->values.rows;
	uint32_t i = 0;

	while (i < x->count && y->at < y->values.count) {
		if (x->rows[i] < rows[y->at]) {
			i++;
		} else if (x->rows[i] > rows[y->at]) {
			y->at++;
		} else {
			positions[y->at++] = position_of(p, x->numbers[i], base);
			i++;
		}
	}
}

/* Numbers of the other key, those of a writer in order. */
static void meet(void *context, const struct lane *lane, const struct cell_values *x)
{
	struct join *j = context;
	int64_t base = base_of(j->p, lane);
	int64_t first = x->rows[0];
	int64_t last = x->rows[x->count - 1];

	for (size_t i = first_of(j, lane); i < j->count; i++) {
		struct positioned *y = &j->points[i];

		if (compare_owner(y->lane, lane) != 0)
			return;
		if (y->at < y->values.count && y->values.rows[y->at] <= last &&
		    y->values.rows[y->values.count - 1] >= first)
			join_two(y, x, j->p, base);
	}
}

/* Turns the steps, which belong to lanes and chunks, into a copy with positions. */
static void copy_steps(const struct series_positions *p, struct arena *a, struct positioned *y,
		       bool is_shift)
{
	int64_t *positions = arena_alloc(a, (y->values.count + (size_t)1) * sizeof(*positions));
	int64_t base = base_of(p, y->lane);

	for (uint32_t i = 0; i < y->values.count; i++)
		positions[i] = is_shift ? since(base, y->values.steps[i]) : SAMPLE_NOWHERE;
	y->values.steps = positions;
}

err_t series_position_points(struct db *db, struct codec *codec, const struct series_positions *p,
			     const struct series_ask *ask, struct series_range rows,
			     struct positioned *points, size_t count)
{
	struct join j = { p, points, count };
	int32_t key_id = series_position_key(p->x, p->stream);
	bool is_shift = p->stream == STREAM_EVENTS && is_span(p->x);
	struct lanes_points_ask asked = {
		.series = *ask,
		.steps = { INT64_MIN, INT64_MAX },
		.rows = rows,
		.keep = LANES_PASSING,
		.take = meet,
		.p = &j,
	};

	if (key_id == INT32_MAX && p->x->axis != SERIES_KEY)
		return NULL;
	for (size_t i = 0; i < count; i++)
		copy_steps(p, db_arena(db), &points[i], is_shift);
	if (is_shift || key_id == INT32_MAX || !count)
		return NULL;
	qsort(points, count, sizeof(points[0]), by_owner);
	asked.series.key_ids = &key_id;
	asked.series.key_count = 1;
	return series_lanes_points(db, codec, &asked, p->lanes);
}
