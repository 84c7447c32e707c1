/* A clock is a chart itself: of "_timestamp" over "_step". */
#include "series_clocks.h"

#include <stdlib.h>

#include "arena.h"

bool series_clocks_are_needed(const struct series_x *x, enum stream stream)
{
	return x->axis == SERIES_STEP && stream == STREAM_EVENTS;
}

/* The last moment of the run has its step, too. */
static int64_t last_time(const struct step_clock *c)
{
	return c->points[c->count - 1].time;
}

/* The end of a step's time: the first time of the next step, if the run got so far. */
static int64_t end_of(const struct step_clock *c, int64_t step)
{
	int64_t end = step == INT64_MAX ? INT64_MAX : step_clock_time(c, step + 1);

	return end == INT64_MAX ? last_time(c) + 1 : end;
}

static struct series_range window_of(const struct step_clock *c, struct series_range steps)
{
	return (struct series_range){ step_clock_time(c, steps.from), end_of(c, steps.to) - 1 };
}

/*
 * Reads lanes of one run, which `ask` asks for; they are only those of its
 * "_timestamp". Marks are of the arena.
 */
static err_t read_clock(struct db *db, struct codec *codec, const struct series_ask *ask,
			const struct lanes *lanes, struct arena *keep, struct step_clock *ret_clock)
{
	struct sampled_ask asked = {
		.series = *ask,
		.x = { .axis = SERIES_STEP, .key_id = ask->key_ids[0] },
		.range = { INT64_MIN, INT64_MAX },
		.buckets = CLOCK_BUCKETS,
		.split = SERIES_SPLIT_RUN,
		.lanes = lanes,
	};
	struct sampled_answer answer;
	err_t e = series_sampled(db, codec, &asked, &answer);

	if (e)
		return e;
	*ret_clock = answer.count ? step_clock_make(keep, answer.series[0].buckets,
						    answer.series[0].count)
				  : (struct step_clock){ 0 };
	return NULL;
}

/* The lanes of the run, which begin at `first` if there are any. */
static struct lanes of_run(const struct lanes *all, size_t first, int64_t run_id)
{
	struct lanes lanes = *all;

	lanes.at = all->at + first;
	lanes.count = 0;
	while (first + lanes.count < all->count && lanes.at[lanes.count].run_id == run_id)
		lanes.count++;
	return lanes;
}

static void free_scratch(void *p)
{
	arena_free(p);
}

/* The same in memory that is freed: only the points of a run stay. */
static err_t read_clock_aside(struct db *db, struct codec *codec, const struct series_ask *ask,
			      const struct lanes *lanes, struct arena *keep,
			      struct step_clock *ret_clock)
{
	struct arena *home = db_arena(db);
	struct arena *scratch = arena_new_beside(home, 64 << 10);
	err_t e;

	db_set_arena(db, scratch);
	e = read_clock(db, codec, ask, lanes, keep, ret_clock);
	db_set_arena(db, home);
	if (e)
		arena_defer(home, free_scratch, scratch); /* it lives there */
	else
		arena_free(scratch);
	return e;
}

/* ---- of several runs ----------------------------------------------------------------------------- */

struct making {
	struct db *db;
	struct codec *codec;
	const struct sampled_ask *ask;
	struct step_clock *steps; /* of each run that is asked for */
	int64_t *missing;         /* runs without a kept clock */
	size_t missing_count;
};

static const struct kept_clock *find_kept(const struct kept_clocks *kept, int64_t run_id)
{
	for (size_t i = 0; kept && i < kept->count; i++) {
		if (kept->at[i].run_id == run_id)
			return &kept->at[i];
	}
	return NULL;
}

static bool has_room(const struct kept_clocks *kept)
{
	return kept && kept->count < CLOCKS_KEPT;
}

static void take_kept(struct making *m)
{
	const struct series_ask *ask = &m->ask->series;

	for (size_t i = 0; i < ask->run_count; i++) {
		const struct kept_clock *kept = find_kept(m->ask->clocks, ask->run_ids[i]);

		if (kept)
			m->steps[i] = kept->steps;
		else
			m->missing[m->missing_count++] = ask->run_ids[i];
	}
}

static struct series_ask rows_of(const struct making *m, const int64_t *run_ids, size_t count)
{
	return (struct series_ask){
		.run_ids = run_ids,
		.run_count = count,
		.stream = STREAM_HISTORY,
		.key_ids = &m->ask->x.key_id,
		.key_count = 1,
		.project_id = m->ask->series.project_id,
	};
}

/* `lanes`: of the "_timestamp" of the run, none if it has no rows. */
static err_t make_clock(struct making *m, int64_t run_id, const struct lanes *lanes,
			struct step_clock *ret_steps)
{
	struct kept_clocks *kept = m->ask->clocks;
	const struct series_ask ask = rows_of(m, &run_id, 1);
	struct arena *keep = has_room(kept) ? kept->arena : db_arena(m->db);
	err_t e = lanes->count ? read_clock_aside(m->db, m->codec, &ask, lanes, keep, ret_steps)
			       : NULL;

