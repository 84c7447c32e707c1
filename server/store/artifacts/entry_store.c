#include "entry_store.h"

#include "artifact_digest.h"
#include "artifact_path.h"
#include "buf.h"
#include "column.h"
#include "store_sql.h"

enum { DIGEST_PAGE = 10000 };

/* ---- manifests ------------------------------------------------------------------------------------- */

static const struct db_column manifest_columns[] = {
	DB_COLUMN(struct artifact_manifest, project_id),
	DB_COLUMN(struct artifact_manifest, manifest_id),
	DB_COLUMN(struct artifact_manifest, artifact_id),
	DB_COLUMN(struct artifact_manifest, kind),
	DB_COLUMN(struct artifact_manifest, created_at),
	DB_BYTES(struct artifact_manifest, md5),
	DB_COLUMN(struct artifact_manifest, base_id),
	DB_NULLABLE(struct artifact_manifest, stored_at),
	DB_COLUMN(struct artifact_manifest, entry_count),
	DB_COLUMN(struct artifact_manifest, size_bytes),
	DB_NULLABLE(struct artifact_manifest, digest),
	DB_NULLABLE(struct artifact_manifest, config),
};
static const struct db_row_table manifest_table =
	DB_ROW_TABLE(struct artifact_manifest, manifest_columns);

static struct db_param bytes_or_null(struct str bytes)
{
	struct db_param p = P_BYTEA(bytes);

	p.null = !bytes.len;
	return p;
}

err_t entry_store_make_manifest(struct db *db, const struct artifact_manifest *m)
{
	return db_exec(db, &STMT_manifest_make,
		       DB_ARGS(P_INT8(m->project_id), P_INT8(m->manifest_id),
			       P_INT8(m->artifact_id), P_INT2(m->kind), P_TIME(m->created_at),
			       bytes_or_null(m->md5), P_INT8(m->base_id)),
		       NULL);
}

err_t entry_store_find_manifest(struct db *db, int64_t project_id, int64_t manifest_id,
				struct artifact_manifest **ret_manifest)
{
	return db_first(db, &STMT_manifest_find, DB_ARGS(P_INT8(project_id), P_INT8(manifest_id)),
			&manifest_table, (void **)ret_manifest);
}

err_t entry_store_lock_manifest(struct db *db, int64_t project_id, int64_t manifest_id,
				struct artifact_manifest **ret_manifest)
{
	return db_first(db, &STMT_manifest_lock, DB_ARGS(P_INT8(project_id), P_INT8(manifest_id)),
			&manifest_table, (void **)ret_manifest);
}

err_t entry_store_list_manifests(struct db *db, int64_t project_id, int64_t artifact_id,
				 int64_t limit, struct artifact_manifest **ret_manifests,
				 size_t *ret_count)
{
	return db_all(db, &STMT_manifest_list,
		      DB_ARGS(P_INT8(project_id), P_INT8(artifact_id), P_INT8(limit)),
		      &manifest_table, (void **)ret_manifests, ret_count);
}

err_t entry_store_ask_manifest(struct db *db, const struct artifact_manifest *m)
{
	return db_exec(db, &STMT_manifest_ask,
		       DB_ARGS(P_INT8(m->project_id), P_INT8(m->manifest_id), bytes_or_null(m->md5),
			       P_INT8(m->base_id)),
		       NULL);
}

err_t entry_store_end_manifest(struct db *db, const struct artifact_manifest *m)
{
	struct db_param config = P_STR(m->config);

	config.null = !m->config.at;
	return db_exec(db, &STMT_manifest_end,
		       DB_ARGS(P_INT8(m->project_id), P_INT8(m->manifest_id), P_TIME(m->stored_at),
			       P_INT8(m->entry_count), P_INT8(m->size_bytes), P_STR(m->digest),
			       config),
		       NULL);
}

err_t entry_store_remove_manifest(struct db *db, int64_t project_id, int64_t manifest_id)
{
	return db_exec(db, &STMT_manifest_remove, DB_ARGS(P_INT8(project_id), P_INT8(manifest_id)),
		       NULL);
}

/* ---- entries ---------------------------------------------------------------------------------------- */

