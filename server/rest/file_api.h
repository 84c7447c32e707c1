#ifndef FILE_API_H
#define FILE_API_H

#include "request.h"

/* GET …/runs/{run}/files?pattern= */
err_t file_api_list(struct request *q);
/* POST …/runs/{run}/files: links to upload by */
err_t file_api_post(struct request *q);
/* GET, PUT, DELETE …/runs/{run}/files/{name...} */
err_t file_api_show(struct request *q);
err_t file_api_put_begin(struct request *q);
err_t file_api_put(struct request *q);
err_t file_api_delete(struct request *q);

/* GET, PUT /storage/{number}/{name...}: by a link that needs no key */
err_t file_api_link_show(struct request *q);
err_t file_api_link_put_begin(struct request *q);
err_t file_api_link_put(struct request *q);

#endif
