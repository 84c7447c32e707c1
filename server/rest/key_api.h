#ifndef KEY_API_H
#define KEY_API_H

#include "request.h"

/* GET /api/v1/projects/{entity}/{project}/keys */
err_t key_api_list(struct request *q);

#endif
