#ifndef PROJECT_API_H
#define PROJECT_API_H

#include "request.h"

/* GET /api/v1/projects: what the caller may see, by entity and name. */
err_t project_api_list_all(struct request *q);
/* GET /api/v1/projects/{entity} */
err_t project_api_list(struct request *q);
/* GET, PUT, PATCH and DELETE /api/v1/projects/{entity}/{project} */
err_t project_api_show(struct request *q);
err_t project_api_put(struct request *q);
err_t project_api_patch(struct request *q);
err_t project_api_delete(struct request *q);
err_t project_api_restore(struct request *q);

#endif
