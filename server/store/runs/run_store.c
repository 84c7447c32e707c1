#include "run_store.h"

#include "column.h"
#include "id.h"
#include "store_sql.h"
#include "sweep_store.h"

static const struct db_column run_hot_columns[] = {
	DB_COLUMN(struct run, run_id),          DB_COLUMN(struct run, project_id),
	DB_COLUMN(struct run, next_row),        DB_COLUMN(struct run, next_event),
	DB_COLUMN(struct run, next_seq),        DB_COLUMN(struct run, last_step),
	DB_COLUMN(struct run, compact_seq),     DB_COLUMN(struct run, tail_rows),
	DB_COLUMN(struct run, tail_bytes),      DB_COLUMN(struct run, heard_at),
	DB_COLUMN(struct run, look_at),         DB_COLUMN(struct run, state),
	DB_COLUMN(struct run, attempt),         DB_COLUMN(struct run, fallback_state),
	DB_COLUMN(struct run, end_pending),     DB_COLUMN(struct run, next_writer),
	DB_COLUMN(struct run, next_state),      DB_COLUMN(struct run, document_seq),
	DB_COLUMN(struct run, started_at),      DB_NULLABLE(struct run, ended_at),
	DB_COLUMN(struct run, has_exit_code),   DB_COLUMN(struct run, exit_code),
	DB_NULLABLE(struct run, stop_asked_at), DB_NULLABLE(struct run, stop_reason),
	DB_NULLABLE(struct run, deleted_at),    DB_NULLABLE(struct run, purge_at),
	DB_COLUMN(struct run, purging),         DB_COLUMN(struct run, size_bytes),
	DB_COLUMN(struct run, file_count),      DB_COLUMN(struct run, file_bytes),
	DB_COLUMN(struct run, version),         DB_COLUMN(struct run, unread_lines),
	DB_COLUMN(struct run, branch),          DB_COLUMN(struct run, branch_writer),
	DB_COLUMN(struct run, branch_row),      DB_COLUMN(struct run, hidden_rows),
	DB_COLUMN(struct run, alerts),          DB_NULLABLE(struct run, kept_until),
	DB_COLUMN(struct run, left_out),        DB_NULLABLE(struct run, end_reason),
	DB_COLUMN(struct run, end_told),
};
const struct db_row_table run_hot_table = DB_ROW_TABLE(struct run, run_hot_columns);

static const struct db_column run_shown_columns[] = {
	DB_COLUMN(struct run, run_id),          DB_COLUMN(struct run, next_row),
	DB_COLUMN(struct run, next_event),      DB_COLUMN(struct run, unread_lines),
	DB_COLUMN(struct run, last_step),       DB_COLUMN(struct run, heard_at),
	DB_COLUMN(struct run, state),           DB_COLUMN(struct run, attempt),
	DB_COLUMN(struct run, started_at),      DB_NULLABLE(struct run, ended_at),
	DB_COLUMN(struct run, has_exit_code),   DB_COLUMN(struct run, exit_code),
	DB_NULLABLE(struct run, stop_asked_at), DB_NULLABLE(struct run, stop_reason),
	DB_NULLABLE(struct run, deleted_at),    DB_NULLABLE(struct run, purge_at),
	DB_COLUMN(struct run, size_bytes),      DB_COLUMN(struct run, file_count),
	DB_COLUMN(struct run, branch),          DB_COLUMN(struct run, hidden_rows),
	DB_COLUMN(struct run, left_out),        DB_NULLABLE(struct run, end_reason),
};
static const struct db_row_table run_shown_table = DB_ROW_TABLE(struct run, run_shown_columns);

static const struct db_column run_info_columns[] = {
	DB_COLUMN(struct run_info, name),
	DB_COLUMN(struct run_info, run_id),
	DB_COLUMN(struct run_info, display_name),
	DB_COLUMN(struct run_info, job_type),
	DB_COLUMN(struct run_info, group_name),
	DB_COLUMN(struct run_info, sweep),
	DB_COLUMN(struct run_info, notes),
	DB_JSON(struct run_info, tags),
	DB_COLUMN(struct run_info, visibility),
	DB_NULLABLE(struct run_info, color),
	DB_COLUMN(struct run_info, color_number),
	DB_COLUMN(struct run_info, expected_writers),
	DB_NULLABLE(struct run_info, created_by),
	DB_COLUMN(struct run_info, created_at),
	DB_NULLABLE(struct run_info, edited_at),
	DB_NULLABLE(struct run_info, edited_by),
	DB_NULLABLE(struct run_info, deleted_at),
	DB_COLUMN(struct run_info, deleted_who),
	DB_NULLABLE(struct run_info, deleted_by),
	DB_NULLABLE(struct run_info, delete_reason),
	DB_NULLABLE(struct run_info, forked_from),
	DB_COLUMN(struct run_info, forked_step),
	DB_COLUMN(struct run_info, source_visibility),
};
const struct db_row_table run_info_table = DB_ROW_TABLE(struct run_info, run_info_columns);

