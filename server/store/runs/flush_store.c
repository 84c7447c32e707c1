#include "flush_store.h"

#include "column.h"
#include "store_sql.h"

struct start_row {
	timestamp_us now;
	int16_t slot;
};
static const struct db_column start_columns[] = {
	DB_COLUMN(struct start_row, now),
	DB_COLUMN(struct start_row, slot),
};
const struct db_row_table flush_start_table = DB_ROW_TABLE(struct start_row, start_columns);

extern const struct db_row_table run_answer_table;

static err_t read_one(struct db *db, unsigned number, const struct db_row_table *table,
		      void **ret_row)
{
	size_t count;
	err_t e;

	e = db_pipe_all(db, number, table, ret_row, &count);
	if (!e && !count)
		return err_new(db_arena(db), ERR_INTERNAL, "the row of \"%s\" is missing",
			       table->name);
	return e;
}

static err_t read_state(struct db *db, const unsigned *number, struct flush_state *ret_state)
{
	struct start_row *start;
	err_t e;

	e = read_one(db, number[0], &flush_start_table, (void **)&start);
	if (!e)
		e = db_pipe_all(db, number[1], &run_hot_table, (void **)&ret_state->runs,
				&ret_state->run_count);
	if (!e && number[2])
		e = db_pipe_all(db, number[2], &writer_table, (void **)&ret_state->writers,
				&ret_state->writer_count);
	if (e)
		return e;
	ret_state->now = start->now;
	ret_state->slot = start->slot;
	return NULL;
}

static err_t keep_locked(struct db *db, unsigned number, struct flush_state *state)
{
	struct run_id_row *locked;
	size_t count;
	size_t kept = 0;
	err_t e;

	e = db_pipe_all(db, number, &run_id_table, (void **)&locked, &count);
	if (e)
		return e;
	for (size_t i = 0; i < state->run_count; i++) {
		for (size_t j = 0; j < count; j++) {
			if (locked[j].run_id == state->runs[i].run_id) {
				state->runs[kept++] = state->runs[i];
				break;
			}
		}
	}
	state->run_count = kept;
	return NULL;
}

err_t flush_store_begin(struct db *db, const struct flush_ask *ask, struct flush_state *ret_state)
{
	struct db_param runs = P_ARRAY(DB_INT8_ARRAY, ask->run_ids, ask->run_count);
	bool skips = ask->wait == FLUSH_SKIP;
	unsigned locked = 0;
	unsigned number[3] = { 0 };
	err_t e;

	db_pipe_start(db);
	db_pipe_begin_tx_by_key(db, ask->timeout_ms, ask->lock_timeout_ms);
	if (skips)
		locked = db_pipe_add(db, &STMT_run_lock_free, (struct db_args){ &runs, 1 });
	number[1] = db_pipe_add(db, skips ? &STMT_run_hot_list : &STMT_run_lock_list,
				(struct db_args){ &runs, 1 });
	number[0] = db_pipe_add(db, &STMT_flush_start, DB_NO_ARGS);
	if (ask->writer_count)
		number[2] = db_pipe_add(
			db, &STMT_writer_find,
			DB_ARGS(P_ARRAY(DB_INT8_ARRAY, ask->writer_run_ids, ask->writer_count),
				P_ARRAY(DB_TEXT_ARRAY, ask->clients, ask->writer_count)));
	e = db_pipe_run(db);
	if (!e)
		e = read_state(db, number, ret_state);
	if (!e && skips)
		e = keep_locked(db, locked, ret_state);
	return e;
}

static void add_changes(struct db *db, const struct flush_writes *w)
{
	struct arena *a = db_arena(db);

	for (size_t i = 0; i < w->change_count; i++)
		db_pipe_add(db, &STMT_run_state_insert,
			    run_store_state_args(a, w->changes[i].run_id, &w->changes[i].change,
						 w->now));
	if (w->note_count)
		db_pipe_add(db, &STMT_run_change_note,
			    DB_ARGS(COLUMN(a, DB_INT8_ARRAY, w->notes, w->note_count, run_id),
				    COLUMN(a, DB_INT8_ARRAY, w->notes, w->note_count, project_id),
				    COLUMN(a, DB_INT8_ARRAY, w->notes, w->note_count, seq),
				    P_TIME(w->now)));
}

static void add_answers(struct db *db, const struct flush_writes *w)
{
	for (size_t i = 0; i < w->answer_count; i++) {
		const struct flush_answer *answer = &w->answers[i];

		db_pipe_add(db, &STMT_run_idempotency_insert,
			    DB_ARGS(P_INT8(answer->run_id), P_STR(answer->key),
				    P_BYTEA(answer->digest), P_INT8(answer->row_first),
				    P_INT8(answer->row_count), P_TIME(w->now)));
	}
}

static void add_unread(struct db *db, const struct flush_writes *w)
{
	size_t end;

	for (size_t i = 0; i < w->unread_count; i = end) {
		const struct unread_row *first = &w->unread[i];

		for (end = i + 1; end < w->unread_count; end++) {
			if (w->unread[end].run_id != first->run_id ||
			    w->unread[end].writer != first->writer)
				break;
		}
		db_pipe_add(db, &STMT_run_unread_insert,
			    unread_store_args(db_arena(db), first, end - i));
	}
}

static void add_left_out(struct db *db, const struct flush_writes *w)
{
	for (size_t i = 0; i < w->left_out_count; i++)
		db_pipe_add(db, &STMT_left_out_add,
			    left_out_store_args(db_arena(db), w->left_out[i].run_id,
						w->left_out[i].list, w->now));
}

err_t flush_store_commit(struct db *db, const struct flush_writes *w)
{
	struct arena *a = db_arena(db);

	db_pipe_start(db);
	for (size_t i = 0; i < w->saved_count; i++)
		db_pipe_add(db, &STMT_writer_save, writer_store_save_args(a, &w->saved[i]));
	if (w->replaced_count)
		db_pipe_add(db, &STMT_writer_replace,
			    writer_store_replace_args(a, w->replaced, w->replaced_count));
	if (w->labelled_count)
		db_pipe_add(db, &STMT_writer_label,
			    writer_store_label_args(a, w->labelled, w->labelled_count));
	if (w->tail_count)
		db_pipe_add(db, &STMT_tail_insert,
			    tail_store_insert_args(a, w->slot, w->tail, w->tail_count));
	if (w->run_count)
		db_pipe_add(db, &STMT_run_hot_save,
			    run_store_save_args(a, w->version, w->runs, w->run_count));
	if (w->writer_count)
		db_pipe_add(db, &STMT_writer_advance,
			    writer_store_advance_args(a, w->writers, w->writer_count));
	add_changes(db, w);
	add_answers(db, w);
	add_unread(db, w);
	add_left_out(db, w);
	if (w->sent_count)
		db_pipe_add(db, &STMT_sent_save,
			    document_store_sent_args(a, w->sent, w->sent_count));
	db_pipe_commit_tx(db);
	return db_pipe_run(db);
}

err_t flush_store_find_answer(struct db *db, int64_t run_id, struct str key,
			      struct run_answer **ret_answer)
{
	return db_first(db, &STMT_run_idempotency_find, DB_ARGS(P_INT8(run_id), P_STR(key)),
			&run_answer_table, (void **)ret_answer);
}
