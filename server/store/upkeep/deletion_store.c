#include "deletion_store.h"

#include "run_store.h"
#include "search_store.h"
#include "store_sql.h"

static const struct db_column deleted_columns[] = {
	DB_COLUMN(struct deleted_run, run_id),
	DB_COLUMN(struct deleted_run, deleted_at),
};
static const struct db_row_table deleted_table = DB_ROW_TABLE(struct deleted_run, deleted_columns);

static const struct db_column contents_columns[] = {
	DB_COLUMN(struct project_contents, runs),
	DB_COLUMN(struct project_contents, versions),
	DB_COLUMN(struct project_contents, size_bytes),
};
static const struct db_row_table contents_table =
	DB_ROW_TABLE(struct project_contents, contents_columns);
static const struct db_column links_columns[] = {
	DB_COLUMN(struct project_contents, links),
};
static const struct db_row_table links_table = DB_ROW_TABLE(struct project_contents, links_columns);

static err_t save_changes(struct db *db, const struct run *run, timestamp_us now,
			  const struct run_changes *changes)
{
	err_t e = run_store_save(db, run);

	return e ? e : run_store_save_changes(db, run, now, changes);
}

static err_t count_as_deleted(struct db *db, const struct run *run, int64_t bytes)
{
	return db_exec(db, &STMT_run_deleted_usage, DB_ARGS(P_INT8(run->project_id), P_INT8(bytes)),
		       NULL);
}

err_t deletion_store_delete_run(struct db *db, const struct run *run, const struct run_deletion *d,
				const struct run_changes *changes)
{
	err_t e;

	e = save_changes(db, run, run->deleted_at, changes);
	if (!e)
		e = db_exec(db, &STMT_run_delete_hot,
			    DB_ARGS(P_INT8(run->run_id), P_TIME(run->deleted_at),
				    P_TIME(run->purge_at)),
			    NULL);
	if (!e)
		e = db_exec(db, &STMT_run_delete_info,
			    DB_ARGS(P_INT8(run->project_id), P_INT8(run->run_id),
				    P_TIME(run->deleted_at), P_INT2(d->who), P_INT8(d->user_id),
				    P_TEXT(d->reason)),
			    NULL);
	if (!e)
		e = count_as_deleted(db, run, run->size_bytes);
	return e ? e : search_store_drop(db, run->project_id, run->run_id);
}

err_t deletion_store_restore_run(struct db *db, struct run *run, timestamp_us now,
				 const struct run_changes *changes)
{
	err_t e;

	run->document_seq++;
	e = save_changes(db, run, now, changes);
	if (!e)
		e = db_exec(db, &STMT_run_restore_hot, DB_ARGS(P_INT8(run->run_id)), NULL);
	if (!e)
		e = db_exec(db, &STMT_run_restore_info,
			    DB_ARGS(P_INT8(run->project_id), P_INT8(run->run_id)), NULL);
	if (!e)
		e = run_store_note_change(db, run, now);
	return e ? e : count_as_deleted(db, run, -run->size_bytes);
}

err_t deletion_store_list_runs(struct db *db, const struct deleted_run_ask *ask,
			       struct deleted_run **ret_runs, size_t *ret_count)
{
	return db_all(db, &STMT_run_deleted_list,
		      DB_ARGS(P_INT8(ask->project_id), P_TIME(ask->now), P_TIME(ask->after_delete),
			      P_INT8(ask->after_run), P_INT8(ask->limit)),
		      &deleted_table, (void **)ret_runs, ret_count);
}

err_t deletion_store_describe_project(struct db *db, int64_t project_id,
				      struct project_contents **ret_contents)
{
	struct project_contents *links;
	err_t e = db_first(db, &STMT_project_contents, DB_ARGS(P_INT8(project_id)), &contents_table,
			   (void **)ret_contents);

	if (!e)
		e = db_first(db, &STMT_project_links, DB_ARGS(P_INT8(project_id)), &links_table,
			     (void **)&links);
	if (!e)
		(*ret_contents)->links = links->links;
	return e;
}

err_t deletion_store_delete_project(struct db *db, int64_t project_id, timestamp_us now,
				    timestamp_us purge_at, bool *ret_done)
{
	int64_t changed = 0;
	err_t e = db_exec(db, &STMT_project_delete,
			  DB_ARGS(P_INT8(project_id), P_TIME(now), P_TIME(purge_at)), &changed);

	*ret_done = changed > 0;
	return e;
}

err_t deletion_store_restore_project(struct db *db, int64_t project_id, timestamp_us now,
				     bool *ret_done)
{
	int64_t changed;
	err_t e = db_exec(db, &STMT_project_restore, DB_ARGS(P_INT8(project_id), P_TIME(now)),
			  &changed);

	if (!e)
		*ret_done = changed > 0;
	return e;
}

const struct db_stmt_check deletion_store_checks[] = {
	{ &STMT_run_deleted_list, &deleted_table },
	{ &STMT_project_contents, &contents_table },
	{ &STMT_project_links, &links_table },
};
const size_t deletion_store_check_count = sizeof(deletion_store_checks) /
					  sizeof(deletion_store_checks[0]);