static const struct db_column run_id_columns[] = { DB_COLUMN(struct run_id_row, run_id) };
const struct db_row_table run_id_table = DB_ROW_TABLE(struct run_id_row, run_id_columns);

static const struct db_column run_sent_columns[] = { DB_JSON(struct run_sent_row, sent) };
const struct db_row_table run_sent_table = DB_ROW_TABLE(struct run_sent_row, run_sent_columns);

static const struct db_column run_state_columns[] = {
	DB_COLUMN(struct run_state_row, number),      DB_COLUMN(struct run_state_row, from_state),
	DB_COLUMN(struct run_state_row, to_state),    DB_COLUMN(struct run_state_row, attempt),
	DB_COLUMN(struct run_state_row, changed_at),  DB_COLUMN(struct run_state_row, who),
	DB_COLUMN(struct run_state_row, writer),      DB_NULLABLE(struct run_state_row, label),
	DB_NULLABLE(struct run_state_row, user_name), DB_COLUMN(struct run_state_row, reason),
};
const struct db_row_table run_state_table = DB_ROW_TABLE(struct run_state_row, run_state_columns);

static const struct db_column run_due_columns[] = {
	DB_COLUMN(struct run_due, run_id),
	DB_COLUMN(struct run_due, project_id),
	DB_COLUMN(struct run_due, crash_after_s),
	DB_COLUMN(struct run_due, look_at),
};
const struct db_row_table run_due_table = DB_ROW_TABLE(struct run_due, run_due_columns);

struct look_row {
	timestamp_us look_at;
};
static const struct db_column look_columns[] = { DB_COLUMN(struct look_row, look_at) };
const struct db_row_table run_look_table = DB_ROW_TABLE(struct look_row, look_columns);

static const struct db_column run_note_columns[] = {
	DB_COLUMN(struct run_note, run_id),
	DB_COLUMN(struct run_note, project_id),
	DB_COLUMN(struct run_note, seq),
};
const struct db_row_table run_note_table = DB_ROW_TABLE(struct run_note, run_note_columns);

static const struct db_column run_answer_columns[] = {
	DB_BYTES(struct run_answer, digest),
	DB_COLUMN(struct run_answer, row_first),
	DB_COLUMN(struct run_answer, row_count),
};
const struct db_row_table run_answer_table = DB_ROW_TABLE(struct run_answer, run_answer_columns);

/* ---- making ---------------------------------------------------------------------------------- */

static err_t insert_hot(struct db *db, const struct run *run, timestamp_us look_at)
{
	return db_exec(db, &STMT_run_insert_hot,
		       DB_ARGS(P_INT8(run->run_id), P_INT8(run->project_id), P_TIME(run->heard_at),
			       P_TIME(look_at), P_INT4(run->attempt), P_INT4(run->next_state),
			       P_INT2(run->state), P_TIME(run->started_at)),
		       NULL);
}

/* A sweep at which no job looks gets a trial by the run. */
static err_t tell_sweep(struct db *db, int64_t project_id, struct str sweep, timestamp_us now)
{
	return sweep.len ? sweep_store_look_named(db, project_id, sweep, now) : NULL;
}

/* The run of a trial is of its sweep, also if its process does not say so. */
static err_t find_sweep(struct db *db, int64_t project_id, const struct run_info *info,
			struct str *ret_sweep)
{
	if (!info->sweep.len)
		return sweep_store_name_of_trial(db, project_id, info->name, ret_sweep);
	*ret_sweep = info->sweep;
	return NULL;
}

