#include "move_store.h"

#include "arena.h"
#include "project_store.h"
#include "run_store.h"
#include "search_store.h"
#include "store_sql.h"
#include "usage_store.h"

static const struct db_column key_columns[] = {
	DB_COLUMN(struct moved_key, key_id),
	DB_COLUMN(struct moved_key, chunks),
};
static const struct db_row_table key_table = DB_ROW_TABLE(struct moved_key, key_columns);

static const struct db_column left_columns[] = {
	DB_COLUMN(struct moved_run, run_id),
	DB_COLUMN(struct moved_run, moved_at),
};
static const struct db_row_table left_table = DB_ROW_TABLE(struct moved_run, left_columns);

struct claim_row {
	timestamp_us moved_at;
};
static const struct db_column claim_columns[] = { DB_COLUMN(struct claim_row, moved_at) };
static const struct db_row_table claim_table = DB_ROW_TABLE(struct claim_row, claim_columns);

static err_t check_size(struct db *db, int64_t most, const struct moved_key *keys, size_t count)
{
	int64_t chunks = 0;

	for (size_t i = 0; i < count; i++)
		chunks += keys[i].chunks;
	if (chunks <= most)
		return NULL;
	return err_new(db_arena(db), ERR_UNPROCESSABLE,
		       "the run has more than %lld chunks of values, the limit for a move",
		       (long long)most);
}

err_t move_store_keys(struct db *db, int64_t run_id, int64_t most, struct moved_key **ret_keys,
		      size_t *ret_count)
{
	err_t e = db_all(db, &STMT_move_keys_of,
			 DB_ARGS(P_INT8(run_id), P_INT8(most < INT64_MAX ? most + 1 : most)),
			 &key_table, (void **)ret_keys, ret_count);

	return e ? e : check_size(db, most, *ret_keys, *ret_count);
}

static err_t name_is_taken(struct db *db)
{
	struct err *e = err_new(db_arena(db), ERR_CONFLICT,
				"the project already has, or had, a run with this id");

	e->hint = "ids of deleted runs are not reused";
	return e;
}

static err_t move_info(struct db *db, const struct run *run, const struct run_moving *m)
{
	struct db_param run_id = P_INT8(run->run_id);
	void *row;
	err_t e = project_store_hold(db, run->project_id);

	if (!e)
		e = db_exec(db, &STMT_move_come_back, DB_ARGS(P_INT8(run->project_id), run_id),
			    NULL);
	if (!e)
		e = db_first(db, &STMT_move_info,
			     DB_ARGS(P_INT8(m->from), P_INT8(run->project_id), run_id),
			     &run_id_table, &row);
	if (e)
		return e;
	if (!row)
		return name_is_taken(db);
	return db_exec(db, &STMT_move_leave,
		       DB_ARGS(P_INT8(m->from), run_id, P_INT8(run->project_id), P_TIME(m->now),
			       P_INT8(m->user_id), P_TEXT(m->reason)),
		       NULL);
}

static err_t mark_left(struct db *db, const struct run *run, const struct run_moving *m)
{
	if (!m->left_at.us)
		return NULL;
	return db_exec(db, &STMT_move_mark_left, DB_ARGS(P_INT8(run->run_id), P_TIME(m->left_at)),
		       NULL);
}

static err_t move_hot(struct db *db, struct run *run, const struct run_moving *m)
{
	err_t e;

	run->document_seq++;
	e = run_store_save(db, run);
	if (!e)
		e = run_store_save_changes(db, run, m->now, m->changes);
	if (!e)
		e = db_exec(db, &STMT_move_hot,
			    DB_ARGS(P_INT8(run->run_id), P_INT8(run->project_id),
				    P_TIME(m->kept_until)),
			    NULL);
	if (!e)
		e = db_exec(db, &STMT_move_deliveries,
			    DB_ARGS(P_INT8(run->run_id), P_INT8(run->project_id)), NULL);
	return e ? e : run_store_note_change(db, run, m->now);
}

/* By project: two runs that are moved in opposite directions do not deadlock. */
static err_t move_usage(struct db *db, const struct run *run, const struct run_moving *m)
{
	struct run left = *run;
	bool is_left_first = m->from < run->project_id;
	err_t e;

	if (!run->size_bytes)
		return NULL;
	left.project_id = m->from;
	e = is_left_first ? usage_store_add(db, &left, -run->size_bytes)
			  : usage_store_add(db, run, run->size_bytes);
	if (e)
		return e;
	return is_left_first ? usage_store_add(db, run, run->size_bytes)
			     : usage_store_add(db, &left, -run->size_bytes);
}

err_t move_store_run(struct db *db, struct run *run, const struct run_moving *moving)
{
	err_t e = move_info(db, run, moving);

	if (!e)
		e = mark_left(db, run, moving);
	if (!e)
		e = move_hot(db, run, moving);
	if (!e)
		e = move_usage(db, run, moving);
	return e ? e : search_store_drop(db, moving->from, run->run_id);
}

err_t move_store_find_left(struct db *db, int64_t project_id, struct str name,
			   struct moved_run **ret_run)
{
	return db_first(db, &STMT_move_find_left, DB_ARGS(P_INT8(project_id), P_STR(name)),
			&left_table, (void **)ret_run);
}

err_t move_store_show_left(struct db *db, int64_t run_id, int16_t visibility)
{
	return db_exec(db, &STMT_move_show_left, DB_ARGS(P_INT8(run_id), P_INT2(visibility)), NULL);
}

err_t move_store_find_claim(struct db *db, int64_t run_id, int64_t entity_id,
			    timestamp_us *ret_moved_at)
{
	struct claim_row *row;
	err_t e = db_first(db, &STMT_move_find_claim, DB_ARGS(P_INT8(run_id), P_INT8(entity_id)),
			   &claim_table, (void **)&row);

	*ret_moved_at = !e && row ? row->moved_at : (timestamp_us){ 0 };
	return e;
}

const struct db_stmt_check move_store_checks[] = {
	{ &STMT_move_find_claim, &claim_table },
	{ &STMT_move_find_left, &left_table },
	{ &STMT_move_keys_of, &key_table },
	{ &STMT_move_info, &run_id_table },
};
const size_t move_store_check_count = sizeof(move_store_checks) / sizeof(move_store_checks[0]);
