#ifndef REPLY_PARTS_H
#define REPLY_PARTS_H

#include "reply.h"

/*
 * The internals of reply.h: the answer as http_server.c sends it. Only
 * this folder includes this file.
 */
struct reply_header {
	struct reply_header *next;
	const char *name;
	const char *value;
};

struct reply {
	unsigned status; /* 0: not set */
	struct reply_header *headers;
	const char *content_type; /* NULL: no body */
	struct str body;
	struct buf *json;   /* the body that is being written */
	struct buf *holder; /* the owner of the body's bytes; NULL: others */
	bool is_compressed;

	bool is_live;        /* exchange->live gives the bytes */
	reply_next_fn *next; /* a stream */
	void *state;
	struct buf slice;
	size_t slice_sent;
	bool is_last_slice;
	bool failed;           /* after the first slice */
	int64_t away_until_us; /* how long the next slice may wait for the database; 0: no wait */

	/* A disk thread reads it into `slice`; in a stream after a slice of `next`. */
	struct reply_file *file;
	int64_t file_length; /* of what is sent of it */
	int64_t file_offset; /* the beginning of the next slice */
	int64_t file_left;
	bool is_sent_by_kernel; /* the file: sent_bytes is known at the end */

	uint64_t sent_bytes; /* of the body, handed to the connection */
};

enum { REPLY_FILE_PAGE = 256 << 10 };

const struct reply_header *reply_header_find(const struct reply *r, const char *name);
/* A problem document that no err_kind has (405). */
void reply_problem(struct request *q, unsigned status, const char *type, const char *title,
		   const char *detail);
/* Status and headers that every answer has: nosniff, no-store, request id, CORS. */
void reply_add_defaults(struct request *q);
/* gzip for a body that is worth it, if the client takes it. */
void reply_compress(struct request *q);
bool reply_takes_gzip(const struct request *q);
/* gzip with zlib's level; false when that failed. */
bool reply_deflate(struct str body, int level, struct buf *b);
/* Makes the written JSON the body. */
void reply_settle(struct request *q);
void reply_reset(struct request *q);
/*
 * Moves the body into `body`, and frees all memory of the request's arena
 * since the mark. Only for a complete answer.
 */
void reply_keep(struct request *q, const struct arena_mark *mark, struct buf *body);

#endif