static const struct db_column entry_columns[] = {
	DB_COLUMN(struct artifact_entry, path),     DB_COLUMN(struct artifact_entry, digest),
	DB_COLUMN(struct artifact_entry, has_size), DB_COLUMN(struct artifact_entry, size_bytes),
	DB_NULLABLE(struct artifact_entry, ref),    DB_NULLABLE(struct artifact_entry, extra),
	DB_COLUMN(struct artifact_entry, blob_id),  DB_COLUMN(struct artifact_entry, birth_id),
	DB_BYTES(struct artifact_entry, content),   DB_BYTES(struct artifact_entry, md5),
};
static const struct db_row_table entry_table = DB_ROW_TABLE(struct artifact_entry, entry_columns);

static const struct db_column sum_columns[] = {
	DB_COLUMN(struct entry_sum, entry_count),
	DB_COLUMN(struct entry_sum, size_bytes),
};
static const struct db_row_table sum_table = DB_ROW_TABLE(struct entry_sum, sum_columns);

static const struct db_column folder_columns[] = {
	DB_COLUMN(struct entry_folder_item, name),
	DB_COLUMN(struct entry_folder_item, is_folder),
	DB_COLUMN(struct entry_folder_item, files),
	DB_COLUMN(struct entry_folder_item, size_bytes),
	DB_COLUMN(struct entry_folder_item, digest),
	DB_NULLABLE(struct entry_folder_item, ref),
};
static const struct db_row_table folder_table =
	DB_ROW_TABLE(struct entry_folder_item, folder_columns);

static const struct db_column difference_columns[] = {
	DB_COLUMN(struct entry_difference, path),
	DB_COLUMN(struct entry_difference, change),
	DB_COLUMN(struct entry_difference, has_from),
	DB_COLUMN(struct entry_difference, has_to),
	DB_COLUMN(struct entry_difference, from_bytes),
	DB_COLUMN(struct entry_difference, to_bytes),
	DB_NULLABLE(struct entry_difference, from_digest),
	DB_NULLABLE(struct entry_difference, to_digest),
	DB_NULLABLE(struct entry_difference, from_ref),
	DB_NULLABLE(struct entry_difference, to_ref),
};
static const struct db_row_table difference_table =
	DB_ROW_TABLE(struct entry_difference, difference_columns);

static const struct db_column counts_columns[] = {
	DB_COLUMN(struct entry_counts, added),
	DB_COLUMN(struct entry_counts, removed),
	DB_COLUMN(struct entry_counts, changed),
	DB_COLUMN(struct entry_counts, same),
};
static const struct db_row_table counts_table = DB_ROW_TABLE(struct entry_counts, counts_columns);

/* One row with a number. */
static err_t number_by_key(struct db *db, const struct db_stmt *stmt, struct db_args args,
			   int64_t *ret_number)
{
	int64_t *row;
	size_t count;
	err_t e = db_all_by_key(db, stmt, args, &db_number_table, (void **)&row, &count);

	if (!e)
		*ret_number = count ? *row : 0;
	return e;
}

err_t entry_store_stage(struct db *db, const struct entry_place *place,
			const struct artifact_entry *entries, size_t count, int64_t *ret_inserted)
{
	struct arena *a = db_arena(db);
	int64_t *sizes = arena_new_array(a, int64_t, count + 1);

	for (size_t i = 0; i < count; i++)
		sizes[i] = entries[i].has_size ? entries[i].size_bytes : -1;
	return number_by_key(db, &STMT_entry_stage,
			     DB_ARGS(P_INT8(place->project_id), P_INT8(place->manifest_id),
				     P_INT8(place->artifact_id),
				     COLUMN(a, DB_TEXT_ARRAY, entries, count, path),
				     COLUMN(a, DB_TEXT_ARRAY, entries, count, digest),
				     P_ARRAY(DB_INT8_ARRAY, sizes, count),
				     COLUMN(a, DB_TEXT_ARRAY, entries, count, ref),
				     COLUMN(a, DB_TEXT_ARRAY, entries, count, extra),
				     COLUMN(a, DB_BYTEA_ARRAY, entries, count, md5)),
			     ret_inserted);
}

