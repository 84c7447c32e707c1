#ifndef CONTENT_PUT_H
#define CONTENT_PUT_H

#include "content.h"
#include "quota_room.h"
#include "request.h"

/*
 * The body of a request as content. It is written to the folder of files while it arrives, within the quotas of its
 * scope, and is there when all of it is. Then the caller records a name for it; content without a name is deleted later.
 */

/* Call it in route->begin: checks room and quota, and sets q->sink. `what`: for the handler; may be NULL. */
err_t content_put_begin(struct request *q, const struct quota_scope *scope, const void *what)
	__attribute__((warn_unused_result));
const void *content_put_what(const struct request *q);
/* The sums of the body that came. */
const struct content_sums *content_put_sums(const struct request *q);
/* Call it in the handler, which has no transaction: checks Content-MD5 and the quota, and keeps the content. */
err_t content_put_end(struct request *q) __attribute__((warn_unused_result));
/* The content has a name now, or gets none: its room is that of others again. */
void content_put_release(struct request *q);

#endif
