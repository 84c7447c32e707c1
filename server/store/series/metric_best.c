/* A few runs at a time, in memory that the next ones use again. */
#include "metric_best.h"

#include "arena.h"
#include "series_lanes.h"

enum {
	AT_ONCE_CELLS = 16, /* keys of runs whose cells are read at once */
	SCRATCH_BYTES = 64 << 10,
};

struct span {
	size_t first;
	size_t count;
};

struct finding {
	const struct run_reader *reader;
	const struct metric_best_ask *ask;
	const int64_t *run_id;
	enum best_goal goal;
	struct lanes lanes;
	const struct cell *cell;       /* that has one as good as the best */
	const struct best_value *best; /* when it is found */
	struct best_value *values;     /* of each key */
};

static struct series_ask series_of(const struct finding *f, const int32_t *key_ids, size_t count)
{
	return (struct series_ask){
		.run_ids = f->run_id,
		.run_count = 1,
		.stream = STREAM_HISTORY,
		.key_ids = key_ids,
		.key_count = count,
		.project_id = f->ask->project_id,
	};
}

/* ---- the best ------------------------------------------------------------------------------------ */

static void find_cell(struct finding *f, int32_t key_id)
{
	for (size_t i = 0; i < f->lanes.count; i++) {
		const struct lane *lane = &f->lanes.at[i];

		if (lane->key_id == key_id)
			f->cell = best_cell(f->goal, f->cell, lane->cells, lane->cell_count);
	}
}

static struct best_span find_best_span(const struct finding *f, int32_t key_id)
{
	struct best_span span = best_span_of(f->cell);

	for (size_t i = 0; i < f->lanes.count; i++) {
		const struct lane *lane = &f->lanes.at[i];

		if (lane->key_id == key_id)
			best_span_add(&span, f->goal, f->cell, lane->cells, lane->cell_count);
	}
	return span;
}

/* No other value in the chunks is better. */
static void take_best(void *p, const struct lane *lane, const struct cell_values *values)
{
	const struct finding *f = p;

	(void)lane;
	best_value_add(&f->values[f->ask->by], f->goal, values);
}

static err_t find_best(struct finding *f, int32_t key_id)
{
	struct lanes_points_ask ask = {
		.series = series_of(f, &key_id, 1),
		.keep = LANES_PASSING,
		.take = take_best,
		.p = f,
	};
	struct best_span span;

	find_cell(f, key_id);
	if (!f->cell)
		return NULL;
	span = find_best_span(f, key_id);
	ask.steps = (struct series_range){ span.step_min, span.step_max };
	ask.rows = (struct series_range){ span.row_first, span.row_last };
	return series_lanes_points(f->reader->db, f->reader->codec, &ask, &f->lanes);
}

/* ---- what was known then ------------------------------------------------------------------------- */

static void take_known(void *p, const struct lane *lane, const struct cell_values *values)
{
	const struct finding *f = p;

	for (size_t i = 0; i < f->ask->key_count; i++) {
		if (f->ask->key_ids[i] == lane->key_id)
			known_value_add(&f->values[i], f->best, values);
	}
}

static struct known_span find_span(const struct finding *f, int32_t key_id)
{
	struct known_span span = known_span_of(f->best);

	for (size_t i = 0; i < f->lanes.count; i++) {
		if (f->lanes.at[i].key_id == key_id)
			known_span_begin(&span, f->lanes.at[i].cells, f->lanes.at[i].cell_count);
	}
	for (size_t i = 0; i < f->lanes.count; i++) {
		if (f->lanes.at[i].key_id == key_id)
			known_span_add(&span, f->lanes.at[i].cells, f->lanes.at[i].cell_count);
	}
	return span;
}

static struct series_ranges ranges_of(const struct known_span *span)
{
	return (struct series_ranges){ { span->step_from, span->step },
				       { span->row_first, span->row_last } };
}

