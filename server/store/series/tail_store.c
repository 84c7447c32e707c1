#include "tail_store.h"

#include <assert.h>

#include "column.h"
#include "run_store.h"
#include "store_sql.h"
#include "tail_packs.h"

enum { RECYCLE_TIMEOUT_MS = 10000, RECYCLE_LOCK_TIMEOUT_MS = 100 };

static const struct db_column ring_columns[] = {
	DB_COLUMN(struct tail_ring, slot),
	DB_COLUMN(struct tail_ring, opened_at),
};
static const struct db_row_table tail_ring_table = DB_ROW_TABLE(struct tail_ring, ring_columns);

struct there_row {
	bool there;
};
static const struct db_column there_columns[] = { DB_COLUMN(struct there_row, there) };
static const struct db_row_table there_table = DB_ROW_TABLE(struct there_row, there_columns);

struct slot_bytes {
	int64_t bytes;
};
static const struct db_column slot_bytes_columns[] = { DB_COLUMN(struct slot_bytes, bytes) };
static const struct db_row_table slot_bytes_table =
	DB_ROW_TABLE(struct slot_bytes, slot_bytes_columns);

static const struct db_column pending_columns[] = {
	DB_COLUMN(struct pending_row, seq),        DB_COLUMN(struct pending_row, kind),
	DB_COLUMN(struct pending_row, writer),     DB_COLUMN(struct pending_row, row_first),
	DB_COLUMN(struct pending_row, row_count),  DB_COLUMN(struct pending_row, step_base),
	DB_COLUMN(struct pending_row, size_bytes), DB_BYTES(struct pending_row, data),
};
const struct db_row_table pending_table = DB_ROW_TABLE(struct pending_row, pending_columns);

/* ---- writing ---------------------------------------------------------------------------------- */

