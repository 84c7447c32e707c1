#include "series_sampled.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arena.h"
#include "bucket.h"
#include "series_chart.h"

#define POSITIONS_PER_SECOND 1e6 /* of an axis of time */

/* ---- points ------------------------------------------------------------------------------------- */

/* Points in memory at the same time, unless one series has more. */
enum { SLICE_POINTS = 4 << 20 };

struct slice {
	struct chart *chart;
	size_t first; /* curves */
	size_t end;
	struct positioned *pieces;
	size_t count;
	size_t size;
};

/*
 * On a logarithmic axis only the first cell may span half of the buckets, and over steps any cell.
 */
static bool wants_cells(const struct chart *c, const struct curve *curve)
{
	bool is_uneven = c->is_clocked || series_position_scale(&c->ask->x) == SAMPLE_WHOLE_LOG;
	bool is_few = curve->points <= SLICE_POINTS;

	if (is_uneven && is_few)
		return false;
	return sample_wants_cells(curve->points, c->ask->buckets, is_few ? curve->cut : 0);
}

static bool needs_points(const struct chart *c, const struct curve *curve)
{
	return curve->sample && (curve->points_only || !wants_cells(c, curve));
}

static int by_first_lane(const void *number, const void *curve)
{
	size_t x = *(const size_t *)number;
	const struct curve *c = curve;

	return x < c->first ? -1 : x >= c->first + c->count;
}

/* NULL: no series of the slice that is made of points. */
static struct curve *curve_of(const struct slice *s, const struct lane *lane)
{
	size_t number = (size_t)(lane - s->chart->lanes.at);
	struct curve *curve = bsearch(&number, s->chart->curves + s->first, s->end - s->first,
				      sizeof(*curve), by_first_lane);

	return curve && needs_points(s->chart, curve) ? curve : NULL;
}

static void keep_piece(void *p, const struct lane *lane, const struct cell_values *values)
{
	struct slice *s = p;

	if (!curve_of(s, lane))
		return;
	if (s->count == s->size)
		s->pieces =
			arena_grow(db_arena(s->chart->db), s->pieces, &s->size, sizeof(*s->pieces));
	s->pieces[s->count] =
		(struct positioned){ .lane = lane, .order = s->count, .values = *values };
	s->count++;
}

static int by_lane(const void *a, const void *b)
{
	const struct positioned *x = a;
	const struct positioned *y = b;

	if (x->lane != y->lane)
		return (x->lane > y->lane) - (x->lane < y->lane);
	return (x->order > y->order) - (x->order < y->order);
}

static int64_t run_of(const struct chart *c, size_t curve)
{
	return c->lanes.at[c->curves[curve].first].run_id;
}

/* Whole runs, as many as fit; if a run does not, as many of its keys as do; at least one curve. */
static size_t slice_end(const struct chart *c, size_t first)
{
	uint64_t points = 0;
	size_t whole = first;

	for (size_t i = first; i < c->count; i++) {
		if (i > first && run_of(c, i) != run_of(c, i - 1))
			whole = i;
		points += needs_points(c, &c->curves[i]) ? c->curves[i].points : 0;
		if (points > SLICE_POINTS && i > first)
			return whole > first ? whole : i;
	}
	return c->count;
}

/* The runs, keys and rows of the slice; false when it needs no points. */
static bool ask_slice(const struct slice *s, struct series_ask *ask, struct series_range *rows)
{
	const struct chart *c = s->chart;
	struct arena *a = db_arena(c->db);
	int64_t *runs = arena_new_array(a, int64_t, s->end - s->first);
	int32_t *keys = arena_new_array(a, int32_t, s->end - s->first);
	size_t kept = 0;

	*ask = c->ask->series;
	ask->run_count = ask->key_count = 0;
	*rows = series_nowhere;
	for (size_t i = s->first; i < s->end; i++) {
		if (!needs_points(c, &c->curves[i]))
			continue;
		if (!ask->run_count || runs[ask->run_count - 1] != run_of(c, i))
			runs[ask->run_count++] = run_of(c, i);
		keys[ask->key_count++] = c->lanes.at[c->curves[i].first].key_id;
		series_range_widen(rows, c->curves[i].rows.from, c->curves[i].rows.to);
	}
	qsort(keys, ask->key_count, sizeof(*keys), series_compare_ids);
	for (size_t i = 0; i < ask->key_count; i++) {
		if (!kept || keys[kept - 1] != keys[i])
			keys[kept++] = keys[i];
	}
	ask->key_count = kept;
	ask->run_ids = runs;
	ask->key_ids = keys;
	return kept > 0;
}

static err_t fill_slice(struct slice *s)
{
	struct chart *c = s->chart;
	bool by_steps = series_position_key(&c->ask->x, c->ask->series.stream) == INT32_MAX;
	struct lanes_points_ask ask = {
		.steps = { INT64_MIN, INT64_MAX },
		.keep = LANES_STAYING,
		.take = keep_piece,
		.p = s,
	};
	err_t e;

	if (!ask_slice(s, &ask.series, &ask.rows))
		return NULL;
	if (by_steps)
		ask.steps = c->is_clocked ? series_clocks_window(&c->clocks) : c->ask->range;
	e = series_lanes_points(c->db, c->codec, &ask, &c->lanes);
	if (!e)
		e = series_position_points(c->db, c->codec, &c->positions, &ask.series, ask.rows,
					   s->pieces, s->count);
	if (e)
		return e;
	if (s->count)
		qsort(s->pieces, s->count, sizeof(s->pieces[0]), by_lane);
	for (size_t i = 0; i < s->count; i++)
		sample_add_points(curve_of(s, s->pieces[i].lane)->sample, &s->pieces[i].values);
	return NULL;
}

