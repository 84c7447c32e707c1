#ifndef HEAD_H
#define HEAD_H

#include "err.h"
#include "str.h"

struct http_exchange;
struct request_line;

/* Who asks and under which name: address, prefix, request id. Trusted proxies are believed. */
void head_read_client(struct http_exchange *ex, struct str peer);

/*
 * Method, path, route and what the head says of the body. An error refuses the request; where the
 * head alone is the question (OPTIONS, a method the path does not have, too many lines) ex->reply has
 * the answer.
 */
err_t head_read(struct http_exchange *ex, const struct request_line *line)
	__attribute__((warn_unused_result));

#endif
