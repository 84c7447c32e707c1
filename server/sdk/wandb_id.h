#ifndef WANDB_ID_H
#define WANDB_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct arena;

/*
 * Ids as the SDK passes them on: base64 of a kind and what tells the thing, "Run:v1:NAME:PROJECT:ENTITY".
 * Opaque to clients but for "…InternalId:NUMBER", which they decode.
 */
struct str wandb_id(struct arena *a, const char *kind, struct str rest);
struct str wandb_id_of_number(struct arena *a, const char *kind, int64_t number);
struct str wandb_id_of_run(struct arena *a, struct str entity, struct str project, struct str run);

/* False: it is no id of this kind. The rest is in the arena. */
bool wandb_id_read(struct arena *a, struct str id, const char *kind, struct str *ret_rest);
bool wandb_id_read_run(struct arena *a, struct str id, struct str *ret_entity,
		       struct str *ret_project, struct str *ret_run);

#endif
