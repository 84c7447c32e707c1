#ifndef WANDB_GRAPHQL_H
#define WANDB_GRAPHQL_H

#include "request.h"

/* POST /graphql: {"query", "operationName", "variables"}, all that is structured. */
err_t wandb_graphql(struct request *q);

#endif
