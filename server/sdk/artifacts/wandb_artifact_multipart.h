#ifndef WANDB_ARTIFACT_MULTIPART_H
#define WANDB_ARTIFACT_MULTIPART_H

#include "gql_run.h"

/* The end of a file of a draft that came in parts; see wandb_artifact_upload.h for its beginning. */
gql_resolve wandb_complete_multipart;
extern const struct gql_type wandb_completed_multipart_type;

#endif
