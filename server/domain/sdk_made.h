#ifndef SDK_MADE_H
#define SDK_MADE_H

#include "json_doc.h"

/*
 * What define_metric() of the wandb SDK makes of a key in the summary, where the server derives it: by
 * the list "7" of its definition in the config (step_metric.h says what else is in one). A name goes
 * before a pattern, a longer pattern before a shorter one.
 *
 *	min, max, mean, first, last   {"max": 0.9}, of the numbers of all processes, NaN as one of them
 *	none                          nothing
 *	best, copy, or no list        the last value as it is; so does the SDK itself
 */
struct sdk_made {
	struct sdk_made_rule *names; /* ascending */
	size_t name_count;
	struct sdk_made_rule *patterns; /* longest first */
	size_t pattern_count;
};
void sdk_made_init(struct sdk_made *made, struct arena *a, const struct json_doc *config)
	__attribute__((nonnull(1, 2)));

struct sdk_made_stat {
	const struct json_doc *last;
	uint64_t numbers; /* 0: none; then the next four say nothing */
	double first, min, max, sum;
};

/* The key's member of the summary; NULL: it has none. */
const struct json_doc *sdk_made_value(struct arena *a, const struct sdk_made *made, struct str key,
				      const struct sdk_made_stat *stat) __attribute__((nonnull));

/*
 * Which value of the key is the best one: what its definition says with "8" (1: the least, 2: the greatest); else the
 * least where that alone is made of it; else the greatest.
 */
enum sdk_goal { SDK_GOAL_MAX, SDK_GOAL_MIN };
enum sdk_goal sdk_made_goal(const struct sdk_made *made, struct str key) __attribute__((nonnull));

/*
 * What was set explicitly on top of what follows from history. Where both are objects what was made
 * stays, for what a process sends is of its own numbers alone.
 */
const struct json_doc *sdk_made_merge(struct arena *a, const struct json_doc *derived,
				      const struct json_doc *set)
	__attribute__((nonnull, returns_nonnull));

#endif
