#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stdint.h>
#include <sys/types.h>

#include "buf.h"
#include "err.h"
#include "new_file.h"

/*
 * A backup's file: a tar of a few members and, last, SHA256SUMS of them all. So it can be taken
 * apart and checked without us: tar -xf FILE && sha256sum -c SHA256SUMS. It is readable only by its
 * owner, and gets its name only when it is whole and on disk.
 */
enum { ARCHIVE_MEMBERS = 4, ARCHIVE_SUM_SIZE = 32, ARCHIVE_NAME_SIZE = 100 };

struct archive_writer {
	struct new_file file;
	int64_t at;     /* the end of the file */
	int64_t header; /* of the member that is being written */
	const char *name;
	void *state; /* of the sum */
	struct buf *sums;
};

/* ERR_CONFLICT if there is such a file. */
err_t archive_create(struct arena *a, const char *path, struct archive_writer *ret_writer)
	__attribute__((warn_unused_result));
err_t archive_begin(struct archive_writer *w, const char *name) __attribute__((warn_unused_result));
err_t archive_write(struct archive_writer *w, struct str bytes) __attribute__((warn_unused_result));
err_t archive_end(struct archive_writer *w) __attribute__((warn_unused_result));
/* Begin, write, end. */
err_t archive_add(struct archive_writer *w, const char *name, struct str bytes)
	__attribute__((warn_unused_result));
/* Adds the sums; then the file gets its name. */
err_t archive_finish(struct archive_writer *w) __attribute__((warn_unused_result));
/* Removes it. After archive_finish() it has no effect. */
void archive_abandon(struct archive_writer *w);

struct archive_member {
	char name[ARCHIVE_NAME_SIZE + 1];
	int64_t at;
	int64_t size;
	unsigned char sum[ARCHIVE_SUM_SIZE];
};

struct archive {
	struct arena *arena;
	const char *path;
	int fd;
	int64_t size;
	struct archive_member members[ARCHIVE_MEMBERS]; /* without the sums */
	size_t count;
};

/* Reads all of it and compares the sums; ERR_UNPROCESSABLE if it is incomplete, or not a backup. */
typedef void archive_progress_fn(void *p, int64_t done, int64_t size);
err_t archive_open(struct arena *a, const char *path, archive_progress_fn *progress, void *p,
		   struct archive *ret_archive) __attribute__((warn_unused_result));
/* The first member by itself, if it has that name; nothing is compared. */
err_t archive_peek(struct arena *a, const char *path, const char *name, size_t max,
		   struct str *ret_bytes) __attribute__((warn_unused_result));
void archive_close(struct archive *r);
/* NULL when there is none. */
const struct archive_member *archive_find(const struct archive *r, const char *name);
/* Some bytes of a member from an offset on; 0 at its end. */
err_t archive_read(struct archive *r, const struct archive_member *m, int64_t from, char *bytes,
		   size_t size, size_t *ret_len) __attribute__((warn_unused_result));
/* A small member as a whole. */
err_t archive_read_all(struct archive *r, const struct archive_member *m, size_t max,
		       struct str *ret_bytes) __attribute__((warn_unused_result));

#endif