/* All in one statement, each in its own ranges. */
static err_t find_others(struct finding *f)
{
	const size_t count = f->ask->key_count;
	struct arena *a = db_arena(f->reader->db);
	struct series_ranges *ranges = arena_new_array(a, struct series_ranges, count);
	int32_t *ids = arena_new_array(a, int32_t, count);
	struct lanes_points_ask ask = {
		.of_keys = ranges,
		.keep = LANES_PASSING,
		.take = take_known,
		.p = f,
	};
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct known_span span = find_span(f, f->ask->key_ids[i]);

		if (i == f->ask->by || span.row_first > span.row_last)
			continue;
		ids[found] = f->ask->key_ids[i];
		ranges[found++] = ranges_of(&span);
	}
	if (!found)
		return NULL;
	ask.series = series_of(f, ids, found);
	return series_lanes_points(f->reader->db, f->reader->codec, &ask, &f->lanes);
}

/* ---- all ----------------------------------------------------------------------------------------- */

/* The lanes of a run, which are next to each other. */
static struct lanes lanes_of(const struct lanes *all, int64_t run_id)
{
	struct lanes own = *all;

	while (own.count && own.at[0].run_id != run_id) {
		own.at++;
		own.count--;
	}
	for (size_t i = 0; i < own.count; i++) {
		if (own.at[i].run_id != run_id)
			own.count = i;
	}
	return own;
}

static err_t read_run(const struct run_reader *r, const struct metric_best_ask *ask, size_t run,
		      const struct lanes *all, struct best_value *values)
{
	struct finding f = {
		.reader = r,
		.ask = ask,
		.run_id = &ask->run_ids[run],
		.goal = ask->goals[run],
		.lanes = lanes_of(all, ask->run_ids[run]),
		.values = values,
	};
	err_t e = find_best(&f, ask->key_ids[ask->by]);

	f.best = &values[ask->by];
	if (!e && f.best->is_there)
		e = find_others(&f);
	return e;
}

/* The cells of some runs together, then the values they point at for each. */
static err_t read_some(const struct run_reader *r, const struct metric_best_ask *ask,
		       const struct span *some, struct best_value *values)
{
	const struct series_ask series = {
		.run_ids = ask->run_ids + some->first,
		.run_count = some->count,
		.stream = STREAM_HISTORY,
		.key_ids = ask->key_ids,
		.key_count = ask->key_count,
		.project_id = ask->project_id,
	};
	struct lanes lanes;
	err_t e = series_lanes_read(r->db, r->codec, &series, &lanes);

	for (size_t i = some->first; i < some->first + some->count && !e; i++)
		e = read_run(r, ask, i, &lanes, &values[i * ask->key_count]);
	return e;
}

static struct span next_runs(const struct metric_best_ask *ask, size_t first)
{
	const size_t most = ask->key_count < AT_ONCE_CELLS ? AT_ONCE_CELLS / ask->key_count
							   : (size_t)1;
	const size_t left = ask->run_count - first;

	return (struct span){ first, left < most ? left : most };
}

static void free_scratch(void *p)
{
	arena_free(p);
}

err_t metric_best_read(const struct run_reader *r, const struct metric_best_ask *ask,
		       struct best_value *ret_values)
{
	struct arena *home = db_arena(r->db);
	struct arena *scratch = arena_new_beside(home, SCRATCH_BYTES);
	err_t e = NULL;

	arena_defer(home, free_scratch, scratch); /* an error lives in it */
	for (size_t i = 0; i < ask->run_count * ask->key_count; i++)
		ret_values[i] = (struct best_value){ 0 };
	db_set_arena(r->db, scratch);
	for (struct span some = { 0, 0 }; some.first < ask->run_count && !e;
	     some.first += some.count) {
		some = next_runs(ask, some.first);
		e = read_some(r, ask, &some, ret_values);
		if (!e)
			arena_reset(scratch);
	}
	db_set_arena(r->db, home);
	return e;
}
