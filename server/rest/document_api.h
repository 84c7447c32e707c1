#ifndef DOCUMENT_API_H
#define DOCUMENT_API_H

#include "request.h"

/* GET, PATCH …/runs/{run}/config and …/summary */
err_t document_api_show_config(struct request *q);
err_t document_api_patch_config(struct request *q);
err_t document_api_show_summary(struct request *q);
err_t document_api_patch_summary(struct request *q);
/* GET …/runs/{run}/conflicts */
err_t document_api_conflicts(struct request *q);

#endif
