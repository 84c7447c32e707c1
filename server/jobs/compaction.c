#include "compaction.h"

#include <stdlib.h>

#include "arena.h"
#include "clock.h"
#include "job.h"
#include "run_store.h"
#include "writer_marks.h"

enum { SAVE_TIMEOUT_MS = 60000, LOCK_TIMEOUT_MS = 1000, SCRATCH_BYTES = 1 << 20 };
enum { DUE_BLOCKS = 64, DUE_BYTES = 2 << 20, SPREAD = 16 };

/*
 * The amount rewritten at each compaction grows with a run's keys and writers, not with the new
 * data. So a run that is written to without a pause rests after it for a multiple of the time that
 * it took: each rewrite of the existing data then takes in as many times more new data.
 */
enum { REST_MIN_US = 6000 * 1000, REST_MAX_US = 10 * 1000 * 1000, REST_TIMES = 20 };
enum { PRESSING_BLOCKS = 8192, PRESSING_BYTES = 32 << 20 };

bool compaction_is_due(const struct tail_load *load)
{
	int spread = load->writers < 1 ? 1 : load->writers < SPREAD ? load->writers : SPREAD;

	if (load->ended)
		return load->blocks > 0;
	return load->blocks >= DUE_BLOCKS * spread || load->bytes >= (int64_t)DUE_BYTES * spread;
}

bool compaction_is_pressing(const struct tail_load *load)
{
	return load->blocks >= PRESSING_BLOCKS || load->bytes >= PRESSING_BYTES;
}

static int64_t bytes_of(const struct compaction *c)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < c->pending_count; i++)
		bytes += c->pending[i].size_bytes;
	return bytes;
}

static err_t overtaken(struct compaction *c)
{
	return err_new(c->arena, ERR_BUSY, "another server is compacting the run");
}

static err_t save(struct compaction *c, int64_t compact_seq)
{
	struct run *run;
	err_t e;

	e = chunk_store_drop(c->db, c->run_id, c->replaced, c->replaced_count);
	if (!e)
		e = chunk_store_save(c->db, c->run_id, c->chunks, c->chunk_count);
	if (!e)
		e = chunk_store_save_keys(c->db, c->run_id, c->keys, c->key_count);
	if (!e)
		e = compaction_console(c);
	if (!e)
		e = run_store_lock_any(c->db, c->run_id, &run);
	if (e)
		return e;
	if (run->compact_seq != compact_seq || run->purging)
		return overtaken(c);
	e = marks_store_fold(c->db, c->run_id, c->marks, c->mark_count);
	if (e)
		return e;
	return chunk_store_compacted(c->db, c->run_id,
				     &(struct compacted){
					     .seq = c->seq_last,
					     .blocks = (int32_t)c->pending_count,
					     .bytes = bytes_of(c),
					     .console_chunks = c->new_consoles,
					     .console_lines = c->new_lines,
				     });
}

static err_t save_all(struct compaction *c, int64_t compact_seq)
{
	err_t e;

	e = db_begin(c->db, SAVE_TIMEOUT_MS, LOCK_TIMEOUT_MS);
	if (!e)
		e = save(c, compact_seq);
	if (!e)
		return db_commit(c->db);
	db_rollback(c->db);
	return e;
}

/* A run that is purged keeps nothing: its tail only has to release the slots. */
static err_t drop(struct db *db, const struct run *run)
{
	const struct compacted all = {
		.seq = run->next_seq - 1,
		.blocks = run->tail_rows,
		.bytes = run->tail_bytes,
	};

	return chunk_store_compacted(db, run->run_id, &all);
}

static struct tail_load load_of(const struct run *run)
{
	return (struct tail_load){ run->tail_rows, run->tail_bytes, run->next_writer,
				   run_has_ended(run) };
}

/*
 * Data that was read without a lock and is inconsistent is damaged, or was changed in the meantime.
 */
static err_t judge_failure(struct compaction *c, err_t e, int64_t compact_seq)
{
	struct run *run;
	size_t count;

	if (run_store_list(c->db, &c->run_id, 1, &run, &count) || !count ||
	    run->compact_seq == compact_seq)
		return e;
	return overtaken(c);
}

