#ifndef DISPATCH_H
#define DISPATCH_H

struct http_exchange;
struct worker;

/* Handles an item of the queue in a worker: the request, or the next slice of its answer. */
void dispatch(struct worker *w, struct http_exchange *ex);
/* Routes with ROUTE_INLINE, on the I/O thread: only the handler. */
void dispatch_inline(struct http_exchange *ex);

#endif
