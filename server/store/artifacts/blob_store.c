#include "blob_store.h"

#include "column.h"
#include "file_store.h"
#include "store_sql.h"

/* ---- blobs ------------------------------------------------------------------------------------------ */

static const struct db_column blob_columns[] = {
	DB_COLUMN(struct artifact_blob, blob_id),  DB_BYTES(struct artifact_blob, content),
	DB_BYTES(struct artifact_blob, md5),       DB_COLUMN(struct artifact_blob, size_bytes),
	DB_COLUMN(struct artifact_blob, birth_id), DB_COLUMN(struct artifact_blob, came_at),
};
static const struct db_row_table blob_table = DB_ROW_TABLE(struct artifact_blob, blob_columns);

struct blob_number {
	int64_t blob_id;
};
static const struct db_column number_columns[] = { DB_COLUMN(struct blob_number, blob_id) };
static const struct db_row_table number_table = DB_ROW_TABLE(struct blob_number, number_columns);

/*
 * A blob's number is the beginning of its hash. Random ones would meet: a tar brings thousands of files in a second, and a
 * transaction that failed for one of them cannot try again.
 */
int64_t blob_store_number(struct str content)
{
	uint64_t number = 0;

	for (size_t i = 0; i < sizeof(number) && i < content.len; i++)
		number = number << 8 | (unsigned char)content.at[i];
	number &= INT64_MAX;
	return number ? (int64_t)number : 1;
}

static struct db_args put_args(struct arena *a, int64_t project_id,
			       const struct artifact_blob *blob)
{
	const struct db_param params[] = {
		P_INT8(project_id),       P_INT8(blob_store_number(blob->content)),
		P_BYTEA(blob->content),   P_BYTEA(blob->md5),
		P_INT8(blob->size_bytes), P_INT8(blob->birth_id),
		P_TIME(blob->came_at),
	};

	return (struct db_args){ arena_copy(a, params, sizeof(params)),
				 sizeof(params) / sizeof(params[0]) };
}

static err_t take_number(struct db *db, const struct blob_number *row, int64_t *ret_blob_id)
{
	if (!row)
		return err_new(db_arena(db), ERR_CONFLICT,
			       "the project has other content whose hash begins like this one's");
	*ret_blob_id = row->blob_id;
	return NULL;
}

err_t blob_store_put(struct db *db, int64_t project_id, const struct artifact_blob *blob,
		     int64_t *ret_blob_id)
{
	struct blob_number *row;
	err_t e = db_first(db, &STMT_blob_put, put_args(db_arena(db), project_id, blob),
			   &number_table, (void **)&row);

	return e ? e : take_number(db, row, ret_blob_id);
}

err_t blob_store_find(struct db *db, int64_t project_id, int64_t blob_id,
		      struct artifact_blob **ret_blob)
{
	return db_first(db, &STMT_blob_find, DB_ARGS(P_INT8(project_id), P_INT8(blob_id)),
			&blob_table, (void **)ret_blob);
}

err_t blob_store_find_md5(struct db *db, int64_t project_id, const struct str *md5s, size_t count,
			  struct artifact_blob **ret_blobs, size_t *ret_count)
{
	return db_all_by_key(db, &STMT_blob_find_md5,
			     DB_ARGS(P_INT8(project_id), P_ARRAY(DB_BYTEA_ARRAY, md5s, count)),
			     &blob_table, (void **)ret_blobs, ret_count);
}

err_t blob_store_hold(struct db *db, int64_t project_id, const struct str *md5s, size_t count,
		      timestamp_us until)
{
	return db_exec(db, &STMT_blob_hold,
		       DB_ARGS(P_INT8(project_id), P_ARRAY(DB_BYTEA_ARRAY, md5s, count),
			       P_TIME(until)),
		       NULL);
}

err_t blob_store_find_elsewhere(struct db *db, const struct blob_elsewhere_ask *ask,
				struct artifact_blob **ret_blobs, size_t *ret_count)
{
	return db_all(
		db, &STMT_blob_find_elsewhere,
		DB_ARGS(P_INT8(ask->entity_id), P_INT8(ask->project_id), P_BOOL(ask->sees_private),
			P_ARRAY(DB_BYTEA_ARRAY, ask->md5s, ask->count), P_BOOL(ask->is_committed)),
		&blob_table, (void **)ret_blobs, ret_count);
}

