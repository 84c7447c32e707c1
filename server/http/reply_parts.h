#ifndef REPLY_PARTS_H
#define REPLY_PARTS_H

#include "reply.h"

/* What reply.h hides: the answer as http_server.c sends it. Only this folder includes this file. */
struct reply_header {
	struct reply_header *next;
	const char *name;
	const char *value;
};

struct reply {
	unsigned status; /* 0: not said */
	struct reply_header *headers;
	const char *content_type; /* NULL: no body */
	struct str body;
	struct buf *json;   /* the body that is being written */
	struct buf *holder; /* whose bytes the body is; NULL: others' */
	bool is_compressed;

	bool is_live;        /* exchange->live gives the bytes */
	reply_next_fn *next; /* a stream */
	void *state;
	struct buf page;
	size_t page_sent;
	bool is_last_page;
	bool failed;           /* after the first page */
	int64_t away_until_us; /* how long the next page may wait for the database; 0: it is there */

	/* A disk thread reads it into `page`; of a stream behind a page of `next`. */
	struct reply_file *file;
	int64_t file_length; /* of what is sent of it */
	int64_t file_offset; /* where the next page begins */
	int64_t file_left;

	uint64_t sent_bytes; /* of the body, handed to the connection */
};

enum { REPLY_FILE_PAGE = 256 << 10 };

const struct reply_header *reply_header_find(const struct reply *r, const char *name);
/* A problem document that no err_kind stands for (405). */
void reply_problem(struct request *q, unsigned status, const char *type, const char *title,
		   const char *detail);
/* Status and headers that every answer has: nosniff, no-store, request id, CORS. */
void reply_add_defaults(struct request *q);
/* gzip for a body that is worth it, if the client takes it. */
void reply_compress(struct request *q);
bool reply_takes_gzip(const struct request *q);
/* gzip with zlib's level; false when that failed. */
bool reply_deflate(struct str body, int level, struct buf *b);
/* What was written is the body. */
void reply_settle(struct request *q);
void reply_reset(struct request *q);
/*
 * The body goes into `body`, and all that was made in the request's arena since the mark is released.
 * Only of an answer that is complete.
 */
void reply_keep(struct request *q, const struct arena_mark *mark, struct buf *body);

#endif
