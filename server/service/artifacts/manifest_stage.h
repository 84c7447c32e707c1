#ifndef MANIFEST_STAGE_H
#define MANIFEST_STAGE_H

#include "quota_room.h"
#include "request.h"

/*
 * A manifest as a client sends it, JSON of any size, is stored as rows: one for each entry (entry_store.h). The body goes to a
 * file first. Then one transaction reads it in windows and writes its entries in batches, so a manifest is there whole or not
 * at all, and memory does not depend on its size. A client that repeats the request gets the same answer.
 *
 * ERR_INVALID names what is wrong: the MD5, the version, a path, a size, a digest. The JSON itself is not kept.
 */
struct manifest_destination {
	struct quota_scope scope;
	int64_t manifest_id;
};
/* Call it in route->begin: sets q->sink. */
err_t manifest_stage_begin(struct request *q, const struct manifest_destination *destination)
	__attribute__((warn_unused_result));
/* Call it in the handler, which has no transaction. */
err_t manifest_stage_end(struct request *q) __attribute__((warn_unused_result));

#endif
