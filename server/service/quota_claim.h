#ifndef QUOTA_CLAIM_H
#define QUOTA_CLAIM_H

#include "quota_room.h"
#include "request.h"

/*
 * The room of an upload in the quotas of its entity and project, next to that of all other uploads in progress
 * (upload_room.h). It is released with the request at the latest.
 */
struct quota_claim;

/* On a worker, for as many bytes as the request announced. */
err_t quota_claim_begin(struct request *q, const struct quota_scope *scope, int64_t bytes,
			struct quota_claim **ret_claim) __attribute__((warn_unused_result));
/* On any thread: so many bytes have come in all. An upload without a size is stopped where it gets too large. */
err_t quota_claim_grow(struct quota_claim *claim, int64_t bytes)
	__attribute__((warn_unused_result));
/* On a worker, before so many bytes are recorded. One that nothing limited when it began is not measured again. */
err_t quota_claim_settle(struct request *q, struct quota_claim *claim, int64_t bytes)
	__attribute__((warn_unused_result));
/* They are recorded, or the upload failed. */
void quota_claim_release(struct quota_claim *claim);

#endif
