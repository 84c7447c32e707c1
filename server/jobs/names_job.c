/*
 * Deletes names of metrics that no run has any more (metric_store.h): it reads which numbers the runs of a project have,
 * when runs left the project since the last time, and marks and deletes the others.
 *
 * It reads key lists and blocks of the tail, of some runs at a time, in a snapshot for each of
 * these: a run has all its numbers in either, whatever is compacted in between. Rows stored while
 * it reads do not matter: they have numbers that were used after the names were marked.
 */
#include <stdlib.h>

#include "arena.h"
#include "job.h"
#include "key_stats.h"
#include "log.h"
#include "metric_store.h"
#include "run_documents.h"
#include "series_store.h"
#include "server_store.h"

enum {
	PERIOD_US = 10 * 1000 * 1000,
	PROJECTS_AT_ONCE = 100,
	RUNS_AT_ONCE = 200,
	BYTES_AT_ONCE = 2 << 20,
	SCRATCH_BYTES = 64 << 10,
	NUMBERS_KEPT = 4096, /* of a project, before the list grows */
};
/* A server that ended in between is not waited for any longer. */
#define TAKEN_US (INT64_C(10) * 60 * 1000000)

/* Numbers, ascending, each once. */
struct numbers {
	int32_t *ids;
	size_t count;
	size_t size;
};

struct reading {
	struct job *job;
	struct run_reader reader;
	struct arena *home;
	struct arena *scratch;
	struct numbers used;
};

static int by_id(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static void unite(struct numbers *numbers)
{
	size_t kept = 0;

	if (!numbers->count)
		return;
	qsort(numbers->ids, numbers->count, sizeof(numbers->ids[0]), by_id);
	for (size_t i = 0; i < numbers->count; i++) {
		if (!kept || numbers->ids[kept - 1] != numbers->ids[i])
			numbers->ids[kept++] = numbers->ids[i];
	}
	numbers->count = kept;
}

/*
 * Most runs of a project have the same numbers: the list grows only if
 * they do not fit without repeats.
 */
static void add_numbers(struct reading *r, const struct key_stats *stats)
{
	struct numbers *used = &r->used;

	if (used->count + stats->count > used->size)
		unite(used);
	while (used->count + stats->count > used->size / 2) {
		size_t size = used->size ? used->size * 2 : NUMBERS_KEPT;
		int32_t *ids = arena_new_array(r->home, int32_t, size);

		for (size_t i = 0; i < used->count; i++)
			ids[i] = used->ids[i];
		used->ids = ids;
		used->size = size;
	}
	for (uint32_t i = 0; i < stats->count; i++)
		used->ids[used->count++] = (int32_t)stats->items[i].key_id;
}

/* For the first of these runs, as many as are read at once; *ret_read of them. */
static err_t read_some(struct reading *r, const int64_t *run_ids, size_t count, enum stream stream,
		       size_t *ret_read)
{
	const struct keys_ask ask = {
		.run_ids = run_ids,
		.run_count = count,
		.stream = stream,
		.branch = 1, /* all data in the runs, also rows before a rewind */
		.bytes = BYTES_AT_ONCE,
	};
	struct keys_row *rows;
	struct key_stats stats = { 0 };
	size_t n;
	size_t read = 0;
	err_t e = series_store_read_keys(r->job->db, r->job->codec, &ask, &rows, &n);

	if (!e && n)
		e = run_documents_sum_keys(&r->reader, rows, n, &stats);
	if (e)
		return e;
	add_numbers(r, &stats);
	while (n && run_ids[read] != rows[n - 1].run_id)
		read++;
	*ret_read = n ? read + 1 : count;
	return NULL;
}

static err_t read_stream(struct reading *r, const int64_t *run_ids, size_t count,
			 enum stream stream)
{
	size_t at = 0;
	err_t e = NULL;

	while (at < count && !e && !atomic_load(r->job->stop)) {
		size_t read = 0;

		e = read_some(r, run_ids + at, count - at, stream, &read);
		at += read;
		if (!e)
			arena_reset(r->scratch);
	}
	return e;
}

static err_t read_runs(struct reading *r, const int64_t *run_ids, size_t count)
{
	err_t e;

	db_set_arena(r->job->db, r->scratch);
	e = read_stream(r, run_ids, count, STREAM_HISTORY);
	if (!e)
		e = read_stream(r, run_ids, count, STREAM_EVENTS);
	db_set_arena(r->job->db, r->home);
	return e;
}

static err_t read_project(struct reading *r, int64_t project_id)
{
	int64_t after = INT64_MIN;
	size_t count;
	err_t e;

	do {
		int64_t *run_ids;

		e = metric_store_runs(r->job->db, project_id, after, RUNS_AT_ONCE, &run_ids,
				      &count);
		if (!e)
			e = read_runs(r, run_ids, count);
		if (!e && count)
			after = run_ids[count - 1];
	} while (!e && count == RUNS_AT_ONCE && !atomic_load(r->job->stop));
	unite(&r->used);
	return e;
}

static err_t judge(struct reading *r, struct metric_use *use)
{
	int64_t deleted;
	err_t e = read_project(r, use->project_id);

	if (e || atomic_load(r->job->stop))
		return e;
	use->key_ids = r->used.ids;
	use->count = r->used.count;
	e = metric_store_judge(r->job->db, use, &deleted);
	if (e || !deleted)
		return e;
	atomic_fetch_add(&r->job->done, (uint64_t)deleted);
	log_info("metric names deleted", LOG_INT("project_id", use->project_id),
		 LOG_INT("names", deleted));
	return NULL;
}

/* In memory of its own, for some projects have many runs. */
static err_t look(struct job *job, int64_t project_id, timestamp_us now)
{
	struct arena *outer = db_arena(job->db);
	struct reading r = { .job = job,
			     .reader = { job->db, job->codec, job->metrics },
			     .home = arena_new(SCRATCH_BYTES),
			     .scratch = arena_new(SCRATCH_BYTES) };
	struct metric_use use = { .project_id = project_id,
				  .since = now,
				  .until = { now.us + TAKEN_US } };
	bool taken;
	err_t e = metric_store_take_due(job->db, project_id, now, use.until, &taken);

	db_set_arena(job->db, r.home);
	if (!e && taken)
		e = judge(&r, &use);
	db_set_arena(job->db, outer);
	if (e)
		e = err_wrap(outer, e, "metric names of project %lld", (long long)project_id);
	arena_free(r.scratch);
	arena_free(r.home);
	return e;
}

err_t names_pass(struct job *job, int64_t *ret_again_us)
{
	timestamp_us now;
	int64_t *project_ids;
	size_t count = 0;
	err_t e;

	*ret_again_us = PERIOD_US;
	e = server_store_now(job->db, &now);
	if (!e)
		e = metric_store_list_due(job->db, now, PROJECTS_AT_ONCE, &project_ids, &count);
	for (size_t i = 0; i < count && !e && !atomic_load(job->stop); i++)
		e = look(job, project_ids[i], now);
	return e;
}
