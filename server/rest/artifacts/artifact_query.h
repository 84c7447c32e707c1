#ifndef ARTIFACT_QUERY_H
#define ARTIFACT_QUERY_H

#include "artifact_target.h"
#include "request.h"

/* Names of artifacts in the path, the query and the body of requests. */

/* The {collection} of the path. */
err_t artifact_query_collection(struct request *q, struct artifact_target *ret_target)
	__attribute__((warn_unused_result));
/* The {version} of the path, which is committed. */
err_t artifact_query_version(struct request *q, struct artifact_target *ret_target)
	__attribute__((warn_unused_result));
/* The {draft} of the path, which may be committed. */
err_t artifact_query_draft(struct request *q, struct artifact **ret_draft)
	__attribute__((warn_unused_result));
/* A committed version of the collection in the path, named by a parameter of the query. */
err_t artifact_query_named(struct request *q, const char *name, struct artifact_target *ret_target)
	__attribute__((warn_unused_result));
/*
 * A version of any project that the caller may read: "entity/project/collection:version", or "collection:version" in the
 * project of the path. q->target stays that of the path.
 */
err_t artifact_query_address(struct request *q, const char *field, struct str text,
			     struct artifact_target *ret_target)
	__attribute__((warn_unused_result));

/* The metadata in a body, an object; .at == NULL: none. */
struct json_in;
struct str artifact_query_metadata(struct json_in *in, const char *key);

/* The index of a parameter's value in a NULL-ended list; `absent` without the parameter. */
err_t artifact_query_choice(struct request *q, const char *name, const char *const *words,
			    size_t absent, size_t *ret_index) __attribute__((warn_unused_result));

/* "1234 56": a time and a number, where a page ended. */
bool artifact_query_position(struct str after, timestamp_us *ret_time, int64_t *ret_number);

#endif
