#include "artifact_source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static size_t read_source(void *context, char *bytes, size_t count)
{
	struct artifact_source *source = context;
	ssize_t got;

	if ((int64_t)count > source->bytes - source->read_bytes)
		count = (size_t)(source->bytes - source->read_bytes);
	got = pread(source->fd, bytes, count, source->from + source->read_bytes);
	if (got <= 0) { /* the request fails */
		artifact_fail(source->link, ARTIFACT_LOCAL, "cannot read \"%s\": %s", source->local,
			      got < 0 ? strerror(errno) : "it became shorter");
		return 0;
	}
	source->read_bytes += got;
	atomic_fetch_add(&source->link->progress.bytes, got);
	return (size_t)got;
}

static enum artifact_rewind rewind_source(void *context)
{
	struct artifact_source *source = context;

	atomic_fetch_sub(&source->link->progress.bytes, source->read_bytes);
	source->read_bytes = 0;
	return ARTIFACT_REWIND_ANEW;
}

enum artifact_outcome artifact_source_put(struct artifact_source *source,
					  struct transport *transport, struct text *path,
					  const unsigned char md5[MD5_BYTES],
					  struct response *response)
{
	char header[64] = "Content-MD5: ";
	const struct request request = {
		.method = "PUT",
		.path = text_c_string(path),
		.content_type = "application/octet-stream",
		.header = header,
		.body_length = (size_t)source->bytes,
		.read_piece = read_source,
		.read_context = source,
		.timeout_ms = artifact_time_for(source->bytes),
		.stall_s = source->link->stall_s,
	};
	enum artifact_outcome outcome;

	md5_base64(md5, header + strlen(header));
	if (!request.path)
		return artifact_fail(source->link, ARTIFACT_LOCAL, "out of memory");
	outcome = artifact_try(source->link, transport, &request, response, rewind_source);
	if (outcome)
		rewind_source(source);
	return outcome;
}
