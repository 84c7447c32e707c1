#ifndef LINEAGE_API_H
#define LINEAGE_API_H

#include "request.h"

/* GET …/artifacts/{collection}/versions/{version}/lineage?depth=&limit= */
err_t lineage_api_show(struct request *q);
/* GET, POST …/runs/{run}/artifacts */
err_t lineage_api_list(struct request *q);
err_t lineage_api_post(struct request *q);

#endif
