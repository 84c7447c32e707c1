#ifndef WANDB_GRAPHQL_H
#define WANDB_GRAPHQL_H

#include "request.h"

/* POST /graphql: {"query", "operationName", "variables"}, all that is structured. */
err_t wandb_graphql(struct request *q);
/* route->reads: the operation is a query. Keeps the parsed body for wandb_graphql(). */
bool wandb_graphql_reads(struct request *q);

#endif
