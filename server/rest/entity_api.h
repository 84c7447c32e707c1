#ifndef ENTITY_API_H
#define ENTITY_API_H

#include "request.h"

/* GET /api/v1/entities: those the caller has a role in, by name. */
err_t entity_api_list(struct request *q);
/* GET /api/v1/entities/{entity} */
err_t entity_api_show(struct request *q);
err_t entity_api_patch(struct request *q);

/* ERR_NOT_FOUND for who has no role in the entity of the path, be something of it public. */
err_t entity_api_check_seen(struct request *q) __attribute__((warn_unused_result));

#endif