err_t run_store_make(struct db *db, int64_t project_id, const struct run_info *info,
		     int64_t user_id, struct run_clock clock, int64_t *ret_run_id)
{
	struct run run = { .run_id = id_snowflake(), .project_id = project_id };
	timestamp_us started_at = info->started_at.us ? info->started_at : clock.now;
	struct run_changes changes = { .count = 0 };
	struct str sweep;
	void *made;
	err_t e = find_sweep(db, project_id, info, &sweep);

	if (e)
		return e;
	e = db_first(db, &STMT_run_insert,
		     DB_ARGS(P_INT8(project_id), P_STR(info->name), P_INT8(run.run_id),
			     P_STR(info->display_name), P_STR(info->job_type),
			     P_STR(info->group_name), P_STR(sweep), P_STR(info->notes),
			     P_JSONB(info->tags), P_INT2(info->visibility), P_INT8(user_id),
			     P_TIME(started_at), P_STR(info->color),
			     P_INT4(info->expected_writers)),
		     &run_id_table, &made);
	if (e)
		return e;
	if (!made) {
		*ret_run_id = 0;
		return NULL;
	}
	if (info->is_pending)
		run_make_pending(&run, clock, user_id, &changes);
	else
		run_make_begun(&run, started_at, clock, user_id, &changes);
	e = insert_hot(db, &run, run.look_at);
	if (e)
		return e;
	e = run_store_save_changes(db, &run, clock.now, &changes);
	if (e)
		return e;
	*ret_run_id = run.run_id;
	e = tell_sweep(db, project_id, sweep, clock.now);
	return e ? e : run_store_note_change(db, &run, clock.now);
}

/* ---- the directory --------------------------------------------------------------------------- */

err_t run_store_find_info(struct db *db, int64_t project_id, struct str name,
			  struct run_info **ret_info)
{
	return db_first(db, &STMT_run_find_info, DB_ARGS(P_INT8(project_id), P_STR(name)),
			&run_info_table, (void **)ret_info);
}

err_t run_store_next_info(struct db *db, int64_t project_id, int64_t after,
			  struct run_info **ret_info)
{
	return db_first(db, &STMT_run_list_after, DB_ARGS(P_INT8(project_id), P_INT8(after)),
			&run_info_table, (void **)ret_info);
}

err_t run_store_list_named(struct db *db, int64_t project_id, const struct str *names, size_t count,
			   struct run_info **ret_infos, size_t *ret_count)
{
	return db_all(db, &STMT_run_list_named,
		      DB_ARGS(P_INT8(project_id), P_ARRAY(DB_TEXT_ARRAY, names, count)),
		      &run_info_table, (void **)ret_infos, ret_count);
}

err_t run_store_list_info(struct db *db, int64_t project_id, const int64_t *run_ids, size_t count,
			  struct run_info **ret_infos, size_t *ret_count)
{
	return db_all(db, &STMT_run_list_info,
		      DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT8_ARRAY, run_ids, count)),
		      &run_info_table, (void **)ret_infos, ret_count);
}

err_t run_store_update_info(struct db *db, int64_t project_id, const struct run_info *info,
			    int64_t user_id, timestamp_us now)
{
	err_t e = db_exec(db, &STMT_run_update_info,
			  DB_ARGS(P_INT8(project_id), P_STR(info->name), P_STR(info->display_name),
				  P_STR(info->job_type), P_STR(info->group_name),
				  P_STR(info->sweep), P_STR(info->notes), P_JSONB(info->tags),
				  P_INT2(info->visibility), P_STR(info->color),
				  P_INT4(info->expected_writers), P_TIME(now), P_INT8(user_id)),
			  NULL);

	return e ? e : tell_sweep(db, project_id, info->sweep, now);
}

err_t run_store_find_sent(struct db *db, int64_t project_id, struct str name, struct str *ret_sent)
{
	struct run_sent_row *row;
	err_t e = db_first(db, &STMT_run_find_sent, DB_ARGS(P_INT8(project_id), P_STR(name)),
			   &run_sent_table, (void **)&row);

	if (e)
		return e;
	*ret_sent = row ? row->sent : (struct str){ NULL, 0 };
	return NULL;
}

err_t run_store_save_sent(struct db *db, int64_t project_id, struct str name, struct str sent)
{
	return db_exec(db, &STMT_run_save_sent,
		       DB_ARGS(P_INT8(project_id), P_STR(name), P_JSONB(sent)), NULL);
}

/* ---- under the lock --------------------------------------------------------------------------- */

err_t run_store_count(struct db *db, int64_t project_id, int64_t *ret_count)
{
	return db_number(db, &STMT_run_count, DB_ARGS(P_INT8(project_id)), ret_count);
}

err_t run_store_list(struct db *db, const int64_t *run_ids, size_t count, struct run **ret_runs,
		     size_t *ret_count)
{
	return db_all(db, &STMT_run_hot_list, DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, count)),
		      &run_hot_table, (void **)ret_runs, ret_count);
}

