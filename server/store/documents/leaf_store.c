#include "leaf_store.h"

#include "arena.h"
#include "buf.h"
#include "column.h"
#include "json_out.h"
#include "store_sql.h"

struct leaf_row {
	struct str path;
	int32_t writer;
	bool shared;
	struct str value;
};
static const struct db_column leaf_columns[] = {
	DB_BYTES(struct leaf_row, path),
	DB_COLUMN(struct leaf_row, writer),
	DB_COLUMN(struct leaf_row, shared),
	DB_NULLABLE(struct leaf_row, value),
};
const struct db_row_table leaf_table = DB_ROW_TABLE(struct leaf_row, leaf_columns);

struct heir_row {
	int32_t number;
	int32_t writer;
	struct str value;
};
static const struct db_column heir_columns[] = {
	DB_COLUMN(struct heir_row, number),
	DB_COLUMN(struct heir_row, writer),
	DB_COLUMN(struct heir_row, value),
};
const struct db_row_table heir_table = DB_ROW_TABLE(struct heir_row, heir_columns);

static const struct db_column merged_columns[] = {
	DB_COLUMN(struct merged_row, value_count),
	DB_COLUMN(struct merged_row, size_bytes),
	DB_COLUMN(struct merged_row, path_bytes),
	DB_COLUMN(struct merged_row, tangled),
};
const struct db_row_table merged_table = DB_ROW_TABLE(struct merged_row, merged_columns);

/* ---- reading ----------------------------------------------------------------------------------- */

static err_t read_leaves(struct db *db, const struct leaf_row *rows, size_t count,
			 struct leaves *ret_leaves)
{
	struct leaf *leaves = arena_new_array(db_arena(db), struct leaf, count);
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++) {
		leaves[i].path = rows[i].path;
		leaves[i].writer = rows[i].writer;
		leaves[i].shared = rows[i].shared;
		if (rows[i].value.at)
			e = json_doc_parse(db_arena(db), rows[i].value, &leaves[i].value);
	}
	*ret_leaves = (struct leaves){ leaves, count };
	return e;
}

static struct db_param places(struct arena *a, const struct leaves *rows)
{
	struct str *place = arena_new_array(a, struct str, rows->count);

	for (size_t i = 0; i < rows->count; i++)
		place[i] = leaf_place(a, rows->at[i].path);
	return (struct db_param)P_ARRAY(DB_BYTEA_ARRAY, place, rows->count);
}

err_t leaf_store_find(struct db *db, const struct leaf_document *of, const struct leaves *paths,
		      struct leaves *ret_rows)
{
	struct leaf_row *rows;
	size_t count;
	err_t e;

	e = db_all(db, &STMT_leaf_find,
		   DB_ARGS(P_INT8(of->run_id), P_INT2(of->kind), places(db_arena(db), paths)),
		   &leaf_table, (void **)&rows, &count);
	return e ? e : read_leaves(db, rows, count, ret_rows);
}

err_t leaf_store_list(struct db *db, const struct leaf_document *of, struct leaves *ret_leaves)
{
	struct leaf_row *rows;
	size_t count;
	err_t e;

	e = db_all(db, &STMT_leaf_list, DB_ARGS(P_INT8(of->run_id), P_INT2(of->kind)), &leaf_table,
		   (void **)&rows, &count);
	return e ? e : read_leaves(db, rows, count, ret_leaves);
}

/* ["name","name"] */
static struct str path_as_json(struct arena *a, struct str path)
{
	struct buf *text = buf_new(a);
	struct json_out out = json_out_begin(text);

	json_out_array(&out);
	for (size_t from = 0; from <= path.len; from++) {
		struct str name = leaf_name_at(path, from);

		json_out_text(&out, name);
		from += name.len;
	}
	json_out_array_end(&out);
	return buf_str(text);
}