err_t entry_store_page(struct db *db, const struct entry_ask *ask,
		       struct artifact_entry **ret_entries, size_t *ret_count)
{
	return db_all_by_key(db, &STMT_entry_page,
			     DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->manifest_id),
				     P_STR(ask->after), P_STR(ask->prefix), P_INT8(ask->limit)),
			     &entry_table, (void **)ret_entries, ret_count);
}

err_t entry_store_find(struct db *db, int64_t project_id, int64_t manifest_id, struct str path,
		       struct artifact_entry **ret_entry)
{
	return db_first(db, &STMT_entry_find,
			DB_ARGS(P_INT8(project_id), P_INT8(manifest_id), P_STR(path)), &entry_table,
			(void **)ret_entry);
}

err_t entry_store_find_named(struct db *db, int64_t project_id, int64_t manifest_id,
			     const struct str *paths, size_t path_count,
			     struct artifact_entry **ret_entries, size_t *ret_count)
{
	return db_all_by_key(db, &STMT_entry_find_named,
			     DB_ARGS(P_INT8(project_id), P_INT8(manifest_id),
				     P_ARRAY(DB_TEXT_ARRAY, paths, path_count)),
			     &entry_table, (void **)ret_entries, ret_count);
}

err_t entry_store_folder(struct db *db, const struct entry_ask *ask,
			 struct entry_folder_item **ret_items, size_t *ret_count)
{
	return db_all_by_key(db, &STMT_entry_folder,
			     DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->manifest_id),
				     P_STR(ask->after), P_STR(ask->prefix), P_INT8(ask->limit)),
			     &folder_table, (void **)ret_items, ret_count);
}

err_t entry_store_count(struct db *db, const struct entry_ask *ask, int64_t *ret_count)
{
	return number_by_key(db, &STMT_entry_count,
			     DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->manifest_id),
				     P_STR(ask->prefix)),
			     ret_count);
}

err_t entry_store_find_content(struct db *db, const struct entry_content_ask *ask,
			       struct artifact_entry **ret_entry)
{
	return db_first(db, &STMT_entry_find_content,
			DB_ARGS(P_INT8(ask->project_id), P_BYTEA(ask->md5), P_INT8(ask->birth_id),
				P_STR(ask->name), P_BOOL(ask->sees == ARTIFACT_SEES_PRIVATE)),
			&entry_table, (void **)ret_entry);
}

err_t entry_store_commit_size(struct db *db, const struct artifact *draft, int64_t limit,
			      int64_t *ret_count)
{
	return number_by_key(db, &STMT_manifest_commit_size,
			     DB_ARGS(P_INT8(draft->project_id), P_INT8(draft->artifact_id),
				     P_INT8(draft->base_id), P_INT8(draft->collection_id),
				     P_INT8(limit)),
			     ret_count);
}

struct bound_row {
	struct str path;
};
static const struct db_column bound_columns[] = { DB_COLUMN(struct bound_row, path) };
static const struct db_row_table bound_table = DB_ROW_TABLE(struct bound_row, bound_columns);

/* A statement that returns the last path of a portion that is full. */
static err_t find_bound(struct db *db, const struct db_stmt *stmt, struct db_args args,
			struct str *ret_path)
{
	struct bound_row *row;
	size_t count;
	err_t e = db_all_by_key(db, stmt, args, &bound_table, (void **)&row, &count);

	if (!e)
		*ret_path = count ? row->path : STR("");
	return e;
}

static err_t do_portion(struct db *db, const struct db_stmt *stmt, struct db_args args,
			struct entry_portion *portion)
{
	err_t e = find_bound(db, stmt, args, &portion->after);

	portion->more = portion->after.len;
	return e;
}

err_t entry_store_merge(struct db *db, int64_t project_id, int64_t from_id, int64_t into_id,
			struct entry_portion *portion)
{
	return do_portion(db, &STMT_entry_merge,
			  DB_ARGS(P_INT8(project_id), P_INT8(into_id), P_INT8(from_id),
				  P_STR(portion->after), P_INT8(portion->limit)),
			  portion);
}

