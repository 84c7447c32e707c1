#ifndef SEARCHED_SUMMARY_H
#define SEARCHED_SUMMARY_H

#include "sdk_made.h"

/*
 * A run's summary as it is searched. define_metric(summary="min") of the wandb
 * SDK makes an object of a metric in the summary, {"min": 0.1}, where runs
 * without the definition have a number. In searched documents the key has one
 * meaning, the number, so that lists, filters, orders, groups and columns agree:
 *
 *	the run's summary   {"val/loss": {"min": 0.1}}
 *	searched            {"val/loss": 0.1, "val/loss.min": 0.1}
 *	whole               {"val/loss": {"min": 0.1}}
 *
 * `whole` has the members of the run's own summary that are not in `searched` as they were. An object, at any depth, is
 * such a metric if it has members of these names only, and each is a number, NaN or an infinity. Its number is the first
 * of them that it has:
 *
 *	best, max, min, last, mean, first     min before max where the metric's goal is the least (sdk_made_goal())
 */
struct searched_summary {
	const struct json_doc *searched;
	const struct json_doc *whole;
};
void searched_summary_make(struct arena *a, const struct sdk_made *made,
			   const struct json_doc *summary, struct searched_summary *ret_made)
	__attribute__((nonnull));

/* The run's own summary. */
const struct json_doc *searched_summary_restore(struct arena *a, const struct searched_summary *of)
	__attribute__((nonnull, returns_nonnull));

#endif