struct db_args tail_store_insert_args(struct arena *a, int16_t slot, const struct tail_row *rows,
				      size_t n)
{
	const struct db_param params[] = {
		P_INT2(slot),
		COLUMN(a, DB_INT8_ARRAY, rows, n, run_id),
		COLUMN(a, DB_INT8_ARRAY, rows, n, seq),
		COLUMN(a, DB_INT2_ARRAY, rows, n, kind),
		COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
		COLUMN(a, DB_INT8_ARRAY, rows, n, row_first),
		COLUMN(a, DB_INT4_ARRAY, rows, n, row_count),
		COLUMN(a, DB_INT8_ARRAY, rows, n, step_base),
		COLUMN(a, DB_INT8_ARRAY, rows, n, size_bytes),
		COLUMN(a, DB_BYTEA_ARRAY, rows, n, data),
		COLUMN(a, DB_BYTEA_ARRAY, rows, n, marks),
		COLUMN(a, DB_INT8_ARRAY, rows, n, time_first),
		COLUMN(a, DB_INT8_ARRAY, rows, n, time_last),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

/* ---- reading ---------------------------------------------------------------------------------- */

static struct str find_pending_pack(const void *p)
{
	const struct pending_row *row = p;

	return row->writer == TAIL_PACK ? row->data : (struct str){ 0 };
}

static bool make_pending(const void *ask, const void *p, const struct pack_block *block,
			 void *ret_row)
{
	const struct pending_row *row = p;
	struct pending_row *to = ret_row;

	(void)ask;
	to->writer = block->writer;
	to->row_count = (int32_t)block->row_count;
	to->row_first = row->row_first + block->row_offset;
	to->step_base = block->step_base;
	to->size_bytes = block->size_bytes;
	to->data = block->data;
	return true;
}

static const struct pack_shape pending_shape = { sizeof(struct pending_row), find_pending_pack,
						 make_pending };

err_t tail_store_pending(struct db *db, struct codec *codec, int64_t run_id, int64_t after_seq,
			 struct pending_row **ret_rows, size_t *ret_count)
{
	err_t e;

	e = db_all(db, &STMT_tail_pending,
		   DB_ARGS(P_INT8(run_id), P_INT8(after_seq), P_INT8(PENDING_BLOCKS),
			   P_INT8(PENDING_BYTES)),
		   &pending_table, (void **)ret_rows, ret_count);
	return e ? e
		 : tail_unpack(codec, db_arena(db), &pending_shape, NULL, (void **)ret_rows,
			       ret_count);
}

err_t tail_store_has_all(struct db *db, int64_t run_id, int64_t after_seq, int64_t seq,
			 bool *ret_there)
{
	struct there_row *row;
	err_t e;

	e = db_first(db, &STMT_tail_has_all,
		     DB_ARGS(P_INT8(run_id), P_INT8(after_seq), P_INT8(seq)), &there_table,
		     (void **)&row);
	if (!e)
		*ret_there = row && row->there;
	return e;
}

/* ---- the ring --------------------------------------------------------------------------------- */

static err_t read_ring(struct db *db, const struct db_stmt *stmt, struct tail_ring *ret_ring)
{
	void *row;
	err_t e;

	e = db_first(db, stmt, DB_NO_ARGS, &tail_ring_table, &row);
	if (e)
		return e;
	if (!row)
		return err_new(db_arena(db), ERR_INTERNAL, "the table \"tail_ring\" is empty");
	*ret_ring = *(struct tail_ring *)row;
	return NULL;
}

err_t tail_store_ring(struct db *db, struct tail_ring *ret_ring)
{
	return read_ring(db, &STMT_tail_ring_read, ret_ring);
}

err_t tail_store_ring_lock(struct db *db, struct tail_ring *ret_ring)
{
	return read_ring(db, &STMT_tail_ring_lock, ret_ring);
}

err_t tail_store_ring_move(struct db *db, int16_t slot, timestamp_us now)
{
	return db_exec(db, &STMT_tail_ring_move, DB_ARGS(P_INT2(slot), P_TIME(now)), NULL);
}

err_t tail_store_slot_bytes(struct db *db, int16_t slot, int64_t *ret_bytes)
{
	struct slot_bytes *row;
	err_t e;

	e = db_first(db, &STMT_tail_slot_bytes, DB_ARGS(P_INT2(slot)), &slot_bytes_table,
		     (void **)&row);
	if (!e)
		*ret_bytes = row ? row->bytes : 0;
	return e;
}

err_t tail_store_slot_used(struct db *db, int16_t slot, bool *ret_used)
{
	struct there_row *row;
	err_t e;

	e = db_first(db, &STMT_tail_slot_used, DB_ARGS(P_INT2(slot)), &there_table, (void **)&row);
	if (!e)
		*ret_used = row && row->there;
	return e;
}

err_t tail_store_slot_runs(struct db *db, int16_t slot, int64_t limit, int64_t **ret_run_ids,
			   size_t *ret_count)
{
	return db_all(db, &STMT_tail_slot_runs, DB_ARGS(P_INT2(slot), P_INT8(limit)), &run_id_table,
		      (void **)ret_run_ids, ret_count);
}

static const struct db_stmt *lock_stmt(int16_t slot)
{
	const struct db_stmt *const stmts[TAIL_SLOTS] = {
		&STMT_tail_lock_0, &STMT_tail_lock_1, &STMT_tail_lock_2, &STMT_tail_lock_3,
		&STMT_tail_lock_4, &STMT_tail_lock_5, &STMT_tail_lock_6, &STMT_tail_lock_7,
	};

	assert(slot >= 0 && slot < TAIL_SLOTS);
	return stmts[slot];
}

static const struct db_stmt *truncate_stmt(int16_t slot)
{
	const struct db_stmt *const stmts[TAIL_SLOTS] = {
		&STMT_tail_truncate_0, &STMT_tail_truncate_1, &STMT_tail_truncate_2,
		&STMT_tail_truncate_3, &STMT_tail_truncate_4, &STMT_tail_truncate_5,
		&STMT_tail_truncate_6, &STMT_tail_truncate_7,
	};

	assert(slot >= 0 && slot < TAIL_SLOTS);
	return stmts[slot];
}

/* TRUNCATE locks readers out, so it comes only after all checks: until then they go on. */
static err_t recycle_locked(struct db *db, int16_t slot, bool *ret_done)
{
	int64_t *pending;
	size_t count;
	err_t e;

	e = db_exec(db, lock_stmt(slot), DB_NO_ARGS, NULL);
	if (!e)
		e = tail_store_slot_runs(db, slot, 1, &pending, &count);
	if (e || count)
		return e;
	*ret_done = true;
	return db_exec(db, truncate_stmt(slot), DB_NO_ARGS, NULL);
}

err_t tail_store_recycle(struct db *db, int16_t slot, bool *ret_done)
{
	err_t e;

	*ret_done = false;
	e = db_begin(db, RECYCLE_TIMEOUT_MS, RECYCLE_LOCK_TIMEOUT_MS);
	if (!e)
		e = recycle_locked(db, slot, ret_done);
	if (!e)
		return db_commit(db);
	db_rollback(db);
	*ret_done = false;
	/* a deadlock: another transaction read the slot and waits to write a late block into it */
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) || db_err_is(e, DB_DEADLOCK) ? NULL : e;
}
