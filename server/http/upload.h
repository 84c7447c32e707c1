#ifndef UPLOAD_H
#define UPLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/*
 * A body that is not collected in memory: it goes to the request's sink, piece by piece, on a
 * thread that may wait for the disk. Its connection is parked in the meantime, so the disk slows
 * down this client, and no other connection of the I/O thread.
 *
 *   CHECK    a worker: route->begin sets q->sink
 *   BODY     I/O thread: what comes is gathered ──UPLOAD_PIECE──> parked; disk thread: add ──> resumed
 *   WORK     disk thread: the rest, end ──> a worker: route->handle
 */
struct upload_sink {
	err_t (*add)(struct upload_sink *sink, struct str piece);
	/*
	 * The upload is complete. The sink's data is dropped with the request's
	 * arena unless it was kept.
	 */
	err_t (*end)(struct upload_sink *sink);
};

enum {
	UPLOAD_PIECE = 192 << 10,
	UPLOAD_HOLDS = 256 << 10, /* of memory: a piece, and what the library hands over at once */
};

/* For exchange.h. */
struct upload {
	struct buf bytes; /* gathered */
	size_t limit;
	uint64_t received;
	_Atomic bool is_writing; /* a disk thread has it */
};

#endif
