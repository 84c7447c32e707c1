#include "watch_store.h"

#include "store_sql.h"

static const struct db_column running_columns[] = {
	DB_COLUMN(struct watch_running_row, run_id),
	DB_COLUMN(struct watch_running_row, rows),
	DB_COLUMN(struct watch_running_row, event_rows),
	DB_COLUMN(struct watch_running_row, last_step),
	DB_COLUMN(struct watch_running_row, heard_at),
};
static const struct db_row_table running_table =
	DB_ROW_TABLE(struct watch_running_row, running_columns);

static const struct db_column changed_columns[] = {
	DB_COLUMN(struct watch_changed_row, run_id),
	DB_COLUMN(struct watch_changed_row, change),
	DB_COLUMN(struct watch_changed_row, shown),
};
static const struct db_row_table changed_table =
	DB_ROW_TABLE(struct watch_changed_row, changed_columns);

static const struct db_column name_columns[] = {
	DB_COLUMN(struct watch_name_row, run_id),
	DB_COLUMN(struct watch_name_row, name),
	DB_COLUMN(struct watch_name_row, visibility),
	DB_COLUMN(struct watch_name_row, deleted),
};
static const struct db_row_table name_table = DB_ROW_TABLE(struct watch_name_row, name_columns);

err_t watch_store_running(struct db *db, int64_t project_id, int64_t limit,
			  struct watch_running_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_watch_running, DB_ARGS(P_INT8(project_id), P_INT8(limit)),
		      &running_table, (void **)ret_rows, ret_count);
}

err_t watch_store_changed(struct db *db, const struct watch_changed_ask *ask,
			  struct watch_changed_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_watch_changed,
		      DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->after), P_INT8(ask->up_to),
			      P_INT8(ask->limit)),
		      &changed_table, (void **)ret_rows, ret_count);
}

err_t watch_store_names(struct db *db, int64_t project_id, const int64_t *run_ids, size_t asked,
			struct watch_name_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_watch_names,
		      DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT8_ARRAY, run_ids, asked)),
		      &name_table, (void **)ret_rows, ret_count);
}

err_t watch_store_named(struct db *db, int64_t project_id, const struct str *names, size_t asked,
			struct watch_name_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_watch_named,
		      DB_ARGS(P_INT8(project_id), P_ARRAY(DB_TEXT_ARRAY, names, asked)),
		      &name_table, (void **)ret_rows, ret_count);
}

const struct db_stmt_check watch_store_checks[] = {
	{ &STMT_watch_running, &running_table },
	{ &STMT_watch_changed, &changed_table },
	{ &STMT_watch_names, &name_table },
	{ &STMT_watch_named, &name_table },
};
const size_t watch_store_check_count = sizeof(watch_store_checks) / sizeof(watch_store_checks[0]);
