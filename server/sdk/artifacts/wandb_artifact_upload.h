#ifndef WANDB_ARTIFACT_UPLOAD_H
#define WANDB_ARTIFACT_UPLOAD_H

#include "gql_run.h"

/* Files of a draft, and where those are sent that the server does not have. */
extern const struct gql_type wandb_made_artifact_files_type; /* { files { edges { node } } } */

gql_resolve wandb_create_artifact_files;

#endif
