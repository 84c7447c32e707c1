#ifndef CREDENTIALS_H
#define CREDENTIALS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The file that `cairn login` writes: a line "URL KEY" for each server, the default one first. Only
 * its owner may read it; one that others can read is refused.
 */
enum credentials_result {
	CREDENTIALS_OK = 0,
	CREDENTIALS_NONE,  /* no file, or no line for this server */
	CREDENTIALS_OPEN,  /* others can read the file */
	CREDENTIALS_FAILED /* errno says why */
};

/* $XDG_CONFIG_HOME/cairn/credentials, else ~/.config/cairn/credentials; NULL when there is no home
 * or no memory. The caller frees it. */
char *credentials_path(void);

/* The key for `url`, or with a NULL url the first line's address and key. Freed by the caller. */
enum credentials_result credentials_read(const char *path, const char *url, char **ret_url,
					 char **ret_key) __attribute__((nonnull(1, 3, 4)));

/* Puts a server first, replaces its old line, and leaves the others. Makes the folder. */
enum credentials_result credentials_write(const char *path, const char *url, const char *key)
	__attribute__((nonnull));

#endif
