#ifndef WANDB_PROJECT_H
#define WANDB_PROJECT_H

#include "auth.h"
#include "gql_run.h"

/* A project; older documents call it a model. */
struct wandb_project {
	struct str cursor;
	struct target *target;
	struct str id;
	struct str name;
	struct str entity_name;
	struct str internal_id;
};

extern const struct gql_type wandb_project_type;

gql_resolve wandb_project;

const struct wandb_project *wandb_project_of(struct arena *a, struct target *target);

#endif
