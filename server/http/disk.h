#ifndef DISK_H
#define DISK_H

#include "err.h"

struct http_exchange;
struct http_server;

/*
 * Threads that may wait for the disk, so that neither I/O threads nor workers do: pieces of uploads
 * are written here, and slices of files are read. One of the threads is only for uploads, so that
 * many readers do not stop them.
 *
 * To be called with the connection parked. The exchange has one owner more until the work is done; then the
 * connection is resumed, or, after the last piece of an upload, a worker has the request.
 */
err_t disk_start(struct arena *a, struct http_server *server) __attribute__((warn_unused_result));
/* After the connections have gone. */
void disk_stop(struct http_server *server);

void disk_queue(struct http_exchange *ex);
/* The last owner is gone: removes the sink's data. */
void disk_free(struct http_exchange *ex);

#endif
