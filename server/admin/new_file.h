#ifndef NEW_FILE_H
#define NEW_FILE_H

#include "err.h"

/*
 * A file that gets its name only when it is whole and on disk, and that only
 * its owner can read. Until then it has none, so that nothing is left if its
 * writer dies, and two writers of one name do not conflict. If the file system
 * has no files without a name (NFS, CIFS, FAT) it is called "<path>.part".
 */
struct new_file {
	struct arena *arena;
	const char *path;
	const char *part; /* NULL: it has no name */
	int fd;
};

/* ERR_CONFLICT if there is such a file, or another process is writing its part. */
err_t new_file_open(struct arena *a, const char *path, struct new_file *ret_file)
	__attribute__((warn_unused_result));
/* The same with a part, on any file system. */
err_t new_file_open_part(struct arena *a, const char *path, struct new_file *ret_file)
	__attribute__((warn_unused_result));
/* Removes a part that was broken off, if it exists. ERR_CONFLICT when another process is writing it. */
err_t new_file_remove_part(struct arena *a, const char *part) __attribute__((warn_unused_result));
/* Gives it its name, and closes. A part that cannot be named stays, and the error says so. */
err_t new_file_finish(struct new_file *f) __attribute__((warn_unused_result));
/* Removes it. After new_file_finish() it has no effect. */
void new_file_abandon(struct new_file *f);

#endif
