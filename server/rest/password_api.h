#ifndef PASSWORD_API_H
#define PASSWORD_API_H

#include "request.h"

/* PUT …/viewer/password: one's own. */
err_t password_api_put(struct request *q);

#endif
