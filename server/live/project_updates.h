#ifndef PROJECT_UPDATES_H
#define PROJECT_UPDATES_H

#include "access.h"
#include "project_watch.h"
#include "request.h"

/* The access of listeners: all with the same view are sent the same. */
struct update_view {
	struct db *db;
	const struct project_watch *watch; /* as of a look */
	const struct request *asked;       /* names entity and project */
	enum visibility project;
	bool sees_private;
};

/* The first event of a listener, which starts at the cursor of the watch or goes on from its own. */
void project_updates_open(const struct watch_cursor *cursor, timestamp_us now, struct buf *out);

/*
 * Appends the changes since the cursor and moves it on, or `reset` if they are too many or not known any more. The last
 * event in `out` has the cursor as its id. *ret_more: more changes are left.
 */
err_t project_updates_write(const struct update_view *v, struct watch_cursor *cursor,
			    struct buf *out, bool *ret_more) __attribute__((warn_unused_result));

/* Returns whether the changes since the cursor are still known. */
bool project_updates_is_known(const struct update_view *v, const struct watch_cursor *cursor);
/* Appends `reset`: what was sent is not valid any more and has to be read again. */
void project_updates_reset(const struct update_view *v, struct watch_cursor *cursor,
			   struct buf *out);

bool project_updates_may_see(const struct update_view *v, int16_t visibility);

#endif
