#ifndef DELETION_API_H
#define DELETION_API_H

#include "request.h"

/* Deleting runs, restoring them while their grace time lasts, and which they are. */
err_t deletion_api_delete(struct request *q);
err_t deletion_api_restore(struct request *q);
/* GET …/runs?deleted=true */
err_t deletion_api_list(struct request *q);

/* How long what is deleted can be restored: for the time of the server's setting, or not at all. */
enum deletion_purge { DELETION_PURGE_LATER, DELETION_PURGE_NOW };

/* The parameter "purge" of REST. */
err_t deletion_read_purge(struct request *q, enum deletion_purge *ret_purge)
	__attribute__((warn_unused_result));

/*
 * Delete the run, or the project, of the request, with a line in the audit log. DELETION_PURGE_NOW takes an admin
 * of the entity. A project that is deleted already is ERR_GONE.
 */
err_t deletion_delete_run(struct request *q, enum deletion_purge purge)
	__attribute__((warn_unused_result));
err_t deletion_delete_project(struct request *q, enum deletion_purge purge)
	__attribute__((warn_unused_result));

#endif
