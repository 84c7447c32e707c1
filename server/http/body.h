#ifndef BODY_H
#define BODY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "buf.h"
#include "err.h"
#include "inflate.h"

/*
 * The body of a request as it comes in: decoded on the way, bounded by what the route allows and by
 * the memory that all bodies may take together. It grows by what arrived, never by a claimed length.
 */
struct body {
	struct buf bytes;
	struct inflate *inflate; /* NULL: it comes as it is */
	size_t limit;
	size_t raw_bytes; /* as received */
	size_t held;      /* counted in *memory */
	size_t memory_limit;
	_Atomic size_t *memory;
};

enum { BODY_PADDING = 64 }; /* zero bytes that follow it */

enum body_result { BODY_OK, BODY_TOO_LARGE, BODY_BROKEN, BODY_NO_MEMORY };

void body_init(struct body *b, enum inflate_kind kind, size_t limit);
enum body_result body_add(struct body *b, struct str piece) __attribute__((warn_unused_result));
enum body_result body_end(struct body *b) __attribute__((warn_unused_result));
void body_free(struct body *b);

#endif
