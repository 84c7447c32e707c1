/*
 * The tail is a ring of slots. The open one is left when it is old or large and the next is empty; the
 * others are emptied once nothing in them waits for compaction. When all are full, writers stay in the
 * open one: nothing is lost, it only grows.
 */
#include "arena.h"
#include "job.h"
#include "log.h"
#include "series_store.h"
#include "server_store.h"

enum {
	PERIOD_US = 2 * 1000 * 1000,
	RUNS_AT_ONCE = 10000,
	MOVE_TIMEOUT_MS = 5000,
	MOVE_LOCK_TIMEOUT_MS = 500,
};
#define SLOT_AGE_US INT64_C(600000000)
#define SLOT_BYTES (INT64_C(256) << 20)

/* Under the ring's lock: another server may have moved it meanwhile. */
static err_t move_locked(struct job *job, int16_t from, int16_t to, timestamp_us now)
{
	struct tail_ring ring;
	bool pending;
	bool used;
	err_t e;

	e = series_store_ring_lock(job->db, &ring);
	if (e || ring.slot != from)
		return e;
	e = series_store_slot_state(job->db, to, &used, &pending);
	if (e || used)
		return e;
	atomic_fetch_add(&job->done, 1);
	return series_store_ring_move(job->db, to, now);
}

static err_t move(struct job *job, int16_t from, timestamp_us now)
{
	int16_t to = (int16_t)((from + 1) % TAIL_SLOTS);
	err_t e;

	e = db_begin(job->db, MOVE_TIMEOUT_MS, MOVE_LOCK_TIMEOUT_MS);
	if (!e)
		e = move_locked(job, from, to, now);
	if (!e)
		return db_commit(job->db);
	db_rollback(job->db);
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) ? NULL : e;
}

static err_t empty(struct job *job, int16_t slot)
{
	int64_t *runs;
	bool pending;
	bool used;
	bool done;
	size_t count;
	err_t e;

	e = series_store_slot_state(job->db, slot, &used, &pending);
	if (e || !used)
		return e;
	if (!pending)
		return series_store_recycle(job->db, slot, &done);
	e = series_store_slot_runs(job->db, slot, RUNS_AT_ONCE, &runs, &count);
	for (size_t i = 0; !e && i < count; i++)
		run_set_add(job->to_compact,
			    (struct run_set_item){ .run_id = runs[i], .whatever = true });
	return e;
}

err_t ring_pass(struct job *job, int64_t *ret_again_us)
{
	struct tail_ring ring;
	timestamp_us now;
	int64_t bytes = 0;
	err_t e;

	*ret_again_us = PERIOD_US;
	e = server_store_now(job->db, &now);
	if (!e)
		e = series_store_ring(job->db, &ring);
	if (!e)
		e = series_store_slot_bytes(job->db, ring.slot, &bytes);
	if (!e && (now.us - ring.opened_at.us > SLOT_AGE_US || bytes > SLOT_BYTES))
		e = move(job, ring.slot, now);
	for (int16_t slot = 0; !e && slot < TAIL_SLOTS; slot++) {
		if (slot != ring.slot)
			e = empty(job, slot);
	}
	return e;
}
