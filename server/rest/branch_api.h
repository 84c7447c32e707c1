#ifndef BRANCH_API_H
#define BRANCH_API_H

#include "request.h"

/* Rewinding a run, and the branches that it has. */
err_t branch_api_rewind(struct request *q);
err_t branch_api_list(struct request *q);

#endif
