/* Run by run, each in memory that the next one uses again. */
#include "metric_best.h"

#include "arena.h"
#include "series_lanes.h"

enum { SCRATCH_BYTES = 64 << 10 };

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

/* Whatever else is in the chunks is no better. */
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

static bool is_same_span(const struct known_span *a, const struct known_span *b)
{
	return a->step_from == b->step_from && a->step == b->step && a->row_first == b->row_first &&
	       a->row_last == b->row_last;
}

static err_t find_known(struct finding *f, const struct known_span *span, const int32_t *key_ids,
			size_t count)
{
	const struct lanes_points_ask ask = {
		.series = series_of(f, key_ids, count),
		.steps = { span->step_from, span->step },
		.rows = { span->row_first, span->row_last },
		.keep = LANES_PASSING,
		.take = take_known,
		.p = f,
	};

	return series_lanes_points(f->reader->db, f->reader->codec, &ask, &f->lanes);
}

struct span_of_key {
	int32_t key_id;
	struct known_span span;
	bool is_done;
};

/* The first, and those behind it that lie in the same places. */
static size_t take_alike(struct span_of_key *keys, size_t count, int32_t *ret_ids)
{
	size_t taken = 0;

	for (size_t i = 0; i < count; i++) {
		if (keys[i].is_done || !is_same_span(&keys[0].span, &keys[i].span))
			continue;
		ret_ids[taken++] = keys[i].key_id;
		keys[i].is_done = true;
	}
	return taken;
}

/* Keys that come in the same rows lie in the same places: they are read together. */
static err_t find_others(struct finding *f)
{
	const size_t count = f->ask->key_count;
	struct arena *a = db_arena(f->reader->db);
	struct span_of_key *keys = arena_new_array(a, struct span_of_key, count);
	int32_t *ids = arena_new_array(a, int32_t, count);
	err_t e = NULL;

	for (size_t i = 0; i < count; i++) {
		keys[i].key_id = f->ask->key_ids[i];
		keys[i].span = find_span(f, keys[i].key_id);
		keys[i].is_done = i == f->ask->by || keys[i].span.row_first > keys[i].span.row_last;
	}
	for (size_t i = 0; i < count && !e; i++) {
		if (!keys[i].is_done)
			e = find_known(f, &keys[i].span, ids, take_alike(keys + i, count - i, ids));
	}
	return e;
}

/* ---- all ----------------------------------------------------------------------------------------- */

static err_t read_run(const struct run_reader *r, const struct metric_best_ask *ask, size_t run,
		      struct best_value *values)
{
	struct finding f = {
		.reader = r,
		.ask = ask,
		.run_id = &ask->run_ids[run],
		.goal = ask->goals[run],
		.values = values,
	};
	const struct series_ask series = series_of(&f, ask->key_ids, ask->key_count);
	err_t e = series_lanes_read(r->db, r->codec, &series, &f.lanes);

	if (!e)
		e = find_best(&f, ask->key_ids[ask->by]);
	f.best = &values[ask->by];
	if (!e && f.best->is_there)
		e = find_others(&f);
	return e;
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
	for (size_t run = 0; run < ask->run_count && !e; run++) {
		e = read_run(r, ask, run, &ret_values[run * ask->key_count]);
		if (!e)
			arena_reset(scratch);
	}
	db_set_arena(r->db, home);
	return e;
}
