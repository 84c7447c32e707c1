#include "document_store.h"

#include "store_sql.h"

static const struct db_column config_columns[] = {
	DB_COLUMN(struct config_row, writer),
	DB_COLUMN(struct config_row, seq),
	DB_COLUMN(struct config_row, document),
};
const struct db_row_table config_table = DB_ROW_TABLE(struct config_row, config_columns);

static const struct db_column summary_columns[] = {
	DB_COLUMN(struct summary_row, seq),
	DB_COLUMN(struct summary_row, document),
	DB_COLUMN(struct summary_row, writers),
};
const struct db_row_table summary_table = DB_ROW_TABLE(struct summary_row, summary_columns);

static const struct db_column overlay_columns[] = {
	DB_COLUMN(struct overlay_row, seq),
	DB_COLUMN(struct overlay_row, patch),
	DB_COLUMN(struct overlay_row, rows),
};
const struct db_row_table overlay_table = DB_ROW_TABLE(struct overlay_row, overlay_columns);

static const struct db_column conflict_columns[] = {
	DB_COLUMN(struct conflict_row, kind),       DB_COLUMN(struct conflict_row, key),
	DB_COLUMN(struct conflict_row, count),      DB_COLUMN(struct conflict_row, writers),
	DB_COLUMN(struct conflict_row, changed_at),
};
const struct db_row_table conflict_table = DB_ROW_TABLE(struct conflict_row, conflict_columns);

static const struct db_column search_columns[] = {
	DB_COLUMN(struct search_row, run_id),
	DB_JSON(struct search_row, order_value),
};
const struct db_row_table search_table = DB_ROW_TABLE(struct search_row, search_columns);

struct count_row {
	int64_t count;
};
static const struct db_column count_columns[] = { DB_COLUMN(struct count_row, count) };
const struct db_row_table count_table = DB_ROW_TABLE(struct count_row, count_columns);

err_t document_store_list_configs(struct db *db, int64_t run_id, struct config_row **ret_rows,
				  size_t *ret_count)
{
	return db_all(db, &STMT_config_list, DB_ARGS(P_INT8(run_id)), &config_table,
		      (void **)ret_rows, ret_count);
}

err_t document_store_list_other_configs(struct db *db, int64_t run_id, int32_t writer,
					struct config_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_config_others, DB_ARGS(P_INT8(run_id), P_INT4(writer)),
		      &config_table, (void **)ret_rows, ret_count);
}

err_t document_store_find_config(struct db *db, int64_t run_id, int32_t writer,
				 struct config_row **ret_row)
{
	return db_first(db, &STMT_config_of, DB_ARGS(P_INT8(run_id), P_INT4(writer)), &config_table,
			(void **)ret_row);
}

err_t document_store_save_config(struct db *db, int64_t run_id, const struct config_row *row)
{
	return db_exec(db, &STMT_config_save,
		       DB_ARGS(P_INT8(run_id), P_INT4(row->writer), P_INT8(row->seq),
			       P_STR(row->document)),
		       NULL);
}

err_t document_store_find_summary(struct db *db, int64_t run_id, struct summary_row **ret_row)
{
	return db_first(db, &STMT_summary_find, DB_ARGS(P_INT8(run_id)), &summary_table,
			(void **)ret_row);
}

err_t document_store_save_summary(struct db *db, int64_t run_id, const struct summary_row *row)
{
	return db_exec(db, &STMT_summary_save,
		       DB_ARGS(P_INT8(run_id), P_INT8(row->seq), P_STR(row->document),
			       P_STR(row->writers)),
		       NULL);
}

err_t document_store_find_overlay(struct db *db, int64_t run_id, enum document_kind kind,
				  struct overlay_row **ret_row)
{
	return db_first(db, &STMT_overlay_find, DB_ARGS(P_INT8(run_id), P_INT2(kind)),
			&overlay_table, (void **)ret_row);
}

err_t document_store_save_overlay(struct db *db, int64_t run_id, enum document_kind kind,
				  const struct overlay_row *row)
{
	return db_exec(db, &STMT_overlay_save,
		       DB_ARGS(P_INT8(run_id), P_INT2(kind), P_INT8(row->seq), P_STR(row->patch),
			       P_STR(row->rows)),
		       NULL);
}

err_t document_store_find_conflict(struct db *db, int64_t run_id, enum document_kind kind,
				   struct str key, struct conflict_row **ret_row)
{
	return db_first(db, &STMT_conflict_find, DB_ARGS(P_INT8(run_id), P_INT2(kind), P_STR(key)),
			&conflict_table, (void **)ret_row);
}

err_t document_store_save_conflict(struct db *db, int64_t run_id, enum document_kind kind,
				   struct str key, struct str writers, timestamp_us now)
{
	return db_exec(db, &STMT_conflict_save,
		       DB_ARGS(P_INT8(run_id), P_INT2(kind), P_STR(key), P_STR(writers),
			       P_TIME(now)),
		       NULL);
}

err_t document_store_list_conflicts(struct db *db, int64_t run_id, int16_t kind, struct str key,
				    int64_t limit, struct conflict_row **ret_rows,
				    size_t *ret_count)
{
	return db_all(db, &STMT_conflict_list,
		      DB_ARGS(P_INT8(run_id), P_INT2(kind), P_STR(key), P_INT8(limit)),
		      &conflict_table, (void **)ret_rows, ret_count);
}

err_t document_store_save_searched(struct db *db, const struct search_document *doc)
{
	return db_exec(db, &STMT_document_save,
		       DB_ARGS(P_INT8(doc->project_id), P_INT8(doc->run_id), P_INT8(doc->seq),
			       P_INT2(doc->visibility), P_JSONB(doc->document)),
		       NULL);
}

static struct db_param json_or_null(struct str json)
{
	return (struct db_param){ .type = DB_JSONB, .bytes = json, .null = !json.len };
}

err_t document_store_search(struct db *db, const struct search_ask *ask,
			    struct search_row **ret_rows, size_t *ret_count)
{
	const struct db_stmt *stmt = ask->descending ? &STMT_document_search_down
						     : &STMT_document_search_up;

	return db_all(db, stmt,
		      DB_ARGS(P_INT8(ask->project_id), P_BOOL(ask->sees_private),
			      P_BOOL(ask->project_public), P_STR_OR_NULL(ask->filter),
			      P_ARRAY(DB_TEXT_ARRAY, ask->path, ask->path_count),
			      P_BOOL(ask->has_cursor), json_or_null(ask->cursor_value),
			      P_INT8(ask->cursor_run_id), P_INT8(ask->limit)),
		      &search_table, (void **)ret_rows, ret_count);
}

err_t document_store_order_value(struct db *db, const struct search_ask *ask, struct str *ret_value)
{
	struct search_row *row;
	err_t e;

	e = db_first(db, &STMT_document_order_value,
		     DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->cursor_run_id),
			     P_ARRAY(DB_TEXT_ARRAY, ask->path, ask->path_count),
			     P_BOOL(ask->sees_private), P_BOOL(ask->project_public)),
		     &search_table, (void **)&row);
	if (!e)
		*ret_value = row ? row->order_value : STR("");
	return e;
}

err_t document_store_count(struct db *db, const struct search_ask *ask, int64_t *ret_count)
{
	struct count_row *row;
	err_t e;

	e = db_first(db, &STMT_document_count,
		     DB_ARGS(P_INT8(ask->project_id), P_BOOL(ask->sees_private),
			     P_BOOL(ask->project_public), P_STR_OR_NULL(ask->filter)),
		     &count_table, (void **)&row);
	if (!e)
		*ret_count = row->count;
	return e;
}
