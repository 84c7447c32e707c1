#ifndef HEAD_H
#define HEAD_H

#include "err.h"
#include "str.h"

struct http_exchange;
struct request_line;

/* Finds the client's address, the prefix and the request id. Trusted proxies are believed. */
void head_read_client(struct http_exchange *ex, struct str peer);

/*
 * Reads method, path, route and the description of the body. An error
 * refuses the request; if the head is enough for an answer (OPTIONS, a
 * method the path does not have, too many lines) ex->reply has the answer.
 */
err_t head_read(struct http_exchange *ex, const struct request_line *line)
	__attribute__((warn_unused_result));

#endif
