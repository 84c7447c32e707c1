/* A few runs at a time, in memory that the next ones use again. */
#include "sweep_metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "metric_cache.h"
#include "series_lanes.h"

enum { RUNS_AT_ONCE = 16, SCRATCH_BYTES = 64 << 10 };

struct reading {
	const struct run_reader *reader;
	int64_t project_id;
	int32_t key_id;
	struct arena *home; /* for what stays */
};

struct point {
	int64_t row;
	double value;
};

/* The points of one run. */
struct points {
	struct arena *arena;
	struct point *at;
	size_t count;
	size_t size;
};

static void begin(struct sweep_history *h)
{
	h->lowest = NAN;
	h->highest = NAN;
	h->latest = NAN;
	h->steps = 0;
	h->values = NULL;
	h->is_gone = false;
	h->damage = NULL;
}

/* ---- values -------------------------------------------------------------------------------------- */

static void take(void *p, const struct lane *lane, const struct cell_values *values)
{
	struct points *points = p;

	(void)lane;
	for (uint32_t i = 0; i < values->count; i++) {
		if (!isfinite(values->numbers[i]))
			continue;
		if (points->count == points->size)
			points->at = arena_grow(points->arena, points->at, &points->size,
						sizeof(*points->at));
		points->at[points->count++] = (struct point){ values->rows[i], values->numbers[i] };
	}
}

