#ifndef USAGE_API_H
#define USAGE_API_H

#include "request.h"

/* GET …/projects/{entity}/{project}/usage */
err_t usage_api_show(struct request *q);

#endif