err_t entry_store_merge_uploads(struct db *db, int64_t project_id, int64_t artifact_id,
				int64_t into_id, struct entry_portion *portion)
{
	return do_portion(db, &STMT_entry_merge_uploads,
			  DB_ARGS(P_INT8(project_id), P_INT8(into_id), P_INT8(artifact_id),
				  P_STR(portion->after), P_INT8(portion->limit)),
			  portion);
}

err_t entry_store_resolve(struct db *db, const struct entry_place *place, timestamp_us until,
			  struct entry_portion *portion)
{
	const struct db_param project = P_INT8(place->project_id);
	const struct db_param manifest = P_INT8(place->manifest_id);
	const struct db_param after = P_STR(portion->after);
	struct str last;
	int64_t resolved;
	err_t e = find_bound(db, &STMT_entry_open_bound,
			     DB_ARGS(project, manifest, after, P_INT8(portion->limit)), &last);

	if (!e)
		e = db_exec(db, &STMT_entry_hold,
			    DB_ARGS(project, manifest, after, P_STR(last), P_TIME(until)), NULL);
	if (!e)
		e = number_by_key(db, &STMT_entry_resolve,
				  DB_ARGS(project, manifest, after, P_STR(last),
					  P_INT8(place->artifact_id)),
				  &resolved);
	portion->after = last;
	portion->more = last.len;
	return e;
}

err_t entry_store_count_open(struct db *db, int64_t project_id, int64_t manifest_id,
			     int64_t *ret_open)
{
	return number_by_key(db, &STMT_entry_count_open,
			     DB_ARGS(P_INT8(project_id), P_INT8(manifest_id)), ret_open);
}

err_t entry_store_list_open(struct db *db, int64_t project_id, int64_t manifest_id, int64_t limit,
			    struct artifact_entry **ret_entries, size_t *ret_count)
{
	return db_all_by_key(db, &STMT_entry_list_open,
			     DB_ARGS(P_INT8(project_id), P_INT8(manifest_id), P_INT8(limit)),
			     &entry_table, (void **)ret_entries, ret_count);
}

err_t entry_store_sum(struct db *db, int64_t project_id, int64_t manifest_id,
		      struct entry_sum **ret_sum)
{
	return db_first(db, &STMT_entry_sum, DB_ARGS(P_INT8(project_id), P_INT8(manifest_id)),
			&sum_table, (void **)ret_sum);
}

struct digest_row {
	struct str path;
	struct str digest;
};
static const struct db_column digest_columns[] = {
	DB_COLUMN(struct digest_row, path),
	DB_COLUMN(struct digest_row, digest),
};
static const struct db_row_table digest_table = DB_ROW_TABLE(struct digest_row, digest_columns);

/* Adds one page to the digest. The path to go on after is copied, for the page is freed. */
static err_t digest_page(struct db *db, const struct entry_place *place,
			 struct artifact_digest *digest, struct buf *after, bool *ret_more)
{
	struct digest_row *rows;
	size_t count;
	err_t e = db_all_by_key(db, &STMT_entry_digests,
				DB_ARGS(P_INT8(place->project_id), P_INT8(place->manifest_id),
					P_STR(buf_str(after)), P_INT8(DIGEST_PAGE)),
				&digest_table, (void **)&rows, &count);

	if (e)
		return e;
	for (size_t i = 0; i < count; i++)
		artifact_digest_add(digest, rows[i].path, rows[i].digest);
	*ret_more = count == DIGEST_PAGE;
	if (*ret_more) {
		buf_clear(after);
		buf_add_str(after, rows[count - 1].path);
	}
	return NULL;
}

err_t entry_store_digest(struct db *db, int64_t project_id, int64_t manifest_id,
			 struct entry_digest *ret_digest)
{
	const struct entry_place place = { project_id, manifest_id, 0 };
	struct arena *a = db_arena(db);
	struct artifact_digest *digest = artifact_digest_begin(a);
	char *text = arena_alloc(a, ARTIFACT_DIGEST_TEXT_SIZE + 1);
	struct buf *after = buf_new(a);
	bool more = true;

