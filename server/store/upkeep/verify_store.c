#include "verify_store.h"

#include <inttypes.h>

#include "column.h"
#include "console_store.h"
#include "store_sql.h"
#include "tail_store.h"

static const struct db_column item_columns[] = {
	DB_COLUMN(struct verify_item, run_id), DB_COLUMN(struct verify_item, project_id),
	DB_COLUMN(struct verify_item, entity), DB_COLUMN(struct verify_item, project),
	DB_NULLABLE(struct verify_item, name), DB_COLUMN(struct verify_item, row_count),
};
static const struct db_row_table item_table = DB_ROW_TABLE(struct verify_item, item_columns);

static const struct db_column total_columns[] = {
	DB_COLUMN(struct verify_total, runs),
	DB_COLUMN(struct verify_total, row_count),
};
static const struct db_row_table total_table = DB_ROW_TABLE(struct verify_total, total_columns);

static const struct db_column tail_columns[] = {
	DB_COLUMN(struct pending_row, seq),         DB_COLUMN(struct pending_row, kind),
	DB_COLUMN(struct pending_row, writer),      DB_COLUMN(struct pending_row, row_first),
	DB_COLUMN(struct pending_row, row_count),   DB_COLUMN(struct pending_row, step_base),
	DB_COLUMN(struct pending_row, size_bytes),  DB_NULLABLE(struct pending_row, time_first),
	DB_NULLABLE(struct pending_row, time_last), DB_BYTES(struct pending_row, data),
};
static const struct db_row_table tail_table = DB_ROW_TABLE(struct pending_row, tail_columns);

static const struct db_column told_columns[] = {
	DB_COLUMN(struct verify_told, key_limit),
	DB_COLUMN(struct verify_told, project_deleted),
	DB_COLUMN(struct verify_told, console_chunks),
	DB_COLUMN(struct verify_told, console_lines),
};
static const struct db_row_table told_table = DB_ROW_TABLE(struct verify_told, told_columns);

static const struct db_column keys_columns[] = {
	DB_COLUMN(struct verify_keys, writer),
	DB_BYTES(struct verify_keys, document),
};
static const struct db_row_table keys_table = DB_ROW_TABLE(struct verify_keys, keys_columns);

static const struct db_column chunk_columns[] = {
	DB_COLUMN(struct verify_chunk, number),      DB_COLUMN(struct verify_chunk, total),
	DB_COLUMN(struct verify_chunk, index_first), DB_COLUMN(struct verify_chunk, value_count),
	DB_COLUMN(struct verify_chunk, row_first),   DB_COLUMN(struct verify_chunk, row_last),
	DB_COLUMN(struct verify_chunk, step_min),    DB_COLUMN(struct verify_chunk, step_max),
	DB_BYTES(struct verify_chunk, roll),         DB_BYTES(struct verify_chunk, data),
};
static const struct db_row_table chunk_table = DB_ROW_TABLE(struct verify_chunk, chunk_columns);

struct chunks_row {
	int64_t chunks;
};
static const struct db_column chunks_columns[] = { DB_COLUMN(struct chunks_row, chunks) };
static const struct db_row_table chunks_table = DB_ROW_TABLE(struct chunks_row, chunks_columns);

static const struct db_column strand_columns[] = {
	DB_COLUMN(struct verify_strand, stream), DB_COLUMN(struct verify_strand, writer),
	DB_COLUMN(struct verify_strand, key_id), DB_COLUMN(struct verify_strand, kind),
	DB_COLUMN(struct verify_strand, chunks),
};
static const struct db_row_table strand_table = DB_ROW_TABLE(struct verify_strand, strand_columns);

static const struct db_column console_columns[] = {
	DB_COLUMN(struct console_chunk, writer),
	DB_COLUMN(struct console_chunk, line_first),
	DB_COLUMN(struct console_chunk, line_count),
	DB_COLUMN(struct console_chunk, seq_last),
	DB_COLUMN(struct console_chunk, time_first),
	DB_COLUMN(struct console_chunk, time_last),
	DB_COLUMN(struct console_chunk, arrival_first),
	DB_COLUMN(struct console_chunk, arrival_last),
	DB_BYTES(struct console_chunk, spread),
	DB_BYTES(struct console_chunk, data),
};
static const struct db_row_table verify_console_table =
	DB_ROW_TABLE(struct console_chunk, console_columns);

