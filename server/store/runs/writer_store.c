#include "writer_store.h"

#include "column.h"
#include "store_sql.h"
#include "writer_marks.h"

static const struct db_column writer_columns[] = {
	DB_COLUMN(struct writer, run_id),        DB_COLUMN(struct writer, writer),
	DB_COLUMN(struct writer, client),        DB_COLUMN(struct writer, label),
	DB_COLUMN(struct writer, role),          DB_COLUMN(struct writer, state),
	DB_NULLABLE(struct writer, parent),      DB_COLUMN(struct writer, attempt),
	DB_COLUMN(struct writer, session),       DB_COLUMN(struct writer, batch),
	DB_COLUMN(struct writer, history_rows),  DB_COLUMN(struct writer, event_rows),
	DB_COLUMN(struct writer, console_lines), DB_COLUMN(struct writer, dropped_rows),
	DB_COLUMN(struct writer, last_step),     DB_COLUMN(struct writer, last_event),
	DB_COLUMN(struct writer, lag_us),        DB_COLUMN(struct writer, repeats),
	DB_COLUMN(struct writer, console_shift), DB_BYTES(struct writer, lines),
	DB_BYTES(struct writer, streams),        DB_COLUMN(struct writer, has_exit_code),
	DB_COLUMN(struct writer, exit_code),     DB_COLUMN(struct writer, end_state),
	DB_NULLABLE(struct writer, end_reason),  DB_BYTES(struct writer, recent),
	DB_BYTES(struct writer, sessions),       DB_JSON(struct writer, info),
	DB_COLUMN(struct writer, joined_at),     DB_COLUMN(struct writer, heard_at),
	DB_NULLABLE(struct writer, data_at),     DB_NULLABLE(struct writer, ended_at),
	DB_COLUMN(struct writer, late),
};
const struct db_row_table writer_table = DB_ROW_TABLE(struct writer, writer_columns);

err_t writer_store_list(struct db *db, int64_t run_id, int32_t after, int64_t limit,
			struct writer **ret_writers, size_t *ret_count)
{
	return db_all(db, &STMT_writer_list, DB_ARGS(P_INT8(run_id), P_INT8(limit), P_INT4(after)),
		      &writer_table, (void **)ret_writers, ret_count);
}

err_t writer_store_list_numbers(struct db *db, int64_t run_id, const int32_t *numbers, size_t asked,
				struct writer **ret_writers, size_t *ret_count)
{
	return db_all(db, &STMT_writer_numbers,
		      DB_ARGS(P_INT8(run_id), P_ARRAY(DB_INT4_ARRAY, numbers, asked)),
		      &writer_table, (void **)ret_writers, ret_count);
}

/* The run's writers that a statement returns, with the waiting marks applied. */
static err_t read_now(struct db *db, int64_t run_id, const struct db_stmt *stmt,
		      struct db_args args, struct writer **ret_writers, size_t *ret_count)
{
	struct marks *marks;
	size_t count;
	err_t e;

	e = marks_store_waiting(db, run_id, &marks, &count);
	if (!e)
		e = db_all(db, stmt, args, &writer_table, (void **)ret_writers, ret_count);
	if (!e)
		marks_apply(db_arena(db), marks, count, *ret_writers, *ret_count);
	return e;
}

err_t writer_store_list_now(struct db *db, int64_t run_id, int32_t after, int64_t limit,
			    struct writer **ret_writers, size_t *ret_count)
{
	return read_now(db, run_id, &STMT_writer_list,
			DB_ARGS(P_INT8(run_id), P_INT8(limit), P_INT4(after)), ret_writers,
			ret_count);
}

err_t writer_store_find_now(struct db *db, int64_t run_id, struct str client,
			    struct writer **ret_writer)
{
	struct writer *writers;
	size_t count;
	err_t e;

	e = read_now(db, run_id, &STMT_writer_find,
		     DB_ARGS(P_ARRAY(DB_INT8_ARRAY, &run_id, 1),
			     P_ARRAY(DB_TEXT_ARRAY, &client, 1)),
		     &writers, &count);
	*ret_writer = !e && count ? &writers[0] : NULL;
	return e;
}

