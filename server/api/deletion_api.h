#ifndef DELETION_API_H
#define DELETION_API_H

#include "audit_note.h"
#include "request.h"

/* Deleting runs, restoring them while their grace time lasts, and which they are. */
err_t deletion_api_delete(struct request *q);
err_t deletion_api_restore(struct request *q);
/* GET …/runs?deleted=true */
err_t deletion_api_list(struct request *q);

/* When what is deleted now is purged: by the server's setting, or now with "purge=now", which takes an
 * admin of the entity. */
err_t deletion_purge_at(struct request *q, timestamp_us *ret_time)
	__attribute__((warn_unused_result));

/* The project of the request, with its line in the audit log; ERR_GONE where it is deleted already. */
err_t deletion_delete_project(struct request *q) __attribute__((warn_unused_result));

/* For the audit log: what this request deleted, or brought back. */
err_t deletion_note(struct request *q, enum audit_action action)
	__attribute__((warn_unused_result));

#endif
