#ifndef VIEWER_API_H
#define VIEWER_API_H

#include "request.h"

/* GET /api/v1/viewer: who the key belongs to. */
err_t viewer_api_show(struct request *q);

#endif
