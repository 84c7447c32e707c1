#ifndef ARTIFACT_TAR_H
#define ARTIFACT_TAR_H

#include "artifact.h"
#include "quota_room.h"
#include "request.h"

/*
 * Many files of an artifact in one request: the files of a version as a tar, and a tar as files of a draft.
 *
 * A tar that comes is stored file by file while it arrives. The draft gets all files or none. Of two members with one name the
 * last one counts, as for all programs that read a tar.
 */
enum { ARTIFACT_TAR_FILES_MAX = 10000 };

struct artifact_tar_destination {
	struct quota_scope scope;
	int64_t artifact_id;
};
struct artifact_tar_sum {
	int64_t count;
	int64_t size_bytes;
};
/* Call it in route->begin: checks the draft, room and quota, and sets q->sink. */
err_t artifact_tar_begin(struct request *q, const struct artifact_tar_destination *destination)
	__attribute__((warn_unused_result));
/* Call it in the handler, which has no transaction: the draft has the files then. */
err_t artifact_tar_end(struct request *q, struct artifact_tar_sum *ret_sum)
	__attribute__((warn_unused_result));

/* Answers with the files of a committed version whose paths begin with the prefix, without references. */
void artifact_tar_send(struct request *q, const struct artifact *version, struct str prefix);

#endif
