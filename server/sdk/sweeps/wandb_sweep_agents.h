#ifndef WANDB_SWEEP_AGENTS_H
#define WANDB_SWEEP_AGENTS_H

#include "wandb_sweep.h"

struct wandb_agent {
	struct str cursor;
	const struct wandb_sweep *sweep;
	const struct sweep_agent *row;
	int64_t trials; /* that it was given; -1: not read */
	struct str id;
};

extern const struct gql_type wandb_agent_type, wandb_agents_type;
extern const struct gql_type wandb_made_agent_type, wandb_beat_type;

/* Fields of a sweep. */
gql_resolve wandb_sweep_agent, wandb_sweep_agents;

gql_resolve wandb_create_agent, wandb_agent_heartbeat;

/* The type of errors about a sweep or agent that does not exist: agents stop at a 404, so the answer is one. */
#define WANDB_NO_SWEEP "no-sweep"

#endif
