#ifndef WEBHOOK_API_H
#define WEBHOOK_API_H

#include "request.h"

/* GET, PUT and DELETE …/webhook of a project. */
err_t webhook_api_show(struct request *q);
err_t webhook_api_put(struct request *q);
err_t webhook_api_delete(struct request *q);

#endif
