#ifndef RUN_API_H
#define RUN_API_H

#include "request.h"

/* GET, POST /api/v1/projects/{entity}/{project}/runs */
err_t run_api_list(struct request *q);
err_t run_api_post(struct request *q);
/* GET, PUT, PATCH, DELETE …/runs/{run} */
err_t run_api_show(struct request *q);
err_t run_api_put(struct request *q);
err_t run_api_patch(struct request *q);

#endif
