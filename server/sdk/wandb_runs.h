#ifndef WANDB_RUNS_H
#define WANDB_RUNS_H

#include "gql_run.h"

struct target;
struct wandb_run;

/* The runs of a project, in the grammar of the SDK's filters and orders. */
extern const struct gql_type wandb_runs_type;

/* Runs that the caller may see, in order of run_id, without cursors. */
struct wandb_runs {
	struct wandb_run *items;
	size_t count;
};
/* Reads runs of a project by their numbers, without those that do not exist or that the caller may not see. */
err_t wandb_runs_read(struct gql_call *call, struct target *project, const int64_t *ids,
		      size_t count, struct wandb_runs *ret_runs)
	__attribute__((warn_unused_result));
/* NULL: it is not among them. */
const struct wandb_run *wandb_runs_find(const struct wandb_runs *runs, int64_t run_id)
	__attribute__((nonnull));

gql_resolve wandb_project_runs, wandb_project_run_count;

#endif
