#include "project.h"

struct project project_default(int64_t entity_id, struct str name)
{
	return (struct project){
		.entity_id = entity_id,
		.name = name,
		.description = STR(""),
		.directions = STR("[]"),
		.visibility = VISIBILITY_PRIVATE,
		.crash_after_s = PROJECT_CRASH_AFTER_S,
	};
}

void project_apply(struct project *project, const struct project_change *change)
{
	if (change->has_visibility)
		project->visibility = (int16_t)change->visibility;
	if (change->has_crash_after)
		project->crash_after_s = change->crash_after_s;
	if (change->has_description)
		project->description = change->description;
	if (change->has_keep_finished)
		project->keep_finished_days = change->keep_finished_days;
	if (change->has_keep_failed)
		project->keep_failed_days = change->keep_failed_days;
	if (change->has_keep_crashed)
		project->keep_crashed_days = change->keep_crashed_days;
	if (change->has_keep_killed)
		project->keep_killed_days = change->keep_killed_days;
	if (change->has_quota)
		project->quota_bytes = change->quota_bytes;
	if (change->has_directions)
		project->directions = change->directions;
}
