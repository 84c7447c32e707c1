/*
 * Statistics are read for as many runs at once as take so many bytes, and only the requested keys
 * of each run are kept: a run may have thousands of keys.
 */
#include "metric_sums.h"

#include <math.h>

#include "arena.h"
#include "err.h"
#include "series_sampled.h"
#include "series_store.h"
#include "store_sql.h"

enum {
	AT_ONCE_BYTES = 2 << 20,
	AT_ONCE_CELLS = 16, /* runs whose cells are read at once */
	SCRATCH_BYTES = 64 << 10,
};

struct summing {
	const struct run_reader *reader;
	const struct metric_sums_ask *ask;
	struct arena *scratch; /* of runs that are read at once, */
	struct arena *one;     /* and of one of them */
	struct bucket *sums;
	bool *by_cells;
};

static const struct db_column age_columns[] = {
	DB_COLUMN(struct metric_age, run_id),
	DB_COLUMN(struct metric_age, next_row),
	DB_COLUMN(struct metric_age, branch),
};
const struct db_row_table metric_age_table = DB_ROW_TABLE(struct metric_age, age_columns);

err_t metric_sums_ages(struct db *db, int64_t project_id, const int64_t *run_ids, size_t count,
		       struct metric_age **ret_ages, size_t *ret_count)
{
	return db_all(db, &STMT_metric_ages,
		      DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, count), P_INT8(project_id)),
		      &metric_age_table, (void **)ret_ages, ret_count);
}

bool metric_sums_has(const struct bucket *sum)
{
	return sum->n + sum->nan + sum->pinf + sum->ninf > 0;
}

/* ---- of statistics ------------------------------------------------------------------------------- */

static bool tells_all(const struct key_stat *stat)
{
	return !stat->is_text && !(stat->kinds & KEY_KIND_NONFINITE) && isfinite(stat->sum);
}

static void take_stats(const struct summing *s, size_t run, const struct key_stats *stats)
{
	for (size_t i = 0; i < s->ask->key_count; i++) {
		const struct key_stat *stat = key_stats_find(stats, (uint32_t)s->ask->key_ids[i]);
		size_t at = run * s->ask->key_count + i;

		if (!stat || !stat->number_count)
			continue;
		s->by_cells[at] = !tells_all(stat);
		s->sums[at] = (struct bucket){
			.last = stat->number,
			.min = stat->min,
			.max = stat->max,
			.mean = stat->sum / (double)stat->number_count,
			.n = stat->number_count,
		};
	}
}

static size_t rows_of_one(const struct keys_row *rows, size_t count)
{
	size_t same = 1;

	while (same < count && rows[same].run_id == rows[0].run_id)
		same++;
	return same;
}

/* For the run that `rows` begin with, in memory that the next one uses again. */
static err_t sum_run(const struct summing *s, const struct keys_row *rows, size_t count, size_t run)
{
	struct key_stats stats;
	err_t e;

	db_set_arena(s->reader->db, s->one);
	e = run_documents_sum_keys(s->reader, rows, count, &stats);
	db_set_arena(s->reader->db, s->scratch);
	if (e)
		return e; /* which lives there */
	take_stats(s, run, &stats);
	arena_reset(s->one);
	return NULL;
}

/* For runs from *run on, as many as are read at once. */
static err_t sum_some(const struct summing *s, size_t *run)
{
	const struct metric_sums_ask *all = s->ask;
	const struct keys_ask ask = {
		.run_ids = all->run_ids + *run,
		.run_count = all->run_count - *run,
		.stream = STREAM_HISTORY,
		.bytes = AT_ONCE_BYTES,
		.project_id = all->project_id,
	};
	struct keys_row *rows;
	size_t count = 0;
	size_t of_run;
	err_t e = series_store_read_keys(s->reader->db, s->reader->codec, &ask, &rows, &count);

	for (size_t i = 0; i < count && !e; i += of_run) {
		while (all->run_ids[*run] != rows[i].run_id)
			(*run)++;
		of_run = rows_of_one(rows + i, count - i);
		e = sum_run(s, rows + i, of_run, (*run)++);
	}
	if (!count)
		*run = all->run_count;
	return e;
}

