#ifndef WANDB_UNSUPPORTED_H
#define WANDB_UNSUPPORTED_H

#include "gql_run.h"

/*
 * What the SDK can ask of other servers and not of this one yet: each answers with an error that a person
 * understands, and leaves the run alone.
 */
gql_resolve wandb_no_artifacts, wandb_no_sweeps, wandb_no_charts;
gql_resolve wandb_no_launch, wandb_no_automations, wandb_no_registries;

/* Of what is asked with fields of its own and never there. */
extern const struct gql_type wandb_unsupported_type;

#endif
