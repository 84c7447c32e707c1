#ifndef TAR_READ_H
#define TAR_READ_H

#include <stdint.h>

#include "err.h"
#include "str.h"

/*
 * Reads a tar that comes in pieces of any size, and passes on its regular files. It knows the forms of POSIX (ustar and pax) and
 * of GNU tar, which all programs write. Folders are skipped. Anything else, such as a link or a sparse file, is ERR_INVALID.
 */
struct tar_read;
struct tar_read_calls {
	err_t (*begin)(void *state, struct str name, int64_t size);
	err_t (*add)(void *state, struct str piece);
	err_t (*end)(void *state);
};

enum { TAR_READ_NAME_MAX = 4096, TAR_READ_EXTRA_MAX = 64 << 10 /* the records before a header */ };

struct tar_read *tar_read_new(struct arena *a, const struct tar_read_calls *calls, void *state)
	__attribute__((nonnull(1, 2), returns_nonnull));
/* ERR_INVALID if it is not a tar, and any error of a call; then nothing more may be added. */
err_t tar_read_add(struct tar_read *t, struct str piece)
	__attribute__((nonnull, warn_unused_result));
/* ERR_INVALID if the tar is not complete. */
err_t tar_read_end(struct tar_read *t) __attribute__((nonnull, warn_unused_result));

#endif
