#ifndef SDK_MADE_H
#define SDK_MADE_H

#include "json_doc.h"

/*
 * The summary of a key as define_metric() of the wandb SDK asks for it, where the server derives
 * it: by the list "7" of its definition in the config (step_metric.h describes the other members).
 * A name goes before a pattern, a longer pattern before a shorter one.
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
 * The goal of the key, which value is best: by "8" of its definition (1: the least, 2: the
 * greatest); else the least if only that is derived; else the greatest.
 */
enum sdk_goal { SDK_GOAL_MAX, SDK_GOAL_MIN };
enum sdk_goal sdk_made_goal(const struct sdk_made *made, struct str key) __attribute__((nonnull));

/*
 * The explicitly set values on top of those derived from history. If both are objects, the derived
 * one stays, for a process sends only what its own numbers give.
 */
const struct json_doc *sdk_made_merge(struct arena *a, const struct json_doc *derived,
				      const struct json_doc *set)
	__attribute__((nonnull, returns_nonnull));

#endif
