#ifndef SERVER_API_H
#define SERVER_API_H

#include "request.h"

/* GET /healthz: the process answers. */
err_t server_api_health(struct request *q);
/* GET /ready: the database answers, and its schema is this server's. */
err_t server_api_ready(struct request *q);
/* GET /metrics: Prometheus' text format. */
err_t server_api_metrics(struct request *q);
/* GET /api/v1/server */
err_t server_api_show(struct request *q);

/* GET /api/v1/server/state: what admins want to know beside the figures of /metrics */
err_t server_api_state(struct request *q);

#endif
