#ifndef QUOTA_ROOM_H
#define QUOTA_ROOM_H

#include "quota.h"
#include "request.h"

struct target;

/* Where something is to be kept; project_id 0: in a project that is not there yet. */
struct quota_place {
	int64_t entity_id;
	int64_t project_id;
	struct str entity;
	struct str project;
};

struct quota_place quota_place_of(const struct target *t);
/* What holds there. */
err_t quota_room_read(struct request *q, const struct quota_place *place,
		      struct quota_use ret_uses[static QUOTA_LEVELS])
	__attribute__((warn_unused_result));

#endif
