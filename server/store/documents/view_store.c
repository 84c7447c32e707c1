#include "view_store.h"

#include "store_sql.h"

/*
 * The default, and the limits of a project and of an owner; doubled, for
 * views made at the same time.
 */
enum { LISTED_MAX = 2 * (1 + VIEW_PROJECT_MAX + VIEW_MINE_MAX) };

static const struct db_column view_columns[] = {
	DB_COLUMN(struct view, id),         DB_COLUMN(struct view, kind),
	DB_COLUMN(struct view, name),       DB_COLUMN(struct view, owner_id),
	DB_NULLABLE(struct view, owner),    DB_COLUMN(struct view, state),
	DB_COLUMN(struct view, version),    DB_COLUMN(struct view, created_at),
	DB_COLUMN(struct view, changed_at), DB_NULLABLE(struct view, changed_by),
};
static const struct db_row_table view_table = DB_ROW_TABLE(struct view, view_columns);

struct lock_row {
	struct str id;
};
static const struct db_column lock_columns[] = { DB_COLUMN(struct lock_row, id) };
static const struct db_row_table lock_table = DB_ROW_TABLE(struct lock_row, lock_columns);

struct there_row {
	bool there;
};
static const struct db_column there_columns[] = { DB_COLUMN(struct there_row, there) };
static const struct db_row_table there_table = DB_ROW_TABLE(struct there_row, there_columns);

err_t view_store_find(struct db *db, const struct view_ask *ask, struct view **ret_view)
{
	timestamp_us since = { ask->now.us - VIEW_DRAFT_KEPT_US };

	return db_first(db, &STMT_view_find,
			DB_ARGS(P_INT8(ask->project_id), P_STR(ask->id), P_INT8(ask->user_id),
				P_TIME(since), P_BOOL(ask->sees_private)),
			&view_table, (void **)ret_view);
}

err_t view_store_lock(struct db *db, const struct view_ask *ask, struct view **ret_view)
{
	struct lock_row *row;
	err_t e = db_first(db, &STMT_view_lock, DB_ARGS(P_INT8(ask->project_id), P_STR(ask->id)),
			   &lock_table, (void **)&row);

	return e ? e : view_store_find(db, ask, ret_view);
}

err_t view_store_list(struct db *db, const struct view_ask *ask, struct view **ret_views,
		      size_t *ret_count)
{
	return db_all(db, &STMT_view_list,
		      DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->user_id), P_INT8(LISTED_MAX),
			      P_BOOL(ask->sees_private)),
		      &view_table, (void **)ret_views, ret_count);
}

err_t view_store_has_private_runs(struct db *db, int64_t project_id, bool *ret_has)
{
	struct there_row *row;
	err_t e = db_first(db, &STMT_view_has_private_runs, DB_ARGS(P_INT8(project_id)),
			   &there_table, (void **)&row);

	if (!e)
		*ret_has = row && row->there;
	return e;
}

err_t view_store_count(struct db *db, int64_t project_id, enum view_kind kind, int64_t owner_id,
		       int64_t *ret_count)
{
	return db_number(db, &STMT_view_count,
			 DB_ARGS(P_INT8(project_id), P_INT2((int16_t)kind), P_INT8(owner_id)),
			 ret_count);
}

err_t view_store_count_drafts(struct db *db, int64_t user_id, int64_t *ret_count)
{
	return db_number(db, &STMT_view_count_drafts, DB_ARGS(P_INT8(user_id)), ret_count);
}

err_t view_store_insert(struct db *db, int64_t project_id, const struct view *view, bool *ret_made)
{
	int64_t made;
	err_t e = db_exec(db, &STMT_view_insert,
			  DB_ARGS(P_INT8(project_id), P_STR(view->id), P_INT2(view->kind),
				  P_STR(view->name), P_INT8(view->owner_id), P_STR(view->state),
				  P_TIME(view->created_at), P_BOOL(view->is_closed)),
			  &made);

	if (!e)
		*ret_made = made > 0;
	return e;
}

err_t view_store_save(struct db *db, int64_t project_id, const struct view *view,
		      int64_t changed_by)
{
	return db_exec(db, &STMT_view_save,
		       DB_ARGS(P_INT8(project_id), P_STR(view->id), P_INT2(view->kind),
			       P_STR(view->name), P_INT8(view->owner_id), P_STR(view->state),
			       P_INT4(view->version), P_TIME(view->changed_at), P_INT8(changed_by),
			       P_BOOL(view->is_closed)),
		       NULL);
}

err_t view_store_remove(struct db *db, int64_t project_id, struct str id)
{
	return db_exec(db, &STMT_view_remove, DB_ARGS(P_INT8(project_id), P_STR(id)), NULL);
}

err_t view_store_drop_drafts(struct db *db, int64_t project_id, int64_t user_id)
{
	return db_exec(db, &STMT_view_drop_drafts,
		       DB_ARGS(P_INT8(project_id), P_INT8(user_id), P_INT8(VIEW_DRAFT_MAX - 1)),
		       NULL);
}

err_t view_store_forget_drafts(struct db *db, timestamp_us before, int64_t limit,
			       int64_t *ret_count)
{
	return db_exec(db, &STMT_view_forget_drafts,
		       DB_ARGS(P_TIME(before), P_INT8(limit), P_INT8(VIEW_DRAFT_USER_MAX)),
		       ret_count);
}

const struct db_stmt_check view_store_checks[] = {
	{ &STMT_view_lock, &lock_table },
	{ &STMT_view_find, &view_table },
	{ &STMT_view_has_private_runs, &there_table },
	{ &STMT_view_list, &view_table },
	{ &STMT_view_count, &db_number_table },
	{ &STMT_view_count_drafts, &db_number_table },
};
const size_t view_store_check_count = sizeof(view_store_checks) / sizeof(view_store_checks[0]);
