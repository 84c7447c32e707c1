#ifndef ARTIFACT_GET_H
#define ARTIFACT_GET_H

#include <stdbool.h>
#include <stddef.h>

#include "artifact_link.h"

/*
 * Fetches the files of a version into a folder. Files that are there with the same content are left as they are. A file is
 * written under a name of its own, checked by its MD5, and then renamed; a fetch that broke off goes on where it was.
 */
struct artifact_get {
	const char *collection;
	const char *version; /* "v3" or an alias */
	const char *folder;  /* made unless it exists */
	const char *prefix;  /* only paths that begin with it; NULL: all */
};
struct artifact_get_result {
	char version[16];                     /* "v3", also if an alias was asked for */
	int64_t files, bytes;                 /* that are there now */
	int64_t fetched_files, fetched_bytes; /* of these, what was not there */
	int64_t references;                   /* whose content is not on the server: not fetched */
};
enum artifact_outcome artifact_get(struct artifact_link *link, const struct artifact_get *get,
				   struct artifact_get_result *ret_result) __attribute__((nonnull));

/* Compares the files of a folder with a version, and calls `tell` with each difference: "missing", "different", "not in it". */
struct artifact_check {
	const char *collection;
	const char *version;
	const char *folder;
	void (*tell)(void *context, const char *what, const char *path);
	void *context;
};
enum artifact_outcome artifact_check(struct artifact_link *link, const struct artifact_check *check,
				     struct artifact_get_result *ret_result)
	__attribute__((nonnull));

#endif
