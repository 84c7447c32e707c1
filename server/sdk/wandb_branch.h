#ifndef WANDB_BRANCH_H
#define WANDB_BRANCH_H

#include "gql_run.h"
#include "json_doc.h"
#include "request.h"

/* resume_from and fork_from of the SDK: the first is a call of its own, the second stands in the config. */
extern const struct gql_type wandb_rewound_type; /* { rewoundRun } */

gql_resolve wandb_rewind;

/* The config with which the target's run was made (NULL: none) may say which run it goes on from. In a transaction. */
err_t wandb_branch_fork(struct request *q, const struct json_doc *config)
	__attribute__((nonnull(1), warn_unused_result));

#endif
