#ifndef WANDB_ORGANIZATION_H
#define WANDB_ORGANIZATION_H

#include "gql_run.h"

/* The one organization of the server, which all users and teams belong to; nothing is kept of it. */
extern const struct gql_type wandb_organization_type;

err_t wandb_organization(struct gql_call *call);
/* The same of an entity. */
err_t wandb_organization_give(struct gql_call *call);

#endif