err_t blob_store_look_later(struct db *db, int64_t project_id, const int64_t *blob_ids,
			    size_t count, timestamp_us look_at)
{
	if (!count)
		return NULL;
	return db_exec(db, &STMT_blob_look_later,
		       DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT8_ARRAY, blob_ids, count),
			       P_TIME(look_at)),
		       NULL);
}

/* ---- what a draft has -------------------------------------------------------------------------------- */

static const struct db_column upload_columns[] = {
	DB_COLUMN(struct artifact_upload, path),       DB_COLUMN(struct artifact_upload, blob_id),
	DB_BYTES(struct artifact_upload, md5),         DB_BYTES(struct artifact_upload, content),
	DB_COLUMN(struct artifact_upload, size_bytes), DB_COLUMN(struct artifact_upload, birth_id),
};
static const struct db_row_table upload_table =
	DB_ROW_TABLE(struct artifact_upload, upload_columns);

/* Blobs that the paths led to before lose a name. */
static err_t look_at_old(struct db *db, int64_t project_id, const struct artifact_upload *old,
			 size_t count, timestamp_us now)
{
	int64_t *blob_ids = arena_new_array(db_arena(db), int64_t, count + 1);

	for (size_t i = 0; i < count; i++)
		blob_ids[i] = old[i].blob_id;
	return blob_store_look_later(db, project_id, blob_ids, count,
				     (timestamp_us){ now.us + ARTIFACT_BLOB_HELD_US });
}

err_t blob_store_save_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			      const struct artifact_upload *uploads, size_t count, timestamp_us now)
{
	struct artifact_upload *old;
	size_t old_count;
	struct arena *a = db_arena(db);
	struct str *paths = arena_new_array(a, struct str, count + 1);
	err_t e;

	if (!count)
		return NULL;
	for (size_t i = 0; i < count; i++)
		paths[i] = uploads[i].path;
	e = blob_store_find_uploads(db, project_id, artifact_id, paths, count, &old, &old_count);
	if (!e)
		e = look_at_old(db, project_id, old, old_count, now);
	if (e)
		return e;
	return db_exec(db, &STMT_upload_save,
		       DB_ARGS(P_INT8(project_id), P_INT8(artifact_id),
			       P_ARRAY(DB_TEXT_ARRAY, paths, count),
			       COLUMN(a, DB_INT8_ARRAY, uploads, count, blob_id), P_TIME(now)),
		       NULL);
}

struct draft_row {
	int16_t state;
};
static const struct db_column draft_columns[] = { DB_COLUMN(struct draft_row, state) };
static const struct db_row_table draft_table = DB_ROW_TABLE(struct draft_row, draft_columns);

enum { TAKE_HOLD, TAKE_PUT, TAKE_FIND, TAKE_SAVE, TAKE_STEPS };

/* In one round trip: each statement looks rows up by their keys. */
static err_t send_taken(struct db *db, const struct artifact_upload_new *u,
			unsigned number[static TAKE_STEPS])
{
	const int64_t blob_id = blob_store_number(u->blob.content);
	const struct db_param path = P_ARRAY(DB_TEXT_ARRAY, &u->path, 1);

	db_pipe_start(db);
	db_pipe_begin_tx_by_key(db, u->timeout_ms, u->lock_timeout_ms);
	number[TAKE_HOLD] = db_pipe_add(db, &STMT_upload_hold_draft,
					DB_ARGS(P_INT8(u->project_id), P_INT8(u->artifact_id)));
	number[TAKE_PUT] =
		db_pipe_add(db, &STMT_blob_put, put_args(db_arena(db), u->project_id, &u->blob));
	number[TAKE_FIND] =
		db_pipe_add(db, &STMT_upload_find,
			    DB_ARGS(P_INT8(u->project_id), P_INT8(u->artifact_id), path));
	number[TAKE_SAVE] =
		db_pipe_add(db, &STMT_upload_save,
			    DB_ARGS(P_INT8(u->project_id), P_INT8(u->artifact_id), path,
				    P_ARRAY(DB_INT8_ARRAY, &blob_id, 1), P_TIME(u->blob.came_at)));
	return db_pipe_run(db);
}

