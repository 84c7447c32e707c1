#ifndef ETAG_H
#define ETAG_H

#include "buf.h"
#include "err.h"
#include "request.h"

/*
 * Versions of documents. A document's ETag is a hash of the bytes that are sent, so it needs no
 * counter, and every server gives the same one.
 */

/* 200 with the document and its ETag, or 304 when If-None-Match names it. */
err_t etag_reply(struct request *q, const char *content_type, struct buf *document);
/* The same of a document with parts that make no other version of it. */
err_t etag_reply_version(struct request *q, const char *content_type, struct buf *document,
			 struct str version);

/* The ETag alone, of an answer that tells more than what it is the version of. */
void etag_put(struct request *q, struct str version);

/* Whether If-None-Match names the tag, quotes and all, of 32 characters between them. */
bool etag_is_known(const struct request *q, const char *tag);

/*
 * ERR_PRECONDITION unless If-Match is absent, is "*", or names the document as it is now; to be
 * asked under the lock that the change is made under.
 */
err_t etag_require(struct request *q, struct str document) __attribute__((warn_unused_result));

#endif
