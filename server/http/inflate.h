#ifndef INFLATE_H
#define INFLATE_H

#include <stddef.h>

#include "buf.h"
#include "str.h"

/*
 * Undoes the Content-Encoding of a body as its pieces arrive, and never outputs more than allowed,
 * whatever the compressed bytes claim.
 */
struct inflate;

enum inflate_kind { INFLATE_NONE, INFLATE_GZIP, INFLATE_ZSTD, INFLATE_UNKNOWN };

enum inflate_result {
	INFLATE_OK,
	INFLATE_BROKEN,    /* no such stream, or it ends too early */
	INFLATE_TOO_LARGE, /* more than max_bytes would come out */
};

/* By the header's value, "" or "identity" is no encoding; several encodings are unknown. */
enum inflate_kind inflate_kind_of(struct str content_encoding);

struct inflate *inflate_new(enum inflate_kind kind);
void inflate_free(struct inflate *z);

/* Appends the decoded bytes to `b`, which never grows beyond max_bytes. */
enum inflate_result inflate_add(struct inflate *z, struct str piece, size_t max_bytes,
				struct buf *b) __attribute__((nonnull(1, 4)));
/* After the last piece: whether the stream was complete. */
enum inflate_result inflate_end(const struct inflate *z);
/* Bytes the decoder itself holds. */
size_t inflate_memory(const struct inflate *z);

#endif
