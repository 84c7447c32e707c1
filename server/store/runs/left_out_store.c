#include "left_out_store.h"

#include "column.h"
#include "store_sql.h"

static const struct db_column left_out_columns[] = {
	DB_COLUMN(struct left_out_row, number),  DB_COLUMN(struct left_out_row, kind),
	DB_COLUMN(struct left_out_row, reason),  DB_COLUMN(struct left_out_row, name),
	DB_COLUMN(struct left_out_row, count),   DB_COLUMN(struct left_out_row, first_at),
	DB_COLUMN(struct left_out_row, last_at), DB_COLUMN(struct left_out_row, sample),
};
const struct db_row_table left_out_table = DB_ROW_TABLE(struct left_out_row, left_out_columns);

static struct left_out_row *rows_of(struct arena *a, const struct left_out_list *list)
{
	struct left_out_row *rows = arena_new_array(a, struct left_out_row, list->count);

	for (size_t i = 0; i < list->count; i++) {
		const struct left_out *item = &list->items[i];

		rows[i] = (struct left_out_row){
			.kind = (int16_t)item->kind,
			.reason = str_of(left_out_reason_code(item->reason)),
			.name = item->name,
			.count = item->count,
			.sample = item->sample,
		};
	}
	return rows;
}

struct db_args left_out_store_args(struct arena *a, int64_t run_id,
				   const struct left_out_list *list, timestamp_us now)
{
	const struct left_out_row *rows = rows_of(a, list);
	size_t n = list->count;
	const struct db_param params[] = {
		P_INT8(run_id),
		COLUMN(a, DB_INT2_ARRAY, rows, n, kind),
		COLUMN(a, DB_TEXT_ARRAY, rows, n, reason),
		COLUMN(a, DB_TEXT_ARRAY, rows, n, name),
		COLUMN(a, DB_INT8_ARRAY, rows, n, count),
		COLUMN(a, DB_TEXT_ARRAY, rows, n, sample),
		P_INT8(list->total),
		P_TIME(now),
		P_INT4(LEFT_OUT_MAX),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

err_t left_out_store_add(struct db *db, int64_t run_id, const struct left_out_list *list,
			 timestamp_us now)
{
	if (!list->total)
		return NULL;
	return db_exec(db, &STMT_left_out_add, left_out_store_args(db_arena(db), run_id, list, now),
		       NULL);
}

err_t left_out_store_list(struct db *db, int64_t run_id, int64_t after, int64_t limit,
			  struct left_out_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_left_out_list,
		      DB_ARGS(P_INT8(run_id), P_INT8(after), P_INT8(limit)), &left_out_table,
		      (void **)ret_rows, ret_count);
}