static const struct db_column records_columns[] = {
	DB_COLUMN(struct verify_records, has_info),
	DB_COLUMN(struct verify_records, info_deleted),
	DB_COLUMN(struct verify_records, noted),
	DB_COLUMN(struct verify_records, document_seq),
	DB_COLUMN(struct verify_records, document_state),
	DB_NULLABLE(struct verify_records, document_is_its),
};
static const struct db_row_table records_table =
	DB_ROW_TABLE(struct verify_records, records_columns);

static const struct db_column leaf_columns[] = {
	DB_COLUMN(struct verify_leaf, kind),
	DB_BYTES(struct verify_leaf, place),
	DB_BYTES(struct verify_leaf, path),
	DB_NULLABLE(struct verify_leaf, value),
};
static const struct db_row_table verify_leaf_table = DB_ROW_TABLE(struct verify_leaf, leaf_columns);

static const struct db_column alert_columns[] = {
	DB_COLUMN(struct verify_alert, number),      DB_COLUMN(struct verify_alert, is_there),
	DB_COLUMN(struct verify_alert, writer),      DB_COLUMN(struct verify_alert, delivery),
	DB_COLUMN(struct verify_alert, due_project),
};
static const struct db_row_table verify_alert_table =
	DB_ROW_TABLE(struct verify_alert, alert_columns);

static const struct db_column row_columns[] = {
	DB_COLUMN(struct verify_row, table_name),
	DB_COLUMN(struct verify_row, row_name),
};
static const struct db_row_table verify_row_table = DB_ROW_TABLE(struct verify_row, row_columns);

static const struct db_column directory_row_columns[] = {
	DB_COLUMN(struct verify_row, table_name), DB_COLUMN(struct verify_row, row_name),
	DB_COLUMN(struct verify_row, project_id), DB_COLUMN(struct verify_row, run_id),
	DB_COLUMN(struct verify_row, entity),     DB_COLUMN(struct verify_row, project),
	DB_NULLABLE(struct verify_row, name),
};
static const struct db_row_table directory_row_table =
	DB_ROW_TABLE(struct verify_row, directory_row_columns);

static const struct db_column merged_columns[] = {
	DB_COLUMN(struct verify_merged, kind),
	DB_COLUMN(struct verify_merged, value_count),
	DB_COLUMN(struct verify_merged, size_bytes),
	DB_COLUMN(struct verify_merged, path_bytes),
};
static const struct db_row_table verify_merged_table =
	DB_ROW_TABLE(struct verify_merged, merged_columns);

/* ---- which runs ------------------------------------------------------------------------------- */

err_t verify_store_total(struct db *db, const struct verify_scope *scope,
			 struct verify_total *ret_total)
{
	void *row;
	err_t e = db_first(db, &STMT_verify_total,
			   DB_ARGS(P_INT8(scope->project_id), P_INT8(scope->run_id)), &total_table,
			   &row);

	if (e)
		return e;
	*ret_total = *(struct verify_total *)row;
	return NULL;
}

err_t verify_store_list_runs(struct db *db, const struct verify_scope *scope, int64_t after,
			     int64_t limit, struct verify_item **ret_items, size_t *ret_count)
{
	return db_all(db, &STMT_verify_runs,
		      DB_ARGS(P_INT8(after), P_INT8(scope->project_id), P_INT8(scope->run_id),
			      P_INT8(limit)),
		      &item_table, (void **)ret_items, ret_count);
}

err_t verify_store_list_lost_runs(struct db *db, int64_t project_id, struct verify_item **ret_items,
				  size_t *ret_count)
{
	return db_all(db, &STMT_verify_lost_runs, DB_ARGS(P_INT8(project_id)), &item_table,
		      (void **)ret_items, ret_count);
}

