#ifndef WANDB_SWEEP_H
#define WANDB_SWEEP_H

#include "gql_run.h"
#include "sweep_json.h"

/* Figures of the sweeps of a page, read when one of them is asked for. */
struct wandb_sweep_figures {
	const struct sweep *rows;
	size_t count;
	struct sweep_shown *shown; /* of each; NULL: not read yet */
};

struct wandb_sweep {
	struct str cursor;
	struct target *target; /* its project */
	const struct sweep *row;
	struct wandb_sweep_figures *figures;
	struct str id;
};

extern const struct gql_type wandb_sweep_type, wandb_sweeps_type;

const struct wandb_sweep *wandb_sweep_of(struct arena *a, struct target *target,
					 const struct sweep *row)
	__attribute__((nonnull, returns_nonnull));

/* Fields of a project. */
gql_resolve wandb_project_sweep, wandb_project_sweeps, wandb_project_sweep_count;

#endif
