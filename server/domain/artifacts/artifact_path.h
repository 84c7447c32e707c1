#ifndef ARTIFACT_PATH_H
#define ARTIFACT_PATH_H

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

#endif
