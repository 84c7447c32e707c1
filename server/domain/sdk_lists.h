#ifndef SDK_LISTS_H
#define SDK_LISTS_H

#include "json_doc.h"

/*
 * Lists that every process of the wandb SDK puts into its config, and that are one set for the run,
 * not the list of the last writer: definitions of metrics in "_wandb"."m" (see step_metric.h) and
 * numbers of what is used in "_wandb"."t".
 *
 * Documents merge member by member (leaves.h), so for merging these lists are objects:
 *
 *	"m": [{"1": "acc", "5": 2}, {"1": "epoch"}, {"2": "v*"}]      "t": {"3": [2, 13]}
 *	"m": {"1:acc": [{"1": "acc", "5": "epoch"}],                     "t": {"3": {"#13": 13,
 *	      "1:epoch": [{"1": "epoch"}], "2:v*": [{"2": "v*"}]}              "#2": 2}}
 *
 * So definitions are united by name, one of a name is its last writer's as a whole, numbers are united,
 * and each goes when those who held it stop sending it. A step metric is named, for its number is
 * another one in the united list.
 *
 * Both work where the SDK's wire has them, too: in "_wandb"."value". Values not of this form stay
 * as they are.
 */

/*
 * A writer's config with objects in place of lists. Empty lists and nulls are dropped: they say
 * nothing of other writers.
 */
const struct json_doc *sdk_lists_open(struct arena *a, const struct json_doc *config)
	__attribute__((nonnull, returns_nonnull));

/* The merged config as it is shown: lists again; names before patterns, each in order, as the numbers. */
const struct json_doc *sdk_lists_close(struct arena *a, const struct json_doc *config)
	__attribute__((nonnull, returns_nonnull));

#endif
