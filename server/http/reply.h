#ifndef REPLY_H
#define REPLY_H

#include "buf.h"
#include "err.h"
#include "json_out.h"
#include "request.h"

/*
 * The answer of a request. reply_*() fill q->reply; The HTTP numbers of errors are in one table
 * here. Without any call the answer is 204.
 */
void reply_status(struct request *q, unsigned status);
void reply_header(struct request *q, const char *name, const char *value); /* copied */

/*
 * A body of JSON: all that is written to it until the request is completed
 * is the answer. An error drops it.
 */
struct json_out reply_json(struct request *q);

/* A compressed answer is another representation: its ETag "x" becomes "x-gzip" (RFC 9110, 8.8.3). */
#define REPLY_GZIP_TAG_END "-gzip\""

/* Another body: the buf is the arena's (buf_new); content_type is a literal. */
void reply_body(struct request *q, const char *content_type, struct buf *body);
/* A literal or arena text. */
void reply_text(struct request *q, const char *content_type, struct str body);

/*
 * A body that a worker makes slice by slice: `next` adds bytes to `slice` and sets *ret_done with the
 * last; it runs on a worker (q->db is set, no transaction is open) each time the client has taken
 * the slice before. An error after the first slice ends the connection without a proper end, so that
 * the client notices; but after ERR_BUSY with nothing added `next` is called again, so a failing
 * call must not have changed `state`. A call does a bounded piece of work, and may add nothing;
 * after some such calls other requests are handled. `state` lives in the request's arena; slices
 * come from a scratch arena that is reset between them: q->db's arena is that one while `next`
 * runs, never keep what it returned.
 */
typedef err_t reply_next_fn(struct request *q, void *state, struct buf *slice, bool *ret_done);
void reply_stream(struct request *q, const char *content_type, reply_next_fn *next, void *state);

/*
 * A body on a disk: `length` bytes from `offset` on, read slice by slice on a thread that may wait
 * for it. `read` gives `size` bytes, or it is an error, which breaks the answer off. `file` lives
 * in the request's arena. `read_now`, if it is set, is called by the connection's own thread: it gives the bytes
 * that are in memory, up to `size`, and 0 if it would have to wait; then `read` is called. `has_fd`: all that is sent
 * of it is in memory as the file `fd`, at the same offsets: the kernel can send it.
 */
struct reply_file {
	err_t (*read)(struct reply_file *file, int64_t offset, char *bytes, size_t size,
		      size_t *ret_count);
	size_t (*read_now)(struct reply_file *file, int64_t offset, char *bytes, size_t size);
	bool has_fd;
	int fd; /* open as long as the request's arena lives */
};
void reply_file(struct request *q, const char *content_type, struct reply_file *file,
		int64_t offset, int64_t length);
/*
 * From `next` of a stream: after its slice, which may be empty, come
 * `length` bytes of the file, from its first one on; then `next` is called
 * again. So reading a disk never holds a worker. Not with the last slice.
 */
void reply_stream_file(struct request *q, struct reply_file *file, int64_t length);
/* The range is outside the file (416): Content-Range has its size. */
void reply_no_range(struct request *q, int64_t length);

/*
 * Server-sent events: the connection stays, no worker is held. One sender, in any
 * thread, appends bytes (already framed as "event: …\ndata: …\n\n") until it calls
 * reply_live_end(), which it always does, also when the connection has ended; waiting
 * bytes are sent then, and `live` and the request are not touched by it any more. Until
 * then the request and its arena stay. reply_live_send() answers false when the stream
 * is over, or the listener so slow that `limit` bytes wait already. A comment line goes
 * out every 15 s by itself, and a client that acknowledges nothing for idle_timeout_s
 * counts as gone. For all listeners together a quarter of the server's memory may wait.
 */
struct reply_live;
enum reply_live_state {
	REPLY_LIVE_READY,
	REPLY_LIVE_FULL,    /* half the limit waits: do not send now */
	REPLY_LIVE_CROWDED, /* too much waits for all listeners together: do not send now */
	REPLY_LIVE_HEAVY, /* the same, and this one has its share of that, or more: better end it */
	REPLY_LIVE_OVER,  /* the connection or the server has ended, or it was too slow */
};
struct reply_live *reply_live(struct request *q, size_t limit_bytes);
bool reply_live_send(struct reply_live *live, struct str bytes);
enum reply_live_state reply_live_state(struct reply_live *live);
void reply_live_end(struct reply_live *live);

/* The problem document of RFC 9457 for an error; also used by the code that completes a request. */
void reply_error(struct request *q, err_t e);

#endif