	buf_reserve(after, ARTIFACT_PATH_MAX);
	while (more) {
		struct arena_mark mark = arena_mark(a);
		err_t e = digest_page(db, &place, digest, after, &more);

		if (e)
			return e;
		arena_rewind(a, &mark);
	}
	artifact_digest_end(digest, text);
	ret_digest->digest = (struct str){ text, ARTIFACT_DIGEST_TEXT_SIZE };
	ret_digest->folder = artifact_digest_folder(digest);
	return NULL;
}

err_t entry_store_compare(struct db *db, const struct entry_compare_ask *ask,
			  struct entry_difference **ret_differences, size_t *ret_count)
{
	return db_all(db, &STMT_entry_compare,
		      DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->from_id), P_INT8(ask->to_id),
			      P_STR(ask->after), P_INT8(ask->limit)),
		      &difference_table, (void **)ret_differences, ret_count);
}

err_t entry_store_compare_counts(struct db *db, const struct entry_compare_ask *ask,
				 struct entry_counts **ret_counts)
{
	return db_first(db, &STMT_entry_compare_counts,
			DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->from_id), P_INT8(ask->to_id),
				P_STR(STR(""))),
			&counts_table, (void **)ret_counts);
}

/* ---- deletion ---------------------------------------------------------------------------------------- */

static const struct db_column files_columns[] = {
	DB_COLUMN(struct entry_files, files),
	DB_COLUMN(struct entry_files, size_bytes),
	DB_COLUMN(struct entry_files, entries),
};
static const struct db_row_table files_table = DB_ROW_TABLE(struct entry_files, files_columns);

err_t entry_store_purge(struct db *db, int64_t project_id, int64_t manifest_id, int64_t limit,
			timestamp_us look_at, bool *ret_more)
{
	int64_t gone;
	err_t e = number_by_key(db, &STMT_entry_purge,
				DB_ARGS(P_INT8(project_id), P_INT8(manifest_id), P_INT8(limit),
					P_TIME(look_at)),
				&gone);

	if (!e)
		*ret_more = gone == limit;
	return e;
}

err_t entry_store_sum_files(struct db *db, int64_t project_id, const int64_t *artifact_ids,
			    size_t count, struct entry_files *ret_files)
{
	struct entry_files *files;
	err_t e = db_first(db, &STMT_entry_freed_sums,
			   DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT8_ARRAY, artifact_ids, count)),
			   &files_table, (void **)&files);

	if (!e)
		*ret_files = *files;
	return e;
}

err_t entry_store_freed(struct db *db, int64_t project_id, const int64_t *artifact_ids,
			size_t count, int64_t *ret_bytes)
{
	return db_number(db, &STMT_entry_freed,
			 DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT8_ARRAY, artifact_ids, count)),
			 ret_bytes);
}

const struct db_stmt_check entry_store_checks[] = {
	{ &STMT_manifest_find, &manifest_table },
	{ &STMT_manifest_lock, &manifest_table },
	{ &STMT_manifest_list, &manifest_table },
	{ &STMT_manifest_commit_size, &db_number_table },
	{ &STMT_entry_stage, &db_number_table },
	{ &STMT_entry_merge, &bound_table },
	{ &STMT_entry_merge_uploads, &bound_table },
	{ &STMT_entry_open_bound, &bound_table },
	{ &STMT_entry_resolve, &db_number_table },
	{ &STMT_entry_digests, &digest_table },
	{ &STMT_entry_count_open, &db_number_table },
	{ &STMT_entry_list_open, &entry_table },
	{ &STMT_entry_page, &entry_table },
	{ &STMT_entry_find, &entry_table },
	{ &STMT_entry_find_named, &entry_table },
	{ &STMT_entry_find_content, &entry_table },
	{ &STMT_entry_folder, &folder_table },
	{ &STMT_entry_count, &db_number_table },
	{ &STMT_entry_sum, &sum_table },
	{ &STMT_entry_compare, &difference_table },
	{ &STMT_entry_compare_counts, &counts_table },
	{ &STMT_entry_purge, &db_number_table },
	{ &STMT_entry_freed, &db_number_table },
	{ &STMT_entry_freed_sums, &files_table },
};
const size_t entry_store_check_count = sizeof(entry_store_checks) / sizeof(entry_store_checks[0]);
