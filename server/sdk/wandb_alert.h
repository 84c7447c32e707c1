#ifndef WANDB_ALERT_H
#define WANDB_ALERT_H

#include "gql_run.h"

/* run.alert() */
gql_resolve wandb_notify_alert;

#endif
