#ifndef PROJECT_H
#define PROJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "clock.h"
#include "err.h"
#include "str.h"

enum {
	PROJECT_CRASH_AFTER_S = 300, /* so long without any writer */
	PROJECT_CRASH_AFTER_MIN_S = 5,
	PROJECT_CRASH_AFTER_MAX_S = 604800,
	PROJECT_DESCRIPTION_MAX = 16 << 10, /* bytes */
	PROJECT_KEEP_MAX_DAYS = 36500,
	PROJECT_DIRECTIONS_MAX = 100, /* keys */
};

struct project {
	int64_t project_id;
	int64_t entity_id;
	struct str entity;
	struct str name;
	struct str description;
	int16_t visibility; /* enum visibility */
	int32_t crash_after_s;
	/* How long runs that ended so are kept; 0: for ever. See retention.h. */
	int32_t keep_finished_days, keep_failed_days, keep_crashed_days, keep_killed_days;
	/* Which values of keys are better: [{"key": "loss", "better": "lower"}, …], as JSON. */
	struct str directions;
	timestamp_us created_at;
	timestamp_us deleted_at; /* 0: it lives */
	timestamp_us purge_at;
	int64_t quota_bytes;   /* the limit of its runs' bytes; QUOTA_NONE: see quota.h */
	bool tells_usage;      /* the caller sees all its runs, and so their size */
	int64_t size_bytes;    /* of all its runs */
	int64_t deleted_bytes; /* of them, those that were deleted one by one */
};

/* The fields that a request sets; the others stay. */
struct project_change {
	bool has_visibility, has_crash_after, has_description, has_directions, has_quota;
	bool has_keep_finished, has_keep_failed, has_keep_crashed, has_keep_killed;
	enum visibility visibility;
	int32_t crash_after_s;
	int32_t keep_finished_days, keep_failed_days, keep_crashed_days, keep_killed_days;
	int64_t quota_bytes;
	struct str description;
	struct str directions;
};

/* The defaults of a project that no request has set up: private, five minutes. */
struct project project_default(int64_t entity_id, struct str name);
void project_apply(struct project *project, const struct project_change *change);

#endif