static int by_lane(const void *a, const void *b)
{
	const struct pending_row *x = a;
	const struct pending_row *y = b;

	if (x->kind != y->kind)
		return x->kind - y->kind;
	if (x->writer != y->writer)
		return (x->writer > y->writer) - (x->writer < y->writer);
	if (x->seq != y->seq)
		return (x->seq > y->seq) - (x->seq < y->seq);
	return (x->row_first > y->row_first) - (x->row_first < y->row_first);
}

size_t compaction_lane(const struct compaction *c, size_t first)
{
	const struct pending_row *lane = &c->pending[first];
	size_t count = 1;

	while (first + count < c->pending_count && lane[count].kind == lane->kind &&
	       lane[count].writer == lane->writer)
		count++;
	return count;
}

/* The marks stored with the blocks that are compacted. */
static err_t list_marks(struct compaction *c, int64_t compact_seq)
{
	err_t e;

	e = marks_store_list(c->db, &c->run_id, &compact_seq, 1, &c->marks, &c->mark_count);
	while (!e && c->mark_count && c->marks[c->mark_count - 1].seq > c->seq_last)
		c->mark_count--;
	return e;
}

static err_t put_together(struct compaction *c)
{
	err_t e;

	c->scratch = arena_new(SCRATCH_BYTES);
	e = compaction_series(c);
	arena_free(c->scratch);
	buf_free(&c->bytes);
	return e;
}

static err_t compact(struct compaction *c, const struct run *run)
{
	err_t e;

	e = tail_store_pending(c->db, c->codec, c->run_id, run->compact_seq, &c->pending,
			       &c->pending_count);
	if (e || !c->pending_count)
		return e;
	c->seq_last = c->pending[c->pending_count - 1].seq;
	e = list_marks(c, run->compact_seq);
	if (e)
		return e;
	qsort(c->pending, c->pending_count, sizeof(c->pending[0]), by_lane);
	e = put_together(c);
	if (!e)
		e = save_all(c, run->compact_seq);
	return e && !e->sqlstate ? judge_failure(c, e, run->compact_seq) : e;
}

/* There is more, either seen before or added since. */
static void come_again(struct job *job, const struct run_set_item *item, const struct run *run,
		       const struct compaction *c)
{
	struct run_set_item again = *item;
	struct tail_load left = load_of(run);

	left.blocks -= (int32_t)c->pending_count;
	left.bytes -= bytes_of(c);
	again.pressing = compaction_is_pressing(&left);
	run_set_add(job->to_compact, again);
}

static void rest(struct job *job, int64_t run_id, int64_t taken_us)
{
	int64_t rest_us = taken_us * REST_TIMES;

	if (rest_us < REST_MIN_US)
		rest_us = REST_MIN_US;
	if (rest_us > REST_MAX_US)
		rest_us = REST_MAX_US;
	run_set_put_off(job->to_compact, run_id, clock_mono_us() + rest_us, RUN_SET_REST);
}

err_t compaction_run(struct job *job, const struct run_set_item *item)
{
	struct compaction c = {
		.db = job->db,
		.arena = db_arena(job->db),
		.codec = job->codec,
		.run_id = item->run_id,
	};
	int64_t began_us = clock_mono_us();
	struct tail_load load;
	struct run *run;
	size_t count;
	err_t e;

	e = run_store_list(job->db, &item->run_id, 1, &run, &count);
	if (e || !count)
		return e;
	if (run->purging)
		return drop(job->db, run);
	load = load_of(run);
	if (!item->whatever && !compaction_is_due(&load))
		return NULL;
	e = compact(&c, run);
	if (e || !c.pending_count)
		return e;
	atomic_fetch_add(&job->done, 1);
	run_set_add(job->to_measure, *item);
	if (!load.ended)
		rest(job, item->run_id, clock_mono_us() - began_us);
	if (c.seq_last + 1 < run->next_seq)
		come_again(job, item, run, &c);
	return NULL;
}
