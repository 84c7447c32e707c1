#include "retention.h"

#define DAY_US (INT64_C(24) * 3600 * 1000000)

int32_t retention_days(const struct project *project, int state)
{
	switch (state) {
	case RUN_FINISHED:
		return project->keep_finished_days;
	case RUN_FAILED:
		return project->keep_failed_days;
	case RUN_CRASHED:
	case RUN_PREEMPTED:
		return project->keep_crashed_days;
	case RUN_KILLED:
		return project->keep_killed_days;
	default:
		return 0;
	}
}

/* Texts in a JSON array are quoted, and this one needs no escapes. */
static bool has_tag(struct str tags)
{
	const char *tag = "\"" RETENTION_TAG "\"";
	size_t len = sizeof("\"" RETENTION_TAG "\"") - 1;

	for (size_t i = 0; i + len <= tags.len; i++) {
		if (str_starts((struct str){ tags.at + i, tags.len - i }, tag))
			return true;
	}
	return false;
}

bool retention_is_over(const struct project *project, const struct run *run, struct str tags,
		       timestamp_us now)
{
	int32_t days = retention_days(project, run->state);

	if (!days || !run->ended_at.us || run->deleted_at.us || has_tag(tags))
		return false;
	return run->ended_at.us + days * DAY_US <= now.us;
}

const char *retention_reason(struct arena *a, const struct project *project, const struct run *run)
{
	int32_t days = retention_days(project, run->state);

	return arena_printf(a, "retention: %s runs are kept for %d day%s",
			    run_state_name(run->state), days, days == 1 ? "" : "s");
}