static int by_row(const void *a, const void *b)
{
	const struct point *x = a;
	const struct point *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

static struct series_ask series_of(const struct reading *r, const int64_t *run_ids, size_t count)
{
	return (struct series_ask){
		.run_ids = run_ids,
		.run_count = count,
		.stream = STREAM_HISTORY,
		.key_ids = &r->key_id,
		.key_count = 1,
		.project_id = r->project_id,
	};
}

static err_t read_values(const struct reading *r, const struct lanes *lanes,
			 struct sweep_history *h)
{
	struct points points = { .arena = db_arena(r->reader->db) };
	const struct lanes_points_ask ask = {
		.series = series_of(r, &h->run_id, 1),
		.steps = { INT64_MIN, INT64_MAX },
		.rows = { INT64_MIN, INT64_MAX },
		.keep = LANES_PASSING,
		.take = take,
		.p = &points,
	};
	err_t e = series_lanes_points(r->reader->db, r->reader->codec, &ask, lanes);
	double *values;

	if (e)
		return e;
	qsort(points.at, points.count, sizeof(*points.at), by_row);
	values = arena_new_array(r->home, double, points.count + 1);
	for (size_t i = 0; i < points.count; i++)
		values[i] = points.at[i].value;
	h->values = values;
	h->steps = (int64_t)points.count;
	h->latest = points.count ? values[points.count - 1] : NAN;
	return NULL;
}

/* ---- cells --------------------------------------------------------------------------------------- */

/* The last row of those with finite values; false: its own value is not finite, which only the values show. */
static bool add_cells(struct sweep_history *h, const struct lane *lane, int64_t *last_row)
{
	bool is_known = true;

	for (uint32_t i = 0; i < lane->cell_count; i++) {
		const struct cell *c = &lane->cells[i];

		if (!c->n)
			continue;
		h->steps += c->n;
		h->lowest = fmin(h->lowest, c->min);
		h->highest = fmax(h->highest, c->max);
		if (c->row_last < *last_row)
			continue;
		*last_row = c->row_last;
		h->latest = c->last;
		is_known = isfinite(c->last);
	}
	return is_known;
}

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

static err_t sum(const struct reading *r, const struct lanes *all, struct sweep_history *h)
{
	const struct lanes lanes = lanes_of(all, h->run_id);
	int64_t last_row = INT64_MIN;
	bool is_known = true;

	for (size_t i = 0; i < lanes.count; i++)
		is_known &= add_cells(h, &lanes.at[i], &last_row);
	if (is_known && !h->wants_values)
		return NULL;
	return lanes.count ? read_values(r, &lanes, h) : NULL;
}

static int by_number(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static err_t read_together(const struct reading *r, struct sweep_history *histories, size_t count)
{
	int64_t run_ids[RUNS_AT_ONCE];
	struct series_ask ask = series_of(r, run_ids, count);
	struct lanes lanes;
	err_t e;

	for (size_t i = 0; i < count; i++)
		run_ids[i] = histories[i].run_id;
	qsort(run_ids, count, sizeof(run_ids[0]), by_number);
	e = series_lanes_read(r->reader->db, r->reader->codec, &ask, &lanes);
	for (size_t i = 0; i < count && !e; i++)
		e = sum(r, &lanes, &histories[i]);
	return e;
}

bool sweep_metric_is_damage(err_t e)
{
	return e && !e->sqlstate && (e->kind == ERR_INTERNAL || e->kind == ERR_INVALID);
}

static bool is_of_a_run(err_t e)
{
	return e && (e->kind == ERR_GONE || sweep_metric_is_damage(e));
}

/* A run that was moved meanwhile, or is damaged, does not hide the others. */
static err_t read_some(const struct reading *r, struct sweep_history *histories, size_t count)
{
	err_t e = read_together(r, histories, count);

	if (!is_of_a_run(e))
		return e;
	for (size_t i = 0; i < count; i++) {
		struct sweep_history *h = &histories[i];

		begin(h);
		e = read_together(r, h, 1);
		if (e && !is_of_a_run(e))
			return e;
		if (!e)
			continue;
		begin(h);
		h->is_gone = e->kind == ERR_GONE;
		h->damage = h->is_gone ? NULL : err_copy(r->home, e);
	}
	return NULL;
}

/* ---- all ------------------------------------------------------------------------------------------ */

static void free_scratch(void *p)
{
	arena_free(p);
}

static err_t read_all(const struct reading *r, struct sweep_history *histories, size_t count)
{
	struct arena *scratch = arena_new_beside(r->home, SCRATCH_BYTES);
	err_t e = NULL;

	arena_defer(r->home, free_scratch, scratch); /* an error lives in it */
	db_set_arena(r->reader->db, scratch);
	for (size_t i = 0; i < count && !e; i += RUNS_AT_ONCE) {
		e = read_some(r, &histories[i],
			      count - i < RUNS_AT_ONCE ? count - i : (size_t)RUNS_AT_ONCE);
		if (!e)
			arena_reset(scratch);
	}
	db_set_arena(r->reader->db, r->home);
	return e;
}

err_t sweep_metric_read(const struct run_reader *r, const struct sweep_metric_ask *ask,
			struct sweep_history *histories, size_t count)
{
	struct reading reading = {
		.reader = r,
		.project_id = ask->project_id,
		.key_id = INT32_MAX,
		.home = db_arena(r->db),
	};
	err_t e = NULL;

	for (size_t i = 0; i < count; i++)
		begin(&histories[i]);
	if (count && ask->name.len)
		e = metric_cache_find(r->metrics, r->db, ask->project_id, &ask->name, 1,
				      &reading.key_id);
	if (e || reading.key_id == INT32_MAX)
		return e;
	return read_all(&reading, histories, count);
}

static const struct json_doc *find_deep(const struct json_doc *doc, struct str name)
{
	const struct json_doc *whole = json_doc_get(doc, name);
	struct str rest = name;
	struct str first;

	if (whole)
		return whole;
	first = str_cut(&rest, '.');
	return rest.len ? find_deep(json_doc_get(doc, first), rest) : NULL;
}

err_t sweep_metric_summary(const struct run_reader *r, const struct run *run, struct str name,
			   double *ret_value)
{
	const struct json_doc *summary, *value;
	err_t e;

	*ret_value = NAN;
	if (!name.len)
		return NULL;
	e = run_documents_summary(r, run, &summary);
	if (e)
		return e;
	value = find_deep(summary, name);
	if (!value || !json_doc_is(value, JSON_KIND_NUMBER) || !json_doc_double(value, ret_value) ||
	    !isfinite(*ret_value))
		*ret_value = NAN;
	return NULL;
}
