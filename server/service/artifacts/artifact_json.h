#ifndef ARTIFACT_JSON_H
#define ARTIFACT_JSON_H

#include "artifact_store.h"
#include "artifact_target.h"
#include "json_out.h"
#include "project_sight.h"
#include "request.h"

/* Artifacts as answers have them (api/schemas/artifact.yaml). */

/* A version in a collection. */
struct artifact_shown {
	const struct artifact *artifact;
	const struct artifact_member *member; /* NULL: in the sequence that it was made in */
};
/* The error is one of looking up the runs and projects that are named. */
err_t artifact_json_versions(struct request *q, struct json_out *o,
			     const struct artifact_shown *shown, size_t count)
	__attribute__((warn_unused_result));
/* The version that was found, as the answer of the request. */
err_t artifact_json_reply(struct request *q, const struct artifact_target *target)
	__attribute__((warn_unused_result));
/* The same as a member. */
err_t artifact_json_put(struct request *q, struct json_out *o, const char *key,
			const struct artifact_shown *shown) __attribute__((warn_unused_result));

err_t artifact_json_collections(struct request *q, struct json_out *o,
				const struct artifact_collection *collections, size_t count)
	__attribute__((warn_unused_result));

/* "v3" */
struct str artifact_json_version_name(struct arena *a, int32_t version);

#endif