err_t writer_store_find_all(struct db *db, const int64_t *run_ids, const struct str *clients,
			    size_t asked, struct writer **ret_writers, size_t *ret_count)
{
	return db_all(db, &STMT_writer_find,
		      DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, asked),
			      P_ARRAY(DB_TEXT_ARRAY, clients, asked)),
		      &writer_table, (void **)ret_writers, ret_count);
}

err_t writer_store_list_pairs(struct db *db, const int64_t *run_ids, const int32_t *numbers,
			      size_t asked, struct writer **ret_writers, size_t *ret_count)
{
	return db_all(db, &STMT_writer_pairs,
		      DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, asked),
			      P_ARRAY(DB_INT4_ARRAY, numbers, asked)),
		      &writer_table, (void **)ret_writers, ret_count);
}

static const struct db_column commit_columns[] = {
	DB_COLUMN(struct writer_commit, run_id),
	DB_COLUMN(struct writer_commit, commit),
};
const struct db_row_table writer_commit_table = DB_ROW_TABLE(struct writer_commit, commit_columns);

err_t writer_store_list_commits(struct db *db, const int64_t *run_ids, size_t asked,
				struct writer_commit **ret_commits, size_t *ret_count)
{
	return db_all(db, &STMT_writer_commits, DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, asked)),
		      &writer_commit_table, (void **)ret_commits, ret_count);
}

err_t writer_store_list_primaries(struct db *db, const int64_t *run_ids, const struct str *labels,
				  size_t asked, struct writer **ret_writers, size_t *ret_count)
{
	return db_all(db, &STMT_writer_primaries,
		      DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, asked),
			      P_ARRAY(DB_TEXT_ARRAY, labels, asked)),
		      &writer_table, (void **)ret_writers, ret_count);
}

static const struct db_column host_columns[] = { DB_COLUMN(struct writer_host, host) };
static const struct db_row_table host_table = DB_ROW_TABLE(struct writer_host, host_columns);

err_t writer_store_list_hosts(struct db *db, int64_t run_id, int64_t limit,
			      struct writer_host **ret_hosts, size_t *ret_count)
{
	return db_all(db, &STMT_writer_hosts, DB_ARGS(P_INT8(run_id), P_INT8(limit)), &host_table,
		      (void **)ret_hosts, ret_count);
}

err_t writer_store_count(struct db *db, int64_t run_id, int64_t *ret_count)
{
	return db_number(db, &STMT_writer_count, DB_ARGS(P_INT8(run_id)), ret_count);
}

err_t writer_store_count_lost(struct db *db, const struct run *run, struct run_clock clock,
			      int64_t *ret_count)
{
	timestamp_us until = attempt_lost_until(run, clock);
	struct writer *writers;
	size_t count;
	err_t e = db_number(db, &STMT_writer_silent, DB_ARGS(P_INT8(run->run_id), P_TIME(until)),
			    ret_count);

	if (e || !*ret_count)
		return e;
	e = writer_store_list_now(db, run->run_id, -1, WRITER_LIST_MAX, &writers, &count);
	if (!e)
		*ret_count = (int64_t)attempt_count_lost(run, writers, count, clock);
	return e;
}

err_t writer_store_list_deciders(struct db *db, int64_t run_id, struct str client, bool all,
				 struct writer **ret_writers, size_t *ret_count)
{
	if (all)
		return writer_store_list_now(db, run_id, -1, WRITER_LIST_MAX, ret_writers,
					     ret_count);
	return read_now(db, run_id, &STMT_writer_deciders, DB_ARGS(P_INT8(run_id), P_STR(client)),
			ret_writers, ret_count);
}

static struct db_param time_or_null(timestamp_us t)
{
	return (struct db_param){ .type = DB_TIMESTAMP, .number = t.us, .null = !t.us };
}

