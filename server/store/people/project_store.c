#include "project_store.h"

#include "id.h"
#include "store_sql.h"

static const struct db_column target_columns[] = {
	DB_COLUMN(struct target_row, entity_id),
	DB_COLUMN(struct target_row, entity_kind),
	DB_COLUMN(struct target_row, role),
	DB_COLUMN(struct target_row, owns_public),
	DB_NULLABLE(struct target_row, project_id),
	DB_NULLABLE(struct target_row, visibility),
	DB_NULLABLE(struct target_row, crash_after_s),
	DB_COLUMN(struct target_row, project_deleted),
};
static const struct db_row_table target_table = DB_ROW_TABLE(struct target_row, target_columns);

static const struct db_column target_run_columns[] = {
	DB_COLUMN(struct target_run_row, run_id),
	DB_COLUMN(struct target_run_row, visibility),
	DB_COLUMN(struct target_run_row, deleted),
	DB_COLUMN(struct target_run_row, moved),
};
static const struct db_row_table target_run_table =
	DB_ROW_TABLE(struct target_run_row, target_run_columns);

static const struct db_column project_columns[] = {
	DB_COLUMN(struct project, project_id),       DB_COLUMN(struct project, entity_id),
	DB_COLUMN(struct project, entity),           DB_COLUMN(struct project, name),
	DB_COLUMN(struct project, description),      DB_COLUMN(struct project, visibility),
	DB_COLUMN(struct project, crash_after_s),    DB_COLUMN(struct project, keep_finished_days),
	DB_COLUMN(struct project, keep_failed_days), DB_COLUMN(struct project, keep_crashed_days),
	DB_COLUMN(struct project, keep_killed_days), DB_COLUMN(struct project, directions),
	DB_COLUMN(struct project, created_at),       DB_NULLABLE(struct project, deleted_at),
	DB_NULLABLE(struct project, purge_at),       DB_COLUMN(struct project, size_bytes),
	DB_COLUMN(struct project, deleted_bytes),    DB_COLUMN(struct project, quota_bytes),
	DB_COLUMN(struct project, tells_usage),
};
static const struct db_row_table project_table = DB_ROW_TABLE(struct project, project_columns);

static const struct db_column activity_columns[] = {
	DB_COLUMN(struct project_activity, is_told),
	DB_COLUMN(struct project_activity, runs),
	DB_COLUMN(struct project_activity, running),
	DB_NULLABLE(struct project_activity, heard_at),
};
static const struct db_row_table activity_table =
	DB_ROW_TABLE(struct project_activity, activity_columns);

struct lock_row {
	int64_t project_id;
};
static const struct db_column lock_columns[] = { DB_COLUMN(struct lock_row, project_id) };
static const struct db_row_table lock_table = DB_ROW_TABLE(struct lock_row, lock_columns);

err_t target_store_find(struct db *db, int64_t user_id, struct str entity, struct str project,
			struct target_row **ret_row)
{
	return db_first(db, &STMT_target_find,
			DB_ARGS(P_INT8(user_id), P_STR(entity), P_STR(project)), &target_table,
			(void **)ret_row);
}

err_t target_store_find_run(struct db *db, int64_t project_id, struct str run,
			    struct target_run_row **ret_row)
{
	return db_first(db, &STMT_target_find_run, DB_ARGS(P_INT8(project_id), P_STR(run)),
			&target_run_table, (void **)ret_row);
}

err_t project_store_make(struct db *db, const struct project *p, timestamp_us now, bool *ret_made)
{
	int64_t made;
	err_t e = db_exec(db, &STMT_project_insert,
			  DB_ARGS(P_INT8(id_snowflake()), P_INT8(p->entity_id), P_STR(p->name),
				  P_STR(p->description), P_INT2(p->visibility),
				  P_INT4(p->crash_after_s), P_TIME(now),
				  P_INT4(p->keep_finished_days), P_INT4(p->keep_failed_days),
				  P_INT4(p->keep_crashed_days), P_INT4(p->keep_killed_days),
				  P_STR(p->directions), P_INT8(p->quota_bytes)),
			  &made);
	if (e)
		return e;
	*ret_made = made > 0;
	return NULL;
}

