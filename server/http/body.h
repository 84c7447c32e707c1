#ifndef BODY_H
#define BODY_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "inflate.h"

/*
 * The body of a request as it comes in: decoded on the way, bounded by what the route allows and by
 * the server's memory. It grows by what arrived, never by a claimed length, and reserves what reading
 * it will take, so what has come in whole can be read.
 */
struct body {
	struct buf bytes;
	struct inflate *inflate; /* NULL: it comes as it is */
	size_t limit;
	size_t raw_limit;
	size_t raw_bytes;     /* as received */
	size_t inflate_bytes; /* of the decoder, counted */
	bool takes_broken;    /* what cannot be decoded ends it, and is no fault */
	bool is_broken;
};

enum {
	BODY_PADDING = 64, /* zero bytes that follow it */
	BODY_WEIGHT = 4,   /* bytes that one byte of it takes, itself and what it is read into */
	BODY_REQUEST_BYTES = 16 << 10, /* what a request takes without one */
};

enum body_result { BODY_OK, BODY_TOO_LARGE, BODY_BROKEN, BODY_NO_MEMORY };

/*
 * Bytes that may be received for a body of at most `limit`: compressed ones are fewer, or hardly more,
 * than what they stand for, but for streams of nothing without end.
 */
size_t body_most_raw(enum inflate_kind kind, size_t limit);

/* What it takes counts in the share. */
void body_init(struct body *b, enum inflate_kind kind, size_t limit, struct memory_share *share);
enum body_result body_add(struct body *b, struct str piece) __attribute__((warn_unused_result));
enum body_result body_end(struct body *b) __attribute__((warn_unused_result));
void body_free(struct body *b);

#endif