	if (!e && has_room(kept))
		kept->at[kept->count++] = (struct kept_clock){ run_id, *ret_steps };
	return e;
}

static err_t make_missing(struct making *m)
{
	const struct series_ask *asked = &m->ask->series;
	const struct series_ask ask = rows_of(m, m->missing, m->missing_count);
	struct lanes all = { 0 };
	size_t lane = 0;
	size_t next = 0;
	err_t e = m->missing_count ? series_lanes_read(m->db, m->codec, &ask, &all) : NULL;

	for (size_t i = 0; i < asked->run_count && next < m->missing_count && !e; i++) {
		struct lanes lanes;

		if (asked->run_ids[i] != m->missing[next])
			continue;
		lanes = of_run(&all, lane, m->missing[next++]);
		lane += lanes.count;
		e = make_clock(m, asked->run_ids[i], &lanes, &m->steps[i]);
	}
	return e;
}

err_t series_clocks_read(struct db *db, struct codec *codec, const struct sampled_ask *ask,
			 struct series_clocks *ret_clocks)
{
	size_t count = ask->series.run_count;
	struct making m = { .db = db,
			    .codec = codec,
			    .ask = ask,
			    .steps = arena_new_array(db_arena(db), struct step_clock, count),
			    .missing = arena_new_array(db_arena(db), int64_t, count) };
	struct series_clocks clocks = { .at = arena_new_array(db_arena(db), struct series_clock,
							      count) };
	err_t e;

	take_kept(&m);
	e = make_missing(&m);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		if (m.steps[i].count)
			clocks.at[clocks.count++] =
				(struct series_clock){ ask->series.run_ids[i], m.steps[i],
						       window_of(&m.steps[i], ask->range) };
	}
	*ret_clocks = clocks;
	return NULL;
}

struct kept_clocks *series_clocks_keep(struct arena *a)
{
	struct kept_clocks *kept = arena_new_of(a, struct kept_clocks);

	kept->arena = a;
	kept->at = arena_new_array(a, struct kept_clock, CLOCKS_KEPT);
	return kept;
}

static int by_run(const void *number, const void *clock)
{
	int64_t x = *(const int64_t *)number;
	int64_t y = ((const struct series_clock *)clock)->run_id;

	return (x > y) - (x < y);
}

const struct series_clock *series_clocks_find(const struct series_clocks *clocks, int64_t run_id)
{
	return clocks->count
		       ? bsearch(&run_id, clocks->at, clocks->count, sizeof(clocks->at[0]), by_run)
		       : NULL;
}

struct series_range series_clocks_window(const struct series_clocks *clocks)
{
	struct series_range all = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < clocks->count; i++) {
		const struct series_range *one = &clocks->at[i].window;

		all.from = one->from < all.from ? one->from : all.from;
		all.to = one->to > all.to ? one->to : all.to;
	}
	return all;
}

const int64_t *series_clock_edges(struct arena *a, const struct series_clock *clock,
				  const struct sample_shape *shape)
{
	int64_t *edges = arena_alloc(a, ((size_t)shape->buckets + 1) * sizeof(*edges));
	int64_t end = end_of(&clock->steps, shape->step_last);

	for (uint32_t i = 0; i < shape->buckets; i++) {
		int64_t edge = step_clock_time(&clock->steps, sample_first(shape, i));

		edges[i] = edge < end ? edge : end;
	}
	edges[shape->buckets] = end;
	return edges;
}

struct sampled_aside series_clock_aside(const struct series_clock *clock, const struct lane *lanes,
					size_t count)
{
	struct series_range there = { INT64_MAX, INT64_MIN };
	struct series_range steps;

	for (size_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < lanes[i].cell_count; j++) {
			const struct cell *c = &lanes[i].cells[j];

			if (!cell_count(c))
				continue;
			there.from = c->step_min < there.from ? c->step_min : there.from;
			there.to = c->step_max > there.to ? c->step_max : there.to;
		}
	}
	if (there.from > there.to)
		return (struct sampled_aside){ 0 };
	steps.from = clock ? clock->steps.points[0].time : there.to;
	steps.to = clock ? last_time(&clock->steps) : there.to;
	return (struct sampled_aside){
		.before = there.from < steps.from ? steps.from - there.from : 0,
		.after = there.to > steps.to ? there.to - steps.to : 0,
		.without_rows = !clock,
	};
}

void series_clock_to_steps(const struct series_clock *clock, struct bucket *buckets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		buckets[i].step_first = step_clock_step(&clock->steps, buckets[i].step_first);
		buckets[i].step_last = step_clock_step(&clock->steps, buckets[i].step_last);
	}
}