err_t run_store_list_shown(struct db *db, const int64_t *run_ids, size_t count,
			   struct run **ret_runs, size_t *ret_count)
{
	return db_all(db, &STMT_run_hot_list_shown, DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, count)),
		      &run_shown_table, (void **)ret_runs, ret_count);
}

/* Deleted or not. */
static err_t get_any(struct db *db, int64_t run_id, struct run **ret_run)
{
	struct run *run;
	size_t count;
	err_t e;

	e = run_store_list(db, &run_id, 1, &run, &count);
	if (e)
		return e;
	if (!count)
		return err_new(db_arena(db), ERR_NOT_FOUND, "the run does not exist");
	*ret_run = run;
	return NULL;
}

static err_t check_lives(struct db *db, const struct run *run)
{
	if (run->deleted_at.us)
		return err_new(db_arena(db), ERR_GONE, "the run was deleted");
	return NULL;
}

err_t run_store_get(struct db *db, int64_t run_id, struct run **ret_run)
{
	err_t e = get_any(db, run_id, ret_run);

	return e ? e : check_lives(db, *ret_run);
}

err_t run_store_lock_any(struct db *db, int64_t run_id, struct run **ret_run)
{
	void *locked;
	size_t count;
	err_t e;

	e = db_all(db, &STMT_run_lock, DB_ARGS(P_ARRAY(DB_INT8_ARRAY, &run_id, 1)), &run_id_table,
		   &locked, &count);
	return e ? e : get_any(db, run_id, ret_run);
}

err_t run_store_lock_free(struct db *db, int64_t run_id, struct run **ret_run)
{
	void *locked;
	size_t count;
	err_t e;

	*ret_run = NULL;
	e = db_all(db, &STMT_run_lock_free, DB_ARGS(P_ARRAY(DB_INT8_ARRAY, &run_id, 1)),
		   &run_id_table, &locked, &count);
	return e || !count ? e : get_any(db, run_id, ret_run);
}

err_t run_store_lock(struct db *db, int64_t run_id, struct run **ret_run)
{
	err_t e = run_store_lock_any(db, run_id, ret_run);

	return e ? e : check_lives(db, *ret_run);
}

int64_t run_store_version(void)
{
	int64_t version;

	id_random(&version, sizeof(version));
	return version;
}

