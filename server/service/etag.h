#ifndef ETAG_H
#define ETAG_H

#include "buf.h"
#include "err.h"
#include "request.h"

/*
 * Versions of documents. The ETag of a document is a hash of the bytes that are sent, so it needs no counter and is the
 * same on every server.
 */

/* Replies 200 with the document and its ETag, or 304 if If-None-Match names it. */
err_t etag_reply(struct request *q, const char *content_type, struct buf *document);
/* The same for a document with parts that do not belong to its version. */
err_t etag_reply_version(struct request *q, const char *content_type, struct buf *document,
			 struct str version);

/* Sets only the ETag, for an answer that has more than the document. */
void etag_put(struct request *q, struct str version);

/* Returns whether If-None-Match names the tag: 32 characters in quotes. */
bool etag_is_known(const struct request *q, const char *tag);

/*
 * Returns ERR_PRECONDITION unless If-Match is absent, is "*", or names the document as it is now. Call it under the lock
 * of the change.
 */
err_t etag_require(struct request *q, struct str document) __attribute__((warn_unused_result));

#endif
