#ifndef ENTITY_JSON_H
#define ENTITY_JSON_H

#include "entity.h"
#include "json_out.h"
#include "request.h"

/* An entity with the caller's role in it, and what it takes and may take by the server's settings. */
void entity_json_write(struct json_out *o, const struct request *q, const struct entity *entity);
/* Without the latter. */
void entity_json_write_role(struct json_out *o, const struct entity *entity);

/* *ret_bytes is QUOTA_STANDARD for null. */
err_t entity_json_read_quota(struct request *q, int64_t *ret_bytes)
	__attribute__((warn_unused_result));

#endif
