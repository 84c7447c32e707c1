#include "document_store.h"

#include "arena.h"
#include "column.h"
#include "store_sql.h"

static const struct db_column config_columns[] = {
	DB_COLUMN(struct config_row, writer),
	DB_COLUMN(struct config_row, seq),
	DB_COLUMN(struct config_row, document),
	DB_NULLABLE(struct config_row, common),
};
const struct db_row_table config_table = DB_ROW_TABLE(struct config_row, config_columns);

static const struct db_column sent_columns[] = {
	DB_COLUMN(struct sent_row, run_id),    DB_COLUMN(struct sent_row, writer),
	DB_NULLABLE(struct sent_row, summary), DB_NULLABLE(struct sent_row, waiting),
	DB_COLUMN(struct sent_row, ahead),     DB_COLUMN(struct sent_row, session),
	DB_NULLABLE(struct sent_row, common),
};
const struct db_row_table sent_table = DB_ROW_TABLE(struct sent_row, sent_columns);

static const struct db_column overlay_columns[] = {
	DB_COLUMN(struct overlay_row, seq),
	DB_COLUMN(struct overlay_row, patch),
	DB_COLUMN(struct overlay_row, rows),
	DB_COLUMN(struct overlay_row, editors),
};
const struct db_row_table overlay_table = DB_ROW_TABLE(struct overlay_row, overlay_columns);

static const struct db_column conflict_columns[] = {
	DB_COLUMN(struct conflict_row, kind),       DB_COLUMN(struct conflict_row, key),
	DB_COLUMN(struct conflict_row, count),      DB_COLUMN(struct conflict_row, writers),
	DB_COLUMN(struct conflict_row, changed_at),
};
const struct db_row_table conflict_table = DB_ROW_TABLE(struct conflict_row, conflict_columns);

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
			       P_STR(row->document), P_STR_OR_NULL(row->common)),
		       NULL);
}

err_t document_store_find_sent(struct db *db, const int64_t *run_ids, const int32_t *writers,
			       size_t count, struct sent_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_sent_find,
		      DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, count),
			      P_ARRAY(DB_INT4_ARRAY, writers, count)),
		      &sent_table, (void **)ret_rows, ret_count);
}

err_t document_store_list_sent(struct db *db, int64_t run_id, int64_t limit, int64_t bytes,
			       struct sent_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_sent_list, DB_ARGS(P_INT8(run_id), P_INT8(limit), P_INT8(bytes)),
		      &sent_table, (void **)ret_rows, ret_count);
}

struct db_args document_store_sent_args(struct arena *a, const struct sent_row *rows, size_t count)
{
	const struct db_param params[] = {
		COLUMN(a, DB_INT8_ARRAY, rows, count, run_id),
		COLUMN(a, DB_INT4_ARRAY, rows, count, writer),
		COLUMN(a, DB_TEXT_ARRAY, rows, count, summary),
		COLUMN(a, DB_TEXT_ARRAY, rows, count, waiting),
		COLUMN(a, DB_TEXT_ARRAY, rows, count, ahead),
		COLUMN(a, DB_INT4_ARRAY, rows, count, session),
		COLUMN(a, DB_TEXT_ARRAY, rows, count, common),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
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
			       P_STR(row->rows), P_STR(row->editors)),
		       NULL);
}

err_t document_store_find_conflicts(struct db *db, int64_t run_id, enum document_kind kind,
				    const struct conflicts *of, struct conflict_row **ret_rows,
				    size_t *ret_count)
{
	return db_all(db, &STMT_conflict_find,
		      DB_ARGS(P_INT8(run_id), P_INT2(kind),
			      COLUMN(db_arena(db), DB_TEXT_ARRAY, of->at, of->count, key)),
		      &conflict_table, (void **)ret_rows, ret_count);
}

err_t document_store_save_conflicts(struct db *db, int64_t run_id, enum document_kind kind,
				    const struct conflict_row *rows, size_t count, timestamp_us now)
{
	struct arena *a = db_arena(db);

	return db_exec(db, &STMT_conflict_save,
		       DB_ARGS(P_INT8(run_id), P_INT2(kind),
			       COLUMN(a, DB_TEXT_ARRAY, rows, count, key),
			       COLUMN(a, DB_INT8_ARRAY, rows, count, count),
			       COLUMN(a, DB_TEXT_ARRAY, rows, count, writers), P_TIME(now)),
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
