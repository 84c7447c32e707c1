#ifndef VIEW_STORE_H
#define VIEW_STORE_H

#include "db.h"
#include "db_row.h"
#include "view.h"

/*
 * A view that the user may see; *ret_view is NULL if there is none. Views
 * that come with projects are not stored.
 */
struct view_ask {
	int64_t project_id;
	struct str id;
	int64_t user_id;
	bool sees_private; /* in the project: closed ones too */
	timestamp_us now;
};
err_t view_store_find(struct db *db, const struct view_ask *ask, struct view **ret_view);
/* The same, locked until the transaction ends. */
err_t view_store_lock(struct db *db, const struct view_ask *ask, struct view **ret_view);

/* The views that the user sees, the default first, without their states and without drafts. */
err_t view_store_list(struct db *db, const struct view_ask *ask, struct view **ret_views,
		      size_t *ret_count);

/* Runs that are private by themselves, deleted ones among them. */
err_t view_store_has_private_runs(struct db *db, int64_t project_id, bool *ret_has);

/* owner_id: 0 counts those of all. */
err_t view_store_count(struct db *db, int64_t project_id, enum view_kind kind, int64_t owner_id,
		       int64_t *ret_count);

/* Not made if the id is taken, or the project deleted. */
err_t view_store_insert(struct db *db, int64_t project_id, const struct view *view, bool *ret_made);
/* changed_by: the user. */
err_t view_store_save(struct db *db, int64_t project_id, const struct view *view,
		      int64_t changed_by);
err_t view_store_remove(struct db *db, int64_t project_id, struct str id);

/* For the user, in all projects. */
err_t view_store_count_drafts(struct db *db, int64_t user_id, int64_t *ret_count);
/* Makes room for one more draft of the user in the project. */
err_t view_store_drop_drafts(struct db *db, int64_t project_id, int64_t user_id);
/*
 * For all projects: at most `limit` of the drafts made until then, and of
 * those beyond a user's limit.
 */
err_t view_store_forget_drafts(struct db *db, timestamp_us before, int64_t limit,
			       int64_t *ret_count);

extern const struct db_stmt_check view_store_checks[];
extern const size_t view_store_check_count;

#endif