static err_t take(struct db *db, const struct artifact_upload_new *u, bool *ret_is_draft,
		  int64_t *ret_blob_id)
{
	unsigned number[TAKE_STEPS];
	struct draft_row *draft;
	struct blob_number *blob;
	struct artifact_upload *old;
	size_t draft_count;
	size_t blob_count;
	size_t old_count;
	err_t e = send_taken(db, u, number);

	if (!e)
		e = db_pipe_all(db, number[TAKE_HOLD], &draft_table, (void **)&draft, &draft_count);
	if (!e)
		e = db_pipe_all(db, number[TAKE_PUT], &number_table, (void **)&blob, &blob_count);
	if (!e)
		e = db_pipe_all(db, number[TAKE_FIND], &upload_table, (void **)&old, &old_count);
	if (e)
		return e;
	*ret_is_draft = draft_count && draft->state == ARTIFACT_PENDING;
	if (!*ret_is_draft)
		return NULL;
	e = take_number(db, blob_count ? blob : NULL, ret_blob_id);
	if (!e)
		e = look_at_old(db, u->project_id, old, old_count, u->blob.came_at);
	return e ? e : db_commit(db);
}

err_t blob_store_take_upload(struct db *db, const struct artifact_upload_new *upload,
			     bool *ret_is_draft, int64_t *ret_blob_id)
{
	err_t e = take(db, upload, ret_is_draft, ret_blob_id);

	if (e || !*ret_is_draft)
		db_rollback(db);
	return e;
}

err_t blob_store_list_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			      struct str after, int64_t limit, struct artifact_upload **ret_uploads,
			      size_t *ret_count)
{
	return db_all(db, &STMT_upload_list,
		      DB_ARGS(P_INT8(project_id), P_INT8(artifact_id), P_STR(after), P_INT8(limit)),
		      &upload_table, (void **)ret_uploads, ret_count);
}

err_t blob_store_count_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			       int64_t limit, int64_t *ret_count)
{
	return db_number(db, &STMT_upload_count,
			 DB_ARGS(P_INT8(project_id), P_INT8(artifact_id), P_INT8(limit)),
			 ret_count);
}

err_t blob_store_find_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			      const struct str *paths, size_t path_count,
			      struct artifact_upload **ret_uploads, size_t *ret_count)
{
	return db_all_by_key(db, &STMT_upload_find,
			     DB_ARGS(P_INT8(project_id), P_INT8(artifact_id),
				     P_ARRAY(DB_TEXT_ARRAY, paths, path_count)),
			     &upload_table, (void **)ret_uploads, ret_count);
}

static err_t look_later_at(struct db *db, int64_t project_id, const struct blob_number *blobs,
			   size_t count, timestamp_us look_at)
{
	int64_t *blob_ids = arena_new_array(db_arena(db), int64_t, count + 1);

	for (size_t i = 0; i < count; i++)
		blob_ids[i] = blobs[i].blob_id;
	return blob_store_look_later(db, project_id, blob_ids, count, look_at);
}

err_t blob_store_drop_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			      const struct str *paths, size_t path_count, timestamp_us look_at)
{
	struct blob_number *gone;
	size_t count;
	err_t e = db_all(db, &STMT_upload_drop,
			 DB_ARGS(P_INT8(project_id), P_INT8(artifact_id),
				 P_ARRAY(DB_TEXT_ARRAY, paths, path_count)),
			 &number_table, (void **)&gone, &count);

	return e ? e : look_later_at(db, project_id, gone, count, look_at);
}

err_t blob_store_purge_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
			       int64_t limit, timestamp_us look_at, bool *ret_more)
{
	struct blob_number *gone;
	size_t count;
	err_t e = db_all_by_key(db, &STMT_upload_purge,
				DB_ARGS(P_INT8(project_id), P_INT8(artifact_id), P_INT8(limit)),
				&number_table, (void **)&gone, &count);

	if (e)
		return e;
	*ret_more = (int64_t)count == limit;
	return look_later_at(db, project_id, gone, count, look_at);
}

/* ---- files in parts ------------------------------------------------------------------------------------ */

static const struct db_column multipart_columns[] = {
	DB_COLUMN(struct artifact_multipart, project_id),
	DB_COLUMN(struct artifact_multipart, upload_id),
	DB_COLUMN(struct artifact_multipart, artifact_id),
	DB_COLUMN(struct artifact_multipart, path),
	DB_BYTES(struct artifact_multipart, md5),
	DB_COLUMN(struct artifact_multipart, part_count),
	DB_COLUMN(struct artifact_multipart, state),
	DB_COLUMN(struct artifact_multipart, blob_id),
	DB_COLUMN(struct artifact_multipart, heard_at),
};
static const struct db_row_table multipart_table =
	DB_ROW_TABLE(struct artifact_multipart, multipart_columns);

