#ifndef KEY_FILE_H
#define KEY_FILE_H

#include "err.h"
#include "key.h"
#include "str.h"

/* A new key on its way to the caller: to a file that only its owner may read, or to stdout. */
struct key_file {
	const char *path; /* NULL: standard output */
	int fd;
	char key[KEY_TEXT_SIZE + 1];
};

/*
 * An error if the file exists, before the database is opened: opening it may start, create or
 * upgrade it. `path` may be NULL.
 */
err_t key_file_check(struct arena *a, const char *path) __attribute__((warn_unused_result));
/* Makes the key, and its file, which must not exist yet; before anything is stored. */
err_t key_file_begin(struct arena *a, const char *path, struct key_file *ret_file)
	__attribute__((warn_unused_result));
/*
 * `stored` is the result of storing the key. Writes it out, or removes the file and returns the
 * error; the key is wiped in any case.
 */
err_t key_file_end(struct arena *a, struct key_file *file, err_t stored)
	__attribute__((warn_unused_result));

/* The first line of a file, or of standard input if path is NULL; without its line end. */
err_t key_file_read(struct arena *a, const char *path, struct str *ret_line)
	__attribute__((warn_unused_result));

#endif
