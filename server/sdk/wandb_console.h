#ifndef WANDB_CONSOLE_H
#define WANDB_CONSOLE_H

#include "gql_run.h"

/* The lines a run printed. */
extern const struct gql_type wandb_lines_type;

gql_resolve wandb_run_lines;

#endif
