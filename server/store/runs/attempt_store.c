#include "attempt_store.h"

#include "store_sql.h"

static const struct db_column info_columns[] = {
	DB_COLUMN(struct attempt_info, attempt),   DB_COLUMN(struct attempt_info, state),
	DB_COLUMN(struct attempt_info, row_count), DB_NULLABLE(struct attempt_info, ended_at),
	DB_COLUMN(struct attempt_info, kept_at),
};
const struct db_row_table attempt_info_table = DB_ROW_TABLE(struct attempt_info, info_columns);

static const struct db_column documents_columns[] = {
	DB_COLUMN(struct attempt_documents, config),
	DB_COLUMN(struct attempt_documents, summary),
};
const struct db_row_table attempt_documents_table =
	DB_ROW_TABLE(struct attempt_documents, documents_columns);

err_t attempt_store_keep(struct db *db, int64_t run_id, const struct attempt_info *info,
			 const struct attempt_documents *documents)
{
	struct db_param ended_at = P_TIME(info->ended_at);
	err_t e;

	ended_at.null = !info->ended_at.us;
	e = db_exec(db, &STMT_attempt_insert,
		    DB_ARGS(P_INT8(run_id), P_INT4(info->attempt), P_INT2(info->state),
			    P_INT8(info->row_count), ended_at, P_TIME(info->kept_at),
			    P_STR(documents->config), P_STR(documents->summary)),
		    NULL);
	if (e)
		return e;
	return db_exec(db, &STMT_attempt_trim, DB_ARGS(P_INT8(run_id), P_INT8(ATTEMPTS_KEPT)),
		       NULL);
}

err_t attempt_store_list(struct db *db, int64_t run_id, int32_t after, int64_t limit,
			 struct attempt_info **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_attempt_list, DB_ARGS(P_INT8(run_id), P_INT4(after), P_INT8(limit)),
		      &attempt_info_table, (void **)ret_rows, ret_count);
}

err_t attempt_store_find(struct db *db, int64_t run_id, int32_t attempt,
			 struct attempt_documents **ret_documents)
{
	return db_first(db, &STMT_attempt_documents, DB_ARGS(P_INT8(run_id), P_INT4(attempt)),
			&attempt_documents_table, (void **)ret_documents);
}
