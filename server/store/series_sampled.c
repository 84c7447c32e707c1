#include "series_sampled.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arena.h"

/* Lanes that make one series: lanes[first] to lanes[first + count - 1]. */
struct group {
	size_t first;
	size_t count;
	int64_t from;
	int64_t to;
	uint64_t points; /* in the range */
	struct sample *sample;
};

static bool same_series(const struct lane *a, const struct lane *b, enum series_split split)
{
	return a->key_id == b->key_id && (split == SERIES_SPLIT_RUN || a->writer == b->writer);
}

static size_t make_groups(struct arena *a, const struct lanes *lanes, enum series_split split,
			  struct group **ret_groups)
{
	struct group *groups = arena_new_array(a, struct group, lanes->count);
	size_t count = 0;

	for (size_t i = 0; i < lanes->count; i++) {
		if (!i || !same_series(&lanes->at[i - 1], &lanes->at[i], split))
			groups[count++] = (struct group){ .first = i };
		groups[count - 1].count++;
	}
	*ret_groups = groups;
	return count;
}

/* The steps that are there within the range asked for, and how many values. */
static void measure(const struct lanes *lanes, const struct sampled_ask *ask, struct group *g)
{
	int64_t least = INT64_MAX;
	int64_t most = INT64_MIN;

	for (size_t i = g->first; i < g->first + g->count; i++) {
		const struct lane *lane = &lanes->at[i];

		for (uint32_t j = 0; j < lane->cell_count; j++) {
			const struct cell *c = &lane->cells[j];

			if (c->step_max < ask->from || c->step_min > ask->to)
				continue;
			g->points += cell_count(c);
			least = c->step_min < least ? c->step_min : least;
			most = c->step_max > most ? c->step_max : most;
		}
	}
	g->from = ask->from > least ? ask->from : least;
	g->to = ask->to < most ? ask->to : most;
}

/* One axis for all series: they are compared by eye. */
static void share_axis(struct group *groups, size_t count)
{
	int64_t from = INT64_MAX;
	int64_t to = INT64_MIN;

	for (size_t i = 0; i < count; i++) {
		if (!groups[i].points)
			continue;
		from = groups[i].from < from ? groups[i].from : from;
		to = groups[i].to > to ? groups[i].to : to;
	}
	for (size_t i = 0; i < count; i++) {
		groups[i].from = from;
		groups[i].to = to;
	}
}

static void fill_from_cells(const struct lanes *lanes, struct group *g)
{
	for (size_t i = g->first; i < g->first + g->count; i++)
		sample_add_cells(g->sample, lanes->at[i].cells, lanes->at[i].cell_count);
}

/* ---- points ------------------------------------------------------------------------------------- */

struct piece {
	size_t lane;
	size_t order;
	struct cell_values values;
};

struct pieces {
	struct arena *arena;
	struct piece *at;
	size_t count;
	size_t size;
};

static void keep_piece(void *p, size_t lane, const struct cell_values *values)
{
	struct pieces *pieces = p;

	if (pieces->count == pieces->size)
		pieces->at =
			arena_grow(pieces->arena, pieces->at, &pieces->size, sizeof(*pieces->at));
	pieces->at[pieces->count] = (struct piece){ lane, pieces->count, *values };
	pieces->count++;
}

static int by_lane(const void *a, const void *b)
{
	const struct piece *x = a;
	const struct piece *y = b;

	if (x->lane != y->lane)
		return (x->lane > y->lane) - (x->lane < y->lane);
	return (x->order > y->order) - (x->order < y->order);
}

static int by_first_lane(const void *number, const void *group)
{
	size_t x = *(const size_t *)number;
	const struct group *g = group;

	return x < g->first ? -1 : x >= g->first + g->count;
}

static err_t fill_from_points(struct db *db, struct codec *codec, const struct sampled_ask *ask,
			      const struct lanes *lanes, struct group *groups, size_t count)
{
	struct pieces pieces = { .arena = db_arena(db) };
	struct lanes_range range = { ask->from, ask->to };
	err_t e;

	e = series_lanes_points(db, codec, &ask->lanes, lanes, range, keep_piece, &pieces);
	if (e)
		return e;
	if (pieces.count)
		qsort(pieces.at, pieces.count, sizeof(pieces.at[0]), by_lane);
	for (size_t i = 0; i < pieces.count; i++) {
		struct group *g = bsearch(&pieces.at[i].lane, groups, count, sizeof(groups[0]),
					  by_first_lane);

		if (g->sample && !sample_wants_cells(g->points, ask->buckets))
			sample_add_points(g->sample, &pieces.at[i].values);
	}
	return NULL;
}

/* Points in memory at the same time, unless one key alone has more. */
enum { SLICE_POINTS = 4 << 20 };