err_t project_store_find(struct db *db, int64_t project_id, struct project **ret_project)
{
	return db_first(db, &STMT_project_get, DB_ARGS(P_INT8(project_id)), &project_table,
			(void **)ret_project);
}

err_t project_store_lock(struct db *db, int64_t project_id, struct project **ret_project)
{
	void *row;
	err_t e = db_first(db, &STMT_project_lock, DB_ARGS(P_INT8(project_id)), &lock_table, &row);

	if (e)
		return e;
	return project_store_find(db, project_id, ret_project);
}

err_t project_store_hold(struct db *db, int64_t project_id)
{
	void *row;
	err_t e = db_first(db, &STMT_project_hold, DB_ARGS(P_INT8(project_id)), &lock_table, &row);

	if (!e && !row)
		return err_new(db_arena(db), ERR_GONE, "the project was deleted");
	return e;
}

err_t project_store_save(struct db *db, const struct project *p, timestamp_us now)
{
	return db_exec(db, &STMT_project_save,
		       DB_ARGS(P_INT8(p->project_id), P_STR(p->description), P_INT2(p->visibility),
			       P_INT4(p->crash_after_s), P_INT4(p->keep_finished_days),
			       P_INT4(p->keep_failed_days), P_INT4(p->keep_crashed_days),
			       P_INT4(p->keep_killed_days), P_TIME(now), P_STR(p->directions),
			       P_INT8(p->quota_bytes)),
		       NULL);
}

err_t project_store_list(struct db *db, const struct project_list *list,
			 struct project **ret_projects, size_t *ret_count)
{
	if (list->deleted)
		return db_all(db, &STMT_project_list_deleted,
			      DB_ARGS(P_INT8(list->entity_id), P_TIME(list->now),
				      P_STR(list->after_name), P_INT8(list->limit)),
			      &project_table, (void **)ret_projects, ret_count);
	if (list->entity_id)
		return db_all(db, &STMT_project_list_of,
			      DB_ARGS(P_INT8(list->entity_id), P_BOOL(list->all),
				      P_STR(list->after_name), P_INT8(list->limit)),
			      &project_table, (void **)ret_projects, ret_count);
	return db_all(db, &STMT_project_list_visible,
		      DB_ARGS(P_INT8(list->user_id), P_BOOL(list->all), P_STR(list->after_entity),
			      P_STR(list->after_name), P_INT8(list->limit)),
		      &project_table, (void **)ret_projects, ret_count);
}

err_t project_store_activity(struct db *db, const struct project_list *list,
			     const struct project *projects, size_t count,
			     struct project_activity **ret_activities)
{
	int64_t *ids = arena_new_array(db_arena(db), int64_t, count + 1);
	size_t found;
	err_t e;

	for (size_t i = 0; i < count; i++)
		ids[i] = projects[i].project_id;
	e = db_all(db, &STMT_project_activity,
		   DB_ARGS(P_ARRAY(DB_INT8_ARRAY, ids, count), P_INT8(list->user_id),
			   P_BOOL(list->all), P_INT8(PROJECT_ACTIVITY_MOST)),
		   &activity_table, (void **)ret_activities, &found);
	if (!e && found != count)
		e = err_new(db_arena(db), ERR_INTERNAL, "%zu of %zu projects were found", found,
			    count);
	return e;
}

const struct db_stmt_check project_store_checks[] = {
	{ &STMT_target_find, &target_table },
	{ &STMT_target_find_run, &target_run_table },
	{ &STMT_project_insert, NULL },
	{ &STMT_project_get, &project_table },
	{ &STMT_project_lock, &lock_table },
	{ &STMT_project_hold, &lock_table },
	{ &STMT_project_save, NULL },
	{ &STMT_project_list_of, &project_table },
	{ &STMT_project_list_visible, &project_table },
	{ &STMT_project_list_deleted, &project_table },
	{ &STMT_project_activity, &activity_table },
};
const size_t project_store_check_count = sizeof(project_store_checks) /
					 sizeof(project_store_checks[0]);
