#include "branch_store.h"

#include "arena.h"
#include "column.h"
#include "run_store.h"
#include "store_sql.h"

static const struct db_column info_columns[] = {
	DB_COLUMN(struct branch_info, number),
	DB_COLUMN(struct branch_info, source_name),
	DB_COLUMN(struct branch_info, source_visibility),
	DB_COLUMN(struct branch_info, source_branch),
	DB_COLUMN(struct branch_info, step),
	DB_COLUMN(struct branch_info, row_first),
	DB_COLUMN(struct branch_info, made_at),
	DB_NULLABLE(struct branch_info, user_name),
	DB_NULLABLE(struct branch_info, left_at),
	DB_COLUMN(struct branch_info, row_count),
	DB_COLUMN(struct branch_info, last_step),
};
const struct db_row_table branch_info_table = DB_ROW_TABLE(struct branch_info, info_columns);

struct parts_row {
	struct str parts;
};
static const struct db_column parts_columns[] = { DB_COLUMN(struct parts_row, parts) };
const struct db_row_table branch_parts_table = DB_ROW_TABLE(struct parts_row, parts_columns);

static const struct db_column documents_columns[] = {
	DB_NULLABLE(struct branch_documents, config),
	DB_NULLABLE(struct branch_documents, summary),
};
const struct db_row_table branch_documents_table =
	DB_ROW_TABLE(struct branch_documents, documents_columns);

struct there_row {
	bool there;
};
static const struct db_column there_columns[] = { DB_COLUMN(struct there_row, there) };
const struct db_row_table branch_there_table = DB_ROW_TABLE(struct there_row, there_columns);

static const struct db_column keys_columns[] = {
	DB_COLUMN(struct branch_keys, writer),
	DB_BYTES(struct branch_keys, document),
};
const struct db_row_table branch_keys_table = DB_ROW_TABLE(struct branch_keys, keys_columns);

/* The other runs that it has rows of. */
static struct db_param sources(struct arena *a, const struct branch_new *b)
{
	int64_t *ids = arena_new_array(a, int64_t, b->view.count);
	size_t count = branch_runs(&b->view, ids);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (ids[i] != b->run_id)
			ids[kept++] = ids[i];
	}
	return (struct db_param)P_ARRAY(DB_INT8_ARRAY, ids, kept);
}

err_t branch_store_insert(struct db *db, const struct branch_new *b)
{
	struct arena *a = db_arena(db);

	return db_exec(db, &STMT_branch_insert,
		       DB_ARGS(P_INT8(b->run_id), P_INT4(b->number), P_INT8(b->source_id),
			       P_INT4(b->source_branch), P_INT8(b->step),
			       P_STR(branch_write(a, &b->view)), sources(a, b),
			       P_INT8(b->row_first), P_TIME(b->made_at), P_INT8(b->user_id)),
		       NULL);
}

err_t branch_store_leave(struct db *db, const struct branch_end *end)
{
	return db_exec(db, &STMT_branch_leave,
		       DB_ARGS(P_INT8(end->run_id), P_INT4(end->number),
			       P_STR(branch_write(db_arena(db), &end->view)), P_TIME(end->left_at),
			       P_INT8(end->row_count), P_INT8(end->last_step), P_STR(end->config),
			       P_STR(end->summary)),
		       NULL);
}

err_t branch_store_begin(struct db *db, const struct branch_begin *begin)
{
	return db_exec(db, &STMT_branch_begin,
		       DB_ARGS(P_INT8(begin->run_id), P_INT4(begin->number),
			       P_INT4(begin->writer_first), P_INT8(begin->row_first)),
		       NULL);
}

err_t branch_store_view(struct db *db, int64_t run_id, int32_t number, struct branch_view *ret_view)
{
	struct parts_row *row;
	err_t e = db_first(db, &STMT_branch_parts, DB_ARGS(P_INT8(run_id), P_INT4(number)),
			   &branch_parts_table, (void **)&row);

	if (e)
		return e;
	if (!row)
		return err_field(db_arena(db), ERR_NOT_FOUND, "branch", "the run has no branch %d",
				 number);
	return branch_read(db_arena(db), row->parts, ret_view);
}

err_t branch_store_list(struct db *db, const struct branch_list *ask, struct branch_info **ret_rows,
			size_t *ret_count)
{
	return db_all(db, &STMT_branch_list,
		      DB_ARGS(P_INT8(ask->run_id), P_INT4(ask->after), P_INT8(ask->limit),
			      P_INT8(ask->project_id)),
		      &branch_info_table, (void **)ret_rows, ret_count);
}

err_t branch_store_documents(struct db *db, int64_t run_id, int32_t number,
			     struct branch_documents **ret_documents)
{
	return db_first(db, &STMT_branch_documents, DB_ARGS(P_INT8(run_id), P_INT4(number)),
			&branch_documents_table, (void **)ret_documents);
}

err_t branch_store_save_keys(struct db *db, int64_t run_id, int32_t number,
			     const struct branch_keys *rows, size_t n)
{
	struct arena *a = db_arena(db);

	if (!n)
		return NULL;
	return db_exec(db, &STMT_branch_keys_save,
		       DB_ARGS(P_INT8(run_id), P_INT4(number),
			       COLUMN(a, DB_INT4_ARRAY, rows, n, writer),
			       COLUMN(a, DB_BYTEA_ARRAY, rows, n, document)),
		       NULL);
}

err_t branch_store_list_keys(struct db *db, int64_t run_id, int32_t number,
			     struct branch_keys **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_branch_keys_list, DB_ARGS(P_INT8(run_id), P_INT4(number)),
		      &branch_keys_table, (void **)ret_rows, ret_count);
}

err_t branch_store_is_forked(struct db *db, int64_t run_id, bool *ret_forked)
{
	struct there_row *row;
	err_t e = db_first(db, &STMT_branch_is_forked, DB_ARGS(P_INT8(run_id)), &branch_there_table,
			   (void **)&row);

	if (!e)
		*ret_forked = row && row->there;
	return e;
}

err_t branch_store_set_aside(struct db *db, int64_t run_id, int32_t number, struct str client)
{
	return db_exec(db, &STMT_branch_set_aside,
		       DB_ARGS(P_INT8(run_id), P_INT4(number), P_STR(client)), NULL);
}

err_t branch_store_set_aside_one(struct db *db, int64_t run_id, struct str client)
{
	return db_exec(db, &STMT_branch_set_aside_one, DB_ARGS(P_INT8(run_id), P_STR(client)),
		       NULL);
}

err_t branch_store_renumber(struct db *db, int64_t run_id, int32_t more)
{
	return db_exec(db, &STMT_branch_renumber, DB_ARGS(P_INT8(run_id), P_INT4(more)), NULL);
}

err_t branch_store_note_fork(struct db *db, int64_t project_id, const struct run_info *fork)
{
	return db_exec(db, &STMT_branch_note_fork,
		       DB_ARGS(P_INT8(project_id), P_STR(fork->name), P_STR(fork->forked_from),
			       P_INT8(fork->forked_step), P_INT2(fork->visibility)),
		       NULL);
}
