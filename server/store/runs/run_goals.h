#ifndef RUN_GOALS_H
#define RUN_GOALS_H

#include "best_value.h"
#include "db.h"

/*
 * The goal of a metric, which value is best, in each of some runs, by their own definitions: those
 * that the wandb SDK keeps below "_wandb" of the config, with the users' edits. Only that part of
 * configs is read, for all runs in one statement, or a few if that is much.
 */
struct run_goals_ask {
	const int64_t *run_ids;
	size_t run_count;
	struct str key;
};
err_t run_goals_read(struct db *db, const struct run_goals_ask *ask, enum best_goal *ret_goals)
	__attribute__((warn_unused_result));

#endif
