#ifndef QUOTA_ROOM_H
#define QUOTA_ROOM_H

#include "quota.h"
#include "request.h"

struct target;

/* The entity and project whose quotas apply; project_id 0: the project does not exist yet. */
struct quota_scope {
	int64_t entity_id;
	int64_t project_id;
	struct str entity;
	struct str project;
};

struct quota_scope quota_scope_of(const struct target *t);
/* Reads usage and limits of both. */
err_t quota_room_read(struct request *q, const struct quota_scope *scope,
		      struct quota_use ret_uses[static QUOTA_LEVELS])
	__attribute__((warn_unused_result));
/* ERR_FORBIDDEN if so many bytes of files more exceed a quota, whatever other uploads are in progress. */
err_t quota_room_check(struct request *q, const struct quota_scope *scope, int64_t bytes)
	__attribute__((warn_unused_result));

#endif