static err_t sum_by_stats(const struct summing *s)
{
	size_t run = 0;
	err_t e = NULL;

	while (run < s->ask->run_count && !e) {
		e = sum_some(s, &run);
		if (!e)
			arena_reset(s->scratch);
	}
	return e;
}

/* ---- of cells ------------------------------------------------------------------------------------ */

static void take_sampled(const struct summing *s, size_t key, const struct sampled_answer *answer)
{
	size_t run = 0;

	for (size_t i = 0; i < answer->count; i++) {
		while (s->ask->run_ids[run] != answer->series[i].run_id)
			run++;
		if (answer->series[i].count)
			s->sums[run * s->ask->key_count + key] = answer->series[i].buckets[0];
	}
}

/* For some of the runs from *run on that need it. */
static err_t sample_some(const struct summing *s, size_t key, size_t *run)
{
	int64_t ids[AT_ONCE_CELLS];
	struct sampled_ask ask = {
		.series = { .run_ids = ids,
			    .stream = STREAM_HISTORY,
			    .key_ids = &s->ask->key_ids[key],
			    .key_count = 1,
			    .project_id = s->ask->project_id },
		.x = { .axis = SERIES_STEP, .key_id = INT32_MAX },
		.range = { INT64_MIN, INT64_MAX },
		.buckets = 1,
		.split = SERIES_SPLIT_RUN,
	};
	struct sampled_answer answer = { 0 };
	err_t e;

	for (; *run < s->ask->run_count && ask.series.run_count < AT_ONCE_CELLS; (*run)++) {
		if (s->by_cells[*run * s->ask->key_count + key])
			ids[ask.series.run_count++] = s->ask->run_ids[*run];
	}
	if (!ask.series.run_count)
		return NULL;
	e = series_sampled(s->reader->db, s->reader->codec, &ask, &answer);
	if (e)
		return e;
	take_sampled(s, key, &answer);
	arena_reset(s->scratch);
	return NULL;
}

/* Some thousand statements would precede the answer, and any reader can ask for it. */
static err_t check_cells(const struct summing *s, struct arena *home)
{
	size_t asked = s->ask->run_count * s->ask->key_count;
	size_t cells = 0;

	for (size_t i = 0; i < asked; i++)
		cells += s->by_cells[i];
	if (cells <= METRIC_SUMS_CELLS_MAX)
		return NULL;
	return err_field(
		home, ERR_UNPROCESSABLE, "keys",
		"%zu of these metrics contain NaN, an infinity or a text in their run, more than "
		"%d: request fewer keys or runs",
		cells, METRIC_SUMS_CELLS_MAX);
}

static err_t sum_by_cells(const struct summing *s)
{
	err_t e = NULL;

	for (size_t key = 0; key < s->ask->key_count && !e; key++) {
		size_t run = 0;

		while (run < s->ask->run_count && !e)
			e = sample_some(s, key, &run);
	}
	return e;
}

/* ---- both ---------------------------------------------------------------------------------------- */

static void free_scratch(void *p)
{
	arena_free(p);
}

err_t metric_sums_read(const struct run_reader *r, const struct metric_sums_ask *ask,
		       struct bucket *ret_sums)
{
	struct arena *home = db_arena(r->db);
	size_t count = ask->run_count * ask->key_count;
	struct summing s = {
		.reader = r,
		.ask = ask,
		.scratch = arena_new_beside(home, SCRATCH_BYTES),
		.one = arena_new_beside(home, SCRATCH_BYTES),
		.sums = ret_sums,
		.by_cells = arena_new_array(home, bool, count + 1),
	};
	err_t e;

	arena_defer(home, free_scratch, s.scratch); /* an error lives in one of them */
	arena_defer(home, free_scratch, s.one);
	for (size_t i = 0; i < count; i++)
		ret_sums[i] = (struct bucket){ 0 };
	if (!count)
		return NULL;
	db_set_arena(r->db, s.scratch);
	e = sum_by_stats(&s);
	if (!e)
		e = check_cells(&s, home);
	if (!e)
		e = sum_by_cells(&s);
	db_set_arena(r->db, home);
	return e;
}
