#ifndef PROJECT_JSON_H
#define PROJECT_JSON_H

#include "err.h"
#include "json_out.h"
#include "project.h"
#include "project_store.h"
#include "request.h"

/*
 * The usage of a project changes by itself, so it is not part of the version that edits name. In a list a project is
 * written without its directions.
 */
enum project_json { PROJECT_SHOWN, PROJECT_LISTED, PROJECT_VERSION };
void project_json_write(struct json_out *o, const struct project *project, enum project_json what);

/* Writes a single project, with the grace period for what is deleted in it. */
void project_json_write_shown(struct json_out *o, const struct project *project, int64_t grace_s);

/* Writes a project of a list, with its activity. */
void project_json_write_active(struct json_out *o, const struct project *project,
			       const struct project_activity *activity);

/* Reads the body of a PUT, or of a PATCH, where null restores the default. An empty body sets nothing. */
err_t project_json_read_change(struct request *q, struct project_change *ret_change)
	__attribute__((warn_unused_result));

#endif
