#include "chunk_store.h"

#include "column.h"
#include "store_sql.h"

static const struct db_column open_columns[] = {
	DB_COLUMN(struct chunk_row, stream),      DB_COLUMN(struct chunk_row, key_id),
	DB_COLUMN(struct chunk_row, kind),        DB_COLUMN(struct chunk_row, writer),
	DB_COLUMN(struct chunk_row, index_first), DB_BYTES(struct chunk_row, data),
};
static const struct db_row_table chunk_open_table = DB_ROW_TABLE(struct chunk_row, open_columns);

static const struct db_column stream_keys_columns[] = {
	DB_COLUMN(struct stream_keys, stream),
	DB_COLUMN(struct stream_keys, writer),
	DB_BYTES(struct stream_keys, document),
};
static const struct db_row_table stream_keys_table =
	DB_ROW_TABLE(struct stream_keys, stream_keys_columns);

static struct db_args open_args(struct arena *a, int64_t run_id, const struct open_values *rows,
				size_t n)
{
	const struct db_param params[] = {
		P_INT8(run_id),
		COLUMN(a, DB_INT2_ARRAY, rows, n, stream),
		COLUMN(a, DB_INT4_ARRAY, rows, n, key_id),
		COLUMN(a, DB_INT2_ARRAY, rows, n, kind),
		COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
		COLUMN(a, DB_INT8_ARRAY, rows, n, from),
		COLUMN(a, DB_INT8_ARRAY, rows, n, next),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

err_t chunk_store_open(struct db *db, int64_t run_id, const struct open_values *asked, size_t n,
		       struct chunk_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_chunk_open, open_args(db_arena(db), run_id, asked, n),
		      &chunk_open_table, (void **)ret_rows, ret_count);
}

err_t chunk_store_drop(struct db *db, int64_t run_id, const struct open_values *rows, size_t n)
{
	if (!n)
		return NULL;
	return db_exec(db, &STMT_chunk_drop, open_args(db_arena(db), run_id, rows, n), NULL);
}

err_t chunk_store_save(struct db *db, int64_t run_id, const struct chunk_row *rows, size_t n)
{
	struct arena *a = db_arena(db);

	if (!n)
		return NULL;
	return db_exec(db, &STMT_chunk_save,
		       DB_ARGS(P_INT8(run_id), COLUMN(a, DB_INT2_ARRAY, rows, n, stream),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, key_id),
			       COLUMN(a, DB_INT2_ARRAY, rows, n, kind),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, index_first),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, value_count),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, row_first),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, row_last),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, step_min),
			       COLUMN(a, DB_INT8_ARRAY, rows, n, step_max),
			       COLUMN(a, DB_BYTEA_ARRAY, rows, n, roll),
			       COLUMN(a, DB_BYTEA_ARRAY, rows, n, data)),
		       NULL);
}

err_t chunk_store_list_keys(struct db *db, int64_t run_id, const struct stream_keys *asked,
			    size_t n, struct stream_keys **ret_rows, size_t *ret_count)
{
	struct arena *a = db_arena(db);

	return db_all(db, &STMT_keys_list,
		      DB_ARGS(P_INT8(run_id), COLUMN(a, DB_INT2_ARRAY, asked, n, stream),
			      COLUMN(a, DB_INT4_ARRAY, asked, n, writer)),
		      &stream_keys_table, (void **)ret_rows, ret_count);
}

err_t chunk_store_save_keys(struct db *db, int64_t run_id, const struct stream_keys *rows, size_t n)
{
	struct arena *a = db_arena(db);

	if (!n)
		return NULL;
	return db_exec(db, &STMT_keys_save,
		       DB_ARGS(P_INT8(run_id), COLUMN(a, DB_INT2_ARRAY, rows, n, stream),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
			       COLUMN(a, DB_BYTEA_ARRAY, rows, n, document)),
		       NULL);
}

err_t chunk_store_compacted(struct db *db, int64_t run_id, const struct compacted *done)
{
	return db_exec(db, &STMT_compaction_save,
		       DB_ARGS(P_INT8(run_id), P_INT8(done->seq), P_INT4(done->blocks),
			       P_INT8(done->bytes), P_INT8(done->console_chunks),
			       P_INT8(done->console_lines)),
		       NULL);
}
