#ifndef VIEWER_KEY_API_H
#define VIEWER_KEY_API_H

#include "request.h"

/* The caller's own keys: /api/v1/viewer/keys */
err_t viewer_key_api_list(struct request *q);
err_t viewer_key_api_post(struct request *q);
err_t viewer_key_api_delete(struct request *q);

#endif
