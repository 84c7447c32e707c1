/*
 * Measures the sizes of runs, after they were compacted, moved or rewound: one index range of each,
 * of which only lengths are read. The compactor and requests report the runs; those that a server
 * did not measure before it died are found now and then. The use of the files' disk is recorded
 * once a day.
 *
 * Counting at each compaction was rejected: it would have to know the old
 * size of each chunk that it rewrites.
 */
#include "clock.h"
#include "content.h"
#include "job.h"
#include "run_store.h"
#include "server_store.h"
#include "usage_store.h"

enum {
	PERIOD_US = 1000 * 1000,
	TOTAL_PERIOD_US = 5 * 1000 * 1000,
	MISSED_AT_ONCE = 10000,
	TIMEOUT_MS = 30000,
	LOCK_TIMEOUT_MS = 500,
};
/* The work of a pass takes at most a twentieth of a core. */
static const struct job_rest job_pause = { .times = 20, .most_us = INT64_MAX };
#define HOUR_US (INT64_C(3600) * 1000 * 1000)

static err_t save_locked(struct job *job, int64_t run_id, int64_t bytes, int64_t seq)
{
	struct run *run;
	err_t e = run_store_lock_any(job->db, run_id, &run);

	return e || run->purging ? e : usage_store_save(job->db, run, bytes, seq);
}

static err_t measure(struct job *job, const void *what)
{
	const struct run_set_item *item = what;
	struct run *run;
	int64_t bytes;
	size_t count;
	err_t e;

	e = run_store_list(job->db, &item->run_id, 1, &run, &count);
	if (e || !count || run->purging)
		return e;
	e = usage_store_measure(job->db, item->run_id, &bytes);
	if (!e)
		e = db_begin(job->db, TIMEOUT_MS, LOCK_TIMEOUT_MS);
	if (e)
		return e;
	e = save_locked(job, item->run_id, bytes, run->compact_seq);
	if (!e)
		return db_commit(job->db);
	db_rollback(job->db);
	if (db_err_is(e, DB_LOCK_NOT_AVAILABLE))
		run_set_add(job->to_measure, *item);
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || e->kind == ERR_NOT_FOUND ? NULL : e;
}

/* A busy run is reported again while it is measured: each run once a pass. */
static err_t measure_told(struct job *job)
{
	size_t waiting = run_set_count(job->to_measure);
	struct run_set_item item;
	err_t failed = NULL;

	for (size_t i = 0; i < waiting && !atomic_load(job->stop); i++) {
		err_t e;

		if (!run_set_take(job->to_measure, 0, &item))
			break;
		e = job_work(job, item.run_id, measure, &item);
		if (e && !db_is_up(job->db))
			return e;
		if (e && !failed)
			failed = e;
		if (!e)
			atomic_fetch_add(&job->done, 1);
	}
	return failed;
}

static err_t find_missed(struct job *job)
{
	int64_t after = INT64_MIN;
	int64_t *run_ids;
	size_t count;
	err_t e;

	do {
		e = usage_store_list_missed(job->db, after, MISSED_AT_ONCE, &run_ids, &count);
		for (size_t i = 0; !e && i < count; i++) {
			after = run_ids[i];
			run_set_add(job->to_measure, (struct run_set_item){ .run_id = after });
		}
	} while (!e && count == MISSED_AT_ONCE && !atomic_load(job->stop));
	return e;
}

/* Once a day is enough to predict when the disk will be full. */
static err_t sample_disk(struct job *job)
{
	struct content_room room;
	struct disk_forecast_sample now;
	err_t e = content_room(job->content, job->arena, &room);

	if (!e)
		e = server_store_now(job->db, &now.at);
	if (e)
		return e;
	now.used_bytes = room.size_bytes - room.free_bytes;
	return usage_store_sample_disk(job->db, &now, room.size_bytes);
}

static err_t do_hourly(struct job *job)
{
	err_t e = find_missed(job);

	return e ? e : sample_disk(job);
}

static err_t read_room(struct job *job)
{
	struct content_room room;
	err_t e = content_room(job->content, job->arena, &room);

	if (e)
		return e;
	atomic_store(&job->disk->free_bytes, room.free_bytes);
	atomic_store(&job->disk->size_bytes, room.size_bytes);
	return NULL;
}

static err_t read_total(struct job *job)
{
	int64_t bytes;
	err_t e = usage_store_total(job->db, &bytes);

	if (e)
		return e;
	atomic_store(job->stored_bytes, bytes);
	return read_room(job);
}

static bool is_time(int64_t *last_us, int64_t now_us, int64_t period_us)
{
	if (*last_us && now_us - *last_us < period_us)
		return false;
	*last_us = now_us;
	return true;
}

/* Other work of a pass counts like a run. */
static err_t do_counted(struct job *job, err_t (*work)(struct job *))
{
	int64_t began_us = clock_mono_us();
	err_t e = work(job);

	job_took(job, clock_mono_us() - began_us);
	return e;
}

err_t usage_pass(struct job *job, int64_t *ret_again_us)
{
	int64_t began_us = clock_mono_us();
	err_t e = NULL;

	*ret_again_us = PERIOD_US;
	if (is_time(&job->seldom_us, began_us, HOUR_US))
		e = do_counted(job, do_hourly);
	if (!e)
		e = measure_told(job);
	if (!e && is_time(&job->total_us, began_us, TOTAL_PERIOD_US))
		e = do_counted(job, read_total);
	job_rest(job, &job_pause);
	return e;
}
