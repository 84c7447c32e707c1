#ifndef BACKUP_STREAM_H
#define BACKUP_STREAM_H

#include "archive.h"

/*
 * A dump as a member of an archive, compressed by zstd: the output of
 * pg_dump is twice as large as the stored data.
 */

/* Bytes of the dump that went through; an error ends the stream. */
typedef err_t backup_stream_fn(void *p, int64_t bytes);

/* All that can be read from the descriptor becomes a member. */
err_t backup_stream_in(struct archive_writer *w, const char *name, int fd, backup_stream_fn *tell,
		       void *p) __attribute__((warn_unused_result));
/*
 * A member goes to the descriptor; `tell` gets bytes of the member. A
 * reader that left is not an error.
 */
err_t backup_stream_out(struct archive *r, const struct archive_member *m, int fd,
			backup_stream_fn *tell, void *p) __attribute__((warn_unused_result));

#endif