static bool needs_points(const struct group *g, const struct sampled_ask *ask)
{
	return g->sample && !sample_wants_cells(g->points, ask->buckets);
}

/* The next keys whose points fit together; returns the group after theirs. */
static size_t next_slice(const struct lanes *lanes, const struct sampled_ask *ask,
			 const struct group *groups, size_t count, size_t at,
			 struct lanes_ask *keys)
{
	int32_t *ids = (int32_t *)(uintptr_t)keys->key_ids;
	uint64_t points = 0;

	keys->key_count = 0;
	for (; at < count; at++) {
		int32_t id = lanes->at[groups[at].first].key_id;

		if (!needs_points(&groups[at], ask))
			continue;
		if (keys->key_count && ids[keys->key_count - 1] == id) {
			points += groups[at].points;
			continue;
		}
		if (keys->key_count && points + groups[at].points > SLICE_POINTS)
			break;
		points += groups[at].points;
		ids[keys->key_count++] = id;
	}
	return at;
}

static void free_scratch(void *p)
{
	arena_free(p);
}

/* Slice by slice, each in memory that the next one uses again. */
static err_t fill_in_slices(struct db *db, struct codec *codec, const struct sampled_ask *ask,
			    const struct lanes *lanes, struct group *groups, size_t count)
{
	struct arena *home = db_arena(db);
	struct arena *scratch = arena_new(64 << 10);
	struct sampled_ask slice = *ask;
	size_t at = 0;
	err_t e = NULL;

	arena_defer(home, free_scratch, scratch); /* an error lives in it */
	slice.lanes.key_ids = arena_new_array(home, int32_t, ask->lanes.key_count);
	db_set_arena(db, scratch);
	while (at < count && !e) {
		at = next_slice(lanes, ask, groups, count, at, &slice.lanes);
		if (slice.lanes.key_count)
			e = fill_from_points(db, codec, &slice, lanes, groups, count);
		if (!e)
			arena_reset(scratch);
	}
	db_set_arena(db, home);
	return e;
}

/* ---- both --------------------------------------------------------------------------------------- */

/* What the answer takes is bounded before any of it is made. */
static err_t check_size(struct db *db, const struct sampled_ask *ask, const struct group *groups,
			size_t count)
{
	size_t series = 0;

	for (size_t i = 0; i < count; i++)
		series += groups[i].points > 0;
	if (series <= SAMPLED_BUCKETS_MAX / ask->buckets)
		return NULL;
	return err_field(db_arena(db), ERR_UNPROCESSABLE, "buckets",
			 "%zu series of %" PRIu32 " buckets are more than %d buckets in all",
			 series, ask->buckets, SAMPLED_BUCKETS_MAX);
}

static err_t fill(struct db *db, struct codec *codec, const struct sampled_ask *ask,
		  const struct lanes *lanes, struct group *groups, size_t count)
{
	bool points = false;

	for (size_t i = 0; i < count; i++) {
		struct group *g = &groups[i];

		if (!g->points)
			continue;
		g->sample =
			sample_new(db_arena(db), &(struct sample_shape){ g->from, g->to,
									 ask->buckets, g->points });
		if (sample_wants_cells(g->points, ask->buckets))
			fill_from_cells(lanes, g);
		else
			points = true;
	}
	return points ? fill_in_slices(db, codec, ask, lanes, groups, count) : NULL;
}

err_t series_sampled(struct db *db, struct codec *codec, const struct sampled_ask *ask,
		     struct sampled **ret_series, size_t *ret_count)
{
	struct group *groups;
	struct sampled *series;
	struct lanes lanes;
	size_t count;
	err_t e;

	*ret_count = 0;
	e = series_lanes_read(db, codec, &ask->lanes, &lanes);
	if (e)
		return e;
	count = make_groups(db_arena(db), &lanes, ask->split, &groups);
	for (size_t i = 0; i < count; i++)
		measure(&lanes, ask, &groups[i]);
	e = check_size(db, ask, groups, count);
	if (e)
		return e;
	share_axis(groups, count);
	e = fill(db, codec, ask, &lanes, groups, count);
	if (e)
		return e;
	series = arena_new_array(db_arena(db), struct sampled, count);
	for (size_t i = 0; i < count; i++) {
		const struct lane *lane = &lanes.at[groups[i].first];

		if (!groups[i].sample)
			continue;
		series[*ret_count] = (struct sampled){
			.key_id = lane->key_id,
			.writer = ask->split == SERIES_SPLIT_WRITER ? lane->writer : -1,
		};
		series[*ret_count].count =
			sample_finish(groups[i].sample, &series[*ret_count].buckets);
		(*ret_count)++;
	}
	*ret_series = series;
	return NULL;
}
