/*
 * The tail is a ring of slots. The open one is closed when it is old or large and another is empty;
 * the others are emptied once nothing in them waits for compaction. When all are full, writers stay
 * in the open one: nothing is lost, it only grows.
 */
#include "arena.h"
#include "job.h"
#include "log.h"
#include "server_store.h"
#include "tail_store.h"

enum {
	PERIOD_US = 2 * 1000 * 1000,
	RUNS_AT_ONCE = 10000,
	MOVE_TIMEOUT_MS = 5000,
	MOVE_LOCK_TIMEOUT_MS = 500,
};
#define SLOT_AGE_US INT64_C(600000000)
#define SLOT_BYTES (INT64_C(256) << 20)

/*
 * The next empty slot; *ret_slot stays the open one when there is none. Any of them is fine: the
 * order of blocks is their seq, not their slot.
 */
static err_t find_empty(struct job *job, int16_t open, int16_t *ret_slot)
{
	*ret_slot = open;
	for (int i = 1; i < TAIL_SLOTS; i++) {
		int16_t slot = (int16_t)((open + i) % TAIL_SLOTS);
		bool used;
		err_t e = tail_store_slot_used(job->db, slot, &used);

		if (e)
			return e;
		if (!used) {
			*ret_slot = slot;
			return NULL;
		}
	}
	return NULL;
}

/* Under the ring's lock: another server may have moved it in the meantime. */
static err_t move_locked(struct job *job, int16_t from, timestamp_us now, bool *ret_moved)
{
	struct tail_ring ring;
	int16_t to;
	err_t e;

	*ret_moved = false;
	e = tail_store_ring_lock(job->db, &ring);
	if (e || ring.slot != from)
		return e;
	e = find_empty(job, from, &to);
	if (e || to == from)
		return e;
	*ret_moved = true;
	return tail_store_ring_move(job->db, to, now);
}

static err_t move(struct job *job, int16_t from, timestamp_us now)
{
	bool moved;
	err_t e;

	e = db_begin(job->db, MOVE_TIMEOUT_MS, MOVE_LOCK_TIMEOUT_MS);
	if (!e)
		e = move_locked(job, from, now, &moved);
	if (!e)
		e = db_commit(job->db);
	if (!e) {
		atomic_fetch_add(&job->done, moved ? 1 : 0);
		return NULL;
	}
	db_rollback(job->db);
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) ? NULL : e;
}

static err_t empty(struct job *job, int16_t slot)
{
	int64_t *runs;
	bool used;
	bool done;
	size_t count;
	err_t e;

	e = tail_store_slot_used(job->db, slot, &used);
	if (e || !used)
		return e;
	e = tail_store_slot_runs(job->db, slot, RUNS_AT_ONCE, &runs, &count);
	if (!e && !count)
		return tail_store_recycle(job->db, slot, &done);
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
		e = tail_store_ring(job->db, &ring);
	if (!e)
		e = tail_store_slot_bytes(job->db, ring.slot, &bytes);
	if (!e && (now.us - ring.opened_at.us > SLOT_AGE_US || bytes > SLOT_BYTES))
		e = move(job, ring.slot, now);
	for (int16_t slot = 0; !e && slot < TAIL_SLOTS; slot++) {
		if (slot != ring.slot)
			e = empty(job, slot);
	}
	return e;
}