static const struct db_column part_columns[] = {
	DB_COLUMN(struct artifact_part, part),
	DB_BYTES(struct artifact_part, content),
	DB_BYTES(struct artifact_part, md5),
	DB_COLUMN(struct artifact_part, size_bytes),
};
static const struct db_row_table part_table = DB_ROW_TABLE(struct artifact_part, part_columns);

struct content_row {
	struct str content;
};
static const struct db_column content_columns[] = { DB_BYTES(struct content_row, content) };
static const struct db_row_table content_table = DB_ROW_TABLE(struct content_row, content_columns);

err_t blob_store_make_multipart(struct db *db, const struct artifact_multipart *m)
{
	return db_exec(db, &STMT_multipart_make,
		       DB_ARGS(P_INT8(m->project_id), P_INT8(m->upload_id), P_INT8(m->artifact_id),
			       P_STR(m->path), P_BYTEA(m->md5), P_INT4(m->part_count),
			       P_TIME(m->heard_at)),
		       NULL);
}

err_t blob_store_find_multipart(struct db *db, int64_t project_id, int64_t upload_id,
				struct artifact_multipart **ret_multipart)
{
	return db_first(db, &STMT_multipart_find, DB_ARGS(P_INT8(project_id), P_INT8(upload_id)),
			&multipart_table, (void **)ret_multipart);
}

err_t blob_store_find_multipart_of(struct db *db, const struct artifact_multipart *like,
				   struct artifact_multipart **ret_multipart)
{
	return db_first(db, &STMT_multipart_find_of,
			DB_ARGS(P_INT8(like->project_id), P_INT8(like->artifact_id),
				P_STR(like->path), P_BYTEA(like->md5), P_INT4(like->part_count)),
			&multipart_table, (void **)ret_multipart);
}

err_t blob_store_find_multipart_like(struct db *db, const struct artifact_multipart *like,
				     struct artifact_multipart **ret_multipart)
{
	return db_first(db, &STMT_multipart_find_like,
			DB_ARGS(P_INT8(like->project_id), P_INT8(like->artifact_id),
				P_STR(like->path), P_BYTEA(like->md5), P_INT4(like->part_count)),
			&multipart_table, (void **)ret_multipart);
}

err_t blob_store_count_multiparts(struct db *db, int64_t project_id, int64_t artifact_id,
				  int64_t *ret_count)
{
	return db_number(db, &STMT_multipart_count_open,
			 DB_ARGS(P_INT8(project_id), P_INT8(artifact_id)), ret_count);
}

err_t blob_store_save_multipart(struct db *db, const struct artifact_multipart *m,
				enum multipart_state from, bool *ret_saved)
{
	int64_t saved;
	err_t e = db_exec(db, &STMT_multipart_save,
			  DB_ARGS(P_INT8(m->project_id), P_INT8(m->upload_id), P_INT2(from),
				  P_INT2(m->state), P_INT8(m->blob_id), P_TIME(m->heard_at)),
			  &saved);

	if (!e)
		*ret_saved = saved == 1;
	return e;
}

err_t blob_store_list_multiparts(struct db *db, int64_t project_id, int64_t artifact_id,
				 int64_t limit, struct artifact_multipart **ret_multiparts,
				 size_t *ret_count)
{
	return db_all(db, &STMT_multipart_list_of,
		      DB_ARGS(P_INT8(project_id), P_INT8(artifact_id), P_INT8(limit)),
		      &multipart_table, (void **)ret_multiparts, ret_count);
}

static err_t look_at_content(struct db *db, const struct content_row *contents, size_t count,
			     timestamp_us look_at)
{
	struct arena *a = db_arena(db);

	if (!count)
		return NULL;
	return db_exec(db, &STMT_file_content_look,
		       DB_ARGS(COLUMN(a, DB_BYTEA_ARRAY, contents, count, content),
			       P_TIME(look_at)),
		       NULL);
}

static timestamp_us after_grace(timestamp_us now)
{
	return (timestamp_us){ now.us + ARTIFACT_GRACE_US };
}

