#include "purge_store.h"

#include <assert.h>

#include "artifact.h"
#include "column.h"
#include "file_store.h"
#include "metric_store.h"
#include "store_sql.h"

/* A chunk takes some ten rows of its TOAST table, a document may take thousands. */
enum { ROWS_AT_ONCE = 1000, CHUNKS_AT_ONCE = 500, DOCUMENTS_AT_ONCE = 50 };

static const struct {
	const struct db_stmt *stmt; /* NULL: files, whose content has to be checked */
	int64_t at_once;
} tables[] = {
	{ &STMT_purge_chunk, CHUNKS_AT_ONCE },
	{ &STMT_purge_console_chunk, CHUNKS_AT_ONCE },
	{ &STMT_purge_keys, DOCUMENTS_AT_ONCE },
	{ &STMT_purge_leaf, ROWS_AT_ONCE },
	{ &STMT_purge_merged, ROWS_AT_ONCE },
	{ &STMT_purge_config, DOCUMENTS_AT_ONCE },
	{ &STMT_purge_sent, DOCUMENTS_AT_ONCE },
	{ &STMT_purge_overlay, DOCUMENTS_AT_ONCE },
	{ &STMT_purge_conflict, ROWS_AT_ONCE },
	{ &STMT_purge_unread, DOCUMENTS_AT_ONCE },
	{ &STMT_purge_left_out, DOCUMENTS_AT_ONCE },
	{ &STMT_purge_alert, DOCUMENTS_AT_ONCE },
	{ &STMT_purge_alert_delivery, ROWS_AT_ONCE },
	{ &STMT_purge_idempotency, ROWS_AT_ONCE },
	{ &STMT_purge_state, ROWS_AT_ONCE },
	{ &STMT_purge_writer, ROWS_AT_ONCE },
	{ &STMT_purge_branch_keys, DOCUMENTS_AT_ONCE },
	{ &STMT_purge_branch, DOCUMENTS_AT_ONCE },
	{ &STMT_purge_attempt, DOCUMENTS_AT_ONCE },
	{ &STMT_purge_change, ROWS_AT_ONCE },
	{ &STMT_purge_lineage, ROWS_AT_ONCE },
	{ NULL, ROWS_AT_ONCE },
};
const size_t purge_store_tables = sizeof(tables) / sizeof(tables[0]);

static const struct db_column run_columns[] = {
	DB_COLUMN(struct purge_run, run_id),
	DB_COLUMN(struct purge_run, project_id),
};
static const struct db_row_table run_table = DB_ROW_TABLE(struct purge_run, run_columns);

struct project_row {
	int64_t project_id;
};
static const struct db_column project_columns[] = { DB_COLUMN(struct project_row, project_id) };
static const struct db_row_table project_table = DB_ROW_TABLE(struct project_row, project_columns);

struct there_row {
	bool there;
};
static const struct db_column there_columns[] = { DB_COLUMN(struct there_row, there) };
static const struct db_row_table there_table = DB_ROW_TABLE(struct there_row, there_columns);

struct content_row {
	struct str content;
};
static const struct db_column content_columns[] = { DB_BYTES(struct content_row, content) };
static const struct db_row_table content_table = DB_ROW_TABLE(struct content_row, content_columns);

err_t purge_store_list(struct db *db, timestamp_us now, int64_t limit, struct purge_run **ret_runs,
		       size_t *ret_count)
{
	return db_all(db, &STMT_purge_list, DB_ARGS(P_TIME(now), P_INT8(limit)), &run_table,
		      (void **)ret_runs, ret_count);
}

err_t purge_store_begin(struct db *db, int64_t run_id)
{
	return db_exec(db, &STMT_purge_begin, DB_ARGS(P_INT8(run_id)), NULL);
}

static err_t portion(struct db *db, const struct db_stmt *stmt, int64_t id, int64_t at_once,
		     bool *ret_more)
{
	int64_t deleted;
	err_t e = db_exec(db, stmt, DB_ARGS(P_INT8(id), P_INT8(at_once)), &deleted);

	if (!e)
		*ret_more = deleted == at_once;
	return e;
}

err_t purge_store_portion(struct db *db, int64_t run_id, size_t table, timestamp_us now,
			  bool *ret_more)
{
	assert(table < purge_store_tables);
	if (!tables[table].stmt)
		return file_store_purge(db, run_id, tables[table].at_once, now, ret_more);
	return portion(db, tables[table].stmt, run_id, tables[table].at_once, ret_more);
}

err_t purge_store_end(struct db *db, const struct run *run, timestamp_us now)
{
	struct db_param run_id = P_INT8(run->run_id);
	struct db_param project_id = P_INT8(run->project_id);
	err_t e;

	e = db_exec(db, &STMT_purge_usage, DB_ARGS(project_id, P_INT8(run->size_bytes)), NULL);
	if (!e)
		e = metric_store_look(db, run->project_id, now);
	if (!e)
		e = db_exec(db, &STMT_purge_info, DB_ARGS(project_id, run_id, P_TIME(now)), NULL);
	if (!e)
		e = db_exec(db, &STMT_purge_hot, DB_ARGS(run_id), NULL);
	return e ? e : db_exec(db, &STMT_purge_document, DB_ARGS(project_id, run_id), NULL);
}

/* ---- projects --------------------------------------------------------------------------------- */

err_t purge_store_list_projects(struct db *db, timestamp_us now, int64_t limit,
				int64_t **ret_project_ids, size_t *ret_count)
{
	return db_all(db, &STMT_purge_project_list, DB_ARGS(P_TIME(now), P_INT8(limit)),
		      &project_table, (void **)ret_project_ids, ret_count);
}

