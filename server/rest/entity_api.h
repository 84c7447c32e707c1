#ifndef ENTITY_API_H
#define ENTITY_API_H

#include "entity_store.h"
#include "json_out.h"
#include "request.h"

/* GET /api/v1/entities: the entities that the caller has a role in, by name. */
err_t entity_api_list(struct request *q);
/* GET /api/v1/entities/{entity} */
err_t entity_api_show(struct request *q);
/* POST /api/v1/entities: a new team. */
err_t entity_api_post(struct request *q);
err_t entity_api_patch(struct request *q);

/* The error of adding an entity: that its name is taken concerns the field "name". */
err_t entity_api_taken(struct request *q, err_t e) __attribute__((warn_unused_result));

/* ERR_NOT_FOUND: the caller has no role in the entity of the path, even if something in it is public. */
err_t entity_api_check_seen(struct request *q) __attribute__((warn_unused_result));

/* Writes name, kind, and the caller's role. */
void entity_api_write_role(struct json_out *o, const struct entity *entity);

#endif
