#ifndef WRITER_JSON_H
#define WRITER_JSON_H

#include "json_out.h"
#include "request.h"
#include "run.h"

/* Reads a join. A missing label becomes <host>-<8 random>. */
err_t writer_json_read_join(struct request *q, struct writer_join *ret_join)
	__attribute__((warn_unused_result));

/* Returns the host that the writer sent; empty: none. */
struct str writer_json_host(struct arena *a, const struct writer *w);

void writer_json_write(struct json_out *o, const struct writer *w, const struct run *run,
		       struct run_clock clock);

#endif