err_t purge_store_lock_project(struct db *db, int64_t project_id, timestamp_us now,
			       bool *ret_locked)
{
	void *row;
	err_t e = db_first(db, &STMT_purge_project_lock, DB_ARGS(P_INT8(project_id), P_TIME(now)),
			   &project_table, &row);

	if (e)
		return e;
	*ret_locked = row != NULL;
	return row ? db_exec(db, &STMT_purge_project_begin, DB_ARGS(P_INT8(project_id)), NULL)
		   : NULL;
}

err_t purge_store_hand_over_runs(struct db *db, int64_t project_id, timestamp_us now,
				 bool *ret_left)
{
	struct there_row *row;
	err_t e;

	e = db_exec(db, &STMT_purge_project_runs,
		    DB_ARGS(P_INT8(project_id), P_TIME(now), P_INT8(ROWS_AT_ONCE)), NULL);
	if (!e)
		e = db_first(db, &STMT_purge_project_has_runs, DB_ARGS(P_INT8(project_id)),
			     &there_table, (void **)&row);
	if (!e)
		*ret_left = row && row->there;
	return e;
}

/* Portfolios of other projects lose their links first, so that none leads to a version that is gone. */
static err_t purge_links(struct db *db, int64_t project_id, bool *ret_more)
{
	int64_t gone;
	err_t e = db_number(db, &STMT_purge_artifact_links,
			    DB_ARGS(P_INT8(project_id), P_INT8(ROWS_AT_ONCE)), &gone);

	if (!e)
		*ret_more = gone == ROWS_AT_ONCE;
	return e;
}

/* Rows that name content, which is looked at later. */
static err_t purge_content(struct db *db, const struct db_stmt *stmt, int64_t project_id,
			   timestamp_us now, bool *ret_more)
{
	struct content_row *gone;
	size_t count;
	err_t e = db_all(db, stmt, DB_ARGS(P_INT8(project_id), P_INT8(ROWS_AT_ONCE)),
			 &content_table, (void **)&gone, &count);

	if (!e && count)
		e = db_exec(db, &STMT_file_content_look,
			    DB_ARGS(COLUMN(db_arena(db), DB_BYTEA_ARRAY, gone, count, content),
				    P_TIME(((timestamp_us){ now.us + ARTIFACT_GRACE_US }))),
			    NULL);
	if (!e)
		*ret_more = count == ROWS_AT_ONCE;
	return e;
}

/* In this order: nothing is left that names what is gone. */
static const struct {
	const struct db_stmt *stmt; /* NULL: links of other projects */
	bool has_content;
} project_tables[] = {
	{ &STMT_purge_project_documents, false },
	{ &STMT_purge_project_keys, false },
	{ &STMT_purge_project_names, false },
	{ &STMT_purge_project_views, false },
	{ NULL, false },
	{ &STMT_purge_artifact_alias, false },
	{ &STMT_purge_artifact_member, false },
	{ &STMT_purge_artifact_client, false },
	{ &STMT_purge_artifact_entry, false },
	{ &STMT_purge_artifact_manifest, false },
	{ &STMT_purge_artifact_upload, false },
	{ &STMT_purge_artifact_part, true },
	{ &STMT_purge_artifact_multipart, false },
	{ &STMT_purge_artifact_blob, true },
	{ &STMT_purge_artifact, false },
	{ &STMT_purge_artifact_collection, false },
	{ &STMT_purge_artifact_type, false },
	{ &STMT_purge_sweep_trial, false },
	{ &STMT_purge_sweep_agent, false },
	{ &STMT_purge_sweep_host, false },
	{ &STMT_purge_sweep, false },
};

err_t purge_store_project_portion(struct db *db, int64_t project_id, timestamp_us now,
				  bool *ret_more)
{
	err_t e = NULL;

	*ret_more = false;
	for (size_t i = 0; i < sizeof(project_tables) / sizeof(project_tables[0]); i++) {
		if (!project_tables[i].stmt)
			e = purge_links(db, project_id, ret_more);
		else if (project_tables[i].has_content)
			e = purge_content(db, project_tables[i].stmt, project_id, now, ret_more);
		else
			e = portion(db, project_tables[i].stmt, project_id, ROWS_AT_ONCE, ret_more);
		if (e || *ret_more)
			return e;
	}
	return NULL;
}

err_t purge_store_end_project(struct db *db, int64_t project_id, timestamp_us now)
{
	err_t e = db_exec(db, &STMT_purge_project_usage, DB_ARGS(P_INT8(project_id)), NULL);

	if (!e)
		e = db_exec(db, &STMT_purge_project_count, DB_ARGS(P_INT8(project_id)), NULL);
	if (!e)
		e = db_exec(db, &STMT_webhook_remove, DB_ARGS(P_INT8(project_id)), NULL);
	return e ? e
		 : db_exec(db, &STMT_purge_project_end, DB_ARGS(P_INT8(project_id), P_TIME(now)),
			   NULL);
}

const struct db_stmt_check purge_store_checks[] = {
	{ &STMT_purge_list, &run_table },
	{ &STMT_purge_project_list, &project_table },
	{ &STMT_purge_project_lock, &project_table },
	{ &STMT_purge_project_has_runs, &there_table },
	{ &STMT_purge_artifact_part, &content_table },
	{ &STMT_purge_artifact_blob, &content_table },
	{ &STMT_purge_artifact_links, &db_number_table },
};
const size_t purge_store_check_count = sizeof(purge_store_checks) / sizeof(purge_store_checks[0]);
