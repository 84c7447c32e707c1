#ifndef ARTIFACT_SOURCE_H
#define ARTIFACT_SOURCE_H

#include "artifact_link.h"
#include "md5.h"

/* A file of this host, or a part of it, as the body of a request. */
struct artifact_source {
	struct artifact_link *link;
	const char *local;
	int fd;
	int64_t from, bytes;
	int64_t read_bytes; /* of these; counted in the progress */
};

/* PUT of it to a path. A refusal is not noted: see artifact_try(). */
enum artifact_outcome artifact_source_put(struct artifact_source *source,
					  struct transport *transport, struct text *path,
					  const unsigned char md5[MD5_BYTES],
					  struct response *response) __attribute__((nonnull));

#endif
