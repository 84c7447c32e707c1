#ifndef MEMBER_API_H
#define MEMBER_API_H

#include "request.h"

/* Members of a team and their roles: /api/v1/entities/{entity}/members. */
err_t member_api_list(struct request *q);
err_t member_api_put(struct request *q);
err_t member_api_delete(struct request *q);

#endif
