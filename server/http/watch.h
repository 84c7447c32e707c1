#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct http_connection;
struct http_server;
struct sockaddr;

/*
 * A thread that wakes twice a second: cuts off clients that trickle, sending
 * or receiving (the library's own time-out starts again with each byte),
 * senders that take too long in total or have hung up together with their last
 * bytes (its edge-triggered epoll misses that), and keeps event streams alive.
 */
err_t watch_start(struct arena *a, struct http_server *server) __attribute__((warn_unused_result));
void watch_stop(struct http_server *server);

/*
 * `address` may be NULL. If an address has too many connections, the new
 * one is marked, or closed at once.
 */
struct http_connection *watch_add(struct http_server *server, int fd,
				  const struct sockaddr *address);
void watch_remove(struct http_server *server, struct http_connection *c);
/* The client owes us data from now on; or we owe it; or neither. */
void watch_receiving(struct http_connection *c);
void watch_received(struct http_connection *c, size_t bytes);
void watch_sending(struct http_connection *c);
/* The same for a file that the kernel sends: bytes that the client acknowledged count, without watch_sent(). */
void watch_sending_by_kernel(struct http_connection *c);
/* Bytes that the client acknowledged since then. */
int64_t watch_acknowledged(const struct http_connection *c);
/* Bytes were passed to the library; begins the watch again if it was idle. */
void watch_sent(struct http_connection *c, size_t bytes);
void watch_idle(struct http_connection *c);
/* Ends the connection if something sent is not acknowledged for so long: the client is gone. */
void watch_wants_answers(const struct http_connection *c, int seconds);
/* Whether the client has closed its side. Call it while no other code reads from the connection. */
bool watch_has_hung_up(const struct http_connection *c);

#endif
