#ifndef FIRST_ADMIN_API_H
#define FIRST_ADMIN_API_H

#include "request.h"

/* POST /api/v1/first-admin: makes the first user and signs them in; the answer sets the cookie. */
err_t first_admin_api_post(struct request *q);

#endif
