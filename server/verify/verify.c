/*
 * Threads that take one run after the other. Each has its connection and its arenas; they share the
 * list of runs, the totals, and the output of faults.
 */
#include "verify.h"

#include <stdlib.h>

#include "arena.h"
#include "clock.h"
#include "codec.h"
#include "metric_cache.h"
#include "thread.h"
#include "verify_run.h"

enum { RUNS_AT_ONCE = 500, LOOK_MS = 200, KEY_NAMES = 100000 };

struct pool {
	const struct verify_ask *ask;
	struct metric_cache *metrics;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	struct arena *list; /* of items */
	struct verify_item *items;
	size_t item_count;
	size_t next;
	int64_t after;
	bool at_end;
	bool stop;
	int running;
	err_t failure;
	struct arena *arena; /* of the failure */
	struct verify_sum sum;

	pthread_mutex_t fault_lock;
};

/* ---- a worker --------------------------------------------------------------------------------- */

static bool is_over(const struct pool *p)
{
	const struct verify_ask *ask = p->ask;

	return (ask->until_us && clock_mono_us() >= ask->until_us) ||
	       (ask->stopped && ask->stopped());
}

static err_t open_database(const struct pool *p, struct arena *a, struct db **ret_db)
{
	struct db_options options = *p->ask->db;
	err_t e;

	options.stopped = p->ask->stopped;
	e = db_open(a, &options, ret_db);
	if (!e)
		db_set_deadline(*ret_db, p->ask->until_us);
	return e;
}

static err_t fetch(struct pool *p, struct db *db)
{
	err_t e;

	arena_reset(p->list);
	db_set_arena(db, p->list);
	e = verify_store_list_runs(db, &p->ask->scope, p->after, RUNS_AT_ONCE, &p->items,
				   &p->item_count);
	p->next = 0;
	p->at_end = !e && !p->item_count;
	if (!e && p->item_count)
		p->after = p->items[p->item_count - 1].run_id;
	return e;
}

static struct verify_item *copy_item(struct arena *a, const struct verify_item *item)
{
	struct verify_item *copy = arena_copy(a, item, sizeof(*item));

	copy->entity.at = str_copy(a, item->entity);
	copy->project.at = str_copy(a, item->project);
	copy->name.at = str_copy(a, item->name);
	return copy;
}

/* The next run, in the arena; NULL if there is none, or a thread failed. */
static const struct verify_item *take(struct pool *p, struct db *db, struct arena *a)
{
	const struct verify_item *item = NULL;

	pthread_mutex_lock(&p->lock);
	p->at_end |= is_over(p);
	if (p->at_end)
		p->next = p->item_count;
	if (!p->stop && !p->at_end && p->next == p->item_count) {
		err_t e = fetch(p, db);

		if (e && !p->failure && !is_over(p))
			p->failure = err_wrap(p->arena, e, "cannot list the runs");
		p->stop |= e != NULL;
	}
	if (!p->stop && p->next < p->item_count)
		item = copy_item(a, &p->items[p->next++]);
	pthread_mutex_unlock(&p->lock);
	return item;
}

static void add_up(struct pool *p, const struct verify_run *v, err_t e)
{
	bool given_up = e && is_over(p);

	pthread_mutex_lock(&p->lock);
	p->sum.runs += !given_up;
	p->sum.rows += v->item->row_count;
	p->sum.chunks += v->sum.chunks;
	p->sum.blocks += v->sum.blocks;
	p->sum.lines += v->sum.lines;
	p->sum.files += v->sum.files;
	p->sum.bytes += v->sum.bytes;
	p->sum.faults += v->sum.faults;
	if (e && !given_up && !p->failure)
		p->failure = err_wrap(p->arena, e, "run \"%.*s/%.*s/%.*s\"",
				      STR_ARG(v->item->entity), STR_ARG(v->item->project),
				      STR_ARG(v->item->name));
	p->stop |= e != NULL;
	pthread_mutex_unlock(&p->lock);
}

static void work(struct pool *p, struct db *db, struct verify_run *v)
{
	const struct verify_item *item;

	while ((item = take(p, db, v->arena))) {
		v->item = item;
		add_up(p, v, verify_run(v));
		*v = (struct verify_run){
			.db = db,
			.codec = v->codec,
			.metrics = p->metrics,
			.arena = v->arena,
			.slice = v->slice,
			.answer = v->answer,
			.one = v->one,
			.ask = p->ask,
			.fault_lock = &p->fault_lock,
		};
		arena_reset(v->one);
		arena_reset(v->slice);
		arena_reset(v->answer);
		arena_reset(v->arena);
	}
}

