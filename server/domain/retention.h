#ifndef RETENTION_H
#define RETENTION_H

#include "arena.h"
#include "project.h"
#include "run.h"

/*
 * How long a project keeps runs that ended, by how they ended; then they are deleted as a person would.
 * A run that runs is never, nor one with the tag RETENTION_TAG.
 */
#define RETENTION_TAG "keep"

/* Days a run that is in the state is kept; 0: for ever. */
int32_t retention_days(const struct project *project, int state);
/* Whether the time of the run is over. `tags` is a JSON array of texts. */
bool retention_is_over(const struct project *project, const struct run *run, struct str tags,
		       timestamp_us now);
/* Why it is deleted, in words. */
const char *retention_reason(struct arena *a, const struct project *project, const struct run *run);

#endif