err_t blob_store_put_part(struct db *db, int64_t project_id, int64_t upload_id,
			  const struct artifact_part *part, timestamp_us now)
{
	struct artifact_part *old;
	err_t e = db_first(db, &STMT_part_find,
			   DB_ARGS(P_INT8(project_id), P_INT8(upload_id), P_INT4(part->part)),
			   &part_table, (void **)&old);

	if (!e && old)
		e = look_at_content(db, &(struct content_row){ old->content }, 1, after_grace(now));
	if (!e)
		e = db_exec(db, &STMT_part_put,
			    DB_ARGS(P_INT8(project_id), P_INT8(upload_id), P_INT4(part->part),
				    P_BYTEA(part->content), P_BYTEA(part->md5),
				    P_INT8(part->size_bytes)),
			    NULL);
	if (e)
		return e;
	return db_exec(db, &STMT_multipart_heard,
		       DB_ARGS(P_INT8(project_id), P_INT8(upload_id), P_TIME(now)), NULL);
}

err_t blob_store_list_parts(struct db *db, int64_t project_id, int64_t upload_id, int32_t after,
			    int64_t limit, struct artifact_part **ret_parts, size_t *ret_count)
{
	return db_all(db, &STMT_part_list,
		      DB_ARGS(P_INT8(project_id), P_INT8(upload_id), P_INT4(after), P_INT8(limit)),
		      &part_table, (void **)ret_parts, ret_count);
}

err_t blob_store_purge_parts(struct db *db, int64_t project_id, int64_t upload_id, int64_t limit,
			     timestamp_us now, bool *ret_more)
{
	struct content_row *gone;
	size_t count;
	err_t e = db_all(db, &STMT_part_purge,
			 DB_ARGS(P_INT8(project_id), P_INT8(upload_id), P_INT8(limit)),
			 &content_table, (void **)&gone, &count);

	if (!e)
		e = look_at_content(db, gone, count, after_grace(now));
	if (!e)
		*ret_more = (int64_t)count == limit;
	return e;
}

err_t blob_store_lock_multipart(struct db *db, int64_t project_id, int64_t upload_id,
				struct artifact_multipart **ret_multipart)
{
	return db_first(db, &STMT_multipart_lock, DB_ARGS(P_INT8(project_id), P_INT8(upload_id)),
			&multipart_table, (void **)ret_multipart);
}

/* Statements after the locking one see all parts: one that came before it, and none comes until the end. */
err_t blob_store_purge_multipart(struct db *db, int64_t project_id, int64_t upload_id,
				 int64_t limit, timestamp_us now, bool *ret_more)
{
	struct artifact_multipart *locked;
	err_t e = blob_store_lock_multipart(db, project_id, upload_id, &locked);

	if (!e)
		e = blob_store_purge_parts(db, project_id, upload_id, limit, now, ret_more);
	if (e)
		return e;
	return db_exec(db, &STMT_multipart_delete, DB_ARGS(P_INT8(project_id), P_INT8(upload_id)),
		       NULL);
}

/* ---- jobs ---------------------------------------------------------------------------------------------- */

static const struct db_column due_columns[] = {
	DB_COLUMN(struct blob_due, project_id),
	DB_COLUMN(struct blob_due, blob_id),
};
static const struct db_row_table due_table = DB_ROW_TABLE(struct blob_due, due_columns);

struct forgotten_row {
	struct str content;
	int64_t counted_bytes;
};
static const struct db_column forgotten_columns[] = {
	DB_BYTES(struct forgotten_row, content),
	DB_COLUMN(struct forgotten_row, counted_bytes),
};
static const struct db_row_table forgotten_table =
	DB_ROW_TABLE(struct forgotten_row, forgotten_columns);

struct new_row {
	int64_t project_id;
	int64_t blobs;
	int64_t size_bytes;
};
static const struct db_column new_columns[] = {
	DB_COLUMN(struct new_row, project_id),
	DB_COLUMN(struct new_row, blobs),
	DB_COLUMN(struct new_row, size_bytes),
};
static const struct db_row_table new_table = DB_ROW_TABLE(struct new_row, new_columns);

err_t blob_store_list_due(struct db *db, timestamp_us now, int64_t limit, struct blob_due **ret_due,
			  size_t *ret_count)
{
	return db_all_by_key(db, &STMT_artifact_blob_due, DB_ARGS(P_TIME(now), P_INT8(limit)),
			     &due_table, (void **)ret_due, ret_count);
}

