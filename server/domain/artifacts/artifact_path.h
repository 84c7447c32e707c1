#ifndef ARTIFACT_PATH_H
#define ARTIFACT_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

/*
 * The path of an entry of a manifest: a relative path with "/" between its parts, kept exactly as it was sent, because the
 * digest of the manifest covers it. Unlike names of files of runs (file_name.h), it may have backslashes, and it is as long as
 * the key of the table allows. Forms of Unicode that look alike are different paths.
 */
enum { ARTIFACT_PATH_MAX = 2048 /* bytes */ };

/* ERR_INVALID for one that is empty, too long, absolute, holds "." or "..", an empty part or U+0000, or is not UTF-8. */
err_t artifact_path_check(struct arena *a, const char *field, struct str text)
	__attribute__((warn_unused_result, nonnull));

/*
 * Finds a path that is the folder of another: "a" and "a/b" cannot be written to one disk. Paths are added in byte order, in
 * which others may be between the two, such as "a-b": all earlier paths that the last one begins with are remembered.
 */
struct artifact_path_order {
	size_t last_len;
	char last[ARTIFACT_PATH_MAX];
	bool is_path[ARTIFACT_PATH_MAX +
		     1]; /* by length: the beginning of `last` is a path that was added */
};
/* True if an earlier path is a folder of this one; *ret_file is that beginning of it. */
bool artifact_path_order_add(struct artifact_path_order *order, struct str path,
			     struct str *ret_file) __attribute__((nonnull));

#endif
