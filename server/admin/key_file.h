#ifndef KEY_FILE_H
#define KEY_FILE_H

#include "err.h"
#include "str.h"

/* Where a new key goes: a file that only its owner may read, or standard output. */
struct key_file {
	const char *path; /* NULL: standard output */
	int fd;
};

/* Makes the file, which must not be there yet; before anything is stored. */
err_t key_file_make(struct arena *a, const char *path, struct key_file *ret_file)
	__attribute__((warn_unused_result));
err_t key_file_write(struct arena *a, struct key_file *file, const char *key)
	__attribute__((warn_unused_result));
/* The key was not stored after all. */
void key_file_drop(struct key_file *file);

/* The first line of a file, or of standard input where path is NULL; without its line end. */
err_t key_file_read(struct arena *a, const char *path, struct str *ret_line)
	__attribute__((warn_unused_result));

#endif