static err_t add_usage(struct db *db, int64_t project_id, int64_t bytes)
{
	return db_exec(db, &STMT_artifact_usage_add, DB_ARGS(P_INT8(project_id), P_INT8(bytes)),
		       NULL);
}

/* The blobs are locked. */
static err_t forget(struct db *db, int64_t project_id, struct db_param locked, timestamp_us now)
{
	struct forgotten_row *gone;
	struct content_row *contents;
	int64_t bytes = 0;
	size_t count;
	err_t e = db_all_by_key(db, &STMT_blob_forget, DB_ARGS(P_INT8(project_id), locked),
				&forgotten_table, (void **)&gone, &count);

	if (e || !count)
		return e;
	contents = arena_new_array(db_arena(db), struct content_row, count);
	for (size_t i = 0; i < count; i++) {
		contents[i].content = gone[i].content;
		bytes += gone[i].counted_bytes;
	}
	e = bytes ? add_usage(db, project_id, -bytes) : NULL;
	return e ? e : look_at_content(db, contents, count, after_grace(now));
}

err_t blob_store_look(struct db *db, int64_t project_id, const int64_t *blob_ids, size_t blob_count,
		      timestamp_us now)
{
	struct blob_number *rows;
	struct db_param locked = { 0 };
	size_t count;
	err_t e = db_all_by_key(db, &STMT_blob_lock,
				DB_ARGS(P_INT8(project_id),
					P_ARRAY(DB_INT8_ARRAY, blob_ids, blob_count), P_TIME(now)),
				&number_table, (void **)&rows, &count);

	_Static_assert(sizeof(struct blob_number) == sizeof(int64_t), "rows are numbers");
	if (e || !count)
		return e;
	locked = (struct db_param)P_ARRAY(DB_INT8_ARRAY, rows, count);
	e = forget(db, project_id, locked, now);
	if (e)
		return e;
	return db_exec(db, &STMT_blob_settle, DB_ARGS(P_INT8(project_id), locked), NULL);
}

err_t blob_store_count_new(struct db *db, int64_t limit, int64_t *ret_count)
{
	struct new_row *rows;
	size_t count;
	err_t e = db_all_by_key(db, &STMT_artifact_blob_new, DB_ARGS(P_INT8(limit)), &new_table,
				(void **)&rows, &count);

	*ret_count = 0;
	for (size_t i = 0; i < count && !e; i++) {
		*ret_count += rows[i].blobs;
		e = add_usage(db, rows[i].project_id, rows[i].size_bytes);
	}
	return e;
}

err_t blob_store_list_stale_multiparts(struct db *db, timestamp_us before, int64_t limit,
				       struct artifact_multipart **ret_multiparts,
				       size_t *ret_count)
{
	return db_all(db, &STMT_multipart_due, DB_ARGS(P_TIME(before), P_INT8(limit)),
		      &multipart_table, (void **)ret_multiparts, ret_count);
}

const struct db_stmt_check blob_store_checks[] = {
	{ &STMT_blob_put, &number_table },
	{ &STMT_blob_find, &blob_table },
	{ &STMT_blob_find_md5, &blob_table },
	{ &STMT_blob_find_elsewhere, &blob_table },
	{ &STMT_upload_list, &upload_table },
	{ &STMT_upload_count, &db_number_table },
	{ &STMT_upload_find, &upload_table },
	{ &STMT_upload_drop, &number_table },
	{ &STMT_upload_purge, &number_table },
	{ &STMT_multipart_lock, &multipart_table },
	{ &STMT_multipart_find, &multipart_table },
	{ &STMT_multipart_find_of, &multipart_table },
	{ &STMT_multipart_count_open, &db_number_table },
	{ &STMT_multipart_find_like, &multipart_table },
	{ &STMT_multipart_list_of, &multipart_table },
	{ &STMT_multipart_due, &multipart_table },
	{ &STMT_part_find, &part_table },
	{ &STMT_part_list, &part_table },
	{ &STMT_part_purge, &content_table },
	{ &STMT_artifact_blob_due, &due_table },
	{ &STMT_blob_lock, &number_table },
	{ &STMT_blob_forget, &forgotten_table },
	{ &STMT_artifact_blob_new, &new_table },
};
const size_t blob_store_check_count = sizeof(blob_store_checks) / sizeof(blob_store_checks[0]);
