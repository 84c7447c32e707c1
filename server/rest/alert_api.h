#ifndef ALERT_API_H
#define ALERT_API_H

#include "request.h"

/* GET and POST …/alerts. */
err_t alert_api_list(struct request *q);
err_t alert_api_post(struct request *q);

#endif
