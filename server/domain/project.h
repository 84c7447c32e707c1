#ifndef PROJECT_H
#define PROJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "clock.h"
#include "err.h"
#include "str.h"

enum {
	PROJECT_CRASH_AFTER_S = 300, /* a run is crashed when no writer was heard for so long */
	PROJECT_CRASH_AFTER_MIN_S = 5,
	PROJECT_CRASH_AFTER_MAX_S = 604800,
	PROJECT_DESCRIPTION_MAX = 16 << 10, /* bytes */
};

struct project {
	int64_t project_id;
	int64_t entity_id;
	struct str entity;
	struct str name;
	struct str description;
	int16_t visibility; /* enum visibility */
	int32_t crash_after_s;
	timestamp_us created_at;
};

/* What a request sets; what it leaves out stays. */
struct project_change {
	bool has_visibility, has_crash_after, has_description;
	enum visibility visibility;
	int32_t crash_after_s;
	struct str description;
};

/* A project nobody has described yet: private, five minutes. */
struct project project_default(int64_t entity_id, struct str name);
void project_apply(struct project *project, const struct project_change *change);

#endif
