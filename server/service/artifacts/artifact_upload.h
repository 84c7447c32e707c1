#ifndef ARTIFACT_UPLOAD_H
#define ARTIFACT_UPLOAD_H

#include "blob_store.h"
#include "artifact_target.h"
#include "content.h"
#include "quota_room.h"
#include "request.h"

/*
 * The content of a draft's files. A client asks what to send: content that the project has, or another project of the entity
 * that the caller may read, need not be sent again. What is sent is a blob of the project and an upload of the draft. All
 * calls may be repeated: with a version that is committed they succeed for the content that it has, and are ERR_CONFLICT for
 * other content. ERR_GONE: the draft was deleted.
 */
enum { ARTIFACT_FILES_MAX = 10000, ARTIFACT_PARTS_MAX = 10000 };

struct artifact_wanted {
	struct str path;
	struct str md5;     /* 16 bytes */
	int32_t part_count; /* 0: in one piece */
};
struct artifact_told {
	int64_t birth_id; /* the artifact that the file's storage path has */
	struct str storage_path;
	struct str url;        /* .at == NULL: the content is there */
	int64_t upload_id;     /* of a file in parts; 0: in one piece */
	struct str *part_urls; /* of each part */
	int32_t part_count;
};
/* Outside a transaction; q->target is the project of the draft. *ret_told has `count`, in the same order. */
err_t artifact_upload_ask(struct request *q, const struct artifact *draft,
			  const struct artifact_wanted *wanted, size_t count,
			  struct artifact_told **ret_told) __attribute__((warn_unused_result));

/* The destination of a body. */
struct artifact_destination {
	struct quota_scope scope;
	struct str path;
	struct str md5; /* that the body must have; empty: any */
};
/* Call it in route->begin: checks the path, room and quota, and sets q->sink. The draft is not deleted. */
err_t artifact_upload_begin(struct request *q, const struct artifact *draft,
			    const struct artifact_destination *destination)
	__attribute__((warn_unused_result));
/* Call it in the handler, which has no transaction: the draft has the file then. */
err_t artifact_upload_end(struct request *q, struct artifact_upload *ret_upload)
	__attribute__((warn_unused_result));

#endif