static void fail(struct pool *p, err_t e)
{
	pthread_mutex_lock(&p->lock);
	if (!p->failure && !is_over(p))
		p->failure = err_wrap(p->arena, e, "cannot open the database");
	p->stop = true;
	pthread_mutex_unlock(&p->lock);
}

static void *run_worker(void *context)
{
	struct pool *p = context;
	struct verify_run v = {
		.codec = codec_new(),
		.metrics = p->metrics,
		.arena = arena_new(64 << 10),
		.slice = arena_new(64 << 10),
		.answer = arena_new(64 << 10),
		.one = arena_new(64 << 10),
		.ask = p->ask,
		.fault_lock = &p->fault_lock,
	};
	struct db *db = NULL;
	err_t e = open_database(p, v.answer, &db);

	if (e) {
		fail(p, e);
	} else {
		v.db = db;
		work(p, db, &v);
		db_set_arena(db, v.answer);
		db_close(db);
	}
	arena_free(v.one);
	arena_free(v.answer);
	arena_free(v.slice);
	arena_free(v.arena);
	codec_free(v.codec);
	pthread_mutex_lock(&p->lock);
	p->running--;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- what is of no run ------------------------------------------------------------------------ */

static void tell(struct pool *p, enum verify_part part, const struct verify_item *item,
		 const char *message)
{
	const struct verify_fault fault = {
		.part = part,
		.run = item,
		.writer = -1,
		.message = message,
	};

	p->sum.faults++;
	p->ask->fault(p->ask->p, &fault);
}

static err_t check_directory(struct pool *p, struct db *db)
{
	struct verify_item *items;
	size_t count;
	err_t e;

	if (p->ask->scope.run_id)
		return NULL;
	e = verify_store_list_lost_runs(db, p->ask->scope.project_id, &items, &count);
	for (size_t i = 0; i < count && !e; i++)
		tell(p, VERIFY_DIRECTORY, &items[i],
		     "the run exists only in the directory: its counters are missing");
	if (!e)
		e = verify_store_list_bad_projects(db, p->ask->scope.project_id, &items, &count);
	for (size_t i = 0; i < count && !e; i++)
		tell(p, VERIFY_DIRECTORY, &items[i],
		     arena_printf(db_arena(db),
				  "its count of metric names is wrong, or a metric name has an "
				  "invalid number: %lld names %s",
				  llabs(items[i].row_count),
				  items[i].row_count > 0 ? "too many" : "are missing"));
	return e;
}

static void tell_row(struct pool *p, struct arena *a, const struct verify_row *row, bool is_stray)
{
	const struct verify_item item = {
		.run_id = row->run_id,
		.project_id = row->project_id,
		.entity = row->entity,
		.project = row->project,
		.name = row->name,
	};

	tell(p, VERIFY_ROW, &item,
	     is_stray ? arena_printf(a, "%.*s has rows of %.*s, a run that does not exist",
				     STR_ARG(row->table_name), STR_ARG(row->row_name))
		      : arena_printf(a, VERIFY_ROW_FORMAT, VERIFY_ROW_ARGS(row)));
}

/* Checks rows that belong to no run: the directory, users, keys, counts. */
static err_t check_rows(struct pool *p, struct db *db)
{
	struct verify_row *rows;
	size_t count;
	err_t e = verify_store_list_directory_rows(db, &p->ask->scope, &rows, &count);

	for (size_t i = 0; i < count && !e; i++)
		tell_row(p, db_arena(db), &rows[i], false);
	if (!e)
		e = verify_store_list_artifact_rows(db, &p->ask->scope, &rows, &count);
	for (size_t i = 0; i < count && !e; i++)
		tell_row(p, db_arena(db), &rows[i], false);
	if (!e)
		e = verify_store_list_sweep_rows(db, &p->ask->scope, &rows, &count);
	for (size_t i = 0; i < count && !e; i++)
		tell_row(p, db_arena(db), &rows[i], false);
	if (e || p->ask->scope.project_id)
		return e;
	e = verify_store_list_server_rows(db, &rows, &count);
	for (size_t i = 0; i < count && !e; i++)
		tell_row(p, db_arena(db), &rows[i], false);
	if (!e)
		e = verify_store_list_stray_rows(db, &rows, &count);
	for (size_t i = 0; i < count && !e; i++)
		tell_row(p, db_arena(db), &rows[i], true);
	return e;
}

static void tell_artifact(void *context, const struct verify_item *item, const char *message)
{
	tell(context, VERIFY_ARTIFACT, item, message);
}

/* NEEDSWORK: one thread reads all content of artifacts, before the threads that read runs begin. */
static err_t check_artifacts(struct pool *p, struct db *db, struct arena *a)
{
	struct verify_artifacts v = {
		.db = db,
		.answer = arena_new(64 << 10),
		.one = arena_new(64 << 10),
		.ask = p->ask,
		.sum = &p->sum,
		.tell = tell_artifact,
		.p = p,
	};
	err_t e = verify_artifacts(&v);

	if (e)
		e = err_copy(a, e);
	db_set_arena(db, a);
	arena_free(v.one);
	arena_free(v.answer);
	return e;
}

static err_t check_sweeps(struct pool *p, struct db *db)
{
	struct verify_words *faults;
	size_t count;
	err_t e = verify_store_list_sweep_faults(db, &p->ask->scope, &faults, &count);

	for (size_t i = 0; i < count && !e; i++) {
		const struct verify_item item = {
			.project_id = faults[i].project_id,
			.entity = faults[i].entity,
			.project = faults[i].project,
		};

		tell(p, VERIFY_SWEEP, &item,
		     arena_printf(db_arena(db), "%.*s", STR_ARG(faults[i].message)));
	}
	return e;
}

static err_t begin(struct pool *p, struct arena *a)
{
	struct db *db;
	err_t e = open_database(p, a, &db);

	if (e)
		return e;
	e = verify_store_total(db, &p->ask->scope, &p->sum.total);
	if (!e && !p->ask->until_us)
		e = check_directory(p, db);
	if (!e && !p->ask->until_us)
		e = check_rows(p, db);
	if (!e && !p->ask->until_us)
		e = check_artifacts(p, db, a);
	if (!e && !p->ask->until_us)
		e = check_sweeps(p, db);
	db_close(db);
	return e;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static struct timespec soon(void)
{
	int64_t at_us = clock_mono_us() + LOOK_MS * INT64_C(1000);

	return clock_timespec(at_us);
}

/* Until the last worker has ended. */
static void watch(struct pool *p)
{
	struct verify_sum sum;
	bool more;

	do {
		struct timespec until = soon();

		pthread_mutex_lock(&p->lock);
		if (p->running)
			pthread_cond_timedwait(&p->changed, &p->lock, &until);
		more = p->running > 0;
		sum = p->sum;
		pthread_mutex_unlock(&p->lock);
		pthread_mutex_lock(&p->fault_lock);
		p->ask->progress(p->ask->p, &sum);
		pthread_mutex_unlock(&p->fault_lock);
	} while (more);
}

static err_t run_all(struct pool *p)
{
	pthread_t threads[VERIFY_JOBS_MAX];
	int started = 0;

	while (started < p->ask->jobs && thread_start(&threads[started], "verify", run_worker, p)) {
		pthread_mutex_lock(&p->lock);
		p->running++;
		pthread_mutex_unlock(&p->lock);
		started++;
	}
	if (!started)
		return err_new(p->arena, ERR_INTERNAL, "cannot start a thread");
	watch(p);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return p->failure;
}

static void init_pool(struct pool *p, const struct verify_ask *ask)
{
	*p = (struct pool){ .ask = ask, .after = INT64_MIN };
	p->arena = arena_new(4096);
	p->metrics = metric_cache_new(KEY_NAMES);
	p->list = arena_new(64 << 10);
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->fault_lock, NULL);
	clock_cond_init(&p->changed);
}

static void deinit_pool(struct pool *p)
{
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->fault_lock);
	pthread_mutex_destroy(&p->lock);
	arena_free(p->list);
	arena_free(p->arena);
	metric_cache_free(p->metrics);
}

err_t verify_all(struct arena *a, const struct verify_ask *ask, struct verify_sum *ret_sum)
{
	struct pool p;
	err_t e;

	init_pool(&p, ask);
	e = begin(&p, a);
	if (!e)
		e = run_all(&p);
	else if (is_over(&p))
		e = NULL;
	if (e)
		e = err_wrap(a, e, "cannot check everything");
	*ret_sum = p.sum;
	deinit_pool(&p);
	return e;
}