err_t verify_store_list_bad_projects(struct db *db, int64_t project_id,
				     struct verify_item **ret_items, size_t *ret_count)
{
	return db_all(db, &STMT_verify_projects, DB_ARGS(P_INT8(project_id)), &item_table,
		      (void **)ret_items, ret_count);
}

err_t verify_store_told(struct db *db, int64_t run_id, struct verify_told *ret_told)
{
	struct verify_told *row;
	err_t e = db_first(db, &STMT_verify_told, DB_ARGS(P_INT8(run_id)), &told_table,
			   (void **)&row);

	if (e)
		return e;
	*ret_told = row ? *row : (struct verify_told){ .key_limit = 0 };
	return NULL;
}

/* ---- series ----------------------------------------------------------------------------------- */

err_t verify_store_tail_hold(struct db *db)
{
	return db_exec(db, &STMT_verify_tail_hold, DB_NO_ARGS, NULL);
}

err_t verify_store_tail_begin(struct db *db)
{
	err_t e = db_exec(db, &STMT_verify_tail_begin, DB_NO_ARGS, NULL);

	return e ? e : verify_store_tail_hold(db);
}

err_t verify_store_tail_end(struct db *db)
{
	return db_exec(db, &STMT_verify_tail_end, DB_NO_ARGS, NULL);
}

err_t verify_store_list_tail(struct db *db, int64_t run_id, int64_t after_seq,
			     struct pending_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_verify_tail,
		      DB_ARGS(P_INT8(run_id), P_INT8(after_seq), P_INT8(VERIFY_PAGE_BYTES)),
		      &tail_table, (void **)ret_rows, ret_count);
}

err_t verify_store_list_keys(struct db *db, int64_t run_id, int16_t stream, int32_t after_writer,
			     struct verify_keys **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_verify_keys,
		      DB_ARGS(P_INT8(run_id), P_INT2(stream), P_INT4(after_writer),
			      P_INT8(VERIFY_PAGE_BYTES)),
		      &keys_table, (void **)ret_rows, ret_count);
}

err_t verify_store_list_chunks(struct db *db, const struct verify_chunk_ask *ask,
			       struct verify_chunk **ret_rows, size_t *ret_count)
{
	struct arena *a = db_arena(db);
	const struct verify_from *from = ask->from;
	size_t n = ask->count;

	return db_all(db, &STMT_verify_chunks,
		      DB_ARGS(P_INT8(ask->run_id), COLUMN(a, DB_INT4_ARRAY, from, n, number),
			      COLUMN(a, DB_INT2_ARRAY, from, n, stream),
			      COLUMN(a, DB_INT4_ARRAY, from, n, key_id),
			      COLUMN(a, DB_INT2_ARRAY, from, n, kind),
			      COLUMN(a, DB_INT4_ARRAY, from, n, writer),
			      COLUMN(a, DB_INT8_ARRAY, from, n, index_from), P_INT8(ask->row_first),
			      P_INT8(ask->row_end), P_INT8(ask->limit), P_INT8(VERIFY_PAGE_BYTES)),
		      &chunk_table, (void **)ret_rows, ret_count);
}

err_t verify_store_count_chunks(struct db *db, int64_t run_id, int64_t *ret_count)
{
	void *row;
	err_t e = db_first(db, &STMT_verify_chunk_count, DB_ARGS(P_INT8(run_id)), &chunks_table,
			   &row);

	if (e)
		return e;
	*ret_count = ((struct chunks_row *)row)->chunks;
	return NULL;
}

err_t verify_store_list_strands(struct db *db, int64_t run_id, const struct verify_strand *after,
				struct verify_strand **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_verify_strands,
		      DB_ARGS(P_INT8(run_id), P_INT2(after->stream), P_INT4(after->writer),
			      P_INT4(after->key_id), P_INT2(after->kind)),
		      &strand_table, (void **)ret_rows, ret_count);
}

err_t verify_store_list_console(struct db *db, int64_t run_id, const struct console_chunk *after,
				struct console_chunk **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_verify_console,
		      DB_ARGS(P_INT8(run_id), P_INT4(after->writer), P_INT8(after->line_first),
			      P_INT8(VERIFY_PAGE_BYTES)),
		      &verify_console_table, (void **)ret_rows, ret_count);
}

