#ifndef GROUP_API_H
#define GROUP_API_H

#include "request.h"

/* Runs of a project, counted by the value of a key. */
err_t group_api_list(struct request *q);

#endif