err_t leaf_store_heirs(struct db *db, int64_t run_id, int32_t writer, const struct leaves *orphaned,
		       struct leaves *ret_heirs)
{
	struct arena *a = db_arena(db);
	int32_t *numbers = arena_new_array(a, int32_t, orphaned->count);
	struct str *paths = arena_new_array(a, struct str, orphaned->count);
	struct leaf *heirs;
	struct heir_row *rows;
	size_t count;
	err_t e;

	for (size_t i = 0; i < orphaned->count; i++) {
		numbers[i] = (int32_t)i;
		paths[i] = path_as_json(a, orphaned->at[i].path);
	}
	e = db_all(db, &STMT_leaf_heir,
		   DB_ARGS(P_INT8(run_id), P_INT4(writer),
			   P_ARRAY(DB_INT4_ARRAY, numbers, orphaned->count),
			   P_ARRAY(DB_TEXT_ARRAY, paths, orphaned->count)),
		   &heir_table, (void **)&rows, &count);
	if (e)
		return e;
	heirs = arena_new_array(a, struct leaf, count);
	for (size_t i = 0; i < count && !e; i++) {
		heirs[i].path = orphaned->at[rows[i].number].path;
		heirs[i].writer = rows[i].writer;
		heirs[i].shared = true;
		e = json_doc_parse(a, rows[i].value, &heirs[i].value);
	}
	*ret_heirs = (struct leaves){ heirs, count };
	return e;
}

/* ---- writing ----------------------------------------------------------------------------------- */

err_t leaf_store_save(struct db *db, const struct leaf_document *of, const struct leaves *rows)
{
	struct arena *a = db_arena(db);
	struct str *values = arena_new_array(a, struct str, rows->count);

	if (!rows->count)
		return NULL;
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->at[i].value)
			values[i] = json_doc_dump(a, rows->at[i].value);
	}
	return db_exec(db, &STMT_leaf_save,
		       DB_ARGS(P_INT8(of->run_id), P_INT2(of->kind), places(a, rows),
			       COLUMN(a, DB_BYTEA_ARRAY, rows->at, rows->count, path),
			       COLUMN(a, DB_INT4_ARRAY, rows->at, rows->count, writer),
			       COLUMN(a, DB_BOOL_ARRAY, rows->at, rows->count, shared),
			       P_ARRAY(DB_TEXT_ARRAY, values, rows->count)),
		       NULL);
}

err_t leaf_store_drop(struct db *db, const struct leaf_document *of, const struct leaves *rows)
{
	if (!rows->count)
		return NULL;
	return db_exec(db, &STMT_leaf_drop,
		       DB_ARGS(P_INT8(of->run_id), P_INT2(of->kind), places(db_arena(db), rows)),
		       NULL);
}

err_t leaf_store_drop_all(struct db *db, const struct leaf_document *of)
{
	return db_exec(db, &STMT_leaf_drop_all, DB_ARGS(P_INT8(of->run_id), P_INT2(of->kind)),
		       NULL);
}

/* ---- the whole --------------------------------------------------------------------------------- */

err_t leaf_store_find_merged(struct db *db, const struct leaf_document *of,
			     struct merged_row *ret_row)
{
	struct merged_row *row;
	err_t e;

	e = db_first(db, &STMT_merged_find, DB_ARGS(P_INT8(of->run_id), P_INT2(of->kind)),
		     &merged_table, (void **)&row);
	if (!e)
		*ret_row = row ? *row : (struct merged_row){ .value_count = 0 };
	return e;
}

err_t leaf_store_save_merged(struct db *db, const struct leaf_document *of,
			     const struct merged_row *row)
{
	return db_exec(db, &STMT_merged_save,
		       DB_ARGS(P_INT8(of->run_id), P_INT2(of->kind), P_INT8(row->value_count),
			       P_INT8(row->size_bytes), P_INT8(row->path_bytes),
			       P_BOOL(row->tangled)),
		       NULL);
}
