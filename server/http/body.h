#ifndef BODY_H
#define BODY_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "inflate.h"

/*
 * The body of a request as it comes in: decoded on the way, bounded by what the route allows and by
 * the server's memory. It grows by the bytes that arrived, never by a claimed length, and reserves
 * the memory for reading it, so a body that has arrived can be read.
 */
struct body {
	struct buf bytes;
	struct inflate *inflate; /* NULL: it comes as it is */
	size_t limit;
	size_t raw_limit;
	size_t raw_bytes;     /* as received */
	size_t inflate_bytes; /* of the decoder, counted */
	bool takes_broken;    /* undecodable data ends it, and is not an error */
	bool is_broken;
};

enum {
	BODY_PADDING = 64,             /* zero bytes that follow it */
	BODY_WEIGHT = 4,               /* memory for one byte of it, itself and its parsed form */
	BODY_REQUEST_BYTES = 16 << 10, /* the memory of a request without a body */
};

enum body_result { BODY_OK, BODY_TOO_LARGE, BODY_BROKEN, BODY_NO_MEMORY };

/*
 * Bytes that may be received for a body of at most `limit`: compressed ones are fewer than the
 * decoded ones, or hardly more, except for endless streams of empty blocks.
 */
size_t body_most_raw(enum inflate_kind kind, size_t limit);

/* Its memory counts in the share. */
void body_init(struct body *b, enum inflate_kind kind, size_t limit, struct memory_share *share);
enum body_result body_add(struct body *b, struct str piece) __attribute__((warn_unused_result));
enum body_result body_end(struct body *b) __attribute__((warn_unused_result));
void body_free(struct body *b);

#endif
