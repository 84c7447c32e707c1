#ifndef DELETION_H
#define DELETION_H

#include "audit.h"
#include "deletion_store.h"
#include "request.h"

/* How long what is deleted can be restored: for the time of the server's setting, or not at all. */
enum deletion_purge { DELETION_PURGE_LATER, DELETION_PURGE_NOW };

/*
 * Delete the run, or the project, of the request, with a line in the audit log. DELETION_PURGE_NOW takes an admin
 * of the entity. A project that is deleted already is ERR_GONE.
 */
err_t deletion_delete_run(struct request *q, enum deletion_purge purge)
	__attribute__((warn_unused_result));
err_t deletion_delete_project(struct request *q, enum deletion_purge purge)
	__attribute__((warn_unused_result));
/* Tells what deletion_delete_project() would delete, and when it would be purged. */
err_t deletion_describe_project(struct request *q, enum deletion_purge purge,
				struct project_contents **ret_contents, timestamp_us *ret_purge_at)
	__attribute__((warn_unused_result));

/* Writes the line in the audit log for a deletion or a restore. */
err_t deletion_note(struct request *q, enum audit_action action, enum deletion_purge purge)
	__attribute__((warn_unused_result));
/* Returns ERR_FORBIDDEN: the caller may not do what is named. */
err_t deletion_needs_right(struct request *q, const char *what, const char *hint)
	__attribute__((warn_unused_result));

#endif
