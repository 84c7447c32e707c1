#ifndef ARTIFACT_TAR_H
#define ARTIFACT_TAR_H

#include <stdint.h>

#include "text.h"

/* A tar of small files, in memory (POSIX, with pax records for long paths). */

/* Reads the file into it. False if it cannot be read, with errno, or has another size by now: errno is 0 then. */
bool artifact_tar_add(struct text *tar, const char *path, const char *local, int64_t size_bytes)
	__attribute__((nonnull));
void artifact_tar_end(struct text *tar) __attribute__((nonnull));

#endif