/* ---- documents -------------------------------------------------------------------------------- */

err_t verify_store_records(struct db *db, int64_t run_id, struct verify_records *ret_records)
{
	void *row;
	err_t e = db_first(db, &STMT_verify_records, DB_ARGS(P_INT8(run_id)), &records_table, &row);

	if (e)
		return e;
	if (!row)
		return err_new(db_arena(db), ERR_INTERNAL, "run %" PRId64 " has no row in run_hot",
			       run_id);
	*ret_records = *(struct verify_records *)row;
	return NULL;
}

err_t verify_store_list_alerts(struct db *db, int64_t run_id, struct verify_alert **ret_rows,
			       size_t *ret_count)
{
	return db_all(db, &STMT_verify_alerts, DB_ARGS(P_INT8(run_id)), &verify_alert_table,
		      (void **)ret_rows, ret_count);
}

err_t verify_store_list_leaves(struct db *db, int64_t run_id, const struct verify_leaf *after,
			       struct verify_leaf **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_verify_leaves,
		      DB_ARGS(P_INT8(run_id), P_INT2(after->kind), P_BYTEA(after->place),
			      P_INT8(VERIFY_PAGE_BYTES)),
		      &verify_leaf_table, (void **)ret_rows, ret_count);
}

err_t verify_store_list_merged(struct db *db, int64_t run_id, struct verify_merged **ret_rows,
			       size_t *ret_count)
{
	return db_all(db, &STMT_verify_merged, DB_ARGS(P_INT8(run_id)), &verify_merged_table,
		      (void **)ret_rows, ret_count);
}

/* ---- rows with a checksum ---------------------------------------------------------------------- */

err_t verify_store_list_rows(struct db *db, int64_t run_id, struct verify_row **ret_rows,
			     size_t *ret_count)
{
	return db_all(db, &STMT_verify_rows, DB_ARGS(P_INT8(run_id)), &verify_row_table,
		      (void **)ret_rows, ret_count);
}

err_t verify_store_list_directory_rows(struct db *db, const struct verify_scope *scope,
				       struct verify_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_verify_directory_rows,
		      DB_ARGS(P_INT8(scope->project_id), P_INT8(scope->run_id)),
		      &directory_row_table, (void **)ret_rows, ret_count);
}

err_t verify_store_list_artifact_rows(struct db *db, const struct verify_scope *scope,
				      struct verify_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_verify_artifact_rows,
		      DB_ARGS(P_INT8(scope->project_id), P_INT8(scope->run_id)),
		      &directory_row_table, (void **)ret_rows, ret_count);
}

err_t verify_store_list_sweep_rows(struct db *db, const struct verify_scope *scope,
				   struct verify_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_verify_sweep_rows,
		      DB_ARGS(P_INT8(scope->project_id), P_INT8(scope->run_id)),
		      &directory_row_table, (void **)ret_rows, ret_count);
}

err_t verify_store_list_server_rows(struct db *db, struct verify_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_verify_server_rows, DB_NO_ARGS, &verify_row_table,
		      (void **)ret_rows, ret_count);
}

err_t verify_store_list_stray_rows(struct db *db, struct verify_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_verify_stray_rows, DB_NO_ARGS, &verify_row_table, (void **)ret_rows,
		      ret_count);
}

/* ---- artifacts ------------------------------------------------------------------------------------- */

static const struct db_column words_columns[] = {
	DB_COLUMN(struct verify_words, project_id),
	DB_COLUMN(struct verify_words, entity),
	DB_COLUMN(struct verify_words, project),
	DB_COLUMN(struct verify_words, message),
};
static const struct db_row_table words_table = DB_ROW_TABLE(struct verify_words, words_columns);

static const struct db_column version_columns[] = {
	DB_COLUMN(struct verify_version, project_id),
	DB_COLUMN(struct verify_version, artifact_id),
	DB_COLUMN(struct verify_version, manifest_id),
	DB_COLUMN(struct verify_version, version),
	DB_COLUMN(struct verify_version, name),
	DB_COLUMN(struct verify_version, digest),
	DB_COLUMN(struct verify_version, size_bytes),
	DB_COLUMN(struct verify_version, file_count),
	DB_COLUMN(struct verify_version, entity),
	DB_COLUMN(struct verify_version, project),
};
static const struct db_row_table version_table =
	DB_ROW_TABLE(struct verify_version, version_columns);

