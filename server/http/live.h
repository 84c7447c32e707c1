#ifndef LIVE_H
#define LIVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct http_exchange;
struct http_server;
struct reply_live;

/* The connection's and the server's side of reply_live(). */
enum { LIVE_NOTHING = 0, LIVE_END = -1 };

/*
 * On the I/O thread: bytes to send. LIVE_NOTHING: the connection was suspended and is resumed when
 * there are some. LIVE_END: over.
 */
ssize_t live_read(struct http_exchange *ex, char *bytes, size_t size);
/* The connection has ended: the sender finds it over. */
void live_gone(struct http_exchange *ex);

/*
 * All listeners: sends a `beat` if nothing was sent for a while, and ends those whose client has
 * left. live_end_all() ends all.
 */
void live_keep_alive(struct http_server *server, int64_t now_us);
void live_end_all(struct http_server *server);

#endif
