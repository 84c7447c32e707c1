#ifndef WANDB_UNKNOWN_FIELDS_H
#define WANDB_UNKNOWN_FIELDS_H

#include "str.h"

struct buf;

/*
 * Clients of many releases ask for fields that no row answers; they get null. Each Type.field is logged
 * once and counted, up to WANDB_UNKNOWN_FIELDS_MAX of them; what comes on top counts as "other".
 */
enum { WANDB_UNKNOWN_FIELDS_MAX = 500, WANDB_UNKNOWN_FIELDS_NAME_MAX = 96 };

/* For gql_request.unknown; from any thread. */
void wandb_unknown_fields_add(void *context, const char *type, struct str field);

/* Prometheus text. */
void wandb_unknown_fields_metrics(struct buf *text);

#endif
