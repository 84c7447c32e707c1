#include "series_chart.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

int series_compare_ids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static bool is_asked(const struct series_ask *ask, int32_t key_id)
{
	return bsearch(&key_id, ask->key_ids, ask->key_count, sizeof(key_id), series_compare_ids);
}

static bool same_curve(const struct lane *a, const struct lane *b, enum series_split split)
{
	return a->run_id == b->run_id && a->key_id == b->key_id &&
	       (split == SERIES_SPLIT_RUN || a->writer == b->writer);
}

static void make_curves(struct chart *c)
{
	const struct lane *lanes = c->lanes.at;

	c->curves = arena_new_array(db_arena(c->db), struct curve, c->lanes.count);
	for (size_t i = 0; i < c->lanes.count; i++) {
		if (!is_asked(&c->ask->series, lanes[i].key_id))
			continue;
		if (!c->count || !same_curve(&lanes[i - 1], &lanes[i], c->ask->split))
			c->curves[c->count++] = (struct curve){ .first = i };
		c->curves[c->count - 1].count++;
	}
}

const struct series_clock *series_chart_clock(const struct chart *c, const struct curve *curve)
{
	return c->is_clocked ? series_clocks_find(&c->clocks, c->lanes.at[curve->first].run_id)
			     : NULL;
}

static const struct series_range *range_of(const struct chart *c, const struct curve *curve)
{
	const struct series_clock *clock = series_chart_clock(c, curve);

	if (!c->is_clocked)
		return &c->ask->range;
	return clock ? &clock->window : &series_nowhere;
}

static bool is_cut(const struct series_range *range, const struct cell *cell)
{
	return cell->step_min < range->from || cell->step_max > range->to;
}

/* The existing positions within the range asked for, and how many values. */
static void measure(struct chart *c, struct curve *curve)
{
	const struct series_range *range = range_of(c, curve);

	curve->rows = curve->there = series_nowhere;
	for (size_t i = curve->first; i < curve->first + curve->count; i++) {
		const struct lane *lane = &c->lanes.at[i];

		for (uint32_t j = 0; j < lane->cell_count; j++) {
			const struct cell *cell = &lane->cells[j];

			if (!cell_count(cell) || cell->step_max < range->from ||
			    cell->step_min > range->to)
				continue;
			curve->points += cell_count(cell);
			curve->cut += is_cut(range, cell);
			series_range_widen(&curve->rows, cell->row_first, cell->row_last);
			series_range_widen(&curve->there, cell->step_min, cell->step_max);
		}
	}
}

static void put_aside(struct chart *c, const struct curve *curve)
{
	struct sampled_aside aside = series_clock_aside(series_chart_clock(c, curve),
							&c->lanes.at[curve->first], curve->count);

	sampled_aside_widen(&c->aside, &aside);
}

/* `there` may reach out of the times in which the run was at any step. */
static void widen_by_steps(struct series_range *grid, const struct series_clock *clock,
			   const struct series_range *there)
{
	series_range_widen(grid, step_clock_step(&clock->steps, there->from),
			   step_clock_step(&clock->steps, there->to));
}

/*
 * One grid for all series: they are compared by eye. It covers the steps that the keys have, or all
 * positions that the axis' own key has in their runs.
 */
static void find_grid(struct chart *c)
{
	const struct series_range *range = &c->ask->range;
	bool by_key = series_position_key(&c->ask->x, c->ask->series.stream) != INT32_MAX;
	int64_t run_id = INT64_MIN;

	c->grid = series_nowhere;
	for (size_t i = 0; i < c->count; i++) {
		const struct curve *curve = &c->curves[i];

		if (!curve->points)
			continue;
		if (c->is_clocked)
			widen_by_steps(&c->grid, series_chart_clock(c, curve), &curve->there);
		else if (!by_key)
			series_range_widen(&c->grid, curve->there.from, curve->there.to);
		else if (c->lanes.at[curve->first].run_id != run_id)
			series_position_extent(&c->positions, c->lanes.at[curve->first].run_id,
					       &c->grid);
		run_id = c->lanes.at[curve->first].run_id;
	}
	if (c->grid.from > c->grid.to)
		return;
	c->grid.from = c->grid.from > range->from ? c->grid.from : range->from;
	c->grid.to = c->grid.to < range->to ? c->grid.to : range->to;
	if (series_position_scale(&c->ask->x) == SAMPLE_WHOLE_LOG && c->grid.from < 1)
		c->grid.from = 1;
}

static err_t read_lanes(struct chart *c)
{
	const struct series_ask *ask = &c->ask->series;
	int32_t also = series_position_key(&c->ask->x, ask->stream);
	struct series_ask asked = *ask;
	int32_t *ids = arena_new_array(db_arena(c->db), int32_t, ask->key_count + 1);

	if (ask->key_count)
		memcpy(ids, ask->key_ids, ask->key_count * sizeof(*ids));
	if (also != INT32_MAX && !is_asked(ask, also)) {
		ids[asked.key_count++] = also;
		qsort(ids, asked.key_count, sizeof(*ids), series_compare_ids);
	}
	asked.key_ids = ids;
	return series_lanes_read(c->db, c->codec, &asked, &c->lanes);
}

static err_t read_clocks(struct chart *c)
{
	const struct sampled_ask *ask = c->ask;

	c->is_clocked = series_clocks_are_needed(&ask->x, ask->series.stream);
	return c->is_clocked ? series_clocks_read(c->db, c->codec, ask, &c->clocks) : NULL;
}

err_t series_chart_look(struct chart *c)
{
	err_t e = NULL;

	if (c->ask->lanes)
		c->lanes = *c->ask->lanes;
	else
		e = read_lanes(c);
	if (!e)
		e = read_clocks(c);
	if (e)
		return e;
	c->positions =
		series_positions_of(db_arena(c->db), &c->ask->x, c->ask->series.stream, &c->lanes);
	make_curves(c);
	for (size_t i = 0; i < c->count; i++) {
		for (size_t j = 0; j < c->curves[i].count; j++)
			c->curves[i].points_only |= !series_position_cells(
				&c->positions, &c->lanes.at[c->curves[i].first + j]);
		measure(c, &c->curves[i]);
		if (c->is_clocked)
			put_aside(c, &c->curves[i]);
	}
	find_grid(c);
	return NULL;
}
