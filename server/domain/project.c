#include "project.h"

struct project project_default(int64_t entity_id, struct str name)
{
	return (struct project){
		.entity_id = entity_id,
		.name = name,
		.description = STR(""),
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
}
