#ifndef FIELD_API_H
#define FIELD_API_H

#include "request.h"

/* GET /api/v1/projects/{entity}/{project}/fields */
err_t field_api_list(struct request *q);
/* GET …/fields/{field}/values */
err_t field_api_values(struct request *q);

#endif