static void free_scratch(void *p)
{
	arena_free(p);
}

/* Slice by slice, each in memory that the next one reuses. */
static err_t fill_in_slices(struct chart *c)
{
	struct arena *home = db_arena(c->db);
	struct arena *scratch = arena_new_beside(home, 64 << 10);
	size_t at = 0;
	err_t e = NULL;

	arena_defer(home, free_scratch, scratch); /* an error lives in it */
	db_set_arena(c->db, scratch);
	while (at < c->count && !e) {
		struct slice s = { .chart = c, .first = at, .end = slice_end(c, at) };

		e = fill_slice(&s);
		at = s.end;
		if (!e)
			arena_reset(scratch);
	}
	db_set_arena(c->db, home);
	return e;
}

/* ---- both --------------------------------------------------------------------------------------- */

/* The size of the answer is bounded before any of it is made. */
static err_t check_size(const struct chart *c)
{
	size_t series = 0;

	for (size_t i = 0; i < c->count; i++) {
		series += c->curves[i].points > 0 || c->ask->empty_too;
		if (c->curves[i].points_only && c->curves[i].points > SLICE_POINTS)
			return err_field(
				db_arena(c->db), ERR_UNPROCESSABLE, "x",
				"more than %d values of a key would need an x that is not in all "
				"of its rows: request a range",
				SLICE_POINTS);
	}
	if (series <= SAMPLED_BUCKETS_MAX / c->ask->buckets)
		return NULL;
	return err_field(db_arena(c->db), ERR_UNPROCESSABLE, "buckets",
			 "%zu series of %" PRIu32 " buckets exceed the limit of %d buckets", series,
			 c->ask->buckets, SAMPLED_BUCKETS_MAX);
}

/*
 * Curves of a run are next to each other and have the same shape, which is of the run `edges_of`.
 */
static void shape_for(struct chart *c, const struct curve *curve, struct sample_shape *shape,
		      int64_t *edges_of)
{
	const int64_t run_id = c->lanes.at[curve->first].run_id;

	if (!c->is_clocked || (shape->edges && *edges_of == run_id))
		return;
	shape->scale = series_position_scale(&c->ask->x);
	shape->edges = series_clock_edges(db_arena(c->db), series_chart_clock(c, curve), shape);
	shape->scale = SAMPLE_EDGES;
	c->times = c->clocks.count == 1 ? shape->edges : NULL;
	*edges_of = run_id;
}

static err_t fill(struct chart *c)
{
	struct sample_shape shape = {
		.step_first = c->grid.from,
		.step_last = c->grid.to,
		.buckets = c->ask->buckets,
		.scale = series_position_scale(&c->ask->x),
	};
	int64_t edges_of = 0;
	bool points = false;

	for (size_t i = 0; i < c->count; i++) {
		struct curve *curve = &c->curves[i];

		if (!curve->points)
			continue;
		shape.points = curve->points;
		shape_for(c, curve, &shape, &edges_of);
		curve->sample = sample_new(db_arena(c->db), &shape);
		if (needs_points(c, curve)) {
			points = true;
			continue;
		}
		for (size_t j = curve->first; j < curve->first + curve->count; j++)
			sample_add_cells(curve->sample, c->lanes.at[j].cells,
					 c->lanes.at[j].cell_count);
	}
	return points ? fill_in_slices(c) : NULL;
}

/* Rates need times, so steps come last. */
static void take_buckets(const struct chart *c, const struct curve *curve, struct sampled *s)
{
	s->count = sample_finish(curve->sample, &s->buckets);
	if (c->ask->is_rate)
		s->count = bucket_rates(s->buckets, s->count, POSITIONS_PER_SECOND);
	if (c->is_clocked)
		series_clock_to_steps(series_chart_clock(c, curve), s->buckets, s->count);
}

static void finish(const struct chart *c, struct sampled_answer *answer)
{
	answer->series = arena_new_array(db_arena(c->db), struct sampled, c->count);
	for (size_t i = 0; i < c->count; i++) {
		const struct lane *lane = &c->lanes.at[c->curves[i].first];
		struct sampled *s = &answer->series[answer->count];

		if (!c->curves[i].sample && !c->ask->empty_too)
			continue;
		*s = (struct sampled){
			.run_id = lane->run_id,
			.key_id = lane->key_id,
			.writer = c->ask->split == SERIES_SPLIT_WRITER ? lane->writer : -1,
		};
		if (c->curves[i].sample)
			take_buckets(c, &c->curves[i], s);
		answer->count++;
	}
}

err_t series_sampled(struct db *db, struct codec *codec, const struct sampled_ask *ask,
		     struct sampled_answer *ret_answer)
{
	struct chart c = { .db = db, .codec = codec, .ask = ask };
	err_t e = series_chart_look(&c);

	if (!e)
		e = check_size(&c);
	if (e)
		return e;
	if (ask->grid)
		c.grid = *ask->grid;
	*ret_answer = (struct sampled_answer){ .grid = c.grid, .aside = c.aside };
	if (c.grid.from <= c.grid.to)
		e = fill(&c);
	ret_answer->times = c.times;
	if (!e)
		finish(&c, ret_answer);
	return e;
}

err_t series_sampled_grid(struct db *db, struct codec *codec, const struct sampled_ask *ask,
			  struct sampled_answer *ret_answer)
{
	struct chart c = { .db = db, .codec = codec, .ask = ask };
	err_t e = series_chart_look(&c);

	if (!e)
		*ret_answer = (struct sampled_answer){ .grid = c.grid, .aside = c.aside };
	return e;
}
