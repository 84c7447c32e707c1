/*
 * grpc_call.h - unary gRPC calls to a server on this host, over cleartext HTTP/2, and nothing more.
 *
 * It speaks the part of RFC 9113 and of "gRPC over HTTP2" that one small request and one answer need:
 * no TLS, no streaming, no compression, one call at a time. Headers of answers are not decoded (a
 * whole message means success, none means an error), and the compression of headers is switched off
 * for the server by a table of size 0.
 */
#ifndef CAIRN_SAMPLER_GRPC_CALL_H
#define CAIRN_SAMPLER_GRPC_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRPC_MESSAGE_MAX (1 << 20) /* bytes of an answer */
#define GRPC_REQUEST_MAX 256       /* bytes of a request's message */
#define GRPC_FRAME_MAX 16384       /* the default of HTTP/2, which is not raised */
#define GRPC_CALLS_MAX 100000      /* on one connection, long before its numbers run out */

struct grpc_connection {
	int fd; /* -1: not connected */
	uint16_t port;
	uint32_t stream; /* of the next call; odd */
	uint8_t frame[GRPC_FRAME_MAX];
	uint8_t message[5 + GRPC_MESSAGE_MAX]; /* with the prefix of its length */
};

enum grpc_result {
	GRPC_OK,
	GRPC_NO_ANSWER, /* the server refused the call; the connection is good */
	GRPC_BROKEN,    /* the connection is closed */
};

/* Connects to 127.0.0.1. False when nobody listens, or not in time. */
bool grpc_connect(struct grpc_connection *connection, uint16_t port, uint64_t deadline_ns);

/* Sends a message to `path` and waits for the answer, which stays valid until the next call. */
enum grpc_result grpc_call(struct grpc_connection *connection, const char *path,
			   const void *request, size_t size, uint64_t deadline_ns,
			   const uint8_t **ret_message, size_t *ret_size);

void grpc_close(struct grpc_connection *connection);

#endif
