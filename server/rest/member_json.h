#ifndef MEMBER_JSON_H
#define MEMBER_JSON_H

#include "entity_store.h"
#include "json_out.h"
#include "request.h"

void member_json_write(struct json_out *o, const struct team_member *member);
err_t member_json_read(struct request *q, enum entity_role *ret_role)
	__attribute__((warn_unused_result));

#endif