struct db_args run_store_save_args(struct arena *a, int64_t version, const struct run *runs,
				   size_t n)
{
	const struct db_param params[] = {
		COLUMN(a, DB_INT8_ARRAY, runs, n, run_id),
		COLUMN(a, DB_INT8_ARRAY, runs, n, next_row),
		COLUMN(a, DB_INT8_ARRAY, runs, n, next_event),
		COLUMN(a, DB_INT8_ARRAY, runs, n, next_seq),
		COLUMN(a, DB_INT8_ARRAY, runs, n, last_step),
		COLUMN(a, DB_INT4_ARRAY, runs, n, tail_rows),
		COLUMN(a, DB_INT8_ARRAY, runs, n, tail_bytes),
		COLUMN(a, DB_TIMESTAMP_ARRAY, runs, n, heard_at),
		COLUMN(a, DB_TIMESTAMP_ARRAY, runs, n, look_at),
		COLUMN(a, DB_INT2_ARRAY, runs, n, state),
		COLUMN(a, DB_INT4_ARRAY, runs, n, attempt),
		COLUMN(a, DB_INT2_ARRAY, runs, n, fallback_state),
		COLUMN(a, DB_BOOL_ARRAY, runs, n, end_pending),
		COLUMN(a, DB_INT4_ARRAY, runs, n, next_writer),
		COLUMN(a, DB_INT4_ARRAY, runs, n, next_state),
		COLUMN(a, DB_INT8_ARRAY, runs, n, document_seq),
		COLUMN(a, DB_TIMESTAMP_ARRAY, runs, n, ended_at),
		COLUMN(a, DB_BOOL_ARRAY, runs, n, has_exit_code),
		COLUMN(a, DB_INT4_ARRAY, runs, n, exit_code),
		COLUMN(a, DB_TIMESTAMP_ARRAY, runs, n, stop_asked_at),
		COLUMN(a, DB_TEXT_ARRAY, runs, n, stop_reason),
		COLUMN(a, DB_TIMESTAMP_ARRAY, runs, n, started_at),
		P_INT8(version),
		COLUMN(a, DB_INT8_ARRAY, runs, n, unread_lines),
		COLUMN(a, DB_INT8_ARRAY, runs, n, hidden_rows),
		COLUMN(a, DB_TEXT_ARRAY, runs, n, end_reason),
		COLUMN(a, DB_BOOL_ARRAY, runs, n, end_told),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

err_t run_store_save(struct db *db, const struct run *run)
{
	return db_exec(db, &STMT_run_hot_save,
		       run_store_save_args(db_arena(db), run_store_version(), run, 1), NULL);
}

struct db_args run_store_state_args(struct arena *a, int64_t run_id, const struct run_change *c,
				    timestamp_us now)
{
	const timestamp_us at = c->at.us ? c->at : now;
	const struct db_param params[] = {
		P_INT8(run_id),     P_INT4(c->number), P_INT2(c->from_state), P_INT2(c->to_state),
		P_INT4(c->attempt), P_TIME(at),        P_INT2(c->who),        P_INT4(c->writer),
		P_INT8(c->user_id), P_TEXT(c->reason),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

err_t run_store_save_changes(struct db *db, const struct run *run, timestamp_us now,
			     const struct run_changes *changes)
{
	for (unsigned i = 0; i < changes->count; i++) {
		err_t e = db_exec(db, &STMT_run_state_insert,
				  run_store_state_args(db_arena(db), run->run_id, &changes->at[i],
						       now),
				  NULL);

		if (e)
			return e;
	}
	return NULL;
}

err_t run_store_note_change(struct db *db, const struct run *run, timestamp_us now)
{
	return db_exec(db, &STMT_run_change_note,
		       DB_ARGS(P_ARRAY(DB_INT8_ARRAY, &run->run_id, 1),
			       P_ARRAY(DB_INT8_ARRAY, &run->project_id, 1),
			       P_ARRAY(DB_INT8_ARRAY, &run->document_seq, 1), P_TIME(now)),
		       NULL);
}

err_t run_store_list_states(struct db *db, int64_t run_id, int32_t after, int64_t limit,
			    struct run_state_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_run_state_list,
		      DB_ARGS(P_INT8(run_id), P_INT8(limit), P_INT4(after)), &run_state_table,
		      (void **)ret_rows, ret_count);
}

/* ---- sweeper and notes -------------------------------------------------------------------------- */

err_t run_store_list_due(struct db *db, const struct run_due_ask *ask, struct run_due **ret_due,
			 size_t *ret_count)
{
	return db_all(db, &STMT_run_sweep_list,
		      DB_ARGS(P_TIME(ask->now), P_INT8(ask->limit), P_TIME(ask->after_look),
			      P_INT8(ask->after_run)),
		      &run_due_table, (void **)ret_due, ret_count);
}

err_t run_store_next_due(struct db *db, timestamp_us *ret_time)
{
	struct look_row *row;
	err_t e;

	e = db_first(db, &STMT_run_sweep_next, DB_NO_ARGS, &run_look_table, (void **)&row);
	if (e)
		return e;
	*ret_time = row ? row->look_at : (timestamp_us){ 0 };
	return NULL;
}

err_t run_store_crash_after(struct db *db, int64_t project_id, int64_t *ret_seconds)
{
	return db_number(db, &STMT_run_crash_after, DB_ARGS(P_INT8(project_id)), ret_seconds);
}

err_t run_store_look_again(struct db *db, int64_t project_id, timestamp_us now)
{
	return db_exec(db, &STMT_run_sweep_project, DB_ARGS(P_INT8(project_id), P_TIME(now)), NULL);
}

err_t run_store_list_notes(struct db *db, const struct run_note_ask *ask,
			   struct run_note **ret_notes, size_t *ret_count)
{
	return db_all(db, &STMT_run_change_list,
		      DB_ARGS(P_TIME(ask->now), P_INT8(ask->after), P_INT8(ask->limit)),
		      &run_note_table, (void **)ret_notes, ret_count);
}

err_t run_store_put_off_note(struct db *db, const struct run_note *note, timestamp_us until,
			     timestamp_us now)
{
	return db_exec(db, &STMT_run_change_put_off,
		       DB_ARGS(P_INT8(note->run_id), P_INT8(note->project_id), P_INT8(note->seq),
			       P_TIME(until), P_TIME(now)),
		       NULL);
}

err_t run_store_note_done(struct db *db, const struct run_note *note)
{
	return db_exec(db, &STMT_run_change_done, DB_ARGS(P_INT8(note->run_id), P_INT8(note->seq)),
		       NULL);
}

err_t run_store_forget_answers(struct db *db, timestamp_us before, int64_t limit,
			       int64_t *ret_count)
{
	return db_exec(db, &STMT_run_idempotency_forget, DB_ARGS(P_TIME(before), P_INT8(limit)),
		       ret_count);
}
