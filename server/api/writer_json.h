#ifndef WRITER_JSON_H
#define WRITER_JSON_H

#include "json_out.h"
#include "request.h"
#include "run.h"

struct writer_join {
	struct str client;
	struct str label;
	enum writer_role role;
	struct str parent;
	struct str info; /* JSON object: host, pid */
};

/* A label that was not given is made: <host>-<8 random>. */
err_t writer_json_read_join(struct request *q, struct writer_join *ret_join)
	__attribute__((warn_unused_result));

void writer_json_write(struct json_out *o, const struct writer *w, struct run_clock clock);

#endif
