#include "file_store.h"

#include "store_sql.h"
#include "usage_store.h"

static const struct db_column file_columns[] = {
	DB_COLUMN(struct run_file, name),        DB_COLUMN(struct run_file, size_bytes),
	DB_BYTES(struct run_file, md5),          DB_BYTES(struct run_file, content),
	DB_NULLABLE(struct run_file, user_name), DB_COLUMN(struct run_file, client),
	DB_COLUMN(struct run_file, updated_at),
};
static const struct db_row_table file_table = DB_ROW_TABLE(struct run_file, file_columns);

static const struct db_column content_columns[] = {
	DB_BYTES(struct file_content, content),
	DB_COLUMN(struct file_content, size_bytes),
};
static const struct db_row_table content_table = DB_ROW_TABLE(struct file_content, content_columns);

static const struct db_column owner_columns[] = {
	DB_COLUMN(struct file_owner, run_id),   DB_COLUMN(struct file_owner, entity_id),
	DB_COLUMN(struct file_owner, entity),   DB_COLUMN(struct file_owner, project_id),
	DB_COLUMN(struct file_owner, project),  DB_COLUMN(struct file_owner, visibility),
	DB_COLUMN(struct file_owner, is_known), DB_COLUMN(struct file_owner, is_admin),
	DB_COLUMN(struct file_owner, role),     DB_COLUMN(struct file_owner, scope),
};
static const struct db_row_table owner_table = DB_ROW_TABLE(struct file_owner, owner_columns);

static const struct db_column folder_columns[] = {
	DB_COLUMN(struct file_folder, name),
	DB_NULLABLE(struct file_folder, beside),
};
static const struct db_row_table folder_table = DB_ROW_TABLE(struct file_folder, folder_columns);

static const struct db_column sum_columns[] = {
	DB_COLUMN(struct file_sum, file_count),
	DB_COLUMN(struct file_sum, file_bytes),
};
static const struct db_row_table sum_table = DB_ROW_TABLE(struct file_sum, sum_columns);

struct there_row {
	bool there;
};
static const struct db_column there_columns[] = { DB_COLUMN(struct there_row, there) };
static const struct db_row_table there_table = DB_ROW_TABLE(struct there_row, there_columns);

static timestamp_us later(timestamp_us now)
{
	return (timestamp_us){ now.us + FILE_GRACE_US };
}

/* ---- names ------------------------------------------------------------------------------------ */

err_t file_store_find(struct db *db, int64_t run_id, struct str name, struct run_file **ret_file)
{
	return db_first(db, &STMT_file_find, DB_ARGS(P_INT8(run_id), P_STR(name)), &file_table,
			(void **)ret_file);
}

err_t file_store_list(struct db *db, const struct file_ask *ask, struct run_file **ret_files,
		      size_t *ret_count)
{
	struct db_param pattern = P_STR(ask->pattern);

	pattern.null = !ask->pattern.at;
	return db_all(db, &STMT_file_list,
		      DB_ARGS(P_INT8(ask->run_id), P_STR(ask->after), pattern, P_INT8(ask->limit)),
		      &file_table, (void **)ret_files, ret_count);
}

err_t file_store_list_named(struct db *db, int64_t run_id, const struct str *names, size_t count,
			    struct run_file **ret_files, size_t *ret_count)
{
	return db_all(db, &STMT_file_list_named,
		      DB_ARGS(P_INT8(run_id), P_ARRAY(DB_TEXT_ARRAY, names, count)), &file_table,
		      (void **)ret_files, ret_count);
}

err_t file_store_list_folders(struct db *db, int64_t run_id, const struct str *names, size_t count,
			      struct file_folder **ret_folders, size_t *ret_count)
{
	return db_all(db, &STMT_file_list_folders,
		      DB_ARGS(P_INT8(run_id), P_ARRAY(DB_TEXT_ARRAY, names, count)), &folder_table,
		      (void **)ret_folders, ret_count);
}

err_t file_store_sum(struct db *db, int64_t run_id, struct file_sum **ret_sum)
{
	return db_first(db, &STMT_file_sum, DB_ARGS(P_INT8(run_id)), &sum_table, (void **)ret_sum);
}

/* Under the run's lock, so that they agree with its rows. */
static err_t count(struct db *db, const struct run *run, int64_t files, int64_t bytes)
{
	err_t e;

	if (!files && !bytes)
		return NULL;
	e = db_exec(db, &STMT_file_count,
		    DB_ARGS(P_INT8(run->run_id), P_INT8(files), P_INT8(bytes)), NULL);
	return e || !bytes ? e : usage_store_add(db, run, bytes);
}

static err_t look_later(struct db *db, const struct file_content *contents, size_t content_count,
			timestamp_us now)
{
	struct str *hashes = arena_new_array(db_arena(db), struct str, content_count + 1);

	for (size_t i = 0; i < content_count; i++)
		hashes[i] = contents[i].content;
	if (!content_count)
		return NULL;
	return db_exec(db, &STMT_file_content_look,
		       DB_ARGS(P_ARRAY(DB_BYTEA_ARRAY, hashes, content_count), P_TIME(later(now))),
		       NULL);
}

