#ifndef HTTP_METRICS_H
#define HTTP_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "route.h"

struct http_exchange;
struct http_server;

/* Counters of answers, by route, method and status; updated without locks. */
struct http_metrics;

enum http_refusal {
	REFUSED_QUEUE,
	REFUSED_MEMORY,
	REFUSED_CONNECTIONS, /* of an address */
	REFUSED_READS,       /* of an address or a user */
	REFUSALS,
};

struct http_metrics *http_metrics_new(struct arena *a, const struct route *routes, size_t count);
void http_metrics_refused(struct http_metrics *m, enum http_refusal reason);
void http_metrics_add(struct http_metrics *m, const struct http_exchange *ex, int64_t us);
void http_metrics_write(struct http_server *server, struct buf *text);

#endif
