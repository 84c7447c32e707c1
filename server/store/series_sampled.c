#include "series_sampled.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arena.h"

/* Lanes that make one series: lanes[first] to lanes[first + count - 1]. */
struct curve {
	size_t first;
	size_t count;
	struct series_range rows;  /* where values of the range lie */
	struct series_range there; /* the places of the axis within the range */
	uint64_t points;           /* in the range */
	bool points_only;          /* its cells hold what has no place */
	struct sample *sample;
};

struct chart {
	struct db *db;
	struct codec *codec;
	const struct sampled_ask *ask;
	struct lanes lanes; /* of the keys asked for and, perhaps, of the axis */
	struct series_places places;
	struct curve *curves;
	size_t count;
	struct series_range grid;
};

/* ---- what there is ------------------------------------------------------------------------------ */

static int compare_ids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static bool is_asked(const struct series_ask *ask, int32_t key_id)
{
	return bsearch(&key_id, ask->key_ids, ask->key_count, sizeof(key_id), compare_ids);
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

static void widen(struct series_range *range, int64_t from, int64_t to)
{
	range->from = from < range->from ? from : range->from;
	range->to = to > range->to ? to : range->to;
}

static const struct series_range nothing = { INT64_MAX, INT64_MIN };

/* The places that are there within the range asked for, and how many values. */
static void measure(struct chart *c, struct curve *curve)
{
	const struct series_range *range = &c->ask->range;

	curve->rows = curve->there = nothing;
	for (size_t i = curve->first; i < curve->first + curve->count; i++) {
		const struct lane *lane = &c->lanes.at[i];

		for (uint32_t j = 0; j < lane->cell_count; j++) {
			const struct cell *cell = &lane->cells[j];

			if (!cell_count(cell) || cell->step_max < range->from ||
			    cell->step_min > range->to)
				continue;
			curve->points += cell_count(cell);
			widen(&curve->rows, cell->row_first, cell->row_last);
			widen(&curve->there, cell->step_min, cell->step_max);
		}
	}
}

/*
 * One grid for all series: they are compared by eye. Of the steps that the keys have, or of all places
 * that the axis' own key has in their runs.
 */
static void find_grid(struct chart *c)
{
	const struct series_range *range = &c->ask->range;
	bool by_key = series_place_key(&c->ask->x, c->ask->series.stream) != INT32_MAX;
	int64_t run_id = INT64_MIN;

	c->grid = nothing;
	for (size_t i = 0; i < c->count; i++) {
		const struct curve *curve = &c->curves[i];

		if (!curve->points)
			continue;
		if (!by_key)
			widen(&c->grid, curve->there.from, curve->there.to);
		else if (c->lanes.at[curve->first].run_id != run_id)
			series_place_extent(&c->places, c->lanes.at[curve->first].run_id, &c->grid);
		run_id = c->lanes.at[curve->first].run_id;
	}
	if (c->grid.from > c->grid.to)
		return;
	c->grid.from = c->grid.from > range->from ? c->grid.from : range->from;
	c->grid.to = c->grid.to < range->to ? c->grid.to : range->to;
	if (series_place_scale(&c->ask->x) == SAMPLE_WHOLE_LOG && c->grid.from < 1)
		c->grid.from = 1;
}

static err_t read_lanes(struct chart *c)
{
	const struct series_ask *ask = &c->ask->series;
	int32_t also = series_place_key(&c->ask->x, ask->stream);
	struct series_ask asked = *ask;
	int32_t *ids = arena_new_array(db_arena(c->db), int32_t, ask->key_count + 1);

	if (ask->key_count)
		memcpy(ids, ask->key_ids, ask->key_count * sizeof(*ids));
	if (also != INT32_MAX && !is_asked(ask, also)) {
		ids[asked.key_count++] = also;
		qsort(ids, asked.key_count, sizeof(*ids), compare_ids);
	}
	asked.key_ids = ids;
	return series_lanes_read(c->db, c->codec, &asked, &c->lanes);
}

static err_t look(struct chart *c)
{
	err_t e = NULL;

	if (c->ask->lanes)
		c->lanes = *c->ask->lanes;
	else
		e = read_lanes(c);
	if (e)
		return e;
	c->places = series_places_of(db_arena(c->db), &c->ask->x, c->ask->series.stream, &c->lanes);
	make_curves(c);
	for (size_t i = 0; i < c->count; i++) {
		for (size_t j = 0; j < c->curves[i].count; j++)
			c->curves[i].points_only |= !series_place_cells(
				&c->places, &c->lanes.at[c->curves[i].first + j]);
		measure(c, &c->curves[i]);
	}
	find_grid(c);
	return NULL;
}

/* ---- points ------------------------------------------------------------------------------------- */

/* Points in memory at the same time, unless one series alone has more. */
enum { SLICE_POINTS = 4 << 20 };

struct slice {
	struct chart *chart;
	size_t first; /* curves */
	size_t end;
	struct placed *pieces;
	size_t count;
	size_t size;
};

/* Of a logarithmic axis the first cell alone may reach over half of the buckets. */
static bool wants_cells(const struct chart *c, const struct curve *curve)
{
	if (series_place_scale(&c->ask->x) == SAMPLE_WHOLE_LOG && curve->points <= SLICE_POINTS)
		return false;
	return sample_wants_cells(curve->points, c->ask->buckets);
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

/* NULL: of no series of the slice that is made of points. */
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
	s->pieces[s->count] = (struct placed){ .lane = lane, .order = s->count, .values = *values };
	s->count++;
}

static int by_lane(const void *a, const void *b)
{
	const struct placed *x = a;
	const struct placed *y = b;

	if (x->lane != y->lane)
		return (x->lane > y->lane) - (x->lane < y->lane);
	return (x->order > y->order) - (x->order < y->order);
}

static int64_t run_of(const struct chart *c, size_t curve)
{
	return c->lanes.at[c->curves[curve].first].run_id;
}

/* Whole runs, as many as fit; of a run that does not, as many keys as do; at least one curve. */
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
	*rows = nothing;
	for (size_t i = s->first; i < s->end; i++) {
		if (!needs_points(c, &c->curves[i]))
			continue;
		if (!ask->run_count || runs[ask->run_count - 1] != run_of(c, i))
			runs[ask->run_count++] = run_of(c, i);
		keys[ask->key_count++] = c->lanes.at[c->curves[i].first].key_id;
		widen(rows, c->curves[i].rows.from, c->curves[i].rows.to);
	}
	qsort(keys, ask->key_count, sizeof(*keys), compare_ids);
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
	bool by_steps = series_place_key(&c->ask->x, c->ask->series.stream) == INT32_MAX;
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
		ask.steps = c->ask->range;
	e = series_lanes_points(c->db, c->codec, &ask, &c->lanes);
	if (!e)
		e = series_place_points(c->db, c->codec, &c->places, &ask.series, ask.rows,
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

/* Slice by slice, each in memory that the next one uses again. */
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

/* What the answer takes is bounded before any of it is made. */
static err_t check_size(const struct chart *c)
{
	size_t series = 0;

	for (size_t i = 0; i < c->count; i++) {
		series += c->curves[i].points > 0 || c->ask->empty_too;
		if (c->curves[i].points_only && c->curves[i].points > SLICE_POINTS)
			return err_field(
				db_arena(c->db), ERR_UNPROCESSABLE, "x",
				"more than %d values of a key would have to be put beside an "
				"x that is not in all of its rows: ask for a range",
				SLICE_POINTS);
	}
	if (series <= SAMPLED_BUCKETS_MAX / c->ask->buckets)
		return NULL;
	return err_field(db_arena(c->db), ERR_UNPROCESSABLE, "buckets",
			 "%zu series of %" PRIu32 " buckets are more than %d buckets in all",
			 series, c->ask->buckets, SAMPLED_BUCKETS_MAX);
}

static err_t fill(struct chart *c)
{
	struct sample_shape shape = { c->grid.from, c->grid.to, c->ask->buckets, 0,
				      series_place_scale(&c->ask->x) };
	bool points = false;

	for (size_t i = 0; i < c->count; i++) {
		struct curve *curve = &c->curves[i];

		if (!curve->points)
			continue;
		shape.points = curve->points;
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
			s->count = sample_finish(c->curves[i].sample, &s->buckets);
		answer->count++;
	}
}

err_t series_sampled(struct db *db, struct codec *codec, const struct sampled_ask *ask,
		     struct sampled_answer *ret_answer)
{
	struct chart c = { .db = db, .codec = codec, .ask = ask };
	err_t e = look(&c);

	if (!e)
		e = check_size(&c);
	if (e)
		return e;
	if (ask->grid)
		c.grid = *ask->grid;
	*ret_answer = (struct sampled_answer){ .grid = c.grid };
	if (c.grid.from <= c.grid.to)
		e = fill(&c);
	if (!e)
		finish(&c, ret_answer);
	return e;
}

err_t series_sampled_grid(struct db *db, struct codec *codec, const struct sampled_ask *ask,
			  struct series_range *ret_grid)
{
	struct chart c = { .db = db, .codec = codec, .ask = ask };
	err_t e = look(&c);

	if (!e)
		*ret_grid = c.grid;
	return e;
}
