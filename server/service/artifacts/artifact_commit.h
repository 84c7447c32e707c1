#ifndef ARTIFACT_COMMIT_H
#define ARTIFACT_COMMIT_H

#include "artifact.h"
#include "artifact_target.h"
#include "request.h"

/*
 * Commits a draft: it gets its number, and its aliases move to it. All of it is in one transaction under the lock of the
 * collection, so a reader sees a whole version or none. A version that is committed already is returned.
 *
 * Its entries are those of the last whole manifest; or the entries of its base with the added ones; or those of all parts; or,
 * if no manifest was sent, its base, its uploads and its references. ERR_UNPROCESSABLE if the content of a file is missing or
 * has another size; ERR_GONE if the draft was deleted. Outside a transaction.
 */
err_t artifact_commit(struct request *q, const struct artifact_target *target,
		      struct artifact **ret_artifact) __attribute__((warn_unused_result));

#endif
