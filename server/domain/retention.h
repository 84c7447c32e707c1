#ifndef RETENTION_H
#define RETENTION_H

#include "arena.h"
#include "project.h"
#include "run.h"

/*
 * How long a project keeps runs that ended, by their state; then they are deleted as by a user. A
 * running run is never deleted, nor one with the tag RETENTION_TAG.
 */
#define RETENTION_TAG "keep"

/* Days a run that is in the state is kept; 0: for ever. */
int32_t retention_days(const struct project *project, int state);
/* Whether the time of the run is over. `tags` is a JSON array of texts. */
bool retention_is_over(const struct project *project, const struct run *run, struct str tags,
		       timestamp_us now);
/* The reason of the deletion, in words. */
const char *retention_reason(struct arena *a, const struct project *project, const struct run *run);

#endif
