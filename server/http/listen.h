#ifndef LISTEN_H
#define LISTEN_H

#include "err.h"

/*
 * A listening socket for "127.0.0.1:8080", "[::1]:0", "localhost:80" or ":8080" (every address, IPv4
 * and IPv6). Port 0 lets the system choose.
 */
err_t listen_open(struct arena *a, const char *where, int *ret_fd, unsigned *ret_port)
	__attribute__((warn_unused_result));

/* Its parts: NULL for every address, else the host without brackets; and the port as digits. */
err_t listen_split(struct arena *a, const char *where, const char **ret_host, const char **ret_port)
	__attribute__((warn_unused_result));

/*
 * Whether that would succeed now: checked before creating files that a wrong address would leave.
 */
err_t listen_check(struct arena *a, const char *where) __attribute__((warn_unused_result));

/*
 * The port and a line end, written to another file and renamed, so that a
 * reader never sees half of it.
 */
err_t listen_write_port(struct arena *a, const char *path, unsigned port)
	__attribute__((warn_unused_result));

#endif
