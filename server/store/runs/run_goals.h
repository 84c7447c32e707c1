#ifndef RUN_GOALS_H
#define RUN_GOALS_H

#include "best_value.h"
#include "db.h"

/*
 * Which value of a metric is the best one in each of some runs, as their own definitions have it: those that the wandb
 * SDK keeps below "_wandb" of the config, with people's edits of it. Of configs nothing else is read, and of all runs in
 * one statement, or a few where that is much.
 */
struct run_goals_ask {
	const int64_t *run_ids;
	size_t run_count;
	struct str key;
};
err_t run_goals_read(struct db *db, const struct run_goals_ask *ask, enum best_goal *ret_goals)
	__attribute__((warn_unused_result));

#endif
