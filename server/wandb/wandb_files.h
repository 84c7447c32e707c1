#ifndef WANDB_FILES_H
#define WANDB_FILES_H

#include "gql_run.h"

/* Files of a run: where to put them. */
extern const struct gql_type wandb_created_files_type;

gql_resolve wandb_create_files;

#endif
