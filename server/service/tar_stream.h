#ifndef TAR_STREAM_H
#define TAR_STREAM_H

#include "content_send.h"
#include "request.h"

/*
 * Many files as one tar, made while it is sent. A worker reads some names at a time, and the threads that may wait for a
 * disk read content in pieces, so memory does not depend on number or size of the files. All files are in one folder. If
 * content is missing, the answer breaks off, which every client notices.
 */
enum { TAR_STREAM_NAMES = 64, TAR_STREAM_POSITION_MAX = 2048 };

struct tar_file {
	struct str name; /* in the folder */
	struct sent_content content;
	timestamp_us changed_at;
};

struct tar_files {
	struct tar_file *at;
	size_t count;
	struct str position; /* the next ones are after it; at most TAR_STREAM_POSITION_MAX bytes */
	bool is_last;        /* there are no next ones */
};

/*
 * Finds some files after a position, at most TAR_STREAM_NAMES, perhaps none; the position of the first call is empty. Results
 * belong to the arena of q->db. A call that failed may be repeated.
 */
typedef err_t tar_stream_next_fn(struct request *q, const void *what, struct str after,
				 struct tar_files *ret_files);

/* Answers with a tar of the folder. `what` lives as long as the request. */
void tar_stream(struct request *q, const char *folder, tar_stream_next_fn *next, const void *what);

#endif
