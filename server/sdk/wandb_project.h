#ifndef WANDB_PROJECT_H
#define WANDB_PROJECT_H

#include "auth.h"
#include "gql_run.h"
#include "project.h"

/* A project; older documents call it a model. */
struct wandb_project {
	struct str cursor;
	struct target *target;
	struct str id;
	struct str name;
	struct str entity_name;
	struct str internal_id;
	const struct project *info; /* what is said of it; NULL: it is read when it is asked for */
};

extern const struct gql_type wandb_project_type;

gql_resolve wandb_project;

const struct wandb_project *wandb_project_of(struct arena *a, struct target *target);

#endif