struct db_args writer_store_save_args(struct arena *a, const struct writer *w)
{
	const struct db_param params[] = {
		P_INT8(w->run_id),
		P_INT4(w->writer),
		P_STR(w->client),
		P_STR(w->label),
		P_INT2(w->role),
		P_INT2(w->state),
		P_STR(w->parent),
		P_INT4(w->attempt),
		P_INT4(w->session),
		P_INT8(w->batch),
		P_INT8(w->history_rows),
		P_INT8(w->event_rows),
		P_INT8(w->console_lines),
		P_INT8(w->dropped_rows),
		P_INT8(w->last_step),
		{ .type = DB_INT4, .number = w->exit_code, .null = !w->has_exit_code },
		P_INT2(w->end_state),
		P_BYTEA(w->recent),
		P_BYTEA(w->sessions),
		P_JSONB(w->info),
		P_TIME(w->joined_at),
		P_TIME(w->heard_at),
		time_or_null(w->data_at),
		time_or_null(w->ended_at),
		P_INT8(w->last_event),
		P_BYTEA(w->lines),
		P_INT8(w->console_shift),
		P_INT8(w->lag_us),
		P_INT8(w->repeats),
		P_BYTEA(w->streams),
		P_STR(w->end_reason),
		P_BOOL(w->late),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

err_t writer_store_save(struct db *db, const struct writer *w)
{
	return db_exec(db, &STMT_writer_save, writer_store_save_args(db_arena(db), w), NULL);
}

struct db_args writer_store_replace_args(struct arena *a, const struct writer *writers, size_t n)
{
	const struct db_param params[] = {
		COLUMN(a, DB_INT8_ARRAY, writers, n, run_id),
		COLUMN(a, DB_INT4_ARRAY, writers, n, writer),
		COLUMN(a, DB_INT2_ARRAY, writers, n, state),
		COLUMN(a, DB_TIMESTAMP_ARRAY, writers, n, ended_at),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

struct db_args writer_store_label_args(struct arena *a, const struct writer *writers, size_t n)
{
	const struct db_param params[] = {
		COLUMN(a, DB_INT8_ARRAY, writers, n, run_id),
		COLUMN(a, DB_INT4_ARRAY, writers, n, writer),
		COLUMN(a, DB_TEXT_ARRAY, writers, n, label),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

struct db_args writer_store_advance_args(struct arena *a, const struct writer *writers, size_t n)
{
	const struct db_param params[] = {
		COLUMN(a, DB_INT8_ARRAY, writers, n, run_id),
		COLUMN(a, DB_INT4_ARRAY, writers, n, writer),
		COLUMN(a, DB_INT4_ARRAY, writers, n, attempt),
		COLUMN(a, DB_INT8_ARRAY, writers, n, batch),
		COLUMN(a, DB_INT8_ARRAY, writers, n, history_rows),
		COLUMN(a, DB_INT8_ARRAY, writers, n, event_rows),
		COLUMN(a, DB_INT8_ARRAY, writers, n, console_lines),
		COLUMN(a, DB_INT8_ARRAY, writers, n, dropped_rows),
		COLUMN(a, DB_INT8_ARRAY, writers, n, last_step),
		COLUMN(a, DB_BYTEA_ARRAY, writers, n, recent),
		COLUMN(a, DB_TIMESTAMP_ARRAY, writers, n, heard_at),
		COLUMN(a, DB_TIMESTAMP_ARRAY, writers, n, data_at),
		COLUMN(a, DB_INT8_ARRAY, writers, n, last_event),
		COLUMN(a, DB_BYTEA_ARRAY, writers, n, lines),
		COLUMN(a, DB_INT8_ARRAY, writers, n, console_shift),
		COLUMN(a, DB_INT8_ARRAY, writers, n, lag_us),
		COLUMN(a, DB_INT8_ARRAY, writers, n, repeats),
		COLUMN(a, DB_BYTEA_ARRAY, writers, n, streams),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

err_t writer_store_advance(struct db *db, const struct writer *writers, size_t count)
{
	return db_exec(db, &STMT_writer_advance,
		       writer_store_advance_args(db_arena(db), writers, count), NULL);
}
