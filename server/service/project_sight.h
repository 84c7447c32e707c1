#ifndef PROJECT_SIGHT_H
#define PROJECT_SIGHT_H

#include "access.h"
#include "artifact.h"
#include "lineage_store.h"
#include "request.h"

/*
 * Projects that an answer names beside the one of the request: what the caller may see of each. A project is looked up once
 * for each struct project_sight, and q->target stays as it is.
 */
struct project_sight;

/* Ends with the request. */
struct project_sight *project_sight_new(struct request *q);

struct seen_project {
	int64_t project_id;
	bool may_read; /* the rest is set only then */
	struct str entity;
	struct str project;
	enum visibility visibility;
	bool sees_private;
	struct seen_project *next;
};
/* Versions of which runs the caller sees in it. */
enum artifact_sees project_sight_of_artifacts(const struct seen_project *seen);

err_t project_sight_find(struct project_sight *s, int64_t project_id,
			 const struct seen_project **ret_seen) __attribute__((warn_unused_result));
/* Whether the caller may see the run. */
err_t project_sight_of_run(struct project_sight *s, const struct lineage_run *run, bool *ret_sees)
	__attribute__((warn_unused_result));

#endif
