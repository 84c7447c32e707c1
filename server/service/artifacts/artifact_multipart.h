#ifndef ARTIFACT_MULTIPART_H
#define ARTIFACT_MULTIPART_H

#include "artifact_id.h"
#include "artifact_upload.h"
#include "quota_room.h"
#include "request.h"

/*
 * Large files of drafts come in parts, each a request of its own, in any order. A part that broke off is sent again; parts that
 * came stay. Completing joins them to one content, which must have the MD5 that was announced (artifact_upload_ask()). An upload
 * from which nothing was heard for ARTIFACT_DRAFT_KEPT_US is removed by the artifact job.
 */
struct part_destination {
	struct quota_scope scope;
	int64_t upload_id;
	int32_t part; /* from 1 */
};
/* Call it in route->begin: checks the upload, room and quota, and sets q->sink. */
err_t artifact_part_begin(struct request *q, const struct part_destination *destination)
	__attribute__((warn_unused_result));
/* Call it in the handler, which has no transaction. *ret_etag: the MD5 of the part in hex, in quotes. */
err_t artifact_part_end(struct request *q, const char **ret_etag)
	__attribute__((warn_unused_result));

/*
 * The open upload of a file, with the parts that came. A client that broke off may come back with another draft: it finds
 * the upload of a draft of the project that has the same path, MD5 and number of parts. Outside a transaction.
 */
struct artifact_multipart_parts {
	struct artifact_multipart *upload;
	struct artifact_part *parts; /* in order */
	size_t count;
};
err_t artifact_multipart_open(struct request *q, const struct artifact *draft,
			      const struct artifact_wanted *wanted,
			      struct artifact_multipart_parts *ret_open)
	__attribute__((warn_unused_result));
/* Joins all parts, and the draft has the file, also if the upload was opened for another one. Otherwise as the next call. */
err_t artifact_multipart_finish(struct request *q, const struct artifact *draft, int64_t upload_id,
				struct artifact_wanted *ret_file)
	__attribute__((warn_unused_result));

/* ERR_UNPROCESSABLE if the draft may not open another upload, next to so many. */
err_t artifact_multipart_check_count(struct request *q, int64_t open)
	__attribute__((warn_unused_result));

/* A part that the client sent: its number, and its ETag, with or without quotes. */
struct sent_part {
	int64_t part;
	struct str etag;
};
/*
 * Joins all parts, in the order of their numbers; with `parts` they must be these. q->target is the project of the upload. Outside a transaction. A repeated call
 * succeeds; one while another joins is ERR_BUSY. *ret_md5: 16 bytes.
 */
err_t artifact_multipart_complete(struct request *q, int64_t upload_id,
				  const struct sent_part *parts, size_t count, struct str *ret_md5)
	__attribute__((warn_unused_result));
/* Gives the upload up. A repeated call succeeds; ERR_CONFLICT while it is joined. */
err_t artifact_multipart_abort(struct request *q, int64_t upload_id)
	__attribute__((warn_unused_result));

#endif