static const struct db_column blob_columns[] = {
	DB_COLUMN(struct verify_blob, project_id), DB_COLUMN(struct verify_blob, blob_id),
	DB_BYTES(struct verify_blob, content),     DB_BYTES(struct verify_blob, md5),
	DB_COLUMN(struct verify_blob, size_bytes), DB_COLUMN(struct verify_blob, entity),
	DB_COLUMN(struct verify_blob, project),    DB_COLUMN(struct verify_blob, path),
};
static const struct db_row_table blob_table = DB_ROW_TABLE(struct verify_blob, blob_columns);

err_t verify_store_list_artifact_faults(struct db *db, const struct verify_scope *scope,
					struct verify_words **ret_faults, size_t *ret_count)
{
	return db_all(db, &STMT_verify_artifacts, DB_ARGS(P_INT8(scope->project_id)), &words_table,
		      (void **)ret_faults, ret_count);
}

err_t verify_store_list_sweep_faults(struct db *db, const struct verify_scope *scope,
				     struct verify_words **ret_faults, size_t *ret_count)
{
	return db_all(db, &STMT_verify_sweeps, DB_ARGS(P_INT8(scope->project_id)), &words_table,
		      (void **)ret_faults, ret_count);
}

err_t verify_store_list_versions(struct db *db, const struct verify_scope *scope,
				 const struct verify_place *after, int64_t limit,
				 struct verify_version **ret_versions, size_t *ret_count)
{
	return db_all(db, &STMT_verify_artifact_list,
		      DB_ARGS(P_INT8(scope->project_id), P_INT8(after->project_id),
			      P_INT8(after->number), P_INT8(limit)),
		      &version_table, (void **)ret_versions, ret_count);
}

err_t verify_store_list_blobs(struct db *db, const struct verify_scope *scope,
			      const struct verify_place *after, int64_t limit,
			      struct verify_blob **ret_blobs, size_t *ret_count)
{
	return db_all(db, &STMT_verify_blob_list,
		      DB_ARGS(P_INT8(scope->project_id), P_INT8(after->project_id),
			      P_INT8(after->number), P_INT8(limit)),
		      &blob_table, (void **)ret_blobs, ret_count);
}

const struct db_stmt_check verify_store_checks[] = {
	{ &STMT_verify_artifacts, &words_table },
	{ &STMT_verify_artifact_list, &version_table },
	{ &STMT_verify_blob_list, &blob_table },
	{ &STMT_verify_rows, &verify_row_table },
	{ &STMT_verify_directory_rows, &directory_row_table },
	{ &STMT_verify_artifact_rows, &directory_row_table },
	{ &STMT_verify_sweep_rows, &directory_row_table },
	{ &STMT_verify_sweeps, &words_table },
	{ &STMT_verify_server_rows, &verify_row_table },
	{ &STMT_verify_stray_rows, &verify_row_table },
	{ &STMT_verify_total, &total_table },
	{ &STMT_verify_runs, &item_table },
	{ &STMT_verify_lost_runs, &item_table },
	{ &STMT_verify_projects, &item_table },
	{ &STMT_verify_told, &told_table },
	{ &STMT_verify_tail, &tail_table },
	{ &STMT_verify_keys, &keys_table },
	{ &STMT_verify_chunks, &chunk_table },
	{ &STMT_verify_chunk_count, &chunks_table },
	{ &STMT_verify_strands, &strand_table },
	{ &STMT_verify_console, &verify_console_table },
	{ &STMT_verify_records, &records_table },
	{ &STMT_verify_alerts, &verify_alert_table },
	{ &STMT_verify_leaves, &verify_leaf_table },
	{ &STMT_verify_merged, &verify_merged_table },
};
const size_t verify_store_check_count = sizeof(verify_store_checks) /
					sizeof(verify_store_checks[0]);
