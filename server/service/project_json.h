#ifndef PROJECT_JSON_H
#define PROJECT_JSON_H

#include "err.h"
#include "json_out.h"
#include "project.h"
#include "project_store.h"
#include "request.h"

/*
 * What it takes changes by itself, so it is no part of the version that edits name. In a list a project goes without
 * its directions.
 */
enum project_json { PROJECT_SHOWN, PROJECT_LISTED, PROJECT_VERSION };
void project_json_write(struct json_out *o, const struct project *project, enum project_json what);

/* By itself, with how long what is deleted in it can be restored. */
void project_json_write_shown(struct json_out *o, const struct project *project, int64_t grace_s);

/* As it is listed, with what goes on in it. */
void project_json_write_active(struct json_out *o, const struct project *project,
			       const struct project_activity *activity);

/* The body of a PUT, or of a PATCH, where null sets the default again. An empty body sets nothing. */
err_t project_json_read_change(struct request *q, struct project_change *ret_change)
	__attribute__((warn_unused_result));

#endif