err_t file_store_put(struct db *db, const struct run *run, const struct run_file *file)
{
	struct run_file *before;
	err_t e = file_store_find(db, run->run_id, file->name, &before);

	if (!e)
		e = db_exec(db, &STMT_file_put,
			    DB_ARGS(P_INT8(run->run_id), P_STR(file->name),
				    P_INT8(file->size_bytes), P_BYTEA(file->md5),
				    P_BYTEA(file->content), P_INT8(file->user_id),
				    P_STR(file->client), P_TIME(file->updated_at)),
			    NULL);
	if (!e && before && !str_equal(before->content, file->content))
		e = look_later(db, &(struct file_content){ .content = before->content }, 1,
			       file->updated_at);
	if (e)
		return e;
	return count(db, run, !before, file->size_bytes - (before ? before->size_bytes : 0));
}

static int64_t sum_of(const struct file_content *contents, size_t n)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += contents[i].size_bytes;
	return bytes;
}

err_t file_store_delete(struct db *db, const struct run *run, const struct str *names, size_t n,
			timestamp_us now, int64_t *ret_count)
{
	struct file_content *gone;
	size_t gone_count;
	err_t e = db_all(db, &STMT_file_delete,
			 DB_ARGS(P_INT8(run->run_id), P_ARRAY(DB_TEXT_ARRAY, names, n)),
			 &content_table, (void **)&gone, &gone_count);

	if (!e)
		e = look_later(db, gone, gone_count, now);
	if (e)
		return e;
	*ret_count = (int64_t)gone_count;
	return count(db, run, -(int64_t)gone_count, -sum_of(gone, gone_count));
}

err_t file_store_purge(struct db *db, int64_t run_id, int64_t limit, timestamp_us now,
		       bool *ret_more)
{
	struct file_content *gone;
	size_t gone_count;
	err_t e = db_all(db, &STMT_file_purge, DB_ARGS(P_INT8(run_id), P_INT8(limit)),
			 &content_table, (void **)&gone, &gone_count);

	if (e)
		return e;
	*ret_more = (int64_t)gone_count == limit;
	return look_later(db, gone, gone_count, now);
}

err_t file_store_owner(struct db *db, const struct file_owner_ask *ask,
		       struct file_owner **ret_owner)
{
	return db_first(db, &STMT_file_owner,
			DB_ARGS(P_INT8(ask->run_id), P_INT8(ask->user_id), P_INT8(ask->key_id),
				P_STR(ask->session), P_TIME(ask->now)),
			&owner_table, (void **)ret_owner);
}

/* ---- content ---------------------------------------------------------------------------------- */

err_t file_store_claim(struct db *db, const struct file_content *content, timestamp_us now)
{
	return db_exec(db, &STMT_file_content_claim,
		       DB_ARGS(P_BYTEA(content->content), P_INT8(content->size_bytes),
			       P_TIME(later(now))),
		       NULL);
}

err_t file_store_adopt(struct db *db, const struct file_content *content, timestamp_us now)
{
	return db_exec(db, &STMT_file_content_adopt,
		       DB_ARGS(P_BYTEA(content->content), P_INT8(content->size_bytes),
			       P_TIME(later(now))),
		       NULL);
}

err_t file_store_list_due(struct db *db, timestamp_us now, int64_t limit,
			  struct file_content **ret_contents, size_t *ret_count)
{
	return db_all(db, &STMT_file_content_due, DB_ARGS(P_TIME(now), P_INT8(limit)),
		      &content_table, (void **)ret_contents, ret_count);
}

err_t file_store_may_forget(struct db *db, struct str content, timestamp_us now, bool *ret_may)
{
	struct file_content *locked;
	struct there_row *named;
	err_t e;

	*ret_may = false;
	e = db_first(db, &STMT_file_content_lock, DB_ARGS(P_BYTEA(content), P_TIME(now)),
		     &content_table, (void **)&locked);
	if (e || !locked)
		return e;
	e = db_first(db, &STMT_file_content_is_named, DB_ARGS(P_BYTEA(content)), &there_table,
		     (void **)&named);
	if (e)
		return e;
	*ret_may = !named->there;
	return named->there
		       ? db_exec(db, &STMT_file_content_settle, DB_ARGS(P_BYTEA(content)), NULL)
		       : NULL;
}

err_t file_store_forget(struct db *db, struct str content)
{
	return db_exec(db, &STMT_file_content_delete, DB_ARGS(P_BYTEA(content)), NULL);
}

err_t file_store_list_content(struct db *db, struct str after, int64_t limit,
			      struct file_content **ret_contents, size_t *ret_count)
{
	return db_all(db, &STMT_file_content_list, DB_ARGS(P_BYTEA(after), P_INT8(limit)),
		      &content_table, (void **)ret_contents, ret_count);
}

const struct db_stmt_check file_store_checks[] = {
	{ &STMT_file_content_due, &content_table },
	{ &STMT_file_content_lock, &content_table },
	{ &STMT_file_content_is_named, &there_table },
	{ &STMT_file_content_list, &content_table },
	{ &STMT_file_owner, &owner_table },
	{ &STMT_file_find, &file_table },
	{ &STMT_file_list, &file_table },
	{ &STMT_file_list_named, &file_table },
	{ &STMT_file_list_folders, &folder_table },
	{ &STMT_file_sum, &sum_table },
	{ &STMT_file_delete, &content_table },
	{ &STMT_file_purge, &content_table },
};
const size_t file_store_check_count = sizeof(file_store_checks) / sizeof(file_store_checks[0]);
