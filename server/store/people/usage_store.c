#include "usage_store.h"

#include "store_sql.h"

struct size_row {
	int64_t size_bytes;
};
static const struct db_column size_columns[] = { DB_COLUMN(struct size_row, size_bytes) };
static const struct db_row_table size_table = DB_ROW_TABLE(struct size_row, size_columns);

struct missed_row {
	int64_t run_id;
};
static const struct db_column missed_columns[] = { DB_COLUMN(struct missed_row, run_id) };
static const struct db_row_table missed_table = DB_ROW_TABLE(struct missed_row, missed_columns);

static const struct db_column entity_columns[] = {
	DB_COLUMN(struct entity_usage, quota_bytes),
	DB_COLUMN(struct entity_usage, size_bytes),
	DB_COLUMN(struct entity_usage, project_quota_bytes),
	DB_COLUMN(struct entity_usage, project_bytes),
};
static const struct db_row_table entity_table = DB_ROW_TABLE(struct entity_usage, entity_columns);

static const struct db_column sample_columns[] = {
	DB_COLUMN(struct disk_forecast_sample, at),
	DB_COLUMN(struct disk_forecast_sample, used_bytes),
};
static const struct db_row_table sample_table =
	DB_ROW_TABLE(struct disk_forecast_sample, sample_columns);

static err_t read_size(struct db *db, const struct db_stmt *stmt, struct db_args args,
		       int64_t *ret_bytes)
{
	struct size_row *row;
	err_t e = db_first(db, stmt, args, &size_table, (void **)&row);

	if (!e)
		*ret_bytes = row ? row->size_bytes : 0;
	return e;
}

err_t usage_store_measure(struct db *db, int64_t run_id, int64_t *ret_bytes)
{
	return read_size(db, &STMT_usage_measure, DB_ARGS(P_INT8(run_id)), ret_bytes);
}

err_t usage_store_total(struct db *db, int64_t *ret_bytes)
{
	return read_size(db, &STMT_usage_total, DB_NO_ARGS, ret_bytes);
}

err_t usage_store_add(struct db *db, const struct run *run, int64_t bytes)
{
	return db_exec(db, &STMT_usage_add,
		       DB_ARGS(P_INT8(run->project_id), P_INT8(bytes),
			       P_INT8(run->deleted_at.us ? bytes : 0), P_TIME(run->heard_at)),
		       NULL);
}

err_t usage_store_save(struct db *db, const struct run *run, int64_t bytes, int64_t seq)
{
	int64_t total = bytes + run->file_bytes;
	int64_t more = total - run->size_bytes;
	err_t e = db_exec(db, &STMT_usage_save,
			  DB_ARGS(P_INT8(run->run_id), P_INT8(total), P_INT8(seq)), NULL);

	return e || !more ? e : usage_store_add(db, run, more);
}

err_t usage_store_list_missed(struct db *db, int64_t after, int64_t limit, int64_t **ret_run_ids,
			      size_t *ret_count)
{
	return db_all(db, &STMT_usage_missed, DB_ARGS(P_INT8(after), P_INT8(limit)), &missed_table,
		      (void **)ret_run_ids, ret_count);
}

err_t usage_store_of_entity(struct db *db, int64_t entity_id, int64_t project_id,
			    struct entity_usage **ret_usage)
{
	return db_first(db, &STMT_usage_of_entity, DB_ARGS(P_INT8(entity_id), P_INT8(project_id)),
			&entity_table, (void **)ret_usage);
}

err_t usage_store_hold(struct db *db, int64_t entity_id)
{
	return db_exec(db, &STMT_usage_hold, DB_ARGS(P_INT8(entity_id)), NULL);
}

err_t usage_store_save_quota(struct db *db, int64_t entity_id, int64_t quota_bytes,
			     bool *ret_changed)
{
	int64_t changed = 0;
	err_t e = db_exec(db, &STMT_quota_save, DB_ARGS(P_INT8(entity_id), P_INT8(quota_bytes)),
			  &changed);

	*ret_changed = changed > 0;
	return e;
}

err_t usage_store_sample_disk(struct db *db, const struct disk_forecast_sample *now,
			      int64_t disk_bytes)
{
	timestamp_us old = { now->at.us - DISK_SAMPLES_DAYS * DISK_FORECAST_DAY_US };
	err_t e = db_exec(db, &STMT_disk_sample_insert,
			  DB_ARGS(P_TIME(now->at), P_INT8(disk_bytes), P_INT8(now->used_bytes)),
			  NULL);

	return e ? e : db_exec(db, &STMT_disk_sample_forget, DB_ARGS(P_TIME(old)), NULL);
}

err_t usage_store_find_sample(struct db *db, timestamp_us since, int64_t disk_bytes,
			      struct disk_forecast_sample **ret_sample)
{
	return db_first(db, &STMT_disk_sample_first, DB_ARGS(P_TIME(since), P_INT8(disk_bytes)),
			&sample_table, (void **)ret_sample);
}

static const struct db_column project_columns[] = {
	DB_COLUMN(struct project_usage, size_bytes),
	DB_COLUMN(struct project_usage, artifact_bytes),
};
static const struct db_row_table project_table =
	DB_ROW_TABLE(struct project_usage, project_columns);

err_t usage_store_of_project(struct db *db, int64_t project_id, struct project_usage **ret_usage)
{
	return db_first(db, &STMT_usage_of_project, DB_ARGS(P_INT8(project_id)), &project_table,
			(void **)ret_usage);
}

static const struct db_column collection_columns[] = {
	DB_COLUMN(struct collection_usage, collection_id),
	DB_COLUMN(struct collection_usage, versions),
	DB_COLUMN(struct collection_usage, files),
	DB_COLUMN(struct collection_usage, size_bytes),
	DB_COLUMN(struct collection_usage, only_here),
};
static const struct db_row_table collection_table =
	DB_ROW_TABLE(struct collection_usage, collection_columns);

err_t usage_store_of_collections(struct db *db, const struct collection_usage_ask *ask,
				 struct collection_usage **ret_usages, size_t *ret_count)
{
	return db_all(db, &STMT_usage_of_collections,
		      DB_ARGS(P_INT8(ask->project_id),
			      P_ARRAY(DB_INT8_ARRAY, ask->collection_ids, ask->count),
			      P_BOOL(ask->sees == ARTIFACT_SEES_PRIVATE)),
		      &collection_table, (void **)ret_usages, ret_count);
}

const struct db_stmt_check usage_store_checks[] = {
	{ &STMT_usage_of_project, &project_table },
	{ &STMT_usage_of_collections, &collection_table },
	{ &STMT_usage_measure, &size_table },
	{ &STMT_usage_total, &size_table },
	{ &STMT_usage_missed, &missed_table },
	{ &STMT_usage_of_entity, &entity_table },
	{ &STMT_disk_sample_insert, NULL },
	{ &STMT_disk_sample_first, &sample_table },
	{ &STMT_disk_sample_forget, NULL },
};
const size_t usage_store_check_count = sizeof(usage_store_checks) / sizeof(usage_store_checks[0]);
