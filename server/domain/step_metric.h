#ifndef STEP_METRIC_H
#define STEP_METRIC_H

#include "json_doc.h"

/*
 * The metric that counts a key's steps, as define_metric() of the wandb SDK puts it into the config:
 * a list in "_wandb"."m" (on the SDK's wire in "_wandb"."value"."m"), of
 *
 *	{"1": name, or "2": names that end with "*", and "4": name of the step metric,
 *	 or "5": its number in this list, from 1}
 *
 * A name goes before a pattern, a longer pattern before a shorter one, of two alike the later.
 * Empty if there is none; values not of this form are ignored.
 */
struct str step_metric_of(const struct json_doc *config, struct str key);

#endif
