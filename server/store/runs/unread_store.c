#include "unread_store.h"

#include "column.h"
#include "store_sql.h"

static const struct db_column unread_columns[] = {
	DB_COLUMN(struct unread_row, number),  DB_COLUMN(struct unread_row, writer),
	DB_COLUMN(struct unread_row, stream),  DB_COLUMN(struct unread_row, text),
	DB_COLUMN(struct unread_row, came_at),
};
const struct db_row_table unread_table = DB_ROW_TABLE(struct unread_row, unread_columns);

struct db_args unread_store_args(struct arena *a, const struct unread_row *rows, size_t n)
{
	const struct db_param params[] = {
		P_INT8(rows[0].run_id),
		P_INT4(rows[0].writer),
		COLUMN(a, DB_INT8_ARRAY, rows, n, number),
		COLUMN(a, DB_INT2_ARRAY, rows, n, stream),
		COLUMN(a, DB_TEXT_ARRAY, rows, n, text),
		P_TIME(rows[0].came_at),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

err_t unread_store_list(struct db *db, int64_t run_id, int64_t after, int64_t limit,
			struct unread_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_run_unread_list,
		      DB_ARGS(P_INT8(run_id), P_INT8(after), P_INT8(limit)), &unread_table,
		      (void **)ret_rows, ret_count);
}
