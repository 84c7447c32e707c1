#ifndef WANDB_FILES_H
#define WANDB_FILES_H

#include "gql_run.h"

/* Files of a run: links to put them by, lists of them, and their end. */
extern const struct gql_type wandb_created_files_type;
extern const struct gql_type wandb_files_type;
extern const struct gql_type wandb_deleted_files_type;
extern const struct gql_type wandb_uploaded_files_type;

gql_resolve wandb_create_files, wandb_delete_files, wandb_mark_files;
gql_resolve wandb_run_files, wandb_run_file_count; /* of a struct wandb_run */

#endif
