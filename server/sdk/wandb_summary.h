#ifndef WANDB_SUMMARY_H
#define WANDB_SUMMARY_H

#include "json_doc.h"
#include "request.h"

/*
 * A summary has the names that rows have: of a metric with a name longer than JSON_KEY_MAX_BYTES that is the shortened one
 * (odd_name.h), whose whole name is kept with the metric. A key that no run of the project logged keeps its whole name,
 * of which nothing else would be kept. Outside a transaction.
 */
err_t wandb_summary_shorten(struct request *q, const struct json_doc *summary,
			    const struct json_doc **ret_summary)
	__attribute__((nonnull, warn_unused_result));

#endif
